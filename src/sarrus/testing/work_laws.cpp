// Laws about work: of virtual motions, and of the real one.

#include "sarrus/constraints/constraint_system.h"
#include "sarrus/model/loads.h"
#include "sarrus/spatial/dense.h"
#include "sarrus/testing/flexible_points.h"
#include "sarrus/testing/joint_law.h"
#include "sarrus/testing/motion_path.h"
#include "sarrus/testing/verdict_of.h"
#include "sarrus/testing/wrenches.h"

namespace sarrus::testing {
namespace {

/// Loads less inertia on every body, [τ; f] at its frame's origin, and then on all modes; absolute terms
/// beside it.
class Residual {
 public:
  Residual(const Model& model, const Motion& motion)
      : motion_(motion),
        sum_(VecX::Zero(6 * (model.body_count() - 1) + model.mode_count())),
        size_(VecX::Zero(sum_.size())) {
    for (int i = 1; i < model.body_count(); ++i) {
      const MomentumRate rate = momentum_rate(model, motion, BodyId{i});
      add({BodyId{i}, rate.center, -rate.force, -rate.torque});
      size_.segment<3>(6 * (i - 1)).array() += rate.torque_size;
      size_.segment<3>(6 * (i - 1) + 3).array() += rate.force_size;
    }
    std::vector<std::vector<Wrench>> loads = {
        outer_wrenches(model, motion), spring_wrenches(model, motion), {}};
    for (int j = 0; j < model.joint_count(); ++j) add_joint(model, JointId{j}, loads.back());
    for (const auto& wrenches : loads)
      for (const Wrench& w : wrenches) add(w);
    for (int i = 1; i < model.body_count(); ++i) {
      const Body& body = model.body(BodyId{i});
      if (body.modal == nullptr) continue;
      const ModalBalance modes = modal_balance(model, motion, BodyId{i}, loads);
      const Eigen::Index first = 6 * (model.body_count() - 1) + body.first_mode;
      sum_.segment(first, modes.sum.size()) = modes.sum;
      size_.segment(first, modes.size.size()) = modes.size;
    }
  }

  const VecX& sum() const { return sum_; }
  const VecX& size() const { return size_; }

 private:
  void add(const Wrench& w) {
    if (w.on == kGround) return;
    const Vec3 arm = w.point - motion_.configuration.poses[w.on.slot()].p;
    const Eigen::Index first = 6 * (w.on.index - 1);
    sum_.segment<3>(first) += w.torque + arm.cross(w.force);
    sum_.segment<3>(first + 3) += w.force;
    size_.segment<3>(first).array() += w.torque.norm() + arm.norm() * w.force.norm();
    size_.segment<3>(first + 3).array() += w.force.norm();
  }

  // A wrench that does the joint forces' work on the joint's free motions. What it does on others
  // is no matter: no allowed motion has any.
  void add_joint(const Model& model, JointId id, std::vector<Wrench>& wrenches) const {
    const Joint& joint = model.joint(id);
    if (joint.nv() == 0) return;
    const JointLaw law = joint_law(model, motion_, id);
    const MatX S = law.S;
    const Vec6 W = S * solve_least_squares(S.transpose() * S, law.force);
    wrenches.push_back({joint.b, law.M, W.tail<3>(), W.head<3>(), joint.attachment_b.get()});
    wrenches.push_back({joint.a, law.M, -W.tail<3>(), -W.head<3>(), joint.attachment_a.get()});
  }

  const Motion& motion_;
  VecX sum_, size_;
};

}  // namespace

Verdict dalembert(const Model& model, const Motion& motion) {
  const Residual residual(model, motion);
  const ConstraintSystem system(model);
  const Eigen::Index n = system.columns();
  const VecX& columns = system.column_scale();
  MatX N = MatX::Identity(n, n);
  if (system.rows() > 0) {
    ConstraintValues values;
    system.evaluate(motion.time, motion.configuration, values);
    // Scaled pivots below 1e-9 count as zero, as everywhere in the engine.
    N = complement_of(columns.asDiagonal() * values.J.transpose() * system.row_scale().asDiagonal(),
                      1e-9);
  }
  N = (columns.asDiagonal() * N).eval();
  const VecX work = N.transpose() * residual.sum();
  const VecX size = N.cwiseAbs().transpose() * residual.size();
  VerdictOf verdict("does work against loads and inertia: off");
  for (Eigen::Index k = 0; k < work.size(); ++k)
    verdict.add(std::abs(work[k]), size[k],
                [&] { return fmt::format("allowed motion {} of {}", k + 1, work.size()); });
  return verdict.verdict();
}

Verdict power_balance(const Model& model, const Motion& motion, double supplied_power) {
  double kinetic_rate = 0;
  double size = std::abs(supplied_power);
  double energy = 0;
  for (int i = 1; i < model.body_count(); ++i) {
    if (const Body& body = model.body(BodyId{i}); body.modal != nullptr) {
      const FlexiblePoints::Sums sums = FlexiblePoints(body).sums(BodyId{i}, motion);
      const double weight = body.inertia.mass * model.gravity().norm();
      kinetic_rate += sums.power;
      size += sums.power_size + sums.momentum.norm() * model.gravity().norm();
      energy += weight * motion.configuration.poses[BodyId{i}.slot()].p.norm();
      continue;
    }
    const MomentumRate rate = momentum_rate(model, motion, BodyId{i});
    const Vec3 v = velocity_of_point(motion, BodyId{i}, rate.center);
    const Vec3 w = motion.configuration.velocities[BodyId{i}.slot()].head<3>();
    const double weight = model.body(BodyId{i}).inertia.mass * model.gravity().norm();
    kinetic_rate += v.dot(rate.force) + w.dot(rate.torque);
    size += v.norm() * (rate.force.norm() + weight) + w.norm() * rate.torque.norm();
    energy += weight * rate.center.norm();
  }
  const double h = small_time(motion);
  const auto potential = [&](double step) {
    return potential_energy(model, pose_after(motion, step));
  };
  const double potential_rate =
      (8 * (potential(h) - potential(-h)) - (potential(2 * h) - potential(-2 * h))) / (12 * h);
  // Differences of energies carry the energies' rounding over h: what is lost in some seconds of
  // turning the whole energy over sets the scale of a mechanism nearly at rest.
  constexpr double kTurnover = 0.1;  // [1/s]
  energy += std::abs(potential(0));
  VerdictOf verdict("is gained or lost: off");
  verdict.add(std::abs(kinetic_rate + potential_rate - supplied_power), size + kTurnover * energy,
              [] { return "power"; });
  return verdict.verdict();
}

}  // namespace sarrus::testing
