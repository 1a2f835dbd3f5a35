#pragma once

// Where a body is and how it can move, from its joint's coordinates and its parent's motion.

#include "sarrus/formulations/coordinate_reduction/kernels/rows.h"
#include "sarrus/formulations/coordinate_reduction/kernels/system.h"
#include "sarrus/tree/joint_motion.h"

namespace sarrus::coordinate_reduction::SARRUS_INSTRUCTIONS {

SARRUS_INLINE M3<double> get_matrix(const double* R) {
  return {R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]};
}
SARRUS_INLINE void put_matrix(double* to, const M3<double>& R) {
  for_each_number(R, [&](int k, double number) { to[k] = number; });
}
SARRUS_INLINE M3<double> product(const M3<double>& A, const M3<double>& B) {
  const Real3 x = A * Real3{B.xx, B.yx, B.zx}, y = A * Real3{B.xy, B.yy, B.zy},
              z = A * Real3{B.xz, B.yz, B.zz};
  return {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}
SARRUS_INLINE Real3 column_of(const M3<double>& R, int k) {
  return k == 0   ? Real3{R.xx, R.yx, R.zx}
         : k == 1 ? Real3{R.xy, R.yy, R.zy}
                  : Real3{R.xz, R.yz, R.zz};
}
SARRUS_INLINE M3<double> from_columns(const Real3& x, const Real3& y, const Real3& z) {
  return {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

/// a_B = a_P + α_P × s + S v̇ + bias, at the mass centres.  [reduction-extend]
struct JointInWorld {
  V6<double> S[6];
  Real3 bias_ang, bias_lin;
  Real3 s;
};

/// The motion of the joint alone, in the world: turn, columns at C's origin, relative velocity.
struct Relative {
  M3<double> R;
  Real3 r;  ///< from the parent's C to this one's
  Real3 w, v, bias_ang, bias_lin;
};

SARRUS_INLINE Relative relative_motion(const tree::JointConstants& joint, const Inputs& in,
                                       const M3<double>& R_P, V6<double>* S) {
  const double* q = in.q + joint.q;
  const double* v = in.v + joint.v;
  const Real3 zero{0, 0, 0};
  const M3<double> A = product(R_P, get_matrix(joint.R_PE));
  Relative m{A, R_P * get3(joint.r_PE), zero, zero, zero, zero};
  if (joint.plain && !in.turns) {
    double s, c;
    sine_cosine_small(q[0], s, c);
    const Real3 x = column_of(A, 0), y = column_of(A, 1), z = column_of(A, 2);
    m.R = from_columns(add_scaled(x * c, y, s), add_scaled(y * c, x, -s), z);
    S[0] = {z, zero};
    m.w = z * v[0];
    return m;
  }
  if (joint.kind == static_cast<int>(JointType::kUniversal) && !joint.reversed && joint.drive < 0 &&
      !in.turns) {
    double s1, c1, s2, c2;
    sine_cosine_small(q[0], s1, c1);
    sine_cosine_small(q[1], s2, c2);
    const Real3 x = column_of(A, 0), y = column_of(A, 1), z = column_of(A, 2);
    const Real3 second = add_scaled(y * c1, z, s1), third = add_scaled(z * c1, y, -s1);
    m.R = from_columns(add_scaled(x * c2, third, -s2), second, add_scaled(x * s2, third, c2));
    S[0] = {x, zero};
    S[1] = {second, zero};
    m.w = add_scaled(x * v[0], second, v[1]);
    m.bias_ang = third * (v[0] * v[1]);
    return m;
  }
  articulated::SARRUS_INSTRUCTIONS::JointMotion local;
  articulated::SARRUS_INSTRUCTIONS::joint_motion(joint, q, v, local);
  if (joint.drive >= 0)
    articulated::SARRUS_INSTRUCTIONS::apply_drive(joint, in.drives[joint.drive], local);
  m.R = product(A, matrix_of(local.g));
  m.r = m.r + A * local.p;
  m.w = A * local.V.ang;
  m.v = A * local.V.lin;
  m.bias_ang = A * local.bias.ang;
  m.bias_lin = A * local.bias.lin;
  for (int k = 0; k < joint.columns; ++k) S[k] = {A * local.S[k].ang, A * local.S[k].lin};
  return m;
}

/// Places the body of a slot.
SARRUS_INLINE void place_body(const System& system, const Inputs& in, int slot, Scratch& scratch,
                              JointInWorld& to) {
  const tree::JointConstants& joint = system.joints[slot];
  const BodyConstants& body = system.bodies[slot];
  BodyMotion& motion = scratch.motions[slot];
  const int parent = system.parents[slot];
  const Real3 zero{0, 0, 0};
  M3<double> R_P{1, 0, 0, 0, 1, 0, 0, 0, 1};
  Real3 p_P = zero, c_P = zero, w_P = zero, v_P = zero;
  if (parent >= 0) {
    const BodyMotion& base = scratch.motions[parent];
    R_P = get_matrix(base.R);
    p_P = get3(base.p);
    c_P = get3(base.c);
    w_P = get3(base.w);
    v_P = get3(base.v);
  }
  const Relative m = relative_motion(joint, in, R_P, to.S);
  const Real3 c = m.R * get3(body.c);
  const Real3 arm = m.r - c_P;
  to.s = arm + c;
  const Real3 w = w_P + m.w;
  const Real3 swept = cross(w_P, arm), turned = cross(w, c);
  put_matrix(motion.R, m.R);
  put3(motion.p, p_P + to.s);
  put3(motion.c, c);
  put3(motion.w, w);
  put3(motion.v, v_P + swept + m.v + turned);
  for (int k = 0; k < joint.columns; ++k) {
    const double scale = system.scales[joint.column + k];
    to.S[k] = {to.S[k].ang * scale, add_cross(to.S[k].lin, to.S[k].ang, c) * scale};
  }
  if (in.level != Level::kAcceleration) {
    to.bias_ang = to.bias_lin = zero;
    return;
  }
  to.bias_ang = add_cross(m.bias_ang, w_P, m.w);
  Real3 lin = add_cross(m.bias_lin, w_P, swept + m.v + m.v);
  lin = add_cross(lin, to.bias_ang, c);
  to.bias_lin = add_cross(lin, w, turned);
}

/// The body's own inertia about its mass centre in world axes, and what it takes at zero
/// acceleration: gyroscopic moment less loads.
struct OwnInertia {
  S3<double> J;
  double m;
  Real3 n, f;
};

SARRUS_INLINE OwnInertia own_inertia(const System& system, const Inputs& in, int slot,
                                     const BodyMotion& motion) {
  const BodyConstants& body = system.bodies[slot];
  OwnInertia own;
  if (in.geometric) {
    const double J = system.length * system.length;
    return {{J, 0, 0, J, 0, J}, 1, {0, 0, 0}, {0, 0, 0}};
  }
  own.J = rotated(get_matrix(motion.R), load_s3<double>(body.J, 1));
  own.m = body.m;
  own.n = own.f = {0, 0, 0};
  if (in.level != Level::kAcceleration) return own;
  const Real3 w = get3(motion.w);
  own.n = cross(w, own.J * w);
  own.f = get3(system.gravity) * -body.m;
  if (in.wrenches == nullptr) return own;
  own.n = own.n - get3(in.wrenches + 6 * slot);
  own.f = own.f - get3(in.wrenches + 6 * slot + 3);
  return own;
}

}  // namespace sarrus::coordinate_reduction::SARRUS_INSTRUCTIONS
