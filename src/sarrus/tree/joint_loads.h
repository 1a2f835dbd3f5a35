#pragma once

#include <span>
#include <vector>

#include "sarrus/tree/tree.h"

namespace sarrus::tree {

/// Springs, friction, torques and motors of the tree's joints as forces along their speeds. Those of
/// cut joints are left to the closures.
///
/// Coordinates that are components of a rotation vector go through its map to the speeds; all
/// others are numbers of the state.  [order-n-joint-loads]
class JointLoads {
 public:
  explicit JointLoads(const Tree& tree);

  bool empty() const;

  /// Adds to `tau` (per speed); returns the power of what has no potential [W]. `near` are the
  /// joint coordinates at the last step, in the model's order.
  double add(double t, std::span<const double> q, std::span<const double> v,
             std::span<const double> near, std::span<double> tau) const;

 private:
  struct Spring {
    int q, v;
    double stiffness, rest;
  };
  struct Friction {
    int v;
    double viscous, coulomb, transition_speed;
  };
  struct Torque {
    int v;
    const TimeFunction* value;
  };
  struct Motor {
    int q, v;
    double stiffness, damping;
    TimeFunction::Step step;     ///< the target, where it is one, or constant
    const TimeFunction* target;  ///< null: the step
  };
  struct OnRotation {
    int slot, index;
    const JointSpring* spring;
    const sarrus::Motor* motor;
  };

  const Tree& tree_;
  std::vector<Spring> springs_;
  std::vector<Friction> frictions_;
  std::vector<Torque> torques_;
  std::vector<Motor> motors_;
  std::vector<OnRotation> on_rotations_;
};

/// Where coordinate `index`, which is not part of a rotation vector, stands in q: the quaternion of
/// a free joint has one number more than its speeds.
int place_in_q(const TreeBody& body, int index);

/// Coordinate k of a joint as a function of its speeds: value, and the row that gives its rate.
struct CoordinateRow {
  double value = 0;
  VecUpTo6 row;      ///< rate = row · v
  double gamma = 0;  ///< second rate = row · v̇ + gamma
};

/// [order-n-coordinate-row]
CoordinateRow coordinate_row(const Tree& tree, const TreeBody& body, int index, const double* q,
                             const double* v, std::span<const double> near);

}  // namespace sarrus::tree
