#include "sarrus/formulations/modular/uzawa.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/base/diagnostics.h"
#include "sarrus/constraints/closing.h"
#include "sarrus/constraints/projector.h"
#include "sarrus/formulations/body_state.h"
#include "sarrus/formulations/modular/boxes.h"
#include "sarrus/topology/rank_study.h"

namespace sarrus::modular {
namespace {

/// Where Discrete::integers keeps whether a cut iteration, and contradicting joints, were noted.
constexpr std::size_t kCutNoted = 0;
constexpr std::size_t kContradictionNoted = 1;

constexpr const char* kContradictionText =
    "joints contradict each other: they are given a little compliance (method.regularisation), and "
    "what they press against each other is not physical";

/// Of the residual without any multipliers: an iteration that is cut has less left.
constexpr double kDiverging = 1e3;

constexpr int kMostProjections = 12;
/// What rounding may leave of φ, over the largest coordinate, where rows depend on each other.
constexpr double kAsGoodAsClosed = 1e-11;
/// What a projection leaves of φ in one correction.
constexpr double kProjectionTolerance = 1e-12;
/// Steps of Lanczos for the interval of chebyshev, and how far below it we go.
constexpr int kLanczosSteps = 400;
constexpr double kIntervalMargin = 0.8;

std::size_t slot(int index) { return static_cast<std::size_t>(index); }

std::vector<Box> boxes_of(const std::vector<FilledBox>& filled) {
  std::vector<Box> boxes;
  for (const FilledBox& one : filled) boxes.push_back(one.box);
  return boxes;
}

std::vector<std::unique_ptr<Subsystem>> insides_of(std::vector<FilledBox>& filled) {
  std::vector<std::unique_ptr<Subsystem>> insides;
  for (FilledBox& one : filled) insides.push_back(std::move(one.inside));
  return insides;
}

}  // namespace

struct Uzawa::Scratch final : Workspace {
  explicit Scratch(const Uzawa& method)
      : system(method.interface_),
        solver(method.interface_,
               method.options_.iteration == Iteration::kTree ? method.elimination_.get() : nullptr,
               method.options_, method.least_eigenvalue_),
        projector(method.interface_, method.elimination_.get(), method.options_),
        lambda(method.interface_.links.size(), Vec6::Zero()),
        correction(lambda),
        phi(lambda),
        phi_rate(lambda),
        gamma(lambda),
        motion_rate(lambda),
        a(method.interface_.box_of.size(), Vec6::Zero()) {
    if (method.options_.projection != Projection::kOff &&
        method.model_.joint_count() <= kDenseJoints)
      dense_projector.emplace(method.system_, method.nominal_rank_);
    for (const auto& inside : method.subsystems_)
      subsystems.push_back(inside ? inside->clone() : nullptr);
  }

