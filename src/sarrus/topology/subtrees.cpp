#include "sarrus/topology/subtrees.h"

#include <algorithm>
#include <limits>

namespace sarrus {

Subtrees::Subtrees(const Model& model, const Topology& topology)
    : first_child_(model.bodies().size() + 1, 0),
      children_(topology.order.size()),
      weight_(model.bodies().size(), 1),
      pinned_(model.bodies().size(), false),
      contained_(model.bodies().size(), true) {
  list_children(topology);
  mark_cuts(model, topology);
}

void Subtrees::list_children(const Topology& topology) {
  for (const BodyId body : topology.order) ++first_child_[topology.parent[body.slot()].slot() + 1];
  for (std::size_t i = 1; i < first_child_.size(); ++i) first_child_[i] += first_child_[i - 1];
  std::vector<std::size_t> next(first_child_.begin(), first_child_.end() - 1);
  for (const BodyId body : topology.order)
    children_[next[topology.parent[body.slot()].slot()]++] = body.index;
  for (auto body = topology.order.rbegin(); body != topology.order.rend(); ++body)
    weight_[topology.parent[body->slot()].slot()] += weight_[body->slot()];
}

void Subtrees::mark_cuts(const Model& model, const Topology& topology) {
  // With one subtree after the other in a row, a subtree is an interval, and is contained when the
  // far ends of its cut joints lie in it.
  const std::size_t n = weight_.size();
  std::vector<int> place(n, 0), next(n, 1);
  for (const BodyId body : topology.order) {
    const std::size_t above = topology.parent[body.slot()].slot();
    place[body.slot()] = next[above];
    next[above] += weight_[body.slot()];
    next[body.slot()] = place[body.slot()] + 1;
  }
  std::vector<int> low(n, std::numeric_limits<int>::max()), high(n, -1);
  const auto reach = [&](BodyId from, int to_low, int to_high) {
    low[from.slot()] = std::min(low[from.slot()], to_low);
    high[from.slot()] = std::max(high[from.slot()], to_high);
  };
  for (const JointId id : topology.cut_joints) {
    const Joint& joint = model.joint(id);
    pinned_[joint.a.slot()] = pinned_[joint.b.slot()] = true;
    if (joint.a == kGround || joint.b == kGround) continue;
    reach(joint.a, place[joint.b.slot()], place[joint.b.slot()]);
    reach(joint.b, place[joint.a.slot()], place[joint.a.slot()]);
  }
  for (auto body = topology.order.rbegin(); body != topology.order.rend(); ++body) {
    const std::size_t i = body->slot();
    contained_[i] = low[i] >= place[i] && high[i] < place[i] + weight_[i];
    reach(topology.parent[i], low[i], high[i]);
  }
}

}  // namespace sarrus
