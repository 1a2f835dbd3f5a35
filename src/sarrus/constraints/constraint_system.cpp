#include "sarrus/constraints/constraint_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>

#include "sarrus/model/loads.h"
#include "sarrus/model/typical_length.h"

namespace sarrus {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::vector<JointId> all_joints(const Model& model) {
  std::vector<JointId> ids;
  for (int i = 0; i < model.joint_count(); ++i) ids.push_back(JointId{i});
  return ids;
}

std::vector<BodyId> all_bodies(const Model& model) {
  std::vector<BodyId> ids;
  for (int i = 1; i < model.body_count(); ++i) ids.push_back(BodyId{i});
  return ids;
}

/// The moving bodies that the joints touch, in order.
std::vector<BodyId> bodies_of(const Model& model, const std::vector<JointId>& joints) {
  std::vector<BodyId> ids;
  for (JointId id : joints)
    for (BodyId body : {model.joint(id).a, model.joint(id).b})
      if (body != kGround) ids.push_back(body);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

/// Rows measured in radians: the dot rows, and angles. Which they are depends on the type of a joint
/// alone: it is seen at any pose.
class AngularRows {
 public:
  bool constraint(const Joint& joint, int row) { return of(joint).constraints[at(row)]; }
  bool coordinate(const Joint& joint, int row) { return of(joint).coordinates[at(row)]; }

 private:
  struct OfType {
    std::array<bool, 6> constraints{}, coordinates{};
  };

  const OfType& of(const Joint& joint) {
    std::optional<OfType>& known = types_[joint.kind.index()];
    if (known) return *known;
    const JointView view({}, {}, {}, {});
    const std::array<double, 6> near{};
    known.emplace();
    mark(joint.constraint_rows(view, near.data()), known->constraints);
    mark(joint.coordinate_rows(view, near.data()), known->coordinates);
    return *known;
  }
  static void mark(const Rows& rows, std::array<bool, 6>& angular) {
    for (int k = 0; k < rows.count; ++k)
      angular[at(k)] = rows[k].J_A.tail<3>().isZero(0) && rows[k].J_B.tail<3>().isZero(0);
  }

  std::array<std::optional<OfType>, std::variant_size_v<JointKind>> types_;
};

}  // namespace

ConstraintSystem::ConstraintSystem(const Model& model) : ConstraintSystem(model, model.motions()) {}

ConstraintSystem::ConstraintSystem(const Model& model, std::vector<PrescribedMotion> motions)
    : ConstraintSystem(model, all_joints(model), all_bodies(model), std::move(motions)) {}

ConstraintSystem ConstraintSystem::with_held_modes(const Model& model,
                                                   std::vector<PrescribedMotion> motions) {
  return {model, all_joints(model), all_bodies(model), std::move(motions), Modes::kHeld};
}

ConstraintSystem::ConstraintSystem(const Model& model, std::vector<JointId> joints,
                                   const std::vector<PrescribedMotion>& motions)
    : ConstraintSystem(model, joints, bodies_of(model, joints), motions) {}

ConstraintSystem::ConstraintSystem(const Model& model, std::vector<JointId> joints,
                                   std::vector<BodyId> bodies,
                                   std::vector<PrescribedMotion> motions, Modes modes)
    : model_(&model),
      joints_(std::move(joints)),
      columns_(model.bodies().size(), -1),
      column_bodies_(std::move(bodies)),
      motions_(std::move(motions)),
      motions_of_joint_(joints_.size()),
      length_(typical_length(joints_ | std::views::transform([&](JointId id) -> const Joint& {
                               return model.joint(id);
                             }))) {
  for (std::size_t i = 0; i < column_bodies_.size(); ++i)
    columns_[column_bodies_[i].slot()] = 6 * static_cast<int>(i);
  if (model.mode_count() > 0 && modes == Modes::kFree) {
    first_mode_columns_.assign(model.bodies().size(), -1);
    for (std::size_t i = 0; i < column_bodies_.size(); ++i) {
      const Body& body = model.body(column_bodies_[i]);
      if (body.modal == nullptr) continue;
      first_mode_columns_[column_bodies_[i].slot()] = columns();
      modes_of_bodies_.push_back({column_bodies_[i], static_cast<int>(i), columns()});
      mode_columns_ += body.modal->count();
    }
  }
  column_scale_.resize(columns());
  for (Eigen::Index i = 0; i < column_scale_.size(); ++i)
    column_scale_[i] = i % 6 < 3 ? 1 / length_ : 1.0;
  for (const ModeColumns& own : modes_of_bodies_) {
    const ModalBody& modal = *model.body(own.body).modal;
    column_scale_.segment(own.column, modal.count()) = modal.unit_deformation(length_);
  }
  if (!motions_.empty()) {
    std::vector<int> place(model.joints().size(), -1);
    for (std::size_t i = 0; i < joints_.size(); ++i) place[joints_[i].slot()] = static_cast<int>(i);
    for (std::size_t i = 0; i < motions_.size(); ++i)
      if (const int j = place[motions_[i].at.joint.slot()]; j >= 0)
        motions_of_joint_[at(j)].push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    first_rows_.push_back(rows());
    const int own = model.joint(joints_[i]).constraint_count();
    for (int k = 0; k < own; ++k) origins_.push_back({joints_[i], -1, k});
    for (int m : motions_of_joint_[i]) origins_.push_back({joints_[i], m, 0});
  }
  first_rows_.push_back(rows());

  AngularRows angular;
  row_scale_.resize(rows());
  for (int r = 0; r < rows(); ++r) {
    const Origin& origin = origins_[at(r)];
    const Joint& joint = model.joint(origin.joint);
    const bool is_angular = origin.motion < 0
                                ? angular.constraint(joint, origin.row)
                                : angular.coordinate(joint, motions_[at(origin.motion)].at.index);
    row_scale_[r] = is_angular ? length_ : 1.0;
  }
}

void ConstraintSystem::evaluate(double t, const Configuration& c, ConstraintValues& values) const {
  values.phi.resize(rows());
  values.phi_rate.resize(rows());
  values.gamma.resize(rows());
  values.motion_rate.setZero(rows());
  values.J.setZero(rows(), columns());
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Joint& joint = model_->joint(joints_[i]);
    const Vec6 V_A = carrier_velocity(joint.a, joint.attachment_a, c);
    const Vec6 V_B = carrier_velocity(joint.b, joint.attachment_b, c);
    std::optional<NodeMotion> node_a, node_b;
    if (joint.attachment_a != nullptr) node_a = node_motion(joint.a, *joint.attachment_a, c);
    if (joint.attachment_b != nullptr) node_b = node_motion(joint.b, *joint.attachment_b, c);
    visit_rows(static_cast<int>(i), t, c, [&](int r, const Row& row, const TimeFunction::Value& f) {
      values.phi[r] = row.value - f.value;
      values.phi_rate[r] = row.rate(V_A, V_B) - f.rate;
      values.gamma[r] = row.gamma - f.acceleration;
      values.motion_rate[r] = f.rate;
      put_row(r, joint.a, node_a ? &*node_a : nullptr, row.J_A, values);
      put_row(r, joint.b, node_b ? &*node_b : nullptr, row.J_B, values);
    });
  }
}

