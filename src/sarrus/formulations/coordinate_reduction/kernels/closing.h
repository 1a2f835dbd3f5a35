#pragma once

// Rows of joints that close loops, over the coordinates of a front.

#include "sarrus/formulations/coordinate_reduction/kernels/chain.h"

namespace sarrus::coordinate_reduction::SARRUS_INSTRUCTIONS {

/// The scalar functions from which the rows are composed, as in constraints: the distance along a
/// world axis, along an axis of F, and the product of an axis of F and one of M.
struct Atom {
  enum Kind : std::int8_t { kPoint, kAlong, kDot } kind;
  std::int8_t f, m;  ///< axes of F and M
};

struct Atoms {
  int count;
  Atom atom[6];
};

/// In the order of JointType, and of each kind's constraint rows.
inline const Atoms& atoms_of(int kind) {
  constexpr Atom px{Atom::kPoint, 0, 0}, py{Atom::kPoint, 1, 0}, pz{Atom::kPoint, 2, 0};
  constexpr Atom ax{Atom::kAlong, 0, 0}, ay{Atom::kAlong, 1, 0}, az{Atom::kAlong, 2, 0};
  constexpr Atom xz{Atom::kDot, 0, 2}, yz{Atom::kDot, 1, 2}, xy{Atom::kDot, 0, 1};
  constexpr Atom zx{Atom::kDot, 2, 0};
  static constexpr Atoms table[] = {
      {5, {px, py, pz, xz, yz}},      // revolute
      {5, {ax, ay, xz, yz, xy}},      // prismatic
      {0, {}},                        // helical: given
      {4, {ax, ay, xz, yz}},          // cylindrical
      {4, {px, py, pz, xy}},          // universal
      {3, {px, py, pz}},              // spherical
      {3, {az, xz, yz}},              // planar
      {0, {}},                        // free
      {6, {px, py, pz, xy, yz, zx}},  // fixed
  };
  return table[kind];
}

/// The bodies of a joint at one instant.
struct ClosingView {
  M3<double> R_A, R_B;
  Real3 s_A, s_B, d, w_A, w_B, d_rate, centripetal;
};

inline constexpr BodyMotion kGroundMotion = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {}, {}, {}, {}};

SARRUS_INLINE ClosingView view_closure(const ClosureConstants& closure, const BodyMotion& A,
                                       const BodyMotion& B) {
  ClosingView view;
  view.R_A = get_matrix(A.R);
  view.R_B = get_matrix(B.R);
  view.s_A = view.R_A * get3(closure.s_A);
  view.s_B = view.R_B * get3(closure.s_B);
  view.d = (get3(B.p) - get3(A.p)) + (view.s_B - view.s_A);
  view.w_A = get3(A.w);
  view.w_B = get3(B.w);
  const Real3 ws_A = cross(view.w_A, view.s_A), ws_B = cross(view.w_B, view.s_B);
  view.d_rate = (get3(B.v) + ws_B) - (get3(A.v) + ws_A);
  view.centripetal = cross(view.w_B, ws_B) - cross(view.w_A, ws_A);
  return view;
}

/// Its value with its rates; one of them is added to J a, by the level.
struct RowConstants {
  double phi, rate, gamma;
};

SARRUS_INLINE double component(const Real3& v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }

/// acceleration of a point at `arm` from the mass centre, all three components: lin + ang × arm
template <int kBlocks>
SARRUS_INLINE void point_rows(const double* N, const Real3& arm, double sign, double* to) {
  constexpr int kStride = 8 * kBlocks;
#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b) {
    const double* from = N + 8 * b;
    const Row8 x = load8(from), y = load8(from + kStride), z = load8(from + 2 * kStride);
    double* here = to + 8 * b;
    store8(here, load8(here) + (load8(from + 3 * kStride) + y * arm.z - z * arm.y) * sign);
    store8(here + kStride,
           load8(here + kStride) + (load8(from + 4 * kStride) + z * arm.x - x * arm.z) * sign);
    store8(here + 2 * kStride,
           load8(here + 2 * kStride) + (load8(from + 5 * kStride) + x * arm.y - y * arm.x) * sign);
  }
}

/// to = from · n for three rows.
template <int kBlocks>
SARRUS_INLINE void row_along(const double* from, const Real3& n, double* to) {
  constexpr int kStride = 8 * kBlocks;
#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b)
    store8(to + 8 * b, load8(from + 8 * b) * n.x + load8(from + kStride + 8 * b) * n.y +
                           load8(from + 2 * kStride + 8 * b) * n.z);
}

