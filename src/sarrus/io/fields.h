#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sarrus/io/read_context.h"

namespace sarrus::io {

/// The entries of a map, read by key; whatever is wrong goes to the context.
class Fields {
 public:
  Fields(ReadContext& context, const YamlNode& map) : context_(context), map_(map) {}

  /// Reports keys that are not among `known` and keys given twice, once for a node however many
  /// elements come from it. `owner` is how the message calls the map: "a revolute joint".
  void check_keys(const std::vector<std::string>& known, std::string_view owner) const;

  ReadContext& context() const { return context_; }
  const YamlNode& node() const { return map_; }

  const YamlNode* find(std::string_view key) const { return map_.find(key); }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// The node, or null and a mistake: `hint` says what to add.
  const YamlNode* require(std::string_view key, std::string_view hint) const;

  double number(std::string_view key, double otherwise) const;
  double required_number(std::string_view key) const;
  /// Greater than zero, or a mistake.
  double positive_number(std::string_view key, double otherwise) const;
  std::optional<double> optional_number(std::string_view key) const;

  std::string text(std::string_view key) const;
  /// Not empty, or a mistake.
  std::string required_text(std::string_view key, std::string_view hint) const;
  std::optional<std::string> optional_text(std::string_view key) const;

  Vec3 vector(std::string_view key, const Vec3& otherwise = Vec3::Zero()) const;
  Vec3 required_vector(std::string_view key) const;
  /// As given, but not zero; nothing where it is missing or wrong.
  std::optional<Vec3> direction(std::string_view key) const;

  /// Index of the word in `words`, or of `otherwise` where the key is missing or the word unknown.
  std::size_t word(std::string_view key, const std::vector<std::string>& words,
                   std::size_t otherwise) const;
  /// As above, but the key must be there; nothing after a mistake.
  std::optional<std::size_t> required_word(std::string_view key,
                                           const std::vector<std::string>& words) const;

  /// The element's `name`; also tells the context, for its messages.
  std::string element_name() const;

  /// A mistake when both keys are given; true when there is none.
  bool exclude(std::string_view key, std::string_view other) const;

 private:
  ReadContext& context_;
  const YamlNode& map_;
};

}  // namespace sarrus::io
