#pragma once

#include <cmath>

#include "sarrus/formulations/branches/kernels/algebra.h"

/// The recursion of one branch with the forces of its connections kept as unknowns.
namespace sarrus::branches::SARRUS_INSTRUCTIONS {

/// Vectors of two rows of H += Σ y yᵀ, from column `first` on; y of a group starts at column `start`.
template <int kVectors>
SARRUS_INLINE void add_squares(const double* y, int unknowns, int width, int start, int i,
                               int first, int stride, double* H) {
  double* row = H + static_cast<std::ptrdiff_t>(i) * stride + first;
  V4 a[kVectors], b[kVectors];
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    a[v] = load(row + 4 * v);
    b[v] = load(row + stride + 4 * v);
  }
  for (int k = 0; k < unknowns; ++k, y += width) {
    const double *own = y + (i - start), *others = y + (first - start);
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      const V4 other = load(others + 4 * v);
      a[v] += own[0] * other;
      b[v] += own[1] * other;
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    store(row + 4 * v, a[v]);
    store(row + stride + 4 * v, b[v]);
  }
}

/// H += Σ y yᵀ over the unknowns of a group, below the diagonal.  [branches-inward]
SARRUS_INLINE void add_squares(const double* y, int unknowns, int low, int high, int stride,
                               double* H) {
  const int start = low & ~3, width = ((high + 3) & ~3) - start;
  for (int i = low & ~1; i < high; i += 2)
    by_pieces(start, (i + 4) & ~3, [&]<int kVectors>(Vectors<kVectors>, int first) {
      add_squares<kVectors>(y, unknowns, width, start, i, first, stride, H);
    });
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
  const int start = body.low & ~3;
  const int padded = width - 12;
  double* products = scratch.products + own.row;
  for (int i = 0; i < width; i += 4) {
    // What belongs to rows of connections goes where it is wanted later.
    double* to = i < 12 ? coupled + i : products + (i - 12);
    const int to_stride = i < 12 ? width : padded;
    if constexpr (kModes > 0) {
      V4 x[kModes];  // in registers, if all is unrolled
#pragma GCC unroll 8
      for (int k = 0; k < kModes; ++k) x[k] = load(coupled + k * width + i);
#pragma GCC unroll 8
      for (int k = kModes - 1; k >= 0; --k) {
#pragma GCC unroll 8
        for (int j = 0; j < k; ++j) x[j] -= L[k * stride + j] * x[k];
        store(to + k * to_stride, L[k * stride + k] * x[k]);
      }
    } else {
      for (int k = n; k-- > 0;) {
        const V4 x = load(coupled + k * width + i);
        for (int j = 0; j < k; ++j)
          store(coupled + j * width + i, load(coupled + j * width + i) - L[k * stride + j] * x);
        store(to + k * to_stride, L[k * stride + k] * x);
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
  const int first = body.low - start, end = body.high - start;
  Six* columns = scratch.columns + body.columns;
  for (int j = first; j < end; ++j) {
    W6 column = load(columns[j]);
    for (int k = 0; k < n; ++k) {
      const double* row = coupled + k * width;
      column = column - products[k * padded + j] * W6{load(row), load(row + 4)};
    }
    store(columns[j], column);
  }
  double* h = scratch.h + branch.h + start;
  for (int j = 0; j < padded; j += 4) {
    V4 sum = load(h + j);
    for (int k = 0; k < n; ++k) sum -= coupled[k * width + 8] * load(products + k * padded + j);
    store(h + j, sum);
  }
  if (scratch.bounds != nullptr)
    for (int k = 0; k < n; ++k)
      for (int j = first; j < end; ++j) {
        const double y = products[k * padded + j];
        scratch.bounds[branch.h + static_cast<std::size_t>(start + j)] += y * y;
      }
  return true;
}

/// What hangs on a node of a flexible parent acts on the parent's modes, too.  [branches-modes]
template <int kModes>
static void add_to_modes(const FlexibleConstants& own, const BodyConstants& parent,
                         const BodyConstants& body, const BodyData& data, const W6& p,
                         Scratch& scratch) {
  const int n = count_of<kModes>(own), stride = stride_of<kModes>(own);
  const AttachmentMotion& attachment = scratch.attachments[body.attachment_below];
  const Six* Z_node = scratch.Z + attachment.Z;
  Six* Z = scratch.Z_beyond + own.Z;
  const V4 r = load(data.r);
  const V4 from_node = r - load(attachment.s);
  double* mass = scratch.modal_mass + own.matrix;
  double* coupled = scratch.coupled + own.coupled;
  const Six* columns = scratch.columns + body.columns;
  const int padded = ((body.high + 3) & ~3) - (body.low & ~3);
  const int offset = 12 + (body.low & ~3) - (parent.low & ~3);
  for (int k = 0; k < n; ++k) store(Z[k], shift_motion(load(Z_node[k]), from_node));
  for (int k = 0; k < n; ++k) {
    double* row = coupled + k * own.width;
    const W6 Z_k = load(Z[k]);
    const W6 IZ = product(data.I, Z[k]);
    const W6 there = shift_force(IZ, -r);
    store(row, load(row) + there.w);
    store(row + 4, load(row + 4) + there.v);
    store(row + 8, load(row + 8) + V4{dot(Z_k, p), 0, 0, 0});
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

/// Inertia, bias p and the wrenches of rows from a body to its parent.
SARRUS_INLINE void pass_down(const BodyConstants& body, const BodyConstants& parent,
                             const BodyData& data, const W6& p, BodyData& below, Scratch& scratch) {
  const M3 r_cross = cross_matrix(data.r);
  W6 I[6];
  shift_inertia_back(data.I, data.r, r_cross, I);
  for (int k = 0; k < 6; ++k) store(below.I[k], load(below.I[k]) + I[k]);
  store(below.p, load(below.p) + shift_force(p, -load(data.r)));
  const int low = body.low, high = body.high;
  const Six* columns = scratch.columns + body.columns - (low & ~3);
  Six* to = scratch.columns + parent.columns - (parent.low & ~3);
  if (parent.takes_rows)
    for (int j = low; j < high; ++j) store(to[j], shift_force_back(columns[j], r_cross));
  else
    for (int j = low; j < high; ++j)
      store(to[j], load(to[j]) + shift_force_back(columns[j], r_cross));
}

/// [branches-inward]
static Trouble inward(const System& system, const BranchConstants& branch, const Inputs& in,
                      Scratch& scratch) {
  const W6 ground = {zero(), V4{-system.gravity[0], -system.gravity[1], -system.gravity[2], 0}};
  for (int i = branch.end; i-- > branch.first;) {
    const BodyConstants& body = system.bodies[i];
    BodyData& data = scratch.bodies[i];
    const int start = body.low & ~3;
    const int first = body.low - start, end = body.high - start;
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
      const W6 U = product(data.I, freedom.S);
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
      const double scale = std::sqrt(D_inverse);
      freedom.scale = scale;
      const W6 scaled_U = scale * U;
      const double scaled_force = scale * freedom.u;
      for (int j = 0; j < padded; j += 4) {
        const V4 products = scale * four_dots(S, columns + j);
        store(y + j, products);
        store(h + j, load(h + j) + scaled_force * products);
      }
      for (int j = first; j < end; ++j) store(columns[j], load(columns[j]) - y[j] * scaled_U);
    }
    store(data.p, p);
    if (body.is_free) continue;
    const W6 c = load(data.c);
    const W6 a = body.parent < 0 ? c + ground : c;
    for (int j = 0; j < padded; j += 4) store(h + j, load(h + j) + four_dots(a, columns + j));
    if (body.parent < 0) continue;
    p = p + product(data.I, data.c);
    const BodyConstants& parent = system.bodies[body.parent];
    BodyData& below = scratch.bodies[body.parent];
    if (parent.flexible >= 0 && body.attachment_below >= 0)
      add_to_modes(system, body, data, p, scratch);
    pass_down(body, parent, data, p, below, scratch);
  }
  double* H = scratch.H + branch.H;
  for (int i = 0; i < branch.stride * branch.stride; i += 4) store(H + i, zero());
  for (int g = branch.first_group; g < branch.end_group; ++g) {
    const RowGroup& group = system.groups[g];
    add_squares(scratch.products + group.products, group.unknowns, group.low, group.high,
                branch.stride, H);
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
  const double* products = scratch.products + own.row;
  double* to = eta_rate + own.first;
  const auto scaled = [&](int k) {
    const double* row = coupled + k * own.width;
    V4 t = -(load(row) * A.w + load(row + 4) * A.v);
    for (int j = 0; j < rows; j += 4) t += load(products + k * rows + j) * load(lambda + j);
    return L[k * stride + k] * (homogeneous ? sum(t) : sum(t) - row[8]);
  };
  if constexpr (kModes > 0) {
    double x[kModes];  // in registers, if all is unrolled
#pragma GCC unroll 8
    for (int k = 0; k < kModes; ++k) x[k] = scaled(k);
#pragma GCC unroll 8
    for (int k = 0; k < kModes; ++k) {
      to[k] = x[k];
#pragma GCC unroll 8
      for (int l = k + 1; l < kModes; ++l) x[l] -= L[l * stride + k] * x[k];
    }
  } else {
    for (int k = 0; k < n; ++k) {
      double x = scaled(k);
      for (int l = 0; l < k; ++l) x -= L[k * stride + l] * to[l];
      to[k] = x;
    }
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
    if (body.attachment_below >= 0) {
      const AttachmentMotion& attachment = scratch.attachments[body.attachment_below];
      const FlexibleConstants& own = system.flexible[system.bodies[body.parent].flexible];
      const Six* Z = scratch.Z + attachment.Z;
      W6 bent = nothing();
      for (int k = 0; k < own.modes; ++k) bent = bent + eta_rate[own.first + k] * load(Z[k]);
      A = A + shift_motion(bent, load(data.r) - load(attachment.s));
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
      const double u = homogeneous ? 0 : freedom.u;
      double rate = freedom.D_inverse * (u - dot(load(freedom.U), A));
      if (has_rows) {
        const double* y = scratch.products + body.row + static_cast<std::ptrdiff_t>(k) * padded;
        V4 t = zero();
        for (int j = 0; j < padded; j += 4) t += load(y + j) * load(lambda + start + j);
        rate += freedom.scale * sum(t);
      }
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
