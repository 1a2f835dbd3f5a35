#pragma once

#include <memory>
#include <string>

#include "sarrus/analysis/assembly.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/integration/integrator_options.h"
#include "sarrus/integration/stepper.h"
#include "sarrus/model/model.h"
#include "sarrus/topology/topology.h"

namespace sarrus::testing {

/// A mechanism under one method, ready to be questioned: assembled, standing at t = 0.
///
/// @code
/// Subject subject(random_mechanism(7), "reference");
/// const Verdict verdict = newton_euler(subject.model(), subject.motion());
/// @endcode
class Subject {
 public:
  /// @throws ModelError when the description is wrong or cannot be assembled; UsageError when there
  ///         is no such method or it cannot represent the mechanism.
  explicit Subject(const Description& description, const std::string& method = "reference",
                   const IntegratorOptions& integrator = {});

  const Model& model() const { return model_; }
  const Topology& topology() const { return topology_; }
  const Formulation& formulation() const { return *formulation_; }
  const Configuration& assembled() const { return assembled_; }
  double time() const { return stepper_->time(); }

  /// Accelerations and reactions at the present instant.
  /// @throws UsageError, with the method's own reason, when it gives none.
  Motion motion();

  /// The same as those who watch every step get it, without reactions.
  Motion watched_motion();

  /// The rate of the supplied work at the present instant, as the method integrates it [W].
  double supplied_power();

  /// Steps to t_end, stopping at the corners of forces and drives on the way.
  /// @throws UsageError, with the reason, when a step fails.
  void advance_to(double t_end);

 private:
  const Model model_;
  const Topology topology_;
  const Configuration assembled_;
  std::unique_ptr<Formulation> formulation_;
  std::unique_ptr<Stepper> stepper_;
};

}  // namespace sarrus::testing
