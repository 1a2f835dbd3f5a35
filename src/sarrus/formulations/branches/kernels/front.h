#pragma once

#include <cmath>

#include "sarrus/formulations/branches/kernels/algebra.h"

/// Elimination of the closed rows of a dense front.
namespace sarrus::branches::SARRUS_INSTRUCTIONS {

/// Largest scaled pivot first; rows left with less than `tolerance` of what they had say what others
/// have said, and get no force. F is used on and below its diagonal; rows whose turn has come are kept
/// whole, as they were then, with zeros at the rows eliminated before.  [branches-front]
static void factor(FrontData& front, double tolerance) {
  const int stride = front.stride;
  front.rank = 0;
  char* done = front.done;
  for (int i = 0; i < front.closed; ++i) done[i] = 0;
  while (front.rank < front.most) {
    int pivot = -1;
    double most = tolerance;
    for (int i = 0; i < front.closed; ++i) {
      if (done[i]) continue;
      const double scaled = front.F[i * stride + i] * front.inverse_scale[i];
      if (scaled > most) {
        most = scaled;
        pivot = i;
      }
    }
    if (pivot < 0) break;
    done[pivot] = true;
    double* row = front.F + pivot * stride;
    const double inverse = 1 / row[pivot];
    front.order[front.rank] = pivot;
    front.pivots[front.rank++] = inverse;
    for (int i = pivot + 1; i < front.rows; ++i)
      row[i] = i < front.closed && done[i] ? 0 : front.F[i * stride + pivot];
    for (int i = 0; i < front.rows; ++i) {
      if (i < front.closed && done[i]) continue;
      double* other = front.F + i * stride;
      const double f = inverse * row[i];
      if (f != 0)
        for (int j = 0; j <= i; j += 4) store(other + j, load(other + j) - f * load(row + j));
      if (i > pivot) other[pivot] = 0;
    }
  }
}

static void reduce(const FrontData& front, double* h) {
  for (int step = 0; step < front.rank; ++step) {
    const int pivot = front.order[step];
    const double own = h[pivot];
    const double f = front.pivots[step] * own;
    const double* row = front.F + pivot * front.stride;
    for (int j = 0; j < front.stride; j += 4) store(h + j, load(h + j) - f * load(row + j));
    h[pivot] = own;
  }
}

static void expand(const FrontData& front, const double* h, double* lambda) {
  for (int i = 0; i < front.closed; ++i) lambda[i] = 0;
  for (int step = front.rank; step-- > 0;) {
    const int pivot = front.order[step];
    const double* row = front.F + pivot * front.stride;
    V4 t = zero();
    for (int j = 0; j < front.stride; j += 4) t += load(row + j) * load(lambda + j);
    lambda[pivot] = -front.pivots[step] * (h[pivot] + sum(t));
  }
}

}  // namespace sarrus::branches::SARRUS_INSTRUCTIONS
