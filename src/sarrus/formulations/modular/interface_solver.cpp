#include "sarrus/formulations/modular/interface_solver.h"

#include <algorithm>
#include <cmath>

#include "sarrus/base/thresholds.h"
#include "sarrus/spatial/dense.h"

namespace sarrus::modular {
namespace {

/// The elimination of an open mechanism is exact. Around loops rows may depend on each other, and
/// pivots are squares of sines, so that rounding decides nothing: K + δ D is eliminated instead, and
/// the iteration around it does the rest.  [modular-elimination]
constexpr double kLoopCompliance = 1e-9;
/// A step this much longer than that of a direction without δ goes along one that only rounding or a
/// contradiction asks for.
constexpr double kTooLong = 100;

/// Compliance below this is not seen in the motion: constraints are stiffer than it by far.
constexpr double kVisible = 1e-6;

/// b is a sum of some dozen rounded terms.
constexpr double kTermRounding = 4e-16;

/// pcg: its residual may rise for as many iterations as there are rows. After more without a better
/// one, or some in which the accelerations no longer change, there is none to be had.
constexpr int kPatience = 40;
constexpr double kNoChange = 1e-18;

/// What is left then is rounding below this part of b, contradiction above.
constexpr double kContradiction = 1e-5;

/// One more term of the error's energy must be this much smaller than what the tolerance leaves.
constexpr double kEnergyMargin = 1e-2;

double dot(const Multipliers& x, const Multipliers& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i].dot(y[i]);
  return sum;
}

void add(double factor, const Multipliers& x, Multipliers& y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += factor * x[i];
}

}  // namespace

InterfaceSolver::InterfaceSolver(const Interface& interface, const JointElimination* elimination,
                                 const UzawaOptions& options, double least_eigenvalue)
    : options_(options),
      elimination_(elimination),
      compliance_(interface.is_open ? 0.0 : kLoopCompliance),
      least_(least_eigenvalue) {
  if (elimination_ != nullptr) numbers_ = elimination_->make_numbers();
  r_.assign(interface.links.size(), Vec6::Zero());
  z_ = p_ = q_ = best_ = r_;
}

Solved InterfaceSolver::solve(InterfaceSystem& system, Multipliers& lambda, double compliance) {
  system.regularisation = options_.compliance + compliance;
  if (system.links() == 0) return {};
  switch (options_.iteration) {
    case Iteration::kRichardson:
    case Iteration::kBlockJacobi:
      return stationary(system, lambda);
    case Iteration::kChebyshev:
      return chebyshev(system, lambda);
    case Iteration::kPcg:
    case Iteration::kTree:
      break;
  }
  Solved solved = conjugate_gradients(system, lambda, options_.tolerance, Start::kGiven);
  if (compliance > kVisible) {
    // [modular-drift]  Once more for what the compliance has left of the residual: directions that are
    // stiffer than it lose its square.
    const int before = solved.iterations;
    solved = conjugate_gradients(system, lambda, options_.tolerance, Start::kRefined);
    solved.iterations += before;
  }
  // With compliance what is left of a contradiction is not asked for.
  if (compliance > 0) solved.contradicts = gives_way(compliance);
  if (!solved.contradicts || compliance > 0 || options_.regularisation == 0) return solved;
  // [modular-regularised]
  const int before = solved.iterations;
  system.regularisation = options_.regularisation;
  for (Vec6& l : lambda) l.setZero();
  solved = conjugate_gradients(system, lambda, options_.tolerance, Start::kGiven);
  system.regularisation = 0;
  solved.iterations += before;
  solved.contradicts = true;
  return solved;
}

Solved InterfaceSolver::project(InterfaceSystem& system, Multipliers& lambda, double tolerance) {
  system.regularisation = 0;
  for (Vec6& l : lambda) l.setZero();
  return conjugate_gradients(system, lambda, tolerance, Start::kProjection);
}

double InterfaceSolver::pivot(const InterfaceSystem& system, int smaller) {
  pivots_.clear();
  for (std::size_t l = 0; l < system.links(); ++l) {
    const auto column = static_cast<std::size_t>(elimination_->column_of(static_cast<int>(l)));
    const Vec6& inverse = numbers_.factors[column].inverse;
    for (int r = 0; r < system.interface().links[l].rows; ++r) {
      const double whole = inverse[r] * inverse[r] * system.diagonal()[l](r, r);
      pivots_.push_back(whole > 0 ? 1 / whole : 0.0);
    }
  }
  if (smaller >= static_cast<int>(pivots_.size())) return 1;
  std::nth_element(pivots_.begin(), pivots_.begin() + smaller, pivots_.end());
  return pivots_[static_cast<std::size_t>(smaller)];
}

void InterfaceSolver::precondition(const InterfaceSystem& system, Multipliers& x) const {
  if (elimination_ != nullptr)
    elimination_->solve(numbers_, x);
  else
    system.precondition(x);
}

