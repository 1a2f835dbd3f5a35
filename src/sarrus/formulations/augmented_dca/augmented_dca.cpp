#include "sarrus/formulations/augmented_dca/augmented_dca.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sarrus/constraints/kkt.h"
#include "sarrus/formulations/body_state.h"
#include "sarrus/formulations/eliminated_output.h"
#include "sarrus/formulations/only_weight.h"
#include "sarrus/formulations/singular_watch.h"
#include "sarrus/mobility/rank_study.h"
#include "sarrus/mobility/ranks_of_plan.h"

namespace sarrus {
namespace {

std::shared_ptr<const WholeMechanism> whole_for(RankStudy& study,
                                                const AugmentedDcaOptions& options) {
  if (!options.uniform_penalty) return study.whole({.part_bodies = options.part_bodies});
  return std::make_shared<WholeMechanism>(study.model(), study.topology(), study.model().motions(),
                                          AssemblyOptions{.part_bodies = 1}, true);
}

}  // namespace

struct AugmentedDca::Scratch final : Workspace {
  explicit Scratch(const AugmentedDca& method)
      : elimination(method.plan_, method.executor_, method.assembled_),
        projector(elimination),
        fast(method.fast_parts_, method.plan_, method.whole_->tree),
        configuration(method.assembled_) {
    Regularisation& how = elimination.regularisation();
    how.nominal_ranks = method.nominal_.ranks;
    // A direction that is weak at every pose is not near a singular position.
    how.deficient = std::min(how.deficient, 1e-2 * method.nominal_.smallest_pivot);
    // With more, a direction that a stage finds weak is closed in part only, and every projection on the
    // way through takes energy from what the last one has left.
    how.penalty = 1e-4 * how.deficient;
    if (method.options_.uniform_penalty) how.alpha = method.options_.alpha;
    projector.most_iterations = method.options_.most_iterations;
    projector.position_tolerance = method.options_.position_tolerance;
    projector.velocity_tolerance = method.options_.velocity_tolerance;
    // Ground never moves.
    Q.assign(method.model_.bodies().size(), Vec6::Zero());
    g.assign(static_cast<std::size_t>(method.system_.rows()), 0.0);
  }

  void count() {
    counters.factorizations = projector.factorizations + factorizations;
    counters.iterations =
        projector.position_iterations + projector.velocity_iterations + acceleration_iterations;
  }

  Elimination elimination;
  TreeProjector projector;
  augmented_dca::FastPartSolver fast;
  long factorizations = 0, acceleration_iterations = 0;
  SingularWatch watch;
  Configuration configuration;
  Loads loads;
  std::vector<Vec6> Q;
  std::vector<double> g;
};

AugmentedDca::AugmentedDca(RankStudy& study, const AugmentedDcaOptions& options)
    : model_(study.model()),
      options_(options),
      whole_(whole_for(study, options)),
      system_(whole_->system),
      plan_(whole_->plan),
      fast_parts_(plan_, whole_->tree),
      only_gravity_(has_only_weight(model_)),
      executor_(options.threads, options.grain),
      assembled_(study.assembled()),
      projection_(options.projection),
      layout_(body_state::layout(model_)) {
  nominal_ = nominal_ranks_of(plan_, study.topology(), executor_, study);
  // A penalty on every row hides which depend on others.
  if (options.uniform_penalty && !study.topology().is_tree())
    not_unique_ = study.nonunique_reactions();
  if (projection_ == Projection::kAuto)
    projection_ = nominal_.rank < system_.rows() ? Projection::kStage : Projection::kStep;
}

std::string AugmentedDca::element_of(int tangent_index) const {
  return body_state::element_of(model_, tangent_index);
}

std::vector<VelocityPair> AugmentedDca::velocity_pairs() const {
  return body_state::velocity_pairs(model_);
}

std::unique_ptr<Workspace> AugmentedDca::make_workspace() const {
  return std::make_unique<Scratch>(*this);
}

void AugmentedDca::encode(const Configuration& from, std::span<double> x,
                          Discrete& discrete) const {
  body_state::write(from, x);
  x.back() = 0;
  discrete.coordinates = from.coordinates;
  discrete.integers = {0};
}

// Coordinates stay those of the last accepted step: rows unwrap their angles from there.
void AugmentedDca::read(std::span<const double> x, const Discrete& discrete,
                        Configuration& to) const {
  body_state::read(x, to);
  to.coordinates = discrete.coordinates;
}

void AugmentedDca::decode(std::span<const double> x, const Discrete& discrete,
                          Configuration& to) const {
  read(x, discrete, to);
  update_coordinates(model_, to);
}

// Onto the manifold; leaves the factorisation there, with the rows' values at the new velocities.
Status AugmentedDca::project(double t, Scratch& scratch) const {
  Configuration& c = scratch.configuration;
  if (Status status = scratch.projector.project_positions(t, c); !status.ok()) return status;
  ++scratch.factorizations;
  if (Status status = scratch.elimination.factor(t, c, Elimination::Values::kVelocities);
      !status.ok())
    return status;
  if (Status status = scratch.projector.project_velocities(t, c); !status.ok()) return status;
  scratch.elimination.evaluate(t, c);
  return {};
}

Status AugmentedDca::solve(double t, bool projects, Scratch& scratch) const {
  Elimination& elimination = scratch.elimination;
  if (projects) {
    if (Status status = project(t, scratch); !status.ok()) return status;
  } else {
    ++scratch.factorizations;
    if (Status status = elimination.factor(t, scratch.configuration); !status.ok()) return status;
  }
  gather_loads(model_, t, scratch.configuration, scratch.loads, scratch.Q);
  // [dca-stabilisation]
  const bool stabilises = projection_ == Projection::kOff;
  const double damping = stabilises ? 2 * options_.omega * options_.mu : 0;
  const double stiffness = stabilises ? options_.omega * options_.omega : 0;
  for (std::size_t r = 0; r < scratch.g.size(); ++r) {
    scratch.g[r] = elimination.gamma()[r];
    if (stabilises)
      scratch.g[r] += damping * elimination.phi_rate()[r] + stiffness * elimination.phi()[r];
  }
  Elimination::Stop stop;
  stop.most = options_.most_iterations;
  if (options_.uniform_penalty) {
    stop.step = options_.acceleration_tolerance;
    stop.stagnation = false;
  }
  if (Status status = elimination.solve(scratch.Q, scratch.g, stop); !status.ok()) return status;
  scratch.acceleration_iterations += elimination.iterations;
  for (const Vec6& a : elimination.a())
    if (!a.allFinite()) return {Status::Code::kNotFinite, "the accelerations are not finite"};
  return {};
}

Status AugmentedDca::rates(double t, std::span<const double> x, const Discrete& discrete,
                           Workspace& workspace, std::span<double> dx) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  ++scratch.counters.evaluations;
  if (projection_ == Projection::kStep && !options_.uniform_penalty && model_.motions().empty() &&
      !scratch.elimination.has_added_inertia())
    return fast_rates(t, x, discrete, scratch, dx);
  read(x, discrete, scratch.configuration);
  // The first stage of a step is closed as it is.
  const bool projects =
      projection_ == Projection::kStage && !scratch.projector.is_closed(t, scratch.configuration);
  const Status status = solve(t, projects, scratch);
  scratch.count();
  if (!status.ok()) return status;
  watch_pivots(scratch);
  Elimination& elimination = scratch.elimination;
  body_state::write_rates(scratch.configuration.velocities, elimination.a(), dx);
  dx.back() = scratch.loads.supplied_power;
  if (!model_.motions().empty()) {
    // Work of a prescribed motion: its force −λ times its speed.  [reference-supplied]
    elimination.find_multipliers(scratch.configuration);
    for (std::size_t r = 0; r < elimination.lambda().size(); ++r)
      dx.back() -= elimination.lambda()[r] * elimination.motion_rate()[r];
  }
  return {};
}

