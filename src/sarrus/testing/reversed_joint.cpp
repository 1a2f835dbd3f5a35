#include <algorithm>

#include "sarrus/model/joint.h"
#include "sarrus/spatial/rotation.h"
#include "sarrus/testing/random_forces.h"
#include "sarrus/testing/same_mechanism.h"

namespace sarrus::testing {
namespace {

/// Has every coordinate of this type a coordinate that is its negative when the bodies are swapped?
/// A planar joint's x and y are measured along the first body's axes, so they have not; its angle
/// has. Rotation vectors have, the speeds that go with them (in the second body's axes) have not.
bool has_mirror(JointType type, const std::string& coordinate, bool as_speed) {
  switch (type) {
    case JointType::kPlanar:
      return coordinate == "angle";
    case JointType::kSpherical:
      return !as_speed;
    case JointType::kFree:
      return !as_speed && coordinate.starts_with("r");
    default:
      return true;
  }
}

/// A universal joint's first axis belongs to the first body: the two change places.
std::string mirrored_name(JointType type, const std::string& coordinate) {
  if (type != JointType::kUniversal) return coordinate;
  return coordinate == "angle1" ? "angle2" : "angle1";
}

class Reverser {
 public:
  explicit Reverser(const JointDescription& joint) : joint_(joint) {
    if (joint.type == JointType::kFixed || joint_coordinate_names(joint.type).size() != 1) return;
    only_ = joint_coordinate_names(joint.type).front();
  }

  bool can(const ForceDescription& force) const {
    return std::visit([this](const auto& what) { return can(what); }, force.what);
  }

  void mirror(ForceDescription& force) const {
    std::visit([this](auto& what) { mirror(what); }, force.what);
  }

  bool can_mirror_holds() const {
    for (const auto& [name, value] : joint_.start)
      if (!has_mirror(joint_.type, name, false)) return false;
    for (const auto& [name, value] : joint_.speed)
      if (!has_mirror(joint_.type, name, true)) return false;
    return true;
  }

  JointDescription reversed() const {
    JointDescription result = joint_;
    std::swap(result.body_a, result.body_b);
    std::swap(result.node_a, result.node_b);
    result.start = mirrored(joint_.start);
    result.speed = mirrored(joint_.speed);
    // C carries a universal joint's x axis to y and back; other joints keep their axes.
    Quat C = Quat::Identity();
    if (joint_.type == JointType::kUniversal)
      C = Quat((Mat3() << 0, 1, 0, 1, 0, 0, 0, 0, -1).finished());
    if (joint_.frame_a) {
      result.frame_a = *joint_.frame_b * Transform{C, Vec3::Zero()};
      result.frame_b = *joint_.frame_a * Transform{C, Vec3::Zero()};
      return result;
    }
    // F becomes the frame on the second body: that is where the joint now stands.
    const Transform X_FM = at_reference();
    result.at = joint_.at * X_FM.inverse() * Transform{C, Vec3::Zero()};
    result.reference = mirrored(joint_.reference);
    const bool mixes = joint_.type == JointType::kPlanar || joint_.type == JointType::kFree;
    const Transform X_MF = X_FM.inverse();
    if (mixes && !joint_.reference.empty()) {
      result.reference["x"] = X_MF.p.x();
      result.reference["y"] = X_MF.p.y();
      if (joint_.type == JointType::kFree) result.reference["z"] = X_MF.p.z();
    }
    return result;
  }

 private:
  CoordinateValues mirrored(const CoordinateValues& values) const {
    CoordinateValues result;
    for (const auto& [name, value] : values) result[mirrored_name(joint_.type, name)] = -value;
    return result;
  }

  Transform at_reference() const {
    double q[6] = {};
    const auto& names = joint_coordinate_names(joint_.type);
    for (std::size_t k = 0; k < names.size(); ++k)
      if (const auto found = joint_.reference.find(names[k]); found != joint_.reference.end())
        q[k] = found->second;
    switch (joint_.type) {
      case JointType::kRevolute:
        return transform_from_coordinates(Revolute{}, q);
      case JointType::kPrismatic:
        return transform_from_coordinates(Prismatic{}, q);
      case JointType::kHelical:
        return transform_from_coordinates(Helical{joint_.lead}, q);
      case JointType::kCylindrical:
        return transform_from_coordinates(Cylindrical{}, q);
      case JointType::kUniversal:
        return transform_from_coordinates(Universal{}, q);
      case JointType::kSpherical:
        return transform_from_coordinates(Spherical{}, q);
      case JointType::kPlanar:
        return transform_from_coordinates(Planar{}, q);
      case JointType::kFree:
        return transform_from_coordinates(Free{}, q);
      case JointType::kFixed:
        break;
    }
    return {};
  }

  const std::string& name_of(const std::string& coordinate) const {
    return coordinate.empty() ? only_ : coordinate;
  }

  template <class Force>
  bool can(const Force& force) const {
    if constexpr (requires { force.joint; }) {
      constexpr bool kAsSpeed = std::is_same_v<Force, JointFrictionDescription> ||
                                std::is_same_v<Force, JointTorqueDescription>;
      return force.joint != joint_.name ||
             has_mirror(joint_.type, name_of(force.coordinate), kAsSpeed);
    } else {
      return true;
    }
  }

  template <class Force>
  void mirror(Force& force) const {
    if constexpr (requires { force.joint; }) {
      if (force.joint != joint_.name) return;
      force.coordinate = mirrored_name(joint_.type, name_of(force.coordinate));
      if constexpr (requires { force.rest; }) force.rest = -force.rest;
      if constexpr (requires { force.value; }) force.value = scaled(force.value, -1);
      if constexpr (requires { force.target; }) force.target = scaled(force.target, -1);
    }
  }

  const JointDescription joint_;
  std::string only_;
};

}  // namespace

Description reversed(const Description& description, std::string_view name) {
  const auto found =
      std::find_if(description.joints.begin(), description.joints.end(),
                   [&](const JointDescription& joint) { return joint.name == name; });
  if (found == description.joints.end()) return description;
  const Reverser reverser(*found);
  if (!reverser.can_mirror_holds()) return description;
  for (const ForceDescription& force : description.forces)
    if (!reverser.can(force)) return description;
  Description result = description;
  result.joints[static_cast<std::size_t>(found - description.joints.begin())] = reverser.reversed();
  for (ForceDescription& force : result.forces) reverser.mirror(force);
  return result;
}

}  // namespace sarrus::testing
