#include "sarrus/analysis/singular_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "sarrus/base/thresholds.h"
#include "sarrus/constraints/dense_forces.h"
#include "sarrus/constraints/kkt.h"
#include "sarrus/constraints/projector.h"
#include "sarrus/elimination/tree_projector.h"
#include "sarrus/model/loads.h"

namespace sarrus {
namespace {

/// Joints of the largest block, and bodies of the largest mechanism, that are looked into densely.
constexpr std::size_t kMostJoints = 100;
constexpr int kMostBodies = 100;
/// Up to so many bodies, redundant loops are looked into even where ranks say that a position is regular,
/// which takes dense factors.
constexpr int kFewBodies = 30;

/// [start-singular]  Rounding φ ≈ 1e-16 of a pose makes accelerations φ/σ³ in a direction of strength σ: below
/// this nobody knows them, and the direction is lost.
constexpr double kLost = 1e-5;
/// Above this no direction is that weak, whatever its usual strength.
constexpr double kStrong = 1e-4;

/// [start-velocity]  How far a velocity may point off the branches: the square of that is lost of its energy.
constexpr double kAside = 1e-6;
/// [start-rest]  The same of accelerations, whose fourth-order condition is found by differences.
constexpr double kAsideByDifferences = 1e-5;
/// Directions that are lost, but not quite, resist with as much.
constexpr double kAsideWhereLost = 10 * kLost;
/// [start-rest]  Of typical lengths: how far differences reach.
constexpr double kReach = 1e-4;
/// Accelerations below this part of what velocities and loads would do to free bodies are none …
constexpr double kEquilibrium = 1e-9;
/// [1/s²]  … or of so many typical lengths: springs at rest pull by their rounding.
constexpr double kOfLengths = 1;

Status trouble(std::string what) {
  what +=
      "\n  hint: describe it a thousandth of a radian or more off that position, or give it "
      "velocities along one of the "
      "branches that meet there (a `speed` at more than one of these joints)";
  return {Status::Code::kSingular, std::move(what)};
}

/// Largest speed of a part of `u`, as a length per time.
double size_of(const ConstraintSystem& system, const VecX& u) {
  return u.size() == 0 ? 0 : u.cwiseQuotient(system.column_scale()).cwiseAbs().maxCoeff();
}

/// A system of constraints at one pose, with the directions lost that nearly are.
class Place {
 public:
  Place(ConstraintSystem system, const Configuration& at, double t)
      : system_(std::move(system)), at_(at), t_(t), kkt_(system_), metric_(system_) {
    system_.evaluate(t_, at_, values_);
    kkt_.factor(metric_.bodies, values_.J, system_.rows(), 0, metric_.modes);
  }
  Place(const Place&) = delete;  // its parts refer to each other
  Place& operator=(const Place&) = delete;

  const ConstraintSystem& system() const { return system_; }
  double smallest_pivot() const { return kkt_.smallest_pivot(); }
  int rank() const { return kkt_.rank(); }

  /// Loses what is weaker than kLost of `conditioning`.
  void lose(double conditioning) {
    kkt_.factor(metric_.bodies, values_.J, system_.rows(), kLost / thresholds::kWeak * conditioning,
                metric_.modes);
    if (kkt_.weak_count() == 0) return;
    aside_ = aside_by_differences_ = kAsideWhereLost;
    kkt_.factor(metric_.bodies, values_.J, kkt_.rank() - kkt_.weak_count(), 0, metric_.modes);
  }

  /// Scaled rows of J A + γ on a path through the pose, s after it.
  VecX rows_on_path(const VecX& v, const VecX& a, const VecX& jerk, double s) const {
    Configuration c = at_;
    system_.displace(s * v + 0.5 * s * s * a, c);
    system_.set_velocities(v + s * a + 0.5 * s * s * jerk, c);
    update_coordinates(system_.model(), c);
    ConstraintValues values;
    system_.evaluate(t_ + s, c, values);
    return system_.row_scale().cwiseProduct(values.J * (a + s * jerk) + values.gamma);
  }

  /// Scaled γ at these velocities.
  VecX gamma(const VecX& v) const {
    Configuration c = at_;
    system_.set_velocities(v, c);
    ConstraintValues values;
    system_.evaluate(t_, c, values);
    return system_.row_scale().cwiseProduct(values.gamma);
  }

  /// Can the velocities go on? `none`: an acceleration that counts as none.  [start-velocity]
  Status look_at_velocities(double none) const;

  /// Do velocities that point along no branch in particular leave the motion undecided?
  /// `a`: accelerations to first order.  [start-rest]
  Status look_at_accelerations(const VecX& a, double none);

  /// Nothing moves it, to first order.
  bool stands(const VecX& a, double none) const {
    const double speed = size_of(system_, system_.velocities(at_));
    return std::max(speed * speed / system_.length(), size_of(system_, a)) <= none;
  }

 private:
  Status cannot_go_on() const;
  std::string names() const;

