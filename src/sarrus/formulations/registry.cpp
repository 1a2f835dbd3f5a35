#include "sarrus/formulations/registry.h"

#include <fmt/format.h>

#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/reference/reference.h"

namespace sarrus {

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all = {
      {"reference", "maximal coordinates, one dense system: slow, obvious, the judge of the others",
       "textbook"},
  };
  return all;
}

std::unique_ptr<Formulation> make_formulation(const FormulationOptions& options, const Model& model,
                                              const Topology& topology,
                                              const Configuration& assembled) {
  if (options.method == "auto" || options.method == "reference")
    return std::make_unique<Reference>(
        model, compute_mobility(model, topology, assembled),
        topology.is_tree() ? 0.0 : generic_conditioning(model, assembled), options.projection);
  std::vector<std::string> names = {"auto"};
  for (const MethodInfo& method : methods()) names.push_back(method.name);
  throw UsageError(fmt::format("there is no method '{}'; {}", options.method,
                               suggestion(options.method, names, "methods")));
}

}  // namespace sarrus
