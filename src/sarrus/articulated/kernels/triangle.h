#pragma once

// The triangle of a dense matrix, for the forces that close loops.

#include "sarrus/articulated/kernels/system.h"
#include "sarrus/simd/pack.h"

namespace sarrus::articulated::SARRUS_INSTRUCTIONS {

using namespace lanes::SARRUS_INSTRUCTIONS;

/// x·y over numbers [from, count), both multiples of four.
SARRUS_INLINE double dot_of_columns(const double* x, const double* y, int from, int count) {
  Pack4 sum{}, other{};
  int i = from;
  for (; i + 8 <= count; i += 8) {
    sum += load<Pack4>(x + i) * load<Pack4>(y + i);
    other += load<Pack4>(x + i + 4) * load<Pack4>(y + i + 4);
  }
  if (i < count) sum += load<Pack4>(x + i) * load<Pack4>(y + i);
  sum += other;
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// Householder's reflections, the largest column first; see Kernel. 4 flops for every number below
/// the diagonal of every column, at every step, until nothing is left of the column.
static int triangularise(const ColumnMatrix& Z, int most, double tolerance, int* order,
                         double* scratch) {
  /// Where so little is left of a norm, what was taken off it has left rounding.
  constexpr double kCancelled = 1e-8;
  double* v = scratch;                // of the reflection
  double* square = v + Z.stride;      // what is left of each column
  double* before = square + Z.count;  // when it was last measured
  for (int j = 0; j < Z.count; ++j) {
    order[j] = j;
    const double* column = Z.numbers + j * Z.stride;
    square[j] = before[j] = dot_of_columns(column, column, 0, Z.stride);
  }
  double least = 0;
  int count = Z.count;  // of columns that something is left of
  for (int k = 0; k < most; ++k) {
    if (k == count) return k;
    int best = k;
    for (int j = k + 1; j < count; ++j)
      if (square[order[j]] > square[order[best]]) best = j;
    const int chosen = order[best];
    order[best] = order[k];
    order[k] = chosen;
    const int from = k & ~3;
    double* pivot = Z.numbers + chosen * Z.stride;
    for (int i = from; i < Z.stride; ++i) v[i] = i < k ? 0.0 : pivot[i];
    const double length = __builtin_sqrt(dot_of_columns(v, v, from, Z.stride));
    if (k == 0) least = tolerance * length;
    if (!(length > least)) return k;
    const double diagonal = v[k] > 0 ? -length : length;
    const double scale = 1 / (length * length - diagonal * v[k]);  // 2 / vᵀv
    v[k] -= diagonal;
    pivot[k] = diagonal;
    for (int j = k + 1; j < count;) {
      double* column = Z.numbers + order[j] * Z.stride;
      const double share = scale * dot_of_columns(v, column, from, Z.stride);
      for (int i = from; i < Z.stride; i += 4)
        store(column + i, load<Pack4>(column + i) - load<Pack4>(v + i) * share);
      double& left = square[order[j]];
      left -= column[k] * column[k];
      if (!(left > kCancelled * before[order[j]])) {
        left = 0;
        for (int i = k + 1; i < Z.stride; ++i) left += column[i] * column[i];
        before[order[j]] = left;
        if (!(left > least * least)) {
          const int gone = order[j];
          order[j] = order[--count];
          order[count] = gone;
          continue;
        }
      }
      ++j;
    }
  }
  return most;
}

}  // namespace sarrus::articulated::SARRUS_INSTRUCTIONS
