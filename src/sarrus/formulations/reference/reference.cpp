#include "sarrus/formulations/reference/reference.h"

#include <algorithm>
#include <utility>

#include "sarrus/formulations/body_state.h"
#include "sarrus/formulations/singular_watch.h"

namespace sarrus {
namespace {

using body_state::kBodyTangent;

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
  body_state::read(x, to, model_.mode_count());
  to.coordinates = discrete.coordinates;
  update_coordinates(model_, to);
}

// Positions and velocities of `scratch.configuration` onto the manifold (where asked), and the
// factorisation there.
Status Reference::factor(double t, bool project, Scratch& scratch) const {
  Configuration& c = scratch.configuration;
  Projector& projector = scratch.projector;
  if (project)
    if (Status status = projector.project_positions(t, c); !status.ok()) return status;
  if (Status status = projector.factor(t, c); !status.ok()) return status;
  if (project) projector.project_velocities(t, c);
  return {};
}

void Reference::gather_loads(double t, Scratch& scratch) const {
  const Configuration& c = scratch.configuration;
  compute_loads(model_, t, c, scratch.loads);
  scratch.Q.resize(system_.columns());
  for (std::size_t i = 1; i < c.poses.size(); ++i)
    scratch.Q.segment<6>(6 * (static_cast<Eigen::Index>(i) - 1)) =
        scratch.loads.body[i] -
        gyroscopic_wrench(model_.bodies()[i].inertia, c.poses[i].R(), c.velocities[i].head<3>());
  // [flexible-bias]
  for (const ConstraintSystem::ModeColumns& own : system_.mode_columns()) {
    const Body& body = model_.body(own.body);
    const auto i = own.body.slot();
    const double* eta = c.modes.data() + body.first_mode;
    const double* rate = c.mode_rates.data() + body.first_mode;
    const Mat3 R = c.poses[i].R();
    const Vec3 w = c.velocities[i].head<3>();
    scratch.Q.segment<6>(6 * own.block) =
        scratch.loads.body[i] - body.modal->rigid_bias(eta, rate, w, R);
    scratch.Q.segment(own.column, body.modal->count()) =
        Eigen::Map<const VecX>(scratch.loads.modes.data() + body.first_mode, body.modal->count()) -
        body.modal->modal_bias(eta, rate, w, R);
  }
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
  for (std::size_t i = 1; i < model_.bodies().size(); ++i) {
    Eigen::Map<Eigen::Matrix<double, kBodyTangent, 1>> rate(dx.data() + kBodyTangent * (i - 1));
    rate.head<6>() = scratch.configuration.velocities[i];
    rate.tail<6>() = scratch.a.segment<6>(6 * (static_cast<Eigen::Index>(i) - 1));
  }
  // The columns of modes stand in the order of bodies, as modes do.
  const Eigen::Index modes = model_.mode_count();
  double* of_modes = dx.data() + kBodyTangent * (model_.bodies().size() - 1);
  std::copy(scratch.configuration.mode_rates.begin(), scratch.configuration.mode_rates.end(),
            of_modes);
  Eigen::Map<VecX>(of_modes + modes, modes) = scratch.a.tail(modes);
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
    Projector& projector = scratch.projector;
    result.status = projector.project_positions(t, c);
    if (result.status.ok()) result.status = projector.factor(t, c);
    scratch.count();
    if (!result.status.ok()) return result;
    projector.project_velocities(t, c);
    body_state::write(c, x);
    result.changed = true;
    scratch.watch.finish_step(t, projector.strength(), discrete, result);
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
  motion.time = t;
  motion.configuration = scratch.configuration;
  motion.accelerations.assign(model_.bodies().size(), Vec6::Zero());
  for (std::size_t i = 1; i < model_.bodies().size(); ++i)
    motion.accelerations[i] = scratch.a.segment<6>(6 * (static_cast<Eigen::Index>(i) - 1));
  const VecX of_modes = scratch.a.tail(model_.mode_count());
  motion.mode_accelerations.assign(of_modes.data(), of_modes.data() + of_modes.size());
  motion.supplied = x.back();
  fill_reactions(scratch, motion);
  return {};
}

void Reference::fill_reactions(const Scratch& scratch, Motion& motion) const {
  const Configuration& c = scratch.configuration;
  motion.reactions.assign(model_.joints().size(), Vec6::Zero());
  motion.reaction_is_unique.assign(model_.joints().size(), 1);
  const std::vector<char> dependent = scratch.projector.kkt().dependent_rows();
  int r = 0;
  for (std::size_t j = 0; j < model_.joints().size(); ++j) {
    const Joint& joint = model_.joints()[j];
    const JointView view = view_of(joint, c);
    const double* near = c.coordinates.data() + joint.first_freedom;
    Vec6 wrench = scratch.loads.joint[j];  // at the origin of what carries it on body b
    const auto add = [&](const Row& row) {
      wrench -= scratch.lambda[r] * row.J_B;
      if (dependent[static_cast<std::size_t>(r)]) motion.reaction_is_unique[j] = 0;
      ++r;
    };
    for (const Row& row : joint.constraint_rows(view, near)) add(row);
    while (r < system_.rows() &&
           system_.origins()[static_cast<std::size_t>(r)].joint.index == static_cast<int>(j)) {
      const int m = system_.origins()[static_cast<std::size_t>(r)].motion;
      const Freedom& at = system_.motions()[static_cast<std::size_t>(m)].at;
      add(joint.coordinate_rows(view, near)[at.index]);
    }
    motion.reactions[j] = shift_force(wrench, view.s_B);
  }
}

}  // namespace sarrus
