#include "sarrus/analysis/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "sarrus/analysis/carry.h"
#include "sarrus/analysis/impulse.h"
#include "sarrus/constraints/closing.h"
#include "sarrus/constraints/projector.h"
#include "sarrus/elimination/tree_projector.h"
#include "sarrus/formulations/order_n/order_n.h"
#include "sarrus/model/loads.h"

namespace sarrus {
namespace {

/// Longest stride of a held coordinate on its way to the start [rad or typical lengths].
constexpr double kStride = 0.2;

/// A held speed or a closed velocity may miss by this much, relative to the largest speed.
constexpr double kSpeedTolerance = 1e-9;

/// Closed velocities miss by less than this, as far as rounding goes.
constexpr double kSpeedRounding = 1e-12;

[[noreturn]] void fail(const SourceLocation& where, std::string what, std::string hint) {
  throw ModelError({{where, std::move(what), std::move(hint)}});
}

SourceLocation location_of(const Model& model, const ConstraintSystem& system,
                           const VecX& residual) {
  Eigen::Index row = 0;
  residual.cwiseAbs().maxCoeff(&row);
  return model.joint(system.origins()[static_cast<std::size_t>(row)].joint).where;
}

// Where a coordinate is in Configuration::coordinates.
std::size_t slot_of(const Model& model, const Freedom& at) {
  return static_cast<std::size_t>(model.joint(at.joint).first_freedom + at.index);
}

std::vector<PrescribedMotion> held(const Model& model, bool speeds) {
  std::vector<PrescribedMotion> motions = model.motions();
  std::vector<char> taken(static_cast<std::size_t>(model.freedom_count()), 0);
  for (const PrescribedMotion& m : motions) taken[slot_of(model, m.at)] = 1;
  for (int j = 0; j < model.joint_count(); ++j) {
    const Joint& joint = model.joint(JointId{j});
    for (const Hold& hold : speeds ? joint.speed : joint.start) {
      const Freedom at = {JointId{j}, hold.freedom};
      if (std::exchange(taken[slot_of(model, at)], 1) != 0) continue;  // the motion decides
      const TimeFunction value =
          speeds ? TimeFunction(TimeFunction::Ramp{.rate = hold.value}) : TimeFunction(hold.value);
      motions.push_back({speeds ? "speed" : "start", at, value, /*on_speed=*/speeds});
    }
  }
  return motions;
}

/// The same motions, a part of the way from the present coordinates to their values at t = 0.
std::vector<PrescribedMotion> part_way(const Model& model, const Configuration& c,
                                       const std::vector<PrescribedMotion>& goal, double part) {
  std::vector<PrescribedMotion> motions = goal;
  for (PrescribedMotion& motion : motions) {
    const double now = c.coordinates[slot_of(model, motion.at)];
    motion.value = TimeFunction(now + part * (motion.value(0).value - now));
  }
  return motions;
}

double farthest(const Model& model, const Configuration& c,
                const std::vector<PrescribedMotion>& goal, double length) {
  double most = 0;
  for (const PrescribedMotion& motion : goal) {
    const Joint& joint = model.joint(motion.at.joint);
    const double way = std::abs(motion.value(0).value - c.coordinates[slot_of(model, motion.at)]);
    const bool turning =
        joint.is_angle(motion.at.index) || joint.is_on_rotation_vector(motion.at.index);
    most = std::max(most, turning ? way : way / length);
  }
  return most;
}

/// Closes loops: densely, or over an assembly tree.
class LoopCloser {
 public:
  LoopCloser(const Model& model, const Topology& topology, int dense_joints) : topology_(topology) {
    if (model.joint_count() > dense_joints && model.mode_count() == 0)
      tree_ = plan_assembly(model, topology);
  }

  Status close(const ConstraintSystem& system, Configuration& c) const {
    if (!tree_) return close_constraints(system, 0, c).status;
    VecX phi;
    system.evaluate_positions(0, c, phi);
    if (system.row_scale().cwiseProduct(phi).norm() <= closed_residual(system, c)) return {};
    const EliminationPlan plan(system, topology_, *tree_);
    Elimination elimination(plan, executor_, c, Metric::kGeometric);
    return TreeProjector(elimination).close(0, c);
  }

  /// Leaves the rates that are missed.
  Status project_velocities(const ConstraintSystem& system, Configuration& c,
                            VecX& phi_rate) const {
    if (!tree_) {
      Projector projector(system, system.rows());
      if (Status status = projector.factor(0, c); !status.ok()) return status;
      projector.project_velocities(0, c);
      phi_rate = projector.values().phi_rate;
      return {};
    }
    const EliminationPlan plan(system, topology_, *tree_);
    Elimination elimination(plan, executor_, c);
    // With a penalty weak directions would be closed by and by, or not at all.
    elimination.regularisation().penalty = 0;
    Status status = project_velocities(elimination, c, phi_rate);
    // Where masses lie far apart, directions are lost among them that geometry still tells from each
    // other. What is left of the rates there is small, so that the metric it is mended in says little.
    if (status.ok() && phi_rate.norm() > kSpeedRounding * largest_speed(c)) {
      elimination.measure(Metric::kGeometric, c);
      status = project_velocities(elimination, c, phi_rate);
    }
    return status;
  }

