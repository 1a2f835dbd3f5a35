#include "sarrus/testing/joint_law.h"

#include <cmath>

#include "sarrus/spatial/dense.h"

namespace sarrus::testing {
namespace {

/// Coordinates from the poses, in plain formulas; turns from the configuration.
struct JointState {
  Mat3 R_M;
  Vec3 M;
  VecX coordinates, speeds;
  MatX map;
  Mat6xUpTo6 S;
};

double unwrapped(double angle, double near) {
  return angle + 2 * std::numbers::pi * std::round((near - angle) / (2 * std::numbers::pi));
}

JointState state_of(const Joint& joint, const Configuration& c) {
  const Carrier a = carrier_of(joint.a, joint.attachment_a, c);
  const Carrier b = carrier_of(joint.b, joint.attachment_b, c);
  const Transform X_WF = a.X * joint.X_CF();
  const Transform X_WM = b.X * joint.X_CM();
  const Transform X_FM = X_WF.inverse() * X_WM;
  const Mat3 R = X_FM.R();
  const double* near = c.coordinates.data() + joint.first_freedom;
  const Vec3 u = log_rotation(X_FM.q);

  JointState state;
  state.R_M = X_WM.R();
  state.M = X_WM.p;
  const int n = joint.nv();
  state.coordinates.resize(n);
  state.map = MatX::Identity(n, n);
  double q[7] = {};  // as S wants it
  const double turn = n == 0 ? 0 : unwrapped(std::atan2(R(1, 0), R(0, 0)), near[0]);
  switch (joint.type()) {
    case JointType::kRevolute:
    case JointType::kHelical:
      state.coordinates << turn;
      break;
    case JointType::kPrismatic:
      state.coordinates << X_FM.p.z();
      break;
    case JointType::kCylindrical:
      state.coordinates << turn, X_FM.p.z();
      break;
    case JointType::kUniversal:  // R = Rx(q1) Ry(q2)
      state.coordinates << unwrapped(std::atan2(R(2, 1), R(1, 1)), near[0]),
          unwrapped(std::atan2(R(0, 2), R(0, 0)), near[1]);
      break;
    case JointType::kPlanar:
      state.coordinates << X_FM.p.x(), X_FM.p.y(), unwrapped(std::atan2(R(1, 0), R(0, 0)), near[2]);
      break;
    case JointType::kSpherical:
    case JointType::kFree:
      state.coordinates.head<3>() = u;
      if (n == 6) state.coordinates.tail<3>() = X_FM.p;
      // Rotation-vector rates against the angular velocity in M: the inverse of Jr(u) = Jl(−u).
      state.map.topLeftCorner<3, 3>() = left_jacobian(-u).inverse();
      break;
    case JointType::kFixed:
      break;
  }
  if (joint.nq() == joint.nv()) {
    for (int k = 0; k < n; ++k) q[k] = state.coordinates[k];
  } else {
    q[0] = X_FM.q.w();
    for (int k = 0; k < 3; ++k) q[k + 1] = X_FM.q.vec()[k];
    for (int k = 0; k < 3; ++k) q[k + 4] = X_FM.p[k];
  }
  state.S = joint.S_M(q);
  for (int k = 0; k < n; ++k) state.S.col(k) = rotated(state.R_M, state.S.col(k)).eval();

  // Speeds: the relative motion at M's origin, resolved along S.
  const auto motion_at_M = [&](const Carrier& carrier) {
    return shift_motion(carrier.V, state.M - carrier.X.p);
  };
  const Vec6 V = motion_at_M(b) - motion_at_M(a);
  if (n > 0) state.speeds = solve_least_squares(state.S, V);
  return state;
}

}  // namespace

JointLaw joint_law(const Model& model, const Motion& motion, JointId id) {
  const Joint& joint = model.joint(id);
  const JointState state = state_of(joint, motion.configuration);
  const int n = joint.nv();
  const VecX rates = state.map * state.speeds;
  VecX on_speeds = VecX::Zero(n), on_rates = VecX::Zero(n);
  VecX speed_size = VecX::Zero(n), rate_size = VecX::Zero(n);
  const auto push = [](VecX& force, VecX& size, int k, double value) {
    force[k] += value;
    size[k] += std::abs(value);
  };
  for (const JointSpring& spring : model.joint_springs())
    if (spring.at.joint == id)
      push(on_rates, rate_size, spring.at.index,
           -spring.stiffness * (state.coordinates[spring.at.index] - spring.rest));
  for (const Motor& motor : model.motors()) {
    if (motor.at.joint != id) continue;
    const TimeFunction::Value target = motor.target(motion.time);
    const int k = motor.at.index;
    push(on_rates, rate_size, k, motor.stiffness * (target.value - state.coordinates[k]));
    push(on_rates, rate_size, k, motor.damping * (target.rate - rates[k]));
  }
  for (const JointFriction& friction : model.joint_frictions()) {
    if (friction.at.joint != id) continue;
    const double v = state.speeds[friction.at.index];
    push(on_speeds, speed_size, friction.at.index, -friction.viscous * v);
    push(on_speeds, speed_size, friction.at.index,
         -friction.coulomb * std::tanh(v / friction.transition_speed));
  }
  for (const JointTorque& torque : model.joint_torques())
    if (torque.at.joint == id)
      push(on_speeds, speed_size, torque.at.index, torque.value(motion.time).value);

  // Speeds that keep every driven coordinate still.
  std::vector<int> driven;
  for (const PrescribedMotion& prescribed : model.motions())
    if (prescribed.at.joint == id) driven.push_back(prescribed.at.index);
  MatX allowed = MatX::Identity(n, n);
  if (!driven.empty()) {
    constexpr double kDependent = 1e-14;  // rounding of numbers of size one
    allowed = complement_of(state.map(driven, Eigen::all).transpose(), kDependent);
  }
  return {.M = state.M,
          .S = state.S,
          .map = state.map,
          .force = on_speeds + state.map.transpose() * on_rates,
          .size = speed_size + state.map.cwiseAbs().transpose() * rate_size,
          .allowed = allowed};
}

}  // namespace sarrus::testing
