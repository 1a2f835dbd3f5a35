#include "sarrus/formulations/modular/multirate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/spatial/dense.h"
#include "sarrus/spatial/rotation.h"

namespace sarrus::modular {
namespace {

/// Gaps are taken back at this part of them a step.  [multirate-residual]
constexpr double kReturn = 0.2;

/// The corrections need be no better than the response they go by.
constexpr double kCorrection = 1e-5;

/// Around loops rows may depend on each other, and corrections must not go where only rounding calls.
constexpr double kCompliance = 1e-6;

/// How far a residual can be trusted, over the size of what it is made of.
constexpr double kRounding = 2e-15;
/// The same, over what InterfaceSystem::row_size stands for.
constexpr double kRoundings = 10;

/// Probes leave rounding in directions that are held; each component has one.
constexpr double kLeastMode = 1e-8;

constexpr int kMostTrials = 60;
/// After more the responses of boxes with steps of their own are found anew for the next step …
constexpr int kManyTrials = 6;
/// … and after more for this one.
constexpr int kTooManyTrials = 12;
/// Trials in which the rows are taken anew from halfway.
constexpr int kLooksHalfway = 2;
/// Of the first residual.
constexpr double kLost = 1e4;

std::size_t slot_of(int index) { return static_cast<std::size_t>(index); }

UzawaOptions for_corrections(UzawaOptions options, const Interface& interface) {
  if (!interface.is_open) options.compliance = kCompliance;
  options.tolerance = std::max(options.tolerance, kCorrection);
  return options;
}

double product_of(const Multipliers& x, const Multipliers& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i].dot(y[i]);
  return sum;
}

/// Modes that swing fast may answer a steady force with a velocity against it. A preconditioner has no
/// use for those.  [multirate-response]
void drop_negative_modes(MatX& response) {
  VecX scale = response.diagonal().cwiseMax(0).cwiseSqrt();
  const VecX inverse = scale.unaryExpr([](double s) { return s > 0 ? 1 / s : 0.0; });
  const SymmetricEigen modes =
      symmetric_eigen(inverse.asDiagonal() * response * inverse.asDiagonal());
  const VecX values = modes.values.unaryExpr([](double v) { return v > kLeastMode ? v : 0.0; });
  const MatX kept = modes.vectors * values.asDiagonal() * modes.vectors.transpose();
  response = scale.asDiagonal() * kept * scale.asDiagonal();
}

}  // namespace

Multirate::Multirate(const Parts& parts)
    : parts_(parts),
      system_(parts.interface),
      solver_(parts.interface, parts.elimination, for_corrections(parts.options, parts.interface),
              parts.least_eigenvalue) {
  const Interface& interface = parts.interface;
  const std::size_t count = interface.boxes.size();
  std::vector<SomeForces> forces(count);
  SomeForces::sort(parts.model, [&](BodyId a, BodyId b) -> SomeForces& {
    const int one = interface.box_of[(a == kGround ? b : a).slot()];
    const int other = interface.box_of[(b == kGround ? a : b).slot()];
    return one >= 0 && one == other ? forces[slot_of(one)] : between_;
  });
  for (std::size_t k = 0; k < count; ++k) {
    const Box& box = interface.boxes[k];
    const double step = parts.options.step / box.steps;
    boxes_.emplace_back(
        parts.model, box, parts.insides[k] ? parts.insides[k]->clone() : nullptr,
        std::move(forces[k]),
        gains_for(parts.options.omega, parts.options.damping, step, Projection::kOff));
  }
  responses_.resize(count);
  const std::size_t bodies = parts.model.bodies().size();
  loads_.body.assign(bodies, Vec6::Zero());
  loads_.joint.assign(parts.model.joints().size(), Vec6::Zero());
  loads_at_start_ = loads_at_end_ = loads_;
  mean_loads_ = change_ = wrench_ = loads_.body;
  correction_.assign(interface.links.size(), Vec6::Zero());
  first_ = product_ = row_scale_ = motion_at_start_ = motion_at_end_ = correction_;
}

Status Multirate::stand(const OwnStep& step, std::span<const double> x) {
  auto own = parts_.own.begin();
  for (std::size_t k = 0; k < boxes_.size(); ++k) {
    std::span<const double> positions, velocities;
    if (own != parts_.own.end() && slot_of(own->box) == k) {
      positions = x.subspan(slot_of(own->position), slot_of(own->count));
      velocities = x.subspan(slot_of(own->velocity), slot_of(own->count));
      ++own;
    }
    if (Status status = boxes_[k].stand(step.start, start_, positions, velocities, loads_);
        !status.ok())
      return status;
  }
  looks_ += static_cast<long>(boxes_.size());
  return {};
}

