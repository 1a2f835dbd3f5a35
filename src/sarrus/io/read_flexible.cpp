// Flexible bodies: beams, and modal data from the model file or from a file of its own.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sarrus/io/placement.h"
#include "sarrus/io/read_elements.h"
#include "sarrus/model/beam.h"

namespace sarrus::io {
namespace {

const std::vector<std::string>& modal_keys() {
  static const std::vector<std::string> keys = {"modes",
                                                "mass",
                                                "center_of_mass",
                                                "inertia",
                                                "translation",
                                                "moments",
                                                "products",
                                                "rotary_coupling",
                                                "rotary_mass",
                                                "stiffness",
                                                "angular_frequencies",
                                                "damping",
                                                "damping_ratio",
                                                "stiffening",
                                                "nodes"};
  return keys;
}

/// A list of `rows` lists of `columns` numbers, or nothing and a mistake.
std::optional<MatX> read_matrix(ReadContext& context, const YamlNode& node, std::string_view key,
                                Eigen::Index rows, Eigen::Index columns) {
  const std::string hint = fmt::format("give {} rows of {} numbers", rows, columns);
  if (!context.require(node, YamlNode::Kind::kList, key, hint)) return std::nullopt;
  if (static_cast<Eigen::Index>(node.items.size()) != rows) {
    context.fail(node, fmt::format("{} has {} rows; it needs {}", key, node.items.size(), rows),
                 hint);
    return std::nullopt;
  }
  MatX matrix(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const YamlNode& row = *node.items[static_cast<std::size_t>(i)];
    const auto numbers = context.numbers(row, key);
    if (!numbers) return std::nullopt;
    if (static_cast<Eigen::Index>(numbers->size()) != columns) {
      context.fail(
          row,
          fmt::format("{} has a row of {} numbers; it needs {}", key, numbers->size(), columns),
          hint);
      return std::nullopt;
    }
    for (Eigen::Index k = 0; k < columns; ++k)
      matrix(i, k) = (*numbers)[static_cast<std::size_t>(k)];
  }
  return matrix;
}

/// n × n, or n numbers: the diagonal.
std::optional<MatX> read_square(ReadContext& context, const YamlNode& node, std::string_view key,
                                Eigen::Index n) {
  const bool has_rows = node.kind == YamlNode::Kind::kList && !node.items.empty() &&
                        node.items[0]->kind == YamlNode::Kind::kList;
  if (has_rows) return read_matrix(context, node, key, n, n);
  const auto numbers = context.numbers(node, key);
  if (!numbers) return std::nullopt;
  if (static_cast<Eigen::Index>(numbers->size()) != n) {
    context.fail(node, fmt::format("{} has {} entries for {} modes", key, numbers->size(), n),
                 fmt::format("give {} numbers, or {} rows of them", n, n));
    return std::nullopt;
  }
  return MatX(Eigen::Map<const VecX>(numbers->data(), n).asDiagonal());
}

/// A list of `count` items, or null and a mistake.
const YamlNode* list_of(const Fields& fields, std::string_view key, std::size_t count) {
  const YamlNode* node = fields.find(key);
  ReadContext& context = fields.context();
  if (node == nullptr || !context.require(*node, YamlNode::Kind::kList, key,
                                          fmt::format("give {} entries, one a mode", count)))
    return nullptr;
  if (node->items.size() == count) return node;
  context.fail(*node, fmt::format("{} has {} entries for {} modes", key, node->items.size(), count),
               fmt::format("give {}, one a mode", count));
  return nullptr;
}

std::vector<std::string> read_mode_names(const Fields& fields) {
  const YamlNode* node =
      fields.require("modes", "name the modes: modes: [bending1, bending2]; or say how many");
  if (node == nullptr) return {};
  ReadContext& context = fields.context();
  std::vector<std::string> names;
  if (node->kind == YamlNode::Kind::kList) {
    for (const YamlNode* item : node->items)
      names.push_back(context.text(*item, "modes").value_or(""));
    return names;
  }
  constexpr double kMost = 1000;
  const auto count = context.number(*node, "modes");
  if (!count) return {};
  if (!(*count >= 1) || *count > kMost || *count != static_cast<int>(*count)) {
    context.fail(*node, fmt::format("modes is {}; there may be 1 to {}", *count, kMost), "");
    return {};
  }
  for (int k = 1; k <= static_cast<int>(*count); ++k) names.push_back(fmt::format("mode{}", k));
  return names;
}

void read_integrals(const Fields& fields, ModalData& data) {
  ReadContext& context = fields.context();
  const auto n = static_cast<std::size_t>(data.count());
  const auto modes = static_cast<Eigen::Index>(n);
  if (const YamlNode* node = fields.require("translation", "add ∫ φ dm, three rows: x, y, z"))
    if (const auto S = read_matrix(context, *node, "translation", 3, modes)) data.S = *S;
  fields.require("moments", "add ∫ x φᵀ dm, three rows of three for every mode");
  if (const YamlNode* list = list_of(fields, "moments", n))
    for (std::size_t k = 0; k < n; ++k)
      if (const auto X = read_matrix(context, *list->items[k], "moments", 3, 3)) data.X[k] = *X;
  fields.require("products", "add ∫ φ φᵀ dm, three rows of three for every two modes");
  if (const YamlNode* list = list_of(fields, "products", n))
    for (std::size_t k = 0; k < n; ++k) {
      const YamlNode& row = *list->items[k];
      if (!context.require(row, YamlNode::Kind::kList, "products", "give a list for every mode"))
        continue;
      if (row.items.size() != n) {
        context.fail(row, fmt::format("products has {} entries for {} modes", row.items.size(), n),
                     "");
        continue;
      }
      for (std::size_t l = 0; l < n; ++l)
        if (const auto Y = read_matrix(context, *row.items[l], "products", 3, 3))
          data.Y[k * n + l] = *Y;
    }
  if (const YamlNode* node = fields.find("rotary_coupling"))
    if (const auto B = read_matrix(context, *node, "rotary_coupling", 3, modes))
      data.rotary_coupling = *B;
  if (const YamlNode* node = fields.find("rotary_mass"))
    if (const auto M = read_square(context, *node, "rotary_mass", modes)) data.rotary_mass = *M;
}

/// A node, and what is lumped there.
struct LumpedNode {
  ModalNode node;
  std::optional<double> mass;
  Mat3 inertia = Mat3::Zero();
};

std::vector<LumpedNode> read_nodes(const Fields& fields, int modes) {
  static const std::vector<std::string> kKeys = {"name", "position", "orientation", "shift",
                                                 "turn", "mass",     "inertia"};
  std::vector<LumpedNode> nodes;
  const YamlNode* list = fields.find("nodes");
  ReadContext& context = fields.context();
  if (list == nullptr || !context.require(*list, YamlNode::Kind::kList, "nodes",
                                          "write nodes: [{name: tip, position: [..], …}, …]"))
    return nodes;
  for (const YamlNode* item : list->items) {
    if (!context.require(*item, YamlNode::Kind::kMap, "nodes", "write {name: …, position: …}"))
      continue;
    const Fields own(context, *item);
    own.check_keys(kKeys, "a node");
    LumpedNode lumped;
    lumped.node.name = own.required_text("name", "give every node a name");
    lumped.node.X_BN = read_pose(own);
    lumped.node.shift.setZero(3, modes);
    lumped.node.turn.setZero(3, modes);
    if (const YamlNode* shift = own.find("shift"))
      if (const auto rows = read_matrix(context, *shift, "shift", 3, modes))
        lumped.node.shift = *rows;
    if (const YamlNode* turn = own.find("turn"))
      if (const auto rows = read_matrix(context, *turn, "turn", 3, modes)) lumped.node.turn = *rows;
    lumped.mass = own.optional_number("mass");
    if (const YamlNode* inertia = own.find("inertia"))
      lumped.inertia = read_inertia_tensor(context, *inertia);
    nodes.push_back(std::move(lumped));
  }
  return nodes;
}

/// Sums over the nodes of a finite-element model.
void add_lumps(const std::vector<LumpedNode>& nodes, BodyDescription& body, ModalData& data) {
  Inertia all;
  for (const LumpedNode& lumped : nodes) {
    if (!lumped.mass) continue;
    const ModalNode& node = lumped.node;
    const Mat3 R = node.X_BN.q.normalized().toRotationMatrix();
    const Mat3 turned = R * lumped.inertia * R.transpose();
    all = all + Inertia{*lumped.mass, node.X_BN.p, turned};
    data.add_lump(*lumped.mass, turned, node.X_BN.p, node.shift, node.turn);
  }
  body.mass = all.mass;
  body.center_of_mass = all.center;
  body.inertia = all.central;
}

void read_stiffness(const Fields& fields, const Inertia& undeformed, ModalData& data) {
  ReadContext& context = fields.context();
  const Eigen::Index n = data.count();
  fields.exclude("stiffness", "angular_frequencies");
  fields.exclude("damping", "damping_ratio");
  const MatX mass = ModalBody(undeformed, data).modal_mass();
  VecX omega = VecX::Zero(n);
  if (const YamlNode* node = fields.find("angular_frequencies")) {
    if (const auto numbers = read_square(context, *node, "angular_frequencies", n)) {
      omega = numbers->diagonal();
      data.stiffness = omega.cwiseAbs2().cwiseProduct(mass.diagonal()).asDiagonal();
    }
  } else if (const YamlNode* stiffness = fields.require(
                 "stiffness", "give a number for every mode [N/m], or 'angular_frequencies'")) {
    if (const auto K = read_square(context, *stiffness, "stiffness", n)) data.stiffness = *K;
    for (Eigen::Index k = 0; k < n; ++k)
      if (mass(k, k) > 0 && data.stiffness(k, k) > 0)
        omega[k] = std::sqrt(data.stiffness(k, k) / mass(k, k));
  }
  if (const YamlNode* node = fields.find("damping")) {
    if (const auto D = read_square(context, *node, "damping", n)) data.damping = *D;
  } else {
    const double ratio = fields.number("damping_ratio", 0);
    data.damping = (2 * ratio * omega.cwiseProduct(mass.diagonal())).asDiagonal();
  }
}

void read_stiffening(const Fields& fields, ModalData& data) {
  static const std::vector<std::string> kProducts = {"xx", "yy", "zz", "xy", "yz", "zx"};
  const YamlNode* node = fields.find("stiffening");
  ReadContext& context = fields.context();
  if (node == nullptr || !context.require(*node, YamlNode::Kind::kMap, "stiffening",
                                          "write stiffening: {yy: [..], zz: [..]}"))
    return;
  const Fields own(context, *node);
  own.check_keys(kProducts, "stiffening");
  for (std::size_t i = 0; i < kProducts.size(); ++i)
    if (const YamlNode* matrix = own.find(kProducts[i]))
      if (const auto K = read_square(context, *matrix, kProducts[i], data.count()))
        data.stiffening[i] = *K;
}

// The keys of a modal file, wherever they stand.
ModalData read_modal_data(const Fields& fields, BodyDescription& body) {
  ReadContext& context = fields.context();
  const std::size_t before = context.mistakes();
  ModalData data = ModalData::of_modes(read_mode_names(fields));
  if (data.count() == 0) return data;
  const std::vector<LumpedNode> nodes = read_nodes(fields, data.count());
  bool lumped = false;
  for (const LumpedNode& node : nodes) lumped = lumped || node.mass.has_value();
  if (lumped) {
    for (const char* key : {"mass", "center_of_mass", "inertia", "translation", "moments",
                            "products", "rotary_coupling", "rotary_mass"})
      if (const YamlNode* node = fields.find(key))
        context.fail(*node, fmt::format("'{}' is given, and nodes with masses, too", key),
                     "masses at nodes say all of that; keep one of the two");
    add_lumps(nodes, body, data);
  } else {
    if (fields.has("mass")) body.mass = fields.number("mass", 0);
    if (fields.has("center_of_mass")) body.center_of_mass = fields.vector("center_of_mass");
    if (const YamlNode* inertia = fields.find("inertia"))
      body.inertia = read_inertia_tensor(context, *inertia);
    read_integrals(fields, data);
  }
  if (context.mistakes() > before) return data;
  read_stiffness(fields, {body.mass, body.center_of_mass, body.inertia}, data);
  read_stiffening(fields, data);
  for (const LumpedNode& node : nodes) data.nodes.push_back(node.node);
  return data;
}

ModalData read_beam(ReadContext& context, const YamlNode& node, std::optional<double> length,
                    BodyDescription& body) {
  static const std::vector<std::string> kKeys = {
      "length",          "mass_per_length", "bending_stiffness", "torsional_stiffness",
      "axial_stiffness", "polar_inertia",   "damping_ratio",     "modes",
      "stiffening",      "tip_mass",        "sections"};
  static const std::vector<std::string> kModes = {"bending_y", "bending_z", "torsion", "axial"};
  if (!context.require(node, YamlNode::Kind::kMap, "beam",
                       "write beam: {length: …, modes: {…}, …}"))
    return {};
  const Fields fields(context, node);
  fields.check_keys(kKeys, "a beam");
  const std::size_t before = context.mistakes();
  BeamDescription beam;
  beam.length = length ? fields.number("length", *length) : fields.required_number("length");
  beam.mass_per_length = fields.required_number("mass_per_length");
  if (const YamlNode* bending = fields.find("bending_stiffness")) {
    if (bending->kind == YamlNode::Kind::kList) {
      if (const auto both = context.numbers(*bending, "bending_stiffness")) {
        if (both->size() == 2) {
          beam.bending_stiffness_y = (*both)[0];
          beam.bending_stiffness_z = (*both)[1];
        } else {
          context.fail(*bending, fmt::format("bending_stiffness has {} entries", both->size()),
                       "one number, or two: for deflections along y and along z");
        }
      }
    } else {
      beam.bending_stiffness_y = beam.bending_stiffness_z =
          context.number(*bending, "bending_stiffness").value_or(1);
    }
  }
  beam.torsional_stiffness = fields.number("torsional_stiffness", 0);
  beam.axial_stiffness = fields.number("axial_stiffness", 0);
  beam.polar_inertia = fields.number("polar_inertia", 0);
  beam.damping_ratio = fields.number("damping_ratio", 0);
  beam.stiffening = fields.number("stiffening", 0) != 0;
  beam.tip_mass = fields.number("tip_mass", 0);
  beam.sections = static_cast<int>(fields.number("sections", beam.sections));
  if (const YamlNode* modes = fields.require("modes", "say how many: modes: {bending_y: 3, …}");
      modes != nullptr &&
      context.require(*modes, YamlNode::Kind::kMap, "modes", "write modes: {bending_y: 3, …}")) {
    const Fields own(context, *modes);
    own.check_keys(kModes, "modes");
    beam.bending_y = static_cast<int>(own.number("bending_y", 0));
    beam.bending_z = static_cast<int>(own.number("bending_z", 0));
    beam.torsion = static_cast<int>(own.number("torsion", 0));
    beam.axial = static_cast<int>(own.number("axial", 0));
  }
  if (context.mistakes() > before) return {};
  if (const std::string defect = beam_defect(beam); !defect.empty()) {
    const std::size_t end = defect.find('\n');
    const std::string field = defect.substr(0, end);
    const YamlNode* at = fields.find(field);
    context.fail(at == nullptr ? node : *at,
                 fmt::format("beam: {} {}", field, defect.substr(end + 1)), "");
    return {};
  }
  BeamBody made = make_beam(beam);
  body.mass = made.inertia.mass;
  body.center_of_mass = made.inertia.center;
  body.inertia = made.inertia.central;
  return std::move(made.data);
}

// Beside the model file, unless the path is absolute.
ModalData read_modal_file(ReadContext& context, const YamlNode& node, BodyDescription& body) {
  const std::string name = context.text(node, "file").value_or("");
  if (name.empty()) return {};
  const std::filesystem::path beside =
      std::filesystem::path(context.tree().location(node).file.text()).parent_path();
  const std::filesystem::path path = beside / name;
  std::ifstream file(path);
  if (!file) {
    context.fail(node, fmt::format("the file '{}' cannot be read", path.string()),
                 "its path is taken from the folder of the model file");
    return {};
  }
  std::stringstream text;
  text << file.rdbuf();
  try {
    const YamlTree tree(text.str(), path.string());
    ReadContext inside(tree);
    ModalData data;
    if (inside.require(tree.root(), YamlNode::Kind::kMap, "modal data", "write 'modes: …' first")) {
      const Fields fields(inside, tree.root());
      std::vector<std::string> keys = modal_keys();
      keys.emplace_back("sarrus_modes");
      fields.check_keys(keys, "a modal file");
      if (fields.require("sarrus_modes", "begin with 'sarrus_modes: 1', the version") != nullptr &&
          fields.number("sarrus_modes", 1) != 1)
        inside.fail(*fields.find("sarrus_modes"), "the version is not 1", "this program reads 1");
      data = read_modal_data(fields, body);
    }
    inside.finish();
    return data;
  } catch (const ModelError& error) {
    for (const Diagnostic& problem : error.diagnostics())
      context.fail(problem.where, problem.what, problem.hint);
  }
  return {};
}

std::vector<double> read_start(const Fields& fields, std::string_view key) {
  const YamlNode* node = fields.find(key);
  if (node == nullptr) return {};
  return fields.context().numbers(*node, key).value_or(std::vector<double>{});
}

}  // namespace

std::string read_node_name(ReadContext& context, const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kNull) return {};
  return context.text(node, "nodes").value_or("");
}

