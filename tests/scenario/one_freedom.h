#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

namespace sarrus::tests {

/// A mechanism of one freedom by its own equation, A q̈ + ½ A′ q̇² = Q, in steps of the classical
/// Runge–Kutta method so short that their error is rounding beside any tolerance of a test.
struct OneFreedom {
  std::function<double(double)> inertia, inertia_slope, force;  ///< A, A′ = dA/dq, Q, all of q
  double q = 0, v = 0, t = 0;

  void advance_to(double end) {
    constexpr double kStep = 1e-4;
    while (t < end) {
      const double h = std::min(kStep, end - t);
      const auto rate = [&](double at, double speed) {
        return (force(at) - 0.5 * inertia_slope(at) * speed * speed) / inertia(at);
      };
      const double a1 = rate(q, v);
      const double v2 = v + h / 2 * a1, a2 = rate(q + h / 2 * v, v2);
      const double v3 = v + h / 2 * a2, a3 = rate(q + h / 2 * v2, v3);
      const double v4 = v + h * a3, a4 = rate(q + h * v3, v4);
      q += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
      v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
      t = h < kStep ? end : t + h;
    }
  }
};

}  // namespace sarrus::tests
