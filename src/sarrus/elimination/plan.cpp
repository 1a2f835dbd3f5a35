#include "sarrus/elimination/plan.h"

#include <algorithm>

#include "sarrus/base/assert.h"
#include "sarrus/elimination/mat6.h"

namespace sarrus {
namespace {

int new_slot(EliminationPlan& plan, std::size_t bodies) {
  plan.slots.push_back({static_cast<int>(bodies), plan.Lambda_size, plan.vector_size});
  plan.Lambda_size += 48 * bodies * bodies;
  plan.vector_size += 6 * bodies;
  return static_cast<int>(plan.slots.size()) - 1;
}

EliminationPlan::Step step_to_parent(const EliminationPlan& plan, const Topology& topology,
                                     BodyId body) {
  const JointId joint = topology.parent_joint[body.slot()];
  EliminationPlan::Step step;
  step.body = body.index;
  step.parent = topology.parent[body.slot()].index;
  step.joint = joint.index;
  step.first_row = plan.system->first_row(joint.index);
  step.rows = plan.system->first_row(joint.index + 1) - step.first_row;
  step.body_is_b = plan.system->model().joint(joint).b == body;
  return step;
}

void add_part(EliminationPlan& plan, const Topology& topology, const AssemblyTree& tree,
              const AssemblyTree::Part& from) {
  EliminationPlan::Part part;
  part.first_step = static_cast<int>(plan.steps.size());
  part.root = from.bodies.back().index;
  part.tip = from.tip.valid() ? from.tip.index : -1;
  part.grounded = from.grounded;
  part.shows_root = from.shows_root;
  for (int node : from.absorbed) {
    EliminationPlan::Step step =
        step_to_parent(plan, topology, tree.nodes[to_index(node)].boundary[0]);
    step.absorbed = node;
    plan.steps.push_back(step);
  }
  BodyId next_on_path = from.tip;
  for (const BodyId body : from.bodies) {
    if (body == from.bodies.back() && !from.grounded) break;
    EliminationPlan::Step step = step_to_parent(plan, topology, body);
    step.on_path = body == next_on_path;
    if (step.on_path) next_on_path = topology.parent[body.slot()];
    plan.steps.push_back(step);
  }
  part.step_count = static_cast<int>(plan.steps.size()) - part.first_step;
  part.slot = new_slot(plan, (from.shows_root ? 1U : 0U) + (from.tip.valid() ? 1U : 0U));
  plan.parts.push_back(part);
}

/// Builds the nodes' stacks and rows.
class NodePlanner {
 public:
  NodePlanner(EliminationPlan& plan, const AssemblyTree& tree)
      : plan_(plan), tree_(tree), tied_(tree.nodes.size(), 0), order_(tree.nodes.size()) {}

  void add(int index) {
    const AssemblyTree::Node& from = tree_.nodes[to_index(index)];
    EliminationPlan::Node node;
    node.part = from.part;
    if (from.part >= 0)
      add_leaf(index, from, node);
    else
      add_join(index, from, node);
    plan_.nodes.push_back(std::move(node));
  }

 private:
  std::vector<BodyId> handles_of(int part) const {
    const AssemblyTree::Part& p = tree_.parts[to_index(part)];
    std::vector<BodyId> handles;
    handles.reserve(2);
    if (p.shows_root) handles.push_back(p.bodies.back());
    if (p.tip.valid()) handles.push_back(p.tip);
    return handles;
  }

  void add_leaf(int index, const AssemblyTree::Node& from, EliminationPlan::Node& node) {
    const EliminationPlan::Part& part = plan_.parts[to_index(from.part)];
    tied_[to_index(index)] = part.grounded || to_ground(from.joints);
    node.slot = part.slot;
    const std::vector<BodyId>& handles = order_[to_index(index)] = handles_of(from.part);
    add_rows(from.joints, handles, node);
    if (node.rows.empty()) return;  // no joints, or free ones
    node.stack.reserve(handles.size());
    for (std::size_t i = 0; i < handles.size(); ++i)
      node.stack.push_back({part.slot, static_cast<int>(i)});
    node.slot = new_slot(plan_, handles.size());
    // A body alone, with one joint to ground and no other tie, is open.
    node.loop = from.joints.size() > 1 || part.grounded || !to_ground(from.joints);
    finish(node);
  }

