#include "sarrus/formulations/reference/reference.h"

#include <algorithm>
#include <utility>

#include "sarrus/constraints/dense_forces.h"
#include "sarrus/formulations/body_state.h"
#include "sarrus/formulations/singular_watch.h"

namespace sarrus {
namespace {

/// Two rounds bring the residual to rounding of the data for condition numbers up to 1e10.
constexpr int kRefinements = 2;

}  // namespace

struct Reference::Scratch final : Workspace {
  Scratch(const ConstraintSystem& system, int nominal_rank, double conditioning)
      : projector(system, nominal_rank, conditioning) {}

  void count() {
    counters.factorizations = projector.factorizations;
    counters.iterations = projector.iterations;
  }

  Projector projector;
  SingularWatch watch;
  Configuration configuration;
  Loads loads;
  VecX Q, a, lambda;
};

Reference::Reference(const Model& model, const Mobility& mobility, double conditioning,
                     Projection projection)
    : model_(model),
      system_(model),
      nominal_rank_(mobility.generic.rank),
      conditioning_(conditioning),
      projection_(projection),
      layout_(body_state::layout(model)) {
  if (projection == Projection::kAuto)
    projection_ = mobility.generic.redundant > 0 ? Projection::kStage : Projection::kStep;
}

std::string Reference::element_of(int tangent_index) const {
  return body_state::element_of(model_, tangent_index);
}

std::vector<VelocityPair> Reference::velocity_pairs() const {
  return body_state::velocity_pairs(model_);
}

std::unique_ptr<Workspace> Reference::make_workspace() const {
  return std::make_unique<Scratch>(system_, nominal_rank_, conditioning_);
}

void Reference::encode(const Configuration& from, std::span<double> x, Discrete& discrete) const {
  body_state::write(from, x);
  x.back() = 0;
  discrete.coordinates = from.coordinates;
  discrete.integers = {0};
}

void Reference::decode(std::span<const double> x, const Discrete& discrete,
                       Configuration& to) const {
  body_state::decode(model_, x, discrete, to);
}

// Positions and velocities of `scratch.configuration` onto the manifold (where asked), and the
// factorisation there.
Status Reference::factor(double t, bool project, Scratch& scratch) const {
  Configuration& c = scratch.configuration;
  if (project) return body_state::project(t, scratch.projector, c);
  return scratch.projector.factor(t, c);
}

void Reference::gather_loads(double t, Scratch& scratch) const {
  compute_loads(model_, t, scratch.configuration, scratch.loads);
  gather_forces(system_, scratch.configuration, scratch.loads, scratch.Q);
}

// Accelerations and multipliers.  [reference-motion]
Status Reference::accelerate(Scratch& scratch) const {
  Projector& projector = scratch.projector;
  projector.kkt().solve(scratch.Q, -projector.values().gamma, scratch.a, scratch.lambda,
                        kRefinements);
  if (scratch.a.allFinite() && scratch.lambda.allFinite()) return {};
  return {Status::Code::kNotFinite, "the accelerations are not finite"};
}

Status Reference::solve(double t, bool project, Scratch& scratch) const {
  if (Status status = factor(t, project, scratch); !status.ok()) return status;
  gather_loads(t, scratch);
  return accelerate(scratch);
}

std::vector<Phase> Reference::phases(double t, std::span<const double> x, const Discrete& discrete,
                                     Workspace& workspace) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  const bool project = projection_ == Projection::kStage;
  // The projection starts from the state every time.
  const auto decode_state = [this, x, &discrete, &scratch] {
    decode(x, discrete, scratch.configuration);
    return Status{};
  };
  return {{"decode", decode_state},
          {project ? "project and factor" : "factor",
           [=, this, &scratch] {
             if (project) decode_state();
             return factor(t, project, scratch);
           }},
          {"loads",
           [this, t, &scratch] {
             gather_loads(t, scratch);
             return Status{};
           }},
          {"solve", [this, &scratch] { return accelerate(scratch); }}};
}

Status Reference::rates(double t, std::span<const double> x, const Discrete& discrete,
                        Workspace& workspace, std::span<double> dx) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  ++scratch.counters.evaluations;
  decode(x, discrete, scratch.configuration);
  const Status status = solve(t, projection_ == Projection::kStage, scratch);
  scratch.count();
  if (!status.ok()) return status;
  scratch.watch.see(scratch.projector.strength());
  body_state::write_rates(scratch.configuration, scratch.a, dx);
  // Work of a prescribed motion: its force −λ times its speed.  [reference-supplied]
  dx.back() =
      scratch.loads.supplied_power - scratch.lambda.dot(scratch.projector.values().motion_rate);
  return {};
}

ErrorTrust Reference::filter_error(std::span<double> e, Workspace& workspace) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  if (projection_ != Projection::kOff)
    body_state::filter_weak_motions(scratch.projector.kkt(), model_.mode_count(), e);
  return scratch.watch.take_trust();
}

AfterStep Reference::after_step(double t, std::span<double> x, Discrete& discrete,
                                Workspace& workspace) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  Configuration& c = scratch.configuration;
  AfterStep result;
  decode(x, discrete, c);
  if (projection_ != Projection::kOff && system_.rows() > 0) {
    result.status = body_state::project(t, scratch.projector, c);
    scratch.count();
    if (!result.status.ok()) return result;
    body_state::write(c, x);
    result.changed = true;
    scratch.watch.finish_step(t, scratch.projector.strength(), discrete, result);
  }
  discrete.coordinates = c.coordinates;
  return result;
}

Status Reference::evaluate(double t, std::span<const double> x, const Discrete& discrete,
                           Workspace& workspace, Motion& motion) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  decode(x, discrete, scratch.configuration);
  const Status status = solve(t, projection_ != Projection::kOff, scratch);
  if (!status.ok()) return status;
  body_state::fill_motion(t, scratch.configuration, scratch.a, motion);
  motion.supplied = x.back();
  const std::vector<char> dependent = scratch.projector.kkt().dependent_rows();
  scratch.lambda = -scratch.lambda;  // reactions: what a multiplier pushes with, along its row
  body_state::fill_reactions(system_, scratch.loads, scratch.lambda, motion);
  for (std::size_t r = 0; r < dependent.size(); ++r)
    if (dependent[r]) motion.reaction_is_unique[system_.origins()[r].joint.slot()] = 0;
  return {};
}

}  // namespace sarrus
