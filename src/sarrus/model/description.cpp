#include "sarrus/model/description.h"

#include <algorithm>

namespace sarrus {

Description& Description::add_body(BodyDescription body) {
  bodies.push_back(std::move(body));
  return *this;
}

Description& Description::add_joint(JointDescription joint) {
  joints.push_back(std::move(joint));
  return *this;
}

Description& Description::add_force(std::string force_name, ForceVariant what) {
  forces.push_back({.name = std::move(force_name), .what = std::move(what), .source = {}});
  return *this;
}

const std::vector<std::string>& joint_type_names() {
  // In the order of JointType.
  static const std::vector<std::string> names = {"revolute",    "prismatic", "helical",
                                                 "cylindrical", "universal", "spherical",
                                                 "planar",      "free",      "fixed"};
  return names;
}

std::string_view name_of(JointType type) {
  return joint_type_names()[static_cast<std::size_t>(type)];
}

std::optional<JointType> joint_type(std::string_view name) {
  const auto& names = joint_type_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<JointType>(found - names.begin());
}

const std::vector<std::string>& joint_coordinate_names(JointType type) {
  static const std::vector<std::vector<std::string>> names = {
      {"angle"},
      {"slide"},
      {"angle"},
      {"angle", "slide"},
      {"angle1", "angle2"},
      {"rx", "ry", "rz"},
      {"x", "y", "angle"},
      {"rx", "ry", "rz", "x", "y", "z"},
      {},
  };
  return names[static_cast<std::size_t>(type)];
}

}  // namespace sarrus
