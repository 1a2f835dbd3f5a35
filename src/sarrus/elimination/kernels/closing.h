#pragma once

// Closing the joints between two pieces: what their boundaries let the rows do, and what is left of
// the boundaries' mobility.

#include "sarrus/elimination/kernels/numbers.h"
#include "sarrus/elimination/kernels/system.h"

namespace sarrus::elimination::SARRUS_INSTRUCTIONS {

/// U = Λ̂ Jᵀ, W = J U.  [dca-join]
inline void couple(const ClosingSystem& system) {
  const int width = 8 * system.stacked;
  for (int k = 0; k < system.row_count; ++k) {
    const ClosingRow& row = system.rows[k];
    double* u = system.U + k * width;
    const double* J = system.J + 12 * row.row;
    for (int s = 0; s < system.stacked; ++s) {
      const StackedBody& body = system.stack[s];
      Row8 sum{};
      for (int end = 0; end < 2; ++end) {
        const int place = end == 0 ? row.a : row.b;
        if (place < 0 || system.stack[place].piece != body.piece) continue;
        const StackedBody& from = system.stack[place];
        const double* Lambda = from.Lambda + 8 * body.place;
#pragma GCC unroll 6
        for (int i = 0; i < 6; ++i) sum += load8(Lambda + i * from.stride) * J[6 * end + i];
      }
      store8(u + 8 * s, sum);
    }
  }
  for (int k = 0; k < system.row_count; ++k) {
    const ClosingRow& row = system.rows[k];
    const double* J = system.J + 12 * row.row;
    for (int l = 0; l <= k; ++l) {
      const double* u = system.U + l * width;
      double w = 0;
      if (row.a >= 0) {
        const double* at = u + 8 * row.a;
        w +=
            J[0] * at[0] + J[1] * at[1] + J[2] * at[2] + J[3] * at[3] + J[4] * at[4] + J[5] * at[5];
      }
      if (row.b >= 0) {
        const double* at = u + 8 * row.b;
        w += J[6] * at[0] + J[7] * at[1] + J[8] * at[2] + J[9] * at[3] + J[10] * at[4] +
             J[11] * at[5];
      }
      system.W[k * system.row_count + l] =
          w * (system.scale[row.row] * system.scale[system.rows[l].row]);
    }
  }
}

/// Λ = Λ̂ − Yᵀ Y over what stays, Y = L⁻¹ U.  [dca-join]
inline void reduce(const ClosingSystem& system, const double* L, const int* order, int rank) {
  const int kept = system.kept;
  const int m = system.row_count;
  for (int k = 0; k < rank; ++k) {
    const int r = order[k];
    const double* u = system.U + 8 * r * system.stacked;
    const double scale = system.scale[system.rows[r].row];
    const double inverse = 1 / L[k * m + k];
    for (int s = 0; s < kept; ++s) {
      Row8 y = load8(u + 8 * s) * scale;
      for (int l = 0; l < k; ++l) y -= load8(system.Y + 8 * (l * kept + s)) * L[k * m + l];
      store8(system.Y + 8 * (k * kept + s), y * inverse);
    }
  }
  for (int s = 0; s < kept; ++s) {
    const StackedBody& body = system.stack[s];
    for (int q = 0; q < kept; ++q) {
      const StackedBody& other = system.stack[q];
      Row8 sum[6];
      for (int i = 0; i < 6; ++i)
        sum[i] = body.piece == other.piece ? load8(body.Lambda + i * body.stride + 8 * other.place)
                                           : Row8{};
      for (int k = 0; k < rank; ++k) {
        const Row8 y = load8(system.Y + 8 * (k * kept + q));
        const double* at = system.Y + 8 * (k * kept + s);
#pragma GCC unroll 6
        for (int i = 0; i < 6; ++i) sum[i] -= y * at[i];
      }
      for (int i = 0; i < 6; ++i) store8(system.Lambda + (6 * s + i) * 8 * kept + 8 * q, sum[i]);
    }
  }
}

}  // namespace sarrus::elimination::SARRUS_INSTRUCTIONS
