#pragma once

#include "sarrus/model/description.h"
#include "sarrus/testing/random.h"

namespace sarrus::testing {

/// Turns a body into a flexible one of about this mass: a clamped beam that bends, twists and stretches,
/// or a cloud of masses that moves by random shapes; one to six modes. Some are damped, some are
/// stiffened by spin. A part of `random_mechanism`.
///
/// Frequencies are some 15 to 700 rad/s: deflections under loads are small, and a run of a fifth of a
/// second needs some hundred steps. Deformations turn nodes by 0.15 rad at the most.
/// `deformed`, `moving`: do deformations and their rates start at other values than 0?
void make_random_flexible(BodyDescription& body, double mass, bool deformed, bool moving,
                          Random& random);

/// A node of the body for something at this place of the world: the nearest one, or any; now and then
/// none, and it sits at the body's frame. No number is drawn for a rigid body.
std::string random_node(const BodyDescription& body, const Vec3& near, Random& random);

}  // namespace sarrus::testing