  void add_join(int index, const AssemblyTree::Node& from, EliminationPlan::Node& node) {
    const auto tied_first = tied_[to_index(from.first)];
    const auto tied_second = tied_[to_index(from.second)];
    tied_[to_index(index)] = tied_first || tied_second || to_ground(from.joints);
    node.loop = from.joints.size() > 1 || (from.joints.size() == 1 && tied_first && tied_second) ||
                to_ground(from.joints);
    const std::size_t shown =
        order_[to_index(from.first)].size() + order_[to_index(from.second)].size();
    std::vector<BodyId> stacked;
    stacked.reserve(shown);
    node.stack.reserve(shown);
    for (const bool stays : {true, false})
      for (const int half : {from.first, from.second}) {
        const std::vector<BodyId>& boundary = order_[to_index(half)];
        for (std::size_t i = 0; i < boundary.size(); ++i) {
          const auto& kept = from.boundary;
          if ((std::find(kept.begin(), kept.end(), boundary[i]) != kept.end()) != stays) continue;
          stacked.push_back(boundary[i]);
          node.stack.push_back({plan_.nodes[to_index(half)].slot, static_cast<int>(i)});
        }
      }
    node.slot = new_slot(plan_, from.boundary.size());
    order_[to_index(index)].assign(
        stacked.begin(), stacked.begin() + static_cast<std::ptrdiff_t>(from.boundary.size()));
    add_rows(from.joints, stacked, node);
    finish(node);
  }

  bool to_ground(const std::vector<JointId>& joints) const {
    return std::any_of(joints.begin(), joints.end(), [&](JointId id) {
      const Joint& joint = plan_.system->model().joint(id);
      return joint.a == kGround || joint.b == kGround;
    });
  }

  void add_rows(const std::vector<JointId>& joints, const std::vector<BodyId>& stacked,
                EliminationPlan::Node& node) const {
    const auto place = [&](BodyId body) {
      if (body == kGround) return -1;
      const auto found = std::find(stacked.begin(), stacked.end(), body);
      SARRUS_ASSERT(found != stacked.end());
      return static_cast<int>(found - stacked.begin());
    };
    const ConstraintSystem& system = *plan_.system;
    int rows = 0;
    for (const JointId id : joints)
      rows += system.first_row(id.index + 1) - system.first_row(id.index);
    node.rows.reserve(to_index(rows));
    for (const JointId id : joints) {
      const Joint& joint = system.model().joint(id);
      const int a = place(joint.a), b = place(joint.b);
      for (int r = system.first_row(id.index); r < system.first_row(id.index + 1); ++r)
        node.rows.push_back({r, a, b});
    }
  }

  void finish(EliminationPlan::Node& node) {
    const std::size_t rows = node.rows.size();
    node.U = plan_.U_size;
    node.L = plan_.L_size;
    node.vectors = plan_.closing_size;
    plan_.U_size += rows * 8 * node.stack.size();
    plan_.L_size += rows * rows;
    plan_.closing_size += rows;
    plan_.most_rows = std::max(plan_.most_rows, static_cast<int>(rows));
  }

  EliminationPlan& plan_;
  const AssemblyTree& tree_;
  std::vector<char> tied_;                  ///< per node: a joint to ground is closed in it
  std::vector<std::vector<BodyId>> order_;  ///< of the boundary in the node's slot
};

}  // namespace

EliminationPlan::EliminationPlan(const ConstraintSystem& of, const Topology& topology,
                                 const AssemblyTree& tree, bool everything_iterates)
    : system(&of) {
  joint_of_row.reserve(of.origins().size());
  parts.reserve(tree.parts.size());
  nodes.reserve(tree.nodes.size());
  slots.reserve(tree.parts.size() + tree.nodes.size());
  steps.reserve(of.model().bodies().size());
  for (const ConstraintSystem::Origin& origin : of.origins())
    joint_of_row.push_back(origin.joint.index);
  for (const AssemblyTree::Part& part : tree.parts) add_part(*this, topology, tree, part);
  NodePlanner planner(*this, tree);
  for (int i = 0; i < static_cast<int>(tree.nodes.size()); ++i) planner.add(i);

  tasks.roots = tree.roots;
  tasks.nodes.resize(tree.nodes.size());
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const AssemblyTree::Node& from = tree.nodes[i];
    tasks.nodes[i].begin = from.begin;
    tasks.nodes[i].cost = from.cost;
    if (from.up < 0) continue;
    std::vector<int>& children = tasks.nodes[to_index(from.up)].children;
    if (children.empty()) children.reserve(2);
    children.push_back(static_cast<int>(i));
  }

  // The iteration over loops reaches every node but those that hang whole on a part.
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const AssemblyTree::Node& from = tree.nodes[i];
    if (from.up < 0)
      nodes[i].core = std::any_of(
          nodes.begin() + from.begin, nodes.begin() + static_cast<std::ptrdiff_t>(i) + 1,
          [&](const Node& n) { return (n.loop || everything_iterates) && !n.rows.empty(); });
    else
      nodes[i].core = nodes[to_index(from.up)].core && tree.nodes[to_index(from.up)].part < 0;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].core) core_nodes.push_back(static_cast<int>(i));
  iterates = !core_nodes.empty();
}

}  // namespace sarrus
