// The classical redundant and singular linkages that random joints would never hit upon.

#include <algorithm>

#include "sarrus/spatial/rotation.h"
#include "sarrus/testing/mechanism_grower.h"

namespace sarrus::testing {

void MechanismGrower::add_part(int base) {
  in_part_ = true;
  const int choice = random_.below(3);
  if (choice == 0 && left() >= 5)
    add_sarrus_linkage(base);
  else if (choice == 1 && left() >= 4)
    add_parallelogram(base);
  else
    add_planar_loop(base);
  in_part_ = false;
}

void MechanismGrower::add_hinged_loop(int base, const Transform& X_WP,
                                      const std::vector<Vec3>& pivots, int slider) {
  const double freedom = static_cast<double>(pivots.size()) - 3;
  int previous = base;
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    const bool last = i + 1 == pivots.size();
    const int next =
        last ? base : add_body(X_WP * (0.5 * (pivots[i] + pivots[i + 1])).eval(), previous);
    Transform at = X_WP;
    at.p = X_WP * pivots[i];
    JointType type = JointType::kRevolute;
    if (static_cast<int>(i) == slider) {
      // Slides along some direction in the plane.
      type = JointType::kPrismatic;
      const double angle = random_.uniform(0, 3);
      const Vec3 direction = X_WP.q * Vec3(std::cos(angle), std::sin(angle), 0);
      at.q = Quat(frame_with_z(direction, X_WP.q * Vec3::UnitZ()));
    }
    const std::size_t joint = add_joint(type, previous, next, at);
    freedoms_left_[joint] = freedom / static_cast<double>(pivots.size());
    if (!last) parent_joint_[static_cast<std::size_t>(next)] = joint;
    previous = next;
  }
}

// All axes parallel: a planar loop in space has three redundant rows.
void MechanismGrower::add_planar_loop(int base) {
  const int pivots = 4 + random_.below(std::min(3, left() - 2));
  Transform X_WP;
  X_WP.q = random_.rotation();
  X_WP.p = place_of(base) + random_.vector(0.3);
  std::vector<Vec3> corners;
  for (int i = 0; i < pivots; ++i) {
    const double angle = (i + random_.uniform(-0.25, 0.25)) * 2 * std::numbers::pi / pivots;
    const double radius = random_.uniform(0.4, 0.9);
    const double out_of_plane = random_.uniform(-0.2, 0.2);  // along the hinge: changes nothing
    corners.emplace_back(radius * std::cos(angle), radius * std::sin(angle), out_of_plane);
  }
  const int slider = random_.chance(0.3) ? random_.below(pivots) : -1;
  add_hinged_loop(base, X_WP, corners, slider);
}

// A coupler on three parallel cranks of one length: redundant in its own plane as well.
void MechanismGrower::add_parallelogram(int base) {
  Transform X_WP;
  X_WP.q = random_.rotation();
  X_WP.p = place_of(base) + random_.vector(0.3);
  const Vec3 crank(random_.uniform(-0.3, 0.3), random_.uniform(0.5, 0.8), 0);
  const int coupler = add_body(X_WP * Vec3(0.6, crank.y(), 0), base);
  for (int i = 0; i < 3; ++i) {
    const Vec3 foot(0.5 * i + random_.uniform(-0.1, 0.1), random_.uniform(-0.1, 0.1), 0);
    const int link = add_body(X_WP * (foot + 0.5 * crank).eval(), base);
    Transform at = X_WP;
    at.p = X_WP * foot;
    const std::size_t lower = add_joint(JointType::kRevolute, base, link, at);
    at.p = X_WP * (foot + crank).eval();
    const std::size_t upper = add_joint(JointType::kRevolute, link, coupler, at);
    parent_joint_[static_cast<std::size_t>(link)] = lower;
    if (i == 0) {
      parent_[static_cast<std::size_t>(coupler)] = link;
      parent_joint_[static_cast<std::size_t>(coupler)] = upper;
    }
    freedoms_left_[lower] = freedoms_left_[upper] = 0.2;
  }
}

// Two hinged legs at right angles carry a plate straight up and down.
void MechanismGrower::add_sarrus_linkage(int base) {
  Transform X_WP;
  X_WP.q = random_.rotation();
  X_WP.p = place_of(base) + random_.vector(0.3);
  const double height = random_.uniform(0.5, 0.9);
  const int plate = add_body(X_WP * Vec3(0, 0, height), base);
  for (int i = 0; i < 2; ++i) {
    const Vec3 out = Vec3::Unit(i);
    const Vec3 axis = Vec3::Unit(1 - i);
    const double reach = random_.uniform(0.2, 0.4);
    const double knee = random_.uniform(0.3, 0.6);
    const double knee_height = random_.uniform(0.3, 0.7) * height;
    const Vec3 points[3] = {reach * out, (reach + knee) * out + knee_height * Vec3::UnitZ(),
                            reach * out + height * Vec3::UnitZ()};
    const int lower = add_body(X_WP * (0.5 * (points[0] + points[1])).eval(), base);
    const int upper = add_body(X_WP * (0.5 * (points[1] + points[2])).eval(), lower);
    const int chain[4] = {base, lower, upper, plate};
    for (int k = 0; k < 3; ++k) {
      Transform at;
      at.q = X_WP.q * Quat(frame_with_z(axis, out));
      at.p = X_WP * points[k];
      const std::size_t joint = add_joint(JointType::kRevolute, chain[k], chain[k + 1], at);
      freedoms_left_[joint] = 0.2;
      if (k < 2) parent_joint_[static_cast<std::size_t>(chain[k + 1])] = joint;
      if (k == 2 && i == 0) {
        parent_[static_cast<std::size_t>(plate)] = upper;
        parent_joint_[static_cast<std::size_t>(plate)] = joint;
      }
    }
  }
}

// A change point: two links out and two links back, so the loop can leave the line both ways.
void MechanismGrower::add_flat_four_bar(int base) {
  Transform X_WP;
  X_WP.q = random_.rotation();
  X_WP.p = place_of(base) + random_.vector(0.3);
  const double a = random_.uniform(0.3, 0.5);
  const double b = random_.uniform(0.6, 0.9);
  const double d = random_.chance(0.3) ? b : a + random_.uniform(0.25, 0.5);
  const Vec3 x = Vec3::UnitX();
  add_hinged_loop(base, X_WP, {Vec3::Zero(), a * x, (a + b) * x, d * x});
}

}  // namespace sarrus::testing