  Configuration configuration;
  Loads loads;
  std::vector<std::unique_ptr<Subsystem>> subsystems;
  InterfaceSystem system;
  InterfaceSolver solver;
  InterfaceSolver projector;
  std::optional<Projector> dense_projector;  ///< where there are few joints
  Multipliers lambda, correction;
  Multipliers phi, phi_rate, gamma, motion_rate;
  std::vector<Vec6> a;
  VecX wrenches;
  std::unique_ptr<Multirate> multirate;  ///< made when first needed
  Solved solved;
  bool has_solved = false;
};

Uzawa::~Uzawa() = default;

Uzawa::Uzawa(RankStudy& study, const UzawaOptions& options, const SubsystemKinds& kinds)
    : Uzawa(study, study.model(), options,
            make_boxes(study.model(), study.assembled(), options, kinds)) {}

Uzawa::Uzawa(RankStudy& study, const Model& model, const UzawaOptions& options,
             std::vector<FilledBox> boxes)
    : model_(model),
      options_(options),
      system_(model),
      interface_(model, boxes_of(boxes)),
      subsystems_(insides_of(boxes)) {
  for (const Body& body : model.bodies()) admittances_.emplace_back(body.inertia);
  const bool plain = std::ranges::all_of(interface_.boxes, &Box::is_body);
  const bool asked =
      options.projection == Projection::kStep || options.projection == Projection::kStage;
  if (asked && !plain)
    throw UsageError(
        "with subsystems of more than a body uzawa does not project: what is inside is not for the "
        "joints to move\n  hint: leave out --projection; violated joints are stabilised");
  options_.projection = plain ? projection_for(options.projection, options.step) : Projection::kOff;
  nominal_rank_ = system_.rows();
  if (!study.topology().is_tree()) {
    not_unique_ = study.nonunique_reactions();
    nominal_rank_ = study.generic().rank;
    if (options.projection == Projection::kAuto && options_.projection == Projection::kStep &&
        study.generic().redundant > 0)
      options_.projection = Projection::kStage;
  }
  if (!options_.rho.empty() && options_.rho.size() != 1 &&
      options_.rho.size() != interface_.links.size())
    throw UsageError(fmt::format(
        "method.rho has {} values, but there are {} joints between subsystems\n  hint: give one "
        "number for all of them, or one each in the order of the model's joints",
        options_.rho.size(), interface_.links.size()));
  gains_ = gains_for(options.omega, options.damping, options.step, options_.projection);
  if (options_.own_steps) {
    // [multirate-residual]  The steps see to it; what is shown at an instant is what holds there.
    gains_ = {};
    if (model.mode_count() > 0)
      throw UsageError(
          "multirate does not take flexible bodies yet\n  hint: uzawa does with other integrators");
    if (asked)
      throw UsageError(
          "multirate does not project: joints that have parted return at the level of velocities\n"
          "  hint: leave out --projection");
    if (!options_.rho.empty() || options_.stopping == Stopping::kIncrement)
      throw UsageError(
          "method.rho and method.stopping=increment are for forces at an instant, not for steps of "
          "subsystems\n  hint: leave them out with multirate");
  }
  if (options_.iteration == Iteration::kTree || options_.projection != Projection::kOff)
    elimination_ = std::make_unique<JointElimination>(interface_);
  layout_ = body_state::layout(model);
  add_own_coordinates();
  if (options_.iteration == Iteration::kChebyshev) {
    Scratch scratch(*this);
    std::vector<double> x(slot(layout_.size()));
    Discrete discrete;
    encode(study.assembled(), x, discrete);
    decode(x, discrete, scratch.configuration);
    if (prepare(0, x, scratch).ok())
      least_eigenvalue_ =
          kIntervalMargin * scratch.solver.least_eigenvalue(scratch.system, kLanczosSteps);
  }
}

void Uzawa::add_own_coordinates() {
  bool any = false;
  for (const auto& inside : subsystems_) any = any || (inside && inside->own_coordinates() > 0);
  if (!any) return;
  StateLayout layout;
  for (int i = 1; i < model_.body_count(); ++i) {
    layout.add_quaternion();
    layout.add_vector(9);
  }
  // Modes stand where they do for everyone, behind the bodies.
  const int modes = model_.mode_count();
  const int first = layout.size(), first_tangent = layout.tangent_size();
  if (modes > 0) layout.add_vector(2 * modes);
  for (std::size_t k = 0; k < subsystems_.size(); ++k) {
    const int count = subsystems_[k] ? subsystems_[k]->own_coordinates() : 0;
    if (count == 0) continue;
    if (const Body& body = model_.bodies()[slot(interface_.boxes[k].bodies.front())];
        body.modal != nullptr) {
      const int mode = body.first_mode;
      own_.push_back({static_cast<int>(k), count, first + mode, first + modes + mode,
                      first_tangent + mode, first_tangent + modes + mode});
      continue;
    }
    const int x = layout.size(), u = layout.tangent_size();
    own_.push_back({static_cast<int>(k), count, x, x + count, u, u + count});
    own_places_.push_back({static_cast<int>(k), count, x, x + count});
    layout.add_vector(2 * count);
  }
  layout.add_vector(1, /*controlled=*/false);
  layout_ = layout;
}

const Body& Uzawa::body_of(const Own& own) const {
  return model_.bodies()[slot(interface_.boxes[slot(own.box)].bodies.front())];
}

std::string Uzawa::lost_by_edits() const {
  for (const Own& own : own_)
    if (!subsystems_[slot(own.box)]->starts_from_bodies())
      return "the coordinates that subsystems of your own keep";
  return "";
}

Capabilities Uzawa::capabilities() const {
  return {.loops = true, .redundancy = true, .point_masses = false, .flexible_bodies = true};
}

std::string Uzawa::element_of(int tangent_index) const {
  return body_state::element_of(model_, tangent_index);
}

std::vector<VelocityPair> Uzawa::velocity_pairs() const {
  std::vector<VelocityPair> pairs = body_state::velocity_pairs(model_);
  for (const Own& own : own_)
    if (!is_flexible(own)) pairs.push_back({own.tangent_position, own.tangent_velocity, own.count});
  return pairs;
}

std::optional<Stabilisation> Uzawa::stabilisation() const { return stabilisation_of(gains_); }

std::unique_ptr<Workspace> Uzawa::make_workspace() const {
  return std::make_unique<Scratch>(*this);
}

void Uzawa::encode(const Configuration& from, std::span<double> x, Discrete& discrete) const {
  body_state::write(from, x);
  for (const Own& own : own_)
    subsystems_[slot(own.box)]->start(from, x.subspan(slot(own.position), slot(own.count)),
                                      x.subspan(slot(own.velocity), slot(own.count)));
  x.back() = 0;
  discrete.coordinates = from.coordinates;
  discrete.integers = {0, 0};
  discrete.reals.clear();  // cold
}

// Coordinates stay those of the last accepted step: rows unwrap their angles from there.
void Uzawa::read(std::span<const double> x, const Discrete& discrete, Configuration& to) const {
  const auto modes = slot(model_.mode_count());
  body_state::read(x.first(body_state::kBodySize * (model_.bodies().size() - 1) + 2 * modes), to,
                   model_.mode_count());
  to.coordinates = discrete.coordinates;
  for (const Own& own : own_)
    subsystems_[slot(own.box)]->place(x.subspan(slot(own.position), slot(own.count)),
                                      x.subspan(slot(own.velocity), slot(own.count)), to);
}

void Uzawa::decode(std::span<const double> x, const Discrete& discrete, Configuration& to) const {
  read(x, discrete, to);
  update_coordinates(model_, to);
}

// The rows of all joints between boxes.
void Uzawa::evaluate_links(double t, Scratch& s) const {
  const Configuration& c = s.configuration;
  for (std::size_t l = 0; l < interface_.links.size(); ++l) {
    const Link& link = interface_.links[l];
    const Joint& joint = model_.joints()[slot(link.joint)];
    const Vec6 V_A = carrier_velocity(joint.a, joint.seat_a, c);
    const Vec6 V_B = carrier_velocity(joint.b, joint.seat_b, c);
    const int first = system_.first_row(link.joint);
    system_.visit_rows(link.joint, t, c, [&](int r, const Row& row, const TimeFunction::Value& f) {
      const int k = r - first;
      s.system.G_A[l].row(k) = row.J_A.transpose();
      s.system.G_B[l].row(k) = row.J_B.transpose();
      s.phi[l][k] = row.value - f.value;
      s.phi_rate[l][k] = row.rate(V_A, V_B) - f.rate;
      s.gamma[l][k] = row.gamma - f.acceleration;
      s.motion_rate[l][k] = f.rate;
    });
  }
}

// The equations of the joints at scratch.configuration.  [modular-interface]
Status Uzawa::prepare(double t, std::span<const double> x, Scratch& s) const {
  const Configuration& c = s.configuration;
  evaluate_links(t, s);
  compute_loads(model_, t, c, s.loads);
  for (std::size_t k = 0; k < interface_.boxes.size(); ++k) {
    const Box& box = interface_.boxes[k];
    if (!box.is_body) continue;
    const std::size_t i = slot(box.bodies.front());
    const Mat3 R = c.poses[i].R();
    admittances_[i].turned(R, s.system.W[i]);
    s.system.free[i].noalias() =
        s.system.W[i] * (s.loads.body[i] - gyroscopic_wrench(model_.bodies()[i].inertia, R,
                                                             c.velocities[i].head<3>()));
  }
  auto own = own_.begin();
  for (std::size_t k = 0; k < s.subsystems.size(); ++k) {
    if (!s.subsystems[k]) continue;
    SubsystemMoment moment{.time = t,
                           .configuration = c,
                           .loads = s.loads,
                           .k_p = gains_.position,
                           .k_v = gains_.velocity,
                           .positions = {},
                           .velocities = {}};
    if (own != own_.end() && own->box == static_cast<int>(k)) {
      moment.positions = x.subspan(slot(own->position), slot(own->count));
      moment.velocities = x.subspan(slot(own->velocity), slot(own->count));
      ++own;
    }
    if (Status status = s.subsystems[k]->respond(moment, s.system.responses[k]); !status.ok())
      return status;
  }
  for (std::size_t l = 0; l < s.phi.size(); ++l)
    s.system.g[l] = s.gamma[l] + gains_.velocity * s.phi_rate[l] + gains_.position * s.phi[l];
  s.system.prepare(s.solver.wanted());
  return {};
}

// Those of the last step; where there is none, of one elimination rather than of as many rounds as a
// cold iteration takes. Both have no part in what dependent joints leave open.  [modular-cold]
void Uzawa::start_multipliers(const Discrete& discrete, Scratch& s) const {
  for (Vec6& lambda : s.lambda) lambda.setZero();
  if (!options_.warm) return;
  if (discrete.reals.size() == 6 * s.lambda.size()) {
    for (std::size_t l = 0; l < s.lambda.size(); ++l)
      s.lambda[l] = Eigen::Map<const Vec6>(&discrete.reals[6 * l]);
  } else if (elimination_ != nullptr && options_.iteration == Iteration::kPcg && !s.solver.watch) {
    s.counters.iterations += s.projector.project(s.system, s.lambda, options_.tolerance).iterations;
  }
}

Status Uzawa::solve(double t, std::span<const double> x, const Discrete& discrete, bool projects,
                    Scratch& s) const {
  if (projects)
    if (Status status = project(t, s); !status.ok()) return status;
  if (Status status = prepare(t, x, s); !status.ok()) return status;
  start_multipliers(discrete, s);
  s.solved = s.solver.solve(s.system, s.lambda);
  s.counters.iterations += s.solved.iterations;
  if (options_.iteration == Iteration::kTree) ++s.counters.factorizations;
  s.has_solved = true;
  s.system.accelerate(s.lambda, s.a);
  bool diverges = !s.solved.converged && !(s.solved.residual < kDiverging);
  for (const Vec6& a : s.a) diverges = diverges || !a.allFinite();
  if (diverges)
    return {Status::Code::kDiverged,
            "the joints' iteration diverges: take method.iteration=pcg or a smaller method.rho"};
  return {};
}

Status Uzawa::rates(double t, std::span<const double> x, const Discrete& discrete,
                    Workspace& workspace, std::span<double> dx) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  ++s.counters.evaluations;
  read(x, discrete, s.configuration);
  const Status status = solve(t, x, discrete, options_.projection == Projection::kStage, s);
  if (!status.ok()) return status;
  body_state::write_rates(s.configuration.velocities, s.a, dx);
  dx.back() = s.loads.supplied_power;
  if (!model_.motions().empty())
    for (std::size_t l = 0; l < s.lambda.size(); ++l)
      dx.back() += s.lambda[l].dot(s.motion_rate[l]);  // [reference-supplied]
  auto own = own_.begin();
  for (std::size_t k = 0; k < s.subsystems.size(); ++k) {
    if (!s.subsystems[k]) continue;
    s.system.wrenches_on(static_cast<int>(k), s.wrenches);
    dx.back() += s.subsystems[k]->supplied_power(s.wrenches);
    if (own == own_.end() || own->box != static_cast<int>(k)) continue;
    std::ranges::copy(x.subspan(slot(own->velocity), slot(own->count)),
                      dx.begin() + own->tangent_position);
    s.subsystems[k]->accelerate(s.wrenches,
                                dx.subspan(slot(own->tangent_velocity), slot(own->count)));
    ++own;
  }
  return {};
}