  ConstraintSystem system_;
  const Configuration& at_;
  double t_;
  Kkt kkt_;
  ConstraintValues values_;
  GeometricMetric metric_;
  double aside_ = kAside, aside_by_differences_ = kAsideByDifferences;
};

std::string Place::names() const {
  constexpr std::size_t kMost = 6;
  const MatX dependencies = kkt_.dependencies();
  std::vector<JointId> joints;
  for (Eigen::Index r = 0; r < dependencies.rows(); ++r) {
    const JointId joint = system_.origins()[static_cast<std::size_t>(r)].joint;
    if (dependencies.row(r).norm() > 1e-6 && (joints.empty() || joints.back() != joint))
      joints.push_back(joint);
  }
  std::string list;
  for (std::size_t i = 0; i < std::min(kMost, joints.size()); ++i)
    list += fmt::format("{}'{}'", i == 0 ? "" : ", ", system_.model().joint(joints[i]).name);
  return joints.size() > kMost ? list + ", …" : list;
}

Status Place::cannot_go_on() const {
  return trouble(fmt::format(
      "the mechanism starts on a singular position of the loop of {}, and it cannot go on "
      "with the velocities that it has there: the joints would have to open",
      names()));
}

Status Place::look_at_velocities(double none) const {
  const MatX dependencies = kkt_.dependencies();  // scaled λ, orthonormal
  const double length = system_.length();
  const double speed = size_of(system_, system_.velocities(at_));
  double asked = 0;  // by prescribed motions
  for (const PrescribedMotion& prescribed : system_.motions())
    asked = std::max(asked, length * std::abs(prescribed.value(t_).acceleration));
  // λᵀ γ = 0
  const VecX off = dependencies.transpose() * system_.row_scale().cwiseProduct(values_.gamma);
  const double centripetal = speed * speed / length;
  if (centripetal + asked <= none || !(off.norm() > aside_ * (centripetal + asked))) return {};
  if (centripetal > asked) return cannot_go_on();
  return trouble(
      fmt::format("the mechanism starts on a singular position of the loop of {}, and it "
                  "cannot accelerate as its prescribed motions ask there",
                  names()));
}

Status Place::look_at_accelerations(const VecX& a, double none) {
  const MatX dependencies = kkt_.dependencies();
  const MatX allowed = kkt_.allowed_motions();
  if (dependencies.cols() == 0 || allowed.cols() == 0) return {};
  const double length = system_.length();
  const double gain = size_of(system_, a);
  const VecX zero = VecX::Zero(a.size());
  VecX v = system_.velocities(at_);
  double speed = size_of(system_, v);
  const bool moves = speed * speed / length > none;
  if (!moves) {
    v = zero;
    speed = 0;
  }
  // [start-branch]  λᵀ B(v, n) ≠ 0: the velocities tell the branches apart.
  if (moves) {
    MatX apart(dependencies.cols(), allowed.cols());
    for (Eigen::Index j = 0; j < allowed.cols(); ++j) {
      const VecX n = speed * allowed.col(j);
      apart.col(j) = dependencies.transpose() * (gamma(v + n) - gamma(v - n));
    }
    if (apart.norm() > aside_by_differences_ * speed * speed / length) return {};
  }
  if (gain <= none) return {};

  // λᵀ d⁴φ/dt⁴ = 0 on the path with the least jerk that obeys the third order
  const double slow = std::sqrt(length / gain);
  const double s = kReach * (speed * slow > length ? length / speed : slow);
  VecX jerk = zero;
  if (moves) {
    const VecX third = rows_on_path(v, a, zero, s) - rows_on_path(v, a, zero, -s);
    const double scale = speed * (gain + speed * speed / length) / length;
    if ((dependencies.transpose() * third).norm() > 2 * s * aside_by_differences_ * scale)
      return cannot_go_on();
    VecX multipliers;
    kkt_.solve(zero, third.cwiseQuotient(-2 * s * system_.row_scale()), jerk, multipliers, 0);
  }
  const VecX fourth = dependencies.transpose() *
                      (rows_on_path(v, a, jerk, s) - 2 * rows_on_path(v, a, jerk, 0) +
                       rows_on_path(v, a, jerk, -s)) /
                      (s * s);
  const double scale = gain * gain / length + std::pow(speed, 4) / std::pow(length, 3);
  if (!(fourth.norm() > aside_by_differences_ * scale)) return {};
  return trouble(
      fmt::format("the mechanism {} on a singular position of the loop of {}, where branches of "
                  "its motion meet; "
                  "what acts on it pushes it along none of them, so where it goes is not decided",
                  moves ? "starts" : "stands", names()));
}

VecX forces_on(const ConstraintSystem& system, double t, const Configuration& c) {
  Loads loads;
  compute_loads(system.model(), t, c, loads);
  VecX f;
  gather_forces(system, c, loads, f);
  return f;
}

/// The largest acceleration that velocities and forces would give to bodies without joints.
double free_acceleration(const ConstraintSystem& system, const Configuration& c, const VecX& f) {
  const double speed = size_of(system, system.velocities(c));
  double most = std::max(speed * speed / system.length(), kOfLengths * system.length());
  for (const BodyId id : system.column_bodies()) {
    const double mass = system.model().body(id).inertia.mass;
    const Vec6 load = f.segment<6>(system.column(id));
    const double force = load.tail<3>().norm() + load.head<3>().norm() / system.length();
    if (mass > 0) most = std::max(most, force / mass);
  }
  return most;
}

/// Accelerations to first order; empty where a free direction has no inertia.
VecX accelerate(const ConstraintSystem& system, double t, const Configuration& c, const VecX& f,
                int rank) {
  ConstraintValues values;
  system.evaluate(t, c, values);
  std::vector<Mat6> masses;
  std::vector<ModalMass> modal;
  gather_masses(system, c, masses, modal);
  Kkt kkt(system);
  if (!kkt.factor(masses, values.J, rank, 0, modal)) return {};
  VecX a, lambda;
  kkt.solve(f, -values.gamma, a, lambda, 1);
  return a.allFinite() ? a : VecX();
}

/// The part of `u` that is of the bodies of `part`.
VecX columns_of(const ConstraintSystem& part, const ConstraintSystem& whole, const VecX& u) {
  VecX found = VecX::Zero(part.columns());
  for (const BodyId body : part.column_bodies())
    found.segment<6>(part.column(body)) = u.segment<6>(whole.column(body));
  for (const ConstraintSystem::ModeColumns& own : part.mode_columns())
    for (const ConstraintSystem::ModeColumns& all : whole.mode_columns())
      if (own.body == all.body) {
        const Eigen::Index modes = part.model().body(own.body).modal->count();
        found.segment(own.column, modes) = u.segment(all.column, modes);
      }
  return found;
}

/// The loop blocks of a mechanism at a pose.
struct Places {
  /// Leaves out all where one is too large.
  Places(const Model& model, const Topology& topology, const Configuration& pose, double t) {
    if (model.body_count() > kMostBodies + 1) return;
    std::vector<std::vector<JointId>> blocks = topology.loop_blocks;
    if (std::ranges::any_of(blocks, [](const auto& b) { return b.size() > kMostJoints; })) return;
    if (model.mode_count() > 0) {  // loops that share a flexible body share its modes
      for (std::size_t i = 1; i < blocks.size(); ++i)
        blocks[0].insert(blocks[0].end(), blocks[i].begin(), blocks[i].end());
      blocks.resize(1);
      std::ranges::sort(blocks[0]);
    }
    for (const auto& joints : blocks) {
      all.emplace_back(ConstraintSystem(model, joints, model.motions()), pose, t);
      weakest = std::min(weakest, all.back().smallest_pivot());
    }
  }

