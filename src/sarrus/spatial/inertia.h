#pragma once

#include <string>

#include "sarrus/spatial/types.h"

namespace sarrus {

/// Mass properties of a rigid body, in its own frame: mass [kg], mass centre [m], and the inertia
/// tensor about the mass centre [kg m²]. A point mass has a zero tensor.
struct Inertia {
  double mass = 0;
  Vec3 center = Vec3::Zero();
  Mat3 central = Mat3::Zero();

  /// Tensor about the frame's origin.  [inertia-steiner]
  Mat3 about_origin() const;

  /// 6×6 matrix with kinetic energy ½ Vᵀ M V, V = [ω; v] of the frame's origin, in the axes that
  /// R maps body components to.  [inertia-matrix]
  Mat6 matrix(const Mat3& R = Mat3::Identity()) const;

  /// The same body in frame A, where its own frame stands at (R_AB, p_AB).
  Inertia in_frame(const Mat3& R_AB, const Vec3& p_AB) const;

  /// Two bodies welded together.
  Inertia operator+(const Inertia& other) const;
};

/// Empty when a real body can have these properties (mass ≥ 0, tensor symmetric, positive
/// semidefinite, its principal moments obeying the triangle inequality); else what is wrong.
std::string inertia_defect(const Inertia& inertia);

}  // namespace sarrus
