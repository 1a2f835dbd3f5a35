#pragma once

/// Central differences of eighth order: the judge of every derivative in these tests.
namespace sarrus::tests {

/// With motions of a few radians a second the truncation error, h⁸ f⁽⁹⁾ / 630, is below 1e-13; the
/// rounding error is 1e-14 in first and 1e-11 in second derivatives.
inline constexpr double kDifferenceStep = 1e-2;

/// Rounding of a second difference (1e-11), times the sizes that enter the tests (up to 10), times
/// ten.
inline constexpr double kDifferenceError = 1e-9;

template <class F>
auto derivative(const F& f, double t, double h = kDifferenceStep) -> decltype(f(t)) {
  const auto odd = [&](int k) -> decltype(f(t)) { return f(t + k * h) - f(t - k * h); };
  return (4.0 / 5 * odd(1) - 1.0 / 5 * odd(2) + 4.0 / 105 * odd(3) - 1.0 / 280 * odd(4)) / h;
}

template <class F>
auto second_derivative(const F& f, double t, double h = kDifferenceStep) -> decltype(f(t)) {
  const auto even = [&](int k) -> decltype(f(t)) { return f(t + k * h) + f(t - k * h); };
  return (-205.0 / 72 * f(t) + 8.0 / 5 * even(1) - 1.0 / 5 * even(2) + 8.0 / 315 * even(3) -
          1.0 / 560 * even(4)) /
         (h * h);
}

}  // namespace sarrus::tests
