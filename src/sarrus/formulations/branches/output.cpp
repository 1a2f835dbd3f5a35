#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "sarrus/base/thresholds.h"
#include "sarrus/formulations/branches/scratch.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus {

namespace {

/// Rounding of a position, times the size of the mechanism, or of a metre; of a speed likewise.
constexpr double kClosed = 1e-14;

/// Of the size alone: near a singular position every digit counts.
constexpr double kClosedBest = 1e-15;

constexpr int kMostCorrections = 12;

}  // namespace

/// How far the loops are open, or move so [m, m/s].
struct Branches::Gap {
  double largest = 0;
  double size = 1;    ///< of what they are differences of
  double metres = 1;  ///< the same, of at least a metre
};

// Values or rates of all connections' rows at a state into `missing`, and the largest as a length.
Branches::Gap Branches::measure(double t, std::span<const double> x, const Discrete& discrete,
                                Level level, ScratchSpace& s) const {
  give(t, x, discrete, s);
  prepare(s);
  place_roots(s);
  double most = 0, size = length_, speed = 0;
  for (std::size_t c = 0; c < plan_->connections().size(); ++c) {
    const branches::Connection& connection = plan_->connections()[c];
    branches::Frame &a = s.handles[2 * c], &b = s.handles[2 * c + 1];
    place_handle(static_cast<int>(c), 0, s, a);
    place_handle(static_cast<int>(c), 1, s, b);
    branches::evaluate_rows(*plan_, connection, t, a, b, discrete.coordinates, s.rows[c]);
    for (const branches::Frame* frame : {&a, &b}) {
      size = std::max(size, branches::vec3(frame->p).lpNorm<Eigen::Infinity>());
      speed = std::max(speed, branches::vec6(frame->V).lpNorm<Eigen::Infinity>());
    }
    for (int r = 0; r < s.rows[c].count; ++r) {
      const branches::ConnectionRows::OneRow& row = s.rows[c].row[to_index(r)];
      const double value = level == Level::kPosition ? row.phi : row.phi_rate;
      const int place = connection.first_row + r;
      // What connects branches holds by itself.
      s.missing[to_index(place)] = connection.closes_loop ? value : 0;
      // A number that is none is the largest.
      if (connection.closes_loop && !(std::abs(value) * row_scale_[to_index(place)] <= most))
        most = std::abs(value) * row_scale_[to_index(place)];
    }
  }
  const double by = level == Level::kPosition ? 1 : std::max(speed, 1e-3);
  return {most, size * by, std::max(size, 1.0) * by};
}

std::string Branches::worst_connection(const ScratchSpace& s) const {
  const branches::Connection* worst = nullptr;
  double most = -1;
  for (const branches::Connection& connection : plan_->connections())
    for (int r = connection.first_row; r < connection.first_row + connection.rows; ++r)
      if (const double value = std::abs(s.missing[to_index(r)]) * row_scale_[to_index(r)];
          value > most) {
        most = value;
        worst = &connection;
      }
  return fmt::format("joint '{}'", model_.joint(worst->joint).name);
}

// The motion with the least kinetic energy whose rates of the rows are −missing, along `tangent`.
void Branches::answer(const Discrete& discrete, ScratchSpace& s) const {
  solve_for_missing(s);
  spread(discrete, Solution::kImpulses, s);
}

// [branches-projection]
void Branches::correct(double t, Level level, std::span<double> x, const Discrete& discrete,
                       ScratchSpace& s) const {
  answer(discrete, s);
  ++s.counters.iterations;
  const auto nq = to_index(tree_.nq()), nv = to_index(tree_.nv()),
             modes = to_index(model_.mode_count());
  if (level == Level::kVelocity) {
    for (std::size_t k = 0; k < nv; ++k) x[nq + k] += s.v_rate[k];
    for (std::size_t k = 0; k < modes; ++k) x[nq + nv + modes + k] += s.eta_rate[k];
  } else {
    s.tangent.assign(to_index(layout().tangent_size()), 0.0);
    state_.write_position_rates(x.first(nq), {s.v_rate, nv}, 1, s.tangent);
    std::copy_n(s.eta_rate, modes, s.tangent.begin() + 2 * tree_.nv());
    s.moved.assign(x.begin(), x.end());
    layout().retract(s.moved, s.tangent, x);
  }
  if (!drives_.empty())
    drives_.apply(t, x.first(nq), x.subspan(nq, nv), discrete.coordinates, s.drives);
}

