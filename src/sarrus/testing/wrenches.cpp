#include "sarrus/testing/wrenches.h"

namespace sarrus::testing {
namespace {

Vec3 world_point(const Motion& motion, BodyId body, const Vec3& point) {
  return motion.configuration.poses[body.slot()] * point;
}

}  // namespace

Vec3 velocity_of_point(const Motion& motion, BodyId body, const Vec3& point) {
  const Vec6& V = motion.configuration.velocities[body.slot()];
  const Vec3 arm = point - motion.configuration.poses[body.slot()].p;
  return V.tail<3>() + V.head<3>().cross(arm);
}

std::vector<Wrench> outer_wrenches(const Model& model, const Motion& motion) {
  std::vector<Wrench> all;
  for (int i = 1; i < model.body_count(); ++i) {
    const Inertia& inertia = model.body(BodyId{i}).inertia;
    all.push_back({BodyId{i}, world_point(motion, BodyId{i}, inertia.center),
                   inertia.mass * model.gravity(), Vec3::Zero()});
  }
  const auto direction = [&motion](const auto& load) -> Vec3 {
    if (load.frame == LoadFrame::kWorld) return load.direction;
    return motion.configuration.poses[load.body.slot()].q * load.direction;
  };
  for (const AppliedForce& load : model.applied_forces())
    all.push_back({load.body, world_point(motion, load.body, load.point),
                   load.value(motion.time).value * direction(load), Vec3::Zero()});
  for (const AppliedTorque& load : model.applied_torques())
    all.push_back({load.body, motion.configuration.poses[load.body.slot()].p, Vec3::Zero(),
                   load.value(motion.time).value * direction(load)});
  return all;
}

std::vector<Wrench> spring_wrenches(const Model& model, const Motion& motion) {
  std::vector<Wrench> all;
  for (const PointSpring& spring : model.point_springs()) {
    const Vec3 a = world_point(motion, spring.a, spring.point_a);
    const Vec3 b = world_point(motion, spring.b, spring.point_b);
    const Vec3 along = (b - a).normalized();
    const double stretching =
        along.dot(velocity_of_point(motion, spring.b, b) - velocity_of_point(motion, spring.a, a));
    const double pull =
        spring.stiffness * ((b - a).norm() - spring.rest_length) + spring.damping * stretching;
    all.push_back({spring.a, a, pull * along, Vec3::Zero()});
    all.push_back({spring.b, b, -pull * along, Vec3::Zero()});
  }
  return all;
}

std::vector<Wrench> reaction_wrenches(const Model& model, const Motion& motion) {
  std::vector<Wrench> all;
  for (int j = 0; j < model.joint_count(); ++j) {
    const Joint& joint = model.joint(JointId{j});
    const Vec6& reaction = motion.reactions[static_cast<std::size_t>(j)];
    const Vec3 M = world_point(motion, joint.b, joint.X_BM.p);
    all.push_back({joint.b, M, reaction.tail<3>(), reaction.head<3>()});
    all.push_back({joint.a, M, -reaction.tail<3>(), -reaction.head<3>()});
  }
  return all;
}

MomentumRate momentum_rate(const Model& model, const Motion& motion, BodyId id) {
  const Inertia& inertia = model.body(id).inertia;
  const Transform& pose = motion.configuration.poses[id.slot()];
  const Vec3 w = motion.configuration.velocities[id.slot()].head<3>();
  const Vec3 dw = motion.accelerations[id.slot()].head<3>();
  const Vec3 arm = pose.q * inertia.center;
  const Vec3 a_c =
      motion.accelerations[id.slot()].tail<3>() + dw.cross(arm) + w.cross(w.cross(arm));
  const Mat3 J = pose.R() * inertia.central * pose.R().transpose();
  const double radius = inertia.mass > 0 ? std::sqrt(J.trace() / inertia.mass) : 0;
  return {pose.p + arm, inertia.mass * a_c, J * dw + w.cross(J * w), radius + arm.norm()};
}

}  // namespace sarrus::testing
