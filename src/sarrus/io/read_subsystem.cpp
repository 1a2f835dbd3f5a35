#include <fmt/format.h>

#include <cmath>

#include "sarrus/io/fields.h"
#include "sarrus/io/read_elements.h"

namespace sarrus::io {

SubsystemDescription read_subsystem(ReadContext& context, const YamlNode& node) {
  static const std::vector<std::string> kKeys = {"name",  "bodies", "kind",
                                                 "steps", "repeat", "when"};
  const Fields fields(context, node);
  SubsystemDescription subsystem;
  subsystem.source = context.source(node);
  subsystem.name = fields.element_name();
  fields.check_keys(kKeys, "a subsystem");
  const char* const hint = "list bodies of the model: 'bodies: [crank, rod]'";
  if (const YamlNode* bodies = fields.require("bodies", hint);
      bodies != nullptr && context.require(*bodies, YamlNode::Kind::kList, "bodies", hint))
    for (const YamlNode* body : bodies->items)
      if (auto name = context.text(*body, "bodies")) subsystem.bodies.push_back(std::move(*name));
  if (auto kind = fields.optional_text("kind")) subsystem.kind = std::move(*kind);
  if (const auto steps = fields.optional_number("steps")) {
    if (std::floor(*steps) == *steps && std::abs(*steps) < 1e9)
      subsystem.steps = static_cast<int>(*steps);
    else
      context.fail(*fields.find("steps"), fmt::format("steps is {}, not a whole number", *steps),
                   "how many steps it takes within one of the others; use round()");
  }
  return subsystem;
}

}  // namespace sarrus::io
