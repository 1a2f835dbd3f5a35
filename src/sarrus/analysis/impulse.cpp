#include "sarrus/analysis/impulse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sarrus/constraints/closing.h"
#include "sarrus/constraints/projector.h"
#include "sarrus/elimination/tree_projector.h"
#include "sarrus/model/loads.h"
#include "sarrus/spatial/dense.h"

namespace sarrus {
namespace {

using Values = Elimination::Values;

/// Heaviest direction of a soft joint, in units of the lightest. A joint has to close in all of them.
constexpr double kHeaviestOfGrab = 10;
constexpr double kHeaviestOfJoint = 100;

/// Of the largest speed, what the rows of a large mechanism leave by rounding alone.
constexpr double kRounding = 1e-14;

/// Of the typical length: where so little is open, matrices are the same before and after.
constexpr double kNext = 1e-5;

/// Acceleration that a soft joint may give to what it draws [m/s²].
constexpr double kDefaultPull = 200;

/// Of the largest speed: so much of the rates may be missed, as at the start of a run. It is the angle
/// below which exact factors take two constraint directions for one.
constexpr double kMissed = 1e-9;

/// Gaps make rows that depend on each other ask for speeds that differ: by the gap, over a length of
/// the mechanism that may be shorter than the typical one.
constexpr double kPerGap = 10;

/// Of the largest acceleration: what contradicts itself misses as much as it asks for; a loop that is out
/// of line by an angle misses that part. Rounding is far below, but where loops are nearly singular, and
/// there exact factors decide.
constexpr double kMissedAcceleration = 1e-8;

/// [rad]  Directions that differ by less are no two, and are no one either: velocities along them are off by
/// 1e-16 over the square of it, and every method follows another motion.  [edit-out-of-line]
constexpr double kOutOfLine = 1e-6;

/// Speeds and accelerations of a mechanism at rest are rounding: so many typical lengths a second, or a
/// second squared, count beside the largest.
constexpr double kStill = 1e-3;

/// Of the mass of the whole mechanism: what a soft joint may take a direction for at the most. Through a
/// lever of ten it feels so much. Near a dead point levers have no end, and neither would its force.
constexpr double kHeaviestOfAll = 100;

/// A soft joint that feels this many times the mass of the whole mechanism, or more, can move nothing:
/// no lever is so long, and rounding leaves about 1e16 times.
constexpr double kImmovable = 1e9;

/// Rows in radians measured in metres.
Vec6 scales_of(const Rows& rows, double length) {
  Vec6 scale = Vec6::Ones();
  for (int k = 0; k < rows.count; ++k)
    if (rows[k].J_A.tail<3>().isZero(0) && rows[k].J_B.tail<3>().isZero(0)) scale[k] = length;
  return scale;
}

Rows rows_of(const SoftJoint& soft, double t, const Configuration& c) {
  const auto a = soft.joint.a.slot();
  const auto b = soft.joint.b.slot();
  return soft.pull(t, c.poses[a], c.velocities[a], c.poses[b], c.velocities[b]).rows;
}

double norm_of(std::span<const double> numbers) {
  return Eigen::Map<const VecX>(numbers.data(), std::ssize(numbers)).norm();
}

/// Whose rows have a share in what is missed, the largest first.
std::vector<std::string> culprits(const ConstraintSystem& system, VecX missed) {
  constexpr double kShare = 0.2;
  constexpr std::size_t kMost = 4;
  const double least = kShare * missed.cwiseAbs().maxCoeff();
  std::vector<std::string> names;
  while (names.size() < kMost) {
    Eigen::Index row = 0;
    if (!(missed.cwiseAbs().maxCoeff(&row) >= least && missed[row] != 0)) break;
    std::string name = system.worst(missed);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    missed[row] = 0;
  }
  return names;
}

Status contradiction(const ConstraintSystem& system, const VecX& missed, const char* of_what) {
  const std::vector<std::string> names = culprits(system, missed);
  return {
      Status::Code::kDiverged,
      names.size() < 2
          ? fmt::format("{} cannot have the {} that other joints and motions leave it: {:.3g} is "
                        "missing",
                        fmt::join(names, ""), of_what, missed.norm())
          : fmt::format("{} contradict each other: of the {} asked for {:.3g} is missing",
                        fmt::join(names, " and "), of_what, missed.norm())};
}

/// Do no rows depend on each other, nor nearly?
bool are_independent(const Elimination& elimination) {
  return elimination.rank() == elimination.plan().system->rows() &&
         elimination.smallest_pivot() >= Regularisation{}.deficient;
}

/// Of what rows ask for: so much they may miss.
double missed_part(double part, const Elimination& elimination) {
  return part + kPerGap * norm_of(elimination.phi()) / elimination.plan().system->length();
}

constexpr const char* kDrawInstead =
    "\n  hint: where bodies happen to be a joint may be out of line with its loop; draw it to its "
    "old place instead ('original: true')";

/// Can accelerations follow? Where a motion turns back, the joint that locks it contradicts it only then;
/// and a loop that is out of line may move in the first order alone.  [edit-out-of-line]
/// The elimination stands factorised at the pose.
Status check_accelerations(Elimination& elimination, double t, const Configuration& c) {
  const ConstraintSystem& system = *elimination.plan().system;
  if (are_independent(elimination)) return {};
  // Large mechanisms have no exact factors, and near singular positions the others leave too much.
  const bool is_small = system.model().joint_count() <= kDenseJoints;
  if (!is_small && system.motions().empty()) return {};
  elimination.evaluate(t, c, Values::kAll);
  const std::vector<double> g(elimination.gamma().begin(), elimination.gamma().end());
  double largest = kStill * system.length();
  for (const double one : g) largest = std::max(largest, std::abs(one));
  const double enough = largest * missed_part(kMissedAcceleration, elimination);
  if (Status status = elimination.solve({}, g, {.most = 2, .projection_passes = 1}); !status.ok())
    return status;
  VecX missed(system.rows());
  const auto acceleration = [&](BodyId body) -> Vec6 {
    return body == kGround ? Vec6::Zero() : elimination.a()[body.slot()];
  };
  for (int r = 0; r < system.rows(); ++r) {
    const Joint& joint = system.model().joint(system.origins()[static_cast<std::size_t>(r)].joint);
    missed[r] = Eigen::Map<const Vec6>(elimination.J_A(r)).dot(acceleration(joint.a)) +
                Eigen::Map<const Vec6>(elimination.J_B(r)).dot(acceleration(joint.b)) +
                g[static_cast<std::size_t>(r)];
  }
  if (missed.norm() <= enough) return {};
  if (is_small) {
    Projector exact(system, system.rows());
    if (Status status = exact.factor(t, c); !status.ok()) return status;
    const ConstraintValues& values = exact.values();
    VecX a, lambda;
    exact.kkt().solve(VecX::Zero(system.columns()), -values.gamma, a, lambda, 1);
    missed = values.J * a + values.gamma;
    if (missed.norm() <= enough) return {};
  }
  Status status = contradiction(system, missed, "accelerations");
  if (system.motions().empty()) status.reason += kDrawInstead;
  return status;
}

/// A motion of what other joints hold contradicts them as soon as it begins. Two motions that say the
/// same may agree for ever. Leaves the elimination factorised without its penalties.
Status check_motions(Elimination& elimination, const Configuration& c) {
  const ConstraintSystem& system = *elimination.plan().system;
  if (system.motions().empty() || rank_at(elimination, c) < 0) return {};
  const std::vector<char> dependent = elimination.dependent_rows();
  std::vector<const PrescribedMotion*> held;
  for (std::size_t r = 0; r < dependent.size(); ++r)
    if (const int motion = system.origins()[r].motion; motion >= 0 && dependent[r] != 0)
      held.push_back(&system.motions()[static_cast<std::size_t>(motion)]);
  if (held.size() != 1 ||
      std::holds_alternative<TimeFunction::Constant>(held.front()->value.shape()))
    return {};
  return {Status::Code::kDiverged,
          fmt::format("motion '{}' cannot move joint '{}': other joints hold it",
                      held.front()->name, system.model().joint(held.front()->at.joint).name)};
}

/// What rows miss of random velocities that the elimination takes for allowed ones; nothing where it is
/// rounding. Shows directions that it does not tell apart whatever the velocities are now.
VecX missed_at_random(Elimination& elimination, double t, const Configuration& c) {
  const ConstraintSystem& system = *elimination.plan().system;
  Configuration moving = c;
  std::mt19937 random(20120);
  for (std::size_t i = 1; i < moving.velocities.size(); ++i)
    for (int k = 0; k < 6; ++k)
      moving.velocities[i][k] =
          (static_cast<double>(random()) / 2147483648.0 - 1) * (k < 3 ? 1 : system.length());
  elimination.evaluate(t, moving, Values::kVelocities);
  const double rates = norm_of(elimination.motion_rate());
  TreeProjector projector(elimination);
  projector.velocity_residual = kRounding;
  if (!projector.project_velocities(t, moving).ok()) return {};
  const VecX missed = Eigen::Map<const VecX>(elimination.phi_rate().data(), system.rows());
  const double scale = std::max(largest_speed(moving), rates);
  return missed.norm() > scale * missed_part(kMissed, elimination) ? missed : VecX();
}

Status out_of_line(const ConstraintSystem& system, const VecX& missed, double angle) {
  return {
      Status::Code::kSingular,
      fmt::format("{}: in line with the loop but for {:.1g} rad, and on that hangs whether it can "
                  "move at all, which no method can follow{}",
                  fmt::join(culprits(system, missed), " and "), angle, kDrawInstead)};
}

Status check_what_follows(Elimination& elimination, double t, const Configuration& c) {
  if (Status status = check_accelerations(elimination, t, c); !status.ok()) return status;
  return check_motions(elimination, c);
}

}  // namespace

double largest_speed(const Configuration& c) {
  double speed = 0;
  for (const Vec6& V : c.velocities) speed = std::max(speed, V.cwiseAbs().maxCoeff());
  return speed;
}

bool is_out_of_line(const Model& model, double t, const Configuration& c) {
  const ConstraintSystem system(model);
  if (system.rows() == 0 || model.joint_count() > kDenseJoints) return false;
  Projector exact(system, system.rows());
  return exact.factor(t, c).ok() && exact.kkt().smallest_pivot() < kOutOfLine;
}

Status make_velocities_meet(Elimination& elimination, double t, Configuration& c,
                            const MeetingOptions& options, bool* found_densely) {
  const ConstraintSystem& system = *elimination.plan().system;
  if (system.rows() == 0) return {};
  if (options.stands) {
    elimination.evaluate(t, c, Values::kVelocities);
  } else {
    if (Status status = elimination.factor(t, c, Values::kVelocities); !status.ok()) return status;
  }
  double scale = std::max(largest_speed(c), kStill * system.length());
  for (const double rate : elimination.motion_rate()) scale = std::max(scale, std::abs(rate));
  const double enough = scale * missed_part(kMissed, elimination);
  const std::vector<Vec6> before = c.velocities;
  TreeProjector projector(elimination);
  projector.velocity_residual = kRounding;
  if (Status status = projector.project_velocities(t, c); !status.ok()) return status;
  VecX missed = Eigen::Map<const VecX>(elimination.phi_rate().data(), system.rows());
  const bool is_small = system.model().joint_count() <= kDenseJoints;
  const VecX hidden = missed.norm() > enough ? missed
                      : is_small && !are_independent(elimination)
                          ? missed_at_random(elimination, t, c)
                          : VecX();
  if (hidden.size() == 0) return check_what_follows(elimination, t, c);
  // Pivots of the elimination are squares: rows that differ by less than 3e-6 rad are one to it. Exact
  // factors tell them apart, and where even those leave something, nothing meets all.
  if (is_small) {
    c.velocities = before;
    Projector exact(system, system.rows());
    if (Status status = exact.factor(t, c); !status.ok()) return status;
    exact.project_velocities(t, c);
    missed = exact.values().phi_rate;
    if (found_densely != nullptr) *found_densely = true;
    if (missed.norm() <= enough && !options.may_be_out_of_line &&
        exact.kkt().smallest_pivot() < kOutOfLine)
      return out_of_line(system, hidden, exact.kkt().smallest_pivot());
    if (missed.norm() <= enough) return check_what_follows(elimination, t, c);
  }
  return contradiction(system, missed, "speeds");
}

Status make_poses_meet(Elimination& elimination, double t, Configuration& c) {
  const ConstraintSystem& system = *elimination.plan().system;
  if (system.rows() == 0) return {};
  if (Status status = elimination.factor(t, c, Values::kPositions); !status.ok()) return status;
  TreeProjector projector(elimination);
  const Eigen::Map<const VecX> phi(elimination.phi().data(), system.rows());
  if (phi.norm() <= kNext * system.length()) {
    Configuration closed = c;
    if (projector.close_with_old_matrices(t, closed, closed_residual(system, c))) {
      update_coordinates(system.model(), closed);
      c = std::move(closed);
      return {};
    }
  }
  if (Status status = projector.project_positions(t, c); !status.ok()) return status;
  return elimination.factor(t, c, Values::kPositions);
}

Status find_admittances(Elimination& elimination, double t, const Configuration& c,
                        std::span<const SoftJoint> soft, std::vector<Mat6>& admittances) {
  admittances.assign(soft.size(), Mat6::Zero());
  if (soft.empty()) return {};
  if (Status status = elimination.factor(t, c, Values::kPositions); !status.ok()) return status;
  const std::vector<double> at_rest(elimination.phi().size(), 0.0);
  std::vector<Vec6> force(c.poses.size(), Vec6::Zero());
  for (std::size_t s = 0; s < soft.size(); ++s) {
    const Rows rows = rows_of(soft[s], t, c);
    const auto a = soft[s].joint.a.slot();
    const auto b = soft[s].joint.b.slot();
    Mat6& admittance = admittances[s];
    for (int k = 0; k < rows.count; ++k) {
      force[a] = a == 0 ? Vec6::Zero() : rows[k].J_A;
      force[b] = b == 0 ? Vec6::Zero() : rows[k].J_B;
      if (Status status = elimination.solve(force, at_rest, {}); !status.ok()) return status;
      const auto acceleration = [&](std::size_t body) {
        return body == 0 ? Vec6::Zero().eval() : elimination.a()[body];
      };
      for (int i = 0; i < rows.count; ++i)
        admittance(i, k) = rows[i].rate(acceleration(a), acceleration(b));
    }
    force[a] = force[b] = Vec6::Zero();
    admittance = (0.5 * (admittance + admittance.transpose())).eval();
    if (!admittance.allFinite())
      return {Status::Code::kNotFinite, "the inertia that a soft joint feels is not finite"};
  }
  return {};
}

namespace {

/// Which rows are angles does not depend on the pose.
Vec6 scales_of(const SoftJoint& soft, double length) {
  Configuration any;
  any.poses.resize(1 + static_cast<std::size_t>(std::max(soft.joint.a.index, soft.joint.b.index)));
  any.velocities.assign(any.poses.size(), Vec6::Zero());
  return scales_of(rows_of(soft, 0, any), length);
}

SymmetricEigen directions_of(const Mat6& admittance, double length, const SoftJoint& soft) {
  const int n = soft.joint.constraint_count();
  const MatX D = scales_of(soft, length).head(n).asDiagonal();
  return symmetric_eigen(D * admittance.topLeftCorner(n, n) * D);
}

double total_mass(const Model& model) {
  double mass = 0;
  for (std::size_t i = 1; i < model.bodies().size(); ++i) mass += model.bodies()[i].inertia.mass;
  return mass;
}

/// What a direction counts for at the least.
double least_admittance(const Model& model, const SoftJoint& soft, double lightest) {
  const double heaviest = soft.tumbles ? 1 : soft.grabs ? kHeaviestOfGrab : kHeaviestOfJoint;
  return std::max(lightest / heaviest, 1 / (kHeaviestOfAll * total_mass(model)));
}

bool is_immovable(const Model& model, double largest_admittance) {
  return !(kImmovable * total_mass(model) * largest_admittance > 1);
}

}  // namespace

bool is_immovable(const Model& model, const Mat6& admittance, double length,
                  const SoftJoint& soft) {
  if (soft.joint.constraint_count() == 0) return false;
  return is_immovable(model, directions_of(admittance, length, soft).values.maxCoeff());
}

void tune_soft_joint(const Model& model, const Mat6& admittance, double length, SoftJoint& soft) {
  const int n = soft.joint.constraint_count();
  soft.mass.setZero();
  soft.limit = 0;
  soft.length = length;
  if (n == 0) return;
  const auto eigen = directions_of(admittance, length, soft);
  const double lightest = eigen.values[n - 1];
  if (is_immovable(model, lightest)) return;
  const double least = least_admittance(model, soft, lightest);
  VecX mass(n);
  for (int k = 0; k < n; ++k) mass[k] = 1 / std::max(eigen.values[k], least);
  const MatX D = scales_of(soft, length).head(n).asDiagonal();
  soft.mass.topLeftCorner(n, n) =
      D * eigen.vectors * mass.asDiagonal() * eigen.vectors.transpose() * D;
  const double weight =
      model.body(soft.joint.a).inertia.mass + model.body(soft.joint.b).inertia.mass;
  soft.limit = soft.max_force.value_or(kDefaultPull * (soft.grabs ? mass.maxCoeff() : weight));
}

double stiffening(const Model& model, const Mat6& admittance, double length,
                  const SoftJoint& soft) {
  const int n = soft.joint.constraint_count();
  if (n == 0) return 1;
  // How fast the fastest direction is, in squares: now, and if the joint were tuned. The product of both
  // matrices has the eigenvalues of √A M √A, which is symmetric.
  const SymmetricEigen A = symmetric_eigen(admittance.topLeftCorner(n, n));
  const MatX root = A.vectors * A.values.cwiseMax(0).cwiseSqrt().asDiagonal();
  const double now =
      symmetric_eigenvalues(root.transpose() * soft.mass.topLeftCorner(n, n) * root)[n - 1];
  const VecX directions = directions_of(admittance, length, soft).values;
  const double lightest = directions[n - 1];
  return now / (lightest / std::max(lightest, least_admittance(model, soft, lightest)));
}

}  // namespace sarrus
