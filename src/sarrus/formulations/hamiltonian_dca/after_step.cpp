// What is done between steps: positions corrected, momenta gauged anew, singular positions noted.

#include <algorithm>
#include <cmath>
#include <utility>

#include "sarrus/constraints/kkt.h"
#include "sarrus/formulations/hamiltonian_dca/scratch.h"
#include "sarrus/formulations/singular_watch.h"

namespace sarrus {

using hamiltonian::joint_momenta;
using hamiltonian::sum_over_subtrees;

AfterStep HamiltonianDca::after_step(double t, std::span<double> x, Discrete& discrete,
                                     Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  AfterStep result;
  if (!drives_.empty())
    drives_.move(t, x.first(to_index(tree_.nq())), s.zeros, discrete.coordinates);
  if (carrying_.empty()) {
    if (tree_.has_joints_outside()) {
      kinematics(tree_, x.data(), s.zeros.data(), s.motion);
      s.configuration.coordinates = discrete.coordinates;
      state_.decode(x, s.motion, s.configuration);
      discrete.coordinates = s.configuration.coordinates;
    } else {
      state_.read_coordinates(x, discrete.coordinates);
    }
    return result;
  }
  const bool near = is_near_singular(discrete), whole = has_whole_momenta(discrete);
  const Wanted wanted = whole ? Wanted::kAccelerations : Wanted::kImpulses;
  const bool corrects = projection_ != Projection::kOff;
  const bool always = near || position_tolerance_ == 0;
  if (corrects && always) {
    read_pose(x, s);
    result.status = close_pose(t, discrete, s);
    if (!result.status.ok()) return result;
    std::ranges::copy(s.q, x.begin());
    result.changed = true;
  }
  result.status = move_and_find_velocities(t, x, wanted, discrete, s);
  if (!result.status.ok()) return result;
  if (corrects && !always && !(position_error(s) <= position_tolerance_)) {
    result.status = correct_positions(t, x, s);
    if (result.status.ok()) result.status = move_and_find_velocities(t, x, wanted, discrete, s);
    if (!result.status.ok()) return result;
    result.changed = true;
  }
  for (std::size_t m = 0; m < motion_rows_.size(); ++m)
    x[to_index(motions_at()) + m] = s.elimination().motion_rate()[to_index(motion_rows_[m])];
  const double strength = nominal_.strength(s.elimination());
  s.watch.finish_step(t, strength, discrete, result);
  const bool comes_near = watches_ && SingularWatch::is_weak(strength);
  discrete.integers[kNearSingular] = comes_near;
  if (options_.regauge || near || comes_near) {
    regauge(t, x, whole, s);
    result.changed = true;
  }
  state_.decode_coordinates(x, s.configuration);
  discrete.coordinates = s.configuration.coordinates;
  return result;
}

// Impulses of loops are taken into the momenta.  [hamilton-regauge]
void HamiltonianDca::regauge(double t, std::span<double> x, bool whole, Scratch& s) const {
  const std::span<double> p = x.subspan(to_index(momenta_at()), to_index(tree_.nv()));
  if (whole) {
    take_momenta_of_velocities(s);
    for (std::size_t k = 0; k < p.size(); ++k) p[k] = s.momenta[k] * inverse_scale_[k];
    return;
  }
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
    for (std::size_t k = 0; k < p.size(); ++k) s.momenta[k] *= inverse_scale_[k];
  }
  for (std::size_t k = 0; k < p.size(); ++k) p[k] -= s.momenta[k];
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

// Held impulses are not smooth where a stage is weak: their errors are no rounding.  [hamilton-singular]
ErrorTrust HamiltonianDca::filter_error(std::span<double> /*e*/, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  const ErrorTrust trust = s.watch.take_trust();
  return s.near_singular ? trust : ErrorTrust::kReliable;
}

}  // namespace sarrus
