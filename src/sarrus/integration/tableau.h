#pragma once

#include <array>

namespace sarrus {

/// Coefficients of an explicit Runge–Kutta method.  [rk-stages]
struct Tableau {
  static constexpr int kMaxStages = 7;
  using Row = std::array<double, kMaxStages>;

  int stages = 0;
  bool first_same_as_last = false;  ///< the last stage is at the end point: b is the last row of a
  Row c{};                          ///< stage times, in steps
  std::array<Row, kMaxStages> a{};  ///< stage displacements
  Row b{};                          ///< the step
  Row error{};                      ///< b − b̂, the error estimate; zeros: there is none
  Row dense{};                      ///< weights of the quartic term of the continuous extension
};

/// The classical method of order 4.
inline constexpr Tableau kRk4{
    .stages = 4,
    .c = {0, 0.5, 0.5, 1},
    .a = {{{}, {0.5}, {0, 0.5}, {0, 0, 1}}},
    .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
};

/// Order 5 with an error estimate of order 4 (Dormand, Prince 1980, RK5(4)7M) and a continuous
/// extension of order 4 (Hairer, Nørsett, Wanner, II.6).  [rk-dopri5]
inline constexpr Tableau kDopri5{
    .stages = 7,
    .first_same_as_last = true,
    .c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
    .a = {{{},
           {1.0 / 5},
           {3.0 / 40, 9.0 / 40},
           {44.0 / 45, -56.0 / 15, 32.0 / 9},
           {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
           {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
           {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}}},
    .b = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0},
    .error = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525,
              -1.0 / 40},
    .dense = {-12715105075.0 / 11282082432, 0, 87487479700.0 / 32700410799,
              -10690763975.0 / 1880347072, 701980252875.0 / 199316789632, -1453857185.0 / 822651844,
              69997945.0 / 29380423},
};

}  // namespace sarrus
