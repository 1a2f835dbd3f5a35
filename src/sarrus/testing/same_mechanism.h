#pragma once

#include <cstdint>
#include <string_view>

#include "sarrus/model/description.h"

/// The same mechanism told otherwise. What moves must not change.
namespace sarrus::testing {

/// Everything seen from another world frame: `X` is the pose of the old frame in the new one.
Description transformed(const Description& description, const Transform& X);

/// Bodies, joints and forces in a random order, with the same names.
Description reordered(const Description& description, std::uint32_t seed);

/// Other joints are preferred for cutting: a random half of them.
Description with_other_cuts(const Description& description, std::uint32_t seed);

/// The joint with body_a and body_b swapped, its coordinates and the forces on it mirrored. The
/// description is unchanged where no mirror image exists: a force on a planar, spherical or free
/// joint along a coordinate that the other body sees as a mixture of several.
Description reversed(const Description& description, std::string_view joint);

/// All joints that can be reversed, one by one with a chance of a half.
Description with_reversals(const Description& description, std::uint32_t seed);

}  // namespace sarrus::testing