void Multirate::gather(std::size_t k) {
  const Box& box = parts_.interface.boxes[k];
  w_.resize(6 * static_cast<Eigen::Index>(box.bodies.size()));
  for (std::size_t i = 0; i < box.bodies.size(); ++i)
    w_.segment<6>(6 * static_cast<Eigen::Index>(i)) = wrench_[slot_of(box.bodies[i])];
}

// Of the joints and of forces between boxes.
void Multirate::find_wrenches(const Multipliers& lambda) {
  wrench_ = mean_loads_;
  for (std::size_t l = 0; l < lambda.size(); ++l) {
    const Link& link = parts_.interface.links[l];
    wrench_[slot_of(link.a)].noalias() += system_.G_A[l].transpose() * lambda[l];
    wrench_[slot_of(link.b)].noalias() += system_.G_B[l].transpose() * lambda[l];
  }
}

Status Multirate::go(const OwnStep& step, const Multipliers& lambda) {
  find_wrenches(lambda);
  for (std::size_t k = 0; k < boxes_.size(); ++k) {
    gather(k);
    looks_ += boxes_[k].box().steps;
    if (Status status = boxes_[k].go(step.end, step.before_end, w_, end_, loads_); !status.ok())
      return status;
  }
  ++trials_;
  return {};
}

// Between the axes of the world and those of the bodies at the start.
void Multirate::turn(const Box& box, bool to_world, MatX& response) const {
  for (std::size_t i = 0; i < box.bodies.size(); ++i) {
    const Quat& q = start_.poses[slot_of(box.bodies[i])].q;
    const Mat3 R = (to_world ? q : q.conjugate()).toRotationMatrix();
    for (const int part : {0, 3}) {
      const auto at = 6 * static_cast<Eigen::Index>(i) + part;
      response.middleRows<3>(at) = (R * response.middleRows<3>(at)).eval();
      response.middleCols<3>(at) = (response.middleCols<3>(at) * R.transpose()).eval();
    }
  }
}

// [multirate-response]
Status Multirate::find_responses(const OwnStep& step, const Multipliers& lambda) {
  const double h = step.end - step.start;
  find_wrenches(lambda);
  responses_are_fresh_ = true;
  for (std::size_t k = 0; k < boxes_.size(); ++k) {
    Response& response = responses_[k];
    const Box& box = boxes_[k].box();
    if (box.steps > 1 && (responses_are_poor_ || std::abs(response.length - h) > 1e-6 * h)) {
      gather(k);
      looks_ += (w_.size() + 1) * box.steps;
      if (Status status = boxes_[k].probe(step.end, step.before_end, kReturn, w_, end_, loads_,
                                          response.body_axes);
          !status.ok())
        return status;
      drop_negative_modes(response.body_axes);
      turn(box, /*to_world=*/false, response.body_axes);
      response.length = h;
    } else if (box.steps > 1) {
      responses_are_fresh_ = false;
    }
    fill_response(k, h);
  }
  responses_are_poor_ = false;
  return {};
}

// Into the joints' system, in world axes.
void Multirate::fill_response(std::size_t k, double h) {
  const Box& box = boxes_[k].box();
  MatX& all = system_.responses[k].W;
  if (box.steps == 1) {
    const double factor = h * (1 + 0.5 * kReturn);
    if (box.is_body)
      system_.W[slot_of(box.bodies.front())] = factor * boxes_[k].admittance();
    else
      all = factor * boxes_[k].admittance();
    return;
  }
  MatX turned = responses_[k].body_axes;
  turn(box, /*to_world=*/true, turned);
  if (box.is_body)
    system_.W[slot_of(box.bodies.front())] = turned;
  else
    all = turned;
}

// The rows of a step are those halfway between its ends.  [multirate-rows]
void Multirate::look_halfway() {
  for (std::size_t i = 1; i < halfway_.poses.size(); ++i) {
    const Transform& one = start_.poses[i];
    const Transform& other = end_.poses[i];
    const Vec3 turn = log_rotation(other.q * one.q.conjugate());
    halfway_.poses[i] = {(exp_rotation(0.5 * turn) * one.q).normalized(), 0.5 * (one.p + other.p)};
  }
  for (std::size_t l = 0; l < parts_.interface.links.size(); ++l) {
    const int joint = parts_.interface.links[l].joint;
    const int first = parts_.system.first_row(joint);
    parts_.system.visit_rows(joint, 0, halfway_,
                             [&](int r, const Row& row, const TimeFunction::Value&) {
                               system_.G_A[l].row(r - first) = row.J_A.transpose();
                               system_.G_B[l].row(r - first) = row.J_B.transpose();
                             });
  }
}

