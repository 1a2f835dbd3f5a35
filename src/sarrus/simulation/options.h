#pragma once

#include <optional>
#include <string_view>

#include "sarrus/simulation/simulation.h"

namespace sarrus {

/// Every field set: what was asked for, else what the model file says, else the defaults. A step or
/// tolerance that was asked for wins over the other kind in the model file.
/// @throws UsageError for words that mean nothing and numbers that are not positive.
SimulationOptions resolved(const SimulationOptions& asked, const Model& model);

/// The method that was asked for, else what the model file says, else auto.
std::string method_of(const SimulationOptions& asked, const Model& model);

/// "auto", "off", "step", "stage".
std::optional<Projection> projection_from(std::string_view name);
std::string_view name_of(Projection projection);

}  // namespace sarrus
