#include "sarrus/io/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cctype>
#include <istream>
#include <map>
#include <streambuf>

namespace sarrus::io {
namespace {

// Reads from a text in memory without copying it, as istringstream would.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // a get area is never written to
    setg(begin, begin, begin + text.size());
  }
};

int open_parentheses(std::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '(') -
                          std::count(text.begin(), text.end(), ')'));
}

}  // namespace

/// Turns yaml-cpp's events into nodes.
class YamlTreeBuilder : public YAML::EventHandler {
 public:
  explicit YamlTreeBuilder(YamlTree& tree) : tree_(tree) {}

  int documents() const { return documents_; }
  const YamlNode* root() const { return root_; }

  void OnDocumentStart(const YAML::Mark&) override { ++documents_; }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode& node = add(YamlNode::Kind::kNull, mark, anchor);
    // yaml-cpp stands at the next token by now; the key is where the value is missing.
    if (!open_.empty() && open_.back().key != nullptr) {
      node.line = open_.back().key->line;
      node.column = open_.back().key->column;
    }
    place(node);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode& node = add(YamlNode::Kind::kScalar, mark, anchor);
    node.plain = tag == "?";
    node.text = value;
    place(node);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const YamlNode* node = anchors_.at(anchor);
    const bool inside_itself = std::any_of(open_.begin(), open_.end(),
                                           [&](const Open& open) { return open.node == node; });
    if (inside_itself) throw YAML::ParserException(mark, "an alias stands inside its own anchor");
    place(*node);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(add(YamlNode::Kind::kList, mark, anchor));
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(add(YamlNode::Kind::kMap, mark, anchor));
  }
  void OnSequenceEnd() override {
    join_split_items(open_.back().node->items);
    open_.pop_back();
  }
  void OnMapEnd() override {
    join_split_entries(open_.back().node->entries);
    open_.pop_back();
  }

 private:
  struct Open {
    YamlNode* node;
    const YamlNode* key = nullptr;  ///< of a map, while its value is awaited
  };

  YamlNode& add(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    YamlNode& node = tree_.nodes_.emplace_back();
    node.kind = kind;
    node.id = static_cast<int>(tree_.nodes_.size()) - 1;
    node.line = mark.line;
    node.column = mark.column;
    if (anchor != YAML::NullAnchor) anchors_[anchor] = &node;
    return node;
  }

  void open(YamlNode& node) {
    place(node);
    open_.push_back({&node});
  }

  void place(const YamlNode& node) {
    if (open_.empty()) {
      if (root_ == nullptr) root_ = &node;
      return;
    }
    Open& parent = open_.back();
    if (parent.node->kind == YamlNode::Kind::kList) {
      parent.node->items.push_back(&node);
    } else if (parent.key == nullptr) {
      parent.key = &node;
    } else {
      parent.node->entries.push_back({parent.key, &node});
      parent.key = nullptr;
    }
  }

  static bool is_plain(const YamlNode* node) {
    return node->kind == YamlNode::Kind::kScalar && node->plain;
  }

  // A scalar under construction: pieces that commas inside parentheses have torn apart.
  struct Joint {
    YamlNode* node = nullptr;
    int open = 0;  ///< parentheses not yet closed
  };

  // Puts `piece` back behind `first`, as written where both stand on one line.
  void join(Joint& joint, const YamlNode& first, const YamlNode& piece) {
    if (joint.node == nullptr) {
      joint.node = &tree_.nodes_.emplace_back(first);
      joint.node->id = static_cast<int>(tree_.nodes_.size()) - 1;
    }
    std::string& text = joint.node->text;
    const std::string_view line = tree_.line_text(first.line);
    const std::size_t end = static_cast<std::size_t>(first.column) + text.size();
    const auto next = static_cast<std::size_t>(piece.column);
    if (first.line == piece.line && end < next && next <= line.size())
      text += line.substr(end, next - end);
    else
      text += ", ";
    text += piece.text;
    joint.open += open_parentheses(piece.text);
  }

  void join_split_items(std::vector<const YamlNode*>& items) {
    std::size_t kept = 0;
    Joint joint;
    for (const YamlNode* item : items) {
      if (joint.open > 0 && is_plain(item)) {
        join(joint, *items[kept - 1], *item);
        items[kept - 1] = joint.node;
      } else {
        joint = {nullptr, is_plain(item) ? open_parentheses(item->text) : 0};
        items[kept++] = item;
      }
    }
    items.resize(kept);
  }

  void join_split_entries(std::vector<YamlNode::Entry>& entries) {
    std::size_t kept = 0;
    Joint joint;
    for (const YamlNode::Entry& entry : entries) {
      if (joint.open > 0 && entry.value->kind == YamlNode::Kind::kNull) {
        join(joint, *entries[kept - 1].value, *entry.key);
        entries[kept - 1].value = joint.node;
      } else {
        joint = {nullptr, is_plain(entry.value) ? open_parentheses(entry.value->text) : 0};
        entries[kept++] = entry;
      }
    }
    entries.resize(kept);
  }

  YamlTree& tree_;
  const YamlNode* root_ = nullptr;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, const YamlNode*> anchors_;
  int documents_ = 0;
};