// r = −(K λ + b)
void InterfaceSolver::residual(InterfaceSystem& system, const Multipliers& lambda) {
  system.apply(lambda, r_);
  for (std::size_t l = 0; l < r_.size(); ++l) r_[l] = -(r_[l] + system.b()[l]);
}

// [modular-pcg]
Solved InterfaceSolver::conjugate_gradients(InterfaceSystem& system, Multipliers& lambda,
                                            double tolerance, Start start) {
  if (elimination_ != nullptr) {
    const double given = system.regularisation;
    system.regularisation += compliance_;
    system.fill(*elimination_, numbers_);
    system.regularisation = given;
    elimination_->factor(numbers_, thresholds::kNoInertia);
  }
  // The size of b in the preconditioner's norm; by elimination that is of λ, which is known soon.
  const bool exact = elimination_ != nullptr;
  double size = 0;
  if (!exact) {
    z_ = system.b();
    precondition(system, z_);
    size = dot(system.b(), z_);
  }
  // Where a direction has no more than the compliance, rounding of b looks that much larger. A
  // projection repeats itself and need not mind.
  const bool amplified = exact && compliance_ > 0 && start != Start::kProjection;
  const double rounding =
      kTermRounding * system.term_size() / (amplified ? std::sqrt(compliance_) : 1.0);
  const auto goal_for = [&](double scale) {
    return tolerance * tolerance * scale + rounding * rounding;
  };
  double goal = goal_for(size);
  const double least = kEnergyMargin * tolerance * tolerance * system.size(system.b());
  const double compliance = system.regularisation;
  if (start == Start::kRefined) system.regularisation = 0;
  residual(system, lambda);
  system.regularisation = compliance;
  z_ = r_;
  precondition(system, z_);
  double rho = dot(r_, z_);
  double energy = 0;
  double best = rho;
  best_ = lambda;
  int since = 0, idle = 0;
  bool stalled = false;
  Solved solved;
  p_ = z_;
  while ((rho > goal || solved.iterations > 0) && rho > 0 &&
         solved.iterations < options_.most_iterations) {
    system.apply(p_, q_);
    const double curvature = dot(p_, q_);
    if (!(curvature > 0) || !std::isfinite(curvature)) {
      stalled = true;
      break;
    }
    const double alpha = rho / curvature;
    if (elimination_ != nullptr && alpha > kTooLong) {
      stalled = true;
      break;
    }
    add(alpha, p_, lambda);
    add(-alpha, q_, r_);
    ++solved.iterations;
    const double gained = alpha * rho;
    energy += gained;
    if (watch) watch(lambda, r_);
    if (exact) {
      size = std::abs(dot(lambda, system.b()));
      goal = goal_for(size);
      // On open mechanisms one round is all; that it was needs no other solution to be seen.
      if (compliance_ == 0 && system.size(r_) <= least) {
        rho = 0;
        break;
      }
    }
    z_ = r_;
    precondition(system, z_);
    const double next = dot(r_, z_);
    const bool steady = elimination_ != nullptr ||
                        gained <= kEnergyMargin * tolerance * tolerance * energy ||
                        next <= kEnergyMargin * goal;
    if (next < best) {
      best = next;
      best_ = lambda;
      since = 0;
    } else {
      ++since;
    }
    idle = gained > kNoChange * energy ? 0 : idle + 1;
    stalled = since >= kPatience + 6 * static_cast<int>(r_.size()) || idle >= kPatience;
    if (stalled) break;
    const double beta = next / rho;
    rho = next;
    if (rho <= goal && steady) break;
    for (std::size_t l = 0; l < p_.size(); ++l) p_[l] = z_[l] + beta * p_[l];
  }
  if (stalled) {
    lambda = best_;
    rho = best;
  }
  solved.residual = size > 0 ? std::sqrt(rho / size) : 0;
  solved.converged = rho <= goal || stalled;
  solved.contradicts = stalled && solved.residual > kContradiction;
  return solved;
}

// λ ← λ + R r with the paper's ρ or the inverse blocks.  [modular-richardson]
Solved InterfaceSolver::stationary(InterfaceSystem& system, Multipliers& lambda) {
  const bool blocks = options_.iteration == Iteration::kBlockJacobi;
  double safe = 0;  // the largest row sum of the blocks that bound K
  for (const Mat6& D : system.diagonal())
    safe = std::max(safe, D.cwiseAbs().rowwise().sum().maxCoeff());
  const std::vector<double>& rho = options_.rho;
  z_ = system.b();
  system.precondition(z_);
  const double size = dot(system.b(), z_);
  const double rounding = kTermRounding * system.term_size();
  const double goal = options_.tolerance * options_.tolerance * size + rounding * rounding;
  Solved solved;
  while (true) {
    residual(system, lambda);
    if (watch) watch(lambda, r_);
    z_ = r_;
    system.precondition(z_);
    const double now = dot(r_, z_);
    solved.residual = size > 0 ? std::sqrt(now / size) : 0;
    solved.converged = now <= goal;
    if (options_.stopping == Stopping::kResidual && solved.converged) break;
    if (solved.iterations >= options_.most_iterations || !std::isfinite(now)) break;
    if (blocks) {
      p_ = z_;
    } else {
      for (std::size_t l = 0; l < p_.size(); ++l) {
        const double one = rho.empty() ? 1 / safe : rho[std::min(l, rho.size() - 1)];
        p_[l] = one * r_[l];
      }
    }
    add(1, p_, lambda);
    ++solved.iterations;
    if (options_.stopping == Stopping::kIncrement && increments_are_small(lambda)) {
      // As in the paper the accelerations are those before the last increment, which starts the next
      // step.
      best_ = lambda;
      add(-1, p_, lambda);
      solved.converged = true;
      solved.has_next = true;
      break;
    }
  }
  return solved;
}

