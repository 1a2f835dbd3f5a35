#include "sarrus/model/loads.h"

#include <cmath>

namespace sarrus {
namespace {

const Transform& pose_of(const Configuration& c, BodyId id) { return c.poses[id.slot()]; }
const Vec6& velocity_of(const Configuration& c, BodyId id) { return c.velocities[id.slot()]; }
const double* near_of(const Joint& joint, const Configuration& c) {
  return c.coordinates.data() + joint.first_freedom;
}

/// Puts the force `tau` along a row on the joint's two bodies: the transpose of the row's rate.
class JointLoader {
 public:
  JointLoader(const Model& model, const Configuration& configuration, Loads& loads)
      : model_(model), configuration_(configuration), loads_(loads) {}

  template <class Law>  // Law(row, rate) -> force
  void along_coordinate(const Freedom& at, Law law) {
    const Joint& joint = model_.joint(at.joint);
    const JointView view = view_of(joint, configuration_);
    apply(at, joint, joint.coordinate_rows(view, near_of(joint, configuration_))[at.index], law);
  }
  template <class Law>
  void along_speed(const Freedom& at, Law law) {
    const Joint& joint = model_.joint(at.joint);
    const JointView view = view_of(joint, configuration_);
    apply(at, joint, joint.speed_rows(view, near_of(joint, configuration_))[at.index], law);
  }

 private:
  template <class Law>
  void apply(const Freedom& at, const Joint& joint, const Row& row, Law law) {
    const double rate =
        row.rate(velocity_of(configuration_, joint.a), velocity_of(configuration_, joint.b));
    const double force = law(row, rate);
    loads_.body[joint.a.slot()] += force * row.J_A;
    loads_.body[joint.b.slot()] += force * row.J_B;
    loads_.joint[at.joint.slot()] += force * row.J_B;
  }

