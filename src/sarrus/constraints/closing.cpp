#include "sarrus/constraints/closing.h"

#include <fmt/format.h>

#include "sarrus/model/loads.h"
#include "sarrus/spatial/dense.h"

namespace sarrus {
namespace {

constexpr int kMostIterations = 100;

/// argmin ‖A z + φ‖² + μ ‖z‖² by QR of the stacked matrix: no squaring of A's condition.
VecX damped_step(const MatX& A, const VecX& phi, double mu) {
  MatX stacked(A.rows() + A.cols(), A.cols());
  stacked << A, std::sqrt(mu) * MatX::Identity(A.cols(), A.cols());
  VecX right = VecX::Zero(stacked.rows());
  right.head(phi.size()) = -phi;
  triangularise(stacked, right);
  VecX z = right.head(A.cols());
  stacked.topRows(A.cols()).triangularView<Eigen::Upper>().solveInPlace(z);
  return z;
}

}  // namespace

double closed_residual(const ConstraintSystem& system, const Configuration& configuration) {
  double size = system.length();
  for (BodyId body : system.column_bodies())
    size = std::max(size, configuration.poses[body.slot()].p.norm());
  constexpr double kRoundings = 4;
  return kRoundings * std::numeric_limits<double>::epsilon() * size *
         std::sqrt(static_cast<double>(std::max(1, system.rows())));
}

Closing close_constraints(const ConstraintSystem& system, double t, Configuration& configuration) {
  Closing result;
  VecX phi;
  system.evaluate_positions(t, configuration, phi);
  const VecX& scale = system.row_scale();
  double size = scale.cwiseProduct(phi).norm();
  result.residual = phi.norm();
  const double closed = closed_residual(system, configuration);
  if (size <= closed) return result;

  const VecX& column_scale = system.column_scale();
  ConstraintValues values;
  Configuration trial;
  double damping = 1;  // in units of ‖φ‖ / length; raised when a step does not help
  while (result.iterations < kMostIterations) {
    ++result.iterations;
    system.evaluate(t, configuration, values);
    const MatX A = scale.asDiagonal() * values.J * column_scale.asDiagonal();
    const VecX scaled_phi = scale.cwiseProduct(values.phi);
    bool better = false;
    for (int attempt = 0; attempt < 12 && !better; ++attempt) {
      const double mu = damping * 0.1 * size / system.length();
      const VecX z = damped_step(A, scaled_phi, mu);
      trial = configuration;
      system.displace(column_scale.cwiseProduct(z), trial);
      system.evaluate_positions(t, trial, phi);
      const double trial_size = scale.cwiseProduct(phi).norm();
      better = std::isfinite(trial_size) && trial_size < size * (1 - 1e-3);
      if (better) {
        size = trial_size;
        configuration = trial;
        update_coordinates(system.model(), configuration);
        damping = std::max(1e-3, damping / 4);
      } else if (size <= 16 * closed) {
        break;  // rounding is all that is left
      } else {
        damping *= 8;
      }
    }
    result.residual = phi.norm();
    if (size <= closed) return result;
    if (!better) break;
  }
  system.evaluate_positions(t, configuration, phi);
  result.residual = phi.norm();
  if (size <= 16 * closed) return result;
  result.worst = system.worst(scale.cwiseProduct(phi));
  result.status = {Status::Code::kDiverged,
                   fmt::format("{} cannot be closed: {:.3g} is left after {} iterations",
                               result.worst, result.residual, result.iterations)};
  return result;
}

}  // namespace sarrus