// [flexible-rows]  J of the carrier's velocity, in terms of its body's and its modes'.
void ConstraintSystem::put_row(int r, BodyId body, const NodeMotion* node, const Vec6& J,
                               ConstraintValues& values) const {
  const int first = column(body);
  if (first < 0) return;
  if (node == nullptr) {
    values.J.row(r).segment<6>(first) = J.transpose();
    return;
  }
  values.J.row(r).segment<6>(first) = shift_force(J, -node->s).transpose();
  values.gamma[r] += J.dot(node->bias);
  if (mode_columns_ > 0)
    values.J.row(r).segment(first_mode_columns_[body.slot()], node->Z.cols()) =
        J.transpose() * node->Z;
}

void ConstraintSystem::evaluate_positions(double t, const Configuration& c, VecX& phi) const {
  phi.resize(rows());
  for (std::size_t i = 0; i < joints_.size(); ++i)
    visit_rows_at_rest(
        static_cast<int>(i), t, c,
        [&](int r, const Row& row, const TimeFunction::Value& f) { phi[r] = row.value - f.value; });
}

std::string ConstraintSystem::worst(const VecX& phi) const {
  if (phi.size() == 0) return "no constraint";
  Eigen::Index row = 0;
  phi.cwiseAbs().maxCoeff(&row);
  const Origin& origin = origins_[static_cast<std::size_t>(row)];
  const std::string joint = fmt::format("joint '{}'", model_->joint(origin.joint).name);
  if (origin.motion < 0) return joint;
  return fmt::format("motion '{}' of {}", motions_[at(origin.motion)].name, joint);
}

VecX ConstraintSystem::velocities(const Configuration& c) const {
  VecX V(columns());
  for (std::size_t i = 0; i < column_bodies_.size(); ++i)
    V.segment<6>(6 * static_cast<Eigen::Index>(i)) = c.velocities[column_bodies_[i].slot()];
  for (const ModeColumns& own : modes_of_bodies_) {
    const Body& body = model_->body(own.body);
    V.segment(own.column, body.modal->count()) =
        Eigen::Map<const VecX>(c.mode_rates.data() + body.first_mode, body.modal->count());
  }
  return V;
}

void ConstraintSystem::set_velocities(const VecX& V, Configuration& c) const {
  for (std::size_t i = 0; i < column_bodies_.size(); ++i)
    c.velocities[column_bodies_[i].slot()] = V.segment<6>(6 * static_cast<Eigen::Index>(i));
  for (const ModeColumns& own : modes_of_bodies_) {
    const Body& body = model_->body(own.body);
    Eigen::Map<VecX>(c.mode_rates.data() + body.first_mode, body.modal->count()) =
        V.segment(own.column, body.modal->count());
  }
}

void ConstraintSystem::displace(const VecX& delta, Configuration& c) const {
  for (std::size_t i = 0; i < column_bodies_.size(); ++i) {
    Transform& pose = c.poses[column_bodies_[i].slot()];
    const auto d = delta.segment<6>(6 * static_cast<Eigen::Index>(i));
    pose.q = (exp_rotation(d.head<3>()) * pose.q).normalized();
    pose.p += d.tail<3>();
  }
  for (const ModeColumns& own : modes_of_bodies_) {
    const Body& body = model_->body(own.body);
    Eigen::Map<VecX>(c.modes.data() + body.first_mode, body.modal->count()) +=
        delta.segment(own.column, body.modal->count());
  }
}

}  // namespace sarrus
