#pragma once

#include "sarrus/testing/random.h"
#include "sarrus/testing/random_mechanism.h"

namespace sarrus::testing {

/// Springs, friction, applied loads, torques and motors on a grown mechanism, as the options ask;
/// a part of `random_mechanism`. Their sizes follow the masses they act on, so that a light body is
/// not shot away.
void add_random_forces(Description& description, const RandomMechanismOptions& options,
                       Random& random);

/// Prescribed motions that contradict nothing: on joints outside all loops, and on one joint of a
/// loop where the motion is one more independent constraint.
void add_random_motions(Description& description, Random& random);

/// `factor` · f(t) + `offset`.
TimeFunction scaled(const TimeFunction& function, double factor, double offset = 0);

}  // namespace sarrus::testing
