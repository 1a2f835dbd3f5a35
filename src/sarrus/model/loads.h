#pragma once

#include <span>
#include <vector>

#include "sarrus/model/model.h"

namespace sarrus {

/// What forces and drives do to the bodies at one instant. Prescribed motions are constraints and
/// not in here.
struct Loads {
  std::vector<Vec6> body;     ///< [τ; f] on each body at its frame's origin, world axes, all loads
  std::vector<Vec6> joint;    ///< the part that passes through each joint: on body b, at b's origin
  double supplied_power = 0;  ///< of everything that has no potential [W]
};

/// The joint's two frames in the world.
JointView view_of(const Joint& joint, const Configuration& configuration);

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

/// Gravitational and spring energy [J].
double potential_energy(const Model& model, const Configuration& configuration);

/// ½ Σ Vᵀ M V [J].
double kinetic_energy(const Model& model, const Configuration& configuration);

/// M V̇ + gyroscopic = wrench: [ω×(J ω); m ω×(ω×c)] about the frame's origin, world axes.
Vec6 gyroscopic_wrench(const Inertia& inertia, const Mat3& R, const Vec3& angular_velocity);

/// Recomputes all joint coordinates from the poses; angles stay within half a turn of what they
/// were, so turns are counted.
void update_coordinates(const Model& model, Configuration& configuration);

/// The same of one joint.
void update_coordinates(const Joint& joint, Configuration& configuration);

}  // namespace sarrus