std::string Uzawa::wants_own_steps() const {
  const auto box = std::ranges::find_if(interface_.boxes, [](const Box& b) { return b.steps > 1; });
  if (box == interface_.boxes.end()) return {};
  return fmt::format("the subsystem with body '{}' takes {} steps in one of the others",
                     model_.bodies()[slot(box->bodies.front())].name, box->steps);
}

AfterStep Uzawa::step(const OwnStep& step, std::span<double> x, Discrete& discrete,
                      Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  AfterStep result;
  // Multipliers of dependent joints would keep for ever what only the start has put into them.
  if (!s.multirate)
    s.multirate = std::make_unique<Multirate>(
        Multirate::Parts{model_, system_, interface_, subsystems_, own_places_, options_,
                         options_.iteration == Iteration::kTree ? elimination_.get() : nullptr,
                         least_eigenvalue_, options_.warm && !not_unique_.exist()});
  read(x, discrete, s.configuration);
  for (std::size_t l = 0; l < s.lambda.size(); ++l)
    s.lambda[l] = discrete.reals.size() == 6 * s.lambda.size()
                      ? Vec6(Eigen::Map<const Vec6>(&discrete.reals[6 * l]))
                      : Vec6(Vec6::Zero());
  result.status = s.multirate->step(step, s.configuration, x, s.lambda);
  s.counters.evaluations += s.multirate->looks();
  s.counters.iterations += s.multirate->iterations();
  if (!result.status.ok()) return result;
  if (s.multirate->contradicts() && discrete.integers[kContradictionNoted] == 0) {
    result.notes.push_back({step.end, kContradictionText});
    discrete.integers[kContradictionNoted] = 1;
  }
  body_state::write(s.configuration, x);
  update_coordinates(model_, s.configuration);
  discrete.coordinates = s.configuration.coordinates;
  discrete.reals.resize(6 * s.lambda.size());
  for (std::size_t l = 0; l < s.lambda.size(); ++l)
    Eigen::Map<Vec6>(&discrete.reals[6 * l]) = s.lambda[l];
  return result;
}

