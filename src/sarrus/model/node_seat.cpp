#include "sarrus/model/node_attachment.h"
#include "sarrus/spatial/rotation.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus {
namespace {

Eigen::Map<const VecX> modes_at(const NodeAttachment& attachment,
                                const std::vector<double>& values) {
  return {values.data() + attachment.first_mode, attachment.body->count()};
}

/// Velocity of the node against the body's frame, body axes.
Vec6 relative_velocity(const NodeAttachment& attachment, const Configuration& c) {
  const ModalNode& node = attachment.shape();
  const auto eta = modes_at(attachment, c.modes);
  const auto rate = modes_at(attachment, c.mode_rates);
  return spatial(left_jacobian(node.turn * eta) * (node.turn * rate), node.shift * rate);
}

}  // namespace

Transform node_pose(const NodeAttachment& attachment, const Configuration& c) {
  // [flexible-node]
  const ModalNode& node = attachment.shape();
  const auto eta = modes_at(attachment, c.modes);
  return {(exp_rotation(node.turn * eta) * node.X_BN.q).normalized(),
          node.X_BN.p + node.shift * eta};
}

Vec6 node_velocity(BodyId body, const NodeAttachment& attachment, const Configuration& c) {
  const Transform& X_WB = c.poses[body.slot()];
  return shift_motion(c.velocities[body.slot()], X_WB.q * node_pose(attachment, c).p) +
         rotated(X_WB.R(), relative_velocity(attachment, c));
}

NodeMotion node_motion(BodyId body, const NodeAttachment& attachment, const Configuration& c) {
  const ModalNode& node = attachment.shape();
  const auto eta = modes_at(attachment, c.modes);
  const auto rate = modes_at(attachment, c.mode_rates);
  const Mat3 R = c.poses[body.slot()].R();
  const Vec3 turn = node.turn * eta;
  const Vec3 turn_rate = node.turn * rate;
  NodeMotion motion;
  motion.s = R * (node.X_BN.p + node.shift * eta);
  motion.Z.resize(6, eta.size());
  motion.Z.topRows<3>() = R * left_jacobian(turn) * node.turn;
  motion.Z.bottomRows<3>() = R * node.shift;
  const Vec3 w = c.velocities[body.slot()].head<3>();
  const Vec6 relative = motion.Z * rate;
  motion.bias = spatial(w.cross(relative.head<3>()) + R * left_jacobian_rate(turn, turn_rate),
                        w.cross(w.cross(motion.s)) + 2 * w.cross(relative.tail<3>()));
  return motion;
}

Vec6 node_acceleration(BodyId body, const NodeAttachment& attachment, const Motion& motion) {
  const NodeMotion node = node_motion(body, attachment, motion.configuration);
  return shift_motion(motion.accelerations[body.slot()], node.s) +
         node.Z * modes_at(attachment, motion.mode_accelerations) + node.bias;
}

void place_by_carrier(BodyId body, const Attachment& attachment, const Carrier& carrier,
                      Configuration& c) {
  if (attachment == nullptr) {
    c.poses[body.slot()] = carrier.X;
    c.velocities[body.slot()] = carrier.V;
    return;
  }
  const Transform X_BN = node_pose(*attachment, c);
  const Transform X_WB = carrier.X * X_BN.inverse();
  c.poses[body.slot()] = X_WB;
  c.velocities[body.slot()] = shift_motion(
      carrier.V - rotated(X_WB.R(), relative_velocity(*attachment, c)), -(X_WB.q * X_BN.p));
}

}  // namespace sarrus
