#include "sarrus/io/assembly_report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sarrus/io/wording.h"

namespace sarrus {
namespace {

constexpr std::size_t kMostNodes = 64;

using AssemblyNode = AssemblyTree::Node;

const AssemblyNode& node_at(const AssemblyTree& tree, int node) {
  return tree.nodes[static_cast<std::size_t>(node)];
}
const AssemblyTree::Part& part_at(const AssemblyTree& tree, const AssemblyNode& leaf) {
  return tree.parts[static_cast<std::size_t>(leaf.part)];
}

std::vector<int> nodes_below(const AssemblyTree& tree, int index) {
  const AssemblyNode& node = node_at(tree, index);
  if (node.part >= 0) return part_at(tree, node).absorbed;
  return {node.first, node.second};
}

/// Roots have depth 0. How deep to go so that there are few enough lines.
int deepest_shown(const AssemblyTree& tree) {
  std::vector<int> depth(tree.nodes.size(), 0);
  std::vector<std::size_t> nodes;
  for (std::size_t n = tree.nodes.size(); n-- > 0;) {
    if (tree.nodes[n].up >= 0) depth[n] = depth[static_cast<std::size_t>(tree.nodes[n].up)] + 1;
    const auto level = static_cast<std::size_t>(depth[n]);
    nodes.resize(std::max(nodes.size(), level + 1), 0);
    ++nodes[level];
  }
  std::size_t sum = 0;
  int deepest = -1;
  for (const std::size_t level : nodes) {
    sum += level;
    if (sum > kMostNodes) break;
    ++deepest;
  }
  return std::max(deepest, 0);
}

/// The root first: "hub, arm1, arm2" or "link1 … link32 (32 bodies)".
std::string part_words(const Model& model, const AssemblyTree::Part& part) {
  constexpr std::size_t kAllNamed = 4;
  std::vector<std::string> names = names_of(model, part.bodies);
  std::reverse(names.begin(), names.end());
  if (names.size() <= kAllNamed) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} … {} ({})", names.front(), names.back(), counted(names.size(), "body"));
}

/// Two digits: it is rough.
std::string duration_words(double nanoseconds) {
  constexpr std::array<std::string_view, 4> kUnits = {"ns", "µs", "ms", "s"};
  std::size_t unit = 0;
  for (; nanoseconds >= 995 && unit + 1 < kUnits.size(); ++unit) nanoseconds /= 1000;
  const double step = nanoseconds >= 99.5 ? 10 : 1;
  if (nanoseconds < 9.95) return fmt::format("{:.1f} {}", nanoseconds, kUnits[unit]);
  return fmt::format("{:.0f} {}", step * std::round(nanoseconds / step), kUnits[unit]);
}

std::string node_words(const Model& model, const AssemblyTree& tree, const AssemblyNode& node) {
  constexpr std::size_t kMostNames = 4;
  std::string text;
  if (node.part >= 0) {
    text += "part " + part_words(model, part_at(tree, node));
    if (part_at(tree, node).grounded) text += " on ground";
    if (!node.joints.empty()) text += ", over ";
  } else {
    text += "join over ";
  }
  text += shortened(names_of(model, node.joints), kMostNames);
  if (!node.boundary.empty())
    text += ", shows " + shortened(names_of(model, node.boundary), kMostNames);
  return text;
}

}  // namespace

std::string assembly_figures(const AssemblyTree& tree) {
  return fmt::format("{}, {}; height {}, width {}; about {} a sweep",
                     counted(tree.parts.size(), "part"),
                     counted(tree.nodes.size() - tree.parts.size(), "join"), tree.height(),
                     tree.width(), duration_words(tree.cost()));
}

std::string assembly_text(const Model& model, const AssemblyTree& tree) {
  std::string text = "assembly tree: " + assembly_figures(tree) + "\n";
  const int deepest = deepest_shown(tree);
  std::vector<std::pair<int, int>> stack;  // node, depth
  const std::size_t roots = std::min(tree.roots.size(), kMostNodes);
  for (std::size_t r = roots; r-- > 0;) stack.emplace_back(tree.roots[r], 0);
  std::size_t shown = 0;
  while (!stack.empty()) {
    const auto [index, depth] = stack.back();
    stack.pop_back();
    ++shown;
    const AssemblyNode& node = node_at(tree, index);
    const bool absorbed = node.up >= 0 && node_at(tree, node.up).part >= 0;
    text += fmt::format("{:{}}{}{}\n", "", 2 * depth, absorbed ? "absorbed " : "",
                        node_words(model, tree, node));
    if (depth == deepest) continue;
    const std::vector<int> below = nodes_below(tree, index);
    for (auto half = below.rbegin(); half != below.rend(); ++half)
      stack.emplace_back(*half, depth + 1);
  }
  if (shown < tree.nodes.size())
    text += fmt::format("… and {} below\n", counted(tree.nodes.size() - shown, "node"));
  return text;
}

}  // namespace sarrus
