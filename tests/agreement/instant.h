#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sarrus/analysis/assembly.h"
#include "sarrus/analysis/moving_state.h"
#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/model/model.h"
#include "sarrus/spatial/rotation.h"
#include "sarrus/testing/joint_law.h"
#include "sarrus/topology/topology.h"

namespace sarrus::testing {

/// One configuration in motion, the same for all methods that are asked about it.
class Instant {
 public:
  /// As assembled for seed 0; else with random velocities, which `who` makes consistent.
  Instant(Model model, unsigned seed, const std::string& who = "reference")
      : model_(std::move(model)),
        topology_(analyse_topology(model_)),
        assembled_(assemble(model_, topology_).configuration),
        now_(assembled_) {
    if (seed == 0) return;
    const auto method = make_formulation({.method = who}, model_, topology_, assembled_);
    const auto workspace = method->make_workspace();
    MovingState state;
    const Configuration wild = random_motion(model_, topology_, assembled_, seed);
    demand(make_moving_state(*method, wild, *workspace, state));
    method->decode(state.x, state.discrete, now_);
  }
  Instant(const Description& description, unsigned seed, const std::string& who = "reference")
      : Instant(Model(description), seed, who) {}

  const Model& model() const { return model_; }
  const Topology& topology() const { return topology_; }
  const Configuration& now() const { return now_; }

  std::unique_ptr<Formulation> under(const FormulationOptions& options) const {
    return make_formulation(options, model_, topology_, assembled_);
  }
  MovingState state_of(const Formulation& method) const {
    MovingState state;
    state.x.assign(static_cast<std::size_t>(method.layout().size()), 0);
    method.encode(now_, state.x, state.discrete);
    return state;
  }
  Motion motion(const FormulationOptions& options) const {
    const auto method = under(options);
    const auto workspace = method->make_workspace();
    const MovingState state = state_of(*method);
    Motion motion;
    demand(method->evaluate(0, state.x, state.discrete, *workspace, motion));
    return motion;
  }
  /// As those who watch every step get it, without reactions.
  Motion watched_motion(const FormulationOptions& options) const {
    const auto method = under(options);
    const auto workspace = method->make_workspace();
    const MovingState state = state_of(*method);
    Motion motion;
    demand(method->evaluate_motion(0, state.x, state.discrete, *workspace, motion));
    return motion;
  }
  std::vector<double> rates(const FormulationOptions& options) const {
    const auto method = under(options);
    const auto workspace = method->make_workspace();
    const MovingState state = state_of(*method);
    std::vector<double> rates(static_cast<std::size_t>(method->layout().tangent_size()));
    demand(method->rates(0, state.x, state.discrete, *workspace, rates));
    return rates;
  }

 private:
  static void demand(const Status& status) {
    if (!status.ok()) throw UsageError(status.reason);
  }

  const Model model_;
  const Topology topology_;
  const Configuration assembled_;
  Configuration now_;
};

/// The largest force of a joint along a motion that it allows and that nothing exerts, over the largest
/// force or torque of any joint or weight: virtual_power asks each joint by itself, which rounding
/// does not allow where one of a mechanism's joints carries nothing.
inline double work_of_joints(const Model& model, const Motion& motion) {
  double size = 1e-300, most = 0;
  for (const Body& body : model.bodies())
    size = std::max(size, body.inertia.mass * model.gravity().norm());
  for (int j = 0; j < model.joint_count(); ++j) {
    const Vec6& W = motion.reactions[static_cast<std::size_t>(j)];
    size = std::max(size, W.norm());
    if (model.joint(JointId{j}).nv() == 0) continue;
    const JointLaw law = joint_law(model, motion, JointId{j});
    const VecX residual = law.allowed.transpose() * (law.S.transpose() * W - law.force);
    if (residual.size() > 0) most = std::max(most, residual.lpNorm<Eigen::Infinity>());
  }
  return most / size;
}

/// A description that grows by bars between points and joints at points.
struct Drawing {
  Description description;

  /// A stout bar: a slender one would bring its own condition number along.
  Drawing& bar(const std::string& name, const Vec3& from, const Vec3& to, double mass = 1) {
    BodyDescription body;
    body.name = name;
    body.mass = mass;
    const double square = mass * (to - from).squaredNorm() / 12;
    body.inertia = Vec3(square, 1.2 * square, 0.4 * square).asDiagonal();
    body.pose.q = Quat(frame_with_z(to - from, (to - from).unitOrthogonal()));
    body.pose.p = 0.5 * (from + to);
    description.add_body(body);
    return *this;
  }
  Drawing& joint(const std::string& name, JointType type, const std::string& a,
                 const std::string& b, const Vec3& at, const Vec3& axis = Vec3::UnitZ(),
                 CutPreference cut = CutPreference::kAuto) {
    JointDescription joint;
    joint.name = name;
    joint.type = type;
    joint.body_a = a;
    joint.body_b = b;
    joint.at.q = Quat(frame_with_z(axis.normalized(), axis.unitOrthogonal()));
    joint.at.p = at;
    if (type == JointType::kHelical) joint.lead = 0.2;
    joint.cut = cut;
    description.add_joint(joint);
    return *this;
  }
  Drawing& hinge(const std::string& name, const std::string& a, const std::string& b,
                 const Vec3& at, const Vec3& axis = Vec3::UnitZ(),
                 CutPreference cut = CutPreference::kAuto) {
    return joint(name, JointType::kRevolute, a, b, at, axis, cut);
  }
};

}  // namespace sarrus::testing