/// The rows of a closure over the slots into `C`; their values go into the scratch.
/// [reduction-close]
template <int kBlocks>
inline void closing_rows(const System& system, const Inputs& in, const ClosureConstants& closure,
                         const double* N_A, const double* N_B, Scratch& scratch, double* C) {
  constexpr int kStride = 8 * kBlocks;
  const auto put_constant = [&](int r, const RowConstants& row, double scale) {
    scratch.phi[closure.first_row + r] = row.phi * scale;
    scratch.phi_rate[closure.first_row + r] = row.rate * scale;
    const double constant = in.level == Level::kPosition   ? row.phi
                            : in.level == Level::kVelocity ? row.rate
                                                           : row.gamma;
    add_to_last<kBlocks>(C + r * kStride, constant * scale);
  };
  if (closure.given) {
    for (int r = 0; r < closure.rows; ++r) {
      const GivenRow& row = in.given[closure.first_row + r];
      zero_row<kBlocks>(C + r * kStride);
      for (int k = 0; k < 6; ++k) {
        if (N_A != nullptr) add_row<kBlocks>(C + r * kStride, N_A + k * kStride, row.J_A[k]);
        if (N_B != nullptr) add_row<kBlocks>(C + r * kStride, N_B + k * kStride, row.J_B[k]);
      }
      put_constant(r, {row.phi, row.phi_rate, row.gamma}, 1);
    }
    return;
  }
  const Atoms& atoms = atoms_of(closure.kind);
  const ClosingView view =
      view_closure(closure, closure.body_a < 0 ? kGroundMotion : scratch.motions[closure.body_a],
                   closure.body_b < 0 ? kGroundMotion : scratch.motions[closure.body_b]);
  const bool along = atoms.atom[0].kind == Atom::kAlong;
  alignas(64) double P[3 * kStride];
  alignas(64) double D[3 * kStride];
  for (int k = 0; k < 3; ++k) {
    zero_row<kBlocks>(P + k * kStride);
    zero_row<kBlocks>(D + k * kStride);
  }
  if (N_B != nullptr) {
    point_rows<kBlocks>(N_B, view.s_B, 1, P);
    for (int k = 0; k < 3; ++k) copy_row<kBlocks>(D + k * kStride, N_B + k * kStride);
  }
  if (N_A != nullptr) {
    point_rows<kBlocks>(N_A, along ? view.s_A + view.d : view.s_A, -1, P);
    for (int k = 0; k < 3; ++k) add_row<kBlocks>(D + k * kStride, N_A + k * kStride, -1);
  }
  const auto axis_of_F = [&](int k) {
    return view.R_A * Real3{closure.R_F[k], closure.R_F[3 + k], closure.R_F[6 + k]};
  };
  const auto axis_of_M = [&](int k) {
    return view.R_B * Real3{closure.R_M[k], closure.R_M[3 + k], closure.R_M[6 + k]};
  };
  for (int r = 0; r < atoms.count; ++r) {
    const Atom& atom = atoms.atom[r];
    double* row = C + r * kStride;
    if (atom.kind == Atom::kPoint) {
      copy_row<kBlocks>(row, P + atom.f * kStride);
      put_constant(r,
                   {component(view.d, atom.f), component(view.d_rate, atom.f),
                    component(view.centripetal, atom.f)},
                   1);
    } else if (atom.kind == Atom::kAlong) {
      const Real3 n = axis_of_F(atom.f);
      const Real3 n_rate = cross(view.w_A, n);
      row_along<kBlocks>(P, n, row);
      put_constant(r,
                   {dot(n, view.d), dot(n, view.d_rate) + dot(n_rate, view.d),
                    dot(n, view.centripetal) + 2 * dot(n_rate, view.d_rate) +
                        dot(cross(view.w_A, n_rate), view.d)},
                   1);
    } else {
      const Real3 n = axis_of_F(atom.f), k = axis_of_M(atom.m);
      const Real3 axis = cross(n, k);
      const Real3 axis_rate = cross(cross(view.w_A, n), k) + cross(n, cross(view.w_B, k));
      const Real3 w = view.w_A - view.w_B;
      row_along<kBlocks>(D, axis * -system.length, row);
      put_constant(r, {dot(n, k), dot(axis, w), dot(axis_rate, w)}, system.length);
    }
  }
}

}  // namespace sarrus::coordinate_reduction::SARRUS_INSTRUCTIONS
