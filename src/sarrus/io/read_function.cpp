#include <fmt/format.h>

#include "sarrus/io/fields.h"
#include "sarrus/io/read_elements.h"

namespace sarrus::io {
namespace {

// Words and keys in the order of TimeFunction::Shape.
const std::vector<std::string>& function_types() {
  static const std::vector<std::string> types = {"constant", "step", "ramp", "sine", "table"};
  return types;
}

const std::vector<std::string>& function_keys(std::size_t type) {
  static const std::vector<std::vector<std::string>> keys = {
      {"type", "value"},
      {"type", "from", "to", "at", "duration"},
      {"type", "from", "rate", "start", "stop"},
      {"type", "amplitude", "angular_frequency", "phase", "offset"},
      {"type", "times", "values", "smooth"}};
  return keys[type];
}

std::vector<double> required_numbers(const Fields& fields, std::string_view key) {
  const YamlNode* node = fields.require(key, "a table needs 'times: [..]' and 'values: [..]'");
  if (node == nullptr) return {};
  return fields.context().numbers(*node, key).value_or(std::vector<double>());
}

TimeFunction::Shape read_shape_of_function(const Fields& fields, std::string_view type) {
  if (type == "constant") return TimeFunction::Constant{fields.required_number("value")};
  if (type == "step")
    return TimeFunction::Step{.from = fields.number("from", 0),
                              .to = fields.required_number("to"),
                              .at = fields.number("at", 0),
                              .duration = fields.number("duration", 0)};
  if (type == "ramp")
    return TimeFunction::Ramp{.from = fields.number("from", 0),
                              .rate = fields.required_number("rate"),
                              .start = fields.number("start", 0),
                              .stop = fields.number("stop", TimeFunction::Ramp{}.stop)};
  if (type == "sine")
    return TimeFunction::Sine{.amplitude = fields.required_number("amplitude"),
                              .angular_frequency = fields.required_number("angular_frequency"),
                              .phase = fields.number("phase", 0),
                              .offset = fields.number("offset", 0)};
  return TimeFunction::Table{.times = required_numbers(fields, "times"),
                             .values = required_numbers(fields, "values"),
                             .smooth = fields.number("smooth", 0) != 0};
}

}  // namespace

TimeFunction read_function(ReadContext& context, const YamlNode& node, std::string_view key) {
  if (node.kind == YamlNode::Kind::kScalar) return context.number(node, key).value_or(0);
  if (!context.require(node, YamlNode::Kind::kMap, key,
                       "give a number, an expression, or {type: step|ramp|sine|table, …}"))
    return 0.0;
  const Fields fields(context, node);
  const auto type = fields.required_word("type", function_types());
  if (!type) return 0.0;
  fields.check_keys(function_keys(*type), fmt::format("a {} function", function_types()[*type]));

  const std::size_t mistakes = context.mistakes();
  TimeFunction function(read_shape_of_function(fields, function_types()[*type]));
  if (context.mistakes() > mistakes) return 0.0;
  if (const std::string defect = function.defect(); !defect.empty())
    context.fail(node, fmt::format("{}: {}", key, defect),
                 fmt::format("keys of a {} function: {}", function_types()[*type],
                             fmt::join(function_keys(*type), ", ")));
  return function;
}

}  // namespace sarrus::io
