#pragma once

#include <algorithm>
#include <atomic>

#include "sarrus/formulations/branches/branches.h"
#include "sarrus/formulations/branches/connection_rows.h"
#include "sarrus/formulations/singular_watch.h"
#include "sarrus/model/loads.h"

namespace sarrus {

/// What one thread needs to evaluate one state.
struct Branches::ScratchSpace final : Workspace {
  explicit ScratchSpace(const Branches& f)
      : memory(*f.plan_, f.has_mass_matrix_),
        fronts(*f.fronts_, *f.plan_),
        tree(f.executor_, f.fronts_->tasks()),
        tau(to_index(f.tree_.nv()), 0.0),
        tau_free(to_index(f.plan_->unknown_count()), 0.0),
        unknowns(to_index(f.plan_->unknown_count()), 0.0),
        own_eta_rate(to_index(f.model_.mode_count()), 0.0),
        own_v_rate(to_index(f.tree_.nv()), 0.0),
        kept_A(to_index(f.plan_->body_count())),
        kept_unknowns(unknowns.size()),
        kept_modes(own_eta_rate.size()),
        relative_handles(2 * f.plan_->connections().size()),
        handles(2 * f.plan_->connections().size()),
        relative_roots(f.plan_->branches().size()),
        roots(f.plan_->branches().size()),
        rows(f.plan_->connections().size()),
        branches(f.plan_->branches().size()),
        connections(f.plan_->connections().size()),
        missing(to_index(f.plan_->row_count())) {
    std::size_t numbers = 0;
    for (std::size_t b = 0; b < f.plan_->branches().size(); ++b)
      numbers += to_index(f.plan_->constants(static_cast<int>(b)).stride);
    lambda = AlignedArray<double>(numbers);
  }

  void use_own_rates() {
    eta_rate = own_eta_rate.data();
    v_rate = own_v_rate.data();
  }

  /// How strong the constraints of a stage are.
  void see(double strength) { watch.see(strength); }

  branches::Plan::Memory memory;
  branches::Fronts::Memory fronts;
  Executor::Cut tree;
  branches::Inputs in;
  std::vector<double> q, v;  ///< with what is prescribed
  std::vector<double> tau, tau_free, unknowns, own_eta_rate, own_v_rate;
  std::vector<branches::Six> kept_A;  ///< beside what is added to them
  std::vector<double> kept_unknowns, kept_modes;
  double *eta_rate = nullptr, *v_rate = nullptr;  ///< where rates go: to these, or to a caller's
  std::vector<tree::DrivenJoint> drives;
  // Of each connection: what carries it on its first body, on its second. Against the branch's root.
  std::vector<branches::Frame> relative_handles, handles;
  // Per branch that is free. Against what carries it.
  std::vector<branches::Frame> relative_roots, roots;
  std::vector<branches::ConnectionRows> rows;
  // Threads write to lines of their own.
  struct alignas(64) OfBranch {
    int trouble = -1;  ///< the body that moves without inertia
    double power = 0;  ///< of modal forces without a potential
    double size = 0;   ///< of what its rows would do without forces
    bool is_finite = true;
  };
  struct alignas(64) OfConnection {
    std::atomic<int> arrived = 0;  ///< sides that are done, but for pairs
    double left = 0;               ///< what its rows still do
    bool is_finite = true;
  };
  std::vector<OfBranch> branches;
  std::vector<OfConnection> connections;
  AlignedArray<double> lambda;
  double power = 0;
  Configuration configuration;
  Loads loads;
  std::vector<double> missing;  ///< per row
  std::vector<double> tangent, moved, state;
  std::vector<double> stage;  ///< a copy of one, moved onto the loops
  SingularWatch watch;
  std::vector<Vec6> wrenches;  ///< through the joints of bodies
};

}  // namespace sarrus
