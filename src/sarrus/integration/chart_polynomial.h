#pragma once

#include <span>
#include <vector>

namespace sarrus {

/// Dense output: the displacement u from the start of a step, as a polynomial of time over it.
///
///   u(θ) = θ (c₀ + (1−θ)(c₁ + θ (c₂ + (1−θ) c₃))),   θ = (t − t₀)/h    [rk-dense-output]
///
/// It grows with what is known: from the end point and the first rate a parabola, with the last
/// rate the cubic of Hermite, with a fourth coefficient a quartic.
class ChartPolynomial {
 public:
  explicit ChartPolynomial(int tangent_size);

  void set_parabola(double start, double step, std::span<const double> end,
                    std::span<const double> first_rate);
  void set_last_rate(std::span<const double> last_rate);
  std::span<double> quartic() { return quartic_; }  ///< c₃, to be filled

  std::span<const double> end() const { return end_; }
  void evaluate(double t, std::span<double> u) const;

 private:
  double start_ = 0;
  double step_ = 0;
  std::vector<double> end_;      // c₀ = u(1)
  std::vector<double> first_;    // c₁ = h u̇(0) − u(1)
  std::vector<double> last_;     // c₂ = u(1) − h u̇(1) − c₁
  std::vector<double> quartic_;  // c₃
};

}  // namespace sarrus
