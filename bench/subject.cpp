#include "bench/subject.h"

#include <algorithm>
#include <stdexcept>

#include "sarrus/analysis/assembly.h"
#include "sarrus/formulations/order_n/order_n.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus::bench {
namespace {

std::string link_name(int i) { return i < 0 ? "ground" : "link" + std::to_string(i); }

void check(const Status& status) {
  if (!status.ok()) throw std::runtime_error("the numbers failed: " + status.reason);
}

}  // namespace

Description describe(const Tree& tree) {
  Description description;
  description.name = tree.shape;
  description.gravity = {0, 0, -kGravity};
  std::vector<double> start;  // of each link, along x
  for (int i = 0; i < tree.size(); ++i) {
    const int parent = tree.parent[static_cast<std::size_t>(i)];
    start.push_back(parent < 0 ? 0 : start[static_cast<std::size_t>(parent)] + kLength);
    BodyDescription body;
    body.name = link_name(i);
    body.mass = kMass;
    body.center_of_mass = {kCenter, 0, 0};
    body.inertia = Vec3(kInertia[0], kInertia[1], kInertia[2]).asDiagonal();
    body.pose.p = {start.back(), 0, 0};
    description.add_body(body);
    JointDescription joint;
    joint.name = "J" + std::to_string(i);
    joint.body_a = link_name(parent);
    joint.body_b = link_name(i);
    joint.at = {least_turn(Vec3::UnitZ(), Vec3::Unit(Tree::axis(i))), body.pose.p};
    description.add_joint(joint);
  }
  return description;
}

Configuration bent(const Model& model, const Tree& tree) {
  Configuration c = model.reference_configuration();
  for (std::size_t i = 0; i < tree.parent.size(); ++i) {
    const auto parent = static_cast<std::size_t>(tree.parent[i] + 1);  // ground is body 0
    const Vec3 axis = Vec3::Unit(Tree::axis(static_cast<int>(i)));
    const Vec3 offset(tree.parent[i] < 0 ? 0 : kLength, 0, 0);
    const Transform turn = {Quat(Eigen::AngleAxisd(tree.angle[i], axis)), offset};
    c.poses[i + 1] = c.poses[parent] * turn;
    c.velocities[i + 1] = shift_motion(c.velocities[parent], c.poses[i + 1].p - c.poses[parent].p);
    c.velocities[i + 1].head<3>() += c.poses[i + 1].q * Vec3(tree.speed[i] * axis);
    c.coordinates[i] = tree.angle[i];
  }
  return c;
}

std::string best_method() {
  const bool has_order_n =
      std::ranges::any_of(methods(), [](const MethodInfo& m) { return m.name == "order-n"; });
  return has_order_n ? "order-n" : "reference";
}

Subject::Subject(const Tree& tree, const std::string& method)
    : Subject(Model(describe(tree)), method, bent(Model(describe(tree)), tree)) {}

Subject::Subject(Model model, const std::string& method)
    : Subject(model, method, assemble(model, analyse_topology(model)).configuration) {}

Subject::Subject(Model model, const std::string& method, const Configuration& moving)
    : model_(std::move(model)),
      topology_(analyse_topology(model_)),
      formulation_(make_formulation({.method = method}, model_, topology_, moving)),
      workspace_(formulation_->make_workspace()),
      rates_(static_cast<std::size_t>(formulation_->layout().tangent_size())) {
  check(make_moving_state(*formulation_, moving, *workspace_, state_));
}

void Subject::evaluate() {
  check(formulation_->rates(0, state_.x, state_.discrete, *workspace_, rates_));
}

bool Subject::evaluate_batch() {
  const auto* method = dynamic_cast<const OrderN*>(formulation_.get());
  if (method == nullptr) return false;
  constexpr std::size_t kLanes = OrderN::kBatch;
  if (!batch_workspace_) {
    batch_workspace_ = method->make_batch_workspace();
    batch_x_.resize(kLanes * state_.x.size());
    batch_rates_.resize(kLanes * rates_.size());
    for (std::size_t i = 0; i < batch_x_.size(); ++i) batch_x_[i] = state_.x[i / kLanes];
  }
  const Status status =
      method->batch_rates(0, batch_x_, state_.discrete, *batch_workspace_, batch_rates_);
  if (!status.ok()) throw std::runtime_error(status.reason);
  return true;
}

std::vector<double> Subject::joint_accelerations() {
  Motion motion;
  check(formulation_->evaluate(0, state_.x, state_.discrete, *workspace_, motion));
  std::vector<double> result;
  for (const Joint& joint : model_.joints()) {
    const Vec3 z = motion.configuration.poses[joint.b.slot()].q * joint.X_BM.q * Vec3::UnitZ();
    result.push_back(z.dot(
        (motion.accelerations[joint.b.slot()] - motion.accelerations[joint.a.slot()]).head<3>()));
  }
  return result;
}

}  // namespace sarrus::bench