 private:
  static Status project_velocities(Elimination& elimination, Configuration& c, VecX& phi_rate) {
    if (Status status = elimination.factor(0, c, Elimination::Values::kVelocities); !status.ok())
      return status;
    const Status status = TreeProjector(elimination).project_velocities(0, c);
    phi_rate =
        Eigen::Map<const VecX>(elimination.phi_rate().data(), elimination.plan().system->rows());
    return status;
  }

  const Topology& topology_;
  std::optional<AssemblyTree> tree_;
  Executor executor_;
};

void close_positions(const Model& model, const LoopCloser& closer, Configuration& c) {
  const std::vector<PrescribedMotion> goal = held(model, /*speeds=*/false);
  const double length = ConstraintSystem(model).length();
  // Large turns are approached in strides, so that Newton's method stays near its root.
  for (double way = farthest(model, c, goal, length); way > kStride;
       way = farthest(model, c, goal, length)) {
    const ConstraintSystem stride =
        ConstraintSystem::with_held_modes(model, part_way(model, c, goal, kStride / way));
    if (!closer.close(stride, c).ok() || farthest(model, c, goal, length) > way - 0.5 * kStride)
      break;
  }
  // Deformations stay as described where the loops close with them.
  const ConstraintSystem system = ConstraintSystem::with_held_modes(model, goal);
  Status status = closer.close(system, c);
  if (!status.ok() && model.mode_count() > 0)
    status = closer.close(ConstraintSystem(model, goal), c);
  if (status.ok()) return;
  VecX phi;
  system.evaluate_positions(0, c, phi);
  const bool starts = std::any_of(model.joints().begin(), model.joints().end(),
                                  [](const Joint& joint) { return !joint.start.empty(); });
  fail(location_of(model, system, system.row_scale().cwiseProduct(phi)), status.reason,
       starts ? "check the geometry, the start pose and the held start values"
              : "check the geometry and the pose the loop is described in");
}

/// A joint row n·k = 0 is also zero when the frames are turned by half a turn; that is not closed.
void check_not_flipped(const Model& model, const Configuration& c) {
  for (const Joint& joint : model.joints()) {
    const JointView view = view_at_rest(joint, c);
    const Mat3 R = view.R_F.transpose() * view.R_M;
    bool flipped = false;
    switch (joint.type()) {
      case JointType::kRevolute:
      case JointType::kHelical:
      case JointType::kCylindrical:
      case JointType::kPlanar:
        flipped = R(2, 2) < 0;
        break;
      case JointType::kPrismatic:
        flipped = R(2, 2) < 0 || R(0, 0) < 0;
        break;
      case JointType::kFixed:
        // Its rows vanish at half turns (trace −1) and at third turns that permute the axes (trace 0).
        flipped = R.trace() < 2;
        break;
      default:
        break;
    }
    if (flipped)
      fail(joint.where, fmt::format("joint '{}' closes only the wrong way round", joint.name),
           "describe the two bodies nearer to the pose in which its frames coincide");
  }
}

void make_velocities_consistent(const Model& model, const LoopCloser& closer, Assembly& assembly) {
  Configuration& c = assembly.configuration;
  const std::vector<PrescribedMotion> speeds = held(model, /*speeds=*/true);
  const ConstraintSystem system = ConstraintSystem::with_held_modes(model, speeds);
  if (system.rows() == 0) return;
  // Held speeds are ramps from zero: only their rates count here.
  VecX phi_rate(system.rows());
  double scale = 0;
  for (int j = 0; j < model.joint_count(); ++j) {
    const Joint& joint = model.joint(JointId{j});
    const Vec6 V_A = carrier_velocity(joint.a, joint.attachment_a, c);
    const Vec6 V_B = carrier_velocity(joint.b, joint.attachment_b, c);
    system.visit_rows_at_rest(j, 0, c, [&](int r, const Row& row, const TimeFunction::Value& f) {
      phi_rate[r] = row.rate(V_A, V_B) - f.rate;
      scale = std::max(scale, std::abs(f.rate));
    });
  }
  scale = std::max(scale, largest_speed(c));
  for (const double rate : c.mode_rates) scale = std::max(scale, std::abs(rate));
  if (phi_rate.norm() <= 1e-15 * scale || scale == 0) return;
  const std::vector<Vec6> wished = c.velocities;
  if (const Status status = closer.project_velocities(system, c, phi_rate); !status.ok())
    fail({}, status.reason, "the velocities at the start are not determined");
  if (phi_rate.norm() > kSpeedTolerance * scale && model.mode_count() > 0) {
    c.velocities = wished;
    closer.project_velocities(ConstraintSystem(model, speeds), c, phi_rate);
  }
  assembly.velocity_residual = phi_rate.norm();
  if (assembly.velocity_residual > kSpeedTolerance * scale)
    fail(location_of(model, system, phi_rate),
         fmt::format("{} cannot have the speed asked for: {:.3g} is missing",
                     system.worst(phi_rate), assembly.velocity_residual),
         "the held speeds and prescribed motions contradict each other or the joints");
}

// One joint after the other outwards, each at the coordinates that its described bodies give or
// that are held; then the speeds nearest to the wished-for velocities. [assembly-open]
void assemble_open(const Model& model, const Topology& topology, Assembly& assembly) {
  using namespace articulated;
  Configuration& c = assembly.configuration;
  const OrderN method(model, topology, {.kernel = "plain"});
  const Tree& tree = method.tree();
  std::vector<double> x(static_cast<std::size_t>(method.layout().size()));
  Discrete discrete;
  method.encode(c, x, discrete);
  const std::span<double> q = std::span(x).first(to_index(tree.nq()));
  const std::span<double> v = std::span(x).subspan(to_index(tree.nq()), to_index(tree.nv()));
  std::fill(v.begin(), v.end(), 0.0);
  const std::vector<PrescribedMotion> places = held(model, /*speeds=*/false);
  Drives(tree, places).move(0, q, v, c.coordinates);
  const std::vector<Vec6> wished = c.velocities;
  discrete.coordinates = c.coordinates;
  method.decode(x, discrete, c);
  discrete.coordinates = c.coordinates;

  // min ½ Σ (V − V*)ᵀ M (V − V*): what impulses M V* do to the mechanism at rest.
  const std::vector<PrescribedMotion> speeds = held(model, /*speeds=*/true);
  const bool moves =
      std::any_of(wished.begin(), wished.end(), [](const Vec6& V) { return V != Vec6::Zero(); });
  if (speeds.empty() && !moves) return;
  TreeMotion motion;
  kinematics(tree, x.data(), v.data(), motion);
  motion.gravity.setZero();
  std::vector<Vec6> impulses;
  for (std::size_t i = 0; i < tree.bodies().size(); ++i) {
    const BodyId body = tree.bodies()[i].body;
    const Mat6 M = model.body(body).inertia.matrix(motion.X_WB[i].R());
    impulses.push_back(M * wished[body.slot()]);
  }
  std::vector<DrivenJoint> drives;
  Drives(tree, speeds).complete_speeds(0, q, v, c.coordinates, drives);
  if (const Status status = check_inertia(tree, motion, drives); !status.ok())
    fail({}, status.reason, "the velocities at the start are not determined");
  const std::vector<double> no_forces(v.size(), 0.0);
  std::vector<double> found(v.size());
  forward_dynamics(tree, motion, no_forces, impulses, drives, found);
  std::copy(found.begin(), found.end(), v.begin());
  method.decode(x, discrete, c);
}

void assemble_loops(const Model& model, const Topology& topology, int dense_joints,
                    Assembly& assembly) {
  const LoopCloser closer(model, topology, dense_joints);
  close_positions(model, closer, assembly.configuration);
  check_not_flipped(model, assembly.configuration);
  make_velocities_consistent(model, closer, assembly);
}

// [flexible-assembly]  One joint after the other outwards, at the coordinates of the undeformed
// mechanism or those that are held, on bodies as deformed as they are at the start; then the loops.
void assemble_flexible(const Model& model, const Topology& topology, Assembly& assembly) {
  Configuration& c = assembly.configuration;
  Configuration undeformed = c;
  std::fill(undeformed.modes.begin(), undeformed.modes.end(), 0.0);
  update_coordinates(model, undeformed);
  c.coordinates = undeformed.coordinates;
  for (const PrescribedMotion& motion : held(model, /*speeds=*/false))
    c.coordinates[slot_of(model, motion.at)] = motion.value(0).value;
  for (const BodyId body : topology.order) {
    const JointId id = topology.parent_joint[body.slot()];
    if (!id.valid()) continue;
    const Joint& joint = model.joint(id);
    const Vec6 wished = c.velocities[body.slot()];
    carry(joint, transform_from_coordinates(joint.kind, c.coordinates.data() + joint.first_freedom),
          Vec6::Zero(), joint.b == body, c);
    c.velocities[body.slot()] = wished;
  }
  update_coordinates(model, c);
  assemble_loops(model, topology, model.joint_count(), assembly);
}

}  // namespace

Assembly assemble(const Model& model) { return assemble(model, analyse_topology(model)); }

Assembly assemble(const Model& model, const Topology& topology, int dense_joints) {
  Assembly assembly;
  assembly.configuration = model.reference_configuration();
  Configuration& c = assembly.configuration;
  update_coordinates(model, c);
  if (model.mode_count() > 0) {
    assemble_flexible(model, topology, assembly);
  } else if (topology.is_tree()) {
    check_not_flipped(model, c);
    assemble_open(model, topology, assembly);
  } else {
    assemble_loops(model, topology, dense_joints, assembly);
  }
  for (std::size_t i = 1; i < c.poses.size(); ++i)
    assembly.moved = std::max(assembly.moved, (c.poses[i].p - model.bodies()[i].X_WB.p).norm());
  VecX phi;
  const ConstraintSystem system(model);
  system.evaluate_positions(0, c, phi);
  assembly.position_residual = phi.norm();
  return assembly;
}

}  // namespace sarrus
