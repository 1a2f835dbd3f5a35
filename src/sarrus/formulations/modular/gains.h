#pragma once

#include <cmath>
#include <numbers>
#include <optional>

#include "sarrus/formulations/formulation.h"

namespace sarrus::modular {

/// Constraints that are violated return as φ̈ + k_v φ̇ + k_p φ = 0.  [modular-stabilised]
struct Gains {
  double position = 0;  ///< k_p = ω² [1/s²]
  double velocity = 0;  ///< k_v = 2 ε ω [1/s]

  /// λ that is started from the last step's integrates errors; from η λ with this η it stays stable
  /// however coarsely it is solved.  [modular-leak]
  double leak(double step) const {
    const double sum = velocity + position * step;
    return sum > 0 ? velocity / sum : 1.0;
  }
};

/// ω and ε of the gains; none where nothing is stabilised.
inline std::optional<Stabilisation> stabilisation_of(const Gains& gains) {
  if (gains.position == 0) return std::nullopt;
  const double omega = std::sqrt(gains.position);
  return Stabilisation{omega, gains.velocity / (2 * omega)};
}

inline Gains gains_of(double omega, double damping) { return {omega * omega, 2 * damping * omega}; }

/// Ten steps a period, a tenth of critical damping: what Joli, Séguy and Feng take.  [modular-gains]
inline constexpr double kPaperOmegaTimesStep = 0.2 * std::numbers::pi;
inline constexpr double kPaperDamping = 0.1;

}  // namespace sarrus::modular
