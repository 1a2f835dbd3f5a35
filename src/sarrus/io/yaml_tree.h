#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "sarrus/base/diagnostics.h"

namespace sarrus::io {

/// A value of a YAML file with its place; lives as long as its YamlTree.
struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Entry {
    const YamlNode* key;
    const YamlNode* value;
  };

  Kind kind = Kind::kNull;
  bool plain = false;  ///< scalar without quotes
  int id = 0;          ///< counts the tree's nodes from 0
  int line = 0;        ///< from 0
  int column = 0;      ///< from 0, in bytes
  std::string text;    ///< scalars
  std::vector<const YamlNode*> items;
  std::vector<Entry> entries;

  /// The value of `key`, or null.
  const YamlNode* find(std::string_view key) const {
    for (const Entry& entry : entries)
      if (entry.key->text == key) return entry.value;
    return nullptr;
  }
};

/// "a number", "a list", …: how to speak of a node in a message.
std::string_view kind_name(const YamlNode& node);

/// A YAML text read into nodes. Anchors and aliases share nodes; nothing is copied.
///
/// One liberty beyond YAML: in a flow list or map, commas inside the parentheses of an unquoted
/// expression do not separate, so that `[atan2(a, b), 0]` has two entries.
class YamlTree {
 public:
  /// @throws ModelError with one diagnostic when the text is not YAML.
  YamlTree(std::string text, std::string file);

  const YamlNode& root() const { return *root_; }
  int size() const { return static_cast<int>(nodes_.size()); }

  /// Line and column from 1, columns counted in characters.
  SourceLocation location(const YamlNode& node) const {
    return location_of(node.line, node.column);
  }

  /// The place of byte `offset` in a scalar's text, or the scalar's own where the text is not
  /// written on one line as it reads.
  SourceLocation location(const YamlNode& scalar, std::size_t offset) const;

 private:
  friend class YamlTreeBuilder;
  void parse();
  SourceLocation location_of(int line, int column) const;
  std::string_view line_text(int line) const;
  std::string syntax_hint(int line, std::string_view message) const;

  std::string text_;
  FileName file_;
  std::vector<std::size_t> line_starts_;
  std::deque<YamlNode> nodes_;
  const YamlNode* root_ = nullptr;
};

}  // namespace sarrus::io
