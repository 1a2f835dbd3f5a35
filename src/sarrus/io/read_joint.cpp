#include <fmt/format.h>

#include "sarrus/io/placement.h"
#include "sarrus/io/read_elements.h"

namespace sarrus::io {
namespace {

const std::vector<std::string>& joint_keys(JointType type) {
  static const std::vector<std::vector<std::string>> keys = [] {
    std::vector<std::vector<std::string>> all;
    for (std::size_t i = 0; i < joint_type_names().size(); ++i) {
      std::vector<std::string> own = {"name", "type", "bodies", "nodes"};
      for (const auto& key : joint_frame_keys(static_cast<JointType>(i))) own.push_back(key);
      own.insert(own.end(), {"frames", "reference", "start", "speed", "cut", "repeat", "when"});
      if (static_cast<JointType>(i) == JointType::kHelical) own.emplace_back("lead");
      all.push_back(std::move(own));
    }
    return all;
  }();
  return keys[static_cast<std::size_t>(type)];
}

void read_bodies(const Fields& fields, JointDescription& joint) {
  constexpr const char* kHint = "name two bodies: bodies: [ground, link1]";
  const YamlNode* node = fields.require("bodies", kHint);
  ReadContext& context = fields.context();
  if (node == nullptr || !context.require(*node, YamlNode::Kind::kList, "bodies", kHint)) return;
  if (node->items.size() != 2)
    return context.fail(
        *node, fmt::format("bodies names {}; a joint joins two", node->items.size()), kHint);
  joint.body_a = context.text(*node->items[0], "bodies").value_or("");
  joint.body_b = context.text(*node->items[1], "bodies").value_or("");
}

// nodes: [tip, ~]: of flexible bodies, where the joint sits at one.
void read_nodes(const Fields& fields, JointDescription& joint) {
  constexpr const char* kHint = "name a node of each body: nodes: [tip, ~]; ~ for none";
  const YamlNode* node = fields.find("nodes");
  ReadContext& context = fields.context();
  if (node == nullptr || !context.require(*node, YamlNode::Kind::kList, "nodes", kHint)) return;
  if (node->items.size() != 2)
    return context.fail(
        *node, fmt::format("nodes names {}; a joint joins two bodies", node->items.size()), kHint);
  joint.node_a = read_node_name(context, *node->items[0]);
  joint.node_b = read_node_name(context, *node->items[1]);
}

// frames: [{…}, {…}], each in its own body's frame.
void read_frames(const Fields& fields, JointDescription& joint) {
  constexpr const char* kHint =
      "give two: frames: [{at: [..], axis: [..]}, {at: [..], axis: [..]}]";
  const YamlNode& node = *fields.find("frames");
  ReadContext& context = fields.context();
  for (const char* key : {"at", "axis", "x_axis", "axis2", "orientation"})
    fields.exclude("frames", key);
  if (!context.require(node, YamlNode::Kind::kList, "frames", kHint)) return;
  if (node.items.size() != 2)
    return context.fail(
        node, fmt::format("frames has {} entries; it needs one for each body", node.items.size()),
        kHint);
  const auto read_frame = [&](const YamlNode& item) -> Transform {
    if (!context.require(item, YamlNode::Kind::kMap, "frame", kHint)) return {};
    const Fields frame(context, item);
    frame.check_keys(joint_frame_keys(joint.type), "a frame of this joint");
    return read_joint_frame(frame, joint.type);
  };
  joint.frame_a = read_frame(*node.items[0]);
  joint.frame_b = read_frame(*node.items[1]);
}

// {angle: 0.3, …}, or a single number where the joint has one coordinate.
CoordinateValues read_coordinates(const Fields& fields, std::string_view key, JointType type) {
  CoordinateValues values;
  const YamlNode* node = fields.find(key);
  if (node == nullptr) return values;
  ReadContext& context = fields.context();
  const auto& names = joint_coordinate_names(type);
  if (node->kind == YamlNode::Kind::kMap) {
    for (const auto& [name, value] : node->entries) {
      const auto number = context.number(*value, fmt::format("{}: {}", key, name->text));
      if (!values.emplace(name->text, number.value_or(0)).second)
        context.fail(*name, fmt::format("{}: '{}' is given twice", key, name->text), "keep one");
    }
  } else if (names.size() == 1) {
    if (const auto number = context.number(*node, key)) values.emplace(names[0], *number);
  } else if (names.empty()) {
    context.fail(*node, fmt::format("{}: a {} joint has no coordinates", key, name_of(type)),
                 "remove it");
  } else {
    context.fail(*node,
                 fmt::format("{} must be a map, as a {} joint has {} coordinates", key,
                             name_of(type), names.size()),
                 fmt::format("write {}: {{{}: …}}; its coordinates: {}", key, names[0],
                             fmt::join(names, ", ")));
  }
  return values;
}

}  // namespace

JointDescription read_joint(ReadContext& context, const YamlNode& node) {
  static const std::vector<std::string> kCuts = {"auto", "prefer", "forbid"};
  const Fields fields(context, node);
  JointDescription joint;
  joint.name = fields.element_name();
  joint.source = context.source(node);
  read_bodies(fields, joint);
  read_nodes(fields, joint);
  joint.cut = static_cast<CutPreference>(fields.word("cut", kCuts, 0));

  // What else may and must be said hangs on the type.
  const auto type = fields.required_word("type", joint_type_names());
  if (!type) return joint;
  joint.type = static_cast<JointType>(*type);
  fields.check_keys(joint_keys(joint.type), fmt::format("a {} joint", name_of(joint.type)));
  if (fields.has("frames")) {
    read_frames(fields, joint);
  } else {
    fields.require("at", "say where the joint is in the world: 'at: [x, y, z]'; or give 'frames'");
    joint.at = read_joint_frame(fields, joint.type);
  }
  if (joint.type == JointType::kHelical) joint.lead = fields.required_number("lead");
  joint.reference = read_coordinates(fields, "reference", joint.type);
  joint.start = read_coordinates(fields, "start", joint.type);
  joint.speed = read_coordinates(fields, "speed", joint.type);
  return joint;
}

}  // namespace sarrus::io
