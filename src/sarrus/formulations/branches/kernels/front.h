#pragma once

#include <bit>

#include "sarrus/formulations/branches/kernels/algebra.h"

/// Elimination of the closed rows of a dense front.
namespace sarrus::branches::SARRUS_INSTRUCTIONS {

/// Columns from `first` on of row i, less what the steps so far take from it.
template <int kVectors>
SARRUS_INLINE void bring_up_to_date(const FrontData& front, int i, int first, V4 (&x)[kVectors]) {
  const double* F = front.F;
  const int stride = front.stride;
  V4 y[kVectors];  // odd steps apart: neither waits for the other
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    x[v] = load(F + i * stride + first + 4 * v);
    y[v] = zero();
  }
  const auto take = [&](int step, V4(&from)[kVectors]) {
    const double* row = F + front.order[step] * stride;
    const double f = front.pivots[step] * row[i];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) from[v] -= f * load(row + first + 4 * v);
  };
  int step = 0;
  for (; step + 1 < front.rank; step += 2) {
    take(step, x);
    take(step + 1, y);
  }
  if (step < front.rank) take(step, x);
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) x[v] += y[v];
}

SARRUS_INLINE V4 masked(V4 x, I4 mask) { return (V4)((I4)x & mask); }

/// Where x_i y_i is largest, its last bits aside: there the place is kept, so that one comparison
/// finds both. −1 where none is above `least`.
SARRUS_INLINE int largest_product(const double* x, const double* y, int stride, double least) {
  constexpr long long kPlace = 0xffff;
  V4 most = zero();
  I4 here = {0, 1, 2, 3};
  for (int i = 0; i < stride; i += 4) {
    const V4 product = load(x + i) * load(y + i);
    const V4 key = (V4)(((I4)product & ~kPlace) | here);
    most = key > most ? key : most;
    here += 4;
  }
  const V4 other = __builtin_shufflevector(most, most, 2, 3, 0, 1);
  most = other > most ? other : most;
  const double key = most[0] > most[1] ? most[0] : most[1];
  return key > least ? static_cast<int>(std::bit_cast<long long>(key) & kPlace) : -1;
}

/// What stands below the diagonal, above it as well. By vectors only, as everything here: what has been
/// stored in parts cannot be loaded at once for a while.
SARRUS_INLINE void mirror(double* F, int stride) {
  for (int i = 0; i < stride; i += 4)
    for (int j = 0; j <= i; j += 4) {
      const double* from = F + i * stride + j;
      double* to = F + j * stride + i;
      const V4 a = load(from), b = load(from + stride);
      const V4 c = load(from + 2 * stride), d = load(from + 3 * stride);
      const V4 ab = __builtin_shufflevector(a, b, 0, 4, 2, 6);
      const V4 ba = __builtin_shufflevector(a, b, 1, 5, 3, 7);
      const V4 cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
      const V4 dc = __builtin_shufflevector(c, d, 1, 5, 3, 7);
      V4 across_a = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
      V4 across_b = __builtin_shufflevector(ba, dc, 0, 1, 4, 5);
      V4 across_c = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
      V4 across_d = __builtin_shufflevector(ba, dc, 2, 3, 6, 7);
      if (i == j) {
        across_a = __builtin_shufflevector(a, across_a, 0, 5, 6, 7);
        across_b = __builtin_shufflevector(b, across_b, 0, 1, 6, 7);
        across_c = __builtin_shufflevector(c, across_c, 0, 1, 2, 7);
        across_d = d;
      }
      store(to, across_a);
      store(to + stride, across_b);
      store(to + 2 * stride, across_c);
      store(to + 3 * stride, across_d);
    }
}

/// Largest scaled pivot first; rows left with less than `tolerance` of what they had say what others
/// have said, and get no force. Given on and below its diagonal. A row is brought up to date when its
/// turn comes, and kept as it is then, with zeros at itself and at the rows eliminated before; the open
/// rows come last.  [branches-front]
static void factor(FrontData& front, double tolerance) {
  const int stride = front.stride;
  front.rank = 0;
  for (int j = 0; j < stride; j += 4) {
    const double* diagonal = front.F + j * (stride + 1);
    const V4 left = {diagonal[0], diagonal[stride + 1], diagonal[2 * (stride + 1)],
                     diagonal[3 * (stride + 1)]};
    store(front.left + j, left);
    store(front.live + j, (V4)I4{-1, -1, -1, -1});
  }
  mirror(front.F, stride);
  while (front.rank < front.most) {
    const int largest = largest_product(front.left, front.inverse_scale, stride, tolerance);
    if (largest < 0) break;
    // Nearly always that of the last time: the processor may go on with it before it is sure.
    int pivot = front.order[front.rank];
    if (pivot != largest) {
      pivot = largest;
      asm volatile("" : "+r"(pivot));  // keeps the branch
    }
    const double inverse = 1 / front.left[pivot];
    by_pieces(0, stride, [&]<int kVectors>(Vectors<kVectors>, int first) {
      V4 row[kVectors];
      bring_up_to_date(front, pivot, first, row);
      const int in_piece = pivot - first;
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        const int j = first + 4 * v;
        const I4 here = {4 * v, 4 * v + 1, 4 * v + 2, 4 * v + 3};
        const I4 live = (I4)load(front.live + j) & (here != in_piece);
        const V4 x = masked(row[v], live);
        store(front.F + pivot * stride + j, x);
        store(front.left + j, masked(load(front.left + j) - (inverse * x) * x, live));
        store(front.live + j, (V4)live);
      }
    });
    front.order[front.rank] = pivot;
    front.pivots[front.rank++] = inverse;
  }
  for (int i = front.closed; i < front.rows; ++i)
    by_pieces(front.closed & ~3, (i + 4) & ~3, [&]<int kVectors>(Vectors<kVectors>, int first) {
      V4 row[kVectors];
      bring_up_to_date(front, i, first, row);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) store(front.F + i * stride + first + 4 * v, row[v]);
    });
}

static void reduce(const FrontData& front, double* h) {
  for (int step = 0; step < front.rank; ++step) {
    const int pivot = front.order[step];
    const double f = front.pivots[step] * h[pivot];
    const double* row = front.F + pivot * front.stride;
    for (int j = 0; j < front.stride; j += 4) store(h + j, load(h + j) - f * load(row + j));
  }
}

static void expand(const FrontData& front, const double* h, double* lambda) {
  for (int i = 0; i < front.closed; ++i) lambda[i] = 0;
  double* left = front.left;  // of a step's row, when the forces found so far have acted on it
  const bool is_open = front.rows > front.closed;
  for (int step = 0; step < front.rank; ++step) {
    const int pivot = front.order[step];
    left[step] = h[pivot];
    if (!is_open) continue;
    const double* row = front.F + pivot * front.stride;
    V4 t = zero();
    for (int j = front.closed & ~3; j < front.stride; j += 4) t += load(row + j) * load(lambda + j);
    left[step] += sum(t);
  }
  for (int step = front.rank; step-- > 0;) {
    const int pivot = front.order[step];
    const double found = -front.pivots[step] * left[step];
    lambda[pivot] = found;
    const double* column = front.F + pivot;
    for (int other = 0; other < step; ++other)
      left[other] += found * column[front.order[other] * front.stride];
  }
}

}  // namespace sarrus::branches::SARRUS_INSTRUCTIONS
