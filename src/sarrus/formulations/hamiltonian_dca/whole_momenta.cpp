// Near singular positions, and where impulses of loops are not unique: momenta that contain those
// impulses, and poses that are closed.

#include <algorithm>
#include <cmath>

#include "sarrus/formulations/hamiltonian_dca/scratch.h"

namespace sarrus {

using hamiltonian::body_momenta;
using hamiltonian::joint_momenta;
using hamiltonian::momentum_rates;
using hamiltonian::sum_over_subtrees;

bool HamiltonianDca::is_near_singular(const Discrete& discrete) const {
  return watches_ && discrete.integers[kNearSingular] != 0;
}

// The pose in the scratch is moved onto the constraints: near singular positions what it is off them
// is amplified.
Status HamiltonianDca::close_pose(double t, const Discrete& discrete, Scratch& s) const {
  place_bodies(discrete, s);
  std::ranges::fill(s.x, 0.0);  // at rest
  std::ranges::copy(s.q, s.x.begin());
  Status status = correct_positions(t, s.x, s);
  std::copy_n(s.x.begin(), s.q.size(), s.q.begin());
  return status;
}

// Do rows of loops that depend on each other carry impulses? Which of them do is the elimination's
// choice, and changes with the pose.  [hamilton-redundant]
bool HamiltonianDca::impulses_depend(const Configuration& generic, Scratch& s) const {
  state_.encode(generic, s.x);
  std::copy_n(s.x.begin(), tree_.nq(), s.q.begin());
  std::vector<double> x(to_index(layout_.size()), 0.0);
  for (int k = 0; k < tree_.nv(); ++k)
    x[to_index(momenta_at() + k)] = std::sin(1.0 + k);  // any momenta
  const Discrete discrete{.coordinates = generic.coordinates, .integers = {0, 0}, .reals = {}};
  if (!find_velocities(0, x, Wanted::kImpulses, discrete, s).ok()) return false;
  const std::vector<char> depends = s.elimination().dependent_rows();
  double largest = 0, not_unique = 0;
  for (std::size_t r = 0; r < depends.size(); ++r) {
    if (!is_carried_[r]) continue;
    const Eigen::Map<const Vec6> J(s.elimination().J_B(static_cast<int>(r)));
    const double impulse = std::abs(s.elimination().lambda()[r]) *
                           (J.head<3>().norm() / system_.length() + J.tail<3>().norm());
    largest = std::max(largest, impulse);
    if (depends[r]) not_unique = std::max(not_unique, impulse);
  }
  constexpr double kCarries = 1e-6;  // planar loops show 1e-15, spatial ones one half or more
  return not_unique > kCarries * largest;
}

// p = Sᵀ P of the velocities in the scratch.  [hamilton-momentum]
void HamiltonianDca::take_momenta_of_velocities(Scratch& s) const {
  body_momenta(tree_, s.motion, s.sums.momentum);
  sum_over_subtrees(tree_, s.motion, s.sums.momentum);
  joint_momenta(tree_, s.motion, s.sums.momentum, s.momenta);
}

// d/dt of those, from the accelerations just found.  [hamilton-whole]
void HamiltonianDca::find_whole_momentum_rates(Scratch& s) const {
  body_momenta(tree_, s.motion, s.sums.momentum);
  s.sums.force.resize(tree_.bodies().size());
  for (std::size_t i = 0; i < tree_.bodies().size(); ++i) {
    const BodyId body = tree_.bodies()[i].body;
    const Inertia& inertia = model_.body(body).inertia;
    const Mat3 R = s.motion.X_WB[i].R();
    s.sums.force[i] = inertia.matrix(R) * s.elimination().a()[body.slot()] +
                      gyroscopic_wrench(inertia, R, s.motion.V[i].head<3>());
  }
  sum_over_subtrees(tree_, s.motion, s.sums.momentum);
  sum_over_subtrees(tree_, s.motion, s.sums.force);
  momentum_rates(tree_, s.motion, s.sums, s.momentum_rate);
}

}  // namespace sarrus
