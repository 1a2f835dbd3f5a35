#include "sarrus/simulation/live_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sarrus/analysis/impulse.h"
#include "sarrus/integration/make_stepper.h"
#include "sarrus/integration/newmark.h"
#include "sarrus/model/loads.h"
#include "sarrus/model/typical_length.h"

namespace sarrus {
namespace {

/// Loops of more joints are judged by elimination: dense factors of twenty take a tenth of a second.
constexpr int kDenseWhileLive = 8;

/// [rad]  Generic poses this near are closed with matrices of the present one.
constexpr double kStepWhileLive = 5e-4;

/// A joint that is drawn together counts as closed when its gap is below this part of the mechanism's
/// typical length …
constexpr double kClosedGap = 1e-2;
/// … and closes no faster than this [typical lengths a second].
constexpr double kClosedSpeed = 1;

/// Below this part of the typical length loads are countered.
constexpr double kNearlyClosed = 0.3;

/// Soft joints are tuned anew when the inertia they feel is off by such a factor.
constexpr double kMuchLighter = 1.2;
constexpr double kMuchHeavier = 0.5;

/// [rad]  Rows that turn farther in a fixed step do not last it.
constexpr double kTumbling = 0.1;

/// [soft-joint-step]  The largest ω h at fixed steps, with up to kMuchLighter less inertia. Explicit
/// methods of fourth and fifth order are stable to 2.78 on the real axis, and 1.26 is well inside.
double most_omega_h(const std::string& integrator, double damping_ratio) {
  const double faster = std::sqrt(kMuchLighter);
  const double damping = damping_ratio * faster;
  if (integrator == "newmark" || integrator == "newmark-paper") {
    const NewmarkPredictor predictor =
        integrator == "newmark" ? NewmarkPredictor::kTaylor : NewmarkPredictor::kPaper;
    return 0.9 * newmark_stability_limit(predictor, damping) / faster;
  }
  // Steps of Verlet's with a predicted velocity: 0.47 at critical damping, as 1/damping above.
  if (integrator == kMultirate) return std::min(0.4, 0.4 / damping) / faster;
  const double root = damping > 1 ? damping + std::sqrt(damping * damping - 1) : 1.0;
  return std::min(1.26, 2.5 / (faster * root));
}

double total_energy(const Model& model, const Configuration& c) {
  return kinetic_energy(model, c) + potential_energy(model, c);
}

EditOutcome refused(std::vector<Diagnostic> problems) {
  EditOutcome outcome;
  std::string reason;
  for (const Diagnostic& problem : problems)
    reason += (reason.empty() ? "" : "\n") +
              (problem.where.file.empty()
                   ? problem.what + (problem.hint.empty() ? "" : "\n  hint: " + problem.hint)
                   : to_string(problem));
  outcome.report.status = {Status::Code::kRefused, std::move(reason)};
  outcome.report.problems = std::move(problems);
  return outcome;
}

EditOutcome refused(const std::string& what) { return refused({Diagnostic{{}, what, ""}}); }

/// Do the rows of a soft joint turn so far in a fixed step that what was light may be heavy at its end?
/// Once they do, they have to become twice as slow.  [soft-joint-tumbles]
bool tumbles(const SoftJoint& soft, const Configuration& c, const SimulationOptions& options) {
  if (!options.step) return false;
  const double rate =
      (c.velocities[soft.joint.b.slot()] - c.velocities[soft.joint.a.slot()]).head<3>().norm();
  return rate * *options.step > (soft.tumbles ? 0.5 : 1) * kTumbling;
}

/// Tunes all soft joints of a mechanism to where it stands.
Status tune(Mechanism& mechanism, double t, const SimulationOptions& options,
            std::vector<std::string>& told) {
  Model& model = mechanism.model;
  const Configuration& c = mechanism.configuration;
  std::vector<Mat6> admittances;
  Elimination& elimination = mechanism.study.elimination(Metric::kKinetic);
  if (Status status = find_admittances(elimination, t, c, model.soft_joints(), admittances);
      !status.ok())
    return status;
  ModelEditor editor(model, c, t);
  for (std::size_t i = 0; i < model.soft_joints().size(); ++i) {
    const SoftJoint& soft = model.soft_joints()[i];
    SoftJoint tuned = soft;
    tuned.tumbles = tumbles(soft, c, options);
    tune_soft_joint(model, admittances[i], typical_length(model.joints()), tuned);
    if (options.step) {
      const double most = most_omega_h(*options.integrator, tuned.damping_ratio) /
                          (2 * std::numbers::pi * *options.step);
      if (tuned.frequency > most) {
        told.push_back(
            fmt::format("'{}' pulls at {:.3g} Hz instead of {:.3g}, the most that {} "
                        "with a step of {:g} s allows",
                        tuned.name, most, tuned.frequency, *options.integrator, *options.step));
        tuned.frequency = most;
      }
    }
    editor.tune(i, tuned);
  }
  model = std::move(editor.finish().model);
  return {};
}

bool is_stale(const SoftJoint& soft, const Mat6& admittance, const SimulationOptions& options) {
  const double ratio = stiffening(soft, admittance);
  // Error control keeps steps short enough for any stiffness; only the pace would be off.
  const double lightest = options.step ? kMuchLighter : 1 / kMuchHeavier;
  return ratio < kMuchHeavier || ratio > lightest;
}

SoftJoint::Pull pull_of(const SoftJoint& soft, double t, const Configuration& c) {
  const auto a = soft.joint.a.slot();
  const auto b = soft.joint.b.slot();
  return soft.pull(t, c.poses[a], c.velocities[a], c.poses[b], c.velocities[b]);
}

/// Norm of the rows' values or rates, those in radians measured with `length`.
double norm_of(const SoftJoint::Pull& pull, const VecUpTo6& values, double length) {
  double square = 0;
  for (int k = 0; k < pull.rows.count; ++k) {
    const Row& row = pull.rows[k];
    const bool angular = row.J_A.tail<3>().isZero(0) && row.J_B.tail<3>().isZero(0);
    const double value = values[k] * (angular ? length : 1.0);
    square += value * value;
  }
  return std::sqrt(square);
}

bool is_closed(const SoftJoint::Pull& pull, double length) {
  return norm_of(pull, pull.phi, length) <= kClosedGap * length &&
         norm_of(pull, pull.phi_rate, length) <= kClosedSpeed * length;
}

/// Nearly closed, where what a load does to the gap counts; and not at the end of its strength.
bool needs_lead(const SoftJoint& soft, const SoftJoint::Pull& pull, double length) {
  return norm_of(pull, pull.phi, length) < kNearlyClosed * length &&
         pull.force.norm() < 0.9 * soft.limit;
}

/// [soft-joint-lead]  The force that makes φ̈ = −ω² φ − 2 ζ ω φ̇ under the present loads.
Vec6 lead_of(const SoftJoint& soft, const SoftJoint::Pull& pull, const Motion& motion) {
  const double omega = 2 * std::numbers::pi * soft.frequency;
  Vec6 missing = Vec6::Zero();
  for (int k = 0; k < pull.rows.count; ++k)
    missing[k] = pull.rows[k].rate(motion.accelerations[soft.joint.a.slot()],
                                   motion.accelerations[soft.joint.b.slot()]) +
                 pull.rows[k].gamma + omega * omega * pull.phi[k] +
                 2 * soft.damping_ratio * omega * pull.phi_rate[k];
  return soft.lead - soft.mass * missing;
}

/// From an edited model to an engine that has taken its first look; `now` stands at `from`.
EditOutcome go_on(Engine& now, const Configuration& from, EditedModel edited,
                  const SimulationOptions& options) {
  const double t = now.stepper->time();
  EditOutcome outcome;
  outcome.report.map = std::move(edited.map);
  outcome.report.told = std::move(edited.told);
  const double before = total_energy(now.model, from);
  Topology topology = analyse_topology(edited.model);
  topology.dense_joints = kDenseWhileLive;
  topology.step_to_generic = kStepWhileLive;
  Configuration reference = edited.model.reference_configuration();
  auto mechanism = std::make_unique<Mechanism>(std::move(edited.model), std::move(topology),
                                               std::move(reference));
  const Model& model = mechanism->model;
  Configuration& c = mechanism->configuration;
  if (edited.snaps || edited.closes) {
    Elimination& elimination = mechanism->study.elimination(Metric::kKinetic);
    if (edited.snaps)
      if (Status status = make_poses_meet(elimination, t, c); !status.ok())
        return refused(status.reason);
    const double moving = kinetic_energy(model, c);
    if (Status status = make_velocities_meet(elimination, t, c, /*stands=*/edited.snaps);
        !status.ok())
      return refused(status.reason);
    outcome.report.impact = kinetic_energy(model, c) - moving;
    if (model.motions().empty()) mechanism->study.keep_kinetic_ranks();
  }
  if (!model.soft_joints().empty())
    if (Status status = tune(*mechanism, t, options, outcome.report.told); !status.ok())
      return refused(status.reason);
  outcome.report.supplied = total_energy(model, c) - before;
  auto engine = std::make_unique<Engine>(
      std::move(mechanism), t, now.stepper->supplied() + outcome.report.supplied, options);
  // What cannot move is told now, not at the next step.
  if (Status status = engine->stepper->begin(); !status.ok()) return refused(status.reason);
  outcome.engine = std::move(engine);
  return outcome;
}

/// Runs what may throw; a mistake of the user's is a refusal.
template <class Work>
EditOutcome guarded(Work work) {
  try {
    return work();
  } catch (const ModelError& error) {
    return refused(error.diagnostics());
  } catch (const UsageError& error) {
    return refused(error.what());
  }
}

/// Without reactions, which nobody asks for, but with coordinates that count turns.
Status present(Engine& now, Motion& motion) {
  const double t = now.stepper->time();
  if (Status status = now.stepper->evaluate(t, motion, /*with_reactions=*/false); !status.ok())
    return status;
  Configuration decoded;
  now.stepper->configuration(t, decoded);
  motion.configuration.coordinates = std::move(decoded.coordinates);
  return {};
}

}  // namespace

EditOutcome make_edit(Engine& now, const Transaction& transaction,
                      const SimulationOptions& options) {
  return guarded([&] {
    if (const std::string lost = now.formulation->lost_by_edits(); !lost.empty())
      return refused("an edit would lose " + lost);
    const double t = now.stepper->time();
    Configuration c;
    now.stepper->configuration(t, c);
    EditedModel edited = edit(now.model, c, t, transaction);
    const bool snaps = edited.snaps;
    EditOutcome outcome = go_on(now, c, std::move(edited), options);
    if (outcome.engine || !snaps) return outcome;
    // What was changed meanwhile may be in the way of a joint's old place.
    return go_on(now, c, edit(now.model, c, t, transaction, Rejoin::kHere), options);
  });
}

EditOutcome tend_soft_joints(Engine& now, const SimulationOptions& options) {
  const double t = now.stepper->time();
  Configuration c;
  now.stepper->configuration(t, c);
  const double length = typical_length(now.model.joints());
  std::vector<std::string> closed;
  std::vector<const SoftJoint*> open;
  bool stale = false;
  std::vector<Mat6> admittances;
  Elimination& elimination = now.mechanism->study.elimination(Metric::kKinetic);
  const bool felt = find_admittances(elimination, t, c, now.model.soft_joints(), admittances).ok();
  for (std::size_t i = 0; i < now.model.soft_joints().size(); ++i) {
    const SoftJoint& soft = now.model.soft_joints()[i];
    const SoftJoint::Pull pull = pull_of(soft, t, c);
    if (!soft.grabs && is_closed(pull, length))
      closed.push_back(soft.name);
    else if (!soft.grabs && (needs_lead(soft, pull, length) || !soft.lead.isZero(0)))
      open.push_back(&soft);
    stale = stale || tumbles(soft, c, options) != soft.tumbles ||
            (felt && is_stale(soft, admittances[i], options));
  }
  if (closed.empty() && open.empty() && !stale) return {};
  return guarded([&] {
    Motion motion;
    if (Status status = present(now, motion); !status.ok()) return refused(status.reason);
    ModelEditor editor(now.model, motion.configuration, t);
    for (const std::string& name : closed) editor.harden(name);
    for (const SoftJoint* soft : open) {
      const SoftJoint::Pull pull = pull_of(*soft, t, motion.configuration);
      editor.set_lead(soft->name, needs_lead(*soft, pull, length) ? lead_of(*soft, pull, motion)
                                                                  : Vec6::Zero().eval());
    }
    return go_on(now, motion.configuration, editor.finish(), options);
  });
}

}  // namespace sarrus