// [multirate-residual]
void Multirate::look_at_rows(const OwnStep& step) {
  const double back = kReturn / (step.end - step.start);
  double reach = 1;
  double largest = 0;
  for (const Transform& pose : end_.poses) reach = std::max(reach, pose.p.cwiseAbs().maxCoeff());
  for (std::size_t l = 0; l < parts_.interface.links.size(); ++l) {
    const Link& link = parts_.interface.links[l];
    const Vec6& V_A = end_.velocities[slot_of(link.a)];
    const Vec6& V_B = end_.velocities[slot_of(link.b)];
    const int first = parts_.system.first_row(link.joint);
    parts_.system.visit_rows(link.joint, step.before_end, end_,
                             [&](int r, const Row& row, const TimeFunction::Value& f) {
                               const int k = r - first;
                               system_.g[l][k] =
                                   row.rate(V_A, V_B) - f.rate + back * (row.value - f.value);
                               motion_at_end_[l][k] = f.value;
                               row_scale_[l][k] = row.J_A.cwiseAbs().dot(V_A.cwiseAbs()) +
                                                  row.J_B.cwiseAbs().dot(V_B.cwiseAbs()) +
                                                  std::abs(f.rate) + back * reach;
                               largest = std::max(largest, row_scale_[l][k]);
                             });
  }
  system_.row_size = kRoundings * largest;
}

// Forces between boxes: the mean of both ends of the step.  [multirate-loads]
void Multirate::average_loads(const OwnStep& step) {
  if (between_.empty()) return;
  for (Vec6& load : loads_at_end_.body) load.setZero();
  loads_at_end_.supplied_power = 0;
  add_loads(parts_.model, between_, step.before_end, end_, loads_at_end_);
  for (std::size_t i = 0; i < mean_loads_.size(); ++i) {
    const Vec6 mean = 0.5 * (loads_at_start_.body[i] + loads_at_end_.body[i]);
    change_[i] = mean - mean_loads_[i];
    mean_loads_[i] = mean;
  }
}

// What the step may leave of the residual, in the measure of InterfaceSystem::size.
double Multirate::tolerated(double h) {
  double gained = 0, rounding = 0;
  for (std::size_t l = 0; l < parts_.interface.links.size(); ++l) {
    const Link& link = parts_.interface.links[l];
    const Vec6 a =
        (end_.velocities[slot_of(link.a)] - start_.velocities[slot_of(link.a)]).cwiseAbs();
    const Vec6 b =
        (end_.velocities[slot_of(link.b)] - start_.velocities[slot_of(link.b)]).cwiseAbs();
    for (int r = 0; r < link.rows; ++r) {
      const double K = system_.diagonal()[l](r, r);
      if (!(K > 0)) continue;
      const double by = system_.G_A[l].row(r).cwiseAbs().dot(a) +
                        system_.G_B[l].row(r).cwiseAbs().dot(b) +
                        std::abs(motion_at_end_[l][r] - motion_at_start_[l][r]) / h;
      gained += by * by / K;
      rounding += row_scale_[l][r] * row_scale_[l][r] / K;
    }
  }
  return parts_.options.tolerance * std::sqrt(gained) + kRounding * std::sqrt(rounding);
}

// What wrenches on bodies are worth in the same measure: √(wᵀ W w).
double Multirate::size_of(const std::vector<Vec6>& wrenches) const {
  double sum = 0;
  for (std::size_t i = 1; i < wrenches.size(); ++i)
    sum += wrenches[i].dot(system_.W[i] * wrenches[i]);
  return std::sqrt(std::max(sum, 0.0));
}

