#pragma once

#include <vector>

#include "sarrus/model/model.h"

namespace sarrus::testing {

/// A flexible body as a handful of points that have its kinetic energy, whatever its shapes.
///
/// With z = (1, x, φ_1 … φ_n) at a place of the body all integrals over its mass are entries of ∫ z zᵀ.
/// That matrix is Σ ± z_a z_aᵀ over as many z_a as it has rows, and the body moves as that many points
/// do, some of negative mass: particles, of which Newton's law is all one needs to know. Sections that
/// turn have an angular momentum besides, constant in body axes for unit rates.
class FlexiblePoints {
 public:
  explicit FlexiblePoints(const Body& body);

  /// Sums over the points, about the frame's origin, world axes.
  struct Sums {
    Vec3 first_moment = Vec3::Zero();
    double kinetic_energy = 0;
    Vec3 momentum = Vec3::Zero(), angular_momentum = Vec3::Zero();
    // Rates of momenta, with accelerations at hand; sizes are those of the terms in a sum.
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    double force_size = 0, torque_size = 0;
    VecX on_modes, size_on_modes;  ///< inertia against each mode
    double power = 0;              ///< rate of the kinetic energy
    double power_size = 0;
  };
  Sums sums(BodyId body, const Configuration& c) const;
  Sums sums(BodyId body, const Motion& motion) const;

 private:
  struct Point {
    double sign = 1;
    double weight = 0;  ///< √mass
    Vec3 place;         ///< times √mass, as all that follows
    Mat3X shape;
  };

  Sums sums(BodyId body, const Configuration& c, const Vec6& A,
            const double* eta_acceleration) const;

  int first_mode_;
  std::vector<Point> points_;
  Mat3X rotary_coupling_;
  MatX rotary_mass_;
};

/// Velocity of a place carried by a node, for unit rates of the body's modes: [ω; v] a column, v at
/// `point` in the world.
Mat6X carried_by_node(BodyId body, const NodeAttachment& attachment, const Configuration& c,
                      const Vec3& point);

}  // namespace sarrus::testing
