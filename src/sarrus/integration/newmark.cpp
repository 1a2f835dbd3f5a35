#include "sarrus/integration/newmark.h"

#include <cmath>
#include <utility>

#include "sarrus/base/assert.h"

namespace sarrus {
namespace {

struct Weights {
  double position = 0;  ///< of h² q̈ in the predicted position
  double velocity = 0;  ///< of h q̈ in the predicted velocity
};

Weights weights_of(NewmarkPredictor predictor) {
  return predictor == NewmarkPredictor::kPaper ? Weights{0.25, 0.5} : Weights{0.5, 1.0};
}

// [newmark-stability]  Is no eigenvalue of the map of (φ, hφ̇, h²φ̈) over one step larger than 1? Those of a
// cubic λ³ + a λ² + b λ + c are not where the conditions of Schur and Cohn hold. Without damping they lie
// on the circle itself, so that rounding must be allowed for.
bool is_stable(NewmarkPredictor predictor, double omega_h, double damping) {
  const Weights w = weights_of(predictor);
  const double k_p = omega_h * omega_h, k_v = 2 * damping * omega_h;
  const Eigen::RowVector3d position(1, 1, w.position), velocity(0, 1, w.velocity);
  const Eigen::RowVector3d acceleration = -k_v * velocity - k_p * position;
  Eigen::Matrix3d step;
  step.row(0) = Eigen::RowVector3d(1, 1, 0.25) + 0.25 * acceleration;
  step.row(1) = Eigen::RowVector3d(0, 1, 0.5) + 0.5 * acceleration;
  step.row(2) = acceleration;
  const double a = -step.trace();
  const double b = 0.5 * (a * a - (step * step).trace());
  const double c = -step.determinant();
  constexpr double kOnCircle = 1e-12;
  return std::abs(c) <= 1 + kOnCircle && std::abs(a + c) <= 1 + b + kOnCircle &&
         std::abs(b - a * c) <= 1 - c * c + kOnCircle;
}

}  // namespace

double newmark_stability_limit(NewmarkPredictor predictor, double damping) {
  double stable = 0, unstable = 4;
  // Upwards from zero, since with strong damping there may be several intervals.
  constexpr double kGrid = 0.01;
  for (double omega_h = kGrid; omega_h < unstable; omega_h += kGrid) {
    if (!is_stable(predictor, omega_h, damping)) {
      unstable = omega_h;
      break;
    }
    stable = omega_h;
  }
  while (unstable - stable > 1e-6) {
    const double middle = 0.5 * (stable + unstable);
    (is_stable(predictor, middle, damping) ? stable : unstable) = middle;
  }
  return stable;
}

Newmark::Newmark(const Formulation& formulation, Start start, NewmarkPredictor predictor,
                 const IntegratorOptions& options)
    : OneStep(formulation, std::move(start), options),
      predictor_(predictor),
      pairs_(formulation.velocity_pairs()),
      next_(first_) {
  SARRUS_ASSERT(!pairs_.empty());
}

// u = h q̇ + `position` h² q̈ for positions, `velocity` h q̈ for velocities, into `displacement_`.
void Newmark::displace(double h, double position, double velocity) {
  for (const VelocityPair& pair : pairs_)
    for (int i = 0; i < pair.count; ++i) {
      const auto q = static_cast<std::size_t>(pair.position + i);
      const auto v = static_cast<std::size_t>(pair.velocity + i);
      displacement_[q] = h * first_[q] + position * h * h * first_[v];
      displacement_[v] = velocity * h * first_[v];
    }
  displacement_.back() = h * first_.back();
}

// [newmark-step]  Predict, evaluate, correct.
Status Newmark::attempt(double end, double last) {
  if (Status status = update_first_rate(); !status.ok()) return status;
  const double h = end - time_;
  const Weights w = weights_of(predictor_);
  displace(h, w.position, w.velocity);
  if (!all_finite(displacement_))
    return {Status::Code::kNotFinite, "the state grows past all bounds"};
  layout_.retract(x_, displacement_, trial_);
  if (Status status = rates(last, trial_, discrete_, next_); !status.ok()) return status;
  displace(h, 0.25, 0.5);
  for (const VelocityPair& pair : pairs_)
    for (int i = 0; i < pair.count; ++i) {
      const auto q = static_cast<std::size_t>(pair.position + i);
      const auto v = static_cast<std::size_t>(pair.velocity + i);
      displacement_[q] += 0.25 * h * h * next_[v];
      displacement_[v] += 0.5 * h * next_[v];
      next_[q] = first_[q] + displacement_[v];
    }
  displacement_.back() = 0.5 * h * (first_.back() + next_.back());
  return retract();
}

void Newmark::accept(double end, double last, StepReport& report) {
  OneStep::accept(end, last, report);
  layout_.chart_rate(displacement_, next_, rate_);
  complete_polynomial(rate_);
  first_.swap(next_);
  first_is_valid_ = !changed_;
}

}  // namespace sarrus