  const Model& model_;
  const Configuration& configuration_;
  Loads& loads_;
};

struct SpringGeometry {
  Vec3 s_a, s_b;  ///< from the bodies' origins to the points
  Vec3 direction;
  double length = 0;
  double rate = 0;
};

SpringGeometry geometry_of(const PointSpring& spring, const Configuration& c) {
  SpringGeometry g;
  const Transform& X_a = pose_of(c, spring.a);
  const Transform& X_b = pose_of(c, spring.b);
  g.s_a = X_a.q * spring.point_a;
  g.s_b = X_b.q * spring.point_b;
  const Vec3 d = (X_b.p - X_a.p) + (g.s_b - g.s_a);
  g.length = d.norm();
  // At zero length the force has no direction; none is applied.
  g.direction = g.length > 0 ? Vec3(d / g.length) : Vec3::Zero();
  const Vec3 v_a = shift_motion(velocity_of(c, spring.a), g.s_a).tail<3>();
  const Vec3 v_b = shift_motion(velocity_of(c, spring.b), g.s_b).tail<3>();
  g.rate = g.direction.dot(v_b - v_a);
  return g;
}

void add_point_springs(const Model& model, const Configuration& c, Loads& loads) {
  for (const PointSpring& spring : model.point_springs()) {
    const SpringGeometry g = geometry_of(spring, c);
    const double damping = spring.damping * g.rate;
    const Vec3 f_a = (spring.stiffness * (g.length - spring.rest_length) + damping) * g.direction;
    loads.body[spring.a.slot()] += spatial(g.s_a.cross(f_a), f_a);
    loads.body[spring.b.slot()] -= spatial(g.s_b.cross(f_a), f_a);
    loads.supplied_power -= damping * g.rate;
  }
}

void add_applied_loads(const Model& model, double t, const Configuration& c, Loads& loads) {
  const auto add = [&](BodyId body, const Vec6& wrench) {
    loads.body[body.slot()] += wrench;
    loads.supplied_power += wrench.dot(velocity_of(c, body));
  };
  const auto direction = [&](const auto& load) -> Vec3 {
    return load.frame == LoadFrame::kWorld ? load.direction
                                           : Vec3(pose_of(c, load.body).q * load.direction);
  };
  for (const AppliedForce& load : model.applied_forces()) {
    const Vec3 f = load.value(t).value * direction(load);
    const Vec3 s = pose_of(c, load.body).q * load.point;
    add(load.body, spatial(s.cross(f), f));
  }
  for (const AppliedTorque& load : model.applied_torques())
    add(load.body, spatial(load.value(t).value * direction(load), Vec3::Zero()));
}

void add_joint_loads(const Model& model, double t, const Configuration& c, Loads& loads) {
  JointLoader loader(model, c, loads);
  for (const JointSpring& spring : model.joint_springs())
    loader.along_coordinate(spring.at, [&](const Row& row, double) {
      return -spring.stiffness * (row.value - spring.rest);
    });
  for (const JointFriction& friction : model.joint_frictions())
    loader.along_speed(friction.at, [&](const Row&, double v) {
      const double force =
          -friction.viscous * v - friction.coulomb * std::tanh(v / friction.transition_speed);
      loads.supplied_power += force * v;
      return force;
    });
  for (const JointTorque& torque : model.joint_torques())
    loader.along_speed(torque.at, [&](const Row&, double v) {
      const double force = torque.value(t).value;
      loads.supplied_power += force * v;
      return force;
    });
  for (const Motor& motor : model.motors())
    loader.along_coordinate(motor.at, [&](const Row& row, double rate) {
      const TimeFunction::Value target = motor.target(t);
      const double force =
          motor.stiffness * (target.value - row.value) + motor.damping * (target.rate - rate);
      loads.supplied_power += force * rate;
      return force;
    });
}

}  // namespace

JointView view_of(const Joint& joint, const Configuration& c) {
  return JointView(pose_of(c, joint.a), velocity_of(c, joint.a), joint.X_AF, pose_of(c, joint.b),
                   velocity_of(c, joint.b), joint.X_BM);
}

void compute_loads(const Model& model, double t, const Configuration& c, Loads& loads) {
  loads.body.assign(model.bodies().size(), Vec6::Zero());
  loads.joint.assign(model.joints().size(), Vec6::Zero());
  loads.supplied_power = 0;
  for (std::size_t i = 1; i < model.bodies().size(); ++i) {
    const Inertia& inertia = model.bodies()[i].inertia;
    const Vec3 weight = inertia.mass * model.gravity();
    loads.body[i] = spatial((c.poses[i].q * inertia.center).cross(weight), weight);
  }
  add_point_springs(model, c, loads);
  add_applied_loads(model, t, c, loads);
  add_joint_loads(model, t, c, loads);
}

double potential_energy(const Model& model, const Configuration& c) {
  double energy = 0;
  for (std::size_t i = 1; i < model.bodies().size(); ++i) {
    const Inertia& inertia = model.bodies()[i].inertia;
    energy -= inertia.mass * model.gravity().dot(c.poses[i] * inertia.center);
  }
  for (const PointSpring& spring : model.point_springs()) {
    const double stretch = geometry_of(spring, c).length - spring.rest_length;
    energy += 0.5 * spring.stiffness * stretch * stretch;
  }
  for (const JointSpring& spring : model.joint_springs()) {
    const Joint& joint = model.joint(spring.at.joint);
    const Rows rows = joint.coordinate_rows(view_of(joint, c), near_of(joint, c));
    const double stretch = rows[spring.at.index].value - spring.rest;
    energy += 0.5 * spring.stiffness * stretch * stretch;
  }
  return energy;
}

double kinetic_energy(const Model& model, const Configuration& c) {
  double energy = 0;
  for (std::size_t i = 1; i < model.bodies().size(); ++i) {
    const Vec6 V = rotated(c.poses[i].R().transpose(), c.velocities[i]);
    energy += 0.5 * V.dot(model.bodies()[i].inertia.matrix() * V);
  }
  return energy;
}

Vec6 gyroscopic_wrench(const Inertia& inertia, const Mat3& R, const Vec3& w) {
  const Vec3 w_B = R.transpose() * w;
  const Vec3 torque = w_B.cross(inertia.about_origin() * w_B);
  const Vec3 force = inertia.mass * w_B.cross(w_B.cross(inertia.center));
  return rotated(R, spatial(torque, force));
}

void update_coordinates(const Model& model, Configuration& c) {
  for (const Joint& joint : model.joints()) {
    double* near = c.coordinates.data() + joint.first_freedom;
    const Rows rows = joint.coordinate_rows(view_of(joint, c), near);
    for (int k = 0; k < rows.count; ++k) near[k] = rows[k].value;
  }
}

}  // namespace sarrus