void read_flexible(const Fields& fields, std::optional<double> length, BodyDescription& body) {
  ReadContext& context = fields.context();
  const YamlNode* node = fields.find("flexible");
  if (node == nullptr) {
    for (const char* key : {"deformation", "deformation_rate"})
      if (const YamlNode* given = fields.find(key))
        context.fail(*given, fmt::format("{}: the body is rigid", key),
                     "it belongs to a body with 'flexible'");
    return;
  }
  constexpr const char* kHint = "write flexible: {beam: {…}}, {file: …} or the modes themselves";
  if (!context.require(*node, YamlNode::Kind::kMap, "flexible", kHint)) return;
  const Fields own(context, *node);
  const bool is_beam = own.has("beam");
  const bool is_file = own.has("file");
  auto flexible = std::make_shared<FlexibleDescription>();
  if (is_beam || is_file) {
    own.check_keys({"beam", "file"}, "flexible");
    own.exclude("beam", "file");
    for (const char* key : {"mass", "center_of_mass", "inertia", "solid"})
      if (const YamlNode* given = fields.find(key))
        context.fail(*given, fmt::format("'{}' is given, and 'flexible' says it, too", key),
                     "leave it out");
  } else {
    own.check_keys(modal_keys(), "flexible");
    for (const char* key : {"mass", "center_of_mass", "inertia"})
      if (fields.has(key) && own.has(key))
        context.fail(*own.find(key), fmt::format("'{}' stands in the body already", key),
                     "keep one of the two");
  }
  const std::size_t before = context.mistakes();
  if (is_beam)
    flexible->data = read_beam(context, *own.find("beam"), length, body);
  else if (is_file)
    flexible->data = read_modal_file(context, *own.find("file"), body);
  else
    flexible->data = read_modal_data(own, body);
  // A beam begins where its body's frame is: at `from`, not midway.
  if (is_beam && length) body.pose.p -= body.pose.q * Vec3(0.5 * *length, 0, 0);
  flexible->deformation = read_start(fields, "deformation");
  flexible->deformation_rate = read_start(fields, "deformation_rate");
  if (context.mistakes() == before) body.flexible = std::move(flexible);
}

}  // namespace sarrus::io
