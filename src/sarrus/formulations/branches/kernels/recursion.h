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

/// Takes the modes of a body out: Cholesky factor of their mass, all that couples to them through it.
/// [branches-modes]
static bool eliminate_modes(const FlexibleConstants& own, const BodyConstants& body,
                            const BranchConstants& branch, BodyData& data, Scratch& scratch) {
  const int n = own.modes, stride = own.stride, width = own.width;
  double* L = scratch.modal_mass + own.matrix;  // the diagonal holds 1/L_kk
  double* coupled = scratch.coupled + own.coupled;
  for (int k = 0; k < n; ++k) {
    double* row = coupled + k * width;
    for (int j = 0; j < k; ++j) {
      double x = L[k * stride + j];
      for (int i = 0; i < j; ++i) x -= L[k * stride + i] * L[j * stride + i];
      x *= L[j * stride + j];
      L[k * stride + j] = x;
      const double* other = coupled + j * width;
      for (int i = 0; i < width; i += 4) store(row + i, load(row + i) - x * load(other + i));
    }
    double d = L[k * stride + k];
    for (int i = 0; i < k; ++i) d -= L[k * stride + i] * L[k * stride + i];
    if (!(d > 0)) return false;
    const double inverse = 1 / std::sqrt(d);
    L[k * stride + k] = inverse;
    for (int i = 0; i < width; i += 4) store(row + i, inverse * load(row + i));
  }
  W6 p = load(data.p);
  Six* columns = scratch.columns + body.columns;
  double* h = scratch.h + branch.h;
  double* H = scratch.H + branch.H;
  const int start = body.low & ~3;
  for (int k = 0; k < n; ++k) {
    const double* row = coupled + k * width;
    const W6 G = {load(row), load(row + 4)};
    const double* y = row + 12;
    subtract_square(data.I, G, 1);
    p = p - row[8] * G;
    for (int j = body.low; j < body.high; ++j) {
      Six& column = columns[j - body.low];
      store(column, load(column) - y[j - start] * G);
      h[j] -= row[8] * y[j - start];
      if (scratch.bounds != nullptr)
        scratch.bounds[branch.h + static_cast<std::size_t>(j)] += y[j - start] * y[j - start];
    }
    add_square(y, 1, body.low, body.high, branch.stride, H);
  }
  store(data.p, p);
  return true;
}

/// What hangs on a node of a flexible parent acts on the parent's modes, too.  [branches-modes]
static void add_to_modes(const System& system, const BodyConstants& body, const BodyData& data,
                         const W6& p, Scratch& scratch) {
  const BodyConstants& parent = system.bodies[body.parent];
  const FlexibleConstants& own = system.flexible[parent.flexible];
  const SeatMotion& seat = scratch.seats[body.seat_below];
  const Six* Z_node = scratch.Z + seat.Z;
  const V4 r = load(data.r);
  const V4 from_node = r - load(seat.s);
  double* mass = scratch.modal_mass + own.matrix;
  double* coupled = scratch.coupled + own.coupled;
  const Six* columns = scratch.columns + body.columns;
  const int start = parent.low & ~3;
  for (int k = 0; k < own.modes; ++k) {
    double* row = coupled + k * own.width;
    const W6 Z = shift_motion(load(Z_node[k]), from_node);
    const W6 IZ = product(data.I, Z);
    const W6 there = shift_force(IZ, -r);
    store(row, load(row) + there.w);
    store(row + 4, load(row + 4) + there.v);
    row[8] += dot(Z, p);
    for (int j = body.low; j < body.high; ++j)
      row[12 + j - start] += dot(Z, load(columns[j - body.low]));
    for (int l = 0; l <= k; ++l)
      mass[k * own.stride + l] += dot(IZ, shift_motion(load(Z_node[l]), from_node));
  }
}

