#include <fmt/format.h>

#include <utility>

#include "sarrus/io/fields.h"
#include "sarrus/io/read_elements.h"

namespace sarrus::io {
namespace {

/// One type of force or drive: its word, its keys besides the common ones, and its reader.
struct ForceType {
  std::string word;
  std::vector<std::string> keys;
  ForceVariant (*read)(const Fields& fields);
};

constexpr const char* kBodyHint = "name the body it acts on: 'body: …'";
constexpr const char* kJointHint = "name the joint it acts on: 'joint: …'";

TimeFunction function_or(const Fields& fields, std::string_view key, double otherwise) {
  const YamlNode* node = fields.find(key);
  return node == nullptr ? TimeFunction(otherwise) : read_function(fields.context(), *node, key);
}

TimeFunction required_function(const Fields& fields, std::string_view key) {
  if (!fields.has(key))
    fields.require(key, fmt::format("add '{}: …', a number, an expression or a function of time "
                                    "{{type: step|ramp|sine|table, …}}",
                                    key));
  return function_or(fields, key, 0);
}

Vec3 required_direction(const Fields& fields) {
  if (!fields.has("direction")) fields.require("direction", "add 'direction: [x, y, z]'");
  return fields.direction("direction").value_or(Vec3::Zero());
}

void require_either(const Fields& fields, std::string_view a, std::string_view b) {
  if (fields.has(a) || fields.has(b)) return;
  fields.context().fail(fields.node(), fmt::format("has neither '{}' nor '{}'", a, b),
                        fmt::format("without them it does nothing; add '{}: …'", a));
}

LoadFrame read_frame(const Fields& fields) {
  static const std::vector<std::string> kFrames = {"world", "body"};
  return static_cast<LoadFrame>(fields.word("frame", kFrames, 0));
}

// The two entries of `key`, or nulls and a mistake.
std::pair<const YamlNode*, const YamlNode*> required_pair(const Fields& fields,
                                                          std::string_view key,
                                                          std::string_view hint) {
  const YamlNode* node = fields.require(key, hint);
  ReadContext& context = fields.context();
  if (node == nullptr || !context.require(*node, YamlNode::Kind::kList, key, hint)) return {};
  if (node->items.size() == 2) return {node->items[0], node->items[1]};
  context.fail(*node, fmt::format("{} has {} entries; it needs two", key, node->items.size()),
               std::string(hint));
  return {};
}

ForceVariant read_spring(const Fields& fields) {
  PointSpringDescription spring;
  ReadContext& context = fields.context();
  const auto [a, b] = required_pair(fields, "bodies", "name two bodies: bodies: [ground, link1]");
  if (a != nullptr) {
    spring.body_a = context.text(*a, "bodies").value_or("");
    spring.body_b = context.text(*b, "bodies").value_or("");
  }
  if (fields.has("nodes")) {
    const auto [m, n] = required_pair(fields, "nodes", "name a node of each body, or ~: [tip, ~]");
    if (m != nullptr) {
      spring.node_a = read_node_name(context, *m);
      spring.node_b = read_node_name(context, *n);
    }
  }
  const auto [p, q] = required_pair(fields, "points", "give a point on each: [[..], [..]]");
  if (p != nullptr) {
    spring.at_node_a = !spring.node_a.empty() && p->kind == YamlNode::Kind::kNull;
    spring.at_node_b = !spring.node_b.empty() && q->kind == YamlNode::Kind::kNull;
    if (!spring.at_node_a) spring.point_a = context.vector(*p, "points").value_or(Vec3::Zero());
    if (!spring.at_node_b) spring.point_b = context.vector(*q, "points").value_or(Vec3::Zero());
  }
  require_either(fields, "stiffness", "damping");
  spring.stiffness = fields.number("stiffness", 0);
  spring.damping = fields.number("damping", 0);
  spring.rest_length = fields.optional_number("rest_length");
  return spring;
}

ForceVariant read_joint_spring(const Fields& fields) {
  return JointSpringDescription{.joint = fields.required_text("joint", kJointHint),
                                .coordinate = fields.text("coordinate"),
                                .stiffness = fields.required_number("stiffness"),
                                .rest = fields.number("rest", 0)};
}

ForceVariant read_friction(const Fields& fields) {
  require_either(fields, "viscous", "coulomb");
  JointFrictionDescription friction;
  friction.joint = fields.required_text("joint", kJointHint);
  friction.coordinate = fields.text("coordinate");
  friction.viscous = fields.number("viscous", 0);
  friction.coulomb = fields.number("coulomb", 0);
  friction.transition_speed = fields.positive_number("transition_speed", friction.transition_speed);
  return friction;
}

ForceVariant read_applied_force(const Fields& fields) {
  const bool at_node = fields.has("node") && !fields.has("point");
  return AppliedForceDescription{
      .body = fields.required_text("body", kBodyHint),
      .node = fields.text("node"),
      .at_node = at_node,
      .point = at_node ? Vec3::Zero().eval() : fields.required_vector("point"),
      .direction = required_direction(fields),
      .frame = read_frame(fields),
      .value = function_or(fields, "value", 1)};
}

ForceVariant read_applied_torque(const Fields& fields) {
  return AppliedTorqueDescription{.body = fields.required_text("body", kBodyHint),
                                  .node = fields.text("node"),
                                  .direction = required_direction(fields),
                                  .frame = read_frame(fields),
                                  .value = function_or(fields, "value", 1)};
}

ForceVariant read_joint_torque(const Fields& fields) {
  return JointTorqueDescription{.joint = fields.required_text("joint", kJointHint),
                                .coordinate = fields.text("coordinate"),
                                .value = required_function(fields, "value")};
}

ForceVariant read_motor(const Fields& fields) {
  require_either(fields, "stiffness", "damping");
  return MotorDescription{.joint = fields.required_text("joint", kJointHint),
                          .coordinate = fields.text("coordinate"),
                          .target = required_function(fields, "target"),
                          .stiffness = fields.number("stiffness", 0),
                          .damping = fields.number("damping", 0)};
}

ForceVariant read_motion(const Fields& fields) {
  return MotionDescription{.joint = fields.required_text("joint", kJointHint),
                           .coordinate = fields.text("coordinate"),
                           .value = required_function(fields, "value")};
}

std::vector<ForceType> with_common_keys(std::vector<ForceType> types) {
  for (ForceType& type : types)
    type.keys.insert(type.keys.begin(), {"name", "type", "repeat", "when"});
  return types;
}

std::vector<std::string> words_of(const std::vector<ForceType>& types) {
  std::vector<std::string> words;
  for (const ForceType& type : types) words.push_back(type.word);
  return words;
}

ForceDescription read(ReadContext& context, const YamlNode& node,
                      const std::vector<ForceType>& types, const std::vector<std::string>& words,
                      std::string_view kind) {
  const Fields fields(context, node);
  ForceDescription force;
  force.name = fields.element_name();
  force.source = context.source(node);
  const auto index = fields.required_word("type", words);
  if (!index) return force;
  const ForceType& type = types[*index];
  fields.check_keys(type.keys, fmt::format("a {} of type {}", kind, type.word));
  force.what = type.read(fields);
  return force;
}

}  // namespace

ForceDescription read_force(ReadContext& context, const YamlNode& node) {
  static const std::vector<ForceType> kTypes = with_common_keys({
      {"spring", {"bodies", "nodes", "points", "stiffness", "damping", "rest_length"}, read_spring},
      {"joint_spring", {"joint", "coordinate", "stiffness", "rest"}, read_joint_spring},
      {"friction",
       {"joint", "coordinate", "viscous", "coulomb", "transition_speed"},
       read_friction},
      {"force", {"body", "node", "point", "direction", "frame", "value"}, read_applied_force},
      {"torque", {"body", "node", "direction", "frame", "value"}, read_applied_torque},
  });
  static const std::vector<std::string> kWords = words_of(kTypes);
  return read(context, node, kTypes, kWords, "force");
}

ForceDescription read_drive(ReadContext& context, const YamlNode& node) {
  static const std::vector<ForceType> kTypes = with_common_keys({
      {"torque", {"joint", "coordinate", "value"}, read_joint_torque},
      {"motor", {"joint", "coordinate", "target", "stiffness", "damping"}, read_motor},
      {"motion", {"joint", "coordinate", "value"}, read_motion},
  });
  static const std::vector<std::string> kWords = words_of(kTypes);
  return read(context, node, kTypes, kWords, "drive");
}

}  // namespace sarrus::io
