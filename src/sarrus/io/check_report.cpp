#include "sarrus/io/check_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "sarrus/io/assembly_report.h"
#include "sarrus/io/wording.h"

namespace sarrus {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> drive_names(const Model& model) {
  std::vector<std::string> names;
  for (const auto& drive : model.motions()) names.push_back(drive.name);
  for (const auto& drive : model.motors()) names.push_back(drive.name);
  for (const auto& drive : model.joint_torques()) names.push_back(drive.name);
  return names;
}

std::string joints_by_type(const Model& model) {
  std::map<JointType, int> counts;
  for (const Joint& joint : model.joints()) ++counts[joint.type()];
  std::vector<std::string> parts;
  for (const auto& [type, n] : counts) parts.push_back(fmt::format("{} {}", n, name_of(type)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Parts that no joint connects; ground alone is none.
int component_count(const CheckReport& report) {
  const auto& joints = report.model.joints();
  const bool grounded = std::any_of(joints.begin(), joints.end(), [](const Joint& joint) {
    return joint.a == kGround || joint.b == kGround;
  });
  return static_cast<int>(report.topology.floating_roots.size()) + (grounded ? 1 : 0);
}

/// Lines of a label and a text, the texts below each other.
class Lines {
 public:
  void add(std::string_view label, std::string_view text) {
    text_ += fmt::format("  {:<14}{}\n", label, text);
  }
  std::string text_;
};

void add_topology(const CheckReport& report, Lines& lines) {
  const auto& [model, topology, mobility, assembly, moved] = report;
  const auto bodies = model.bodies().size() - 1;
  lines.add("bodies", fmt::format("{}", bodies));
  lines.add("joints", model.joints().empty()
                          ? std::string("0")
                          : fmt::format("{}: {}", model.joint_count(), joints_by_type(model)));
  if (const int parts = component_count(report); parts > 1)
    lines.add("parts", fmt::format("{} that no joint connects", parts));
  if (!topology.floating_roots.empty())
    lines.add("floating", fmt::format("{} not tied to ground",
                                      counted(topology.floating_roots.size(), "part")));
  lines.add("loops", topology.is_tree()
                         ? std::string("0")
                         : fmt::format("{}, cut at {}", topology.loop_count(),
                                       shortened(names_of(model, topology.cut_joints))));
  lines.add("assembly tree", assembly_figures(report.assembly));
}

void add_drives(const Model& model, Lines& lines) {
  const auto names = [](const auto& drives) {
    std::vector<std::string> all;
    for (const auto& drive : drives) all.push_back(drive.name);
    return shortened(all);
  };
  if (!model.motions().empty()) lines.add("motions", names(model.motions()) + " (prescribed)");
  if (!model.motors().empty()) lines.add("motors", names(model.motors()));
  if (!model.joint_torques().empty()) lines.add("torques", names(model.joint_torques()));
  const std::vector<TimelineEntry>& timeline = model.timeline();
  if (!timeline.empty())
    lines.add("timeline", fmt::format("{} from {:g} to {:g} s", counted(timeline.size(), "change"),
                                      timeline.front().at, timeline.back().at));
}

void add_mobility(const CheckReport& report, Lines& lines) {
  const auto& [model, topology, mobility, assembly, moved] = report;
  const Mobility::Figures& generic = mobility.generic;
  const Mobility::Figures& free = mobility.generic_without_motions;
  const bool driven = !model.motions().empty();
  const auto figure = [&](int with, int without) {
    return driven ? fmt::format("{} ({} without the prescribed motions)", with, without)
                  : fmt::format("{}", with);
  };
  lines.add("freedoms", figure(generic.freedoms, free.freedoms));
  lines.add("redundant", figure(generic.redundant, free.redundant) +
                             fmt::format(" of {}", counted(generic.rows, "constraint row")));
  if (!mobility.redundant_joints.empty())
    lines.add("", "shared by " + shortened(names_of(model, mobility.redundant_joints)));
  lines.add("reactions",
            mobility.nonunique_reactions.empty()
                ? std::string("all unique")
                : "not unique at " + shortened(names_of(model, mobility.nonunique_reactions)));
}

std::string singular_sentence(const Mobility& mobility) {
  const Mobility::Figures& here = mobility.instantaneous;
  return fmt::format(
      "\n  This pose is singular: here the mechanism has {} and {}\n"
      "  constraints, unlike at the poses around it. Motion may branch.\n",
      counted(here.freedoms, "freedom"), fmt::format("{} redundant", here.redundant));
}

// Parents before children.
Json tree_json(const Model& model, const Topology& topology) {
  Json tree = Json::array();
  for (const BodyId body : topology.order) {
    const auto i = body.slot();
    const JointId by = topology.parent_joint[i];
    tree.push_back({{"body", model.body(body).name},
                    {"parent", by.valid() ? Json(model.body(topology.parent[i]).name) : Json()},
                    {"joint", by.valid() ? Json(model.joint(by).name) : Json()}});
  }
  return tree;
}

}  // namespace

std::string check_text(const CheckReport& report) {
  // Below this a displacement is round-off of the description's own numbers.
  constexpr double kVisible = 1e-9;
  Lines lines;
  lines.text_ = report.model.name() + "\n\n";
  add_topology(report, lines);
  add_drives(report.model, lines);
  add_mobility(report, lines);
  if (report.moved > kVisible)
    lines.add("closing", fmt::format("moved bodies by up to {:.3g} m to close the joints and meet "
                                     "the start values",
                                     report.moved));
  if (report.mobility.singular()) lines.text_ += singular_sentence(report.mobility);
  return lines.text_;
}

std::string check_json(const CheckReport& report, bool with_tree) {
  const auto& [model, topology, mobility, assembly, moved] = report;
  Json json = {
      {"model", model.name()},
      {"bodies", model.body_count() - 1},
      {"joints", model.joint_count()},
      {"components", component_count(report)},
      {"loops", topology.loop_count()},
      {"cut_joints", names_of(model, topology.cut_joints)},
      {"freedoms", mobility.generic.freedoms},
      {"redundant", mobility.generic.redundant},
      {"freedoms_without_motions", mobility.generic_without_motions.freedoms},
      {"redundant_without_motions", mobility.generic_without_motions.redundant},
      {"instantaneous_freedoms", mobility.instantaneous.freedoms},
      {"instantaneous_redundant", mobility.instantaneous.redundant},
      {"singular", mobility.singular()},
      {"rows", mobility.generic.rows},
      {"rank", mobility.generic.rank},
      {"redundant_joints", names_of(model, mobility.redundant_joints)},
      {"nonunique_reactions", names_of(model, mobility.nonunique_reactions)},
      {"drives", drive_names(model)},
      {"assembly",
       {{"parts", assembly.parts.size()},
        {"joins", assembly.nodes.size() - assembly.parts.size()},
        {"height", assembly.height()},
        {"width", assembly.width()},
        {"cost_us", assembly.cost() / 1000}}},
      {"moved", moved},
  };
  if (with_tree) json["tree"] = tree_json(model, topology);
  return json.dump(2) + '\n';
}

std::string tree_text(const Model& model, const Topology& topology) {
  // Children of each body, in the tree's order, and the cut joints that end at it.
  std::vector<std::vector<BodyId>> children(model.bodies().size());
  std::vector<std::vector<JointId>> cut(model.bodies().size());
  std::vector<BodyId> roots = topology.floating_roots;
  const auto index = [](BodyId body) { return body.slot(); };
  for (const BodyId body : topology.order)
    if (topology.parent_joint[index(body)].valid())
      children[index(topology.parent[index(body)])].push_back(body);
  for (const JointId joint : topology.cut_joints) {
    cut[index(model.joint(joint).a)].push_back(joint);
    cut[index(model.joint(joint).b)].push_back(joint);
  }
  roots.insert(roots.begin(), kGround);

  // Depth first without recursion, and indented only so far: a chain may have thousands of bodies.
  constexpr std::size_t kDeepest = 40;
  std::string text;
  std::vector<std::pair<BodyId, std::size_t>> stack;
  for (auto root = roots.rbegin(); root != roots.rend(); ++root) stack.emplace_back(*root, 0);
  while (!stack.empty()) {
    const auto [body, depth] = stack.back();
    stack.pop_back();
    const std::string indent(2 * std::min(depth, kDeepest), ' ');
    const JointId by = topology.parent_joint[index(body)];
    text += indent + model.body(body).name;
    if (by.valid())
      text += fmt::format("  ({}, {})", model.joint(by).name, name_of(model.joint(by).type()));
    else if (body != kGround)
      text += "  (floating)";
    text += '\n';
    for (const JointId joint_id : cut[index(body)]) {
      const Joint& joint = model.joint(joint_id);
      text += fmt::format("{}  ~ {}  (cut {}, {})\n", indent,
                          model.body(joint.a == body ? joint.b : joint.a).name, joint.name,
                          name_of(joint.type()));
    }
    const auto& below = children[index(body)];
    for (auto child = below.rbegin(); child != below.rend(); ++child)
      stack.emplace_back(*child, depth + 1);
  }
  return text;
}

}  // namespace sarrus
