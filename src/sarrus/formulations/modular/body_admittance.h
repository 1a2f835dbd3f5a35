#pragma once

#include "sarrus/spatial/dense.h"
#include "sarrus/spatial/inertia.h"
#include "sarrus/spatial/rotation.h"

namespace sarrus::modular {

/// M⁻¹ of a rigid body about its frame's origin, in its own axes: with c the mass centre,
/// [[I⁻¹, −I⁻¹[c]], [[c]I⁻¹, 1/m − [c]I⁻¹[c]]].  [modular-admittance]
struct BodyAdmittance {
  Mat3 turning = Mat3::Zero();   ///< ω̇ per torque
  Mat3 coupling = Mat3::Zero();  ///< ω̇ per force
  Mat3 moving = Mat3::Zero();    ///< v̇ per force
  bool exists = false;           ///< false: no inertia against some motion

  explicit BodyAdmittance(const Inertia& inertia) {
    const Cholesky<Mat3> factor(inertia.central);
    exists = inertia.mass > 0 && factor.ok() && factor.pivots().minCoeff() > 0;
    if (!exists) return;
    const Mat3 c = skew(inertia.center);
    turning = factor.solve(Mat3::Identity());
    turning = 0.5 * (turning + turning.transpose()).eval();
    coupling = -turning * c;
    moving = Mat3::Identity() / inertia.mass + c * coupling;
    moving = 0.5 * (moving + moving.transpose()).eval();
  }

  /// In the axes that R maps to.
  void turned(const Mat3& R, Mat6& W) const {
    const Mat3 corner = R * coupling * R.transpose();
    W.topLeftCorner<3, 3>().noalias() = R * turning * R.transpose();
    W.topRightCorner<3, 3>() = corner;
    W.bottomLeftCorner<3, 3>() = corner.transpose();
    W.bottomRightCorner<3, 3>().noalias() = R * moving * R.transpose();
  }
};

}  // namespace sarrus::modular
