#pragma once

#include "sarrus/model/model.h"

namespace sarrus::testing {

/// What the springs, friction, torques and motors on a joint do to its speeds, in plain formulas.
struct JointLaw {
  Vec3 M;        ///< origin of the joint's second frame, world
  Mat6xUpTo6 S;  ///< motions of M against F that the joint allows, at M, world axes
  MatX map;      ///< coordinate rates = map · speeds
  VecX force;    ///< generalised force on each speed
  VecX size;     ///< sum of the absolute terms in it
  MatX allowed;  ///< speeds that no prescribed motion rules, orthonormal columns
};

JointLaw joint_law(const Model& model, const Motion& motion, JointId joint);

}  // namespace sarrus::testing
