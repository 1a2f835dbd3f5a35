#include "sarrus/model/loads.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sarrus/model/body_loads.h"

namespace sarrus {
namespace {

const double* near_of(const Joint& joint, const Configuration& c) {
  return c.coordinates.data() + joint.first_freedom;
}

/// Puts the force `tau` along a row on the joint's two bodies: the transpose of the row's rate.
class JointLoader {
 public:
  JointLoader(const Model& model, const Configuration& configuration, std::span<const char> wanted,
              Loads& loads)
      : model_(model), configuration_(configuration), wanted_(wanted), loads_(loads) {}

  template <class Law>  // Law(row, rate) -> force
  void along_coordinate(const Freedom& at, Law law) {
    if (!is_wanted(at.joint)) return;
    const Joint& joint = model_.joint(at.joint);
    const JointView view = view_of(joint, configuration_);
    apply(at, joint, joint.coordinate_rows(view, near_of(joint, configuration_))[at.index], law);
  }
  template <class Law>
  void along_speed(const Freedom& at, Law law) {
    if (!is_wanted(at.joint)) return;
    const Joint& joint = model_.joint(at.joint);
    const JointView view = view_of(joint, configuration_);
    apply(at, joint, joint.speed_rows(view, near_of(joint, configuration_))[at.index], law);
  }

 private:
  bool is_wanted(JointId joint) const { return wanted_.empty() || wanted_[joint.slot()] != 0; }

  template <class Law>
  void apply(const Freedom& at, const Joint& joint, const Row& row, Law law) {
    const double rate = row.rate(carrier_velocity(joint.a, joint.attachment_a, configuration_),
                                 carrier_velocity(joint.b, joint.attachment_b, configuration_));
    const double force = law(row, rate);
    add_on_carrier(joint.a, joint.attachment_a, configuration_, force * row.J_A, loads_);
    add_on_carrier(joint.b, joint.attachment_b, configuration_, force * row.J_B, loads_);
    loads_.joint[at.joint.slot()] += force * row.J_B;
  }

