#include "sarrus/io/results/layout.h"

#include <algorithm>

#include "sarrus/base/assert.h"

namespace sarrus {
namespace {

Quantity scalar(const std::string& name, const std::string& unit,
                const std::string& angular_unit = {}) {
  return {name, {name}, unit, angular_unit};
}

ResultTable bodies_table(const std::vector<std::string>& bodies) {
  ResultTable table = {
      .name = "bodies",
      .keys = {"body"},
      .quantities = {{"position", {"px", "py", "pz"}, "m", ""},
                     {"orientation", {"qw", "qx", "qy", "qz"}, "", ""},
                     {"angular_velocity", {"wx", "wy", "wz"}, "rad/s", ""},
                     {"velocity", {"vx", "vy", "vz"}, "m/s", ""},
                     {"angular_acceleration", {"dwx", "dwy", "dwz"}, "rad/s^2", ""},
                     {"acceleration", {"ax", "ay", "az"}, "m/s^2", ""}},
      .rows = {}};
  for (const std::string& body : bodies) table.rows.push_back({{body}});
  return table;
}

ResultTable joints_table(const std::vector<JointOutline>& joints) {
  ResultTable table = {
      .name = "joints",
      .keys = {"joint", "coordinate"},
      .quantities = {scalar("position", "m", "rad"), scalar("speed", "m/s", "rad/s"),
                     scalar("acceleration", "m/s^2", "rad/s^2")},
      .rows = {}};
  for (const JointOutline& joint : joints)
    for (const std::string& coordinate : joint_coordinate_names(joint.type)) {
      const bool angular = coordinate.starts_with("angle") || coordinate.starts_with("r");
      table.rows.push_back({{joint.name, coordinate}, angular});
    }
  return table;
}

ResultTable reactions_table(const std::vector<JointOutline>& joints) {
  ResultTable table = {.name = "reactions",
                       .keys = {"joint"},
                       .quantities = {{"force", {"fx", "fy", "fz"}, "N", ""},
                                      {"torque", {"tx", "ty", "tz"}, "N m", ""},
                                      scalar("unique", "")},
                       .rows = {}};
  for (const JointOutline& joint : joints) table.rows.push_back({{joint.name}});
  return table;
}

ResultTable energy_table() {
  return {.name = "energy",
          .keys = {},
          .quantities = {scalar("kinetic", "J"), scalar("potential", "J"), scalar("total", "J"),
                         scalar("supplied", "J")},
          .rows = {{}}};
}

// Rows of lengths and of angles are in one norm.
ResultTable constraints_table() {
  return {.name = "constraints",
          .keys = {},
          .quantities = {scalar("position", "m, rad"), scalar("velocity", "m/s, rad/s"),
                         scalar("acceleration", "m/s^2, rad/s^2")},
          .rows = {{}}};
}

// What a mode is measured in depends on how its shape was scaled.
ResultTable modes_table(const std::vector<FlexibleOutline>& flexible) {
  ResultTable table = {
      .name = "modes",
      .keys = {"body", "mode"},
      .quantities = {scalar("position", ""), scalar("speed", ""), scalar("acceleration", "")},
      .rows = {}};
  for (const FlexibleOutline& body : flexible)
    for (const std::string& mode : body.modes) table.rows.push_back({{body.body, mode}});
  return table;
}

ResultTable nodes_table(const std::vector<FlexibleOutline>& flexible) {
  ResultTable table = {.name = "nodes",
                       .keys = {"body", "node"},
                       .quantities = {{"position", {"px", "py", "pz"}, "m", ""},
                                      {"orientation", {"qw", "qx", "qy", "qz"}, "", ""},
                                      {"angular_velocity", {"wx", "wy", "wz"}, "rad/s", ""},
                                      {"velocity", {"vx", "vy", "vz"}, "m/s", ""}},
                       .rows = {}};
  for (const FlexibleOutline& body : flexible)
    for (const std::string& node : body.nodes) table.rows.push_back({{body.body, node}});
  return table;
}

ResultTable connections_table(const std::vector<ConnectionOutline>& connections) {
  ResultTable table = {.name = "connections",
                       .keys = {"joint"},
                       .quantities = {{"force", {"fx", "fy", "fz"}, "N", ""},
                                      {"torque", {"tx", "ty", "tz"}, "N m", ""},
                                      scalar("loop", ""),
                                      scalar("branch_a", ""),
                                      scalar("branch_b", "")},
                       .rows = {}};
  for (const ConnectionOutline& connection : connections)
    table.rows.push_back({{connection.joint}});
  return table;
}

FlexibleOutline outline_of(const std::string& name, const ModalData& data) {
  FlexibleOutline outline = {name, data.modes, {}};
  for (const ModalNode& node : data.nodes) outline.nodes.push_back(node.name);
  return outline;
}

}  // namespace

const ResultTable* ResultsLayout::find_table(const std::string& name) const {
  const auto found = std::ranges::find(tables, name, &ResultTable::name);
  return found == tables.end() ? nullptr : &*found;
}

const ResultTable& ResultsLayout::table(const std::string& name) const {
  const auto found = std::ranges::find(tables, name, &ResultTable::name);
  SARRUS_ASSERT(found != tables.end());
  return *found;
}

ResultsLayout make_results_layout(const std::vector<std::string>& bodies,
                                  const std::vector<JointOutline>& joints,
                                  const std::vector<FlexibleOutline>& flexible,
                                  const std::vector<ConnectionOutline>& connections) {
  ResultsLayout layout;
  layout.tables = {bodies_table(bodies), joints_table(joints), reactions_table(joints),
                   energy_table(), constraints_table()};
  if (!flexible.empty()) {
    layout.tables.push_back(modes_table(flexible));
    layout.tables.push_back(nodes_table(flexible));
  }
  if (!connections.empty()) layout.tables.push_back(connections_table(connections));
  for (ResultTable& table : layout.tables) {
    for (const Quantity& quantity : table.quantities) table.width += quantity.columns.size();
    table.first = layout.size;
    layout.size += table.rows.size() * table.width;
  }
  return layout;
}

void list_elements(const Model& model, std::vector<std::string>& bodies,
                   std::vector<JointOutline>& joints) {
  for (std::size_t i = 1; i < model.bodies().size(); ++i) bodies.push_back(model.bodies()[i].name);
  for (const Joint& joint : model.joints()) joints.push_back({joint.name, joint.type()});
  for (const TimelineEntry& entry : model.timeline())
    for (const Edit& edit : entry.edits) {
      if (const auto* add = std::get_if<AddBody>(&edit.what);
          add != nullptr && std::ranges::find(bodies, add->body.name) == bodies.end())
        bodies.push_back(add->body.name);
      if (const auto* add = std::get_if<AddJoint>(&edit.what); add != nullptr) {
        if (std::ranges::find(joints, add->joint.name, &JointOutline::name) == joints.end())
          joints.push_back({add->joint.name, add->joint.type});
      }
    }
}

std::vector<FlexibleOutline> list_flexible(const Model& model) {
  std::vector<FlexibleOutline> flexible;
  for (const Body& body : model.bodies())
    if (body.modal != nullptr) flexible.push_back(outline_of(body.name, body.modal->data()));
  for (const TimelineEntry& entry : model.timeline())
    for (const Edit& edit : entry.edits)
      if (const auto* add = std::get_if<AddBody>(&edit.what);
          add != nullptr && add->body.flexible != nullptr &&
          std::ranges::find(flexible, add->body.name, &FlexibleOutline::body) == flexible.end())
        flexible.push_back(outline_of(add->body.name, add->body.flexible->data));
  return flexible;
}

ResultsLayout make_results_layout(const Model& model) {
  std::vector<std::string> bodies;
  std::vector<JointOutline> joints;
  list_elements(model, bodies, joints);
  return make_results_layout(bodies, joints, list_flexible(model));
}

}  // namespace sarrus
