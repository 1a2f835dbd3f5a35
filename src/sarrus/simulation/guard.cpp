#include "sarrus/simulation/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "sarrus/model/typical_length.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus {
namespace {

/// [guard-cost]  Examinations cost some evaluations each: after the first step, when forces are first
/// known, after the eighth, when steps have their usual length, and then after one in so many.
constexpr long kEarly = 8;
constexpr long kEvery = 256;

/// [guard-energy]  Times what each step's tolerance may do to the energy. The estimate is one of the largest
/// error, and errors of steps seldom add up: sound runs use a hundredth of it, at the most a sixth.
constexpr double kEnergyMargin = 2;
/// Rounding of energies, over the largest of their terms.
constexpr double kEnergyRounding = 1e-12;
/// With fixed steps nobody has said how accurate the motion should be: it is wrong in earnest when a tenth
/// of the energy that moves about has come from nowhere.
constexpr double kEnergyLost = 0.1;
/// The work of prescribed motions is summed up beside the error control of the steps, and is only as good
/// as their forces are smooth: at a position where a drive locks they grow without bound.
constexpr double kWorkOfMotions = 1e-2;
constexpr double kLostByMotions = 0.5;

/// [guard-joints]  Gaps, of the typical length. Methods that project leave 1e-9 of it at most.
constexpr double kOpenThoughProjected = 1e-6;
constexpr double kOpenAtFixedSteps = 1e-2;
/// Where a tolerance was asked for so much of it explains a gap: projections may be rare.
constexpr double kGapOfTolerance = 1e3;
/// Where nothing is projected the gap is an error of the motion like any other, in the units of the state,
/// and one of more than five tolerances is more than was asked for: bodies are off by up to three times as
/// much. But for rounding, a body and a length of the farthest one.
constexpr double kDriftOfTolerance = 5;
constexpr double kDriftOfRounding = 1e-12;
constexpr int kOpenSteps = 3;

/// [guard-balance]  Methods balance bodies to 1e-8 and better.
constexpr double kUnbalanced = 1e-4;

/// [guard-path]  How much of a step's change of velocity may be left over: Gauss's formula with three
/// points on the dense output is good to 1e-3 at loose tolerances. Steps of a fixed length may be long.
constexpr double kLeftOver = 2e-2;
constexpr double kLeftOverAtFixedSteps = 0.25;
constexpr double kLeftOfTolerance = 1e3;
/// [guard-jump]  A part of the speed. The trapezoidal rule explains the rest in all but the longest steps.
constexpr double kJump = 0.3;

/// [1/s]  In typical lengths: slower than this nothing jumps that could be seen.
constexpr double kStandsStill = 1e-4;
/// [guard-turn]  Velocities that turn on a way so short, in typical lengths, follow a branch that rounding has
/// made of two that cross.
constexpr double kShortWay = 1e-4;
/// How far, of the largest speed: a corner between two branches may be seen in two parts.
constexpr double kTurn = 0.15;
/// Where a gap φ is left in the constraints, two branches that cross become two that turn off within √φ.
/// Measured on four-bars it is 4 to 16 √φ. Light links between heavy ones do turn on ways not much longer
/// than the longest.
constexpr double kCornerOfGap = 20;
constexpr double kLongestCorner = 0.01;
/// Of the largest speed: parts that move against each other more slowly are judged as if by this.
constexpr double kSlowParts = 0.3;
/// What loads may be more than where they were last looked at.
constexpr double kLoadsGrow = 4;

/// [rad]  The path of a point that turns farther in a step is not that of a few of its instants.
constexpr double kFewTurns = 1.5;

constexpr std::array<double, 3> kGaussPoints = {0.1127016653792583, 0.5, 0.8872983346207417};
constexpr std::array<double, 3> kGaussWeights = {5.0 / 18, 8.0 / 18, 5.0 / 18};

double squared(double x) { return x * x; }

/// A point of a body that turns with it whatever axis it turns about, but one.
Vec3 marked_point(const Transform& pose, double length) {
  return pose * Vec3(0.5 * length, 0.6 * length, 0.7 * length);
}

std::string worst_joint(const Model& model, const Motion& motion) {
  const Configuration& c = motion.configuration;
  double most = 0;
  std::string name;
  const auto look = [&](double value, const auto& tell) {
    if (!(std::abs(value) > most)) return;
    most = std::abs(value);
    name = tell();
  };
  for (const Joint& joint : model.joints())
    for (const Row& row :
         joint.constraint_rows(view_of(joint, c), c.coordinates.data() + joint.first_freedom))
      look(row.value, [&] { return fmt::format("joint '{}'", joint.name); });
  for (const PrescribedMotion& prescribed : model.motions()) {
    const Joint& joint = model.joint(prescribed.at.joint);
    const Rows rows =
        joint.coordinate_rows(view_of(joint, c), c.coordinates.data() + joint.first_freedom);
    look(rows[prescribed.at.index].value - prescribed.value(motion.time).value,
         [&] { return fmt::format("motion '{}' of joint '{}'", prescribed.name, joint.name); });
  }
  return name;
}

}  // namespace