  const Model& model_;
  const Configuration& configuration_;
  std::span<const char> wanted_;
  Loads& loads_;
};

}  // namespace

JointView view_of(const Joint& joint, const Configuration& c) {
  if (joint.attachment_a == nullptr && joint.attachment_b == nullptr)
    return JointView(c.poses[joint.a.slot()], c.velocities[joint.a.slot()], joint.X_AF,
                     c.poses[joint.b.slot()], c.velocities[joint.b.slot()], joint.X_BM);
  const Carrier a = carrier_of(joint.a, joint.attachment_a, c);
  const Carrier b = carrier_of(joint.b, joint.attachment_b, c);
  return JointView(a.X, a.V, joint.X_CF(), b.X, b.V, joint.X_CM());
}

JointView view_at_rest(const Joint& joint, const Configuration& c) {
  if (joint.attachment_a == nullptr && joint.attachment_b == nullptr)
    return JointView(c.poses[joint.a.slot()], joint.X_AF, c.poses[joint.b.slot()], joint.X_BM);
  return JointView(carrier_of(joint.a, joint.attachment_a, c).X, joint.X_CF(),
                   carrier_of(joint.b, joint.attachment_b, c).X, joint.X_CM());
}

void add_on_carrier(BodyId body, const Attachment& attachment, const Configuration& c,
                    const Vec6& wrench, Loads& loads) {
  if (attachment == nullptr) {
    loads.body[body.slot()] += wrench;
    return;
  }
  // [flexible-node-force]
  const NodeMotion node = node_motion(body, *attachment, c);
  loads.body[body.slot()] += shift_force(wrench, -node.s);
  Eigen::Map<VecX>(loads.modes.data() + attachment->first_mode, node.Z.cols()) +=
      node.Z.transpose() * wrench;
}

namespace {

/// Loads on bodies that are any, at carriers.
template <class Forces>
double add_loads_on_carriers(const Forces& forces, double t, const Configuration& c, Loads& loads) {
  return add_body_loads(
      forces, t,
      [&](BodyId id, const Attachment& attachment) { return carrier_of(id, attachment, c).X; },
      [&](BodyId id, const Attachment& attachment) { return carrier_velocity(id, attachment, c); },
      [&](BodyId id, const Attachment& attachment, const Vec6& wrench) {
        add_on_carrier(id, attachment, c, wrench, loads);
      });
}

/// [flexible-stiffening]  What spin, in body axes, does to a deformed body.
VecX stiffening_force(const ModalData& data, const Vec3& w, const VecX& deformation) {
  const std::array<double, 6> products = {w.x() * w.x(), w.y() * w.y(), w.z() * w.z(),
                                          w.x() * w.y(), w.y() * w.z(), w.z() * w.x()};
  VecX force = VecX::Zero(deformation.size());
  for (std::size_t i = 0; i < products.size(); ++i)
    if (data.stiffening[i].size() > 0) force -= products[i] * (data.stiffening[i] * deformation);
  return force;
}

/// Weight, strain, stiffening and damping of a flexible body. Returns the power of the last two.
double add_flexible_loads(const Model& model, std::size_t body, const Configuration& c,
                          Loads& loads) {
  const ModalBody& modal = *model.bodies()[body].modal;
  const int first = model.bodies()[body].first_mode;
  const Quat& q = c.poses[body].q;
  const double* eta = c.modes.data() + first;
  loads.body[body] = spatial((q * modal.first_moment(eta)).cross(model.gravity()),
                             modal.undeformed().mass * model.gravity());
  const Eigen::Map<const VecX> deformation(eta, modal.count());
  const Eigen::Map<const VecX> rate(c.mode_rates.data() + first, modal.count());
  const VecX without_potential =
      stiffening_force(modal.data(), q.conjugate() * c.velocities[body].head<3>(), deformation) -
      modal.data().damping * rate;
  Eigen::Map<VecX>(loads.modes.data() + first, modal.count()) =
      modal.data().S.transpose() * (q.conjugate() * model.gravity()) -
      modal.data().stiffness * deformation + without_potential;
  return rate.dot(without_potential);
}

}  // namespace

void compute_loads(const Model& model, double t, const Configuration& c, Loads& loads) {
  compute_loads(model, t, c, {}, loads);
}

void compute_loads(const Model& model, double t, const Configuration& c,
                   std::span<const char> wanted, Loads& loads) {
  loads.body.assign(model.bodies().size(), Vec6::Zero());
  loads.joint.assign(model.joints().size(), Vec6::Zero());
  loads.modes.assign(static_cast<std::size_t>(model.mode_count()), 0.0);
  double of_modes = 0;
  for (std::size_t i = 1; i < model.bodies().size(); ++i) {
    if (model.bodies()[i].modal != nullptr) {
      of_modes += add_flexible_loads(model, i, c, loads);
      continue;
    }
    const Inertia& inertia = model.bodies()[i].inertia;
    const Vec3 weight = inertia.mass * model.gravity();
    loads.body[i] = spatial((c.poses[i].q * inertia.center).cross(weight), weight);
  }
  loads.supplied_power = add_loads_on_carriers(model, t, c, loads);
  if (model.mode_count() > 0) loads.supplied_power += of_modes;
  add_joint_loads(model, t, c, wanted, loads);
}

bool acts_on_bodies(const Model& model) {
  return !model.point_springs().empty() || !model.applied_forces().empty() ||
         !model.applied_torques().empty() || !model.soft_joints().empty();
}

bool acts_on_joints(const Model& model, std::span<const char> wanted) {
  const auto acts = [&](const auto& load) { return wanted[load.at.joint.slot()] != 0; };
  const auto any = [&](const auto& loads) { return std::any_of(loads.begin(), loads.end(), acts); };
  return any(model.joint_springs()) || any(model.joint_frictions()) || any(model.joint_torques()) ||
         any(model.motors());
}

namespace {

template <class Forces>
void add_loads_along_joints(const Model& model, const Forces& forces, double t,
                            const Configuration& c, std::span<const char> wanted, Loads& loads) {
  JointLoader loader(model, c, wanted, loads);
  for (const JointSpring& spring : forces.joint_springs())
    loader.along_coordinate(spring.at, [&](const Row& row, double) {
      return -spring.stiffness * (row.value - spring.rest);
    });
  for (const JointFriction& friction : forces.joint_frictions())
    loader.along_speed(friction.at, [&](const Row&, double v) {
      const double force =
          -friction.viscous * v - friction.coulomb * std::tanh(v / friction.transition_speed);
      loads.supplied_power += force * v;
      return force;
    });
  for (const JointTorque& torque : forces.joint_torques())
    loader.along_speed(torque.at, [&](const Row&, double v) {
      const double force = torque.value(t).value;
      loads.supplied_power += force * v;
      return force;
    });
  for (const Motor& motor : forces.motors())
    loader.along_coordinate(motor.at, [&](const Row& row, double rate) {
      const TimeFunction::Value target = motor.target(t);
      const double force =
          motor.stiffness * (target.value - row.value) + motor.damping * (target.rate - rate);
      loads.supplied_power += force * rate;
      return force;
    });
}

}  // namespace

void add_joint_loads(const Model& model, double t, const Configuration& c,
                     std::span<const char> wanted, Loads& loads) {
  add_loads_along_joints(model, model, t, c, wanted, loads);
}

void add_loads(const Model& model, const SomeForces& forces, double t, const Configuration& c,
               Loads& loads) {
  loads.supplied_power += add_loads_on_carriers(forces, t, c, loads);
  add_loads_along_joints(model, forces, t, c, {}, loads);
}

double potential_energy(const Model& model, const Configuration& c) {
  double energy = 0;
  for (std::size_t i = 1; i < model.bodies().size(); ++i) {
    if (const Body& body = model.bodies()[i]; body.modal != nullptr) {
      const double* eta = c.modes.data() + body.first_mode;
      energy += body.modal->strain_energy(eta) -
                model.gravity().dot(body.inertia.mass * c.poses[i].p +
                                    c.poses[i].q * body.modal->first_moment(eta));
      continue;
    }
    const Inertia& inertia = model.bodies()[i].inertia;
    energy -= inertia.mass * model.gravity().dot(c.poses[i] * inertia.center);
  }
  for (const PointSpring& spring : model.point_springs()) {
    const Carrier a = carrier_of(spring.a, spring.attachment_a, c);
    const Carrier b = carrier_of(spring.b, spring.attachment_b, c);
    const SpringGeometry g = geometry_of(spring, a.X, a.V, b.X, b.V);
    const double stretch = g.length - spring.rest_length;
    energy += 0.5 * spring.stiffness * stretch * stretch;
  }
  for (const JointSpring& spring : model.joint_springs()) {
    const Joint& joint = model.joint(spring.at.joint);
    const Rows rows = joint.coordinate_rows(view_at_rest(joint, c), near_of(joint, c));
    const double stretch = rows[spring.at.index].value - spring.rest;
    energy += 0.5 * spring.stiffness * stretch * stretch;
  }
  return energy;
}

double kinetic_energy(const Model& model, const Configuration& c) {
  double energy = 0;
  for (std::size_t i = 1; i < model.bodies().size(); ++i) {
    const Vec6 V = rotated(c.poses[i].R().transpose(), c.velocities[i]);
    if (const Body& body = model.bodies()[i]; body.modal != nullptr) {
      const ModalBody& modal = *body.modal;
      const double* eta = c.modes.data() + body.first_mode;
      const Eigen::Map<const VecX> rate(c.mode_rates.data() + body.first_mode, modal.count());
      energy += 0.5 * V.dot(modal.rigid_mass(eta, Mat3::Identity()) * V) +
                V.dot(modal.coupling(eta, Mat3::Identity()) * rate) +
                0.5 * rate.dot(modal.modal_mass() * rate);
      continue;
    }
    const Inertia& inertia = model.bodies()[i].inertia;
    const Vec3 w = V.head<3>();
    const Vec3 v = V.tail<3>() + cross(w, inertia.center);
    energy += 0.5 * (inertia.mass * v.squaredNorm() + w.dot(inertia.central * w));
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
  for (const Joint& joint : model.joints()) update_coordinates(joint, c);
}

void update_coordinates(const Joint& joint, Configuration& c) {
  double* near = c.coordinates.data() + joint.first_freedom;
  const Rows rows = joint.coordinate_rows(view_at_rest(joint, c), near);
  for (int k = 0; k < rows.count; ++k) near[k] = rows[k].value;
}

}  // namespace sarrus
