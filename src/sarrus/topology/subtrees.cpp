#include "sarrus/topology/subtrees.h"

namespace sarrus {

Subtrees::Subtrees(const Model& model, const Topology& topology)
    : first_child_(model.bodies().size() + 1, 0),
      children_(topology.order.size()),
      weight_(model.bodies().size(), 1),
      pinned_(model.bodies().size(), false),
      open_(model.bodies().size(), true) {
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
  for (const JointId id : topology.cut_joints)
    for (const BodyId body : {model.joint(id).a, model.joint(id).b})
      pinned_[body.slot()] = true, open_[body.slot()] = false;
  for (auto body = topology.order.rbegin(); body != topology.order.rend(); ++body)
    if (!open_[body->slot()]) open_[topology.parent[body->slot()].slot()] = false;
}

}  // namespace sarrus
