#include "sarrus/formulations/registry.h"

#include <fmt/format.h>

#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/order_n/order_n.h"
#include "sarrus/formulations/reference/reference.h"

namespace sarrus {

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all = {
      {"order-n", "joint coordinates, articulated-body recursion: open mechanisms, linear cost",
       "Featherstone 1983"},
      {"reference", "maximal coordinates, one dense system: slow, obvious, the judge of the others",
       "textbook"},
  };
  return all;
}

std::unique_ptr<Formulation> make_formulation(const FormulationOptions& options, const Model& model,
                                              const Topology& topology,
                                              const Configuration& assembled) {
  const bool chooses = options.method == "auto";
  if (options.method == "order-n" || (chooses && topology.is_tree())) {
    if (!topology.is_tree())
      throw UsageError(fmt::format(
          "order-n takes open mechanisms only, and '{}' has {} {}\n  hint: these take "
          "loops: reference",
          model.name(), topology.loop_count(), topology.loop_count() == 1 ? "loop" : "loops"));
    return std::make_unique<OrderN>(model, topology, OrderNOptions{options.kernel});
  }
  if (!options.kernel.empty())
    throw UsageError(
        fmt::format("only order-n has kernels to choose from; '{}' is asked for with "
                    "method '{}'",
                    options.kernel, options.method));
  if (options.method == "reference" || chooses)
    return std::make_unique<Reference>(
        model, compute_mobility(model, topology, assembled),
        topology.is_tree() ? 0.0 : generic_conditioning(model, assembled), options.projection);
  std::vector<std::string> names = {"auto"};
  for (const MethodInfo& method : methods()) names.push_back(method.name);
  throw UsageError(fmt::format("there is no method '{}'; {}", options.method,
                               suggestion(options.method, names, "methods")));
}

}  // namespace sarrus
