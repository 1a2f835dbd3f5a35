#include "sarrus/io/fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace sarrus::io {
namespace {

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

void Fields::check_keys(const std::vector<std::string>& known, std::string_view owner) const {
  if (!context_.first_visit(map_)) return;
  const auto& entries = map_.entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const YamlNode& key = *entries[i].key;
    if (key.kind != YamlNode::Kind::kScalar || !contains(known, key.text)) {
      context_.fail(key, fmt::format("{} has no key '{}'", owner, key.text),
                    suggestion(key.text, known, "keys"));
      continue;
    }
    const auto twin =
        std::find_if(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(i),
                     [&](const YamlNode::Entry& earlier) { return earlier.key->text == key.text; });
    if (twin->key != &key)
      context_.fail(key, fmt::format("key '{}' is given twice", key.text),
                    fmt::format("it is given in line {} already; keep one", twin->key->line + 1));
  }
}

const YamlNode* Fields::require(std::string_view key, std::string_view hint) const {
  const YamlNode* node = find(key);
  if (node == nullptr) context_.fail(map_, fmt::format("'{}' is missing", key), std::string(hint));
  return node;
}

double Fields::number(std::string_view key, double otherwise) const {
  return optional_number(key).value_or(otherwise);
}

double Fields::required_number(std::string_view key) const {
  if (const auto value = optional_number(key)) return *value;
  if (!has(key)) require(key, fmt::format("add '{}: …', a number or an expression", key));
  return 0;
}

double Fields::positive_number(std::string_view key, double otherwise) const {
  const auto value = optional_number(key);
  if (value && *value <= 0)
    context_.fail(*find(key), fmt::format("{} is {}; it must be greater than zero", key, *value),
                  "SI units: metres, kilograms, seconds, radians");
  return value.value_or(otherwise);
}

std::optional<double> Fields::optional_number(std::string_view key) const {
  const YamlNode* node = find(key);
  return node == nullptr ? std::nullopt : context_.number(*node, key);
}

std::string Fields::text(std::string_view key) const { return optional_text(key).value_or(""); }

std::string Fields::required_text(std::string_view key, std::string_view hint) const {
  const YamlNode* node = require(key, hint);
  if (node == nullptr) return {};
  auto text = context_.text(*node, key);
  if (text && text->empty())
    context_.fail(*node, fmt::format("{} is empty", key), std::string(hint));
  return std::move(text).value_or("");
}

std::optional<std::string> Fields::optional_text(std::string_view key) const {
  const YamlNode* node = find(key);
  return node == nullptr ? std::nullopt : context_.text(*node, key);
}

Vec3 Fields::vector(std::string_view key, const Vec3& otherwise) const {
  const YamlNode* node = find(key);
  return node == nullptr ? otherwise : context_.vector(*node, key).value_or(otherwise);
}

Vec3 Fields::required_vector(std::string_view key) const {
  if (!has(key)) require(key, fmt::format("add '{}: [x, y, z]'", key));
  return vector(key);
}

std::optional<Vec3> Fields::direction(std::string_view key) const {
  const YamlNode* node = find(key);
  if (node == nullptr) return std::nullopt;
  const auto direction = context_.vector(*node, key);
  if (!direction || direction->norm() > 0) return direction;
  context_.fail(*node, fmt::format("{} is the zero vector; it must point somewhere", key),
                "give a direction of any length, such as [0, 0, 1]");
  return std::nullopt;
}

std::size_t Fields::word(std::string_view key, const std::vector<std::string>& words,
                         std::size_t otherwise) const {
  return has(key) ? required_word(key, words).value_or(otherwise) : otherwise;
}

std::optional<std::size_t> Fields::required_word(std::string_view key,
                                                 const std::vector<std::string>& words) const {
  const YamlNode* node = find(key);
  if (node == nullptr) {
    require(key, fmt::format("add '{}: …', one of {}", key, fmt::join(words, ", ")));
    return std::nullopt;
  }
  const auto text = context_.text(*node, key);
  if (!text) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  context_.fail(*node, fmt::format("unknown {} '{}'", key, *text),
                suggestion(*text, words, fmt::format("{}s", key)));
  return std::nullopt;
}

std::string Fields::element_name() const {
  std::string name = required_text("name", "give every element a name: 'name: …'");
  if (!name.empty()) context_.name_element(name);
  return name;
}

bool Fields::exclude(std::string_view key, std::string_view other) const {
  if (!has(key) || !has(other)) return true;
  context_.fail(*find(other), fmt::format("'{}' and '{}' exclude each other", key, other),
                "keep one of the two");
  return false;
}

}  // namespace sarrus::io
