// The equations of the joints at an instant, and steps.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/formulations/body_state.h"
#include "sarrus/formulations/modular/uzawa_scratch.h"

namespace sarrus::modular {
namespace {

/// Where Discrete::integers keeps whether a cut iteration, and contradicting joints, were noted, and
/// whether the last step has ended near a singular position.
constexpr std::size_t kCutNoted = kSingularNoted + 1;
constexpr std::size_t kContradictionNoted = kSingularNoted + 2;
constexpr std::size_t kNearSingular = kSingularNoted + 3;

constexpr const char* kContradictionText =
    "joints contradict each other: they are given a little compliance (method.regularisation), and "
    "what they press against each other is not physical";

// [modular-drift]
constexpr const char* kDriftText =
    "dependent joints have come so far apart that they contradict each other, and are given some "
    "compliance: a shorter --step, or --projection stage, would do better";

/// Of the residual without any multipliers: an iteration that is cut has less left.
constexpr double kDiverging = 1e3;

}  // namespace

// The rows of all joints between boxes.
void Uzawa::evaluate_links(double t, Scratch& s) const {
  const Configuration& c = s.configuration;
  for (std::size_t l = 0; l < interface_.links.size(); ++l) {
    const Link& link = interface_.links[l];
    const Joint& joint = model_.joints()[slot(link.joint)];
    const Vec6 V_A = carrier_velocity(joint.a, joint.attachment_a, c);
    const Vec6 V_B = carrier_velocity(joint.b, joint.attachment_b, c);
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

// Off the manifold dependent rows become an independent one whose admittance is the square of the
// distance, and which would lock the mechanism. This is compliance enough to keep it from that, and far
// below the admittances of others.  [modular-drift]
Status Uzawa::find_compliance(Scratch& s) const {
  s.compliance = 0;
  if (!rows_part_) return {};
  double off = 0, most = 0;
  std::size_t worst = 0;
  for (std::size_t l = 0; l < s.phi.size(); ++l) {
    const Link& link = interface_.links[l];
    const auto scale = system_.row_scale().segment(system_.first_row(link.joint), link.rows);
    const double own = scale.cwiseProduct(s.phi[l].head(link.rows)).squaredNorm();
    off += own;
    if (own > most) {
      most = own;
      worst = l;
    }
  }
  off = std::sqrt(off) / system_.length();
  s.compliance = drift_compliance(off);
  if (!are_apart(off)) return {};
  const int joint = interface_.links[worst].joint;
  return apart_status(off, system_.length(),
                      fmt::format("joint '{}'", model_.joints()[slot(joint)].name));
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
  if (Status status = find_compliance(s); !status.ok()) return status;
  start_multipliers(discrete, s);
  s.solved = s.solver.solve(s.system, s.lambda, s.compliance);
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
  s.is_projected = projects_stages(discrete);
  const Status status = solve(t, x, discrete, s.is_projected, s);
  if (!status.ok()) return status;
  if (s.is_projected) s.watch.see(s.strength);
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

// As for Centralised: near singular positions too, and all stages of a step alike.
bool Uzawa::projects_stages(const Discrete& discrete) const {
  return options_.projection == Projection::kStage ||
         (options_.projection == Projection::kStep && discrete.integers[kNearSingular] != 0);
}

ErrorTrust Uzawa::filter_error(std::span<double> e, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  if (s.is_projected && s.dense_projector)
    body_state::filter_weak_motions(s.dense_projector->kkt(), 0, e);
  return s.watch.take_trust();
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
    if (s.solved.contradicts)
      note(kContradictionNoted, true, s.compliance > 0 ? kDriftText : kContradictionText);
  }
  Configuration& c = s.configuration;
  read(x, discrete, c);
  if (options_.projection != Projection::kOff && !interface_.links.empty()) {
    result.status = project(t, s);
    if (!result.status.ok()) return result;
    result.changed = true;
    discrete.integers[kNearSingular] = SingularWatch::is_weak(s.strength);
    s.watch.finish_step(t, s.strength, discrete, result);
  }
  update_coordinates(model_, c);
  if (result.changed || !own_.empty()) body_state::write(c, x);
  discrete.coordinates = c.coordinates;
  return result;
}

}  // namespace sarrus::modular