// The paper's test, component by component; p_ is the increment.
bool InterfaceSolver::increments_are_small(const Multipliers& lambda) const {
  double largest = 0;
  for (const Vec6& l : lambda) largest = std::max(largest, l.cwiseAbs().maxCoeff());
  const double rounding = 1e-12 * largest;
  for (std::size_t i = 0; i < lambda.size(); ++i)
    for (int r = 0; r < 6; ++r)
      if (std::abs(p_[i][r]) > options_.tolerance * std::abs(lambda[i][r]) + rounding) return false;
  return true;
}

// [modular-chebyshev]  No sums are needed, but the interval of eigenvalues of D⁻¹K: (least, 1].
Solved InterfaceSolver::chebyshev(InterfaceSystem& system, Multipliers& lambda) {
  const double middle = 0.5 * (1 + least_);
  const double radius = 0.5 * (1 - least_);
  z_ = system.b();
  system.precondition(z_);
  const double size = dot(system.b(), z_);
  const double rounding = kTermRounding * system.term_size();
  const double goal = options_.tolerance * options_.tolerance * size + rounding * rounding;
  Solved solved;
  double alpha = 0;
  while (true) {
    residual(system, lambda);
    if (watch) watch(lambda, r_);
    z_ = r_;
    system.precondition(z_);
    const double now = dot(r_, z_);
    solved.residual = size > 0 ? std::sqrt(now / size) : 0;
    solved.converged = now <= goal;
    if (solved.converged || solved.iterations >= options_.most_iterations || !std::isfinite(now))
      break;
    if (solved.iterations == 0) {
      alpha = 1 / middle;
      p_ = z_;
    } else {
      const double half = solved.iterations == 1 ? 0.5 * (radius * alpha) * (radius * alpha)
                                                 : 0.25 * (radius * alpha) * (radius * alpha);
      const double beta = half;
      alpha = 1 / (middle - beta / alpha);
      for (std::size_t l = 0; l < p_.size(); ++l) p_[l] = z_[l] + beta * p_[l];
    }
    add(alpha, p_, lambda);
    ++solved.iterations;
  }
  return solved;
}

double InterfaceSolver::least_eigenvalue(InterfaceSystem& system, int steps) {
  // Conjugate gradients on a rough right-hand side; its numbers are the tridiagonal of Lanczos.
  for (std::size_t l = 0; l < r_.size(); ++l)
    for (int k = 0; k < 6; ++k)
      r_[l][k] = system.diagonal()[l](k, k) > 0
                     ? std::sqrt(system.diagonal()[l](k, k)) * std::sin(1.7 * double(6 * l) + k + 1)
                     : 0.0;
  z_ = r_;
  system.precondition(z_);
  p_ = z_;
  double rho = dot(r_, z_);
  const double first = rho;
  std::vector<double> diagonal, off;
  double alpha = 0, beta = 0;
  for (int i = 0; i < steps && rho > 1e-20 * first; ++i) {
    system.apply(p_, q_);
    const double curvature = dot(p_, q_);
    if (!(curvature > 1e-14 * rho)) break;
    const double next = rho / curvature;
    diagonal.push_back(1 / next + (i > 0 ? beta / alpha : 0.0));
    alpha = next;
    add(-alpha, q_, r_);
    z_ = r_;
    system.precondition(z_);
    const double after = dot(r_, z_);
    beta = after / rho;
    off.push_back(std::sqrt(std::max(0.0, beta)) / alpha);
    rho = after;
    for (std::size_t l = 0; l < p_.size(); ++l) p_[l] = z_[l] + beta * p_[l];
  }
  if (diagonal.empty()) return 1;
  const auto n = static_cast<Eigen::Index>(diagonal.size());
  const VecX d = Eigen::Map<const VecX>(diagonal.data(), n);
  const VecX e = Eigen::Map<const VecX>(off.data(), n - 1);
  // Zeros are what dependent rows leave.
  for (const double value : tridiagonal_eigenvalues(d, e))
    if (value > 1e-10) return std::min(value, 0.99);
  return 0.99;
}

}  // namespace sarrus::modular
