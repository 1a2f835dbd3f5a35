#pragma once

// Batches: eight states of one mechanism in the lanes, body after body.  [order-n-batch]

#include "sarrus/articulated/kernels/drive_power.h"
#include "sarrus/articulated/kernels/system.h"
#include "sarrus/tree/joint_motion.h"

namespace sarrus::articulated::SARRUS_INSTRUCTIONS {

using namespace tree::SARRUS_INSTRUCTIONS;
namespace batch {

using P = Pack8;
constexpr int kLanes = kWideLanes;

/// What a body finds below it.
struct Base {
  Q4<P> q;
  M3<P> R;
  V3<P> omega, alpha, acc, p, v;
};

SARRUS_INLINE Base ground_of(const BatchSystem& system) {
  Base base{};
  base.q.w = base.R.xx = base.R.yy = base.R.zz = splat<P>(1.0);
  base.acc = V3<P>{} - splat3<P>(system.gravity);
  return base;
}

SARRUS_INLINE Base base_of(const Record<kLanes>& on) {
  const Q4<P> q{load<P>(on.q[0]), load<P>(on.q[1]), load<P>(on.q[2]), load<P>(on.q[3])};
  return {q,
          matrix_of(q),
          load3<P>(on.omega[0], kLanes),
          load3<P>(on.alpha[0], kLanes),
          load3<P>(on.acc[0], kLanes),
          load3<P>(on.p[0], kLanes),
          load3<P>(on.v[0], kLanes)};
}

SARRUS_INLINE void put_record(const Base& from, Record<kLanes>& to) {
  store(to.q[0], from.q.w);
  store(to.q[1], from.q.x);
  store(to.q[2], from.q.y);
  store(to.q[3], from.q.z);
  store3(to.omega[0], kLanes, from.omega);
  store3(to.alpha[0], kLanes, from.alpha);
  store3(to.acc[0], kLanes, from.acc);
  store3(to.p[0], kLanes, from.p);
  store3(to.v[0], kLanes, from.v);
}

/// A joint of any kind: each lane by itself, then the columns in world axes.
inline void fill_lanes(const JointConstants& joint, const Inputs& in, const M3<P>& R_parent,
                       LocalMotion<kLanes>& local, BatchScratch& scratch) {
  double packed[6][6][kLanes];
  for (int l = 0; l < kLanes; ++l) {
    double q[7], v[6];
    for (int k = 0; k < 7; ++k) q[k] = k <= joint.speeds ? in.q[kLanes * (joint.q + k) + l] : 0;
    for (int k = 0; k < joint.speeds; ++k) v[k] = in.v[kLanes * (joint.v + k) + l];
    V6<double> S[6];
    fill_lane(joint, q, v, in.turns, nullptr, l, local, S);
    for (int j = 0; j < joint.columns; ++j) {
      for_each_number(S[j], [&](int k, double number) { packed[j][k][l] = number; });
    }
  }
  for (int j = 0; j < joint.columns; ++j) {
    Column<kLanes>& column = scratch.columns[joint.column + j];
    store3(column.S[0], kLanes, R_parent * load3<P>(packed[j][0], kLanes));
    store3(column.S[3], kLanes, R_parent * load3<P>(packed[j][3], kLanes));
  }
}

void kinematics(const BatchSystem& system, const Inputs& in, BatchScratch& scratch) {
  Base here = ground_of(system);
  for (int i = 0; i < system.body_count; ++i) {
    const BatchBody& body = system.bodies[i];
    const BodyConstants<1>& c = system.constants[i];
    const JointConstants& joint = system.joints[i];
    BatchData& d = scratch.data[i];
    if (!body.follows)
      here = body.parent < 0 ? ground_of(system) : base_of(scratch.records[body.parent_record]);
    const M3<P> R_parent = here.R;
    V3<P> r, w, v{}, bias_ang{}, bias_lin{};
    if (body.plain) {
      P s, co;
      sine_cosine(0.5 * load<P>(in.q + kLanes * joint.q), in.turns, s, co);
      const Q4<P> q_PE{splat<P>(c.q[0][0]), splat<P>(c.q[1][0]), splat<P>(c.q[2][0]),
                       splat<P>(c.q[3][0])};
      here.q = renormalised(here.q * turned_about_z(q_PE, s, co));
      here.R = matrix_of(here.q);
      r = R_parent * splat3<P>(c.r[0]);
      w = third_column(here.R) * load<P>(in.v + kLanes * joint.v);
    } else {
      LocalMotion<kLanes> local;
      fill_lanes(joint, in, R_parent, local, scratch);
      here.q = renormalised(here.q * Q4<P>{load<P>(local.g[0]), load<P>(local.g[1]),
                                           load<P>(local.g[2]), load<P>(local.g[3])});
      here.R = matrix_of(here.q);
      r = R_parent * load3<P>(local.r[0], kLanes);
      w = R_parent * load3<P>(local.w[0], kLanes);
      v = R_parent * load3<P>(local.v[0], kLanes);
      bias_ang = R_parent * load3<P>(local.bias_ang[0], kLanes);
      bias_lin = R_parent * load3<P>(local.bias_lin[0], kLanes);
    }
    const V3<P> swept = cross(here.omega, r);
    here.acc = add_cross(here.acc + bias_lin, here.omega, swept + v + v);
    here.acc = add_cross(here.acc, here.alpha, r);
    here.alpha = add_cross(here.alpha + bias_ang, here.omega, w);
    here.omega = here.omega + w;
    if (in.poses) {
      here.p = here.p + r;
      here.v = here.v + swept + v;
    }
    if (body.record >= 0) put_record(here, scratch.records[body.record]);
    const S3<P> J_body{splat<P>(c.J[0][0]), splat<P>(c.J[1][0]), splat<P>(c.J[2][0]),
                       splat<P>(c.J[3][0]), splat<P>(c.J[4][0]), splat<P>(c.J[5][0])};
    const S3<P> J = rotated(here.R, J_body);
    const V3<P> h = here.R * splat3<P>(c.h[0]);
    const V6<P> bias = bias_wrench(J, h, splat<P>(c.m[0]), here.omega, here.alpha, here.acc);
    store_s3(d.J[0], kLanes, J);
    store3(d.h[0], kLanes, h);
    store3(d.a[0], kLanes, third_column(here.R));
    store3(d.r[0], kLanes, r);
    store3(d.n[0], kLanes, bias.ang);
    store3(d.f[0], kLanes, bias.lin);
  }
}

void inward(const BatchSystem& system, const Inputs& in, BatchScratch& scratch) {
  for (int i = 0; i < system.record_count; ++i) scratch.branches[i] = {};
  Articulated<P> carry{};
  for (int i = system.body_count - 1; i >= 0; --i) {
    const BatchBody& body = system.bodies[i];
    const JointConstants& joint = system.joints[i];
    BatchData& d = scratch.data[i];
    if (i + 1 == system.body_count || !system.bodies[i + 1].follows) carry = Articulated<P>{};
    if (body.record >= 0) {
      const BatchBranch& branch = scratch.branches[body.record];
      for_each_number_of(carry, [&](int k, P& number) { number += load<P>(branch.handed[k]); });
    }
    add_rigid(carry, load_s3<P>(d.J[0], kLanes), load3<P>(d.h[0], kLanes),
              splat<P>(system.constants[i].m[0]), load3<P>(d.n[0], kLanes),
              load3<P>(d.f[0], kLanes));
    const V3<P> r = load3<P>(d.r[0], kLanes);
    if (body.plain) {
      const P tau = load<P>(in.tau + kLanes * joint.column);
      const Eliminated<P> e = eliminate_turn(carry, load3<P>(d.a[0], kLanes), tau);
      const V6<P> W_parent = shifted_wrench(e.W, r);
      store3(d.J[0], kLanes, W_parent.ang);
      store3(d.J[3], kLanes, W_parent.lin);
      store(d.k, e.k);
    } else {
      for (int j = 0; j < joint.columns; ++j) {
        Column<kLanes>& column = scratch.columns[joint.column + j];
        const V6<P> S{load3<P>(column.S[0], kLanes), load3<P>(column.S[3], kLanes)};
        const P tau = load<P>(in.tau + kLanes * (joint.column + j));
        const Eliminated<P> e = eliminate(carry, S, tau);
        store3(column.W[0], kLanes, e.W.ang);
        store3(column.W[3], kLanes, e.W.lin);
        store(column.k, e.k);
      }
      if (joint.columns == 6) {
        carry.A = S3<P>{};
        carry.H = M3<P>{};
        carry.M = S3<P>{};
      }
    }
    shift_inertia(carry, r);
    carry.n = add_cross(carry.n, r, carry.f);
    if (!body.follows && body.parent >= 0) {
      BatchBranch& branch = scratch.branches[body.parent_record];
      for_each_number_of(carry, [&](int k, const P& number) {
        store(branch.handed[k], load<P>(branch.handed[k]) + number);
      });
    }
  }
}

void outward(const BatchSystem& system, const Inputs& /*in*/, BatchScratch& scratch,
             double* unknowns) {
  V6<P> a{};
  for (int i = 0; i < system.body_count; ++i) {
    const BatchBody& body = system.bodies[i];
    const JointConstants& joint = system.joints[i];
    const BatchData& d = scratch.data[i];
    if (!body.follows) {
      a = V6<P>{};
      if (body.parent >= 0) {
        const BatchBranch& branch = scratch.branches[body.parent_record];
        a = {load3<P>(branch.acceleration[0], kLanes), load3<P>(branch.acceleration[3], kLanes)};
      }
    }
    const V3<P> r = load3<P>(d.r[0], kLanes);
    if (body.plain) {
      const V6<P> W{load3<P>(d.J[0], kLanes), load3<P>(d.J[3], kLanes)};
      const P q = less_dot(load<P>(d.k), W, a);
      store(unknowns + kLanes * joint.column, q);
      a.lin = add_cross(a.lin, a.ang, r);
      a.ang = add_scaled(a.ang, load3<P>(d.a[0], kLanes), q);
    } else {
      a.lin = add_cross(a.lin, a.ang, r);
      for (int j = joint.columns - 1; j >= 0; --j) {
        const Column<kLanes>& column = scratch.columns[joint.column + j];
        const V6<P> W{load3<P>(column.W[0], kLanes), load3<P>(column.W[3], kLanes)};
        const P y = less_dot(load<P>(column.k), W, a);
        a = add_scaled(a, V6<P>{load3<P>(column.S[0], kLanes), load3<P>(column.S[3], kLanes)}, y);
        store(unknowns + kLanes * (joint.column + j), y);
      }
    }
    if (body.record >= 0) {
      BatchBranch& branch = scratch.branches[body.record];
      store3(branch.acceleration[0], kLanes, a.ang);
      store3(branch.acceleration[3], kLanes, a.lin);
    }
  }
}

}  // namespace batch
}  // namespace sarrus::articulated::SARRUS_INSTRUCTIONS
