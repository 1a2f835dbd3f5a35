#include "sarrus/formulations/branches/general_joint.h"

#include <variant>

namespace sarrus::branches {

void describe(const tree::Tree& tree, const TreeBody& place, const tree::DrivenJoint* drive,
              const double* q, const double* v, GeneralJoint& to) {
  const JointKind& kind = tree.kind(place);
  const Transform X_FM = std::visit([&](const auto& k) { return k.X_FM(q + place.q); }, kind);
  Mat6xUpTo6 S;
  Vec6 bias;
  std::visit(
      [&](const auto& k) {
        k.S_M(q + place.q, S);
        bias = k.bias_M(q + place.q, v + place.v);
      },
      kind);
  Transform on_a, on_b;
  if (place.joint.valid()) {
    on_a = tree.model().joint(place.joint).X_CF();
    on_b = tree.model().joint(place.joint).X_CM();
  }
  const Transform X_PC =
      place.reversed ? on_b * X_FM.inverse() * on_a.inverse() : on_a * X_FM * on_b.inverse();
  // From M's origin and axes to the reference frame's. M stands on the parent when reversed.
  const Mat3 R = place.reversed ? Mat3(X_PC.R().transpose() * on_b.R()) : on_b.R();
  const Vec3 arm = place.reversed ? Vec3(X_PC.R().transpose() * (X_PC.p - on_b.p)) : Vec3(-on_b.p);
  const double sign = place.reversed ? -1 : 1;
  for (Eigen::Index k = 0; k < S.cols(); ++k)
    S.col(k) = sign * shift_motion(rotated(R, S.col(k)), arm);
  const Vec6 V = S * Eigen::Map<const VecX>(v + place.v, place.nv);
  Vec6 given = sign * shift_motion(rotated(R, bias), arm);
  if (drive != nullptr) {
    given += S * drive->given;
    S = (S * drive->N).eval();
  }
  to.R = turn(X_PC.R());
  to.p = three(X_PC.p);
  to.V = six(V);
  to.given = six(given);
  for (Eigen::Index k = 0; k < S.cols(); ++k) to.S[k] = six(S.col(k));
}

}  // namespace sarrus::branches