// What a step needs to know before its first trial.
Status Multirate::begin(const OwnStep& step, const Configuration& c, std::span<const double> x,
                        Multipliers& lambda) {
  start_ = c;
  if (Status status = stand(step, x); !status.ok()) return status;
  end_ = halfway_ = start_;
  if (!parts_.warm)
    for (Vec6& l : lambda) l.setZero();
  // Where everything would be halfway if nothing accelerated.
  for (std::size_t i = 1; i < end_.poses.size(); ++i) {
    const Vec6 V = (step.end - step.start) * start_.velocities[i];
    end_.poses[i].q = (exp_rotation(V.head<3>()) * end_.poses[i].q).normalized();
    end_.poses[i].p += V.tail<3>();
  }
  look_halfway();
  for (std::size_t l = 0; l < lambda.size(); ++l) {
    const int joint = parts_.interface.links[l].joint;
    const int first = parts_.system.first_row(joint);
    parts_.system.visit_rows(joint, step.start, start_,
                             [&](int r, const Row&, const TimeFunction::Value& f) {
                               motion_at_start_[l][r - first] = f.value;
                             });
  }
  for (Vec6& load : loads_at_start_.body) load.setZero();
  loads_at_start_.supplied_power = 0;
  add_loads(parts_.model, between_, step.start, start_, loads_at_start_);
  mean_loads_ = loads_at_start_.body;
  for (Vec6& load : change_) load.setZero();

  for (Vec6& free : system_.free) free.setZero();
  for (SubsystemResponse& response : system_.responses) response.free.setZero();
  return find_responses(step, lambda);
}

// Sends the boxes until they meet.
Status Multirate::settle(const OwnStep& step, Multipliers& lambda) {
  const double h = step.end - step.start;
  const int most = responses_are_fresh_ ? kMostTrials : kTooManyTrials;
  double first_size = 0;
  for (int trial = 1;; ++trial) {
    if (Status status = go(step, lambda); !status.ok()) return status;
    const bool settles = trial > kLooksHalfway;
    if (!settles) look_halfway();
    look_at_rows(step);
    average_loads(step);
    system_.prepare(solver_.wanted());
    const double goal = tolerated(h);
    const double size = std::sqrt(system_.size(system_.g));
    const double change = between_.empty() ? 0 : size_of(change_);
    if (!std::isfinite(size) || !std::isfinite(change))
      return {Status::Code::kNotFinite, "a subsystem's state is not a finite number"};
    if (settles && size <= goal && change <= goal) return {};
    for (Vec6& l : correction_) l.setZero();
    const Solved solved = solver_.solve(system_, correction_);
    iterations_ += solved.iterations;
    contradicts_ = contradicts_ || solved.contradicts;
    // Where joints contradict each other residuals stay, but nothing moves any more.
    system_.apply(correction_, product_);
    const double moved = std::sqrt(std::max(0.0, product_of(correction_, product_)));
    if (settles && moved <= goal && change <= goal) return {};
    first_size = std::max(first_size, trial <= 2 ? size + change : 0.0);
    if (trial == most || !(size + change <= kLost * first_size))
      return {
          Status::Code::kDiverged,
          fmt::format("the subsystems do not meet: after {} trials of a step the joints between "
                      "them still part at {:.1e} of what the step gives them\n  hint: a shorter "
                      "--step, or one subsystem for bodies with stiff springs between them",
                      trial, size / std::max(goal, 1e-300) * parts_.options.tolerance)};
    for (std::size_t l = 0; l < lambda.size(); ++l) lambda[l] += correction_[l];
  }
}

Status Multirate::step(const OwnStep& step, Configuration& c, std::span<double> x,
                       Multipliers& lambda) {
  trials_ = looks_ = 0;
  iterations_ = 0;
  contradicts_ = false;
  first_ = lambda;
  for (int attempt = 1;; ++attempt) {
    lambda = first_;
    Status status = begin(step, c, x, lambda);
    if (status.ok()) status = settle(step, lambda);
    if (status.ok()) break;
    // Boxes may have come to answer otherwise than they did.
    if (attempt == 2 || responses_are_fresh_) return status;
    responses_are_poor_ = true;
  }
  responses_are_poor_ = trials_ > kManyTrials;
  c = end_;
  finish(step.end - step.start, lambda, x);
  return {};
}

// Coordinates of boxes' own, and the work supplied.  [multirate-work]
void Multirate::finish(double h, const Multipliers& lambda, std::span<double> x) const {
  double supplied =
      0.5 * h *
      (loads_at_start_.supplied_power + (between_.empty() ? 0.0 : loads_at_end_.supplied_power));
  auto own = parts_.own.begin();
  for (std::size_t k = 0; k < boxes_.size(); ++k) {
    supplied += boxes_[k].supplied();
    if (own == parts_.own.end() || slot_of(own->box) != k) continue;
    std::ranges::copy(boxes_[k].positions(), x.begin() + own->position);
    std::ranges::copy(boxes_[k].velocities(), x.begin() + own->velocity);
    ++own;
  }
  for (std::size_t l = 0; l < lambda.size(); ++l)
    supplied += lambda[l].dot(motion_at_end_[l] - motion_at_start_[l]);
  x.back() += supplied;
}

}  // namespace sarrus::modular
