#pragma once

// What one joint does, in the frame E before it. Revolute joints have a path of their own in every
// traversal; this serves all the others, one lane at a time.

#include "sarrus/model/joint_type.h"
#include "sarrus/simd/algebra.h"
#include "sarrus/tree/joint_constants.h"

namespace sarrus::tree::SARRUS_INSTRUCTIONS {

using namespace lanes::SARRUS_INSTRUCTIONS;

/// The frame C after the joint in E: turn, place, velocity [w; v] and its rate at v̇ = 0, and the
/// motion S of C's origin for each speed.  [order-n-joint]
struct JointMotion {
  Q4<double> g{1, 0, 0, 0};
  V3<double> p{0, 0, 0};
  V6<double> V{{0, 0, 0}, {0, 0, 0}};
  V6<double> bias{{0, 0, 0}, {0, 0, 0}};
  V6<double> S[6];
};

SARRUS_INLINE void set_columns(JointMotion& m, int first, const M3<double>& R, bool turning) {
  const V3<double> zero{0, 0, 0};
  const V3<double> axes[3] = {{R.xx, R.yx, R.zx}, {R.xy, R.yy, R.zy}, {R.xz, R.yz, R.zz}};
  for (int k = 0; k < 3; ++k)
    m.S[first + k] = turning ? V6<double>{axes[k], zero} : V6<double>{zero, axes[k]};
}

/// The frames change places: the motion of F in M from that of M in F.  [order-n-reversed]
inline void reverse(JointMotion& m, int speeds) {
  const M3<double> R = matrix_of(m.g);
  const V3<double>&w = m.V.ang, &v = m.V.lin;
  const V3<double> zero{0, 0, 0};
  for (int k = 0; k < speeds; ++k) {
    const V6<double> S = m.S[k];
    m.S[k] = {transposed_times(R, zero - S.ang), transposed_times(R, cross(S.ang, m.p) - S.lin)};
  }
  const V3<double> wp = cross(w, m.p);
  const V3<double> lin = cross(w, v) * 2.0 - cross(w, wp) + cross(m.bias.ang, m.p) - m.bias.lin;
  m.bias = {transposed_times(R, zero - m.bias.ang), transposed_times(R, lin)};
  m.V = {transposed_times(R, zero - w), transposed_times(R, wp - v)};
  m.p = transposed_times(R, zero - m.p);
  m.g = {m.g.w, -m.g.x, -m.g.y, -m.g.z};
}

inline void joint_motion(const JointConstants& joint, const double* q, const double* v,
                         JointMotion& m) {
  const V3<double> zero{0, 0, 0};
  const V3<double> ex{1, 0, 0}, ey{0, 1, 0}, ez{0, 0, 1};
  const auto quaternion = [](const double* x) {
    const double s = 1 / std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    return Q4<double>{s * x[0], s * x[1], s * x[2], s * x[3]};
  };
  const auto turn = [](double angle, double& s, double& c) {
    s = std::sin(0.5 * angle);
    c = std::cos(0.5 * angle);
  };
  double s, c;
  switch (static_cast<JointType>(joint.kind)) {
    case JointType::kRevolute:
      turn(q[0], s, c);
      m.g = {c, 0, 0, s};
      m.S[0] = {ez, zero};
      break;
    case JointType::kPrismatic:
      m.p = {0, 0, q[0]};
      m.S[0] = {zero, ez};
      break;
    case JointType::kHelical:
      turn(q[0], s, c);
      m.g = {c, 0, 0, s};
      m.p = {0, 0, joint.advance * q[0]};
      m.S[0] = {ez, {0, 0, joint.advance}};
      break;
    case JointType::kCylindrical:
      turn(q[0], s, c);
      m.g = {c, 0, 0, s};
      m.p = {0, 0, q[1]};
      m.S[0] = {ez, zero};
      m.S[1] = {zero, ez};
      break;
    case JointType::kUniversal: {
      double s2, c2;
      turn(q[0], s, c);
      turn(q[1], s2, c2);
      m.g = {c * c2, s * c2, c * s2, s * s2};
      m.S[0] = {ex, zero};
      m.S[1] = {{0, c * c - s * s, 2 * s * c}, zero};  // y turned about x by the first angle
      m.bias.ang = cross(ex, m.S[1].ang) * (v[0] * v[1]);
      break;
    }
    case JointType::kSpherical:
      m.g = quaternion(q);
      set_columns(m, 0, matrix_of(m.g), true);
      break;
    case JointType::kPlanar:
      turn(q[2], s, c);
      m.g = {c, 0, 0, s};
      m.p = {q[0], q[1], 0};
      m.S[0] = {zero, ex};
      m.S[1] = {zero, ey};
      m.S[2] = {ez, zero};
      break;
    case JointType::kFree:
      m.g = quaternion(q);
      m.p = {q[4], q[5], q[6]};
      set_columns(m, 0, matrix_of(m.g), true);
      set_columns(m, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}, false);
      break;
    case JointType::kFixed:
      break;
  }
  for (int k = 0; k < joint.speeds; ++k) m.V = add_scaled(m.V, m.S[k], v[k]);
  if (joint.reversed) reverse(m, joint.speeds);
}

