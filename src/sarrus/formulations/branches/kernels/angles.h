#pragma once

#include <cmath>

#include "sarrus/formulations/branches/kernels/algebra.h"

/// Sines and cosines in lanes.
namespace sarrus::branches::SARRUS_INSTRUCTIONS {

/// Of angles within a quarter turn of zero: Taylor's series but for the last bits of its coefficients,
/// which are those of the best approximation (as in fdlibm).
SARRUS_INLINE V4 sine_near_zero(V4 x, V4 square) {
  const V4 series = -1.66666666666666324348e-01 +
                    square * (8.33333333332248946124e-03 +
                              square * (-1.98412698298579493134e-04 +
                                        square * (2.75573137070700676789e-06 +
                                                  square * (-2.50507602534068634195e-08 +
                                                            square * 1.58969099521155010221e-10))));
  return x + x * square * series;
}
SARRUS_INLINE V4 cosine_near_zero(V4 square) {
  const V4 series =
      4.16666666666666019037e-02 +
      square * (-1.38888888888741095749e-03 +
                square * (2.48015872894767294178e-05 +
                          square * (-2.75573143513906633035e-07 +
                                    square * (2.08757232129817482790e-09 +
                                              square * -1.13596475577881948265e-11))));
  const V4 half = 0.5 * square, most = 1 - half;
  return most + (((1 - most) - half) + square * square * series);
}

/// To within two units in the last place.
SARRUS_INLINE void sines_and_cosines(V4 angle, V4& sine, V4& cosine) {
  // A quarter turn in three parts; times as many of them as `kMost` has, the first two are exact.
  constexpr double kQuarter[3] = {1.57079632673412561417e+00, 6.07710050630396597660e-11,
                                  2.02226624879595063154e-21};
  constexpr double kQuarterInverse = 6.36619772367581382433e-01;
  constexpr double kMost = 1e6;
  constexpr double kToWhole = 6755399441055744;  // 1.5 · 2⁵²: what is added to it becomes whole
  const I4 is_small = (angle < kMost) & (angle > -kMost);
  if (!(is_small[0] & is_small[1] & is_small[2] & is_small[3])) {
    for (int lane = 0; lane < 4; ++lane) {
      sine[lane] = std::sin(angle[lane]);
      cosine[lane] = std::cos(angle[lane]);
    }
    return;
  }
  const V4 shifted = angle * kQuarterInverse + kToWhole;
  const V4 quarters = shifted - kToWhole;
  const V4 rest =
      ((angle - quarters * kQuarter[0]) - quarters * kQuarter[1]) - quarters * kQuarter[2];
  const V4 square = rest * rest;
  const V4 s = sine_near_zero(rest, square), c = cosine_near_zero(square);
  const I4 count = (I4)shifted;
  const I4 is_odd = (count & 1) != 0;
  // The sign turns with every half turn, a quarter turn earlier for the cosine.
  sine = (V4)((I4)(is_odd ? c : s) ^ ((count & 2) << 62));
  cosine = (V4)((I4)(is_odd ? s : c) ^ (((count + 1) & 2) << 62));
}

}  // namespace sarrus::branches::SARRUS_INSTRUCTIONS
