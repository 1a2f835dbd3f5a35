#pragma once

#include <span>
#include <vector>

#include "sarrus/base/status.h"
#include "sarrus/base/thresholds.h"
#include "sarrus/spatial/dense.h"
#include "sarrus/tree/drives.h"
#include "sarrus/tree/tree_motion.h"

/// The recursions as a textbook writes them: spatial vectors at each body's origin in world axes,
/// joints through their own maps. For reading, for output, and to hold the kernels to.
namespace sarrus::articulated {

using namespace tree;

/// A body with all that hangs on it: what the recursion knows before any load.
/// [order-n-articulated]
struct ArticulatedBody {
  Mat6xUpTo6 S;  ///< motion relative to the parent, per speed that is free
  Vec6 c;        ///< with what is prescribed
  const DrivenJoint* drive = nullptr;
  Mat6xUpTo6 U;          ///< I S
  Cholesky<MatUpTo6> D;  ///< Sᵀ U
  // What the parent feels; only of bodies that have one.
  MatUpTo6 UD;  ///< D⁻¹ Uᵀ
  Mat6 I_a;
};

/// The inward recursion of the inertias. `drives` are in the order of their slots and must outlive
/// the bodies.
void articulate(const Tree& tree, const TreeMotion& motion, std::span<const DrivenJoint> drives,
                std::vector<ArticulatedBody>& bodies);

/// The rates of all speeds under loads as in forward_dynamics, and the accelerations [ω̇; v̇ of the
/// origin] of all bodies.
void accelerate(const Tree& tree, const TreeMotion& motion, std::span<const ArticulatedBody> bodies,
                std::span<const double> tau, std::span<const Vec6> external,
                std::span<double> v_rate, std::vector<Vec6>& A);

/// Forward dynamics: the rates of all speeds under joint forces `tau` (per speed) and wrenches
/// `external` on the bodies (per slot, at their origins) and gravity. `drives` are in
/// the order of their slots.  [order-n-plain]
/// Nonsense where a joint can move without inertia: see check_inertia.
void forward_dynamics(const Tree& tree, const TreeMotion& motion, std::span<const double> tau,
                      std::span<const Vec6> external, std::span<const DrivenJoint> drives,
                      std::span<double> v_rate);

/// What Newton and Euler ask of the joints.
struct JointWrenches {
  std::vector<Vec6> acceleration;  ///< per slot: [ω̇; v̇ of the origin], classical
  std::vector<Vec6> wrench;  ///< per slot: through its joint on the body, at the body's origin
  std::vector<double> tau;   ///< per speed: the part that does work
};

/// Inverse dynamics by the Newton–Euler recursion.  [order-n-newton-euler]
void newton_euler(const Tree& tree, const TreeMotion& motion, std::span<const double> v_rate,
                  std::span<const Vec6> external, JointWrenches& wrenches);

/// A joint's reaction as in Motion, from the wrench through it on `body` at that body's origin.
Vec6 reaction(const Tree& tree, const TreeBody& body, const Vec6& wrench, const Configuration& c);

/// Is there inertia in every direction the joints can move, `least` of what it is a difference of?
Status check_inertia(const Tree& tree, const TreeMotion& motion,
                     std::span<const DrivenJoint> drives, double least = thresholds::kNoInertia);

}  // namespace sarrus::articulated
