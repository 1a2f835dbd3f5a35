#include "sarrus/io/read_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace sarrus::io {
namespace {

// Lists whose entries a message may have to point at one by one.
bool is_list_of_references(std::string_view key) {
  return key == "bodies" || key == "points" || key == "frames" || key == "shapes";
}

}  // namespace

ReadContext::ReadContext(const YamlTree& tree)
    : tree_(tree), compiled_(static_cast<std::size_t>(tree.size())) {}

void ReadContext::begin_element(std::string_view kind, std::string name) {
  element_kind_ = kind;
  element_name_ = std::move(name);
}

void ReadContext::fail(const YamlNode& at, const std::string& what, std::string hint) {
  fail(tree_.location(at), what, std::move(hint));
}

void ReadContext::fail(const SourceLocation& at, const std::string& what, std::string hint) {
  ++mistakes_;
  if (diagnostics_.size() >= kMostDiagnostics) return;
  std::string element;
  if (!element_kind_.empty() && element_name_.empty())
    element = fmt::format("{} without a name: ", element_kind_);
  else if (!element_kind_.empty())
    element = fmt::format("{} '{}': ", element_kind_, element_name_);
  diagnostics_.push_back({.where = at, .what = element + what, .hint = std::move(hint)});
}

void ReadContext::fail(const YamlNode& scalar, std::string_view key, const ExpressionError& error) {
  if (error.reported()) {
    ++mistakes_;
    return;
  }
  fail(tree_.location(scalar, error.offset()), fmt::format("{}: {}", key, error.what()),
       error.hint());
}

void ReadContext::finish() {
  if (mistakes_ == 0) return;
  std::stable_sort(
      diagnostics_.begin(), diagnostics_.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return std::tie(a.where.line, a.where.column) < std::tie(b.where.line, b.where.column);
      });
  throw ModelError(std::move(diagnostics_));
}

void ReadContext::compile_number(const YamlNode& node, std::string_view key) {
  Compiled& cache = compiled(node);
  cache.state = Compiled::State::kNumber;
  if (parse_plain_number(node.text, cache.number)) return;
  try {
    cache.expression = std::make_unique<Expression>(Expression::parse(node.text, scope_));
    cache.state = Compiled::State::kExpression;
  } catch (const ExpressionError& error) {
    cache.state = Compiled::State::kBroken;
    fail(node, key, error);
  }
}

std::optional<double> ReadContext::number(const YamlNode& node, std::string_view key) {
  if (!require(node, YamlNode::Kind::kScalar, key, "give a number or an expression"))
    return std::nullopt;
  Compiled& cache = compiled(node);
  if (cache.state == Compiled::State::kNew) compile_number(node, key);
  if (cache.state == Compiled::State::kNumber) return cache.number;
  if (cache.state == Compiled::State::kBroken) return std::nullopt;
  try {
    return cache.expression->number(scope_);
  } catch (const ExpressionError& error) {
    fail(node, key, error);
    return std::nullopt;
  }
}

std::optional<std::string> ReadContext::text(const YamlNode& node, std::string_view key) {
  // YAML takes `type: {joints}` for a map with one key; it can only mean the place of a value.
  const bool bare_place = node.kind == YamlNode::Kind::kMap && node.entries.size() == 1 &&
                          node.entries[0].key->kind == YamlNode::Kind::kScalar &&
                          node.entries[0].value->kind == YamlNode::Kind::kNull;
  if (!bare_place && !require(node, YamlNode::Kind::kScalar, key, "give a word or a name"))
    return std::nullopt;
  if (!bare_place && node.text.find_first_of("{}") == std::string::npos) return node.text;
  Compiled& cache = compiled(node);
  try {
    if (cache.text == nullptr) {
      const std::string text = bare_place ? "{" + node.entries[0].key->text + "}" : node.text;
      cache.text = std::make_unique<TextTemplate>(TextTemplate::parse(text, scope_));
    }
    return cache.text->fill(scope_);
  } catch (const ExpressionError& error) {
    fail(node, key, error);
    return std::nullopt;
  }
}

std::optional<Vec3> ReadContext::vector(const YamlNode& node, std::string_view key) {
  if (!require(node, YamlNode::Kind::kList, key, "give three numbers: [x, y, z]"))
    return std::nullopt;
  if (node.items.size() != 3) {
    // Commas inside parentheses do not separate, so an open one swallows what follows.
    const bool open = std::any_of(node.items.begin(), node.items.end(), [](const YamlNode* item) {
      return std::count(item->text.begin(), item->text.end(), '(') >
             std::count(item->text.begin(), item->text.end(), ')');
    });
    fail(node, fmt::format("{} has {} entries; it needs three", key, node.items.size()),
         open ? "close every (" : "give three numbers: [x, y, z]");
    return std::nullopt;
  }
  Vec3 result;
  bool good = true;
  for (int i = 0; i < 3; ++i) {
    const auto entry = number(*node.items[static_cast<std::size_t>(i)], key);
    good = good && entry.has_value();
    result[i] = entry.value_or(0);
  }
  return good ? std::optional(result) : std::nullopt;
}

std::optional<std::vector<double>> ReadContext::numbers(const YamlNode& node,
                                                        std::string_view key) {
  if (!require(node, YamlNode::Kind::kList, key, "give a list of numbers: [a, b, …]"))
    return std::nullopt;
  std::vector<double> result;
  bool good = true;
  for (const YamlNode* item : node.items) {
    const auto entry = number(*item, key);
    good = good && entry.has_value();
    result.push_back(entry.value_or(0));
  }
  return good ? std::optional(std::move(result)) : std::nullopt;
}

bool ReadContext::require(const YamlNode& node, YamlNode::Kind kind, std::string_view key,
                          std::string_view hint) {
  if (node.kind == kind) return true;
  if (node.kind == YamlNode::Kind::kNull) {
    fail(node, fmt::format("{} has no value", key),
         fmt::format("{}; in YAML a value that begins with # must be quoted", hint));
    return false;
  }
  YamlNode wanted;
  wanted.kind = kind;
  fail(node, fmt::format("{} must be {}, not {}", key, kind_name(wanted), kind_name(node)),
       std::string(hint));
  return false;
}

bool ReadContext::first_visit(const YamlNode& node) {
  return !std::exchange(compiled(node).visited, true);
}

Source ReadContext::source(const YamlNode& element) {
  if (source_node_ == &element) return source_;
  auto fields = std::make_shared<Source::Fields>();
  for (const auto& [key, value] : element.entries) {
    fields->emplace(key->text, tree_.location(*value));
    if (is_list_of_references(key->text))
      for (std::size_t i = 0; i < value->items.size(); ++i)
        fields->emplace(fmt::format("{}[{}]", key->text, i), tree_.location(*value->items[i]));
    if (key->text == "reference" || key->text == "start" || key->text == "speed")
      for (const auto& [name, coordinate] : value->entries)
        fields->emplace(key->text + "." + name->text, tree_.location(*name));
  }
  source_node_ = &element;
  source_ = {.element = tree_.location(element), .fields = std::move(fields)};
  return source_;
}

}  // namespace sarrus::io
