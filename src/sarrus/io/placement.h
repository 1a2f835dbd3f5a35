#pragma once

#include <optional>

#include "sarrus/io/fields.h"

namespace sarrus::io {

/// Where things stand: the keys that bodies, shapes and joints have in common. What is wrong goes
/// to the context, and the identity comes back in its place.

/// `orientation: {axis, angle} | {quaternion} | {x, z} | {rpy}`.
Quat read_orientation(ReadContext& context, const YamlNode& node);

/// `position` and `orientation`.
Transform read_pose(const Fields& fields);

/// The frame of a link from one point to another: origin midway, x along it, z as near the world's
/// z as can be, or the world's y where the link stands upright.
Transform frame_between(const Vec3& from, const Vec3& to);

/// The keys `at`, `axis`, `x_axis`, `axis2`, `orientation` of a joint, or of one of its `frames`.
Transform read_joint_frame(const Fields& fields, JointType type);

/// Those keys, for the check of unknown ones.
const std::vector<std::string>& joint_frame_keys(JointType type);

}  // namespace sarrus::io