AfterStep Uzawa::after_step(double t, std::span<double> x, Discrete& discrete,
                            Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  AfterStep result;
  if (s.has_solved) {
    // [modular-leak]  What a cut iteration has left would be integrated: let some of it go.
    const double leak = options_.step > 0 ? gains_.leak(options_.step) : 0;
    const bool cut = !s.solved.converged && s.solved.residual > 0.5 * leak;
    const double keep = s.solved.contradicts ? 0 : cut ? leak : 1;
    discrete.reals.resize(6 * s.lambda.size());
    const Multipliers& next = s.solved.has_next ? s.solver.next() : s.lambda;
    for (std::size_t l = 0; l < next.size(); ++l)
      Eigen::Map<Vec6>(&discrete.reals[6 * l]) = keep * next[l];
    const auto note = [&](std::size_t which, bool happens, std::string what) {
      if (happens && discrete.integers[which] == 0) result.notes.push_back({t, std::move(what)});
      if (happens) discrete.integers[which] = 1;
    };
    if (!s.solved.converged)
      note(kCutNoted, true, cut_note("joints'", s.solved.iterations, s.solved.residual));
    if (s.solved.contradicts) note(kContradictionNoted, true, kContradictionText);
  }
  Configuration& c = s.configuration;
  read(x, discrete, c);
  if (options_.projection != Projection::kOff && !interface_.links.empty()) {
    result.status = project(t, s);
    if (!result.status.ok()) return result;
    result.changed = true;
  }
  update_coordinates(model_, c);
  if (result.changed || !own_.empty()) body_state::write(c, x);
  discrete.coordinates = c.coordinates;
  return result;
}