  /// Rows that say nothing new.
  int dependent() const {
    int rows = 0;
    for (const Place& place : all) rows += place.system().rows() - place.rank();
    return rows;
  }

  std::deque<Place> all;
  double weakest = 1;
};

/// Of a larger mechanism, by elimination, at a linear cost: has it its usual rank, and by far? `start` is closed.
bool is_regular(RankStudy& study, const Configuration& start) {
  const Model& model = study.model();
  if (model.body_count() <= kFewBodies + 1 || model.mode_count() > 0 || !model.motions().empty())
    return false;
  Elimination& elimination = study.elimination(Metric::kGeometric);
  return rank_at(elimination, start) == study.generic().rank &&
         elimination.smallest_pivot() >= Regularisation{}.deficient;
}

}  // namespace

StartLook look_at_start(RankStudy& study, const Configuration& start, double t) {
  const Model& model = study.model();
  if (study.topology().is_tree() || is_regular(study, start)) return {};
  Places places(model, study.topology(), start, t);
  if (places.all.empty()) return {};
  if (places.weakest < kStrong) {
    const double conditioning = generic_conditioning(model, start);
    for (Place& place : places.all) place.lose(conditioning);
  }
  const int dependent = places.dependent();
  if (dependent == 0) return {};
  const ConstraintSystem whole(model);
  const VecX f = forces_on(whole, t, start);
  const double none = kEquilibrium * free_acceleration(whole, start, f);
  for (const Place& place : places.all)
    if (Status status = place.look_at_velocities(none); !status.ok())
      return {std::move(status), {}};
  const int rank = whole.rows() - dependent;
  const bool is_singular = rank < study.generic().rank;
  // Where all positions near by can be reached to first order only, ranks do not tell.
  if (!is_singular && model.body_count() > kFewBodies + 1) return {};
  const VecX a = accelerate(whole, t, start, f, rank);
  if (a.size() == 0) return {};
  StartLook look;
  for (Place& place : places.all) {
    const VecX own = columns_of(place.system(), whole, a);
    look.status = place.look_at_accelerations(own, none);
    if (!look.status.ok()) return look;
    if (!is_singular || !place.stands(own, none)) continue;
    const std::vector<BodyId>& bodies = place.system().column_bodies();
    look.standing.insert(look.standing.end(), bodies.begin(), bodies.end());
    look.still = none;
  }
  return look;
}

}  // namespace sarrus
