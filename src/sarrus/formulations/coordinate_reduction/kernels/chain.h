#pragma once

// A long chain inside a loop, from the body that it hangs on to its last one: the articulated-body
// recursion that keeps a handle at the far end.  [reduction-chain]

#include "sarrus/base/thresholds.h"
#include "sarrus/formulations/coordinate_reduction/kernels/motion.h"

namespace sarrus::coordinate_reduction::SARRUS_INSTRUCTIONS {

/// Directions in which the end moves so much harder than in the easiest are few digits, or rounding
/// of nothing. Between the two the bodies are better taken one by one.
constexpr double kFaintDirection = 1e-6;
constexpr double kNoDirection = 1e-12;

/// To whoever holds both ends a chain is
///
///     wrench at the base = I a + p − K f,  acceleration of the end = Kᵀ a + Λ f + β
struct ChainEnds {
  Articulated<double> base;
  Row8 K[6];       ///< a row a component at the base, six numbers each
  Row8 Lambda[6];  ///< symmetric
  Row8 beta;
};

SARRUS_INLINE double numbered(const V6<double>& v, int k) {
  return k == 0   ? v.ang.x
         : k == 1 ? v.ang.y
         : k == 2 ? v.ang.z
         : k == 3 ? v.lin.x
         : k == 4 ? v.lin.y
                  : v.lin.z;
}
/// Σ v_i rows_i
SARRUS_INLINE Row8 combination(const V6<double>& v, const Row8 (&rows)[6]) {
  return ((rows[0] * v.ang.x + rows[1] * v.ang.y) + (rows[2] * v.ang.z + rows[3] * v.lin.x)) +
         (rows[4] * v.lin.y + rows[5] * v.lin.z);
}

inline void place_chain(const System& system, const Inputs& in, const Chain& chain,
                        Scratch& scratch) {
  JointInWorld joint;
  for (int i = 0; i < chain.count; ++i) {
    const int slot = chain.slots[i];
    place_body(system, in, slot, scratch, joint);
    ChainStep& step = scratch.chain_steps[slot];
    put3(step.shift, joint.s);
    put3(step.bias, joint.bias_ang);
    put3(step.bias + 3, joint.bias_lin);
    const tree::JointConstants& constants = system.joints[slot];
    for (int k = 0; k < constants.columns; ++k) {
      ChainColumn& column = scratch.chain_columns[constants.column + k];
      put3(column.S, joint.S[k].ang);
      put3(column.S + 3, joint.S[k].lin);
    }
  }
}

/// Takes an unknown out of the recursion; false where hardly anything moves with it.
SARRUS_INLINE bool take_out_column(ChainColumn& column, double tau, ChainEnds& ends) {
  Articulated<double>& a = ends.base;
  const V6<double> S{get3(column.S), get3(column.S + 3)};
  const V6<double> U = times(a, S);
  const double D = dot(S, U);
  const double could = dot(S.ang, S.ang) * (a.A.xx + a.A.yy + a.A.zz) +
                       dot(S.lin, S.lin) * (a.M.xx + a.M.yy + a.M.zz);
  if (!(D > thresholds::kLittleInertia * could)) return false;
  const double inverse = 1 / D;
  const V6<double> W = U * inverse;
  const double u = less_dot(tau, S, V6<double>{a.n, a.f});
  project(a, U, W);
  a.n = add_scaled(a.n, W.ang, u);
  a.f = add_scaled(a.f, W.lin, u);
  const Row8 kappa = combination(S, ends.K);
  put3(column.W, W.ang);
  put3(column.W + 3, W.lin);
  store8(column.kappa, kappa * inverse);
  column.k = u * inverse;
  ends.beta += kappa * column.k;
  double numbers[8];
  store8(numbers, kappa);
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    ends.K[i] -= kappa * numbered(W, i);
    ends.Lambda[i] += kappa * (numbers[i] * inverse);
  }
  return true;
}

