#pragma once

#include "sarrus/formulations/order_n/order_n.h"

namespace sarrus {

/// What one thread needs to evaluate one state.
struct OrderN::Scratch final : Workspace {
  explicit Scratch(const OrderN& f)
      : kernel(f.kernel_model_, f.tree_.traversal()),
        tau(order_n::of(f.tree_.nv()), 0.0),
        tau_free(order_n::of(f.kernel_model_.unknown_count()), 0.0),
        unknowns(order_n::of(f.kernel_model_.unknown_count()), 0.0),
        kernel_drives(f.drives_.size()),
        rest(tau.size(), 0.0) {}

  order_n::KernelScratch kernel;
  std::vector<double> tau;       ///< per speed
  std::vector<double> tau_free;  ///< per unknown
  std::vector<double> unknowns;
  std::vector<double> q, v;  ///< with what is prescribed
  std::vector<order_n::PlainDrive> drives;
  std::vector<order_n::Drive> kernel_drives;
  std::vector<double> rest;  ///< zeros, per speed
  order_n::PlainMotion motion;
  std::vector<Vec6> external;
  order_n::Closures::Scratch closures;
  Configuration configuration;  ///< of a step just taken, where there are loops
  order_n::JointWrenches wrenches;
  bool has_inertia = false;  ///< in every direction; checked once
};

}  // namespace sarrus
