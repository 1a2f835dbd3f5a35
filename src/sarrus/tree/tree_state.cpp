#include "sarrus/tree/tree_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/model/loads.h"
#include "sarrus/tree/joint_loads.h"

namespace sarrus::tree {

TreeState::TreeState(const Tree& tree) : tree_(&tree) {
  int numbers = 0;  // in a row that are not part of a quaternion
  const auto add_numbers = [&] {
    if (numbers > 0) layout_.add_vector(numbers);
    numbers = 0;
  };
  for (std::size_t i = 0; i < tree.bodies().size(); ++i) {
    const TreeBody& body = tree.bodies()[i];
    if (body.has_quaternion()) {
      add_numbers();
      layout_.add_quaternion();
      numbers = body.nq - 4;
      with_quaternion_.push_back(static_cast<int>(i));
    } else {
      numbers += body.nq;
    }
  }
  numbers += tree.nv() + 2 * tree.model().mode_count();
  add_numbers();
  layout_.add_vector(1, /*strictness=*/0);
  for (int j = 0; j < tree.model().joint_count(); ++j)
    if (tree.slot_of(JointId{j}) < 0) cut_joints_.push_back(JointId{j});
}

std::string TreeState::element_of(int tangent_index) const {
  const int nv = tree_->nv();
  const int speed = tangent_index < nv ? tangent_index : tangent_index - nv;
  const auto& bodies = tree_->bodies();
  const auto next = std::upper_bound(bodies.begin(), bodies.end(), speed,
                                     [](int v, const TreeBody& body) { return v < body.v; });
  if (speed >= nv && speed < nv + 2 * tree_->model().mode_count()) return "the modes";
  if (next == bodies.begin() || speed >= nv) return {};
  // Several bodies may start at the same speed when some have none: the last of them has it.
  const TreeBody& body = *(next - 1);
  return body.joint.valid() ? fmt::format("joint '{}'", tree_->model().joint(body.joint).name)
                            : fmt::format("body '{}'", tree_->model().body(body.body).name);
}

void TreeState::encode(const Configuration& from, std::span<double> x) const {
  for (const TreeBody& body : tree_->bodies()) {
    double* q = x.data() + body.q;
    double* v = x.data() + tree_->nq() + body.v;
    const Transform& X_WB = from.poses[body.body.slot()];
    const Vec6& V = from.velocities[body.body.slot()];
    if (!body.joint.valid()) {
      q[0] = X_WB.q.w();
      Eigen::Map<Vec3>(q + 1) = X_WB.q.vec();
      Eigen::Map<Vec3>(q + 4) = X_WB.p;
      Eigen::Map<Vec3>(v + 0) = X_WB.q.conjugate() * V.head<3>();
      Eigen::Map<Vec3>(v + 3) = V.tail<3>();
      continue;
    }
    const Joint& joint = tree_->model().joint(body.joint);
    const JointView view = view_at_rest(joint, from);
    const double* near = from.coordinates.data() + joint.first_freedom;
    const Rows speeds = joint.speed_rows(view, near);
    const Vec6 V_a = carrier_velocity(joint.a, joint.attachment_a, from);
    const Vec6 V_b = carrier_velocity(joint.b, joint.attachment_b, from);
    for (int k = 0; k < body.nv; ++k) v[k] = speeds[k].rate(V_a, V_b);
    if (!body.has_quaternion()) {
      std::copy_n(near, body.nv, q);
      continue;
    }
    const Quat turn =
        ((carrier_of(joint.a, joint.attachment_a, from).X * joint.X_CF()).q.conjugate() *
         (carrier_of(joint.b, joint.attachment_b, from).X * joint.X_CM()).q)
            .normalized();
    q[0] = turn.w();
    Eigen::Map<Vec3>(q + 1) = turn.vec();
    if (body.type == JointType::kFree) std::copy_n(near + 3, 3, q + 4);
  }
  double* modes = x.data() + tree_->nq() + tree_->nv();
  std::copy(from.modes.begin(), from.modes.end(), modes);
  std::copy(from.mode_rates.begin(), from.mode_rates.end(), modes + from.modes.size());
}

void TreeState::write_position_rates(std::span<const double> q, std::span<const double> v,
                                     int stride, std::span<double> dx) const {
  copy_numbers(v.data(), stride * tree_->nv(), dx.data());
  // A quaternion's rate is the angular velocity in the frame it maps to.
  for (const int slot : with_quaternion_) {
    const TreeBody& body = tree_->bodies()[to_index(slot)];
    for (int l = 0; l < stride; ++l) {
      const auto number = [&](std::span<const double> from, int i) {
        return from[to_index(stride * i + l)];
      };
      // R ω = ω + 2/|q|² (w u × ω + u × (u × ω)) for q = (w, u) of any length.
      const double c = number(q, body.q);
      const Vec3 u(number(q, body.q + 1), number(q, body.q + 2), number(q, body.q + 3));
      const Vec3 omega(number(v, body.v), number(v, body.v + 1), number(v, body.v + 2));
      const Vec3 turned = u.cross(omega);
      const Vec3 w = omega + 2 / (c * c + u.squaredNorm()) * (c * turned + u.cross(turned));
      for (int k = 0; k < 3; ++k) dx[to_index(stride * (body.v + k) + l)] = w[k];
    }
  }
}

// Rotation vectors go on from what they were.
void TreeState::read_coordinates(std::span<const double> x,
                                 std::vector<double>& coordinates) const {
  const Model& model = tree_->model();
  const double* v = x.data() + tree_->nq();
  coordinates.resize(to_index(model.freedom_count()));
  for (const TreeBody& body : tree_->bodies()) {
    if (!body.joint.valid()) continue;
    double* to = coordinates.data() + model.joint(body.joint).first_freedom;
    if (!body.has_quaternion()) {
      std::copy_n(x.data() + body.q, body.nv, to);
      continue;
    }
    double next[6];
    for (int k = 0; k < body.nv; ++k)
      next[k] = coordinate_row(*tree_, body, k, x.data(), v, coordinates).value;
    std::copy_n(next, body.nv, to);
  }
}

void TreeState::decode(std::span<const double> x, const TreeMotion& motion,
                       Configuration& to) const {
  const Model& model = tree_->model();
  to.poses.resize(model.bodies().size());
  to.velocities.resize(model.bodies().size());
  to.poses[0] = {};
  to.velocities[0].setZero();
  for (std::size_t i = 0; i < tree_->bodies().size(); ++i) {
    const TreeBody& body = tree_->bodies()[i];
    to.poses[body.body.slot()] = motion.X_WB[i];
    to.velocities[body.body.slot()] = motion.V[i];
  }
  decode_coordinates(x, to);
}

// [branches-joint]
void TreeState::decode(std::span<const double> x, Configuration& to) const {
  const Model& model = tree_->model();
  to.poses.assign(model.bodies().size(), {});
  to.velocities.assign(model.bodies().size(), Vec6::Zero());
  const double* modes = x.data() + tree_->nq() + tree_->nv();
  to.modes.assign(modes, modes + model.mode_count());
  to.mode_rates.assign(modes + model.mode_count(), modes + 2 * model.mode_count());
  for (const TreeBody& body : tree_->bodies()) {
    const double* q = x.data() + body.q;
    const double* v = x.data() + tree_->nq() + body.v;
    const JointKind& kind = tree_->kind(body);
    const Transform X_FM = std::visit([&](const auto& k) { return k.X_FM(q); }, kind);
    Mat6xUpTo6 S;
    std::visit([&](const auto& k) { k.S_M(q, S); }, kind);
    const Vec6 V_M = S * Eigen::Map<const VecX>(v, body.nv);
    if (!body.joint.valid()) {
      to.poses[body.body.slot()] = X_FM;
      to.velocities[body.body.slot()] = rotated(X_FM.R(), V_M);
      continue;
    }
    const Joint& joint = model.joint(body.joint);
    Carrier carrier;
    if (!body.reversed) {
      const Carrier below = carrier_of(joint.a, joint.attachment_a, to);
      const Transform X_WM = below.X * joint.X_CF() * X_FM;
      carrier.X = X_WM * joint.X_CM().inverse();
      carrier.V = shift_motion(below.V, carrier.X.p - below.X.p) +
                  shift_motion(rotated(X_WM.R(), V_M), carrier.X.p - X_WM.p);
      place_by_carrier(joint.b, joint.attachment_b, carrier, to);
    } else {
      const Carrier below = carrier_of(joint.b, joint.attachment_b, to);
      const Transform X_WM = below.X * joint.X_CM();
      carrier.X = X_WM * X_FM.inverse() * joint.X_CF().inverse();
      carrier.V = shift_motion(below.V, carrier.X.p - below.X.p) -
                  shift_motion(rotated(X_WM.R(), V_M), carrier.X.p - X_WM.p);
      place_by_carrier(joint.a, joint.attachment_a, carrier, to);
    }
  }
  decode_coordinates(x, to);
}

void TreeState::decode_coordinates(std::span<const double> x, Configuration& to) const {
  const Model& model = tree_->model();
  read_coordinates(x, to.coordinates);
  for (const JointId joint : cut_joints_) update_coordinates(model.joint(joint), to);
}

}  // namespace sarrus::tree