/// [branches-inward]
static Trouble inward(const System& system, const BranchConstants& branch, const Inputs& in,
                      Scratch& scratch) {
  double* h = scratch.h + branch.h;
  double* H = scratch.H + branch.H;
  const W6 ground = {zero(), V4{-system.gravity[0], -system.gravity[1], -system.gravity[2], 0}};
  for (int i = branch.end; i-- > branch.first;) {
    const BodyConstants& body = system.bodies[i];
    BodyData& data = scratch.bodies[i];
    const int count = body.high - body.low;
    const int start = body.low & ~3;
    const int padded = ((body.high + 3) & ~3) - start;
    Six* columns = scratch.columns + body.columns;
    if (body.flexible >= 0 &&
        !eliminate_modes(system.flexible[body.flexible], body, branch, data, scratch))
      return {i};
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
      if (count == 0) continue;
      double* y = scratch.products + body.row + static_cast<std::ptrdiff_t>(k) * padded;
      for (int j = 0; j < count; ++j) {
        const W6 column = load(columns[j]);
        const double product = dot(S, column);
        y[body.low - start + j] = product;
        store(columns[j], column - (D_inverse * product) * U);
        h[body.low + j] += force * product;
        if (scratch.bounds != nullptr) {
          const double largest = largest_dot(S, column);
          scratch.bounds[branch.h + static_cast<std::size_t>(body.low + j)] +=
              D_inverse * largest * largest;
        }
      }
      add_square(y, D_inverse, body.low, body.high, branch.stride, H);
    }
    store(data.p, p);
    if (body.is_free) continue;
    const W6 c = load(data.c);
    if (body.parent < 0) {
      const W6 a = c + ground;
      for (int j = 0; j < count; ++j) h[body.low + j] += dot(load(columns[j]), a);
      continue;
    }
    p = p + product(data.I, c);
    for (int j = 0; j < count; ++j) h[body.low + j] += dot(load(columns[j]), c);
    const BodyConstants& parent = system.bodies[body.parent];
    BodyData& below = scratch.bodies[body.parent];
    if (parent.flexible >= 0 && body.seat_below >= 0) add_to_modes(system, body, data, p, scratch);
    const V4 r = load(data.r);
    W6 I[6];
    shift_inertia(data.I, -r, I);
    for (int k = 0; k < 6; ++k) store(below.I[k], load(below.I[k]) + I[k]);
    store(below.p, load(below.p) + shift_force(p, -r));
    Six* to = scratch.columns + parent.columns + (body.low - parent.low);
    for (int j = 0; j < count; ++j) store(to[j], load(to[j]) + shift_force(load(columns[j]), -r));
  }
  return {};
}

/// [branches-outward]
static void outward(const System& system, const BranchConstants& branch, const double* lambda,
                    bool homogeneous, Scratch& scratch, double* v_rate, double* eta_rate) {
  const W6 ground = {zero(), V4{-system.gravity[0], -system.gravity[1], -system.gravity[2], 0}};
  for (int i = branch.first; i < branch.end; ++i) {
    const BodyConstants& body = system.bodies[i];
    BodyData& data = scratch.bodies[i];
    const int start = body.low & ~3;
    const int padded = ((body.high + 3) & ~3) - start;
    const bool has_rows = body.high > body.low;
    W6 A = nothing();
    if (!body.is_free) {
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
        A = ground;
      }
      if (!homogeneous) A = A + load(data.c);
    }
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
    const double* L = scratch.modal_mass + own.matrix;
    const double* coupled = scratch.coupled + own.coupled;
    double* to = eta_rate + own.first;
    for (int k = own.modes; k-- > 0;) {
      const double* row = coupled + k * own.width;
      double x = dot(W6{load(row), load(row + 4)}, A);
      if (!homogeneous) x += row[8];
      V4 t = zero();
      for (int j = 0; j < padded; j += 4) t += load(row + 12 + j) * load(lambda + start + j);
      to[k] = sum(t) - x;
    }
    for (int k = own.modes; k-- > 0;) {
      double x = to[k];
      for (int l = k + 1; l < own.modes; ++l) x -= L[l * own.stride + k] * to[l];
      to[k] = L[k * own.stride + k] * x;
    }
  }
}

}  // namespace sarrus::branches::SARRUS_INSTRUCTIONS
