#include "sarrus/analysis/moving_state.h"

#include <array>
#include <numbers>
#include <random>

#include "sarrus/analysis/carry.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus {
namespace {

// Uniform in (−most, most); the same numbers everywhere, which std's distributions do not promise.
class Chance {
 public:
  explicit Chance(unsigned seed) : engine_(seed) {}
  double operator()(double most) { return most * (2 * (engine_() + 0.5) / 4294967296.0 - 1); }

 private:
  std::mt19937 engine_;
};

// The numbers that Joint::S_M takes, at a pose of M in F.
std::array<double, 7> inner_coordinates(const Joint& joint, const Transform& X_FM,
                                        const double* coordinates) {
  std::array<double, 7> q = {};
  if (joint.nq() == joint.nv())
    std::copy_n(coordinates, joint.nq(), q.begin());
  else
    q = {X_FM.q.w(), X_FM.q.x(), X_FM.q.y(), X_FM.q.z(), X_FM.p.x(), X_FM.p.y(), X_FM.p.z()};
  return q;
}

void bend(const Joint& joint, Chance& chance, double* coordinates) {
  constexpr double kSlide = 0.1;  // [m]
  const bool has_rotation_vector =
      joint.type() == JointType::kSpherical || joint.type() == JointType::kFree;
  for (int k = 0; k < joint.nv(); ++k) {
    const bool rotates = has_rotation_vector && k < 3;
    coordinates[k] += chance(rotates ? 1 : joint.is_angle(k) ? std::numbers::pi : kSlide);
  }
}

}  // namespace

Configuration random_motion(const Model& model, const Topology& topology,
                            const Configuration& assembled, unsigned seed) {
  Chance chance(seed);
  const bool is_open = topology.is_tree() && model.motions().empty();
  Configuration c = assembled;
  for (const Body& body : model.bodies()) {
    if (body.modal == nullptr) continue;
    // Nodes by a centimetre, and ten a second.
    const VecX unit = body.modal->unit_deformation(1);
    for (int k = 0; k < body.modal->count(); ++k) {
      const auto at = static_cast<std::size_t>(body.first_mode + k);
      if (is_open) c.modes[at] += chance(0.01 * unit[k]);
      c.mode_rates[at] = chance(0.1 * unit[k]);
    }
  }
  for (const BodyId body : topology.order) {
    const JointId parent_joint = topology.parent_joint[body.slot()];
    if (!parent_joint.valid()) {
      for (Eigen::Index k = 0; k < 6; ++k) c.velocities[body.slot()][k] = chance(1);
      continue;
    }
    const Joint& joint = model.joint(parent_joint);
    double* coordinates = c.coordinates.data() + joint.first_freedom;
    if (is_open) bend(joint, chance, coordinates);
    const Transform X_FM =
        is_open ? transform_from_coordinates(joint.kind, coordinates) : pose_in_joint(joint, c);
    VecUpTo6 v(joint.nv());
    for (int k = 0; k < joint.nv(); ++k) v[k] = chance(1);
    const Mat6xUpTo6 S = joint.S_M(inner_coordinates(joint, X_FM, coordinates).data());
    carry(joint, X_FM, S * v, joint.b == body, c);
  }
  return c;
}

Status make_moving_state(const Formulation& formulation, const Configuration& configuration,
                         Workspace& workspace, MovingState& state) {
  state.x.assign(static_cast<std::size_t>(formulation.layout().size()), 0);
  formulation.encode(configuration, state.x, state.discrete);
  return formulation.after_step(0, state.x, state.discrete, workspace).status;
}

Status set_in_motion(const Formulation& formulation, const AssembledModel& subject,
                     Workspace& workspace, MovingState& state) {
  constexpr unsigned kTrials = 5;
  std::vector<double> rates(static_cast<std::size_t>(formulation.layout().tangent_size()));
  Status status;
  for (unsigned seed = 1; seed <= kTrials; ++seed) {
    status = make_moving_state(
        formulation, random_motion(subject.model, subject.topology, subject.assembled, seed),
        workspace, state);
    if (status.ok()) status = formulation.rates(0, state.x, state.discrete, workspace, rates);
    if (status.ok()) {
      // Output looks closer than the rates do: is there inertia everywhere?
      const auto other = formulation.make_workspace();
      Motion motion;
      status = formulation.evaluate(0, state.x, state.discrete, *other, motion);
    }
    if (status.ok()) return status;
  }
  return status;
}

}  // namespace sarrus