Guard::Guard(const SimulationOptions& options)
    : tolerance_(options.step ? 0 : *options.tolerance) {}

void Guard::restart() {
  measured_ = false;
  knows_start_ = false;
  turn_from_.clear();
  open_steps_ = 0;
}

void Guard::measure(const Model& model) {
  const auto count = model.bodies().size();
  masses_.assign(count, 0);
  moments_.assign(count, 0);
  central_.assign(count, 0);
  inertia_ = 0;
  for (std::size_t i = 1; i < count; ++i) {
    const Inertia& inertia = model.bodies()[i].inertia;
    masses_[i] = inertia.mass;
    moments_[i] = inertia.about_origin().trace() / 3;
    central_[i] = inertia.central.trace() / 3;
    inertia_ += masses_[i] + moments_[i];
  }
  length_ = typical_length(model.joints());
  measured_ = true;
}

void Guard::start(const Sample& now) {
  balance_ahead_ = now.total() - now.motion.supplied;
  potential_at_start_ = now.potential;
  knows_start_ = true;
}

std::string Guard::look(Engine& engine, const Sample& before, const Sample& now, bool was_cut) {
  if (!measured_) measure(engine.model);
  if (tolerance_ == 0 && was_cut) return {};
  ++steps_;
  // Energy has gone on over an edit, its impact being supplied.
  if (!std::exchange(knows_start_, true)) return check_energy(engine, before, now);
  std::string doubt;
  if (steps_ == 1 || steps_ == kEarly || steps_ % kEvery == 0) doubt = examine(engine, before, now);
  if (doubt.empty()) doubt = check_energy(engine, before, now);
  if (doubt.empty()) doubt = check_joints(engine, now);
  if (doubt.empty()) doubt = check_jump(engine, before, now);
  return doubt;
}

/// Soft joints are as stiff as fixed steps can take, and their work is then not known well.
bool Guard::is_coarse(const Engine& engine) const {
  return tolerance_ == 0 && !engine.model.soft_joints().empty();
}

// [guard-energy]
std::string Guard::check_energy(const Engine& engine, const Sample& before, const Sample& now) {
  const double balance = now.total() - now.motion.supplied;
  const double work = std::abs(now.motion.supplied - before.motion.supplied);
  const double change = balance - std::exchange(balance_ahead_, balance);
  if (is_coarse(engine)) {
    unexplained_ = 0;
    return {};
  }
  const bool is_driven = !engine.model.motions().empty();
  // What a step's own work excuses is not there for another step to jump.
  const double excused = is_driven && tolerance_ > 0 ? kWorkOfMotions * work : 0;
  unexplained_ += change - std::clamp(change, -excused, excused);
  const double error = std::abs(unexplained_);
  turnover_ = std::max({turnover_, now.kinetic, std::abs(now.potential - potential_at_start_),
                        std::abs(now.motion.supplied)});
  const double moved = forces_ * (1 + reach_);
  const double sensitivity = 2 * now.kinetic + std::sqrt(2 * now.kinetic * inertia_) + moved;
  explained_ +=
      tolerance_ * sensitivity * std::sqrt(static_cast<double>(engine.model.bodies().size()));
  const double lost = is_driven ? kLostByMotions : kEnergyLost;
  const double rounding = kEnergyRounding * std::sqrt(static_cast<double>(steps_)) *
                          (moved + now.kinetic + std::abs(now.potential) + turnover_);
  const double allowed =
      rounding + (tolerance_ > 0 ? kEnergyMargin * explained_ : lost * turnover_);
  if (error <= allowed) return {};
  return fmt::format(
      "the energy is off by {:.3g} J, which nothing has supplied; {}", error,
      tolerance_ > 0
          ? fmt::format("the tolerance explains {:.1g} J at the most", allowed)
          : fmt::format(
                "{:.3g} J have moved about, so the steps are too long or the motion is wrong",
                turnover_));
}