// One sweep up and one down, kinematics, loads and all.
Status AugmentedDca::fast_rates(double t, std::span<const double> x, const Discrete& discrete,
                                Scratch& scratch, std::span<double> dx) const {
  Elimination& elimination = scratch.elimination;
  const Vec6* loads = nullptr;
  dx.back() = 0;
  if (!only_gravity_) {
    read(x, discrete, scratch.configuration);
    compute_loads(model_, t, scratch.configuration, scratch.loads);
    loads = scratch.loads.body.data();
    dx.back() = scratch.loads.supplied_power;
  }
  scratch.fast.begin(x.data(), discrete.coordinates.data(), loads, dx.data());
  ++scratch.factorizations;
  Elimination::Stop stop;
  stop.most = options_.most_iterations;
  const Status status = elimination.factor_and_solve(t, scratch.configuration, scratch.fast, stop);
  if (!status.ok()) return status;
  scratch.acceleration_iterations += elimination.iterations;
  scratch.count();
  watch_pivots(scratch);
  return {};
}

// How near to a singular position a stage has come.
void AugmentedDca::watch_pivots(Scratch& scratch) const {
  if (options_.uniform_penalty || !plan_.iterates) return;
  scratch.watch.see(nominal_.strength(scratch.elimination));
}

// Penalty and projection keep the weak directions small: nothing is taken out of the estimate.
ErrorTrust AugmentedDca::filter_error(std::span<double> /*e*/, Workspace& workspace) const {
  return static_cast<Scratch&>(workspace).watch.take_trust();
}

AfterStep AugmentedDca::after_step(double t, std::span<double> x, Discrete& discrete,
                                   Workspace& workspace) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  Configuration& c = scratch.configuration;
  AfterStep result;
  decode(x, discrete, c);
  if (projection_ != Projection::kOff && system_.rows() > 0) {
    result.status = project(t, scratch);
    scratch.count();
    if (!result.status.ok()) return result;
    body_state::write(c, x);
    result.changed = true;
    scratch.watch.finish_step(t, nominal_.strength(scratch.elimination), discrete, result);
  }
  discrete.coordinates = c.coordinates;
  return result;
}

Status AugmentedDca::evaluate_motion(double t, std::span<const double> x, const Discrete& discrete,
                                     Workspace& workspace, Motion& motion) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  decode(x, discrete, scratch.configuration);
  // What a step has ended with is closed.
  const bool projects =
      projection_ != Projection::kOff && !scratch.projector.is_closed(t, scratch.configuration);
  const Status status = solve(t, projects, scratch);
  scratch.count();
  if (!status.ok()) return status;
  motion.time = t;
  motion.configuration = scratch.configuration;
  motion.accelerations.assign(scratch.elimination.a().begin(), scratch.elimination.a().end());
  motion.accelerations[0].setZero();
  motion.supplied = x.back();
  return {};
}

Status AugmentedDca::evaluate(double t, std::span<const double> x, const Discrete& discrete,
                              Workspace& workspace, Motion& motion) const {
  if (Status status = evaluate_motion(t, x, discrete, workspace, motion); !status.ok())
    return status;
  Scratch& scratch = static_cast<Scratch&>(workspace);
  write_reactions(scratch.elimination, scratch.loads, scratch.configuration, motion);
  not_unique_.unmark(motion.reaction_is_unique);
  return {};
}

}  // namespace sarrus
