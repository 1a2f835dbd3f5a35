#include "sarrus/elimination/assembly_tree.h"

#include <algorithm>
#include <numeric>

#include "sarrus/base/assert.h"
#include "sarrus/elimination/tree_dissection.h"
#include "sarrus/elimination/tree_joins.h"
#include "sarrus/elimination/tree_parts.h"

namespace sarrus {
namespace {

// [assembly-cost]  Rough; times of one core [ns].
constexpr double kBodyCost = 120;
constexpr double kBodyBetweenCost = 30;

// Boundary from which on it is worth looking for a better way to halve the graph.
constexpr std::size_t kWide = 6;

/// Puts parts together: those that hang together and absorb nothing are a group, which becomes one
/// node.
class TreePlanner {
 public:
  TreePlanner(const Model& model, const Topology& topology, int part_bodies)
      : model_(model),
        topology_(topology),
        cut_(cut_into_parts(model, topology, part_bodies)),
        group_(cut_.parts.size()),
        local_body_(model.bodies().size(), -1) {}

  AssemblyTree plan() {
    make_leaves();
    sort_joints();
    collect_groups();
    // What is absorbed into a group has higher numbers than the group.
    for (std::size_t g = members_.size(); g-- > 0;)
      if (!members_[g].empty()) build_group(static_cast<int>(g));
    return lay_out();
  }

 private:
  using Node = AssemblyTree::Node;
  using Part = AssemblyTree::Part;
  using Hang = TreeParts::Hang;

  static std::size_t slot(int index) { return static_cast<std::size_t>(index); }
  int part_of(BodyId body) const { return cut_.part_of[body.slot()]; }

  int group_of(int part) {
    while (group_[slot(part)] != part) part = group_[slot(part)] = group_[slot(group_[slot(part)])];
    return part;
  }

  void make_leaves() {
    nodes_.resize(cut_.parts.size());
    for (std::size_t p = 0; p < cut_.parts.size(); ++p) {
      const Part& part = cut_.parts[p];
      nodes_[p].part = static_cast<int>(p);
      if (part.shows_root) nodes_[p].boundary.push_back(part.bodies.back());
      if (part.tip.valid()) nodes_[p].boundary.push_back(part.tip);
    }
    std::iota(group_.begin(), group_.end(), 0);
  }

  /// Each joint that is not closed inside a part: to a leaf, or between two groups' members.
  void sort_joints() {
    std::vector<char> is_cut(model_.joints().size(), 0);
    for (const JointId id : topology_.cut_joints) is_cut[id.slot()] = 1;
    for (int j = 0; j < model_.joint_count(); ++j) {
      const JointId id{j};
      const Joint& joint = model_.joint(id);
      const int a = part_of(joint.a), b = part_of(joint.b);
      const BodyId below = topology_.parent_joint[joint.a.slot()] == id   ? joint.a
                           : topology_.parent_joint[joint.b.slot()] == id ? joint.b
                                                                          : BodyId{};
      if (below.valid()) {
        const std::size_t part = slot(part_of(below));
        if (a == b || cut_.parts[part].grounded || cut_.hang[part] == Hang::kAbsorbed) continue;
      } else if (!is_cut[id.slot()]) {
        continue;  // a free joint beside others: nothing to close
      }
      if (a < 0 || b < 0 || a == b) {
        nodes_[slot(std::max(a, b))].joints.push_back(id);
        continue;
      }
      open_joints_.push_back(id);
      const auto [low, high] = std::minmax({group_of(a), group_of(b)});
      group_[slot(high)] = low;
    }
  }

  void collect_groups() {
    const std::size_t parts = cut_.parts.size();
    members_.resize(parts);
    joints_.resize(parts);
    top_.assign(parts, BodyId{});
    for (int p = 0; p < static_cast<int>(parts); ++p) {
      members_[slot(group_of(p))].push_back(p);
      if (cut_.hang[slot(p)] == Hang::kAbsorbed) {
        SARRUS_ASSERT(group_of(p) == p);
        top_[slot(p)] = cut_.parts[slot(p)].bodies.back();
      }
    }
    for (const JointId joint : open_joints_)
      joints_[slot(group_of(part_of(model_.joint(joint).a)))].push_back(joint);
  }

  void build_group(int group) {
    for (const int part : members_[slot(group)]) weigh_leaf(part);
    const int node =
        members_[slot(group)].size() == 1 ? members_[slot(group)][0] : join_group(group);
    const BodyId top = top_[slot(group)];
    if (top.valid())
      cut_.parts[slot(part_of(topology_.parent[top.slot()]))].absorbed.push_back(node);
    else
      roots_.push_back(node);
  }

  void weigh_leaf(int index) {
    Part& part = cut_.parts[slot(index)];
    std::reverse(part.absorbed.begin(), part.absorbed.end());  // groups were built last to first
    Node& leaf = nodes_[slot(index)];
    leaf.cost = kBodyCost * static_cast<double>(part.bodies.size());
    if (part.tip.valid())
      for (BodyId body = part.tip; body != part.bodies.back(); body = topology_.parent[body.slot()])
        leaf.cost += kBodyBetweenCost;
    if (!leaf.joints.empty()) {
      int rows = 0;
      for (const JointId joint : leaf.joints) rows += model_.joint(joint).constraint_count();
      leaf.cost += join_cost(static_cast<int>(leaf.boundary.size()), rows);
    }
    for (const int absorbed : part.absorbed) {
      leaf.height = std::max(leaf.height, nodes_[slot(absorbed)].height + 1);
      leaf.cost += nodes_[slot(absorbed)].cost;
    }
  }

