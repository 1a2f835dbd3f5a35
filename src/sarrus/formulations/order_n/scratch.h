#pragma once

#include "sarrus/formulations/order_n/order_n.h"

namespace sarrus {

/// What one thread needs to evaluate one state.
struct OrderN::Scratch final : Workspace {
  explicit Scratch(const OrderN& f)
      : kernel(f.kernel_model_, f.tree_.traversal()),
        tau(to_index(f.tree_.nv()), 0.0),
        tau_free(to_index(f.kernel_model_.unknown_count()), 0.0),
        unknowns(to_index(f.kernel_model_.unknown_count()), 0.0),
        kernel_drives(f.drives_.size()),
        rest(tau.size(), 0.0) {}

  articulated::KernelScratch kernel;
  std::vector<double> tau;       ///< per speed
  std::vector<double> tau_free;  ///< per unknown
  std::vector<double> unknowns;
  std::vector<double> q, v;  ///< with what is prescribed
  std::vector<tree::DrivenJoint> drives;
  std::vector<tree::Drive> kernel_drives;
  std::vector<double> rest;  ///< zeros, per speed
  tree::TreeMotion motion;
  std::vector<Vec6> external;
  order_n::Closures::Scratch closures;
  Configuration configuration;  ///< of a step just taken, where there are loops
  articulated::JointWrenches wrenches;
  bool has_inertia = false;  ///< in every direction; checked once
};

}  // namespace sarrus