// [guard-joints]
std::string Guard::check_joints(const Engine& engine, const Sample& now) {
  const bool projects = engine.formulation->projection() != Projection::kOff;
  const auto bodies = static_cast<double>(engine.model.bodies().size());
  double most = kOpenAtFixedSteps * length_;
  if (projects)
    most = std::max(kOpenThoughProjected, kGapOfTolerance * tolerance_) * length_;
  else if (tolerance_ > 0)
    most = std::max(kDriftOfRounding * (length_ + reach_) * std::sqrt(bodies),
                    kDriftOfTolerance * tolerance_ * std::max(1.0, length_));
  const double gap = now.constraints.position;
  open_steps_ = gap <= most ? 0 : open_steps_ + 1;
  if (open_steps_ < kOpenSteps || is_coarse(engine)) return {};
  return fmt::format("{} stays open: the constraints are off by {:.3g} (m or rad){}",
                     worst_joint(engine.model, now.motion), gap,
                     projects
                         ? ""
                         : fmt::format("; {} does not bring drifting joints back, methods that "
                                       "project do",
                                       engine.formulation->name()));
}

// [guard-jump]  Where branches of the motion cross, each of them keeps the energy and the joints closed;
// but from one to the other the velocities jump, and no force makes them.
std::string Guard::check_jump(Engine& engine, const Sample& before, const Sample& now) {
  const std::vector<Vec6>& a = now.motion.accelerations;
  const std::vector<Vec6>& a0 = before.motion.accelerations;
  const std::vector<Vec6>& V = now.motion.configuration.velocities;
  const std::vector<Vec6>& V0 = before.motion.configuration.velocities;
  if (a.empty() || a0.size() != a.size()) return {};
  const double half = 0.5 * (now.motion.time - before.motion.time);
  double left = 0, speed = 0, fastest = 0;
  for (std::size_t i = 1; i < a.size(); ++i) {
    const Vec6 r = V[i] - V0[i] - half * (a0[i] + a[i]);
    left += moments_[i] * r.head<3>().squaredNorm() + masses_[i] * r.tail<3>().squaredNorm();
    const double turning = V[i].head<3>().squaredNorm(), moving = V[i].tail<3>().squaredNorm();
    speed += moments_[i] * turning + masses_[i] * moving;
    fastest = std::max(fastest, squared(length_) * turning + moving);
  }
  // Bodies that vibrate turn on short ways, and so does what is driven into a lock.
  if (engine.model.mode_count() == 0 && engine.model.motions().empty() && !is_coarse(engine))
    if (std::string turn = check_turn(engine, now.motion.configuration, 2 * half,
                                      std::sqrt(fastest), now.constraints.position);
        !turn.empty())
      return turn;
  speed += squared(kStandsStill * length_) * inertia_;
  return left > squared(kJump) * speed ? compare_with_path(engine, before, now) : std::string();
}

// [guard-turn]
std::string Guard::check_turn(Engine& engine, const Configuration& now, double h, double fastest,
                              double gap) {
  const double corner =
      std::clamp(kCornerOfGap * std::sqrt(gap / length_), kShortWay, kLongestCorner);
  turn_way_ += h * fastest;
  turn_time_ += h;
  if (turn_way_ > corner * length_ || turn_from_.empty()) {
    turn_way_ = turn_time_ = 0;
    turn_from_.clear();
    // The copy is worth its price only where steps are short.
    if (h * fastest < corner * length_) turn_from_ = now.velocities;
    return {};
  }
  if (turn_beyond_loads(engine.model, now) == 0) return {};
  // Loads may have grown since they were looked at.
  if (!engine.stepper->evaluate(engine.stepper->time(), between_, true).ok()) return {};
  if (std::string doubt = check_balance(engine, between_); !doubt.empty()) return doubt;
  const double turn = turn_beyond_loads(engine.model, now);
  if (turn == 0) return {};
  return fmt::format(
      "on a way of {:.1e} m velocities have turned by {:.2g} of the largest, and no load explains "
      "it: behind a singular position the motion has taken a branch that only {} opened",
      turn_way_, turn, corner > kShortWay ? "the gap in the joints" : "rounding");
}

