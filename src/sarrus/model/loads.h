#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sarrus/model/model.h"

namespace sarrus {

/// What forces and drives do to the bodies at one instant. Prescribed motions are constraints and
/// not in here.
struct Loads {
  std::vector<Vec6> body;  ///< [τ; f] on each body at its frame's origin, world axes, all loads
  std::vector<Vec6>
      joint;  ///< the part that passes through each joint: on body b, at the origin of
              ///< what carries the joint there
  std::vector<double> modes;  ///< on the modes of flexible bodies, stiffness and damping among them
  double supplied_power = 0;  ///< of everything that has no potential [W]
};

/// The joint's two frames in the world, as seen from what carries them.
JointView view_of(const Joint& joint, const Configuration& configuration);
/// The same as if nothing moved: γ is zero.
JointView view_at_rest(const Joint& joint, const Configuration& configuration);

/// Gravity, springs, friction, applied loads, torques and motors at a configuration whose
/// coordinates carry the turns. Sized on first use, no allocation after that.  [loads-through-rows]
void compute_loads(const Model& model, double t, const Configuration& configuration, Loads& loads);

/// The same, of the loads on joints only those on joints that are `wanted` (empty: all).
void compute_loads(const Model& model, double t, const Configuration& configuration,
                   std::span<const char> wanted, Loads& loads);

/// Does anything but weight act on bodies; on any of the `wanted` joints?
bool acts_on_bodies(const Model& model);
bool acts_on_joints(const Model& model, std::span<const char> wanted);

/// Adds only what springs, friction, torques and motors on some joints do. `wanted`: is a joint one of
/// them? Empty: all are.
void add_joint_loads(const Model& model, double t, const Configuration& configuration,
                     std::span<const char> wanted, Loads& loads);

/// Some of a model's forces, under the names that Model has for them.
class SomeForces {
 public:
  const std::vector<PointSpring>& point_springs() const { return point_springs_; }
  const std::vector<JointSpring>& joint_springs() const { return joint_springs_; }
  const std::vector<JointFriction>& joint_frictions() const { return joint_frictions_; }
  const std::vector<AppliedForce>& applied_forces() const { return applied_forces_; }
  const std::vector<AppliedTorque>& applied_torques() const { return applied_torques_; }
  const std::vector<JointTorque>& joint_torques() const { return joint_torques_; }
  const std::vector<Motor>& motors() const { return motors_; }
  const std::vector<SoftJoint>& soft_joints() const { return soft_joints_; }
  bool empty() const;

  /// Sorts all forces of a model: `set_of(a, b)` gives the set for one between two bodies; for a force
  /// on one body both are that.
  static void sort(const Model& model,
                   const std::function<SomeForces&(BodyId a, BodyId b)>& set_of);

 private:
  std::vector<PointSpring> point_springs_;
  std::vector<JointSpring> joint_springs_;
  std::vector<JointFriction> joint_frictions_;
  std::vector<AppliedForce> applied_forces_;
  std::vector<AppliedTorque> applied_torques_;
  std::vector<JointTorque> joint_torques_;
  std::vector<Motor> motors_;
  std::vector<SoftJoint> soft_joints_;
};

/// Adds what some forces do to `loads`, which has its size; weight is not among them.
void add_loads(const Model& model, const SomeForces& forces, double t,
               const Configuration& configuration, Loads& loads);

/// Puts a wrench at a carrier's origin on its body and the body's modes.
void add_on_carrier(BodyId body, const Attachment& attachment, const Configuration& configuration,
                    const Vec6& wrench, Loads& loads);

/// Gravitational, spring and strain energy [J].
double potential_energy(const Model& model, const Configuration& configuration);

/// ½ Σ Vᵀ M V, modes among the velocities [J].
double kinetic_energy(const Model& model, const Configuration& configuration);

/// M V̇ + gyroscopic = wrench: [ω×(J ω); m ω×(ω×c)] about the frame's origin, world axes.
Vec6 gyroscopic_wrench(const Inertia& inertia, const Mat3& R, const Vec3& angular_velocity);

/// Recomputes all joint coordinates from the poses; angles stay within half a turn of what they
/// were, so turns are counted.
void update_coordinates(const Model& model, Configuration& configuration);

/// The same of one joint.
void update_coordinates(const Joint& joint, Configuration& configuration);

}  // namespace sarrus
