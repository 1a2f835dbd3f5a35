#pragma once

#include <span>
#include <vector>

namespace sarrus {

/// The blocks of a formulation's state, and the state space's geometry.
///
/// A state x is a list of numbers; a tangent u (a displacement or a rate) may be shorter: a unit
/// quaternion takes four numbers in x (w first) and three in u, the rotation vector or angular
/// velocity in the frame that the quaternion maps to. Integrators work only through these
/// operations and never see a raw quaternion.  [layout-retract]
class StateLayout {
 public:
  enum class Kind { kVector, kQuaternion };
  struct Block {
    Kind kind = Kind::kVector;
    int size = 0;          ///< numbers in x; 4 for a quaternion
    int offset = 0;        ///< in x
    int tangent_size = 0;  ///< numbers in u
    int tangent_offset = 0;
    double strictness = 1;  ///< how many times its errors count in the integrator's control; 0: not
    int sized_by = -1;  ///< tangent offset of what moves at these speeds; −1: sized by themselves
  };

  void add_vector(int size, double strictness = 1);
  /// Momenta in units of speeds: their errors are errors of the rates of the tangents from `moved` on, and
  /// count against the sizes of those.
  void add_momenta(int size, int moved, double strictness);
  void add_quaternion();

  const std::vector<Block>& blocks() const { return blocks_; }
  int size() const { return size_; }
  int tangent_size() const { return tangent_size_; }

  /// x = x0 ⊞ u: vectors add; quaternions turn by exp(u), on the left.
  void retract(std::span<const double> x0, std::span<const double> u, std::span<double> x) const;

  /// u = x ⊟ x0, so that retract(x0, u) is x.
  void difference(std::span<const double> x, std::span<const double> x0, std::span<double> u) const;

  /// The rate of the chart coordinate u at x = x0 ⊞ u when x changes at rate dx: dx for vectors,
  /// Jl(u)⁻¹ ω for quaternions. `du` may be `dx` itself.
  void chart_rate(std::span<const double> u, std::span<const double> dx,
                  std::span<double> du) const;

  /// Largest rotation in u [rad]: a chart is good while this stays well below a turn.
  double largest_rotation(std::span<const double> u) const;

  /// MATLAB's error norm: max over components of strictness · |e| / max(rtol·max(|x|, |y|), atol); a
  /// quaternion counts by half its rotation, against unit size, momenta against `rates`, those of the
  /// tangents at y.  [layout-error-norm]
  double error_norm(std::span<const double> e, std::span<const double> x, std::span<const double> y,
                    std::span<const double> rates, double rtol, double atol) const;

 private:
  std::vector<Block> blocks_;
  int size_ = 0;
  int tangent_size_ = 0;
};

}  // namespace sarrus
