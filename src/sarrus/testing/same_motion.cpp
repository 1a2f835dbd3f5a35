#include <algorithm>

#include "sarrus/testing/verdict_of.h"
#include "sarrus/testing/wrenches.h"

namespace sarrus::testing {
namespace {

/// The joint's reaction on its second body at M, both as the first description means them, from a
/// description that may have the bodies the other way round.
Vec6 reaction_as(const Model& model, const Joint& joint, const Model& other_model,
                 const Motion& other, const Transform& X, const Vec3& M) {
  const JointId id = other_model.find_joint(joint.name);
  const Joint& other_joint = other_model.joint(id);
  const Vec6& reaction = other.reactions[id.slot()];
  const Vec3 point = origin_of_M(other_joint, other.configuration);
  const Transform back = X.inverse();
  Vec6 wrench = spatial(back.q * reaction.head<3>(), back.q * reaction.tail<3>());
  wrench = shift_force(wrench, M - back * point);
  const bool same_way = other_model.body(other_joint.b).name == model.body(joint.b).name;
  return same_way ? wrench : Vec6(-wrench);
}

void compare_modes(const Model& model, const Motion& motion, const Model& other_model,
                   const Motion& other, VerdictOf& verdict) {
  // By what a mode is at most, of any body: in metres at its largest node.
  double speed = 1e-3, acceleration = model.gravity().norm() + 1e-3;
  for (std::size_t i = 1; i < model.bodies().size(); ++i) {
    const Body& body = model.bodies()[i];
    if (body.modal == nullptr) continue;
    const VecX unit = body.modal->unit_deformation(1);
    for (int k = 0; k < body.modal->count(); ++k) {
      const auto at = static_cast<std::size_t>(body.first_mode + k);
      speed = std::max(speed, std::abs(motion.configuration.mode_rates[at]) / unit[k]);
      acceleration = std::max(acceleration, std::abs(motion.mode_accelerations[at]) / unit[k]);
    }
  }
  for (std::size_t i = 1; i < model.bodies().size(); ++i) {
    const Body& body = model.bodies()[i];
    if (body.modal == nullptr) continue;
    const Body& same = other_model.body(other_model.find_body(body.name));
    const VecX unit = body.modal->unit_deformation(1);
    for (int k = 0; k < body.modal->count(); ++k) {
      const auto at = static_cast<std::size_t>(body.first_mode + k);
      const auto there = static_cast<std::size_t>(same.first_mode + k);
      const auto judge = [&](const std::vector<double>& a, const std::vector<double>& b,
                             double scale, const char* what) {
        verdict.add(std::abs(a[at] - b[there]) / unit[k], scale,
                    [&] { return fmt::format("body '{}': a mode's {}", body.name, what); });
      };
      judge(motion.configuration.modes, other.configuration.modes, 1, "value");
      judge(motion.configuration.mode_rates, other.configuration.mode_rates, speed, "rate");
      judge(motion.mode_accelerations, other.mode_accelerations, acceleration, "acceleration");
    }
  }
}

}  // namespace

Verdict same_motion(const Model& model, const Motion& motion, const Model& other_model,
                    const Motion& other, const Transform& X) {
  const Configuration& c = motion.configuration;
  // Sizes that hold for a mechanism at rest or without load, where rounding is all there is.
  double length = 1, speed = 1e-3, acceleration = model.gravity().norm() + 1e-3, force = 1e-3;
  for (std::size_t i = 1; i < c.poses.size(); ++i) {
    length = std::max(length, c.poses[i].p.norm());
    speed = std::max(speed, c.velocities[i].norm());
    acceleration = std::max(acceleration, motion.accelerations[i].norm());
  }
  for (std::size_t i = 1; i < model.bodies().size(); ++i)
    force = std::max(force, model.bodies()[i].inertia.mass * acceleration);
  for (const Vec6& reaction : motion.reactions) force = std::max(force, reaction.norm());

  VerdictOf verdict("differs");
  const Transform back = X.inverse();
  for (std::size_t i = 1; i < c.poses.size(); ++i) {
    const auto k = static_cast<std::size_t>(other_model.find_body(model.bodies()[i].name).index);
    const auto who = [&](const char* what) {
      return [&, what] { return fmt::format("body '{}': its {}", model.bodies()[i].name, what); };
    };
    const Transform pose = back * other.configuration.poses[k];
    verdict.add((pose.p - c.poses[i].p).norm(), length + X.p.norm(), who("position"));
    verdict.add(log_rotation(pose.q * c.poses[i].q.conjugate()).norm(), 1, who("orientation"));
    const auto turned = [&](const Vec6& v) -> Vec6 {
      return spatial(back.q * v.head<3>(), back.q * v.tail<3>());
    };
    verdict.add((turned(other.configuration.velocities[k]) - c.velocities[i]).norm(), speed,
                who("velocity"));
    verdict.add((turned(other.accelerations[k]) - motion.accelerations[i]).norm(), acceleration,
                who("acceleration"));
  }
  compare_modes(model, motion, other_model, other, verdict);
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    const auto k = static_cast<std::size_t>(other_model.find_joint(joint.name).index);
    if (!motion.reaction_is_unique[j] || !other.reaction_is_unique[k]) continue;
    const Vec3 M = origin_of_M(joint, c);
    const Vec6 reaction = reaction_as(model, joint, other_model, other, X, M);
    verdict.add((reaction - motion.reactions[j]).norm(), force,
                [&] { return fmt::format("joint '{}': its reaction", joint.name); });
  }
  return verdict.verdict();
}

}  // namespace sarrus::testing