/// The motion of all bodies as one that is nearest to these velocities of mass centres.
Guard::Common Guard::common_motion(const std::vector<Vec6>& V) const {
  Common common;
  double mass = 0;
  Vec3 v = Vec3::Zero();
  for (std::size_t i = 1; i < V.size(); ++i) {
    mass += masses_[i];
    common.center += masses_[i] * centers_[i];
    v += masses_[i] * V[i].tail<3>();
  }
  if (mass == 0) return common;
  common.center /= mass;
  v /= mass;
  Mat3 inertia = Mat3::Zero();
  Vec3 spin = Vec3::Zero();
  for (std::size_t i = 1; i < V.size(); ++i) {
    const Vec3 r = centers_[i] - common.center;
    inertia += central_[i] * Mat3::Identity() +
               masses_[i] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    spin += central_[i] * V[i].head<3>() + masses_[i] * r.cross(V[i].tail<3>() - v);
  }
  const Vec3 w = inertia.ldlt().solve(spin);
  if (w.allFinite()) common.velocity << w, v;
  return common;
}

/// The largest turn of a body since `turn_from_`, over the largest speed; 0 where all are small or explained.
/// A mechanism that flies or spins as a whole is judged by how its parts move against each other, too.
double Guard::turn_beyond_loads(const Model& model, const Configuration& now) {
  const std::size_t count = now.velocities.size();
  centers_.resize(count);
  at_centers_.resize(count);
  at_centers_before_.resize(count);
  for (std::size_t i = 1; i < count; ++i) {
    const Vec3 arm = now.poses[i].q * model.bodies()[i].inertia.center;
    centers_[i] = now.poses[i].p + arm;
    const auto at_center = [&](Vec6 V) {
      V.tail<3>() += V.head<3>().cross(arm);
      return V;
    };
    at_centers_[i] = at_center(now.velocities[i]);
    at_centers_before_[i] = at_center(turn_from_[i]);  // in so short a time the arm is the same
  }
  const Common own_motion = common_motion(at_centers_);
  const Common before = common_motion(at_centers_before_);
  const auto speed_of = [&](const Vec6& u) {
    return std::sqrt(squared(length_) * u.head<3>().squaredNorm() + u.tail<3>().squaredNorm());
  };
  double speed = kStandsStill * length_, apart = 0;
  for (std::size_t i = 1; i < count; ++i) {
    speed = std::max(speed, speed_of(at_centers_[i]));
    apart = std::max(apart, speed_of(at_centers_[i] - own_motion.of(centers_[i])));
  }
  apart = std::max(apart, kSlowParts * speed);
  // √(m |Δv|² + Δωᵀ Θ Δω) of one body is no more than what the loads do to the whole mechanism.
  const double by_loads = kLoadsGrow * push_ * turn_time_;
  double worst = 0;
  const auto judge = [&](std::size_t i, const Vec6& d, double fastest) {
    const Vec3 turn = now.poses[i].q.conjugate() * Vec3(d.head<3>());
    const double turned = std::sqrt(turn.dot(model.bodies()[i].inertia.central * turn) +
                                    masses_[i] * d.tail<3>().squaredNorm());
    const double own = fastest * std::sqrt(masses_[i] + central_[i] / squared(length_));
    if (turned > kTurn * own + by_loads) worst = std::max(worst, turned / own);
  };
  for (std::size_t i = 1; i < count; ++i) {
    const Vec6 d = at_centers_[i] - at_centers_before_[i];
    judge(i, d, speed);
    judge(i, d - own_motion.of(centers_[i]) + before.of(centers_[i]), apart);
  }
  return worst;
}

std::string Guard::examine(Engine& engine, const Sample& before, const Sample& now) {
  for (const Transform& pose : now.motion.configuration.poses)
    reach_ = std::max(reach_, pose.p.norm());
  if (!engine.stepper->evaluate(engine.stepper->time(), between_, true).ok()) return {};
  std::string doubt = check_balance(engine, between_);
  if (doubt.empty() && steps_ > 1) doubt = compare_with_path(engine, before, now);
  return doubt;
}

/// How fast constraints that are open may be on their way back.
double Guard::returning(const Engine& engine, const ConstraintNorms& norms) const {
  const auto stabilisation = engine.formulation->stabilisation();
  if (!stabilisation) return 0;
  const double omega = stabilisation->omega;
  return 2 *
         (squared(omega) * norms.position + 2 * stabilisation->damping * omega * norms.velocity);
}

