#include "sarrus/elimination/tree_projector.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "sarrus/base/thresholds.h"
#include "sarrus/constraints/closing.h"
#include "sarrus/model/loads.h"

namespace sarrus {
namespace {

using Values = Elimination::Values;

/// Corrections [rad, or of the largest speed] far below which all is rounding.
constexpr double kNatural = 1e-2;

/// By δ, the rotation on the left.
void move_pose(const Vec6& delta, Transform& pose) {
  pose.q = (exp_rotation(delta.head<3>()) * pose.q).normalized();
  pose.p += delta.tail<3>();
}

double norm_of(std::span<const double> numbers) {
  double square = 0;
  for (double x : numbers) square += x * x;
  return std::sqrt(square);
}

std::string worst_row(const ConstraintSystem& system, std::span<const double> numbers) {
  return system.worst(Eigen::Map<const VecX>(numbers.data(), std::ssize(numbers)));
}

}  // namespace

double TreeProjector::norm_of_phi() const { return norm_of(elimination_->phi()); }

double TreeProjector::scaled_norm_of_phi() const {
  const VecX& scale = elimination_->plan().system->row_scale();
  return Eigen::Map<const VecX>(elimination_->phi().data(), scale.size())
      .cwiseProduct(scale)
      .norm();
}

void TreeProjector::displace(Configuration& c) const {
  for (std::size_t i = 1; i < c.poses.size(); ++i) move_pose(elimination_->a()[i], c.poses[i]);
}

Status TreeProjector::project_positions(double t, Configuration& c) {
  const ConstraintSystem& system = *elimination_->plan().system;
  if (system.rows() == 0) return {};
  const double closed = closed_residual(system, c);
  ++factorizations;
  Status status = elimination_->factor(t, c, Values::kPositions);
  if (!status.ok()) return status;
  double size = norm_of_phi();
  bool fresh = true;
  // At least one correction even when closed: near singular positions every digit of φ counts.
  for (int i = 0; i < most_iterations && (i == 0 || !(size <= closed)); ++i) {
    if (!fresh) {
      ++factorizations;
      status = elimination_->factor(t, c, Values::kPositions);
      if (!status.ok()) return status;
    }
    ++position_iterations;
    g_.assign(elimination_->phi().begin(), elimination_->phi().end());
    status = elimination_->solve({}, g_, {.most = 2, .natural = kNatural});
    if (!status.ok()) return status;
    before_ = c;
    displace(c);
    elimination_->evaluate(t, c, Values::kPositions);
    const double next = norm_of_phi();
    if (next >= size && size <= 16 * closed) {  // rounding is all that was left
      c = before_;
      break;
    }
    double step = 0;
    for (const Vec6& d : elimination_->a()) step += d.squaredNorm();
    fresh = next <= 0.1 * size;
    size = next;
    if (std::sqrt(step) <= position_tolerance) break;
  }
  update_coordinates(system.model(), c);
  if (size <= std::max(16 * closed, thresholds::kOpen * system.length())) return {};
  return {Status::Code::kDiverged, fmt::format("{} cannot be kept closed: {:.3g} is left",
                                               worst_row(system, elimination_->phi()), size)};
}

Status TreeProjector::project_velocities(double t, Configuration& c) {
  if (elimination_->plan().system->rows() == 0) return {};
  double speed = 0;
  for (const Vec6& V : c.velocities) speed = std::max(speed, V.cwiseAbs().maxCoeff());
  double before = norm_of(elimination_->phi_rate());
  for (int i = 0; i < most_iterations; ++i) {
    ++velocity_iterations;
    g_.assign(elimination_->phi_rate().begin(), elimination_->phi_rate().end());
    // What is left after the first correction is rounding, in whatever metric it is mended.
    const Elimination::Stop stop{
        .most = 2, .projection_passes = i == 0 ? 6 : 1, .natural = kNatural * speed};
    if (Status status = elimination_->solve({}, g_, stop); !status.ok()) return status;
    double step = 0;
    for (std::size_t b = 1; b < c.velocities.size(); ++b) {
      c.velocities[b] += elimination_->a()[b];
      step += elimination_->a()[b].squaredNorm();
    }
    elimination_->evaluate(t, c, Values::kVelocities);
    const double now = norm_of(elimination_->phi_rate());
    if (std::sqrt(step) <= velocity_tolerance * std::max(1.0, speed)) break;
    if (now <= velocity_residual * speed || now > 0.3 * before) break;
    before = now;
  }
  return {};
}

bool TreeProjector::is_closed(double t, const Configuration& c) {
  const ConstraintSystem& system = *elimination_->plan().system;
  elimination_->evaluate(t, c, Values::kVelocities);
  const double closed = closed_residual(system, c);
  double speed = 0;
  for (const Vec6& V : c.velocities) speed = std::max(speed, V.cwiseAbs().maxCoeff());
  return norm_of_phi() <= closed &&
         norm_of(elimination_->phi_rate()) <= closed * speed / system.length();
}

Status TreeProjector::close(double t, Configuration& c, double enough) {
  const ConstraintSystem& system = *elimination_->plan().system;
  const double closed = std::max(enough, closed_residual(system, c));
  constexpr int kMost = 100;
  double damping = 1;
  Status status;
  elimination_->evaluate(t, c, Values::kPositions);
  double size = scaled_norm_of_phi();
  for (int i = 0; i < kMost && size > closed; ++i) {
    before_ = c;
    elimination_->regularisation().damping =
        std::max(1e-14, damping * 0.1 * size / system.length());
    status = elimination_->factor(t, c, Values::kPositions);
    if (!status.ok()) break;
    g_.assign(elimination_->phi().begin(), elimination_->phi().end());
    status = elimination_->solve({}, g_, {.most = 1});
    if (!status.ok()) break;
    displace(c);
    elimination_->evaluate(t, c, Values::kPositions);
    const double next = scaled_norm_of_phi();
    if (std::isfinite(next) && next < size * (1 - 1e-3)) {
      size = next;
      update_coordinates(system.model(), c);
      damping = std::max(1e-3, damping / 4);
    } else {
      c = before_;
      if (size <= 16 * closed || damping > 1e9) break;
      damping *= 8;
      elimination_->evaluate(t, c, Values::kPositions);
    }
  }
  elimination_->regularisation().damping = 0;
  elimination_->evaluate(t, c, Values::kPositions);
  if (!status.ok() || size <= 16 * closed) return status;
  return {Status::Code::kDiverged, fmt::format("{} cannot be closed: {:.3g} is left",
                                               worst_row(system, elimination_->phi()), size)};
}

bool TreeProjector::close_with_old_matrices(double t, Configuration& c, double enough) {
  constexpr int kMost = 20;
  double before = INFINITY;
  for (int i = 0; i < kMost; ++i) {
    elimination_->evaluate(t, c, Values::kPositions);
    const double size = scaled_norm_of_phi();
    if (size <= enough) return true;
    if (!(size < 0.3 * before)) return false;
    before = size;
    g_.assign(elimination_->phi().begin(), elimination_->phi().end());
    // Whatever the metric: inertia that was added may stay.
    if (!elimination_->solve({}, g_, {.most = 1, .projection_passes = 1}).ok()) return false;
    displace(c);
  }
  return false;
}

namespace {

/// What a pose to be looked at may leave of φ, over the typical length and the root of the number of
/// rows: it gives rows that depend on each other pivots of its square, far below any tolerance.
constexpr double kClosedToLookAt = 1e-10;

/// A step along a random allowed motion from the pose of the last factor(), brought back to the
/// manifold; false when that failed.
bool wander_on_tree(Elimination& elimination, double length, Configuration& c,
                    std::mt19937& random) {
  const ConstraintSystem& system = *elimination.plan().system;
  TreeProjector projector(elimination);
  Configuration pose = c;
  for (std::size_t i = 1; i < pose.velocities.size(); ++i)
    for (double& v : pose.velocities[i]) v = static_cast<double>(random()) / 2147483648.0 - 1;
  for (std::size_t i = 1; i < pose.velocities.size(); ++i)
    pose.velocities[i].tail<3>() *= system.length();
  elimination.evaluate_rates(pose);
  // Prescribed motions stand still: what they ask for is not part of an allowed motion.
  std::vector<double> g(elimination.phi_rate().begin(), elimination.phi_rate().end());
  for (std::size_t r = 0; r < g.size(); ++r) g[r] += elimination.motion_rate()[r];
  if (!elimination.solve({}, g, {.most = 1}).ok()) return false;
  double largest = 0;
  for (std::size_t i = 1; i < pose.poses.size(); ++i) {
    pose.velocities[i] += elimination.a()[i];
    largest = std::max({largest, pose.velocities[i].head<3>().cwiseAbs().maxCoeff(),
                        pose.velocities[i].tail<3>().cwiseAbs().maxCoeff() / system.length()});
  }
  if (!(largest > 1e-9)) return false;
  for (std::size_t i = 1; i < pose.poses.size(); ++i) {
    move_pose(length / largest * pose.velocities[i], pose.poses[i]);
    pose.velocities[i].setZero();
  }
  const double enough = kClosedToLookAt * system.length() * std::sqrt(system.rows());
  Configuration closed = pose;
  if (!projector.close_with_old_matrices(0, closed, enough)) {
    closed = std::move(pose);
    if (!projector.close(0, closed, enough).ok()) return false;
  }
  update_coordinates(system.model(), closed);
  c = std::move(closed);
  return true;
}

}  // namespace

int rank_at(Elimination& elimination, const Configuration& c) {
  elimination.regularisation().penalty = 0;
  const bool ok = elimination.factor(0, c, Values::kPositions).ok();
  elimination.regularisation().penalty = Regularisation{}.penalty;
  return ok ? elimination.rank() : -1;
}

double NominalRanks::strength(const Elimination& elimination) const {
  return std::sqrt(std::max(0.0, elimination.smallest_pivot() / smallest_pivot));
}

NominalRanks ranks_of(const Elimination& elimination) {
  return {elimination.ranks(), elimination.rank(), elimination.smallest_pivot()};
}

std::vector<JointId> dependent_joints(Elimination& elimination) {
  const std::vector<char> dependent = elimination.dependent_rows();
  std::vector<JointId> joints;
  for (std::size_t r = 0; r < dependent.size(); ++r) {
    const JointId joint = elimination.plan().system->origins()[r].joint;
    if (dependent[r] && (joints.empty() || joints.back() != joint)) joints.push_back(joint);
  }
  return joints;
}

void visit_generic_poses(Elimination& elimination, const Configuration& assembled, double step,
                         const std::function<void(const Configuration&, int rank)>& look) {
  constexpr int kWalks = 3;
  constexpr int kSteps = 2;
  const int rank = rank_at(elimination, assembled);
  look(assembled, rank);
  std::mt19937 random(20120);
  for (int walk = 0; walk < kWalks; ++walk) {
    Configuration pose = assembled;
    if (walk > 0) rank_at(elimination, assembled);
    for (int i = 0; i < kSteps; ++i) {
      if (!wander_on_tree(elimination, step, pose, random)) break;
      const int here = rank_at(elimination, pose);
      look(pose, here);
      // Most poses are regular, and one more is as good as any.
      if (walk == 0 && i == 0 && rank >= 0 && here == rank) return;
    }
  }
}

NominalRanks find_nominal_ranks(Elimination& elimination, const std::vector<Configuration>& poses,
                                int expected) {
  Regularisation& how = elimination.regularisation();
  how.nominal_ranks.clear();
  how.noise = expected >= 0 ? 0 : Regularisation{}.noise;
  NominalRanks best;
  best.rank = -1;
  best.ranks.assign(elimination.plan().nodes.size(), 0);
  for (const Configuration& c : poses) {
    // Where the rank is known, the tolerance is the one that gives it. A pose at which the rank
    // jumps over it does not tell directions from noise.
    for (how.tolerance = expected >= 0 ? 1e-5 : Regularisation{}.tolerance; how.tolerance > 1e-17;
         how.tolerance /= 4) {
      const int rank = rank_at(elimination, c);
      if (rank < 0 || (expected >= 0 && rank > expected)) break;
      const double pivot = elimination.smallest_pivot();
      if (rank > best.rank || (rank == best.rank && pivot > best.smallest_pivot))
        best = {elimination.ranks(), rank, pivot};
      if (rank >= expected) break;
    }
  }
  how.tolerance = Regularisation{}.tolerance;
  how.noise = Regularisation{}.noise;
  if (best.rank < 0)  // no pose shows the rank that is expected
    if (const int rank = rank_at(elimination, poses.front()); rank >= 0)
      best = {elimination.ranks(), rank, elimination.smallest_pivot()};
  how.nominal_ranks = best.ranks;
  return best;
}

}  // namespace sarrus
