#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "sarrus/model/joint.h"
#include "unit/spatial/random.h"

/// All joint types, each with random frames and coordinates, for laws that every joint obeys.
namespace sarrus::tests {

inline const std::vector<JointType>& all_joint_types() {
  static const std::vector<JointType> types = {
      JointType::kRevolute,    JointType::kPrismatic, JointType::kHelical,
      JointType::kCylindrical, JointType::kUniversal, JointType::kSpherical,
      JointType::kPlanar,      JointType::kFree,      JointType::kFixed};
  return types;
}

inline JointKind kind_of(JointType type) {
  switch (type) {
    case JointType::kRevolute:
      return Revolute{};
    case JointType::kPrismatic:
      return Prismatic{};
    case JointType::kHelical:
      return Helical{.lead = 0.7};
    case JointType::kCylindrical:
      return Cylindrical{};
    case JointType::kUniversal:
      return Universal{};
    case JointType::kSpherical:
      return Spherical{};
    case JointType::kPlanar:
      return Planar{};
    case JointType::kFree:
      return Free{};
    case JointType::kFixed:
      break;
  }
  return Fixed{};
}

inline Joint make_joint(JointType type, Random& random) {
  Joint joint;
  joint.name = std::string(name_of(type));
  joint.kind = kind_of(type);
  joint.X_AF = random.pose();
  joint.X_BM = random.pose();
  return joint;
}

/// Does q hold a quaternion (with the speeds' first three an angular velocity)?
inline bool has_quaternion(JointType type) {
  return type == JointType::kSpherical || type == JointType::kFree;
}

/// Coordinates as users see them: rotation vectors shorter than π, other numbers up to 1.4 (so that
/// the universal joint stays clear of its singular position).
inline std::vector<double> random_coordinates(JointType type, Random& random) {
  std::vector<double> values(joint_coordinate_names(type).size());
  for (double& value : values) value = random.uniform(-1.4, 1.4);
  return values;
}

}  // namespace sarrus::tests
