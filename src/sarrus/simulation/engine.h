#pragma once

#include <memory>

#include "sarrus/formulations/formulation.h"
#include "sarrus/integration/stepper.h"
#include "sarrus/model/model.h"
#include "sarrus/simulation/simulation.h"
#include "sarrus/topology/topology.h"

namespace sarrus {

/// A model with the method that moves it, from some instant on. An edit makes a new one.
struct Engine {
  /// Stands at t with the supplied work given; `options` are resolved ones.
  /// @throws UsageError when the method cannot represent the model.
  Engine(Model model, Topology topology, const Configuration& configuration, double t,
         double supplied, const SimulationOptions& options);
  Engine(const Engine&) = delete;  // its parts refer to each other
  Engine& operator=(const Engine&) = delete;

  /// The instant, judged.
  Status evaluate(double t, Sample& sample, bool with_reactions = true);

  /// The present one but for accelerations and what they are judged by, which are left empty.
  void look(Sample& sample);

  Model model;
  Topology topology;
  std::unique_ptr<Formulation> formulation;
  std::unique_ptr<Stepper> stepper;
};

}  // namespace sarrus
