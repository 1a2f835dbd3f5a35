#pragma once

// Chains: bodies in a row. What is independent from body to body runs on four neighbours at once,
// orientations and velocities by prefix products and sums over the lanes; only the two recursions
// proper go body by body, with the articulated inertia in registers.  [order-n-chains]

#include "sarrus/articulated/kernels/drive_power.h"
#include "sarrus/articulated/kernels/system.h"
#include "sarrus/simd/row.h"
#include "sarrus/tree/joint_motion.h"

namespace sarrus::articulated::SARRUS_INSTRUCTIONS {

using namespace tree::SARRUS_INSTRUCTIONS;
namespace chains {

using P = Pack4;
constexpr int kLanes = kChainLanes;
constexpr int kBlocksAtOnce = 2;  // short inner loops whose values stay in the first cache

/// Sums along the chain, from a zero in lane 0.
SARRUS_INLINE V3<P> fresh_sum(const V3<P>& v) {
  return {prefix_sum(without_lane_0(v.x)), prefix_sum(without_lane_0(v.y)),
          prefix_sum(without_lane_0(v.z))};
}
/// Does the reference motion start afresh at the first lane of block b? At a chain's own start it
/// goes on from the body below.
SARRUS_INLINE bool restarts(int b) { return b > 0 && b % kRestartBlocks == 0; }

/// Asks for the cache lines of a block `ahead` blocks on, which need not be there.
template <class Block>
SARRUS_INLINE void prefetch(const Block* block, int ahead, int lines, bool to_write) {
  const std::uintptr_t first =
      reinterpret_cast<std::uintptr_t>(block) +
      static_cast<std::uintptr_t>(static_cast<std::intptr_t>(ahead) *
                                  static_cast<std::intptr_t>(sizeof(Block)));
  for (int k = 0; k < lines; ++k) {
    const void* line = reinterpret_cast<const void*>(first + 64 * static_cast<std::uintptr_t>(k));
    to_write ? __builtin_prefetch(line, 1, 2) : __builtin_prefetch(line, 0, 2);
  }
}

/// What a chain's first block finds below it: the body it hangs on, or ground.
struct Base {
  Q4<P> q;
  M3<P> R;
  V3<P> omega, alpha, acc, p, v;
};

SARRUS_INLINE Base base_of(const ChainSystem& system, const Chain& chain,
                           const ChainScratch& scratch) {
  const P zero{}, one = splat<P>(1.0);
  Base base{
      {one, zero, zero, zero},
      {},
      {zero, zero, zero},
      {zero, zero, zero},
      {splat<P>(-system.gravity[0]), splat<P>(-system.gravity[1]), splat<P>(-system.gravity[2])},
      {zero, zero, zero},
      {zero, zero, zero}};
  if (chain.parent >= 0) {
    const Record<1>& on = scratch.records[chain.parent];
    base.q = {splat<P>(on.q[0][0]), splat<P>(on.q[1][0]), splat<P>(on.q[2][0]),
              splat<P>(on.q[3][0])};
    base.omega = splat3<P>(on.omega[0]);
    base.alpha = splat3<P>(on.alpha[0]);
    base.acc = splat3<P>(on.acc[0]);
    base.p = splat3<P>(on.p[0]);
    base.v = splat3<P>(on.v[0]);
  }
  base.R = matrix_of(base.q);
  return base;
}

/// Values of one block between the stages below.
struct Stage {
  Q4<P> g;
  M3<P> R;
  V3<P> w, omega, omega_parent, alpha, acc, v, bias_lin, bias_ang, p, velocity;
};

SARRUS_INLINE void put_record(const ChainSystem& system, int slot, int lane, const Stage& s,
                              ChainScratch& scratch) {
  const int index = system.record_of[slot];
  if (index < 0) return;
  Record<1>& to = scratch.records[index];
  to.q[0][0] = s.g.w[lane];
  to.q[1][0] = s.g.x[lane];
  to.q[2][0] = s.g.y[lane];
  to.q[3][0] = s.g.z[lane];
  const auto put3 = [lane](double(*at)[1], const V3<P>& v) {
    at[0][0] = v.x[lane];
    at[1][0] = v.y[lane];
    at[2][0] = v.z[lane];
  };
  put3(to.omega, s.omega);
  put3(to.alpha, s.alpha);
  put3(to.acc, s.acc);
  put3(to.p, s.p);
  put3(to.v, s.velocity);
}

/// Joints that are not plain revolute ones: their columns turned to world axes.
inline void turn_columns(const ChainSystem& system, int slot, int count, const M3<P>& R_parent,
                         const V6<double> (*S)[6], ChainScratch& scratch) {
  double R[9][kLanes];
  for_each_number(R_parent, [&](int k, const P& number) { store(R[k], number); });
  for (int l = 0; l < count; ++l) {
    const JointConstants& joint = system.joints[slot + l];
    if (joint.plain) continue;
    const M3<double> R_P{R[0][l], R[1][l], R[2][l], R[3][l], R[4][l],
                         R[5][l], R[6][l], R[7][l], R[8][l]};
    for (int j = 0; j < joint.columns; ++j) {
      Column<1>& column = scratch.columns[joint.column + j];
      store3(column.S[0], 1, R_P * S[l][j].ang);
      if (!joint.turning) store3(column.S[3], 1, R_P * S[l][j].lin);
    }
  }
}

/// Orientations, axes, velocities, reference accelerations, inertias and bias wrenches of a chain.
template <bool kPlain>
void chain_kinematics(const ChainSystem& system, const Chain& chain, const Inputs& in,
                      ChainScratch& scratch) {
  const BodyConstants<kLanes>* constants = system.constants + chain.first_block;
  ChainData* data = scratch.data + chain.first_block;
  Base below = base_of(system, chain, scratch);
  Stage stages[kBlocksAtOnce];
  LocalMotion<kLanes> local[kBlocksAtOnce];
  V6<double> S[kBlocksAtOnce][kLanes][6];
  const auto bodies_in = [&chain](int b) {
    return chain.bodies - kLanes * b < kLanes ? chain.bodies - kLanes * b : kLanes;
  };
  for (int b0 = 0; b0 < chain.blocks; b0 += kBlocksAtOnce) {
    const int blocks = chain.blocks - b0 < kBlocksAtOnce ? chain.blocks - b0 : kBlocksAtOnce;
    // Turn of each joint, then from the first lane to each.
    for (int i = 0; i < blocks; ++i) {
      const int b = b0 + i;
      const BodyConstants<kLanes>& c = constants[b];
      prefetch(constants + b, 16, 9, false);
      prefetch(data + b, 16, 11, true);
      if constexpr (kPlain) {
        P s, co;
        sine_cosine(0.5 * load_some<P>(in.q + chain.q + kLanes * b, bodies_in(b)), in.turns, s, co);
        const Q4<P> q_PE{load<P>(c.q[0]), load<P>(c.q[1]), load<P>(c.q[2]), load<P>(c.q[3])};
        stages[i].g = prefix_product(turned_about_z(q_PE, s, co));
      } else {
        const int count = bodies_in(b);
        local[i] = {};
        for (int l = 0; l < kLanes; ++l) local[i].g[0][l] = 1;
        for (int l = 0; l < count; ++l) {
          const JointConstants& joint = system.joints[chain.first_slot + kLanes * b + l];
          fill_lane(joint, in.q + joint.q, in.v + joint.v, in.turns, in.drives, l, local[i],
                    S[i][l]);
        }
        stages[i].g = prefix_product(Q4<P>{load<P>(local[i].g[0]), load<P>(local[i].g[1]),
                                           load<P>(local[i].g[2]), load<P>(local[i].g[3])});
      }
    }
    // … and from the world.
    for (int i = 0; i < blocks; ++i) {
      Q4<P>& g = stages[i].g;
      g = renormalised(below.q * g);
      below.q = {last(g.w), last(g.x), last(g.y), last(g.z)};
    }
    // Axes, arms, angular velocities.
    for (int i = 0; i < blocks; ++i) {
      const int b = b0 + i;
      Stage& s = stages[i];
      ChainData& d = data[b];
      s.R = matrix_of(s.g);
      const M3<P> R_parent = shift_in9(s.R, below.R);
      below.R = s.R;
      const V3<P> a = third_column(s.R);
      store3(d.a[0], kLanes, a);
      if constexpr (kPlain) {
        store3(d.r[0], kLanes, R_parent * load3<P>(constants[b].r[0], kLanes));
        s.w = a * load_some<P>(in.v + chain.v + kLanes * b, bodies_in(b));
      } else {
        store3(d.r[0], kLanes, R_parent * load3<P>(local[i].r[0], kLanes));
        s.w = R_parent * load3<P>(local[i].w[0], kLanes);
        s.v = R_parent * load3<P>(local[i].v[0], kLanes);
        s.bias_ang = R_parent * load3<P>(local[i].bias_ang[0], kLanes);
        s.bias_lin = R_parent * load3<P>(local[i].bias_lin[0], kLanes);
        for (int l = 0; l < bodies_in(b); ++l) {
          const int drive = system.joints[chain.first_slot + kLanes * b + l].drive;
          if (drive < 0) continue;
          const V6<double> V{{s.w.x[l], s.w.y[l], s.w.z[l]}, {s.v.x[l], s.v.y[l], s.v.z[l]}};
          for_each_number(V, [&](int k, double number) { scratch.drives[drive].V[k] = number; });
        }
        turn_columns(system, chain.first_slot + kLanes * b, bodies_in(b), R_parent, S[i], scratch);
      }
      s.omega = running_sum(s.w, below.omega);
      s.omega_parent = shift_in3(s.omega, below.omega);
      below.omega = s.omega;
    }
    // Accelerations at zero joint accelerations, afresh from zero every few blocks; the step that
    // this leaves out is kept.  [order-n-reference-motion]
    for (int i = 0; i < blocks; ++i) {
      const int b = b0 + i;
      Stage& s = stages[i];
      const V3<P> r = load3<P>(data[b].r[0], kLanes);
      V3<P> ang = cross(s.omega_parent, s.w);
      if constexpr (!kPlain) ang = ang + s.bias_ang;
      const bool restart = restarts(b);
      Jump& jump = scratch.jumps[chain.first_jump + b / kRestartBlocks];
      V3<P> alpha;
      if (restart) {
        jump.ang[0] = ang.x[0] + below.alpha.x[3];
        jump.ang[1] = ang.y[0] + below.alpha.y[3];
        jump.ang[2] = ang.z[0] + below.alpha.z[3];
        alpha = fresh_sum(ang);
      } else {
        alpha = running_sum(ang, below.alpha);
      }
      const V3<P> alpha_parent = shift_in3(alpha, below.alpha);
      s.alpha = alpha;
      below.alpha = alpha;
      const V3<P> swept = cross(s.omega_parent, r);
      V3<P> lin = cross(s.omega_parent, swept);
      lin = add_cross(lin, alpha_parent, r);
      if constexpr (!kPlain) lin = add_cross(lin + s.bias_lin, s.omega_parent, s.v + s.v);
      if (restart) {
        jump.lin[0] = lin.x[0] + below.acc.x[3];
        jump.lin[1] = lin.y[0] + below.acc.y[3];
        jump.lin[2] = lin.z[0] + below.acc.z[3];
        s.acc = fresh_sum(lin);
      } else {
        s.acc = running_sum(lin, below.acc);
      }
      below.acc = s.acc;
      if (chain.records) {
        if (in.poses) {
          s.p = running_sum(r, below.p);
          V3<P> velocity = swept;
          if constexpr (!kPlain) velocity = velocity + s.v;
          s.velocity = running_sum(velocity, below.v);
          below.p = s.p;
          below.v = s.velocity;
        } else {
          s.p = s.velocity = V3<P>{};
        }
        const int count = bodies_in(b);
        for (int l = 0; l < count; ++l)
          put_record(system, chain.first_slot + kLanes * b + l, l, s, scratch);
      }
    }
    // Inertia in world axes and the wrench that the reference motion takes.  [order-n-bias]
    for (int i = 0; i < blocks; ++i) {
      const int b = b0 + i;
      const Stage& s = stages[i];
      const BodyConstants<kLanes>& c = constants[b];
      ChainData& d = data[b];
      const S3<P> J = rotated(s.R, load_s3<P>(c.J[0], kLanes));
      const V3<P> h = s.R * load3<P>(c.h[0], kLanes);
      store_s3(d.J[0], kLanes, J);
      store(d.h0, h.x);
      store(d.h12[0], h.y);
      store(d.h12[1], h.z);
      const V6<P> bias = bias_wrench(J, h, load<P>(c.m), s.omega, s.alpha, s.acc);
      store3(d.n[0], kLanes, bias.ang);
      store3(d.f[0], kLanes, bias.lin);
    }
  }
}

/// One lane of a block: field k of lane l stands at base[4 k + l].
SARRUS_INLINE V3<double> lane3(const double* at) { return {at[0], at[kLanes], at[2 * kLanes]}; }

SARRUS_INLINE void add_lane(const ChainData& d, int l, double mass, Articulated<double>& carry) {
  const S3<double> J{d.J[0][l], d.J[1][l], d.J[2][l], d.J[3][l], d.J[4][l], d.J[5][l]};
  add_rigid(carry, J, V3<double>{d.h0[l], d.h12[0][l], d.h12[1][l]}, mass, lane3(&d.n[0][l]),
            lane3(&d.f[0][l]));
}

/// Inward over one revolute joint. The inertia is moved before it is projected, so that the
/// division overlaps with it.  [order-n-inward]
template <bool kRestart>
SARRUS_INLINE void step_in(ChainData& d, int l, double mass, double tau, const Jump* jump,
                           Articulated<double>& carry) {
  add_lane(d, l, mass, carry);
  const V3<double> a = lane3(&d.a[0][l]);
  const V3<double> r = lane3(&d.r[0][l]);
  const V6<double> U = times_turn(carry, a);
  const double inverse = 1.0 / dot(U.ang, a);
  double u = less_dot(tau, a, carry.n);
  if constexpr (kRestart) {
    const V6<double> step{{jump->ang[0], jump->ang[1], jump->ang[2]},
                          {jump->lin[0], jump->lin[1], jump->lin[2]}};
    const V6<double> more = times(carry, step);
    carry.n = carry.n + more.ang;
    carry.f = carry.f + more.lin;
    u = less_dot(u, U, step);
  }
  shift_inertia(carry, r);
  const V6<double> U_parent{add_cross(U.ang, r, U.lin), U.lin};
  const V6<double> W = U_parent * inverse;
  d.J[0][l] = W.ang.x;
  d.J[1][l] = W.ang.y;
  d.J[2][l] = W.ang.z;
  d.J[3][l] = W.lin.x;
  d.J[4][l] = W.lin.y;
  d.J[5][l] = W.lin.z;
  d.h0[l] = u * inverse;
  project(carry, U_parent, W);
  carry.n = add_scaled(add_cross(carry.n, r, carry.f), W.ang, u);
  carry.f = add_scaled(carry.f, W.lin, u);
}

/// Inward over a joint of any kind: its unknowns one after the other, all at one point.
template <bool kTurning>
SARRUS_INLINE void step_in_any(const JointConstants& joint, ChainData& d, int l, double mass,
                               const double* tau, const Jump* jump, ChainScratch& scratch,
                               Articulated<double>& carry) {
  add_lane(d, l, mass, carry);
  if (jump != nullptr) {
    const V6<double> more = times(carry, V6<double>{{jump->ang[0], jump->ang[1], jump->ang[2]},
                                                    {jump->lin[0], jump->lin[1], jump->lin[2]}});
    carry.n = carry.n + more.ang;
    carry.f = carry.f + more.lin;
  }
  if (joint.drive >= 0) {
    DriveRecord& drive = scratch.drives[joint.drive];
    for_each_number_of(carry, [&](int k, double number) { drive.articulated[k] = number; });
  }
  for (int j = 0; j < joint.columns; ++j) {
    Column<1>& column = scratch.columns[joint.column + j];
    const V3<double> turn = load3<double>(column.S[0], 1);
    const double force = tau[joint.column + j];
    const Eliminated<double> e =
        kTurning ? eliminate_turn(carry, turn, force)
                 : eliminate(carry, V6<double>{turn, load3<double>(column.S[3], 1)}, force);
    store3(column.W[0], 1, e.W.ang);
    store3(column.W[3], 1, e.W.lin);
    column.k[0] = e.k;
  }
  // With six unknowns nothing is handed on but the joint's own forces.
  if (joint.columns == 6) {
    carry.A = S3<double>{};
    carry.H = M3<double>{};
    carry.M = S3<double>{};
  }
  const V3<double> r = lane3(&d.r[0][l]);
  shift_inertia(carry, r);
  carry.n = add_cross(carry.n, r, carry.f);
}

SARRUS_INLINE void add_branch(const Branch& from, Articulated<double>& to) {
  for_each_number_of(to, [&](int k, double& number) { number += from.handed[k]; });
}
SARRUS_INLINE void add_to_branch(const Articulated<double>& from, Branch& to) {
  for_each_number_of(from, [&](int k, const double& number) { to.handed[k] += number; });
}

/// A chain of revolute joints that nothing hangs on: the carry never leaves the registers.
inline void plain_chain_inward(const ChainSystem& system, const Chain& chain, const Inputs& in,
                               ChainScratch& scratch) {
  ChainData* data = scratch.data + chain.first_block;
  const BodyConstants<kLanes>* constants = system.constants + chain.first_block;
  const double* all_tau = in.tau + chain.column;
  Articulated<double> carry{};
  int l = chain.bodies - kLanes * (chain.blocks - 1) - 1;
  for (int b = chain.blocks - 1; b >= 0; --b) {
    ChainData& d = data[b];
    const double* m = constants[b].m;
    const double* tau = all_tau + kLanes * b;
    prefetch(&d, -16, 11, true);
    const bool restart = restarts(b);
    for (; l >= 1; --l) step_in<false>(d, l, m[l], tau[l], nullptr, carry);
    if (restart)
      step_in<true>(d, 0, m[0], tau[0], scratch.jumps + chain.first_jump + b / kRestartBlocks,
                    carry);
    else
      step_in<false>(d, 0, m[0], tau[0], nullptr, carry);
    l = kLanes - 1;
  }
  if (chain.parent >= 0) add_to_branch(carry, scratch.branches[chain.parent]);
}

inline void any_chain_inward(const ChainSystem& system, const Chain& chain, const Inputs& in,
                             ChainScratch& scratch) {
  Articulated<double> carry{};
  for (int i = chain.bodies - 1; i >= 0; --i) {
    const int b = i / kLanes, l = i % kLanes;
    const int slot = chain.first_slot + i;
    ChainData& d = scratch.data[chain.first_block + b];
    const double mass = system.constants[chain.first_block + b].m[l];
    const Jump* jump =
        l == 0 && restarts(b) ? scratch.jumps + chain.first_jump + b / kRestartBlocks : nullptr;
    const int record = system.record_of[slot];
    if (record >= 0) add_branch(scratch.branches[record], carry);
    const JointConstants& joint = system.joints[slot];
    if (!joint.plain)
      joint.turning ? step_in_any<true>(joint, d, l, mass, in.tau, jump, scratch, carry)
                    : step_in_any<false>(joint, d, l, mass, in.tau, jump, scratch, carry);
    else if (jump != nullptr)
      step_in<true>(d, l, mass, in.tau[joint.column], jump, carry);
    else
      step_in<false>(d, l, mass, in.tau[joint.column], nullptr, carry);
  }
  if (chain.parent >= 0) add_to_branch(carry, scratch.branches[chain.parent]);
}

/// Outward: accelerations beyond the reference motion.  [order-n-outward]
/// q̈ needs only W at the parent's point and the parent's acceleration; the latter is written with
/// the parent's own q̈ apart, which leaves one multiplication on the way from q̈ to q̈.
template <bool kPlain>
void chain_outward(const ChainSystem& system, const Chain& chain, ChainScratch& scratch,
                   double* unknowns) {
  ChainData* data = scratch.data + chain.first_block;
  V3<double> alpha{0, 0, 0}, lin{0, 0, 0}, axis{0, 0, 0};
  double q_before = 0;
  if (chain.parent >= 0) {
    const double* on = scratch.branches[chain.parent].acceleration;
    alpha = {on[0], on[1], on[2]};
    lin = {on[3], on[4], on[5]};
  }
  for (int b = 0; b < chain.blocks; ++b) {
    const ChainData& d = data[b];
    prefetch(&d, 32, 7, false);
    const int count = chain.bodies - kLanes * b < kLanes ? chain.bodies - kLanes * b : kLanes;
    const Jump* jump =
        restarts(b) ? scratch.jumps + chain.first_jump + b / kRestartBlocks : nullptr;
    for (int l = 0; l < count; ++l) {
      const int slot = chain.first_slot + kLanes * b + l;
      const V3<double> r = lane3(&d.r[0][l]);
      const auto add_jump = [&] {
        if (jump == nullptr || l != 0) return;
        alpha = alpha + V3<double>{jump->ang[0], jump->ang[1], jump->ang[2]};
        lin = lin + V3<double>{jump->lin[0], jump->lin[1], jump->lin[2]};
      };
      const JointConstants* joint = kPlain ? nullptr : system.joints + slot;
      if (kPlain || joint->plain) {
        const V3<double> W_ang = lane3(&d.J[0][l]), W_lin = lane3(&d.J[3][l]);
        const double k = less_dot(d.h0[l], W_lin, lin) - dot(W_ang, alpha);
        const double q = k - dot(W_ang, axis) * q_before;
        alpha = add_scaled(alpha, axis, q_before);
        lin = add_cross(lin, alpha, r);
        add_jump();
        axis = lane3(&d.a[0][l]);
        q_before = q;
        unknowns[kPlain ? chain.column + kLanes * b + l : joint->column] = q;
      } else {
        alpha = add_scaled(alpha, axis, q_before);
        lin = add_cross(lin, alpha, r);
        axis = {0, 0, 0};
        q_before = 0;
        V6<double> a{alpha, lin};
        for (int j = joint->columns - 1; j >= 0; --j) {
          const Column<1>& column = scratch.columns[joint->column + j];
          const V6<double> W{load3<double>(column.W[0], 1), load3<double>(column.W[3], 1)};
          const double y = less_dot(column.k[0], W, a);
          if (joint->turning)
            a.ang = add_scaled(a.ang, load3<double>(column.S[0], 1), y);
          else
            a = add_scaled(
                a, V6<double>{load3<double>(column.S[0], 1), load3<double>(column.S[3], 1)}, y);
          unknowns[joint->column + j] = y;
        }
        if (joint->drive >= 0) put_power(scratch.drives[joint->drive], a);
        alpha = a.ang;
        lin = a.lin;
        add_jump();
      }
      if (chain.records && system.record_of[slot] >= 0) {
        double* to = scratch.branches[system.record_of[slot]].acceleration;
        store3(to, 1, add_scaled(alpha, axis, q_before));
        store3(to + 3, 1, lin);
      }
    }
  }
}

void kinematics(const ChainSystem& system, const Inputs& in, ChainScratch& scratch) {
  for (int i = 0; i < system.chain_count; ++i) {
    const Chain& chain = system.chains[i];
    chain.plain ? chain_kinematics<true>(system, chain, in, scratch)
                : chain_kinematics<false>(system, chain, in, scratch);
  }
}

void inward(const ChainSystem& system, const Inputs& in, ChainScratch& scratch) {
  for (int i = 0; i < system.record_count; ++i) scratch.branches[i] = {};
  for (int i = system.chain_count - 1; i >= 0; --i) {
    const Chain& chain = system.chains[i];
    chain.plain && !chain.records ? plain_chain_inward(system, chain, in, scratch)
                                  : any_chain_inward(system, chain, in, scratch);
  }
}

void outward(const ChainSystem& system, const Inputs& /*in*/, ChainScratch& scratch,
             double* unknowns) {
  for (int i = 0; i < system.chain_count; ++i) {
    const Chain& chain = system.chains[i];
    chain.plain ? chain_outward<true>(system, chain, scratch, unknowns)
                : chain_outward<false>(system, chain, scratch, unknowns);
  }
}

}  // namespace chains
}  // namespace sarrus::articulated::SARRUS_INSTRUCTIONS
