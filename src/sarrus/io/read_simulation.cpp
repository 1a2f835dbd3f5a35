#include "sarrus/io/fields.h"
#include "sarrus/io/read_elements.h"

namespace sarrus::io {

SimulationDescription read_simulation(ReadContext& context, const YamlNode& node) {
  static const std::vector<std::string> kKeys = {"method", "integrator", "projection", "until",
                                                 "every",  "step",       "tolerance"};
  static const std::vector<std::string> kProjections = {"auto", "off", "step", "stage"};
  SimulationDescription simulation;
  if (!context.require(node, YamlNode::Kind::kMap, "simulation", "write 'until: 10' and so on"))
    return simulation;
  const Fields fields(context, node);
  fields.check_keys(kKeys, "simulation");
  simulation.source = context.source(node);

  const auto positive = [&](std::string_view key) -> std::optional<double> {
    return fields.has(key) ? std::optional(fields.positive_number(key, 1)) : std::nullopt;
  };
  simulation.until = fields.optional_number("until");
  if (simulation.until && *simulation.until < 0)
    context.fail(*fields.find("until"), "until is negative", "give the end of the run in seconds");
  simulation.every = positive("every");
  simulation.step = positive("step");
  simulation.tolerance = positive("tolerance");

  // Methods and integrators are known to the layers that have them.
  simulation.method = fields.optional_text("method");
  simulation.integrator = fields.optional_text("integrator");
  if (fields.has("projection"))
    simulation.projection = kProjections[fields.word("projection", kProjections, 0)];
  return simulation;
}

}  // namespace sarrus::io
