// What is done between steps: positions corrected, momenta gauged anew, singular positions noted.

#include <cmath>
#include <utility>

#include "sarrus/constraints/kkt.h"
#include "sarrus/formulations/hamiltonian_dca/scratch.h"
#include "sarrus/formulations/order_n/joints_outside.h"
#include "sarrus/formulations/singular_watch.h"

namespace sarrus {

using hamiltonian::joint_momenta;
using hamiltonian::sum_over_subtrees;
using order_n::of;

AfterStep HamiltonianDca::after_step(double t, std::span<double> x, Discrete& discrete,
                                     Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  AfterStep result;
  if (!drives_.empty()) drives_.move(t, x.first(of(tree_.nq())), s.zeros, discrete.coordinates);
  if (carrying_.empty()) {
    if (order_n::has_joints_outside(tree_)) {
      kinematics(tree_, x.data(), s.zeros.data(), s.motion);
      s.configuration.coordinates = discrete.coordinates;
      state_.decode(x, s.motion, s.configuration);
      discrete.coordinates = s.configuration.coordinates;
    } else {
      state_.read_coordinates(x, discrete.coordinates);
    }
    return result;
  }
  result.status = move_and_find_velocities(t, x, Wanted::kImpulses, discrete, s);
  if (!result.status.ok()) return result;
  if (projection_ != Projection::kOff && !(position_error(s) <= position_tolerance_)) {
    result.status = correct_positions(t, x, s);
    if (result.status.ok())
      result.status = move_and_find_velocities(t, x, Wanted::kImpulses, discrete, s);
    if (!result.status.ok()) return result;
    result.changed = true;
  }
  for (std::size_t m = 0; m < motion_rows_.size(); ++m)
    x[of(motions_at()) + m] = s.elimination().motion_rate()[of(motion_rows_[m])];
  if (options_.regauge) {
    // [hamilton-regauge]
    carry_impulses(t, s);
    if (lanes_) {
      s.eliminated->lanes->sum_along_joints(s.carried, s.momenta.data());
    } else {
      std::vector<Vec6>& sums = s.sums.momentum;
      sums.resize(tree_.bodies().size());
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] = s.carried[tree_.bodies()[i].body.slot()];
      sum_over_subtrees(tree_, s.motion, sums);
      joint_momenta(tree_, s.motion, sums, s.momenta);
      for (std::size_t k = 0; k < scale_.size(); ++k) s.momenta[k] *= inverse_scale_[k];
    }
    for (std::size_t k = 0; k < scale_.size(); ++k) x[of(momenta_at()) + k] -= s.momenta[k];
    result.changed = true;
  }
  s.watch.finish_step(t, nominal_.strength(s.elimination()), discrete, result);
  state_.decode_coordinates(x, s.configuration);
  discrete.coordinates = s.configuration.coordinates;
  return result;
}

// ‖φ‖ at the pose that is factored, of joints outside the tree: those in it cannot open.
double HamiltonianDca::position_error(const Scratch& s) const {
  double square = 0;
  for (std::size_t r = 0; r < is_carried_.size(); ++r)
    if (is_carried_[r])
      square += s.eliminated->elimination.phi()[r] * s.eliminated->elimination.phi()[r];
  return std::sqrt(square);
}

// Positions move to the manifold with the least change in the kinetic metric; momenta stay.
Status HamiltonianDca::correct_positions(double t, std::span<double> x, Scratch& s) const {
  Configuration& c = s.configuration;
  if (Status status = s.eliminated->projector.project_positions(t, c); !status.ok()) return status;
  state_.decode_coordinates(x, c);
  update_coordinates(model_, c);
  state_.encode(c, s.x);
  std::copy_n(s.x.begin(), tree_.nq(), x.begin());
  return {};
}

ErrorTrust HamiltonianDca::filter_error(std::span<double> /*e*/, Workspace& workspace) const {
  return static_cast<Scratch&>(workspace).watch.take_trust();
}

}  // namespace sarrus
