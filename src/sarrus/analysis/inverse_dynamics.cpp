#include "sarrus/analysis/inverse_dynamics.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/order_n/order_n.h"

namespace sarrus {

using namespace articulated;

InverseDynamics inverse_dynamics(const Model& model, const Topology& topology, double t,
                                 const Configuration& configuration,
                                 const JointAccelerations& accelerations) {
  if (accelerations.joints.size() != to_index(model.freedom_count()) ||
      accelerations.roots.size() != topology.floating_roots.size())
    throw UsageError(fmt::format(
        "'{}' takes {} joint accelerations and {} of floating roots; given are {} and {}",
        model.name(), model.freedom_count(), topology.floating_roots.size(),
        accelerations.joints.size(), accelerations.roots.size()));
  if (model.mode_count() > 0)
    throw UsageError(
        fmt::format("inverse dynamics does not take flexible bodies yet, and '{}' is one",
                    model.flexible_bodies().front()));
  const OrderN method(model, topology, {.kernel = "plain"});
  const Tree& tree = method.tree();
  std::vector<double> x(to_index(method.layout().size()));
  Discrete discrete;
  method.encode(configuration, x, discrete);
  const std::span<const double> v = std::span(x).subspan(to_index(tree.nq()), to_index(tree.nv()));

  std::vector<double> v_rate(v.size());
  for (const TreeBody& body : tree.bodies()) {
    if (!body.joint.valid()) continue;
    std::copy_n(accelerations.joints.begin() + model.joint(body.joint).first_freedom, body.nv,
                v_rate.begin() + body.v);
  }
  for (std::size_t i = 0; i < topology.floating_roots.size(); ++i) {
    const BodyId root = topology.floating_roots[i];
    double* rate = v_rate.data() + tree.bodies()[to_index(tree.slot_of(root))].v;
    const Vec6& A = accelerations.roots[i];
    Eigen::Map<Vec3>(rate + 0) = configuration.poses[root.slot()].q.conjugate() * A.head<3>();
    Eigen::Map<Vec3>(rate + 3) = A.tail<3>();
  }

  TreeMotion motion;
  kinematics(tree, x.data(), v.data(), motion);
  std::vector<Vec6> external;
  method.external_wrenches(t, motion, external);
  JointWrenches wrenches;
  newton_euler(tree, motion, v_rate, external, wrenches);
  std::vector<double> loads(v.size(), 0.0);
  JointLoads(tree).add(t, std::span(x).first(to_index(tree.nq())), v, configuration.coordinates,
                       loads);

  InverseDynamics result;
  result.forces.resize(to_index(model.freedom_count()));
  result.reactions.resize(model.joints().size());
  for (std::size_t i = 0; i < tree.bodies().size(); ++i) {
    const TreeBody& body = tree.bodies()[i];
    if (!body.joint.valid()) continue;
    for (int k = 0; k < body.nv; ++k)
      result.forces[to_index(model.joint(body.joint).first_freedom + k)] =
          wrenches.tau[to_index(body.v + k)] - loads[to_index(body.v + k)];
    result.reactions[body.joint.slot()] = reaction(tree, body, wrenches.wrench[i], configuration);
  }
  for (const BodyId root : topology.floating_roots)
    result.roots.push_back(wrenches.wrench[to_index(tree.slot_of(root))]);
  return result;
}

}  // namespace sarrus