// [guard-balance]
std::string Guard::check_balance(const Engine& engine, const Motion& motion) {
  const ConstraintNorms norms = compute_constraint_norms(engine.model, motion);
  const Balance balance = balance_(engine.model, motion, returning(engine, norms));
  forces_ = std::max(forces_, balance.forces);
  push_ = std::max(push_, balance.push);
  // The two sides of a joint that is open do not act in one line.
  if (balance.worst() <= kUnbalanced + 4 * norms.position / length_) return {};
  return fmt::format(
      "the accelerations do not obey the laws of motion: at {} {:.2g} of the forces is left over",
      balance.where, balance.worst());
}

// [guard-path]  Velocities change by what the accelerations between make, marked points move by what the
// velocities make.
std::string Guard::compare_with_path(Engine& engine, const Sample& before, const Sample& now) {
  Stepper& stepper = *engine.stepper;
  if (is_coarse(engine)) return {};
  const double h = stepper.time() - stepper.previous_time();
  if (!(h > 0) || stepper.previous_time() != before.motion.time) return {};
  const Configuration& start = before.motion.configuration;
  const Configuration& end = now.motion.configuration;
  const std::size_t count = end.poses.size();
  std::vector<Vec6> change(count, Vec6::Zero()), change_size(count, Vec6::Zero());
  std::vector<Vec3> way(count, Vec3::Zero());
  std::vector<double> way_size(count, 0.0), turned(count, 0.0);
  for (std::size_t k = 0; k < kGaussPoints.size(); ++k) {
    if (!stepper.evaluate(before.motion.time + kGaussPoints[k] * h, between_, false).ok())
      return {};
    const double weight = kGaussWeights[k] * h;
    for (std::size_t i = 1; i < count; ++i) {
      const Configuration& c = between_.configuration;
      const Vec6& a = between_.accelerations[i];
      change[i] += weight * a;
      change_size[i] += weight * a.cwiseAbs();
      const Vec3 arm = marked_point(c.poses[i], length_) - c.poses[i].p;
      const Vec3 v = c.velocities[i].tail<3>() + c.velocities[i].head<3>().cross(arm);
      way[i] += weight * v;
      way_size[i] += weight * v.norm();
      turned[i] += weight * c.velocities[i].head<3>().norm();
    }
  }
  double left = 0, size = 0, speed = 0, astray = 0, gone = 0;
  double worst = 0;
  std::size_t who = 0;
  for (std::size_t i = 1; i < count; ++i) {
    const auto weighed = [&](const Vec6& u) {
      return moments_[i] * u.head<3>().squaredNorm() + masses_[i] * u.tail<3>().squaredNorm();
    };
    const double own = weighed(end.velocities[i] - start.velocities[i] - change[i]);
    left += own;
    size += weighed(change_size[i]);
    speed += weighed(end.velocities[i]);
    const Vec3 moved = marked_point(end.poses[i], length_) - marked_point(start.poses[i], length_);
    const double mass = masses_[i] + moments_[i] / squared(length_);
    if (turned[i] < kFewTurns) {
      astray += mass * (moved - way[i]).squaredNorm();
      gone += mass * squared(way_size[i]);
    }
    if (own > worst) {
      worst = own;
      who = i;
    }
  }
  const double part = tolerance_ > 0 ? kLeftOver : kLeftOverAtFixedSteps;
  const double slack = kLeftOfTolerance * tolerance_;
  const double unseen = kStandsStill * length_ * std::sqrt(inertia_);
  const double allowed =
      part * std::sqrt(size) + slack * (std::sqrt(inertia_) + std::sqrt(speed)) + unseen;
  const double allowed_way = part * std::sqrt(gone) +
                             slack * (std::sqrt(inertia_) * (1 + reach_) + h * std::sqrt(speed)) +
                             h * unseen;
  if (std::sqrt(left) <= allowed && std::sqrt(astray) <= allowed_way) return {};
  return fmt::format(
      "in the step from t = {:.9g} s {} moves otherwise than its accelerations say: {:.2g} of the "
      "change of velocity is left over",
      before.motion.time,
      who == 0 ? "the mechanism" : fmt::format("body '{}'", engine.model.bodies()[who].name),
      size > 0 ? std::sqrt(left / size) : 1.0);
}

}  // namespace sarrus
