#pragma once

#include <memory>

#include "sarrus/base/ids.h"
#include "sarrus/model/configuration.h"
#include "sarrus/model/modal_body.h"

namespace sarrus {

/// Where on a flexible body a joint or a force sits.
struct NodeAttachment {
  std::shared_ptr<const ModalBody> body;
  int node = 0;
  int first_mode = 0;  ///< the body's, in Configuration::modes
  Transform X_NP;      ///< the joint's frame, or the force's point, in the node's frame

  const ModalNode& shape() const { return body->nodes()[static_cast<std::size_t>(node)]; }
};

/// Null where the body's own frame carries it: on rigid bodies, and at the frame of a flexible one.
using Attachment = std::shared_ptr<const NodeAttachment>;

/// What carries a joint or a force, as it moves: a body's frame, or a node of a flexible one. Rows and
/// wrenches of what sits there are about its origin.
struct Carrier {
  Transform X;
  Vec6 V;
};

/// The node against its body's frame, deformed; body axes.
Transform node_pose(const NodeAttachment& attachment, const Configuration& configuration);

/// In the world.
Vec6 node_velocity(BodyId body, const NodeAttachment& attachment,
                   const Configuration& configuration);
Vec6 node_acceleration(BodyId body, const NodeAttachment& attachment, const Motion& motion);

inline Vec6 carrier_velocity(BodyId body, const Attachment& attachment, const Configuration& c) {
  return attachment == nullptr ? c.velocities[body.slot()] : node_velocity(body, *attachment, c);
}
inline Carrier carrier_of(BodyId body, const Attachment& attachment, const Configuration& c) {
  const Transform& X_WB = c.poses[body.slot()];
  return {attachment == nullptr ? X_WB : X_WB * node_pose(*attachment, c),
          carrier_velocity(body, attachment, c)};
}
inline Vec6 carrier_acceleration(BodyId body, const Attachment& attachment, const Motion& motion) {
  return attachment == nullptr ? motion.accelerations[body.slot()]
                               : node_acceleration(body, *attachment, motion);
}

/// How a node hangs on the coordinates of its body, in world axes.  [flexible-node]
struct NodeMotion {
  Vec3 s;     ///< from the body's origin to the node
  Mat6X Z;    ///< V_N = V_B shifted by s + Z η̇
  Vec6 bias;  ///< V̇_N = V̇_B shifted by s + Z η̈ + bias (classical accelerations)
};
NodeMotion node_motion(BodyId body, const NodeAttachment& attachment,
                       const Configuration& configuration);

/// Moves a body so that its carrier has this pose and velocity; its deformation stays.
void place_by_carrier(BodyId body, const Attachment& attachment, const Carrier& carrier,
                      Configuration& configuration);

}  // namespace sarrus
