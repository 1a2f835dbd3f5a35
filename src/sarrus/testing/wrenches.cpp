#include "sarrus/testing/wrenches.h"

#include "sarrus/testing/flexible_points.h"

namespace sarrus::testing {
namespace {

Vec3 world_point(const Motion& motion, BodyId body, const Vec3& point,
                 const Attachment& attachment = {}) {
  if (attachment != nullptr)
    return carrier_of(body, attachment, motion.configuration).X * attachment->X_NP.p;
  return motion.configuration.poses[body.slot()] * point;
}

Vec3 world_velocity(const Motion& motion, BodyId body, const Vec3& point,
                    const Attachment& attachment) {
  const Carrier carrier = carrier_of(body, attachment, motion.configuration);
  return carrier.V.tail<3>() + carrier.V.head<3>().cross(point - carrier.X.p);
}

}  // namespace

Vec3 origin_of_M(const Joint& joint, const Configuration& c) {
  return carrier_of(joint.b, joint.attachment_b, c).X * joint.X_CM().p;
}

Vec3 velocity_of_point(const Motion& motion, BodyId body, const Vec3& point) {
  const Vec6& V = motion.configuration.velocities[body.slot()];
  const Vec3 arm = point - motion.configuration.poses[body.slot()].p;
  return V.tail<3>() + V.head<3>().cross(arm);
}

std::vector<Wrench> outer_wrenches(const Model& model, const Motion& motion) {
  std::vector<Wrench> all;
  for (int i = 1; i < model.body_count(); ++i) {
    const Inertia& inertia = model.body(BodyId{i}).inertia;
    const Vec3 center = model.body(BodyId{i}).modal == nullptr
                            ? world_point(motion, BodyId{i}, inertia.center)
                            : momentum_rate(model, motion, BodyId{i}).center;
    all.push_back({BodyId{i}, center, inertia.mass * model.gravity(), Vec3::Zero()});
  }
  const auto direction = [&motion](const auto& load) -> Vec3 {
    if (load.frame == LoadFrame::kWorld) return load.direction;
    return carrier_of(load.body, load.attachment, motion.configuration).X.q * load.direction;
  };
  for (const AppliedForce& load : model.applied_forces())
    all.push_back({load.body, world_point(motion, load.body, load.point, load.attachment),
                   load.value(motion.time).value * direction(load), Vec3::Zero(),
                   load.attachment.get()});
  for (const AppliedTorque& load : model.applied_torques())
    all.push_back({load.body, motion.configuration.poses[load.body.slot()].p, Vec3::Zero(),
                   load.value(motion.time).value * direction(load), load.attachment.get()});
  return all;
}

std::vector<Wrench> spring_wrenches(const Model& model, const Motion& motion) {
  std::vector<Wrench> all;
  for (const PointSpring& spring : model.point_springs()) {
    const Vec3 a = world_point(motion, spring.a, spring.point_a, spring.attachment_a);
    const Vec3 b = world_point(motion, spring.b, spring.point_b, spring.attachment_b);
    const Vec3 along = (b - a).normalized();
    const double stretching = along.dot(world_velocity(motion, spring.b, b, spring.attachment_b) -
                                        world_velocity(motion, spring.a, a, spring.attachment_a));
    const double pull =
        spring.stiffness * ((b - a).norm() - spring.rest_length) + spring.damping * stretching;
    all.push_back({spring.a, a, pull * along, Vec3::Zero(), spring.attachment_a.get()});
    all.push_back({spring.b, b, -pull * along, Vec3::Zero(), spring.attachment_b.get()});
  }
  return all;
}

std::vector<Wrench> reaction_wrenches(const Model& model, const Motion& motion) {
  std::vector<Wrench> all;
  for (int j = 0; j < model.joint_count(); ++j) {
    const Joint& joint = model.joint(JointId{j});
    const Vec6& reaction = motion.reactions[static_cast<std::size_t>(j)];
    const Vec3 M = origin_of_M(joint, motion.configuration);
    all.push_back({joint.b, M, reaction.tail<3>(), reaction.head<3>(), joint.attachment_b.get()});
    all.push_back({joint.a, M, -reaction.tail<3>(), -reaction.head<3>(), joint.attachment_a.get()});
  }
  return all;
}

MomentumRate momentum_rate(const Model& model, const Motion& motion, BodyId id) {
  const Inertia& inertia = model.body(id).inertia;
  const Transform& pose = motion.configuration.poses[id.slot()];
  if (model.body(id).modal != nullptr) {
    const FlexiblePoints::Sums sums = FlexiblePoints(model.body(id)).sums(id, motion);
    const Vec3 arm = sums.first_moment / inertia.mass;
    return {pose.p + arm,
            sums.force,
            sums.torque - arm.cross(sums.force),
            std::sqrt(inertia.about_origin().trace() / inertia.mass) + arm.norm(),
            sums.force_size,
            sums.torque_size + arm.norm() * sums.force_size};
  }
  const Vec3 w = motion.configuration.velocities[id.slot()].head<3>();
  const Vec3 dw = motion.accelerations[id.slot()].head<3>();
  const Vec3 arm = pose.q * inertia.center;
  const Vec3 a_c =
      motion.accelerations[id.slot()].tail<3>() + dw.cross(arm) + w.cross(w.cross(arm));
  const Mat3 J = pose.R() * inertia.central * pose.R().transpose();
  const double radius = inertia.mass > 0 ? std::sqrt(J.trace() / inertia.mass) : 0;
  return {pose.p + arm, inertia.mass * a_c, J * dw + w.cross(J * w), radius + arm.norm()};
}

ModalBalance modal_balance(const Model& model, const Motion& motion, BodyId id,
                           const std::vector<std::vector<Wrench>>& wrenches) {
  const Body& body = model.body(id);
  const Configuration& c = motion.configuration;
  const ModalData& data = body.modal->data();
  const Eigen::Map<const VecX> eta(c.modes.data() + body.first_mode, data.count());
  const Eigen::Map<const VecX> rate(c.mode_rates.data() + body.first_mode, data.count());
  const FlexiblePoints::Sums inertia = FlexiblePoints(body).sums(id, motion);
  ModalBalance balance{-inertia.on_modes, inertia.size_on_modes};
  const auto add = [&](const MatX& A, const VecX& x) {
    balance.sum -= A * x;
    balance.size += A.cwiseAbs() * x.cwiseAbs();
  };
  add(data.stiffness, eta);
  add(data.damping, rate);
  const Vec3 w = c.poses[id.slot()].q.conjugate() * c.velocities[id.slot()].head<3>();
  for (int i = 0; i < 3; ++i) {
    const auto place = static_cast<std::size_t>(i);
    const double mixed = w[i] * w[(i + 1) % 3];
    if (data.stiffening[place].size() > 0) add(w[i] * w[i] * data.stiffening[place], eta);
    if (data.stiffening[place + 3].size() > 0) add(mixed * data.stiffening[place + 3], eta);
  }
  const Vec3 gravity = c.poses[id.slot()].q.conjugate() * model.gravity();
  add(-data.S.transpose(), gravity);
  // A mode that nothing moves still has the rounding of what its body weighs.
  balance.size +=
      body.inertia.mass * model.gravity().norm() * body.modal->unit_deformation(1).cwiseInverse();
  for (const auto& some : wrenches)
    for (const Wrench& wrench : some) {
      if (wrench.on != id || wrench.attachment == nullptr) continue;
      const Mat6X carried = carried_by_node(id, *wrench.attachment, c, wrench.point);
      const Vec6 force = spatial(wrench.torque, wrench.force);
      balance.sum += carried.transpose() * force;
      balance.size += carried.cwiseAbs().transpose() * force.cwiseAbs();
    }
  return balance;
}

}  // namespace sarrus::testing
