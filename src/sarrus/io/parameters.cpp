#include "sarrus/io/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sarrus/io/fields.h"

namespace sarrus::io {
namespace {

constexpr const char* kChoiceForm = "{value: word, choices: [word, other, …]}";
constexpr const char* kRangeForm = "{value: number, least: number, most: number}";

// A single word that names nothing is a text: `joints: revolute`, `method: augmented-dca`.
bool is_bare_word(std::string_view text, const Scope& scope) {
  if (!is_identifier(text.substr(0, 1))) return false;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t dash = std::min(text.find('-', begin), text.size());
    const std::string piece(text.substr(begin, dash - begin));
    // Behind a dash a piece may begin with a digit.
    if (piece.empty() || !is_identifier("_" + piece) || is_reserved(piece) || scope.defines(piece))
      return false;
    begin = dash + 1;
  }
  return true;
}

ScopeValue evaluate(std::string_view text, Scope& scope) {
  if (is_bare_word(text, scope))
    return {.kind = ScopeValue::Kind::kText, .number = 0, .text = std::string(text)};
  return Expression::parse(text, scope).value(scope);
}

/// The numbers a parameter may be.
struct Range {
  std::optional<double> least, above, most, below;
  bool whole = false;

  bool holds(double number) const {
    return !(least && number < *least) && !(above && number <= *above) &&
           !(most && number > *most) && !(below && number >= *below) &&
           !(whole && std::floor(number) != number);
  }

  /// "whole, at least 1 and at most 9"
  std::string words() const {
    std::vector<std::string> words;
    if (whole) words.emplace_back("whole");
    if (least) words.push_back(fmt::format("at least {}", *least));
    if (above) words.push_back(fmt::format("above {}", *above));
    if (most) words.push_back(fmt::format("at most {}", *most));
    if (below) words.push_back(fmt::format("below {}", *below));
    const std::string last = words.back();
    words.pop_back();
    return words.empty() ? last : fmt::format("{} and {}", fmt::join(words, ", "), last);
  }
};

/// The parameters of one file, one after another.
class ParameterReader {
 public:
  ParameterReader(ReadContext& context, const Overrides& overrides)
      : context_(context), overrides_(overrides), used_(overrides.size(), false) {}

  void read(const YamlNode& key, const YamlNode& node, ModelFile& file) {
    if (!check_name(key)) return;
    const int slot = context_.scope().slot(key.text);
    choices_.clear();
    range_.reset();
    ScopeValue value =
        node.kind == YamlNode::Kind::kMap ? held_value(key, node) : own_value(key, node);
    for (std::size_t i = 0; i < overrides_.size(); ++i) {
      if (overrides_[i].path != key.text) continue;
      used_[i] = true;
      if (value.kind != ScopeValue::Kind::kBroken) value = overridden(overrides_[i], value);
    }
    if (range_ && value.kind == ScopeValue::Kind::kNumber) value = check_range(key, value);
    if (value.kind == ScopeValue::Kind::kNumber) {
      context_.scope().set(slot, value.number);
      file.parameters[key.text] = value.number;
    } else if (value.kind == ScopeValue::Kind::kText) {
      context_.scope().set(slot, value.text);
      file.text_parameters[key.text] = value.text;
    } else {
      context_.scope().set_broken(slot);
    }
    names_.push_back(key.text);
  }

  void report_unused_overrides() {
    for (std::size_t i = 0; i < overrides_.size(); ++i)
      if (!used_[i])
        context_.fail(place(overrides_[i]),
                      fmt::format("the model has no parameter '{}'", overrides_[i].path),
                      suggestion(overrides_[i].path, names_, "parameters"));
  }

 private:
  bool check_name(const YamlNode& key) {
    const std::string& name = key.text;
    constexpr const char* kHint =
        "take a name of letters, digits and _ that no function or constant has";
    if (!is_identifier(name))
      context_.fail(key, fmt::format("'{}' cannot be the name of a parameter", name), kHint);
    else if (is_reserved(name))
      context_.fail(key, fmt::format("parameter '{}' has the name of a function or constant", name),
                    kHint);
    else if (context_.scope().defines(name))
      context_.fail(key, fmt::format("parameter '{}' is given twice", name), "keep one of them");
    else
      return true;
    return false;
  }

  static ScopeValue broken() { return {.kind = ScopeValue::Kind::kBroken, .text = {}}; }
  static ScopeValue text_value(std::string text) {
    return {.kind = ScopeValue::Kind::kText, .number = 0, .text = std::move(text)};
  }

  // A map holds the parameter to some words or to some numbers.
  ScopeValue held_value(const YamlNode& key, const YamlNode& node) {
    if (node.find("choices") != nullptr) return chosen_value(key, node);
    for (const char* limit : {"least", "above", "most", "below", "whole"})
      if (node.find(limit) != nullptr) return ranged_value(key, node);
    context_.fail(node, fmt::format("parameter '{}' is a map without choices or limits", key.text),
                  fmt::format("write a value alone, {} or {}", kChoiceForm, kRangeForm));
    return broken();
  }

