#pragma once

#include <vector>

#include "sarrus/tree/tree.h"

namespace sarrus::tree {

/// Everything that follows from coordinates and speeds, per slot.
struct TreeMotion {
  Vec3 gravity = Vec3::Zero();
  std::vector<Transform> X_WB;
  std::vector<Vec3> r;        ///< from the parent's origin (ground's: the world's) to the body's
  std::vector<Vec6> V;        ///< [ω; v of the origin]
  std::vector<Mat6xUpTo6> S;  ///< motion of the body relative to its parent, per speed
  std::vector<Vec6> c;        ///< acceleration at v̇ = 0 beyond that of a point of the parent
};

/// [order-n-plain-kinematics]
void kinematics(const Tree& tree, const double* q, const double* v, TreeMotion& motion);

}  // namespace sarrus::tree
