#pragma once

#include <cmath>

#include "sarrus/formulations/branches/kernels/algebra.h"

/// The recursion of one branch with the forces of its connections kept as unknowns.
namespace sarrus::branches::SARRUS_INSTRUCTIONS {

/// H += f y yᵀ over rows [low, high), below the diagonal; y starts at low rounded down to lanes.
SARRUS_INLINE void add_square(const double* y, double f, int low, int high, int stride, double* H) {
  const int start = low & ~3;
  for (int i = low; i < high; ++i) {
    const double factor = f * y[i - start];
    double* row = H + static_cast<std::ptrdiff_t>(i) * stride;
    for (int j = start; j <= i; j += 4)
      store(row + j, load(row + j) + factor * load(y + j - start));
  }
}

/// Lᵀ D L of the modes' mass from the last on, rows of L below the diagonal, √(1/D) on it.
template <int kModes>
SARRUS_INLINE bool factor_modes(const FlexibleConstants& own, double* L) {
  const int n = count_of<kModes>(own), stride = stride_of<kModes>(own);
  // Of the upper half nothing is used: what lanes do there does not matter.
  for (int k = n; k-- > 0;) {
    double* row = L + k * stride;
    if (!(row[k] > 0)) return false;
    const double inverse = 1 / row[k];
    for (int i = 0; i < k; ++i) {
      double* other = L + i * stride;
      const double f = inverse * row[i];
      for (int j = 0; j <= i; j += 4) store(other + j, load(other + j) - f * load(row + j));
    }
    for (int j = 0; j < k; j += 4) store(row + j, inverse * load(row + j));
    row[k] = std::sqrt(inverse);
  }
  return true;
}

/// Takes the modes of a body out, with all that couples to them.  [branches-modes]
template <int kModes>
static bool eliminate_modes(const FlexibleConstants& own, const BodyConstants& body,
                            const BranchConstants& branch, BodyData& data, Scratch& scratch) {
  const int n = count_of<kModes>(own), stride = stride_of<kModes>(own), width = own.width;
  double* L = scratch.modal_mass + own.matrix;
  double* coupled = scratch.coupled + own.coupled;
  if (!factor_modes<kModes>(own, L)) return false;
  for (int i = 0; i < width; i += 4) {
    if constexpr (kModes > 0) {
      V4 x[kModes];  // in registers, if all is unrolled
#pragma GCC unroll 8
      for (int k = 0; k < kModes; ++k) x[k] = load(coupled + k * width + i);
#pragma GCC unroll 8
      for (int k = kModes - 1; k >= 0; --k) {
#pragma GCC unroll 8
        for (int j = 0; j < k; ++j) x[j] -= L[k * stride + j] * x[k];
        store(coupled + k * width + i, L[k * stride + k] * x[k]);
      }
    } else {
      for (int k = n; k-- > 0;) {
        const V4 x = load(coupled + k * width + i);
        for (int j = 0; j < k; ++j)
          store(coupled + j * width + i, load(coupled + j * width + i) - L[k * stride + j] * x);
        store(coupled + k * width + i, L[k * stride + k] * x);
      }
    }
  }
  W6 I[6], p = load(data.p);
  for (int c = 0; c < 6; ++c) I[c] = load(data.I[c]);
  for (int k = 0; k < n; ++k) {
    const double* row = coupled + k * width;
    const W6 G = {load(row), load(row + 4)};
    for (int c = 0; c < 3; ++c) {
      I[c] = I[c] - row[c] * G;
      I[3 + c] = I[3 + c] - row[4 + c] * G;
    }
    p = p - row[8] * G;
  }
  for (int c = 0; c < 6; ++c) store(data.I[c], I[c]);
  store(data.p, p);
  const int start = body.low & ~3;
  const int padded = width - 12;
  Six* columns = scratch.columns + body.columns;
  for (int j = body.low - start; j < body.high - start; ++j) {
    W6 column = load(columns[j]);
    for (int k = 0; k < n; ++k) {
      const double* row = coupled + k * width;
      column = column - row[12 + j] * W6{load(row), load(row + 4)};
    }
    store(columns[j], column);
  }
  double* h = scratch.h + branch.h + start;
  double* H = scratch.H + branch.H;
  for (int j = 0; j < padded; j += 4) {
    V4 sum = load(h + j);
    for (int k = 0; k < n; ++k) sum -= coupled[k * width + 8] * load(coupled + k * width + 12 + j);
    store(h + j, sum);
  }
  for (int i = body.low; i < body.high; ++i) {
    double* to = H + static_cast<std::ptrdiff_t>(i) * branch.stride;
    for (int j = 0; start + j <= i; j += 4) {
      V4 sum = load(to + start + j);
      for (int k = 0; k < n; ++k) {
        const double* y = coupled + k * width + 12;
        sum += y[i - start] * load(y + j);
      }
      store(to + start + j, sum);
    }
  }
  if (scratch.bounds != nullptr)
    for (int k = 0; k < n; ++k)
      for (int j = body.low; j < body.high; ++j) {
        const double y = coupled[k * width + 12 + j - start];
        scratch.bounds[branch.h + static_cast<std::size_t>(j)] += y * y;
      }
  return true;
}

/// What hangs on a node of a flexible parent acts on the parent's modes, too.  [branches-modes]
template <int kModes>
static void add_to_modes(const FlexibleConstants& own, const BodyConstants& parent,
                         const BodyConstants& body, const BodyData& data, const W6& p,
                         Scratch& scratch) {
  const int n = count_of<kModes>(own), stride = stride_of<kModes>(own);
  const SeatMotion& seat = scratch.seats[body.seat_below];
  const Six* Z_node = scratch.Z + seat.Z;
  Six* Z = scratch.Z_beyond + own.Z;
  const V4 r = load(data.r);
  const V4 from_node = r - load(seat.s);
  double* mass = scratch.modal_mass + own.matrix;
  double* coupled = scratch.coupled + own.coupled;
  const Six* columns = scratch.columns + body.columns;
  const int padded = ((body.high + 3) & ~3) - (body.low & ~3);
  const int offset = 12 + (body.low & ~3) - (parent.low & ~3);
  for (int k = 0; k < n; ++k) store(Z[k], shift_motion(load(Z_node[k]), from_node));
  for (int k = 0; k < n; ++k) {
    double* row = coupled + k * own.width;
    const W6 Z_k = load(Z[k]);
    const W6 IZ = product(data.I, Z_k);
    const W6 there = shift_force(IZ, -r);
    store(row, load(row) + there.w);
    store(row + 4, load(row + 4) + there.v);
    row[8] += dot(Z_k, p);
    for (int j = 0; j < padded; j += 4)
      store(row + offset + j, load(row + offset + j) + four_dots(Z_k, columns + j));
    double* to = mass + k * stride;
    for (int l = 0; l <= k; l += 4) store(to + l, load(to + l) + four_dots(IZ, Z + l));
  }
}
static void add_to_modes(const System& system, const BodyConstants& body, const BodyData& data,
                         const W6& p, Scratch& scratch) {
  const BodyConstants& parent = system.bodies[body.parent];
  const FlexibleConstants& own = system.flexible[parent.flexible];
  with_modes(own.modes, [&]<int kModes>(Modes<kModes>) {
    add_to_modes<kModes>(own, parent, body, data, p, scratch);
  });
}

/// Wrenches of rows from a body to its parent.
SARRUS_INLINE void pass_rows(const BodyConstants& body, const BodyConstants& parent, V4 r,
                             Scratch& scratch) {
  const Six* columns = scratch.columns + body.columns - (body.low & ~3);
  Six* to = scratch.columns + parent.columns - (parent.low & ~3);
  if (parent.takes_rows)
    for (int j = body.low; j < body.high; ++j) store(to[j], shift_force(load(columns[j]), -r));
  else
    for (int j = body.low; j < body.high; ++j)
      store(to[j], load(to[j]) + shift_force(load(columns[j]), -r));
}

/// [branches-inward]
static Trouble inward(const System& system, const BranchConstants& branch, const Inputs& in,
                      Scratch& scratch) {
  double* H = scratch.H + branch.H;
  const W6 ground = {zero(), V4{-system.gravity[0], -system.gravity[1], -system.gravity[2], 0}};
  for (int i = branch.end; i-- > branch.first;) {
    const BodyConstants& body = system.bodies[i];
    BodyData& data = scratch.bodies[i];
    const int start = body.low & ~3;
    const int padded = ((body.high + 3) & ~3) - start;
    double* h = scratch.h + branch.h + start;
    Six* columns = scratch.columns + body.columns;
    if (body.flexible >= 0) {
      const FlexibleConstants& own = system.flexible[body.flexible];
      const bool can = with_modes(own.modes, [&]<int kModes>(Modes<kModes>) {
        return eliminate_modes<kModes>(own, body, branch, data, scratch);
      });
      if (!can) return {i};
    }
    W6 p = load(data.p);
    for (int k = 0; k < body.freedoms; ++k) {
      FreedomData& freedom = scratch.freedoms[body.freedom + k];
      const W6 S = load(freedom.S);
      const W6 U = product(data.I, S);
      const double D = dot(S, U);
      if (!(D > 0)) return {i};
      const double D_inverse = 1 / D;
      store(freedom.U, U);
      freedom.D_inverse = D_inverse;
      freedom.u = in.tau[body.freedom + k] - dot(S, p);
      subtract_square(data.I, U, D_inverse);
      const double force = D_inverse * freedom.u;
      p = p + force * U;
      if (padded == 0) continue;
      double* y = scratch.products + body.row + static_cast<std::ptrdiff_t>(k) * padded;
      if (scratch.bounds != nullptr)
        for (int j = 0; j < padded; ++j) {
          const double largest = largest_dot(S, load(columns[j]));
          scratch.bounds[branch.h + static_cast<std::size_t>(start + j)] +=
              D_inverse * largest * largest;
        }
      for (int j = 0; j < padded; j += 4) {
        const V4 products = four_dots(S, columns + j);
        store(y + j, products);
        store(h + j, load(h + j) + force * products);
      }
      for (int j = body.low - start; j < body.high - start; ++j)
        store(columns[j], load(columns[j]) - (D_inverse * y[j]) * U);
      add_square(y, D_inverse, body.low, body.high, branch.stride, H);
    }
    store(data.p, p);
    if (body.is_free) continue;
    const W6 c = load(data.c);
    const W6 a = body.parent < 0 ? c + ground : c;
    for (int j = 0; j < padded; j += 4) store(h + j, load(h + j) + four_dots(a, columns + j));
    if (body.parent < 0) continue;
    p = p + product(data.I, c);
    const BodyConstants& parent = system.bodies[body.parent];
    BodyData& below = scratch.bodies[body.parent];
    if (parent.flexible >= 0 && body.seat_below >= 0) add_to_modes(system, body, data, p, scratch);
    const V4 r = load(data.r);
    W6 I[6];
    shift_inertia(data.I, -r, I);
    for (int k = 0; k < 6; ++k) store(below.I[k], load(below.I[k]) + I[k]);
    store(below.p, load(below.p) + shift_force(p, -r));
    pass_rows(body, parent, r, scratch);
  }
  return {};
}

template <int kModes>
SARRUS_INLINE void accelerate_modes(const FlexibleConstants& own, const W6& A, const double* lambda,
                                    int rows, bool homogeneous, const Scratch& scratch,
                                    double* eta_rate) {
  const int n = count_of<kModes>(own), stride = stride_of<kModes>(own);
  const double* L = scratch.modal_mass + own.matrix;
  const double* coupled = scratch.coupled + own.coupled;
  double* to = eta_rate + own.first;
  for (int k = 0; k < n; ++k) {
    const double* row = coupled + k * own.width;
    V4 t = -(load(row) * A.w + load(row + 4) * A.v);
    for (int j = 0; j < rows; j += 4) t += load(row + 12 + j) * load(lambda + j);
    to[k] = L[k * stride + k] * (homogeneous ? sum(t) : sum(t) - row[8]);
  }
  for (int k = 1; k < n; ++k) {
    double x = to[k];
    for (int l = 0; l < k; ++l) x -= L[k * stride + l] * to[l];
    to[k] = x;
  }
}

/// Of a body's reference frame, its own unknowns left out: what its parent and the parent's modes do,
/// and what is known. Homogeneous: of the velocities that impulses make.  [branches-motion]
SARRUS_INLINE W6 carried_acceleration(const System& system, int i, bool homogeneous,
                                      const Scratch& scratch, const double* eta_rate) {
  const BodyConstants& body = system.bodies[i];
  const BodyData& data = scratch.bodies[i];
  if (body.is_free) return nothing();
  W6 A = nothing();
  if (body.parent >= 0) {
    A = shift_motion(load(scratch.bodies[body.parent].A), load(data.r));
    if (body.seat_below >= 0) {
      const SeatMotion& seat = scratch.seats[body.seat_below];
      const FlexibleConstants& own = system.flexible[system.bodies[body.parent].flexible];
      const Six* Z = scratch.Z + seat.Z;
      W6 bent = nothing();
      for (int k = 0; k < own.modes; ++k) bent = bent + eta_rate[own.first + k] * load(Z[k]);
      A = A + shift_motion(bent, load(data.r) - load(seat.s));
    }
  } else if (!homogeneous) {
    A = {zero(), V4{-system.gravity[0], -system.gravity[1], -system.gravity[2], 0}};
  }
  return homogeneous ? A : A + load(data.c);
}

/// [branches-outward]
static void outward(const System& system, const BranchConstants& branch, const double* lambda,
                    bool homogeneous, Scratch& scratch, double* v_rate, double* eta_rate) {
  for (int i = branch.first; i < branch.end; ++i) {
    const BodyConstants& body = system.bodies[i];
    BodyData& data = scratch.bodies[i];
    const int start = body.low & ~3;
    const int padded = ((body.high + 3) & ~3) - start;
    const bool has_rows = body.high > body.low;
    W6 A = carried_acceleration(system, i, homogeneous, scratch, eta_rate);
    for (int k = body.freedoms; k-- > 0;) {
      const FreedomData& freedom = scratch.freedoms[body.freedom + k];
      double u = homogeneous ? 0 : freedom.u;
      if (has_rows) {
        const double* y = scratch.products + body.row + static_cast<std::ptrdiff_t>(k) * padded;
        V4 t = zero();
        for (int j = 0; j < padded; j += 4) t += load(y + j) * load(lambda + start + j);
        u += sum(t);
      }
      const double rate = freedom.D_inverse * (u - dot(load(freedom.U), A));
      A = A + rate * load(freedom.S);
      v_rate[body.freedom + k] = rate;
    }
    store(data.A, A);
    if (body.flexible < 0) continue;
    const FlexibleConstants& own = system.flexible[body.flexible];
    with_modes(own.modes, [&]<int kModes>(Modes<kModes>) {
      accelerate_modes<kModes>(own, A, lambda + start, padded, homogeneous, scratch, eta_rate);
    });
  }
}

}  // namespace sarrus::branches::SARRUS_INSTRUCTIONS
