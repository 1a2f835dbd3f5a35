#include <fmt/format.h>

#include "sarrus/base/thresholds.h"
#include "sarrus/constraints/kkt.h"
#include "sarrus/spatial/dense.h"
#include "sarrus/testing/random_forces.h"
#include "sarrus/topology/topology.h"

namespace sarrus::testing {
namespace {

/// Smooth from before t = 0 on, with the given value at t = 0.
TimeFunction random_motion(double start, Random& random) {
  TimeFunction f;
  switch (random.below(4)) {
    case 0:
      f = TimeFunction(TimeFunction::Sine{.amplitude = random.uniform(-0.3, 0.3),
                                          .angular_frequency = random.uniform(1, 5),
                                          .phase = random.uniform(0, 6)});
      break;
    case 1:
      f = TimeFunction(TimeFunction::Step{0, random.uniform(-0.5, 0.5), -0.3, 1});
      break;
    case 2:
      f = TimeFunction(TimeFunction::Ramp{.rate = random.uniform(-1, 1), .start = -1});
      break;
    default:
      f = TimeFunction(TimeFunction::Table{
          {-1, 0.1, 1}, {random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), 0}, true});
  }
  return scaled(f, 1, start - f(0).value);
}

/// How much of the last motion's row, at the reference pose, no other constraint rules: 0 when the
/// coordinate is ruled already, 1 when it is as free as outside a loop.
double freedom_of_last(const Model& model, const std::vector<PrescribedMotion>& motions) {
  const ConstraintSystem system(model, motions);
  ConstraintValues values;
  system.evaluate(0, model.reference_configuration(), values);
  const MatX J = system.row_scale().asDiagonal() * values.J * system.column_scale().asDiagonal();
  std::vector<Eigen::Index> others;
  Eigen::Index last = 0;
  for (int r = 0; r < system.rows(); ++r) {
    const int motion = system.origins()[static_cast<std::size_t>(r)].motion;
    if (motion + 1 == static_cast<int>(motions.size()))
      last = r;
    else
      others.push_back(r);
  }
  if (others.empty()) return 1;
  const VecX row = J.row(last).transpose();
  const MatX free = complement_of(J(others, Eigen::all).transpose(), thresholds::kDependent);
  return (free.transpose() * row).norm() / row.norm();
}

}  // namespace

void add_random_motions(Description& description, Random& random) {
  const Model model(description);
  const Topology topology = analyse_topology(model);
  std::vector<int> block_of(model.joints().size(), -1);
  for (std::size_t i = 0; i < topology.loop_blocks.size(); ++i)
    for (JointId joint : topology.loop_blocks[i]) block_of[joint.slot()] = static_cast<int>(i);
  std::vector<char> driven(topology.loop_blocks.size(), 0);

  std::vector<PrescribedMotion> motions;
  for (int j = 0; j < model.joint_count(); ++j) {
    const Joint& joint = model.joint(JointId{j});
    if (joint.nv() == 0 || !random.chance(0.3)) continue;
    const int k = random.below(joint.nv());
    const int block = block_of[static_cast<std::size_t>(j)];
    TimeFunction value = random_motion(joint.reference[k], random);
    // Beside others a free joint is in no loop, but driven it would close one.
    const bool is_in_tree = topology.parent_joint[joint.a.slot()] == JointId{j} ||
                            topology.parent_joint[joint.b.slot()] == JointId{j};
    if (joint.type() == JointType::kFree && !is_in_tree) continue;
    if (block >= 0) {
      // Loops have dead ends: stay near, and away from poses where a small motion means a large one.
      constexpr double kSmall = 0.2;
      constexpr double kFree = 0.3;
      value = scaled(value, kSmall, (1 - kSmall) * joint.reference[k]);
      if (driven[static_cast<std::size_t>(block)]) continue;
      std::vector<PrescribedMotion> wished = motions;
      wished.push_back({"wished", {JointId{j}, k}, value});
      if (freedom_of_last(model, wished) < kFree) continue;
      driven[static_cast<std::size_t>(block)] = 1;
    }
    motions.push_back({"made", {JointId{j}, k}, value});
    description.add_force(
        fmt::format("F{}", description.forces.size() + 1),
        MotionDescription{joint.name,
                          model.coordinate_names(JointId{j})[static_cast<std::size_t>(k)], value});
  }
}

}  // namespace sarrus::testing
