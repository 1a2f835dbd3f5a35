// Stage 1: velocities from momenta.

#include <algorithm>
#include <cmath>

#include "sarrus/constraints/kkt.h"
#include "sarrus/formulations/hamiltonian_dca/scratch.h"

namespace sarrus {

using hamiltonian::active_impulses;
using hamiltonian::body_momenta;
using hamiltonian::joint_momenta;
using hamiltonian::joint_speeds;
using hamiltonian::LaneSolver;
using hamiltonian::sum_over_subtrees;
using tree::kinematics;

void HamiltonianDca::read_pose(std::span<const double> x, Scratch& s) const {
  std::copy_n(x.begin(), tree_.nq(), s.q.begin());
}

void HamiltonianDca::read_momenta(std::span<const double> x, Scratch& s) const {
  for (std::size_t k = 0; k < scale_.size(); ++k)
    s.momenta[k] = scale_[k] * x[to_index(momenta_at()) + k];
}

// Poses of all bodies at the coordinates in the scratch, at rest.
void HamiltonianDca::place_bodies(const Discrete& discrete, Scratch& s) const {
  std::ranges::fill(s.u, 0.0);
  kinematics(tree_, s.q.data(), s.u.data(), s.motion);
  for (std::size_t i = 0; i < tree_.bodies().size(); ++i)
    s.configuration.poses[tree_.bodies()[i].body.slot()] = s.motion.X_WB[i];
  s.configuration.coordinates = discrete.coordinates;
}

Status HamiltonianDca::solve_for_velocities(Scratch& s, bool again) const {
  const Elimination::Stop stop{.natural = natural_speed_, .goes_on = again};
  if (Status status = s.elimination().solve(s.impulses, s.g, stop); !status.ok()) return status;
  s.counters.iterations += s.elimination().iterations;
  for (std::size_t i = 0; i < tree_.bodies().size(); ++i) {
    const std::size_t body = tree_.bodies()[i].body.slot();
    const Vec6& V = s.elimination().a()[body];
    if (!V.allFinite()) return {Status::Code::kNotFinite, "the velocities are not finite"};
    s.motion.V[i] = V;
    s.configuration.velocities[body] = V;
  }
  return {};
}

// Stage 1: the motion that the momenta of x produce from rest at the pose in the scratch. Prescribed
// rates are those of t, or those in x.  [hamilton-velocities]
//
// Where constraints depend on each other the elimination leaves some out, of joints of the tree perhaps,
// and those of cut joints carry what these should. A second solve, from the momenta of the
// bodies as just found, leaves to all of them only what the momenta of the joints lack.
Status HamiltonianDca::find_velocities(double t, std::span<const double> x, Wanted wanted,
                                       const Discrete& discrete, Scratch& s) const {
  if (wanted != Wanted::kAccelerations) {
    if (lanes_) return find_lane_velocities(t, x, discrete, s);
    if (open_) return find_open_velocities(x, discrete, s);
    if (is_fast_) return find_fast_velocities(t, x, discrete, s);
  }
  place_bodies(discrete, s);
  Elimination& elimination = s.elimination();
  ++s.counters.factorizations;
  if (Status status = elimination.factor(t, s.configuration, Elimination::Values::kPositions);
      !status.ok())
    return status;
  read_momenta(x, s);
  active_impulses(tree_, s.motion, s.momenta, s.impulses);
  for (std::size_t m = 0; m < motion_rows_.size(); ++m) {
    const auto r = to_index(motion_rows_[m]);
    s.g[r] =
        -(wanted == Wanted::kState ? x[to_index(motions_at()) + m] : elimination.motion_rate()[r]);
  }
  if (Status status = solve_for_velocities(s, /*again=*/false); !status.ok()) return status;
  // [hamilton-redundant]  It matters to the impulses alone.
  if (nominal_.rank < system_.rows() && wanted == Wanted::kImpulses) {
    body_momenta(tree_, s.motion, s.sums.momentum);
    for (std::size_t i = 0; i < tree_.bodies().size(); ++i)
      s.Q[tree_.bodies()[i].body.slot()] = s.sums.momentum[i];
    sum_over_subtrees(tree_, s.motion, s.sums.momentum);
    joint_momenta(tree_, s.motion, s.sums.momentum, s.momentum_rate);
    for (std::size_t k = 0; k < scale_.size(); ++k) s.momenta[k] -= s.momentum_rate[k];
    active_impulses(tree_, s.motion, s.momenta, s.impulses);
    for (std::size_t i = 1; i < s.Q.size(); ++i) s.impulses[i] += s.Q[i];
    if (Status status = solve_for_velocities(s, /*again=*/true); !status.ok()) return status;
  }
  if (drives_tree_) elimination.find_multipliers(s.configuration);
  joint_speeds(tree_, s.motion, s.u);
  watch_pivots(s);
  return {};
}

// The same in one sweep up and down with the kernels of augmented-dca: accelerations of bodies at rest
// under impulses are their velocities.
Status HamiltonianDca::find_fast_velocities(double t, std::span<const double> x,
                                            const Discrete& discrete, Scratch& s) const {
  place_bodies(discrete, s);
  read_momenta(x, s);
  active_impulses(tree_, s.motion, s.momenta, s.impulses);
  std::ranges::fill(s.configuration.velocities, Vec6::Zero());
  body_state::write(s.configuration, s.bodies_at_rest);
  augmented_dca::FastPartSolver& fast = *s.eliminated->fast;
  fast.begin(s.bodies_at_rest.data(), s.configuration.coordinates.data(), s.impulses.data(),
             s.bodies_rates.data());
  ++s.counters.factorizations;
  if (Status status = s.elimination().factor_and_solve(t, s.configuration, fast, {}); !status.ok())
    return status;
  s.counters.iterations += s.elimination().iterations;
  for (std::size_t i = 0; i < tree_.bodies().size(); ++i) {
    const std::size_t body = tree_.bodies()[i].body.slot();
    const double* rates = &s.bodies_rates[body_state::kBodyTangent * (body - 1)];
    s.motion.V[i] = s.configuration.velocities[body] = Eigen::Map<const Vec6>(rates + 6);
  }
  joint_speeds(tree_, s.motion, s.u);
  watch_pivots(s);
  return {};
}

// The same with kernels for all of it; poses and velocities of the bodies as well.
Status HamiltonianDca::find_lane_velocities(double t, std::span<const double> x,
                                            const Discrete& discrete, Scratch& s) const {
  s.configuration.coordinates = discrete.coordinates;
  LaneSolver::Inputs inputs = s.lane_inputs(*this, x, discrete);
  inputs.q = s.q.data();
  inputs.u = s.u.data();
  inputs.configuration = &s.configuration;
  ++s.counters.factorizations;
  const Status status =
      s.eliminated->lanes->solve(t, inputs, executor_, s.elimination(), s.configuration);
  if (!status.ok()) return status;
  s.counters.iterations += s.elimination().iterations;
  watch_pivots(s);
  return {};
}

// The same of a single open part: the articulated-body recursion.
Status HamiltonianDca::find_open_velocities(std::span<const double> x, const Discrete& discrete,
                                            Scratch& s) const {
  read_momenta(x, s);
  if (Status status = open_->speeds_from_rest(s.q, s.momenta, *s.open, s.u); !status.ok())
    return status;
  kinematics(tree_, s.q.data(), s.u.data(), s.motion);
  for (std::size_t i = 0; i < tree_.bodies().size(); ++i) {
    const std::size_t body = tree_.bodies()[i].body.slot();
    s.configuration.poses[body] = s.motion.X_WB[i];
    s.configuration.velocities[body] = s.motion.V[i];
  }
  s.configuration.coordinates = discrete.coordinates;
  return {};
}

Status HamiltonianDca::move_and_find_velocities(double t, std::span<const double> x, Wanted wanted,
                                                const Discrete& discrete, Scratch& s) const {
  read_pose(x, s);
  if (!drives_.empty()) drives_.move(t, s.q, s.zeros, discrete.coordinates);
  return find_velocities(t, x, wanted, discrete, s);
}

// How near to a singular position a stage has come.
void HamiltonianDca::watch_pivots(Scratch& s) const {
  if (!plan_.iterates) return;
  s.watch.see(nominal_.strength(s.elimination()));
}

}  // namespace sarrus
