#include <algorithm>

#include "sarrus/constraints/constraint_system.h"
#include "sarrus/spatial/dense.h"
#include "sarrus/testing/joint_law.h"
#include "sarrus/testing/motion_path.h"
#include "sarrus/testing/verdict_of.h"

namespace sarrus::testing {
namespace {

/// Scaled pivots below this count as zero, as everywhere in the engine.
constexpr double kRank = 1e-9;

VecX stacked(const ConstraintSystem& system, const std::vector<Vec6>& vectors,
             const std::vector<double>& modes) {
  VecX all(system.columns());
  for (std::size_t i = 0; i < system.column_bodies().size(); ++i)
    all.segment<6>(6 * static_cast<Eigen::Index>(i)) =
        vectors[static_cast<std::size_t>(system.column_bodies()[i].index)];
  all.tail(static_cast<Eigen::Index>(modes.size())) =
      Eigen::Map<const VecX>(modes.data(), static_cast<Eigen::Index>(modes.size()));
  return all;
}

VecX stacked_accelerations(const ConstraintSystem& system, const Motion& motion) {
  return stacked(system, motion.accelerations, motion.mode_accelerations);
}

std::string row_name(const ConstraintSystem& system, Eigen::Index row) {
  return system.worst(VecX::Unit(system.rows(), row));
}

/// Where nothing moves, rounding is all there is: speeds [m/s] and accelerations [m/s²] count as
/// this large at least.
constexpr double kStandstill = 1e-3;

/// Judges scaled rows against the largest term in any of them.
Verdict judge_rows(const ConstraintSystem& system, const VecX& residual, double scale,
                   const char* failure) {
  VerdictOf verdict(failure);
  for (Eigen::Index r = 0; r < residual.size(); ++r)
    verdict.add(std::abs(system.row_scale()[r] * residual[r]), scale,
                [&] { return row_name(system, r); });
  return verdict.verdict();
}

double largest_acceleration_term(const ConstraintSystem& system, const ConstraintValues& values,
                                 const VecX& a) {
  const VecX terms = values.J.cwiseAbs() * a.cwiseAbs() + values.gamma.cwiseAbs();
  if (terms.size() == 0) return kStandstill;
  return std::max(kStandstill, system.row_scale().cwiseProduct(terms).maxCoeff());
}

}  // namespace

Verdict virtual_power(const Model& model, const Motion& motion) {
  VerdictOf verdict("gets a force along its free motion that nothing exerts: off");
  for (int j = 0; j < model.joint_count(); ++j) {
    const Joint& joint = model.joint(JointId{j});
    if (joint.nv() == 0) continue;
    const JointLaw law = joint_law(model, motion, JointId{j});
    const Vec6& W = motion.reactions[static_cast<std::size_t>(j)];
    const VecX residual = law.allowed.transpose() * (law.S.transpose() * W - law.force);
    // The torque carries the rounding of the force at the body's arm.
    const double arm = joint.X_BM.p.norm();
    // A joint that carries nothing still has the rounding of what its lighter body weighs.
    double weight = 1e300;
    for (BodyId body : {joint.a, joint.b})
      if (body != kGround) weight = std::min(weight, model.body(body).inertia.mass);
    weight *= model.gravity().norm();
    VecX size = law.size;
    for (int k = 0; k < joint.nv(); ++k) {
      const Vec6 s = law.S.col(k);
      size[k] += s.head<3>().norm() * (W.head<3>().norm() + arm * (W.tail<3>().norm() + weight)) +
                 s.tail<3>().norm() * (W.tail<3>().norm() + weight);
    }
    const VecX scale = law.allowed.cwiseAbs().transpose() * size;
    for (Eigen::Index k = 0; k < residual.size(); ++k)
      verdict.add(std::abs(residual[k]), scale[k],
                  [&] { return fmt::format("joint '{}'", joint.name); });
  }
  return verdict.verdict();
}

Verdict constraint_velocities(const Model& model, const Motion& motion) {
  const ConstraintSystem system(model);
  ConstraintValues values;
  system.evaluate(motion.time, motion.configuration, values);
  const VecX V = stacked(system, motion.configuration.velocities, motion.configuration.mode_rates);
  const VecX terms = values.J.cwiseAbs() * V.cwiseAbs() + values.motion_rate.cwiseAbs();
  double scale = kStandstill;
  if (terms.size() > 0) scale = std::max(scale, system.row_scale().cwiseProduct(terms).maxCoeff());
  return judge_rows(system, values.phi_rate, scale, "is opening: off");
}

Verdict constraint_accelerations(const Model& model, const Motion& motion) {
  const ConstraintSystem system(model);
  ConstraintValues values;
  system.evaluate(motion.time, motion.configuration, values);
  const VecX a = stacked_accelerations(system, motion);
  // Against gravity-like sizes too: where nothing moves, a is the difference of such.
  return judge_rows(system, values.J * a + values.gamma,
                    largest_acceleration_term(system, values, a) + model.gravity().norm(),
                    "has an opening acceleration: off");
}

Verdict constraint_curvature(const Model& model, const Motion& motion) {
  const ConstraintSystem system(model);
  ConstraintValues values;
  system.evaluate(motion.time, motion.configuration, values);
  const double scale =
      largest_acceleration_term(system, values, stacked_accelerations(system, motion));
  const double h = small_time(motion);
  const auto phi = [&](double step) {
    VecX value;
    system.evaluate_positions(motion.time + step, pose_after(motion, step), value);
    return value;
  };
  // Second derivative to fourth order.
  const VecX curvature =
      (-phi(2 * h) + 16 * phi(h) - 30 * phi(0) + 16 * phi(-h) - phi(-2 * h)) / (12 * h * h);
  // Against gravity-like sizes too: at rest nothing else sets the scale of what rounding leaves.
  return judge_rows(system, curvature, scale + model.gravity().norm(), "bends away: off");
}

Verdict reaction_uniqueness(const Model& model, const Motion& motion) {
  const ConstraintSystem system(model);
  std::vector<char> unique(model.joints().size(), 1);
  if (system.rows() > 0 && system.columns() > 0) {
    ConstraintValues values;
    system.evaluate(motion.time, motion.configuration, values);
    // Multipliers that act on no body.
    const MatX idle = complement_of(
        system.row_scale().asDiagonal() * values.J * system.column_scale().asDiagonal(), kRank);
    constexpr double kTakesPart = 1e-7;  // of an orthonormal basis: rounding is far below
    for (Eigen::Index r = 0; r < idle.rows(); ++r)
      if (idle.cols() > 0 && idle.row(r).norm() > kTakesPart)
        unique[static_cast<std::size_t>(
            system.origins()[static_cast<std::size_t>(r)].joint.index)] = 0;
  }
  Verdict verdict;
  for (std::size_t j = 0; j < unique.size(); ++j) {
    if (unique[j] == motion.reaction_is_unique[j]) continue;
    verdict.defect += 1;
    verdict.sentence = fmt::format("joint '{}' has a reaction that is {}unique",
                                   model.joints()[j].name, unique[j] ? "" : "not ");
  }
  return verdict;
}

}  // namespace sarrus::testing
