#include "sarrus/tree/tree_motion.h"

#include "sarrus/spatial/vectors.h"

namespace sarrus::tree {

void kinematics(const Tree& tree, const double* q, const double* v, TreeMotion& m) {
  const std::size_t count = tree.bodies().size();
  m.gravity = tree.model().gravity();
  m.X_WB.resize(count);
  m.r.resize(count);
  m.V.resize(count);
  m.S.resize(count);
  m.c.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const TreeBody& body = tree.bodies()[i];
    const JointKind& kind = tree.kind(body);
    const bool grounded = body.parent < 0;
    const Transform X_WP = grounded ? Transform{} : m.X_WB[to_index(body.parent)];
    const Vec6 V_P = grounded ? Vec6::Zero().eval() : m.V[to_index(body.parent)];
    const double* q_J = q + body.q;
    const double* v_J = v + body.v;

    const Transform X_PE = tree.frame_on_parent(body);
    const Transform X_BC = tree.frame_on_body(body);
    const Transform X_FM = std::visit([&](const auto& k) { return k.X_FM(q_J); }, kind);
    const Transform X_PB = X_PE * (body.reversed ? X_FM.inverse() : X_FM) * X_BC.inverse();
    m.X_WB[i] = X_WP * X_PB;
    m.r[i] = X_WP.q * X_PB.p;  // not a difference of places far from the origin

    // S is given at M's origin in M's axes; M stands on the parent when the joint is reversed.
    const Mat3 R_WM = body.reversed ? (X_WP.q * X_PE.q).toRotationMatrix()
                                    : (m.X_WB[i].q * X_BC.q).toRotationMatrix();
    const Vec3 to_origin =
        body.reversed ? Vec3(m.r[i] - X_WP.q * X_PE.p) : Vec3(-(m.X_WB[i].q * X_BC.p));
    const double sign = body.reversed ? -1 : 1;
    Mat6xUpTo6& S = m.S[i];
    Vec6 bias;
    std::visit(
        [&](const auto& k) {
          k.S_M(q_J, S);
          bias = k.bias_M(q_J, v_J);
        },
        kind);
    for (Eigen::Index k = 0; k < S.cols(); ++k)
      S.col(k) = sign * shift_motion(rotated(R_WM, S.col(k)), to_origin);
    const Vec6 V_J = S * Eigen::Map<const VecX>(v_J, body.nv);
    const Vec6 V_P_here = shift_motion(V_P, m.r[i]);
    m.V[i] = V_P_here + V_J;
    // [order-n-plain-kinematics]
    const Vec3 omega_P = V_P.head<3>(), w = V_J.head<3>(), u = V_J.tail<3>();
    m.c[i] = sign * shift_motion(rotated(R_WM, bias), to_origin) +
             spatial(omega_P.cross(w), omega_P.cross(omega_P.cross(m.r[i]) + 2 * u) + w.cross(u));
  }
}

}  // namespace sarrus::tree
