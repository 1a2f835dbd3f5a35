#pragma once

// Levels: bodies of equal depth side by side in eight lanes, in all three passes; for trees that
// are wide rather than long. The parents of a block lie in one block, so that what passes between
// them is a permutation of lanes. Registers of four lanes take a block in two halves.  [order-n-levels]

#include "sarrus/articulated/kernels/drive_power.h"
#include "sarrus/articulated/kernels/system.h"
#include "sarrus/tree/joint_motion.h"

namespace sarrus::articulated::SARRUS_INSTRUCTIONS {

using namespace tree::SARRUS_INSTRUCTIONS;
namespace levels {

constexpr int kLanes = kWideLanes;  // of a block in memory
#if defined(__AVX512F__)
using P = Pack8;
#else
using P = Pack4;
#endif
constexpr int kAtOnce = Lanes<P>::kCount;
using Bits = Lanes<P>::Bits;

/// The lanes of a block that registers hold at once.
struct Part {
  const LevelBlock& block;
  int first;   ///< lane
  int bodies;  ///< from there on; not all lanes of a tree's last block have one
  int slot(int l) const { return block.first_slot + first + l; }
};

/// Calls f with the parts of a block that have bodies.
template <class F>
SARRUS_INLINE void for_each_part(const LevelBlock& block, F f) {
  if constexpr (kAtOnce == kLanes) return f(Part{block, 0, block.bodies});
  for (int first = 0; first < block.bodies; first += kAtOnce) {
    const int rest = block.bodies - first;
    f(Part{block, first, rest < kAtOnce ? rest : kAtOnce});
  }
}

SARRUS_INLINE P load(const double* field, const Part& part) {
  return lanes::SARRUS_INSTRUCTIONS::load<P>(field + part.first);
}
SARRUS_INLINE V3<P> load3(const double (*field)[kLanes], const Part& part) {
  return {load(field[0], part), load(field[1], part), load(field[2], part)};
}
SARRUS_INLINE V6<P> load6(const double (*field)[kLanes], const Part& part) {
  return {load3(field, part), load3(field + 3, part)};
}
SARRUS_INLINE void store(double* field, const Part& part, P value) {
  lanes::SARRUS_INSTRUCTIONS::store(field + part.first, value);
}
SARRUS_INLINE void store3(double (*field)[kLanes], const Part& part, const V3<P>& v) {
  store(field[0], part, v.x);
  store(field[1], part, v.y);
  store(field[2], part, v.z);
}

/// Of each body's parent.
SARRUS_INLINE P from_parent(const double* field, const Part& part) {
  const std::int64_t* lane = part.block.parent_lane + part.first;
#if defined(__AVX512F__)
  typedef Bits8 Aliased __attribute__((may_alias, aligned(8)));
  return __builtin_shuffle(lanes::SARRUS_INSTRUCTIONS::load<P>(field),
                           *reinterpret_cast<const Aliased*>(lane));
#else
  return P{field[lane[0]], field[lane[1]], field[lane[2]], field[lane[3]]};
#endif
}
SARRUS_INLINE V3<P> from_parent3(const double (*field)[kLanes], const Part& part) {
  return {from_parent(field[0], part), from_parent(field[1], part), from_parent(field[2], part)};
}

/// Joints that are not all revolute, in the parents' frames; their columns in world axes go to memory.
struct GeneralMotion {
  Q4<P> g;
  V3<P> r, w, v, bias_ang, bias_lin;
};
inline GeneralMotion general_motion(const LevelSystem& system, const Part& part, const Inputs& in,
                                    const M3<P>& R_parent, LevelScratch& scratch) {
  LocalMotion<kAtOnce> local{};
  V6<double> S[kAtOnce][6];
  for (int l = 0; l < kAtOnce; ++l) local.g[0][l] = 1;
  for (int l = 0; l < part.bodies; ++l) {
    const JointConstants& joint = system.joints[part.slot(l)];
    fill_lane(joint, in.q + joint.q, in.v + joint.v, in.turns, in.drives, l, local, S[l]);
  }
  const auto from = [](const double(*field)[kAtOnce]) {
    return lanes::SARRUS_INSTRUCTIONS::load3<P>(field[0], kAtOnce);
  };
  for (int j = 0; j < part.block.columns; ++j) {
    double packed[6][kAtOnce] = {};  // lanes that have no such column get zeros
    for (int l = 0; l < part.bodies; ++l)
      if (j < system.joints[part.slot(l)].columns)
        for_each_number(S[l][j], [&](int k, double number) { packed[k][l] = number; });
    Column<kLanes>& column = scratch.columns[part.block.first_column + j];
    store3(column.S, part, R_parent * from(packed));
    store3(column.S + 3, part, R_parent * from(packed + 3));
  }
  const auto load_lanes = [](const double* field) {
    return lanes::SARRUS_INSTRUCTIONS::load<P>(field);
  };
  const GeneralMotion m{{load_lanes(local.g[0]), load_lanes(local.g[1]), load_lanes(local.g[2]),
                         load_lanes(local.g[3])},
                        R_parent * from(local.r),
                        R_parent * from(local.w),
                        R_parent * from(local.v),
                        R_parent * from(local.bias_ang),
                        R_parent * from(local.bias_lin)};
  for (int l = 0; l < part.bodies; ++l) {
    const int drive = system.joints[part.slot(l)].drive;
    if (drive < 0) continue;
    const V6<double> V{{m.w.x[l], m.w.y[l], m.w.z[l]}, {m.v.x[l], m.v.y[l], m.v.z[l]}};
    for_each_number(V, [&](int k, double number) { scratch.drives[drive].V[k] = number; });
  }
  return m;
}

SARRUS_INLINE void find_motion(const LevelSystem& system, int b, const Part& part, const Inputs& in,
                               LevelScratch& scratch) {
  const LevelBlock& block = part.block;
  const BodyConstants<kLanes>& c = system.constants[b];
  LevelData& d = scratch.data[b];
  const P zero{};
  Q4<P> q_parent{splat<P>(1.0), zero, zero, zero};
  V3<P> omega_parent{zero, zero, zero}, alpha_parent{zero, zero, zero};
  V3<P> acc = {splat<P>(-system.gravity[0]), splat<P>(-system.gravity[1]),
               splat<P>(-system.gravity[2])};
  if (block.parent >= 0) {
    const Record<kLanes>& on = scratch.data[block.parent].record;
    q_parent = {from_parent(on.q[0], part), from_parent(on.q[1], part), from_parent(on.q[2], part),
                from_parent(on.q[3], part)};
    omega_parent = from_parent3(on.omega, part);
    alpha_parent = from_parent3(on.alpha, part);
    acc = from_parent3(on.acc, part);
  }
  const M3<P> R_parent = matrix_of(q_parent);
  Q4<P> g;
  V3<P> r, w, v{}, bias_ang{}, bias_lin{};
  M3<P> R;
  if (block.columns == 0) {
    P s, co;
    sine_cosine(0.5 * load_some<P>(in.q + block.q + part.first, part.bodies), in.turns, s, co);
    const Q4<P> q_PE{load(c.q[0], part), load(c.q[1], part), load(c.q[2], part),
                     load(c.q[3], part)};
    g = renormalised(q_parent * turned_about_z(q_PE, s, co));
    R = matrix_of(g);
    r = R_parent * load3(c.r, part);
    w = third_column(R) * load_some<P>(in.v + block.v + part.first, part.bodies);
  } else {
    const GeneralMotion m = general_motion(system, part, in, R_parent, scratch);
    g = renormalised(q_parent * m.g);
    R = matrix_of(g);
    r = m.r;
    w = m.w;
    v = m.v;
    bias_ang = m.bias_ang;
    bias_lin = m.bias_lin;
  }
  const V3<P> swept = cross(omega_parent, r);
  const V3<P> omega = omega_parent + w;
  const V3<P> alpha = add_cross(alpha_parent + bias_ang, omega_parent, w);
  acc = add_cross(acc + bias_lin, omega_parent, swept + v + v);
  acc = add_cross(acc, alpha_parent, r);
  store(d.record.q[0], part, g.w);
  store(d.record.q[1], part, g.x);
  store(d.record.q[2], part, g.y);
  store(d.record.q[3], part, g.z);
  store3(d.record.omega, part, omega);
  store3(d.record.alpha, part, alpha);
  store3(d.record.acc, part, acc);
  if (in.poses) {
    V3<P> p = r, velocity = swept + v;
    if (block.parent >= 0) {
      const Record<kLanes>& on = scratch.data[block.parent].record;
      p = p + from_parent3(on.p, part);
      velocity = velocity + from_parent3(on.v, part);
    }
    store3(d.record.p, part, p);
    store3(d.record.v, part, velocity);
  }
  store3(d.a, part, third_column(R));
  store3(d.r, part, r);
  const S3<P> J = rotated(R, S3<P>{load(c.J[0], part), load(c.J[1], part), load(c.J[2], part),
                                   load(c.J[3], part), load(c.J[4], part), load(c.J[5], part)});
  const V3<P> h = R * load3(c.h, part);
  const P m = load(c.m, part);
  const V6<P> bias = bias_wrench(J, h, m, omega, alpha, acc);
  Articulated<P> rigid{};
  add_rigid(rigid, J, h, m, bias.ang, bias.lin);
  for_each_number_of(rigid, [&](int k, const P& number) { store(d.articulated[k], part, number); });
}

/// Sums over the children of each parent.
SARRUS_INLINE void add_to_parents(const LevelSystem& system, const Part& part,
                                  const Articulated<P>& carry, LevelData& parent) {
#if defined(__AVX512F__)
  // In rounds: in each a parent's lane receives from at most one child's.
  typedef Bits8 Aliased __attribute__((may_alias, aligned(8)));
  for (int i = 0; i < part.block.rounds; ++i) {
    const LevelRound& round = system.rounds[part.block.first_round + i];
    const Bits8 child = *reinterpret_cast<const Aliased*>(round.child_lane);
    const Bits8 receives = *reinterpret_cast<const Aliased*>(round.receives);
    for_each_number_of(carry, [&](int k, const P& number) {
      double* field = parent.articulated[k];
      const Bits8 moved = __builtin_bit_cast(Bits8, __builtin_shuffle(number, child));
      lanes::SARRUS_INSTRUCTIONS::store(field, lanes::SARRUS_INSTRUCTIONS::load<P>(field) +
                                                   __builtin_bit_cast(P, moved & receives));
    });
  }
#else
  (void)system;
  double numbers[27][kAtOnce];
  for_each_number_of(carry, [&](int k, const P& number) {
    lanes::SARRUS_INSTRUCTIONS::store(numbers[k], number);
  });
  for (int l = 0; l < part.bodies; ++l) {
    double* field = parent.articulated[0] + part.block.parent_lane[part.first + l];
#pragma GCC unroll 27
    for (int k = 0; k < 27; ++k) field[kLanes * k] += numbers[k][l];
  }
#endif
}

/// Joints that are not all revolute: one unknown after the other. Inline, so that the carry of the others
/// stays in registers.
SARRUS_INLINE void eliminate_columns(const LevelSystem& system, const Part& part, const Inputs& in,
                                     LevelScratch& scratch, Articulated<P>& carry) {
  Bits all_free{};
  for (int l = 0; l < part.bodies; ++l) {
    const JointConstants& joint = system.joints[part.slot(l)];
    all_free[l] = joint.columns == 6 ? -1 : 0;
    if (joint.drive < 0) continue;
    DriveRecord& drive = scratch.drives[joint.drive];
    for_each_number_of(carry, [&](int k, const P& number) { drive.articulated[k] = number[l]; });
  }
  for (int j = 0; j < part.block.columns; ++j) {
    Column<kLanes>& column = scratch.columns[part.block.first_column + j];
    P tau{}, absent = splat<P>(1.0);
    for (int l = 0; l < part.bodies; ++l) {
      const JointConstants& joint = system.joints[part.slot(l)];
      if (j >= joint.columns) continue;
      tau[l] = in.tau[joint.column + j];
      absent[l] = 0;
    }
    const Eliminated<P> e = eliminate(carry, load6(column.S, part), tau, absent);
    store3(column.W, part, e.W.ang);
    store3(column.W + 3, part, e.W.lin);
    store(column.k, part, e.k);
  }
  // With six unknowns nothing is handed on but the joint's own forces.
  for_each_number_of(carry, [&](int k, P& number) {
    if (k < 21) number = all_free ? P{} : number;
  });
}

SARRUS_INLINE void go_inward(const LevelSystem& system, int b, const Part& part, const Inputs& in,
                             LevelScratch& scratch) {
  const LevelBlock& block = part.block;
  LevelData& d = scratch.data[b];
  Articulated<P> carry;
  for_each_number_of(carry, [&](int k, P& number) { number = load(d.articulated[k], part); });
  const V3<P> r = load3(d.r, part);
  if (block.columns == 0) {
    const P tau = load_some<P>(in.tau + block.column + part.first, part.bodies);
    const Eliminated<P> e = eliminate_turn(carry, load3(d.a, part), tau);
    const V6<P> W_parent = shifted_wrench(e.W, r);
    store3(d.articulated + d.kW, part, W_parent.ang);
    store3(d.articulated + d.kW + 3, part, W_parent.lin);
    store(d.articulated[d.kK], part, e.k);
  } else {
    eliminate_columns(system, part, in, scratch, carry);
  }
  if (block.parent < 0) return;
  shift_inertia(carry, r);
  carry.n = add_cross(carry.n, r, carry.f);
  add_to_parents(system, part, carry, scratch.data[block.parent]);
}

SARRUS_INLINE void go_outward(const LevelSystem& system, int b, const Part& part,
                              LevelScratch& scratch, double* unknowns) {
  const LevelBlock& block = part.block;
  LevelData& d = scratch.data[b];
  V3<P> alpha{}, lin{};
  if (block.parent >= 0) {
    const LevelData& on = scratch.data[block.parent];
    alpha = from_parent3(on.articulated + on.kAcceleration, part);
    lin = from_parent3(on.articulated + on.kAcceleration + 3, part);
  }
  const V3<P> r = load3(d.r, part);
  if (block.columns == 0) {
    const V6<P> W = load6(d.articulated + d.kW, part);
    const P q = less_dot(load(d.articulated[d.kK], part), W, V6<P>{alpha, lin});
    lin = add_cross(lin, alpha, r);
    alpha = add_scaled(alpha, load3(d.a, part), q);
    double* to = unknowns + block.column + part.first;
    if (part.bodies == kAtOnce)
      lanes::SARRUS_INSTRUCTIONS::store(to, q);
    else
      for (int l = 0; l < part.bodies; ++l) to[l] = q[l];
  } else {
    V6<P> a{alpha, add_cross(lin, alpha, r)};
    for (int j = block.columns - 1; j >= 0; --j) {
      const Column<kLanes>& column = scratch.columns[block.first_column + j];
      const P y = less_dot(load(column.k, part), load6(column.W, part), a);
      a = add_scaled(a, load6(column.S, part), y);
      for (int l = 0; l < part.bodies; ++l) {
        const JointConstants& joint = system.joints[part.slot(l)];
        if (j < joint.columns) unknowns[joint.column + j] = y[l];
      }
    }
    for (int l = 0; l < part.bodies; ++l) {
      const int drive = system.joints[part.slot(l)].drive;
      if (drive < 0) continue;
      put_power(scratch.drives[drive],
                {{a.ang.x[l], a.ang.y[l], a.ang.z[l]}, {a.lin.x[l], a.lin.y[l], a.lin.z[l]}});
    }
    alpha = a.ang;
    lin = a.lin;
  }
  store3(d.articulated + d.kAcceleration, part, alpha);
  store3(d.articulated + d.kAcceleration + 3, part, lin);
}

void kinematics(const LevelSystem& system, const Inputs& in, LevelScratch& scratch) {
  for (int b = 0; b < system.block_count; ++b)
    for_each_part(
        system.blocks[b], [&](const Part& part) __attribute__((always_inline)) {
          find_motion(system, b, part, in, scratch);
        });
}
void inward(const LevelSystem& system, const Inputs& in, LevelScratch& scratch) {
  for (int b = system.block_count - 1; b >= 0; --b)
    for_each_part(
        system.blocks[b], [&](const Part& part) __attribute__((always_inline)) {
          go_inward(system, b, part, in, scratch);
        });
}
void outward(const LevelSystem& system, const Inputs& /*in*/, LevelScratch& scratch,
             double* unknowns) {
  for (int b = 0; b < system.block_count; ++b)
    for_each_part(
        system.blocks[b], [&](const Part& part) __attribute__((always_inline)) {
          go_outward(system, b, part, scratch, unknowns);
        });
}

}  // namespace levels
}  // namespace sarrus::articulated::SARRUS_INSTRUCTIONS