  // {value: 8, least: 1, whole: true}: a number within limits. It is checked when it is final.
  ScopeValue ranged_value(const YamlNode& key, const YamlNode& node) {
    static const std::vector<std::string> kKeys = {"value", "least", "above",
                                                   "most",  "below", "whole"};
    const std::size_t before = context_.mistakes();
    const Fields fields(context_, node);
    fields.check_keys(kKeys, "a parameter with limits");
    const YamlNode* value = fields.require("value", fmt::format("write {}", kRangeForm));
    const auto limit = [&](const char* name) -> std::optional<double> {
      const YamlNode* at = fields.find(name);
      if (at == nullptr) return std::nullopt;
      return context_.number(*at, fmt::format("parameter '{}': {}", key.text, name));
    };
    const Range range = {limit("least"), limit("above"), limit("most"), limit("below"),
                         limit("whole").value_or(0) != 0};
    fields.exclude("least", "above");
    fields.exclude("most", "below");
    if (value == nullptr || context_.mistakes() > before) return broken();
    const ScopeValue own = own_value(key, *value);
    if (own.kind == ScopeValue::Kind::kText) {
      context_.fail(
          *value,
          fmt::format("parameter '{}' has limits; '{}' is not a number", key.text, own.text),
          "give a number or an expression of the parameters above it");
      return broken();
    }
    range_ = range;
    given_at_ = context_.tree().location(*value);
    return own;
  }

  ScopeValue check_range(const YamlNode& key, const ScopeValue& value) {
    if (range_->holds(value.number)) return value;
    const SourceLocation limits = context_.tree().location(key);
    const bool in_file = given_at_.line > 0;
    context_.fail(
        given_at_,
        fmt::format("parameter '{}' is {}; it must be {}", key.text, value.number, range_->words()),
        in_file ? "change it, or the parameters above that it or its limits follow"
                : fmt::format("its limits are in {}:{}", limits.file.text(), limits.line));
    return broken();
  }

  // {value: revolute, choices: [revolute, spherical]}: a text that is one of the choices.
  ScopeValue chosen_value(const YamlNode& key, const YamlNode& node) {
    static const std::vector<std::string> kKeys = {"value", "choices"};
    const std::string form = fmt::format("write {}", kChoiceForm);
    const std::string label = fmt::format("parameter '{}'", key.text);
    const std::size_t before = context_.mistakes();
    const Fields fields(context_, node);
    fields.check_keys(kKeys, "a parameter with choices");
    const YamlNode* value = fields.require("value", form);
    const YamlNode* choices = fields.require("choices", form);
    if (value == nullptr || choices == nullptr) return broken();
    if (context_.require(*choices, YamlNode::Kind::kList, label + ": choices", form))
      for (const YamlNode* item : choices->items)
        if (auto word = context_.text(*item, label + ": choices"))
          choices_.push_back(*std::move(word));
    const auto word = context_.text(*value, label);
    if (context_.mistakes() > before || !word) return broken();
    return check_choice(context_.tree().location(*value), key.text, *word);
  }

  ScopeValue check_choice(const SourceLocation& where, const std::string& name,
                          const std::string& word) {
    if (std::find(choices_.begin(), choices_.end(), word) != choices_.end())
      return text_value(word);
    context_.fail(where, fmt::format("parameter '{}' cannot be '{}'", name, word),
                  suggestion(word, choices_, "choices"));
    return broken();
  }

  ScopeValue own_value(const YamlNode& key, const YamlNode& node) {
    const std::string label = fmt::format("parameter '{}'", key.text);
    if (!context_.require(node, YamlNode::Kind::kScalar, label,
                          "give a number, an expression of the parameters above it, or a word"))
      return broken();
    try {
      return evaluate(node.text, context_.scope());
    } catch (const ExpressionError& error) {
      context_.fail(node, label, error);
      return broken();
    }
  }

  ScopeValue overridden(const Override& change, const ScopeValue& own) {
    if (!choices_.empty()) return check_choice(place(change), change.path, change.value);
    if (own.kind == ScopeValue::Kind::kText) return text_value(change.value);
    try {
      ScopeValue value = evaluate(change.value, context_.scope());
      given_at_ = place(change);
      if (value.kind == own.kind) return value;
      context_.fail(
          place(change),
          fmt::format("parameter '{}' is a number; '{}' is not", change.path, change.value),
          "give a number or an expression of the parameters before it");
    } catch (const ExpressionError& error) {
      if (!error.reported())
        context_.fail(place(change), fmt::format("parameter '{}': {}", change.path, error.what()),
                      error.hint());
    }
    return broken();
  }

  static SourceLocation place(const Override& change) {
    return {fmt::format("--set {}={}", change.path, change.value), 0, 0};
  }

  ReadContext& context_;
  const Overrides& overrides_;
  std::vector<bool> used_;
  std::vector<std::string> names_;
  std::vector<std::string> choices_;  ///< of the parameter at hand; empty: anything will do
  std::optional<Range> range_;        ///< likewise
  SourceLocation given_at_;           ///< where the value at hand comes from, if it has a range
};

}  // namespace

void read_parameters(ReadContext& context, const YamlNode* node, const Overrides& overrides,
                     ModelFile& file) {
  ParameterReader reader(context, overrides);
  if (node != nullptr && node->kind != YamlNode::Kind::kNull &&
      context.require(*node, YamlNode::Kind::kMap, "parameters", "write 'name: value' for each"))
    for (const auto& [key, value] : node->entries) reader.read(*key, *value, file);
  reader.report_unused_overrides();
}

}  // namespace sarrus::io
