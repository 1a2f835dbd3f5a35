#pragma once

#include <Eigen/Cholesky>
#include <span>
#include <vector>

#include "sarrus/base/status.h"
#include "sarrus/formulations/order_n/tree.h"

/// The recursions as a textbook writes them: spatial vectors at each body's origin in world axes,
/// joints through their own maps. For reading, for output, and to hold the kernels to.
namespace sarrus::order_n {

using MatUpTo6 = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

/// What some speeds of a joint are prescribed to do: v̇ = given + N y, y being free.
struct PlainDrive {
  int slot = 0;
  MatUpTo6 N;
  VecUpTo6 given;
};

/// Everything that follows from coordinates and speeds, per slot.
struct PlainMotion {
  Vec3 gravity = Vec3::Zero();
  std::vector<Transform> X_WB;
  std::vector<Vec3> r;        ///< from the parent's origin (ground's: the world's) to the body's
  std::vector<Vec6> V;        ///< [ω; v of the origin]
  std::vector<Mat6xUpTo6> S;  ///< motion of the body relative to its parent, per speed
  std::vector<Vec6> c;        ///< acceleration at v̇ = 0 beyond that of a point of the parent
};

/// [order-n-plain-kinematics]
void kinematics(const Tree& tree, const double* q, const double* v, PlainMotion& motion);

/// A body with all that hangs on it: what the recursion knows before any load.
/// [order-n-articulated]
struct ArticulatedBody {
  Mat6xUpTo6 S;  ///< motion relative to the parent, per speed that is free
  Vec6 c;        ///< with what is prescribed
  const PlainDrive* drive = nullptr;
  Mat6xUpTo6 U;            ///< I S
  Eigen::LLT<MatUpTo6> D;  ///< Sᵀ U
  // What the parent feels; only of bodies that have one.
  MatUpTo6 UD;  ///< D⁻¹ Uᵀ
  Mat6 I_a;
};

/// The inward recursion of the inertias. `drives` are in the order of their slots and must outlive
/// the bodies.
void articulate(const Tree& tree, const PlainMotion& motion, std::span<const PlainDrive> drives,
                std::vector<ArticulatedBody>& bodies);

/// The rates of all speeds under loads as in forward_dynamics, and the accelerations [ω̇; v̇ of the
/// origin] of all bodies.
void accelerate(const Tree& tree, const PlainMotion& motion,
                std::span<const ArticulatedBody> bodies, std::span<const double> tau,
                std::span<const Vec6> external, std::span<double> v_rate, std::vector<Vec6>& A);

/// Forward dynamics: the rates of all speeds under joint forces `tau` (per speed) and wrenches
/// `external` on the bodies (per slot, at their origins) and gravity. `drives` are in
/// the order of their slots.  [order-n-plain]
/// Nonsense where a joint can move without inertia: see check_inertia.
void forward_dynamics(const Tree& tree, const PlainMotion& motion, std::span<const double> tau,
                      std::span<const Vec6> external, std::span<const PlainDrive> drives,
                      std::span<double> v_rate);

/// What Newton and Euler ask of the joints.
struct JointWrenches {
  std::vector<Vec6> acceleration;  ///< per slot: [ω̇; v̇ of the origin], classical
  std::vector<Vec6> wrench;  ///< per slot: through its joint on the body, at the body's origin
  std::vector<double> tau;   ///< per speed: the part that does work
};

/// Inverse dynamics by the Newton–Euler recursion.  [order-n-newton-euler]
void newton_euler(const Tree& tree, const PlainMotion& motion, std::span<const double> v_rate,
                  std::span<const Vec6> external, JointWrenches& wrenches);

/// A joint's reaction as in Motion, from the wrench through it on `body` at that body's origin.
Vec6 reaction(const Tree& tree, const TreeBody& body, const Vec6& wrench, const Configuration& c);

/// A pivot this far below the inertia it is a difference of is rounding of a zero.
inline constexpr double kNoInertia = 1e-14;

/// Is there inertia in every direction the joints can move, `least` of what it is a difference of?
Status check_inertia(const Tree& tree, const PlainMotion& motion,
                     std::span<const PlainDrive> drives, double least = kNoInertia);

}  // namespace sarrus::order_n
