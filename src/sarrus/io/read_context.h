#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sarrus/io/expression.h"
#include "sarrus/io/text_template.h"
#include "sarrus/io/yaml_tree.h"
#include "sarrus/model/description.h"

namespace sarrus::io {

/// What all readers of a model file share: its nodes, the names its expressions may use, and the
/// mistakes found so far.
///
/// The readers of values report what is wrong with the node and return nothing; the caller goes
/// on with some other value, so that one pass finds all the mistakes. An expression is parsed when
/// it is first needed and kept: elements of a `repeat` only evaluate it.
class ReadContext {
 public:
  explicit ReadContext(const YamlTree& tree);

  Scope& scope() { return scope_; }
  const YamlTree& tree() const { return tree_; }

  // Mistakes; messages begin with the element at hand.
  void begin_element(std::string_view kind, std::string name);
  void name_element(const std::string& name) { element_name_ = name; }
  void end_element() { element_kind_ = {}; }
  void fail(const YamlNode& at, const std::string& what, std::string hint);
  void fail(const SourceLocation& at, const std::string& what, std::string hint);
  /// At the place of the error within a scalar, `key` named.
  void fail(const YamlNode& scalar, std::string_view key, const ExpressionError& error);
  /// How many mistakes there are, whether written down or only passed on from a broken name.
  std::size_t mistakes() const { return mistakes_; }
  /// @throws ModelError with all the mistakes in the order of the file, if there are any.
  void finish();

  // Values; `key` is how the message calls the node.
  std::optional<double> number(const YamlNode& node, std::string_view key);
  std::optional<std::string> text(const YamlNode& node, std::string_view key);
  std::optional<Vec3> vector(const YamlNode& node, std::string_view key);
  std::optional<std::vector<double>> numbers(const YamlNode& node, std::string_view key);
  bool require(const YamlNode& node, YamlNode::Kind kind, std::string_view key,
               std::string_view hint);

  /// True the first time it is asked about a node: checks that one look is enough for.
  bool first_visit(const YamlNode& node);

  /// Places of an element and of its entries, shared by all elements made from the same node.
  Source source(const YamlNode& element);

 private:
  struct Compiled {
    enum class State { kNew, kNumber, kExpression, kBroken };
    State state = State::kNew;
    bool visited = false;
    double number = 0;
    std::unique_ptr<Expression> expression;
    std::unique_ptr<TextTemplate> text;
  };
  Compiled& compiled(const YamlNode& node) { return compiled_[static_cast<std::size_t>(node.id)]; }
  void compile_number(const YamlNode& node, std::string_view key);

  const YamlTree& tree_;
  Scope scope_;
  std::vector<Compiled> compiled_;
  std::string_view element_kind_;
  std::string element_name_;
  std::vector<Diagnostic> diagnostics_;
  std::size_t mistakes_ = 0;
  const YamlNode* source_node_ = nullptr;
  Source source_;
};

}  // namespace sarrus::io
