#pragma once

#include <memory>
#include <string>

#include "bench/tree.h"
#include "sarrus/analysis/moving_state.h"
#include "sarrus/formulations/formulation.h"
#include "sarrus/model/model.h"
#include "sarrus/topology/topology.h"

namespace sarrus::bench {

Description describe(const Tree& tree);

/// The tree's angles and speeds.
Configuration bent(const Model& model, const Tree& tree);

/// `order-n` where there is one, else `reference`.
std::string best_method();

/// A tree under one of our methods, at the tree's state.
class Subject {
 public:
  Subject(const Tree& tree, const std::string& method);

  /// Another mechanism, at its start.
  Subject(Model model, const std::string& method);

  /// @throws std::runtime_error when the numbers fail.
  void evaluate();

  /// Eight states at once, all the same; false where the method has no batches.
  bool evaluate_batch();

  std::vector<double> joint_accelerations();
  const Formulation& formulation() const { return *formulation_; }

 private:
  Subject(Model model, const std::string& method, const Configuration& moving);

  Model model_;
  Topology topology_;
  std::unique_ptr<Formulation> formulation_;
  std::unique_ptr<Workspace> workspace_;
  MovingState state_;
  std::vector<double> rates_;
  std::unique_ptr<Workspace> batch_workspace_;
  std::vector<double> batch_x_, batch_rates_;
};

}  // namespace sarrus::bench
