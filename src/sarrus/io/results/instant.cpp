#include "sarrus/io/results/instant.h"

#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sarrus/base/assert.h"
#include "sarrus/model/loads.h"

namespace sarrus {

Instant::Instant(const Model& model, std::vector<ConnectionOutline> connections)
    : model_(&model), connections_(std::move(connections)) {
  list_elements(model, bodies_, joints_);
  flexible_ = list_flexible(model);
  layout_ = make_results_layout(bodies_, joints_, flexible_, connections_);
  numbers_.resize(layout_.size);
  // The identity's side of the sphere is qw ≥ 0.
  quaternions_.assign(bodies_.size(), Quat::Identity());
  if (const ResultTable* nodes = layout_.find_table("nodes"))
    node_quaternions_.assign(nodes->rows.size(), Quat::Identity());
  follow(model);
}

void Instant::follow(const Model& model) {
  model_ = &model;
  std::unordered_map<std::string_view, int> bodies;
  std::unordered_map<std::string_view, int> joints;
  for (int i = 1; i < model.body_count(); ++i) bodies.emplace(model.body(BodyId{i}).name, i);
  for (int j = 0; j < model.joint_count(); ++j) joints.emplace(model.joint(JointId{j}).name, j);
  body_places_.clear();
  for (const std::string& name : bodies_) {
    const auto found = bodies.find(name);
    body_places_.push_back(found == bodies.end() ? -1 : found->second);
  }
  flexible_places_.clear();
  for (const FlexibleOutline& outline : flexible_) {
    const auto found = bodies.find(outline.body);
    const bool is_there =
        found != bodies.end() && model.body(BodyId{found->second}).modal != nullptr;
    flexible_places_.push_back(is_there ? found->second : -1);
  }
  connection_places_.clear();
  for (const ConnectionOutline& connection : connections_) {
    const auto found = joints.find(connection.joint);
    connection_places_.push_back(found == joints.end() ? -1 : found->second);
  }
  joint_places_.clear();
  for (const JointOutline& outline : joints_) {
    const auto found = joints.find(outline.name);
    const bool is_there =
        found != joints.end() && model.joint(JointId{found->second}).type() == outline.type;
    joint_places_.push_back(is_there ? found->second : -1);
  }
}

void Instant::leave_out(std::size_t count) {
  for (std::size_t k = 0; k < count; ++k)
    numbers_[next_++] = std::numeric_limits<double>::quiet_NaN();
}

void Instant::add(double value) { numbers_[next_++] = value + 0.0; }  // no negative zeros

void Instant::add(const Vec3& vector) {
  for (Eigen::Index k = 0; k < 3; ++k) add(vector[k]);
}

void Instant::update(const Sample& sample) {
  const Motion& motion = sample.motion;
  next_ = 0;
  time_ = motion.time;
  add_bodies(motion);
  add_joints(motion);
  add_reactions(motion);
  for (const double energy : {sample.kinetic, sample.potential, sample.total(), motion.supplied})
    add(energy);
  for (const double norm :
       {sample.constraints.position, sample.constraints.velocity, sample.constraints.acceleration})
    add(norm);
  add_modes(motion);
  add_nodes(motion);
  add_connections(motion);
  SARRUS_ASSERT(next_ == layout_.size);
}

void Instant::add_bodies(const Motion& motion) {
  const std::size_t width = layout_.table("bodies").width;
  for (std::size_t row = 0; row < bodies_.size(); ++row) {
    if (body_places_[row] < 0) {
      leave_out(width);
      continue;
    }
    const auto i = static_cast<std::size_t>(body_places_[row]);
    const Transform& X_WB = motion.configuration.poses[i];
    const Vec6& V = motion.configuration.velocities[i];
    const Vec6& A = motion.accelerations[i];
    // Of q and −q, the same rotation, the one that goes on from the last.
    Quat& q = quaternions_[row];
    q = X_WB.q.dot(q) < 0 ? Quat(-X_WB.q.coeffs()) : X_WB.q;
    add(X_WB.p);
    add(q.w());
    add(q.vec());
    add(V.head<3>());
    add(V.tail<3>());
    add(A.head<3>());
    add(A.tail<3>());
  }
}

void Instant::add_joints(const Motion& motion) {
  const Configuration& c = motion.configuration;
  const std::size_t width = layout_.table("joints").width;
  for (std::size_t row = 0; row < joints_.size(); ++row) {
    if (joint_places_[row] < 0) {
      leave_out(width * joint_coordinate_names(joints_[row].type).size());
      continue;
    }
    const Joint& joint = model_->joint(JointId{joint_places_[row]});
    if (joint.nv() == 0) continue;
    const double* near = c.coordinates.data() + joint.first_freedom;
    const JointView view = view_of(joint, c);
    const Rows positions = joint.coordinate_rows(view, near);
    const Rows speeds = joint.speed_rows(view, near);
    const Vec6 V_A = carrier_velocity(joint.a, joint.attachment_a, c);
    const Vec6 V_B = carrier_velocity(joint.b, joint.attachment_b, c);
    const Vec6 A_A = carrier_acceleration(joint.a, joint.attachment_a, motion);
    const Vec6 A_B = carrier_acceleration(joint.b, joint.attachment_b, motion);
    for (int k = 0; k < speeds.count; ++k) {
      const Row& speed = speeds[k];
      add(positions[k].value);
      add(speed.rate(V_A, V_B));
      add(speed.rate(A_A, A_B) + speed.gamma);
    }
  }
}

void Instant::add_modes(const Motion& motion) {
  for (std::size_t row = 0; row < flexible_.size(); ++row) {
    if (flexible_places_[row] < 0) {
      leave_out(3 * flexible_[row].modes.size());
      continue;
    }
    const int first = model_->body(BodyId{flexible_places_[row]}).first_mode;
    for (std::size_t k = 0; k < flexible_[row].modes.size(); ++k) {
      const std::size_t mode = static_cast<std::size_t>(first) + k;
      add(motion.configuration.modes[mode]);
      add(motion.configuration.mode_rates[mode]);
      add(motion.mode_accelerations[mode]);
    }
  }
}

void Instant::add_nodes(const Motion& motion) {
  std::size_t place = 0;
  for (std::size_t row = 0; row < flexible_.size(); ++row) {
    const std::size_t count = flexible_[row].nodes.size();
    if (flexible_places_[row] < 0) {
      leave_out(count * layout_.table("nodes").width);
      place += count;
      continue;
    }
    const BodyId id{flexible_places_[row]};
    const Body& body = model_->body(id);
    for (std::size_t k = 0; k < count; ++k) {
      const NodeAttachment attachment = {body.modal, static_cast<int>(k), body.first_mode, {}};
      const Transform X =
          motion.configuration.poses[id.slot()] * node_pose(attachment, motion.configuration);
      const Vec6 V = node_velocity(id, attachment, motion.configuration);
      Quat& q = node_quaternions_[place++];
      q = X.q.dot(q) < 0 ? Quat(-X.q.coeffs()) : X.q;
      add(X.p);
      add(q.w());
      add(q.vec());
      add(V.head<3>());
      add(V.tail<3>());
    }
  }
}

void Instant::add_connections(const Motion& motion) {
  for (std::size_t row = 0; row < connections_.size(); ++row) {
    if (connection_places_[row] < 0) {
      leave_out(layout_.table("connections").width);
      continue;
    }
    const Vec6& wrench = motion.reactions[static_cast<std::size_t>(connection_places_[row])];
    add(wrench.tail<3>());
    add(wrench.head<3>());
    add(connections_[row].closes_loop ? 1 : 0);
    add(connections_[row].piece_a);
    add(connections_[row].piece_b);
  }
}

void Instant::add_reactions(const Motion& motion) {
  const std::size_t width = layout_.table("reactions").width;
  for (const int place : joint_places_) {
    if (place < 0) {
      leave_out(width);
      continue;
    }
    const auto j = static_cast<std::size_t>(place);
    add(motion.reactions[j].tail<3>());
    add(motion.reactions[j].head<3>());
    add(motion.reaction_is_unique[j] != 0 ? 1.0 : 0.0);
  }
}

}  // namespace sarrus
