#include "sarrus/tree/joint_loads.h"

#include <cmath>
#include <optional>

namespace sarrus::tree {
namespace {

/// Most targets are one, or stand still: those are kept where they are used.
std::optional<TimeFunction::Step> as_step(const TimeFunction& f) {
  if (const auto* step = std::get_if<TimeFunction::Step>(&f.shape())) return *step;
  if (const auto* constant = std::get_if<TimeFunction::Constant>(&f.shape()))
    return TimeFunction::Step{.from = constant->value, .to = constant->value};
  return std::nullopt;
}

}  // namespace

int place_in_q(const TreeBody& body, int index) {
  return body.q + index + (body.type == JointType::kFree ? 1 : 0);
}

CoordinateRow coordinate_row(const Tree& tree, const TreeBody& body, int index, const double* q,
                             const double* v, std::span<const double> near) {
  CoordinateRow result;
  if (!body.is_on_rotation_vector(index)) {
    result.value = q[place_in_q(body, index)];
    result.row = VecUpTo6::Unit(body.nv, index);
    return result;
  }
  // The joint by itself, its first frame at rest in the world.
  const Joint& joint = tree.model().joint(body.joint);
  const Transform X_FM = joint.X_FM(q + body.q);
  Mat6xUpTo6 S = joint.S_M(q + body.q);
  const Mat3 R = X_FM.R();
  for (Eigen::Index k = 0; k < S.cols(); ++k) S.col(k) = rotated(R, S.col(k));
  const Vec6 V = S * Eigen::Map<const VecX>(v + body.v, body.nv);
  const JointView view({}, Vec6::Zero(), {}, X_FM, V, {});
  const Rows rows = joint.coordinate_rows(view, near.data() + joint.first_freedom);
  const Row& row = rows[index];
  result.value = row.value;
  result.row = S.transpose() * row.J_B;
  // Rotation-vector rows feel the angular part only, whose bias is zero: ω̇ = R v̇ in F's axes.
  result.gamma = row.gamma;
  return result;
}

JointLoads::JointLoads(const Tree& tree) : tree_(tree) {
  const Model& model = tree.model();
  const auto is_cut = [&](const Freedom& at) { return tree.slot_of(at.joint) < 0; };
  const auto body_of = [&](const Freedom& at) -> const TreeBody& {
    return tree.bodies()[to_index(tree.slot_of(at.joint))];
  };
  for (const JointSpring& spring : model.joint_springs()) {
    if (is_cut(spring.at)) continue;
    const TreeBody& body = body_of(spring.at);
    if (body.is_on_rotation_vector(spring.at.index))
      on_rotations_.push_back({tree.slot_of(spring.at.joint), spring.at.index, &spring, nullptr});
    else
      springs_.push_back({place_in_q(body, spring.at.index), body.v + spring.at.index,
                          spring.stiffness, spring.rest});
  }
  for (const JointFriction& friction : model.joint_frictions()) {
    if (is_cut(friction.at)) continue;
    frictions_.push_back({body_of(friction.at).v + friction.at.index, friction.viscous,
                          friction.coulomb, friction.transition_speed});
  }
  for (const JointTorque& torque : model.joint_torques())
    if (!is_cut(torque.at))
      torques_.push_back({body_of(torque.at).v + torque.at.index, &torque.value});
  for (const sarrus::Motor& motor : model.motors()) {
    if (is_cut(motor.at)) continue;
    const TreeBody& body = body_of(motor.at);
    const auto step = as_step(motor.target);
    if (body.is_on_rotation_vector(motor.at.index))
      on_rotations_.push_back({tree.slot_of(motor.at.joint), motor.at.index, nullptr, &motor});
    else
      motors_.push_back({place_in_q(body, motor.at.index), body.v + motor.at.index, motor.stiffness,
                         motor.damping, step.value_or(TimeFunction::Step{}),
                         step ? nullptr : &motor.target});
  }
}

bool JointLoads::empty() const {
  return springs_.empty() && frictions_.empty() && torques_.empty() && motors_.empty() &&
         on_rotations_.empty();
}

double JointLoads::add(double t, std::span<const double> q, std::span<const double> v,
                       std::span<const double> near, std::span<double> tau) const {
  double power = 0;
  const auto motor_force = [](const auto& motor, const TimeFunction::Value& target, double value,
                              double rate) {
    return motor.stiffness * (target.value - value) + motor.damping * (target.rate - rate);
  };
  for (const Spring& spring : springs_)
    tau[to_index(spring.v)] -= spring.stiffness * (q[to_index(spring.q)] - spring.rest);
  for (const Friction& friction : frictions_) {
    const double speed = v[to_index(friction.v)];
    double force = -friction.viscous * speed;
    if (friction.coulomb != 0)
      force -= friction.coulomb * std::tanh(speed / friction.transition_speed);
    tau[to_index(friction.v)] += force;
    power += force * speed;
  }
  for (const Torque& torque : torques_) {
    const double force = (*torque.value)(t).value;
    tau[to_index(torque.v)] += force;
    power += force * v[to_index(torque.v)];
  }
  for (const Motor& motor : motors_) {
    const double speed = v[to_index(motor.v)];
    const TimeFunction::Value target =
        motor.target == nullptr ? motor.step.at_time(t) : (*motor.target)(t);
    const double force = motor_force(motor, target, q[to_index(motor.q)], speed);
    tau[to_index(motor.v)] += force;
    power += force * speed;
  }
  for (const OnRotation& load : on_rotations_) {
    const TreeBody& body = tree_.bodies()[to_index(load.slot)];
    const CoordinateRow row = coordinate_row(tree_, body, load.index, q.data(), v.data(), near);
    const double rate = row.row.dot(Eigen::Map<const VecX>(v.data() + body.v, body.nv));
    double force = 0;
    if (load.spring != nullptr) {
      force = -load.spring->stiffness * (row.value - load.spring->rest);
    } else {
      force = motor_force(*load.motor, load.motor->target(t), row.value, rate);
      power += force * rate;
    }
    Eigen::Map<VecX>(tau.data() + body.v, body.nv) += force * row.row;
  }
  return power;
}

}  // namespace sarrus::tree
