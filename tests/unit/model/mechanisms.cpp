#include "unit/model/mechanisms.h"

#include <utility>

namespace sarrus::tests {

BodyDescription brick(std::string name, const Vec3& center) {
  BodyDescription body;
  body.name = std::move(name);
  body.mass = 2;
  body.inertia = Vec3(0.02, 0.03, 0.04).asDiagonal();
  body.pose.p = center;
  return body;
}

BodyDescription rod(std::string name, const Vec3& from, const Vec3& to, double mass) {
  BodyDescription body;
  body.name = std::move(name);
  body.mass = mass;
  const double across = mass * (to - from).squaredNorm() / 12;
  body.inertia = Vec3(0.01 * across, across, across).asDiagonal();
  body.pose = {least_turn(Vec3::UnitX(), to - from), 0.5 * (from + to)};
  return body;
}

JointDescription joint(std::string name, JointType type, std::string body_a, std::string body_b,
                       const Vec3& at, const Vec3& axis) {
  JointDescription description;
  description.name = std::move(name);
  description.type = type;
  description.body_a = std::move(body_a);
  description.body_b = std::move(body_b);
  description.at = {least_turn(Vec3::UnitZ(), axis), at};
  return description;
}

Description ring(const std::vector<Vec3>& points, const std::vector<Vec3>& axes,
                 const std::vector<JointType>& types) {
  Description d;
  const std::size_t n = points.size();
  const auto link = [n](std::size_t i) {
    return i == 0 || i == n ? std::string("ground") : "link" + std::to_string(i);
  };
  for (std::size_t i = 1; i < n; ++i) d.add_body(rod(link(i), points[i - 1], points[i]));
  for (std::size_t i = 0; i < n; ++i)
    d.add_joint(joint("J" + std::to_string(i + 1), types.empty() ? JointType::kRevolute : types[i],
                      link(i), link(i + 1), points[i], axes[i]));
  return d;
}

std::vector<Vec3> same(std::size_t count, const Vec3& axis) {
  return std::vector<Vec3>(count, axis);
}

Description four_bar(const std::vector<JointType>& types) {
  const Vec3 crank_pin(0, 0, 1);
  const Vec3 pivot(2.5, 0, 0);
  // The rocker's pin: 3 from the crank's pin and 2.5 from the pivot, above the line between them.
  const Vec3 between = pivot - crank_pin;
  const double distance = between.norm();
  const double along = (9 - 6.25 + distance * distance) / (2 * distance);
  const Vec3 up = Vec3(1, 0, 2.5).normalized();
  const Vec3 rocker_pin =
      crank_pin + along / distance * between + std::sqrt(9 - along * along) * up;
  return ring({Vec3::Zero(), crank_pin, rocker_pin, pivot}, same(4, Vec3::UnitY()), types);
}

Description seven_bar() {
  return ring({{0, 0, 0},
               {0.2, 0.1, 1},
               {1.1, 0.4, 1.3},
               {1.9, 1.2, 1.1},
               {2.1, 1.6, 0.2},
               {1.5, 1.4, -0.6},
               {0.8, 0.5, -0.3}},
              {{1, 0.2, 0.1},
               {-0.3, 1, 0.2},
               {0.1, 0.3, 1},
               {0.9, -0.4, 0.2},
               {0.1, 1, -0.5},
               {-0.2, 0.4, 0.8},
               {0.7, 0.6, 0.1}});
}

}  // namespace sarrus::tests