std::string_view kind_name(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return "a single value";
    case YamlNode::Kind::kList:
      return "a list";
    default:
      return "a map";
  }
}

YamlTree::YamlTree(std::string text, std::string file)
    : text_(std::move(text)), file_(std::move(file)) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (std::string_view(text_).substr(0, 3) == kByteOrderMark) text_.erase(0, 3);
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  parse();
}

void YamlTree::parse() {
  ViewBuffer buffer(text_);
  std::istream stream(&buffer);
  YamlTreeBuilder builder(*this);
  try {
    YAML::Parser parser(stream);
    while (builder.documents() < 2 && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    throw ModelError({{.where = location_of(error.mark.line, error.mark.column),
                       .what = fmt::format("this is not YAML: {}", error.msg),
                       .hint = syntax_hint(error.mark.line, error.msg)}});
  }
  if (builder.documents() > 1)
    throw ModelError({{.where = location_of(0, 0),
                       .what = "the file holds more than one YAML document",
                       .hint = "a model file is one document; remove the lines '---' between, and "
                               "check that all top-level keys begin in the same column"}});
  root_ = builder.root() != nullptr ? builder.root() : &nodes_.emplace_back();
}

SourceLocation YamlTree::location_of(int line, int column) const {
  // yaml-cpp counts bytes; people and editors count characters.
  const std::string_view before = line_text(line).substr(0, static_cast<std::size_t>(column));
  const auto continuation = std::count_if(before.begin(), before.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
  });
  return {file_, line + 1, column + 1 - static_cast<int>(continuation)};
}

SourceLocation YamlTree::location(const YamlNode& scalar, std::size_t offset) const {
  const std::string_view line = line_text(scalar.line);
  const bool quoted = scalar.kind == YamlNode::Kind::kScalar && !scalar.plain;
  const std::size_t begin = static_cast<std::size_t>(scalar.column) + (quoted ? 1 : 0);
  const std::string_view head = std::string_view(scalar.text).substr(0, offset);
  if (begin > line.size() || line.substr(begin, head.size()) != head) return location(scalar);
  return location_of(scalar.line, static_cast<int>(begin + offset));
}

std::string_view YamlTree::line_text(int line) const {
  const auto index = static_cast<std::size_t>(line);
  if (line < 0 || index >= line_starts_.size()) return {};
  const std::size_t begin = line_starts_[index];
  const std::size_t end =
      index + 1 < line_starts_.size() ? line_starts_[index + 1] - 1 : text_.size();
  return std::string_view(text_).substr(begin, end - begin);
}

std::string YamlTree::syntax_hint(int line, std::string_view message) const {
  if (message.find("anchor") != std::string_view::npos)
    return "*name repeats the value that &name marks, further up and not around it";
  const std::string_view text = line_text(line);
  if (text.substr(0, text.find_first_not_of(" \t")).find('\t') != std::string_view::npos)
    return "indent with spaces; YAML does not allow tabs";
  // A brace glued to a word is one of our {…} places, which flow style takes for a map.
  for (std::size_t i = 1; i < text.size(); ++i)
    if (text[i] == '{' && text.find_first_of("[{") < i &&
        (std::isalnum(static_cast<unsigned char>(text[i - 1])) || text[i - 1] == '_'))
      return "inside [ ] and { } put names with {…} in quotes: [\"link{i-1}\", \"link{i}\"]";
  return "indent with spaces, items of a list alike; put a space behind each colon; close every "
         "bracket and quote; quote texts that begin with one of % @ * & !";
}

}  // namespace sarrus::io