/// Inward over all bodies of a chain that has been placed.
inline bool sweep_chain(const System& system, const Inputs& in, const Chain& chain,
                        Scratch& scratch, ChainEnds& ends) {
  ends.base = Articulated<double>{};
  ends.beta = Row8{};
  for (int i = 0; i < 6; ++i) {
    ends.K[i] = with_number(Row8{}, i, 1);
    ends.Lambda[i] = Row8{};
  }
  for (int i = chain.count - 1; i >= 0; --i) {
    const int slot = chain.slots[i];
    const tree::JointConstants& joint = system.joints[slot];
    const OwnInertia own = own_inertia(system, in, slot, scratch.motions[slot]);
    add_rigid(ends.base, own.J, Real3{0, 0, 0}, own.m, own.n, own.f);
    if (in.appended && system.gathers[slot]) {
      const double* numbers = scratch.appended + 27 * static_cast<std::ptrdiff_t>(slot);
      for_each_number_of(ends.base, [&](int k, double& number) { number += numbers[k]; });
    }
    for (int k = joint.columns - 1; k >= 0; --k) {
      const int unknown = joint.column + k;
      const double tau = in.tau == nullptr ? 0 : in.tau[unknown] * system.scales[unknown];
      if (!take_out_column(scratch.chain_columns[unknown], tau, ends)) return false;
    }
    const ChainStep& step = scratch.chain_steps[slot];
    const V6<double> c{get3(step.bias), get3(step.bias + 3)};
    const Real3 s = get3(step.shift);
    ends.beta += combination(c, ends.K);
    const V6<double> more = times(ends.base, c);
    const V6<double> wrench =
        shifted_wrench(V6<double>{ends.base.n + more.ang, ends.base.f + more.lin}, s);
    shift_inertia(ends.base, s);
    ends.base.n = wrench.ang;
    ends.base.f = wrench.lin;
    ends.K[0] += ends.K[5] * s.y - ends.K[4] * s.z;
    ends.K[1] += ends.K[3] * s.z - ends.K[5] * s.x;
    ends.K[2] += ends.K[4] * s.x - ends.K[3] * s.y;
  }
  return true;
}

/// Λ = L Lᵀ with the largest pivots first; lengths and angles count alike over the reach of the
/// chain. Returns how faint the last of the directions is.
inline double factor_chain(const ChainEnds& ends, ChainFactor& factor) {
  double A[6][8];
  for (int i = 0; i < 6; ++i) store8(A[i], ends.Lambda[i]);
  const double turning = A[0][0] + A[1][1] + A[2][2], moving = A[3][3] + A[4][4] + A[5][5];
  const double reach = turning > 0 && moving > 0 ? std::sqrt(moving / turning) : 1;
  for (int i = 0; i < 6; ++i) {
    factor.unit[i] = i < 3 ? 1 / reach : 1;
    for (int k = 0; k < 6; ++k) A[i][k] *= (i < 3 ? reach : 1) * (k < 3 ? reach : 1);
  }
  double first = 0;
  int rank = 0;
  bool taken[6] = {};
  double faintest = 1;
  for (; rank < 6; ++rank) {
    int p = -1;
    for (int i = 0; i < 6; ++i)
      if (!taken[i] && (p < 0 || A[i][i] > A[p][p])) p = i;
    if (rank == 0) first = A[p][p];
    if (!(A[p][p] > kNoDirection * first)) break;
    faintest = A[p][p] / first;
    taken[p] = true;
    factor.order[rank] = p;
    const double root = std::sqrt(A[p][p]);
    double* L = factor.L[rank];
    for (int i = 0; i < 6; ++i) L[i] = i == p ? root : taken[i] ? 0 : A[i][p] / root;
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < 6; ++k)
        if (!taken[i] && !taken[k]) A[i][k] -= L[i] * L[k];
  }
  factor.rank = rank;
  factor.size = std::sqrt(first);
  return faintest;
}

/// The wrench at the end from its coordinates y: Lᵀ f = y / size, with none where Λ gives nothing.
SARRUS_INLINE Row8 wrench_at_end(const ChainFactor& factor, const double* y) {
  alignas(64) double f[8] = {};
  for (int j = factor.rank - 1; j >= 0; --j) {
    double rest = y[j] / factor.size;
    for (int i = j + 1; i < factor.rank; ++i)
      rest -= factor.L[j][factor.order[i]] * f[factor.order[i]];
    f[factor.order[j]] = rest / factor.L[j][factor.order[j]];
  }
  for (int i = 0; i < 6; ++i) f[i] /= factor.unit[i];
  return load8(f);
}

/// Outward: accelerations of all its joints and bodies, from the base's and the coordinates.
inline void spread_chain(const System& system, const Chain& chain, const ChainFactor& factor,
                         V6<double> a, const double* y, Scratch& scratch, double* unknowns) {
  const Row8 f = wrench_at_end(factor, y);
  for (int i = 0; i < chain.count; ++i) {
    const int slot = chain.slots[i];
    const ChainStep& step = scratch.chain_steps[slot];
    a.lin = add_cross(a.lin + get3(step.bias + 3), a.ang, get3(step.shift));
    a.ang = a.ang + get3(step.bias);
    const tree::JointConstants& joint = system.joints[slot];
    for (int k = 0; k < joint.columns; ++k) {
      const ChainColumn& column = scratch.chain_columns[joint.column + k];
      const V6<double> W{get3(column.W), get3(column.W + 3)};
      const double rate = less_dot(column.k, W, a) + sum_of(load8(column.kappa) * f);
      a = add_scaled(a, V6<double>{get3(column.S), get3(column.S + 3)}, rate);
      unknowns[joint.column + k] = rate * system.scales[joint.column + k];
    }
    double* to = scratch.accelerations + 6 * static_cast<std::ptrdiff_t>(slot);
    put3(to, a.ang);
    put3(to + 3, a.lin);
  }
}

}  // namespace sarrus::coordinate_reduction::SARRUS_INSTRUCTIONS
