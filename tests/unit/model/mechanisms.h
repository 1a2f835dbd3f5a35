#pragma once

#include <string>
#include <vector>

#include "sarrus/model/model.h"
#include "sarrus/spatial/rotation.h"

/// Descriptions of the mechanisms that several tests look at.
namespace sarrus::tests {

BodyDescription brick(std::string name, const Vec3& center = Vec3::Zero());

/// A slender rod: frame in the middle, x along it.
BodyDescription rod(std::string name, const Vec3& from, const Vec3& to, double mass = 1);

JointDescription joint(std::string name, JointType type, std::string body_a, std::string body_b,
                       const Vec3& at = Vec3::Zero(), const Vec3& axis = Vec3::UnitZ());

/// A ring of rods `link1` … with joints `J1` … at the points; ground closes it. The last joint has
/// ground as its second body.
Description ring(const std::vector<Vec3>& points, const std::vector<Vec3>& axes,
                 const std::vector<JointType>& types = {});

std::vector<Vec3> same(std::size_t count, const Vec3& axis);

/// Crank 1, coupler 3, rocker 2.5, ground 2.5, in the x-z plane: the crank can turn all the way.
/// The crank stands upright.
Description four_bar(const std::vector<JointType>& types = {});

/// Seven revolute joints in a ring whose axes and points have nothing special.
Description seven_bar();

/// Turns and shifts every body by up to `size`, as a careless drawing would.
template <class RandomNumbers>
void disturb(Configuration& configuration, double size, RandomNumbers& random) {
  for (std::size_t i = 1; i < configuration.poses.size(); ++i) {
    Transform& pose = configuration.poses[i];
    pose.q = Quat(Eigen::AngleAxisd(random.uniform(-size, size), random.direction())) * pose.q;
    pose.p += random.vec3(size);
  }
}

}  // namespace sarrus::tests