/// Prescribed speeds leave fewer unknowns; their accelerations belong to the bias. [order-n-drive]
inline void apply_drive(const JointConstants& joint, const Drive& drive, JointMotion& m) {
  V6<double> S[6];
  for (int j = 0; j < joint.columns; ++j) {
    S[j] = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < joint.speeds; ++k) S[j] = add_scaled(S[j], m.S[k], drive.N[6 * j + k]);
  }
  for (int k = 0; k < joint.speeds; ++k) m.bias = add_scaled(m.bias, m.S[k], drive.given[k]);
  for (int j = 0; j < joint.columns; ++j) m.S[j] = S[j];
}

/// The same for kWidth lanes, in the parent's joint frame; columns go where the caller wants them.
template <int kWidth>
struct LocalMotion {
  double g[4][kWidth];
  double r[3][kWidth];
  double w[3][kWidth];
  double v[3][kWidth];
  double bias_ang[3][kWidth];
  double bias_lin[3][kWidth];
};

template <int kWidth>
SARRUS_INLINE void put(double (*to)[kWidth], int lane, const V3<double>& v) {
  to[0][lane] = v.x;
  to[1][lane] = v.y;
  to[2][lane] = v.z;
}

/// The two most frequent kinds, shorter: revolute about z, and a ball, whose columns are the axes of
/// the frame behind it.
template <int kWidth>
SARRUS_INLINE void fill_simple_lane(const JointConstants& joint, const double* q, const double* v,
                                    int lane, LocalMotion<kWidth>& to, V6<double>* S) {
  const Q4<double> q_PE{joint.q_PE[0], joint.q_PE[1], joint.q_PE[2], joint.q_PE[3]};
  const bool is_ball = joint.kind == static_cast<int>(JointType::kSpherical);
  const V3<double> zero{0, 0, 0};
  Q4<double> g;
  V3<double> w;
  if (is_ball) {
    const double s = 1 / std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    g = q_PE * Q4<double>{s * q[0], s * q[1], s * q[2], s * q[3]};
    const M3<double> R = matrix_of(g);
    S[0] = {{R.xx, R.yx, R.zx}, zero};
    S[1] = {{R.xy, R.yy, R.zy}, zero};
    S[2] = {{R.xz, R.yz, R.zz}, zero};
    w = R * V3<double>{v[0], v[1], v[2]};
  } else {
    double s, c;
    sine_cosine_small(0.5 * q[0], s, c);
    g = turned_about_z(q_PE, s, c);
    S[0] = {{joint.R_PE[2], joint.R_PE[5], joint.R_PE[8]}, zero};
    w = S[0].ang * v[0];
  }
  to.g[0][lane] = g.w;
  to.g[1][lane] = g.x;
  to.g[2][lane] = g.y;
  to.g[3][lane] = g.z;
  put(to.r, lane, V3<double>{joint.r_PE[0], joint.r_PE[1], joint.r_PE[2]});
  put(to.w, lane, w);
  put(to.v, lane, zero);
  put(to.bias_ang, lane, zero);
  put(to.bias_lin, lane, zero);
}

template <int kWidth>
inline void fill_lane(const JointConstants& joint, const double* q, const double* v, bool turns,
                      const Drive* drives, int lane, LocalMotion<kWidth>& to, V6<double>* S) {
  if (joint.simple && !turns) return fill_simple_lane(joint, q, v, lane, to, S);
  JointMotion m;
  joint_motion(joint, q, v, m);
  if (joint.drive >= 0) apply_drive(joint, drives[joint.drive], m);
  const double* R_ = joint.R_PE;
  const M3<double> R{R_[0], R_[1], R_[2], R_[3], R_[4], R_[5], R_[6], R_[7], R_[8]};
  const Q4<double> q_PE{joint.q_PE[0], joint.q_PE[1], joint.q_PE[2], joint.q_PE[3]};
  const Q4<double> g = q_PE * m.g;
  to.g[0][lane] = g.w;
  to.g[1][lane] = g.x;
  to.g[2][lane] = g.y;
  to.g[3][lane] = g.z;
  put(to.r, lane, V3<double>{joint.r_PE[0], joint.r_PE[1], joint.r_PE[2]} + R * m.p);
  put(to.w, lane, R * m.V.ang);
  put(to.v, lane, R * m.V.lin);
  put(to.bias_ang, lane, R * m.bias.ang);
  put(to.bias_lin, lane, R * m.bias.lin);
  for (int j = 0; j < joint.columns; ++j) S[j] = {R * m.S[j].ang, R * m.S[j].lin};
}

}  // namespace sarrus::tree::SARRUS_INSTRUCTIONS