// Rows and masses at the present pose.
void Uzawa::prepare_projection(double t, Scratch& s) const {
  evaluate_links(t, s);
  for (std::size_t i = 1; i < s.a.size(); ++i)
    admittances_[i].turned(s.configuration.poses[i].R(), s.system.W[i]);
}

// Least change in the kinetic metric, by the same equations: positions with b = φ, velocities with
// b = J V + φ_t.  [modular-projection]
Status Uzawa::project(double t, Scratch& s) const {
  Configuration& c = s.configuration;
  if (s.dense_projector) {
    if (Status status = s.dense_projector->project_positions(t, c); !status.ok()) return status;
    if (Status status = s.dense_projector->factor(t, c); !status.ok()) return status;
    s.dense_projector->project_velocities(t, c);
    return {};
  }
  const double closed = closed_residual(system_, c);
  double before = INFINITY;
  for (int i = 0;; ++i) {
    prepare_projection(t, s);
    double size = 0, reach = 1;
    for (const Vec6& phi : s.phi) size += phi.squaredNorm();
    for (const Transform& pose : c.poses) reach = std::max(reach, pose.p.norm());
    size = std::sqrt(size);
    if (!std::isfinite(size)) return {Status::Code::kNotFinite, "the configuration is not finite"};
    if (size <= closed || (size <= kAsGoodAsClosed * reach && size > 0.5 * before)) break;
    if (i == kMostProjections || size > 2 * before)
      return {Status::Code::kDiverged,
              fmt::format("the joints do not close: {:.1e} is left", size)};
    before = size;
    for (Vec6& free : s.system.free) free.setZero();
    s.system.g = s.phi;
    s.system.row_size = reach;
    correct(s);
    for (std::size_t b = 1; b < s.a.size(); ++b) {
      Transform& pose = c.poses[b];
      pose.q = (exp_rotation(s.a[b].head<3>()) * pose.q).normalized();
      pose.p += s.a[b].tail<3>();
    }
  }
  s.system.free = c.velocities;
  for (std::size_t l = 0; l < s.phi.size(); ++l) s.system.g[l] = -s.motion_rate[l];
  s.system.row_size = 0;
  correct(s);
  c.velocities = s.a;
  return {};
}

