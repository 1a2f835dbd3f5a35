#pragma once

#include <vector>

#include "sarrus/model/model.h"

/// Newton's and Euler's terms in plain formulas, for the laws.
namespace sarrus::testing {

/// What acts on a body: a force at a point of the world, and a torque.
struct Wrench {
  BodyId on;
  Vec3 point, force, torque;
  const NodeAttachment* attachment =
      nullptr;  ///< where on a flexible body it acts; null: at its frame
};

/// Gravity and applied loads: they come from outside and have no partner.
std::vector<Wrench> outer_wrenches(const Model& model, const Motion& motion);

/// Point springs, and reactions of joints: action and reaction, two entries each.
std::vector<Wrench> spring_wrenches(const Model& model, const Motion& motion);
std::vector<Wrench> reaction_wrenches(const Model& model, const Motion& motion);

/// m a_c and J ω̇ + ω×J ω, and where: at the mass centre. Of a flexible body: the same of its points.
struct MomentumRate {
  Vec3 center, force, torque;
  double length = 0;  ///< radius of gyration about the frame's origin, roughly [m]
  double force_size = 0, torque_size = 0;  ///< of a flexible body: of the terms, which may cancel
};

MomentumRate momentum_rate(const Model& model, const Motion& motion, BodyId body);

/// Velocity of the point of a body's frame that is at this place now.
Vec3 velocity_of_point(const Motion& motion, BodyId body, const Vec3& point);

/// Where a joint's second frame has its origin.
Vec3 origin_of_M(const Joint& joint, const Configuration& configuration);

/// What acts on the modes of a flexible body: inertia, strain, damping, stiffening by spin, weight and
/// the given wrenches at its nodes. Zero in sum.
struct ModalBalance {
  VecX sum, size;
};
ModalBalance modal_balance(const Model& model, const Motion& motion, BodyId body,
                           const std::vector<std::vector<Wrench>>& wrenches);

}  // namespace sarrus::testing
