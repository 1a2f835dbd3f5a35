#pragma once

#include "sarrus/model/model.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus {

/// A point spring at one instant.
struct SpringGeometry {
  Vec3 s_a, s_b;  ///< from the carriers' origins to the points
  Vec3 direction;
  double length = 0;
  double rate = 0;
};

/// Where a point of a load is in its carrier.
inline const Vec3& point_in_carrier(const Vec3& in_body, const Attachment& attachment) {
  return attachment == nullptr ? in_body : attachment->X_NP.p;
}

/// `X` and `V` of what carries its two points.
inline SpringGeometry geometry_of(const PointSpring& spring, const Transform& X_a, const Vec6& V_a,
                                  const Transform& X_b, const Vec6& V_b) {
  SpringGeometry g;
  g.s_a = X_a.q * point_in_carrier(spring.point_a, spring.attachment_a);
  g.s_b = X_b.q * point_in_carrier(spring.point_b, spring.attachment_b);
  const Vec3 d = (X_b.p - X_a.p) + (g.s_b - g.s_a);
  g.length = d.norm();
  // At zero length the force has no direction; none is applied.
  g.direction = g.length > 0 ? Vec3(d / g.length) : Vec3::Zero();
  g.rate = g.direction.dot(shift_motion(V_b, g.s_b).tail<3>() - shift_motion(V_a, g.s_a).tail<3>());
  return g;
}

/// Point springs, applied forces and torques, soft joints: what acts on bodies rather than along joints.
///
/// pose_of(BodyId, attachment) gives X_W of the carrier, velocity_of(BodyId, attachment) its [ω; v of the origin],
/// and add(BodyId, attachment, wrench) receives [τ; f] at its origin. Returns the power of what has no
/// potential [W]. `model` is a Model, or some of its forces.  [loads-on-bodies]
template <class Forces, class PoseOf, class VelocityOf, class Add>
double add_body_loads(const Forces& model, double t, PoseOf pose_of, VelocityOf velocity_of,
                      Add add) {
  double power = 0;
  for (const PointSpring& spring : model.point_springs()) {
    const SpringGeometry g = geometry_of(
        spring, pose_of(spring.a, spring.attachment_a), velocity_of(spring.a, spring.attachment_a),
        pose_of(spring.b, spring.attachment_b), velocity_of(spring.b, spring.attachment_b));
    const double damping = spring.damping * g.rate;
    const Vec3 f_a = (spring.stiffness * (g.length - spring.rest_length) + damping) * g.direction;
    add(spring.a, spring.attachment_a, spatial(g.s_a.cross(f_a), f_a));
    add(spring.b, spring.attachment_b, spatial(-g.s_b.cross(f_a), -f_a));
    power -= damping * g.rate;
  }
  const auto direction = [&](const auto& load) -> Vec3 {
    return load.frame == LoadFrame::kWorld
               ? load.direction
               : Vec3(pose_of(load.body, load.attachment).q * load.direction);
  };
  const auto apply = [&](BodyId body, const Attachment& attachment, const Vec6& wrench) {
    add(body, attachment, wrench);
    power += wrench.dot(velocity_of(body, attachment));
  };
  for (const AppliedForce& load : model.applied_forces()) {
    const Vec3 f = load.value(t).value * direction(load);
    const Vec3 s =
        pose_of(load.body, load.attachment).q * point_in_carrier(load.point, load.attachment);
    apply(load.body, load.attachment, spatial(s.cross(f), f));
  }
  for (const AppliedTorque& load : model.applied_torques())
    apply(load.body, load.attachment, spatial(load.value(t).value * direction(load), Vec3::Zero()));
  for (const SoftJoint& soft : model.soft_joints()) {
    const Joint& joint = soft.joint;
    const SoftJoint::Pull pull =
        soft.pull(t, pose_of(joint.a, joint.attachment_a), velocity_of(joint.a, joint.attachment_a),
                  pose_of(joint.b, joint.attachment_b), velocity_of(joint.b, joint.attachment_b));
    Vec6 on_a = Vec6::Zero();
    Vec6 on_b = Vec6::Zero();
    for (int k = 0; k < pull.rows.count; ++k) {
      on_a += pull.force[k] * pull.rows[k].J_A;
      on_b += pull.force[k] * pull.rows[k].J_B;
    }
    apply(joint.a, joint.attachment_a, on_a);
    apply(joint.b, joint.attachment_b, on_b);
  }
  return power;
}

}  // namespace sarrus