void Uzawa::correct(Scratch& s) const {
  s.system.prepare(InterfaceSystem::Blocks::kOnlyK);
  s.counters.iterations +=
      s.projector.project(s.system, s.correction, kProjectionTolerance).iterations;
  s.system.accelerate(s.correction, s.a);
}

void Uzawa::fill_motion(double t, std::span<const double> x, const Scratch& s,
                        Motion& motion) const {
  motion.time = t;
  motion.configuration = s.configuration;
  motion.accelerations.assign(s.a.begin(), s.a.begin() + model_.body_count());
  motion.mode_accelerations.assign(slot(model_.mode_count()), 0.0);
  motion.supplied = x.back();
}

Status Uzawa::evaluate_motion(double t, std::span<const double> x, const Discrete& discrete,
                              Workspace& workspace, Motion& motion) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  read(x, discrete, s.configuration);
  const Status status = solve(t, x, discrete, options_.projection != Projection::kOff, s);
  if (!status.ok()) return status;
  fill_motion(t, x, s, motion);
  for (const Own& own : own_) {
    if (!is_flexible(own)) continue;
    s.system.wrenches_on(own.box, s.wrenches);
    const int mode = body_of(own).first_mode;
    s.subsystems[slot(own.box)]->accelerate(
        s.wrenches, std::span(motion.mode_accelerations).subspan(slot(mode), slot(own.count)));
  }
  return {};
}

Status Uzawa::evaluate(double t, std::span<const double> x, const Discrete& discrete,
                       Workspace& workspace, Motion& motion) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  if (Status status = evaluate_motion(t, x, discrete, workspace, motion); !status.ok())
    return status;
  update_coordinates(model_, motion.configuration);
  fill_reactions(s, motion);
  return {};
}

void Uzawa::fill_reactions(Scratch& s, Motion& motion) const {
  motion.reactions = s.loads.joint;  // at body b's origin
  motion.reaction_is_unique.assign(model_.joints().size(), 1);
  for (std::size_t l = 0; l < s.lambda.size(); ++l)
    motion.reactions[slot(interface_.links[l].joint)] += s.system.G_B[l].transpose() * s.lambda[l];
  for (std::size_t k = 0; k < s.subsystems.size(); ++k) {
    if (!s.subsystems[k]) continue;
    s.system.wrenches_on(static_cast<int>(k), s.wrenches);
    s.subsystems[k]->add_reactions(s.wrenches, motion.reactions);
  }
  for (std::size_t j = 0; j < model_.joints().size(); ++j)
    motion.reactions[j] =
        shift_force(motion.reactions[j], view_of(model_.joints()[j], s.configuration).s_B);
  not_unique_.unmark(motion.reaction_is_unique);
}

Status Uzawa::watch(double t, std::span<const double> x, const Discrete& discrete,
                    const std::function<void(const Multipliers&, const Multipliers&)>& seen) const {
  Scratch scratch(*this);
  scratch.solver.watch = seen;
  read(x, discrete, scratch.configuration);
  return solve(t, x, discrete, false, scratch);
}

}  // namespace sarrus::modular
