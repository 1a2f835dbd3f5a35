#include "sarrus/simulation/live_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sarrus/analysis/impulse.h"
#include "sarrus/integration/make_stepper.h"
#include "sarrus/integration/newmark.h"
#include "sarrus/model/joint_gap.h"
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

/// Of the typical length: a joint that is farther open is not closed. What drifts stays far below.
constexpr double kOpen = 0.1;

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

/// What keeps the bodies of a soft joint from moving, in words: motions on what they hang together with,
/// or joints alone.
std::string held_by(const Model& model, const SoftJoint& soft) {
  std::vector<char> tied(model.bodies().size(), 0);
  tied[soft.joint.a.slot()] = tied[soft.joint.b.slot()] = 1;
  for (bool more = true; more;) {
    more = false;
    for (const Joint& joint : model.joints()) {
      if (joint.a == kGround || joint.b == kGround || tied[joint.a.slot()] == tied[joint.b.slot()])
        continue;
      tied[joint.a.slot()] = tied[joint.b.slot()] = 1;
      more = true;
    }
  }
  std::vector<std::string> motions;
  for (const PrescribedMotion& motion : model.motions()) {
    const Joint& joint = model.joint(motion.at.joint);
    if ((joint.a != kGround && tied[joint.a.slot()]) ||
        (joint.b != kGround && tied[joint.b.slot()]))
      motions.push_back(fmt::format("'{}'", motion.name));
  }
  const std::string what = soft.grabs ? fmt::format("body '{}' is", model.body(soft.joint.b).name)
                                      : fmt::format("the bodies of joint '{}' are", soft.name);
  return motions.empty() ? what + " held by joints"
                         : fmt::format("{} driven by motion {}", what, fmt::join(motions, ", "));
}

/// Tunes all soft joints of a mechanism to where it stands. New ones, of which `before` knows nothing,
/// must have something to pull.
Status tune(Mechanism& mechanism, const Model& before, double t, const SimulationOptions& options,
            std::vector<std::string>& told) {
  Model& model = mechanism.model;
  const Configuration& c = mechanism.configuration;
  const double length = typical_length(model.joints());
  std::vector<Mat6> admittances;
  Elimination& elimination = mechanism.study.elimination(Metric::kKinetic);
  if (Status status = find_admittances(elimination, t, c, model.soft_joints(), admittances);
      !status.ok())
    return status;
  ModelEditor editor(model, c, t);
  for (std::size_t i = 0; i < model.soft_joints().size(); ++i) {
    const SoftJoint& soft = model.soft_joints()[i];
    if (is_immovable(model, admittances[i], length, soft)) {
      const bool is_new = std::ranges::find(before.soft_joints(), soft.name, &SoftJoint::name) ==
                          before.soft_joints().end();
      if (is_new)
        return {Status::Code::kRefused, held_by(model, soft) + ": nothing is left to pull"};
      if (!soft.mass.isZero(0))
        told.push_back(fmt::format("'{}' pulls no more: {}", soft.name, held_by(model, soft)));
    }
    SoftJoint tuned = soft;
    tuned.tumbles = tumbles(soft, c, options);
    tune_soft_joint(model, admittances[i], length, tuned);
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

bool is_stale(const Model& model, const SoftJoint& soft, const Mat6& admittance, double length,
              const SimulationOptions& options) {
  if (is_immovable(model, admittance, length, soft)) return !soft.mass.isZero(0);
  const double ratio = stiffening(model, admittance, length, soft);
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

/// How far a joint is from closed, angles measured with `length`.
double gap_of(const Joint& joint, const double* near, const Configuration& c, double length) {
  return size_of_gap(joint_gap(joint, view_at_rest(joint, c), near), length);
}

bool is_closed(const SoftJoint& soft, const SoftJoint::Pull& pull, const Configuration& c,
               double length) {
  return gap_of(soft.joint, soft.joint.reference.data(), c, length) <= kClosedGap * length &&
         norm_of(pull, pull.phi_rate, length) <= kClosedSpeed * length;
}

/// Rows that are dots of axes vanish elsewhere, too: is every joint closed where it should be?
Status check_closed(const Model& model, const Configuration& c) {
  const double length = typical_length(model.joints());
  for (const Joint& joint : model.joints())
    if (!(gap_of(joint, c.coordinates.data() + joint.first_freedom, c, length) <= kOpen * length))
      return {Status::Code::kDiverged,
              fmt::format("joint '{}' closes only the wrong way round", joint.name)};
  return {};
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

/// Which joints are new, where what stands in the way of them names only others.
std::string with_new_joints(const Model& before, const Model& model, const std::string& reason) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints()) {
    const std::string name = fmt::format("'{}'", joint.name);
    if (std::ranges::find(before.joints(), joint.name, &Joint::name) == before.joints().end() &&
        reason.find(name) == std::string::npos)
      names.push_back(name);
  }
  return names.empty()
             ? reason
             : fmt::format("joint {} cannot be closed here: {}", fmt::join(names, ", "), reason);
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
    if (Status status = check_closed(model, c); !status.ok()) return refused(status.reason);
    const double moving = kinetic_energy(model, c);
    const std::vector<Vec6> velocities = c.velocities;
    bool found_densely = false;
    Status status =
        make_velocities_meet(elimination, t, c, {.stands = edited.snaps}, &found_densely);
    // What was out of line before is not the edit's doing.
    if (status.code == Status::Code::kSingular && is_out_of_line(now.model, t, from)) {
      c.velocities = velocities;
      status =
          make_velocities_meet(elimination, t, c, {.may_be_out_of_line = true}, &found_densely);
    }
    if (!status.ok()) return refused(with_new_joints(now.model, model, status.reason));
    outcome.report.impact = kinetic_energy(model, c) - moving;
    if (found_densely)  // the method has to tell apart what the impulse did
      mechanism->topology.dense_joints = kDenseJoints;
    else if (model.motions().empty())
      mechanism->study.keep_kinetic_ranks();
  }
  if (!model.soft_joints().empty())
    if (Status status = tune(*mechanism, now.model, t, options, outcome.report.told); !status.ok())
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
    if (!soft.grabs && is_closed(soft, pull, c, length))
      closed.push_back(soft.name);
    else if (!soft.grabs && (needs_lead(soft, pull, length) || !soft.lead.isZero(0)))
      open.push_back(&soft);
    stale = stale || tumbles(soft, c, options) != soft.tumbles ||
            (felt && is_stale(now.model, soft, admittances[i], length, options));
  }
  if (closed.empty() && open.empty() && !stale) return {};
  return guarded([&] {
    Motion motion;
    if (!open.empty())
      if (Status status = now.stepper->evaluate(t, motion, /*with_reactions=*/false); !status.ok())
        return refused(status.reason);
    ModelEditor editor(now.model, c, t);
    for (const std::string& name : closed) editor.harden(name);
    for (const SoftJoint* soft : open) {
      const SoftJoint::Pull pull = pull_of(*soft, t, c);
      editor.set_lead(soft->name, needs_lead(*soft, pull, length) ? lead_of(*soft, pull, motion)
                                                                  : Vec6::Zero().eval());
    }
    return go_on(now, c, editor.finish(), options);
  });
}

}  // namespace sarrus
