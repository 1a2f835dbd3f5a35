#pragma once

// Levels: bodies of equal depth side by side in eight lanes, in all three passes; for trees that
// are wide rather than long. The parents of a block lie in one block, so that what passes between
// them is a permutation of lanes.  [order-n-levels]

#include "sarrus/articulated/kernels/drive_power.h"
#include "sarrus/articulated/kernels/system.h"
#include "sarrus/tree/joint_motion.h"

namespace sarrus::articulated::SARRUS_INSTRUCTIONS {

using namespace tree::SARRUS_INSTRUCTIONS;
namespace levels {

using P = Pack8;
constexpr int kLanes = kWideLanes;

SARRUS_INLINE P permuted(P x, const std::int64_t* lanes) {
#if defined(__AVX512F__)
  typedef Bits8 Aliased __attribute__((may_alias, aligned(8)));
  return __builtin_shuffle(x, *reinterpret_cast<const Aliased*>(lanes));
#else
  P y{};
  for (int l = 0; l < kLanes; ++l) y[l] = x[lanes[l]];
  return y;
#endif
}
SARRUS_INLINE P masked(P x, const std::int64_t* mask) {
  typedef Bits8 Aliased __attribute__((may_alias, aligned(8)));
  return __builtin_bit_cast(P,
                            __builtin_bit_cast(Bits8, x) & *reinterpret_cast<const Aliased*>(mask));
}
SARRUS_INLINE P from_parent(const double* field, const LevelBlock& block) {
  return permuted(load<P>(field), block.parent_lane);
}
SARRUS_INLINE V3<P> from_parent3(const double (*field)[kLanes], const LevelBlock& block) {
  return {from_parent(field[0], block), from_parent(field[1], block), from_parent(field[2], block)};
}

/// Columns of a block with joints of several kinds; lanes that have none get zeros.
inline void fill_columns(const LevelSystem& system, const LevelBlock& block, const M3<P>& R_parent,
                         const V6<double> (*S)[6], LevelScratch& scratch) {
  for (int j = 0; j < block.columns; ++j) {
    double packed[6][kLanes] = {};
    for (int l = 0; l < block.bodies; ++l) {
      if (j >= system.joints[block.first_slot + l].columns) continue;
      for_each_number(S[l][j], [&](int k, double number) { packed[k][l] = number; });
    }
    Column<kLanes>& column = scratch.columns[block.first_column + j];
    store3(column.S[0], kLanes, R_parent * load3<P>(packed[0], kLanes));
    store3(column.S[3], kLanes, R_parent * load3<P>(packed[3], kLanes));
  }
}

SARRUS_INLINE void block_kinematics(const LevelSystem& system, int b, const Inputs& in,
                                    LevelScratch& scratch) {
  const LevelBlock& block = system.blocks[b];
  const BodyConstants<kLanes>& c = system.constants[b];
  LevelData& d = scratch.data[b];
  const P zero{};
  Q4<P> q_parent{splat<P>(1.0), zero, zero, zero};
  V3<P> omega_parent{zero, zero, zero}, alpha_parent{zero, zero, zero};
  V3<P> acc = {splat<P>(-system.gravity[0]), splat<P>(-system.gravity[1]),
               splat<P>(-system.gravity[2])};
  if (block.parent >= 0) {
    const Record<kLanes>& on = scratch.data[block.parent].record;
    q_parent = {from_parent(on.q[0], block), from_parent(on.q[1], block),
                from_parent(on.q[2], block), from_parent(on.q[3], block)};
    omega_parent = from_parent3(on.omega, block);
    alpha_parent = from_parent3(on.alpha, block);
    acc = from_parent3(on.acc, block);
  }
  const M3<P> R_parent = matrix_of(q_parent);
  Q4<P> g;
  V3<P> r, w, v{}, bias_ang{}, bias_lin{};
  M3<P> R;
  if (block.columns == 0) {
    P s, co;
    sine_cosine(0.5 * load_some<P>(in.q + block.q, block.bodies), in.turns, s, co);
    const Q4<P> q_PE{load<P>(c.q[0]), load<P>(c.q[1]), load<P>(c.q[2]), load<P>(c.q[3])};
    g = renormalised(q_parent * turned_about_z(q_PE, s, co));
    R = matrix_of(g);
    r = R_parent * load3<P>(c.r[0], kLanes);
    w = third_column(R) * load_some<P>(in.v + block.v, block.bodies);
  } else {
    LocalMotion<kLanes> local{};
    V6<double> S[kLanes][6];
    for (int l = 0; l < kLanes; ++l) local.g[0][l] = 1;
    for (int l = 0; l < block.bodies; ++l) {
      const JointConstants& joint = system.joints[block.first_slot + l];
      fill_lane(joint, in.q + joint.q, in.v + joint.v, in.turns, in.drives, l, local, S[l]);
    }
    g = renormalised(q_parent * Q4<P>{load<P>(local.g[0]), load<P>(local.g[1]), load<P>(local.g[2]),
                                      load<P>(local.g[3])});
    R = matrix_of(g);
    r = R_parent * load3<P>(local.r[0], kLanes);
    w = R_parent * load3<P>(local.w[0], kLanes);
    v = R_parent * load3<P>(local.v[0], kLanes);
    bias_ang = R_parent * load3<P>(local.bias_ang[0], kLanes);
    bias_lin = R_parent * load3<P>(local.bias_lin[0], kLanes);
    fill_columns(system, block, R_parent, S, scratch);
    for (int l = 0; l < block.bodies; ++l) {
      const int drive = system.joints[block.first_slot + l].drive;
      if (drive < 0) continue;
      const V6<double> V{{w.x[l], w.y[l], w.z[l]}, {v.x[l], v.y[l], v.z[l]}};
      for_each_number(V, [&](int k, double number) { scratch.drives[drive].V[k] = number; });
    }
  }
  const V3<P> swept = cross(omega_parent, r);
  const V3<P> omega = omega_parent + w;
  const V3<P> alpha = add_cross(alpha_parent + bias_ang, omega_parent, w);
  acc = add_cross(acc + bias_lin, omega_parent, swept + v + v);
  acc = add_cross(acc, alpha_parent, r);
  store(d.record.q[0], g.w);
  store(d.record.q[1], g.x);
  store(d.record.q[2], g.y);
  store(d.record.q[3], g.z);
  store3(d.record.omega[0], kLanes, omega);
  store3(d.record.alpha[0], kLanes, alpha);
  store3(d.record.acc[0], kLanes, acc);
  if (in.poses) {
    V3<P> p = r, velocity = swept + v;
    if (block.parent >= 0) {
      const Record<kLanes>& on = scratch.data[block.parent].record;
      p = p + from_parent3(on.p, block);
      velocity = velocity + from_parent3(on.v, block);
    }
    store3(d.record.p[0], kLanes, p);
    store3(d.record.v[0], kLanes, velocity);
  }
  store3(d.a[0], kLanes, third_column(R));
  store3(d.r[0], kLanes, r);
  const S3<P> J = rotated(R, load_s3<P>(c.J[0], kLanes));
  const V3<P> h = R * load3<P>(c.h[0], kLanes);
  const P m = load<P>(c.m);
  const V6<P> bias = bias_wrench(J, h, m, omega, alpha, acc);
  Articulated<P> rigid{};
  add_rigid(rigid, J, h, m, bias.ang, bias.lin);
  for_each_number_of(rigid, [&](int k, const P& number) { store(d.articulated[k], number); });
}

SARRUS_INLINE void add_to_parent(double* field, P value, const LevelRound& round) {
  store(field, load<P>(field) + masked(permuted(value, round.child_lane), round.receives));
}

SARRUS_INLINE void block_inward(const LevelSystem& system, int b, const Inputs& in,
                                LevelScratch& scratch) {
  const LevelBlock& block = system.blocks[b];
  LevelData& d = scratch.data[b];
  Articulated<P> carry;
  for_each_number_of(carry, [&](int k, P& number) { number = load<P>(d.articulated[k]); });
  const V3<P> r = load3<P>(d.r[0], kLanes);
  if (block.columns == 0) {
    const P tau = load_some<P>(in.tau + block.column, block.bodies);
    const Eliminated<P> e = eliminate_turn(carry, load3<P>(d.a[0], kLanes), tau);
    const V6<P> W_parent = shifted_wrench(e.W, r);
    store3(d.articulated[d.kW], kLanes, W_parent.ang);
    store3(d.articulated[d.kW + 3], kLanes, W_parent.lin);
    store(d.articulated[d.kK], e.k);
    if (block.parent < 0) return;
  } else {
    Bits8 all_free{};
    for (int l = 0; l < block.bodies; ++l) {
      const JointConstants& joint = system.joints[block.first_slot + l];
      all_free[l] = joint.columns == 6 ? -1 : 0;
      if (joint.drive < 0) continue;
      DriveRecord& drive = scratch.drives[joint.drive];
      for_each_number_of(carry, [&](int k, const P& number) { drive.articulated[k] = number[l]; });
    }
    for (int j = 0; j < block.columns; ++j) {
      Column<kLanes>& column = scratch.columns[block.first_column + j];
      P tau{}, absent = splat<P>(1.0);
      for (int l = 0; l < block.bodies; ++l) {
        const JointConstants& joint = system.joints[block.first_slot + l];
        if (j >= joint.columns) continue;
        tau[l] = in.tau[joint.column + j];
        absent[l] = 0;
      }
      const V6<P> S{load3<P>(column.S[0], kLanes), load3<P>(column.S[3], kLanes)};
      const Eliminated<P> e = eliminate(carry, S, tau, absent);
      store3(column.W[0], kLanes, e.W.ang);
      store3(column.W[3], kLanes, e.W.lin);
      store(column.k, e.k);
    }
    if (block.parent < 0) return;
    // With six unknowns nothing is handed on but the joint's own forces.
    for_each_number_of(carry, [&](int k, P& number) {
      if (k < 21) number = all_free ? P{} : number;
    });
  }
  shift_inertia(carry, r);
  carry.n = add_cross(carry.n, r, carry.f);
  LevelData& parent = scratch.data[block.parent];
  for (int i = 0; i < block.rounds; ++i) {
    const LevelRound& round = system.rounds[block.first_round + i];
    for_each_number_of(carry, [&](int k, const P& number) {
      add_to_parent(parent.articulated[k], number, round);
    });
  }
}

SARRUS_INLINE void block_outward(const LevelSystem& system, int b, LevelScratch& scratch,
                                 double* unknowns) {
  const LevelBlock& block = system.blocks[b];
  LevelData& d = scratch.data[b];
  V3<P> alpha{}, lin{};
  if (block.parent >= 0) {
    const LevelData& on = scratch.data[block.parent];
    alpha = from_parent3(on.articulated + on.kAcceleration, block);
    lin = from_parent3(on.articulated + on.kAcceleration + 3, block);
  }
  const V3<P> r = load3<P>(d.r[0], kLanes);
  if (block.columns == 0) {
    const V6<P> W{load3<P>(d.articulated[d.kW], kLanes), load3<P>(d.articulated[d.kW + 3], kLanes)};
    const P q = less_dot(load<P>(d.articulated[d.kK]), W, V6<P>{alpha, lin});
    lin = add_cross(lin, alpha, r);
    alpha = add_scaled(alpha, load3<P>(d.a[0], kLanes), q);
    if (block.bodies == kLanes)
      store(unknowns + block.column, q);
    else
      for (int l = 0; l < block.bodies; ++l) unknowns[block.column + l] = q[l];
  } else {
    V6<P> a{alpha, add_cross(lin, alpha, r)};
    for (int j = block.columns - 1; j >= 0; --j) {
      const Column<kLanes>& column = scratch.columns[block.first_column + j];
      const V6<P> W{load3<P>(column.W[0], kLanes), load3<P>(column.W[3], kLanes)};
      const P y = less_dot(load<P>(column.k), W, a);
      a = add_scaled(a, V6<P>{load3<P>(column.S[0], kLanes), load3<P>(column.S[3], kLanes)}, y);
      for (int l = 0; l < block.bodies; ++l) {
        const JointConstants& joint = system.joints[block.first_slot + l];
        if (j < joint.columns) unknowns[joint.column + j] = y[l];
      }
    }
    for (int l = 0; l < block.bodies; ++l) {
      const int drive = system.joints[block.first_slot + l].drive;
      if (drive < 0) continue;
      put_power(scratch.drives[drive],
                {{a.ang.x[l], a.ang.y[l], a.ang.z[l]}, {a.lin.x[l], a.lin.y[l], a.lin.z[l]}});
    }
    alpha = a.ang;
    lin = a.lin;
  }
  store3(d.articulated[d.kAcceleration], kLanes, alpha);
  store3(d.articulated[d.kAcceleration + 3], kLanes, lin);
}

void kinematics(const LevelSystem& system, const Inputs& in, LevelScratch& scratch) {
  for (int b = 0; b < system.block_count; ++b) block_kinematics(system, b, in, scratch);
}
void inward(const LevelSystem& system, const Inputs& in, LevelScratch& scratch) {
  for (int b = system.block_count - 1; b >= 0; --b) block_inward(system, b, in, scratch);
}
void outward(const LevelSystem& system, const Inputs& /*in*/, LevelScratch& scratch,
             double* unknowns) {
  for (int b = 0; b < system.block_count; ++b) block_outward(system, b, scratch, unknowns);
}

}  // namespace levels
}  // namespace sarrus::articulated::SARRUS_INSTRUCTIONS
