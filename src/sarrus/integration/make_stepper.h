#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sarrus/formulations/formulation.h"
#include "sarrus/integration/integrator_options.h"
#include "sarrus/integration/stepper.h"

namespace sarrus {

/// The steps that a method takes itself, with its subsystems at steps of their own.
inline constexpr const char* kMultirate = "multirate";

/// Names that `IntegratorOptions::method` may have.
const std::vector<std::string>& integrator_names();

/// An integrator over `formulation`, which must outlive it, at time t0 [s].
/// @throws UsageError when no integrator has that name or the options make no sense for it.
std::unique_ptr<Stepper> make_stepper(const Formulation& formulation, const Configuration& initial,
                                      double t0, const IntegratorOptions& options);

/// The same from a state in the formulation's own coordinates.
std::unique_ptr<Stepper> make_stepper(const Formulation& formulation, std::vector<double> x,
                                      Discrete discrete, double t0,
                                      const IntegratorOptions& options);

}  // namespace sarrus