  int join_group(int group) {
    const std::vector<int>& members = members_[slot(group)];
    const PartGraph graph = make_graph(group);
    std::vector<Node> joins = nodes_of_joins(graph, join_in_rounds(graph));
    const auto is_wide = [](const Node& join) { return join.boundary.size() > kWide; };
    if (std::any_of(joins.begin(), joins.end(), is_wide))
      joins = nodes_of_joins(graph, join_by_dissection(graph));
    const int made = static_cast<int>(nodes_.size());
    for (Node& join : joins) {
      for (int* half : {&join.first, &join.second})
        *half = *half < static_cast<int>(members.size())
                    ? members[slot(*half)]
                    : made + *half - static_cast<int>(members.size());
      join.cost += nodes_[slot(join.first)].cost + nodes_[slot(join.second)].cost;
      nodes_.push_back(std::move(join));
    }
    return static_cast<int>(nodes_.size()) - 1;
  }

  PartGraph make_graph(int group) {
    const std::vector<int>& members = members_[slot(group)];
    PartGraph graph;
    for (std::size_t m = 0; m < members.size(); ++m) {
      const std::size_t p = slot(members[m]);
      graph.parts.push_back({nodes_[p].height, static_cast<int>(cut_.parts[p].bodies.size())});
      for (const BodyId body : nodes_[p].boundary) {
        local_body_[body.slot()] = static_cast<int>(graph.bodies.size());
        graph.bodies.push_back({body, static_cast<int>(m), body == top_[slot(group)] ? 1 : 0});
      }
    }
    for (const JointId id : joints_[slot(group)]) {
      const Joint& joint = model_.joint(id);
      const int a = local_body_[joint.a.slot()], b = local_body_[joint.b.slot()];
      graph.edges.push_back({a, b, id, joint.constraint_count()});
      ++graph.bodies[slot(a)].open;
      ++graph.bodies[slot(b)].open;
    }
    return graph;
  }

  /// A subtree after the other, what is below a node before it; parts in the order of their nodes.
  AssemblyTree lay_out() {
    AssemblyTree tree;
    std::vector<int> place(nodes_.size(), -1);
    std::vector<int> begin(nodes_.size(), -1);
    std::vector<int> stack;
    std::reverse(roots_.begin(), roots_.end());
    for (const int root : roots_) {
      stack.push_back(root);
      while (!stack.empty()) {
        const int n = stack.back();
        Node& node = nodes_[slot(n)];
        if (begin[slot(n)] < 0) {
          begin[slot(n)] = static_cast<int>(tree.nodes.size());
          if (node.part < 0) {
            stack.push_back(node.second);
            stack.push_back(node.first);
          } else {
            const std::vector<int>& absorbed = cut_.parts[slot(node.part)].absorbed;
            stack.insert(stack.end(), absorbed.rbegin(), absorbed.rend());
          }
          continue;
        }
        stack.pop_back();
        place[slot(n)] = static_cast<int>(tree.nodes.size());
        node.begin = begin[slot(n)];
        place_node(n, place, tree);
      }
      tree.roots.push_back(place[slot(root)]);
    }
    tree.part_of.assign(cut_.part_of.size(), -1);
    for (std::size_t p = 0; p < tree.parts.size(); ++p)
      for (const BodyId body : tree.parts[p].bodies)
        tree.part_of[body.slot()] = static_cast<int>(p);
    return tree;
  }

  void place_node(int n, const std::vector<int>& place, AssemblyTree& tree) {
    Node& node = nodes_[slot(n)];
    const auto take = [&](int& below) {
      below = place[slot(below)];
      tree.nodes[slot(below)].up = place[slot(n)];
    };
    if (node.part < 0) {
      take(node.first);
      take(node.second);
    } else {
      Part& part = cut_.parts[slot(node.part)];
      for (int& absorbed : part.absorbed) take(absorbed);
      node.part = static_cast<int>(tree.parts.size());
      tree.parts.push_back(std::move(part));
    }
    tree.nodes.push_back(std::move(node));
  }

  const Model& model_;
  const Topology& topology_;
  TreeParts cut_;
  std::vector<Node> nodes_;  // one a part, then joins
  std::vector<int> group_;   // per part: another one of the group, in the end the first
  std::vector<JointId> open_joints_;
  std::vector<std::vector<int>> members_;     // per group: parts
  std::vector<std::vector<JointId>> joints_;  // per group: those between its parts
  std::vector<BodyId> top_;                   // per group that is absorbed
  std::vector<int> local_body_;               // per body: in the graph of its group
  std::vector<int> roots_;
};

}  // namespace

AssemblyTree plan_assembly(const Model& model, const Topology& topology,
                           const AssemblyOptions& options) {
  const int part_bodies = options.part_bodies > 0
                              ? options.part_bodies
                              : std::clamp(static_cast<int>(model.bodies().size()) / 16, 128, 512);
  return TreePlanner(model, topology, part_bodies).plan();
}

int AssemblyTree::width() const {
  std::size_t width = 0;
  for (const Node& node : nodes) width = std::max(width, node.boundary.size());
  return static_cast<int>(width);
}

int AssemblyTree::height() const {
  int height = 0;
  for (const int root : roots)
    height = std::max(height, nodes[static_cast<std::size_t>(root)].height);
  return height;
}

double AssemblyTree::cost() const {
  double cost = 0;
  for (const int root : roots) cost += nodes[static_cast<std::size_t>(root)].cost;
  return cost;
}

}  // namespace sarrus
