#include "sarrus/io/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sarrus/spatial/rotation.h"

namespace sarrus::io {
namespace {

// Directions closer than this to parallel, or to perpendicular, are taken to be meant so.
constexpr double kAngleTolerance = 1e-9;

// A quaternion whose squared length is this near to 1 is kept to the bit, so that what was written reads
// the same; the model makes it unit, once, as it does with one from C++.
constexpr double kUnitTolerance = 1e-6;

Quat from_quaternion(ReadContext& context, const YamlNode& node) {
  const auto q = context.numbers(node, "quaternion");
  if (!q) return Quat::Identity();
  if (q->size() != 4) {
    context.fail(node, fmt::format("quaternion has {} entries; it needs four", q->size()),
                 "give [w, x, y, z], the scalar first");
    return Quat::Identity();
  }
  const Quat result((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
  const double size2 = result.squaredNorm();
  if (std::abs(size2 - 1) <= kUnitTolerance) return result;
  if (size2 > 0 && std::isfinite(size2)) return result.normalized();
  context.fail(node, "the quaternion is zero or too large",
               "give [w, x, y, z], the scalar first; [1, 0, 0, 0] turns nothing");
  return Quat::Identity();
}

Quat from_axis_angle(const Fields& fields) {
  fields.require("axis", "add 'axis: [x, y, z]' beside 'angle'");
  const auto axis = fields.direction("axis");
  const double angle = fields.required_number("angle");
  return axis ? Quat(Eigen::AngleAxisd(angle, axis->normalized())) : Quat::Identity();
}

Quat from_directions(const Fields& fields) {
  fields.require("x", "give both directions: {x: [..], z: [..]}");
  fields.require("z", "give both directions: {x: [..], z: [..]}");
  const auto x = fields.direction("x");
  const auto z = fields.direction("z");
  if (!x || !z) return Quat::Identity();
  if (x->normalized().cross(z->normalized()).norm() > kAngleTolerance)
    return Quat(frame_with_z(*z, *x));
  fields.context().fail(*fields.find("x"), "x and z are parallel",
                        "give two directions that differ; z is kept, x made perpendicular to it");
  return Quat::Identity();
}

// Roll about x, then pitch about y, then yaw about z, the axes staying where they are.
Quat from_roll_pitch_yaw(const Vec3& rpy) {
  return Eigen::AngleAxisd(rpy.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(rpy.y(), Vec3::UnitY()) *
         Eigen::AngleAxisd(rpy.x(), Vec3::UnitX());
}

Quat universal_axes(const Fields& fields) {
  fields.require("axis", "a universal joint turns about 'axis' first, then about 'axis2'");
  fields.require("axis2", "a universal joint turns about 'axis' first, then about 'axis2'");
  const auto first = fields.direction("axis");
  const auto second = fields.direction("axis2");
  if (!first || !second) return Quat::Identity();
  const Vec3 x = first->normalized();
  const double cosine = x.dot(second->normalized());
  if (std::abs(cosine) > kAngleTolerance) {
    fields.context().fail(
        *fields.find("axis2"),
        fmt::format("axis2 is not perpendicular to axis: they stand at {:.6g} degrees",
                    std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi),
        "the axes of a universal joint's cross are perpendicular; choose axis2 so");
    return Quat::Identity();
  }
  const Vec3 y = (*second - x * x.dot(*second)).normalized();
  Mat3 R;
  R << x, y, x.cross(y);
  return Quat(R);
}

Quat axis_frame(const Fields& fields) {
  const auto axis = fields.direction("axis");
  const auto x_axis = fields.direction("x_axis");
  const Vec3 z = axis.value_or(Vec3::UnitZ());
  if (x_axis && x_axis->normalized().cross(z.normalized()).norm() <= kAngleTolerance) {
    fields.context().fail(*fields.find("x_axis"), "x_axis is parallel to axis",
                          "give a direction across the axis, or leave x_axis out");
    return Quat::Identity();
  }
  return Quat(frame_with_z(z, x_axis.value_or(Vec3::UnitX())));
}

}  // namespace

Quat read_orientation(ReadContext& context, const YamlNode& node) {
  static const std::vector<std::string> kAll = {"axis", "angle", "quaternion", "x", "z", "rpy"};
  static const std::vector<std::string> kAxisAngle = {"axis", "angle"};
  static const std::vector<std::string> kQuaternion = {"quaternion"};
  static const std::vector<std::string> kDirections = {"x", "z"};
  static const std::vector<std::string> kAngles = {"rpy"};
  constexpr const char* kForms =
      "write {axis: [..], angle: a}, {quaternion: [w, x, y, z]}, {x: [..], z: [..]} or "
      "{rpy: [roll, pitch, yaw]}";
  if (!context.require(node, YamlNode::Kind::kMap, "orientation", kForms)) return Quat::Identity();
  const Fields fields(context, node);
  if (fields.has("axis") || fields.has("angle")) {
    fields.check_keys(kAxisAngle, "an orientation by axis and angle");
    return from_axis_angle(fields);
  }
  if (fields.has("quaternion")) {
    fields.check_keys(kQuaternion, "an orientation by quaternion");
    return from_quaternion(context, *fields.find("quaternion"));
  }
  if (fields.has("x") || fields.has("z")) {
    fields.check_keys(kDirections, "an orientation by directions");
    return from_directions(fields);
  }
  if (fields.has("rpy")) {
    fields.check_keys(kAngles, "an orientation by angles");
    return from_roll_pitch_yaw(fields.vector("rpy"));
  }
  if (node.entries.empty())
    context.fail(node, "orientation is empty", kForms);
  else
    fields.check_keys(kAll, "orientation");
  return Quat::Identity();
}

Transform read_pose(const Fields& fields) {
  Transform pose;
  pose.p = fields.vector("position");
  if (const YamlNode* orientation = fields.find("orientation"))
    pose.q = read_orientation(fields.context(), *orientation);
  return pose;
}

Transform frame_between(const Vec3& from, const Vec3& to) {
  constexpr double kUpright = 1e-6;
  const Vec3 x = (to - from).normalized();
  Vec3 z = Vec3::UnitZ() - x * x.z();
  if (z.norm() < kUpright) z = Vec3::UnitY() - x * x.y();
  z.normalize();
  Mat3 R;
  R << x, z.cross(x), z;
  return {Quat(R), 0.5 * (from + to)};
}

Transform read_joint_frame(const Fields& fields, JointType type) {
  Transform frame;
  frame.p = fields.vector("at");
  if (const YamlNode* orientation = fields.find("orientation")) {
    for (const char* key : {"axis", "x_axis", "axis2"}) fields.exclude("orientation", key);
    frame.q = read_orientation(fields.context(), *orientation);
  } else {
    frame.q = type == JointType::kUniversal ? universal_axes(fields) : axis_frame(fields);
  }
  return frame;
}

const std::vector<std::string>& joint_frame_keys(JointType type) {
  static const std::vector<std::string> kUniversal = {"at", "axis", "axis2", "orientation"};
  static const std::vector<std::string> kOther = {"at", "axis", "x_axis", "orientation"};
  return type == JointType::kUniversal ? kUniversal : kOther;
}

}  // namespace sarrus::io