// Positions, then velocities, back onto the constraints of the loops; `changed`: was anything moved?
Status Branches::project(double t, std::span<double> x, const Discrete& discrete, ScratchSpace& s,
                         bool& changed) const {
  const bool is_weak = has_loops_ && SingularWatch::is_weak(fronts_->strength(s.fronts));
  bool factored = false;
  for (const Level level : {Level::kPosition, Level::kVelocity}) {
    double before = std::numeric_limits<double>::infinity();
    for (int i = 0;; ++i) {
      const auto [gap, size, metres] = measure(t, x, discrete, level, s);
      if (!std::isfinite(gap))
        return {Status::Code::kNotFinite, "the constraints cannot be evaluated"};
      if (gap <= (is_weak ? kClosedBest * size : kClosed * metres)) break;
      const bool is_near = gap <= thresholds::kOpen * size;
      // As good as it gets: rows that depend on others are only as good as these are closed.
      if (is_near && gap > 0.5 * before) break;
      if (i == kMostCorrections || (i > 2 && gap > 0.5 * before)) {
        if (is_near || level == Level::kVelocity) break;  // positions would follow
        return {Status::Code::kDiverged,
                fmt::format("{} cannot be kept closed: {:.3g} is left", worst_connection(s), gap)};
      }
      // The factors of a state near by do, as long as they bring it nearer quickly.
      if (!factored || gap > 0.1 * before) {
        if (Status status = factor(t, discrete, s); !status.ok()) return status;
        factored = true;
      }
      before = gap;
      correct(t, level, x, discrete, s);
      changed = true;
    }
  }
  return {};
}

AfterStep Branches::after_step(double t, std::span<double> x, Discrete& discrete,
                               Workspace& workspace) const {
  ScratchSpace& s = static_cast<ScratchSpace&>(workspace);
  AfterStep result;
  if (!drives_.empty())
    drives_.apply(t, x.first(to_index(tree_.nq())),
                  x.subspan(to_index(tree_.nq()), to_index(tree_.nv())), discrete.coordinates,
                  s.drives);
  if (projection_ != Projection::kOff) {
    result.status = project(t, x, discrete, s, result.changed);
    if (!result.status.ok()) return result;
  }
  if (has_loops_) s.watch.finish_step(t, fronts_->strength(s.fronts), discrete, result);
  if (tree_.has_joints_outside()) {
    decode(x, discrete, s.configuration);
    discrete.coordinates = s.configuration.coordinates;
  } else {
    state_.read_coordinates(x, discrete.coordinates);
  }
  return result;
}

Status Branches::evaluate_motion(double t, std::span<const double> x, const Discrete& discrete,
                                 Workspace& workspace, Motion& motion) const {
  ScratchSpace& s = static_cast<ScratchSpace&>(workspace);
  s.state.assign(x.begin(), x.end());
  if (projection_ != Projection::kOff) {
    bool changed = false;
    if (Status status = project(t, s.state, discrete, s, changed); !status.ok()) return status;
  }
  give(t, s.state, discrete, s);
  if (Status status = accelerate(t, discrete, s); !status.ok()) return status;
  motion.time = t;
  motion.supplied = x.back();
  motion.mode_accelerations = s.own_eta_rate;
  motion.accelerations.assign(model_.bodies().size(), Vec6::Zero());
  for (int i = 0; i < plan_->body_count(); ++i) {
    const branches::BodyConstants& body = plan_->body(i);
    const branches::Handle frame{plan_->branch_of(i), i,
                                 body.own_attachment < 0 ? -1 : body.first_attachment, 0};
    Vec6 A = branches::carrier_acceleration(*plan_, frame, false, s.memory.scratch, s.eta_rate);
    A.tail<3>() += model_.gravity();  // ground is at rest after all
    if (!A.allFinite()) return {Status::Code::kNotFinite, "the accelerations are not finite"};
    motion.accelerations[tree_.bodies()[to_index(plan_->slot(i))].body.slot()] = A;
  }
  // With what is prescribed.
  if (!drives_.empty()) {
    std::copy(s.q.begin(), s.q.end(), s.state.begin());
    std::copy(s.v.begin(), s.v.end(), s.state.begin() + tree_.nq());
  }
  decode(s.state, discrete, motion.configuration);
  return {};
}

Status Branches::evaluate(double t, std::span<const double> x, const Discrete& discrete,
                          Workspace& workspace, Motion& motion) const {
  ScratchSpace& s = static_cast<ScratchSpace&>(workspace);
  if (Status status = evaluate_motion(t, x, discrete, workspace, motion); !status.ok())
    return status;
  // Inputs point to the state, which may have been changed since.
  give(t, s.state, discrete, s);
  if (has_mass_matrix_) find_wrenches(s);
  fill_reactions(s, motion);
  not_unique_.unmark(motion.reaction_is_unique);
  return {};
}

