#pragma once

#include <atomic>

#include "sarrus/formulations/branches/branches.h"
#include "sarrus/formulations/branches/connection_rows.h"

namespace sarrus {

/// What one thread needs to evaluate one state.
struct Branches::ScratchSpace final : Workspace {
  explicit ScratchSpace(const Branches& f)
      : memory(*f.plan_, f.has_mass_matrix_),
        fronts(*f.fronts_, *f.plan_),
        tree(f.executor_, f.fronts_->tasks()),
        tau(branches::of(f.tree_.nv()), 0.0),
        tau_free(branches::of(f.plan_->unknown_count()), 0.0),
        unknowns(branches::of(f.plan_->unknown_count()), 0.0),
        own_eta_rate(branches::of(f.model_.mode_count()), 0.0),
        own_v_rate(branches::of(f.tree_.nv()), 0.0),
        handles(2 * f.plan_->connections().size()),
        roots(f.plan_->branches().size()),
        rows(f.plan_->connections().size()),
        troubles(f.plan_->branches().size(), -1),
        powers(f.plan_->branches().size()),
        sizes(f.plan_->branches().size()),
        left(f.plan_->connections().size()),
        arrived(f.plan_->connections().size()),
        missing(branches::of(f.plan_->row_count())) {
    std::size_t numbers = 0;
    for (std::size_t b = 0; b < f.plan_->branches().size(); ++b)
      numbers += branches::of(f.plan_->constants(static_cast<int>(b)).stride);
    lambda = AlignedArray<double>(numbers);
  }

  void use_own_rates() {
    eta_rate = own_eta_rate.data();
    v_rate = own_v_rate.data();
  }

  branches::Plan::Memory memory;
  branches::Fronts::Memory fronts;
  Executor::Cut tree;
  branches::Inputs in;
  std::vector<double> q, v;  ///< with what is prescribed
  std::vector<double> tau, tau_free, unknowns, own_eta_rate, own_v_rate;
  double *eta_rate = nullptr, *v_rate = nullptr;  ///< where rates go: to these, or to a caller's
  std::vector<order_n::PlainDrive> drives;
  std::vector<branches::Frame> handles;  ///< of each connection: on its first body, on its second
  std::vector<branches::Frame> roots;    ///< per branch that is free
  std::vector<branches::ConnectionRows> rows;
  std::vector<int> troubles;              ///< per branch: the body that moves without inertia
  std::vector<double> powers;             ///< per branch: of modal forces without a potential
  std::vector<double> sizes;              ///< per branch: of what its rows would do without forces
  std::vector<double> left;               ///< per connection: what its rows still do
  std::vector<std::atomic<int>> arrived;  ///< per connection: sides that are done, but for pairs
  AlignedArray<double> lambda;
  double power = 0;
  Configuration configuration;
  Loads loads;
  std::vector<double> missing;  ///< per row
  std::vector<double> tangent, moved, state;
  std::vector<Vec6> wrenches;  ///< through the joints of bodies
};

}  // namespace sarrus
