#include <fmt/format.h>

#include <algorithm>

#include "sarrus/io/fields.h"
#include "sarrus/io/read_elements.h"

namespace sarrus::io {
namespace {

const std::vector<std::string>& edit_words() {
  static const std::vector<std::string> words = {"cut", "restore", "add",  "remove",
                                                 "set", "grab",    "move", "release"};
  return words;
}

bool truth(const Fields& fields, std::string_view key) {
  static const std::vector<std::string> kWords = {"false", "true"};
  return fields.word(key, kWords, 0) == 1;
}

/// One after another where there is a list, else the node itself.
template <class Read>
void each_of(const YamlNode& node, Read read) {
  if (node.kind != YamlNode::Kind::kList) return read(node);
  for (const YamlNode* item : node.items) read(*item);
}

class EditReader {
 public:
  EditReader(ReadContext& context, const Source& source, Transaction& edits)
      : context_(context), source_(source), edits_(edits) {}

  void read(std::string_view word, const YamlNode& node) {
    each_of(node, [&](const YamlNode& one) {
      if (word == "cut")
        push(CutJoint{context_.text(one, word).value_or("")});
      else if (word == "restore")
        restore(one);
      else if (word == "add")
        add(one);
      else if (word == "remove")
        remove(one);
      else if (word == "set")
        set(one);
      else if (word == "grab")
        grab(one);
      else if (word == "move")
        move(one);
      else
        push(ReleaseGrab{context_.text(one, word).value_or("")});
    });
  }

 private:
  void push(EditVariant what) { edits_.push_back({std::move(what), source_}); }

  bool is_map(const YamlNode& node, std::string_view word, std::string_view hint) {
    return context_.require(node, YamlNode::Kind::kMap, word, hint);
  }

  void restore(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::kScalar)
      return push(RestoreJoint{context_.text(node, "restore").value_or("")});
    constexpr const char* kHint = "write restore: NAME, or restore: {joint: NAME, original: true}";
    if (!is_map(node, "restore", kHint)) return;
    const Fields fields(context_, node);
    fields.check_keys({"joint", "original"}, "restore");
    push(RestoreJoint{fields.required_text("joint", kHint), truth(fields, "original")});
  }

  void add(const YamlNode& node) {
    constexpr const char* kHint =
        "write add: {body: {…}}, {joint: {…}}, {force: {…}} or {drive: {…}}";
    if (!is_map(node, "add", kHint)) return;
    const Fields fields(context_, node);
    fields.check_keys({"body", "joint", "force", "drive"}, "add");
    if (node.entries.empty()) context_.fail(node, "add says nothing", kHint);
    for (const auto& [key, value] : node.entries) {
      if (!is_map(*value, key->text, kHint)) continue;
      if (key->text == "body")
        push(AddBody{read_body(context_, *value)});
      else if (key->text == "joint")
        push(AddJoint{read_joint(context_, *value)});
      else if (key->text == "force")
        push(AddForce{read_force(context_, *value)});
      else if (key->text == "drive")
        push(AddForce{read_drive(context_, *value)});
    }
  }

  void remove(const YamlNode& node) {
    constexpr const char* kHint =
        "write remove: {body: NAME}, {joint: NAME}, {force: NAME} or {drive: NAME}";
    if (!is_map(node, "remove", kHint)) return;
    const Fields fields(context_, node);
    fields.check_keys({"body", "joint", "force", "drive", "cascade"}, "remove");
    const bool cascade = truth(fields, "cascade");
    const std::size_t before = edits_.size();
    if (fields.has("body")) push(RemoveBody{fields.text("body"), cascade});
    if (fields.has("joint")) push(RemoveJoint{fields.text("joint"), cascade});
    if (fields.has("force")) push(RemoveForce{fields.text("force")});
    if (fields.has("drive")) push(RemoveForce{fields.text("drive")});
    if (edits_.size() == before) context_.fail(node, "remove names nothing", kHint);
  }

  void set(const YamlNode& node) {
    if (!is_map(node, "set", "write set: {bodies.rod.mass: 2}")) return;
    for (const auto& [key, value] : node.entries)
      push(SetNumber{context_.text(*key, "set").value_or(""),
                     context_.number(*value, key->text).value_or(0)});
  }

  void grab(const YamlNode& node) {
    if (!is_map(node, "grab", "write grab: {name: hand, body: rod, point: [x, y, z]}")) return;
    const Fields fields(context_, node);
    fields.check_keys(
        {"name", "body", "point", "target", "frequency", "damping_ratio", "max_force"}, "grab");
    GrabBody grab;
    grab.name = fields.required_text("name", "give the grab a name, to move and release it by");
    grab.body = fields.required_text("body", "name the body to grab: 'body: …'");
    grab.point = fields.vector("point");
    if (fields.has("target")) grab.target = fields.vector("target");
    grab.frequency = fields.positive_number("frequency", grab.frequency);
    grab.damping_ratio = fields.positive_number("damping_ratio", grab.damping_ratio);
    if (fields.has("max_force")) grab.max_force = fields.positive_number("max_force", 1);
    push(std::move(grab));
  }

  void move(const YamlNode& node) {
    if (!is_map(node, "move", "write move: {grab: hand, target: [x, y, z]}")) return;
    const Fields fields(context_, node);
    fields.check_keys({"grab", "target", "duration"}, "move");
    MoveGrab move;
    move.grab = fields.required_text("grab", "name the grab to move: 'grab: …'");
    move.target = fields.required_vector("target");
    move.duration = fields.number("duration", move.duration);
    push(std::move(move));
  }

  ReadContext& context_;
  const Source source_;
  Transaction& edits_;
};

void read_edits(ReadContext& context, const YamlNode& map, Transaction& edits) {
  EditReader reader(context, context.source(map), edits);
  for (const auto& [key, value] : map.entries)
    if (std::ranges::find(edit_words(), key->text) != edit_words().end())
      reader.read(key->text, *value);
}

}  // namespace

TimelineEntry read_timeline_entry(ReadContext& context, const YamlNode& node) {
  static const std::vector<std::string> kKeys = [] {
    std::vector<std::string> keys = {"at", "do", "repeat", "when"};
    keys.insert(keys.end(), edit_words().begin(), edit_words().end());
    return keys;
  }();
  const std::size_t mistakes = context.mistakes();
  const Fields fields(context, node);
  fields.check_keys(kKeys, "an entry of the timeline");
  TimelineEntry entry;
  if (const YamlNode* at = fields.find("at")) context.name_element(at->text);
  entry.at = fields.required_number("at");
  entry.source = context.source(node);
  read_edits(context, node, entry.edits);
  if (const YamlNode* list = fields.find("do");
      list != nullptr &&
      context.require(*list, YamlNode::Kind::kList, "do", "write do: [{cut: J1}, {release: hand}]"))
    for (const YamlNode* one : list->items) {
      if (!context.require(*one, YamlNode::Kind::kMap, "do", "each entry is an edit: {cut: J1}"))
        continue;
      Fields(context, *one).check_keys(edit_words(), "an edit");
      read_edits(context, *one, entry.edits);
    }
  if (entry.edits.empty() && context.mistakes() == mistakes)
    context.fail(node, "nothing happens in it",
                 fmt::format("say what: {}", fmt::join(edit_words(), ", ")));
  return entry;
}

}  // namespace sarrus::io