void Branches::fill_reactions(const ScratchSpace& s, Motion& motion) const {
  const branches::Scratch& scratch = s.memory.scratch;
  motion.reactions.assign(model_.joints().size(), Vec6::Zero());
  motion.reaction_is_unique.assign(model_.joints().size(), 1);
  for (int i = 0; i < plan_->body_count(); ++i) {
    const tree::TreeBody& place = tree_.bodies()[to_index(plan_->slot(i))];
    if (plan_->body(i).is_free || !place.joint.valid()) continue;
    const Joint& joint = model_.joint(place.joint);
    const Vec6 wrench = joint_wrench(i, s);
    const branches::Frame& reference = scratch.bodies[i].frame;
    if (!place.reversed) {
      motion.reactions[place.joint.slot()] =
          shift_force(wrench, branches::mat3(reference.R) * joint.X_CM().p);
    } else {
      const Vec3 M =
          carrier_of(joint.b, joint.attachment_b, motion.configuration).X * joint.X_CM().p;
      motion.reactions[place.joint.slot()] = -shift_force(wrench, M - branches::vec3(reference.p));
    }
  }
  for (std::size_t c = 0; c < plan_->connections().size(); ++c) {
    const branches::Connection& connection = plan_->connections()[c];
    const Joint& joint = model_.joint(connection.joint);
    const branches::Handle& own = connection.b.branch >= 0 ? connection.b : connection.a;
    if (own.branch < 0) continue;
    Vec6 wrench = has_loads_ ? s.loads.joint[connection.joint.slot()] : Vec6::Zero().eval();
    const double* lambda = s.lambda.data() + plan_->constants(own.branch).h + own.row;
    for (int r = 0; r < s.rows[c].count; ++r) wrench += lambda[r] * s.rows[c].row[to_index(r)].J_B;
    const Vec3 arm = branches::mat3(s.handles[2 * c + 1].R) * joint.X_CM().p;
    motion.reactions[connection.joint.slot()] = shift_force(wrench, arm);
  }
}

std::vector<ConnectingJoint> Branches::connecting_joints() const {
  std::vector<ConnectingJoint> joints;
  if (has_mass_matrix_) return joints;
  for (const branches::Connection& connection : plan_->connections())
    joints.push_back(
        {connection.joint, connection.closes_loop, connection.a.branch, connection.b.branch});
  return joints;
}

std::vector<Phase> Branches::phases(double t, std::span<const double> x, const Discrete& discrete,
                                    Workspace& workspace) const {
  ScratchSpace& s = static_cast<ScratchSpace&>(workspace);
  std::vector<Phase> phases = {{"joint forces",
                                [=, this, &discrete, &s] {
                                  give(t, x, discrete, s);
                                  return Status{};
                                }},
                               {"joints and paths",
                                [this, &s] {
                                  for (std::size_t b = 0; b < plan_->branches().size(); ++b)
                                    prepare_branch(static_cast<int>(b), s);
                                  return Status{};
                                }},
                               {"roots of branches", [this, t, &s] {
                                  place_roots(s);
                                  add_loads(t, s);
                                  return Status{};
                                }}};
  for (int n = 0; n < fronts_->node_count(); ++n) {
    const int b = fronts_->branch_of(n);
    if (b < 0) continue;
    phases.push_back(
        {"branch '" + plan_->branches()[to_index(b)].name + "'", [=, this, &discrete, &s] {
           sweep_branch(b, t, discrete, s);
           return Status{};
         }});
  }
  phases.push_back({"connections", [this, &s] {
                      for (int n = 0; n < fronts_->node_count(); ++n)
                        fronts_->up(kernel_, n, true, s.memory.scratch, s.fronts);
                      for (int n = fronts_->node_count(); n-- > 0;)
                        fronts_->down(kernel_, n, s.fronts);
                      return Status{};
                    }});
  phases.push_back(
      {"accelerations", [this, &s] {
         for (std::size_t b = 0; b < plan_->branches().size(); ++b) {
           const auto& branch = plan_->constants(static_cast<int>(b));
           double* lambda = s.lambda.data() + branch.h;
           std::copy_n(s.fronts.lambda_of_branch(static_cast<int>(b)), branch.rows, lambda);
           const auto outward = has_mass_matrix_ ? kernel_.dense_outward : kernel_.outward;
           outward(plan_->system(), branch, lambda, false, s.memory.scratch, s.unknowns.data(),
                   s.eta_rate);
         }
         return Status{};
       }});
  phases.push_back({"rates of the state", [this, &discrete, &s] {
                      for (std::size_t b = 0; b < plan_->branches().size(); ++b)
                        finish_branch(static_cast<int>(b), false, s);
                      for (std::size_t c = 0; c < plan_->connections().size(); ++c)
                        finish_connection(static_cast<int>(c), discrete, false, s);
                      return Status{};
                    }});
  return phases;
}

void Branches::response_of(int b, double t, std::span<const double> x, const Discrete& discrete,
                           Workspace& workspace, MatX& H, VecX& h) const {
  ScratchSpace& s = static_cast<ScratchSpace&>(workspace);
  give(t, x, discrete, s);
  for (std::size_t k = 0; k < plan_->branches().size(); ++k) prepare_branch(static_cast<int>(k), s);
  place_roots(s);
  add_loads(t, s);
  sweep_branch(b, t, discrete, s);
  const branches::BranchConstants& branch = plan_->constants(b);
  H.resize(branch.rows, branch.rows);
  h.resize(branch.rows);
  for (int i = 0; i < branch.rows; ++i) {
    h[i] = s.memory.scratch.h[branch.h + to_index(i)];
    for (int j = 0; j <= i; ++j)
      H(i, j) = H(j, i) = s.memory.scratch.H[branch.H + to_index(i * branch.stride + j)];
  }
}

}  // namespace sarrus
