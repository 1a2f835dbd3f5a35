#pragma once

#include <memory>
#include <utility>

#include "sarrus/formulations/formulation.h"
#include "sarrus/integration/stepper.h"
#include "sarrus/mobility/rank_study.h"
#include "sarrus/model/model.h"
#include "sarrus/simulation/simulation.h"

namespace sarrus {

/// A model where it stands, with what is known of its constraints. Never moved: its parts refer to
/// each other.
struct Mechanism {
  Mechanism(Model described, Topology graph, Configuration at)
      : model(std::move(described)), topology(std::move(graph)), configuration(std::move(at)) {}
  Mechanism(const Mechanism&) = delete;
  Mechanism& operator=(const Mechanism&) = delete;

  Model model;
  Topology topology;
  Configuration configuration;  ///< in which it was studied: closed
  RankStudy study{model, topology, configuration};
};

/// A mechanism with the method that moves it, from some instant on. An edit makes a new one.
struct Engine {
  /// Stands at t with the supplied work given; `options` are resolved ones.
  /// @throws UsageError when the method cannot represent the model.
  Engine(std::unique_ptr<Mechanism> mechanism, double t, double supplied,
         const SimulationOptions& options);
  Engine(const Engine&) = delete;  // its parts refer to each other
  Engine& operator=(const Engine&) = delete;

  /// The instant, judged.
  Status evaluate(double t, Sample& sample, bool with_reactions = true);

  /// The present one but for accelerations and what they are judged by, which are left empty.
  void look(Sample& sample);

  std::unique_ptr<Mechanism> mechanism;
  const Model& model;
  const Topology& topology;
  std::unique_ptr<Formulation> formulation;
  std::unique_ptr<Stepper> stepper;
};

}  // namespace sarrus
