#include "sarrus/topology/tree_parts.h"

#include <algorithm>

#include "sarrus/base/assert.h"

namespace sarrus {
namespace {

/// Cuts the tree, children first. At every body a cluster is open: the body, which is its root, and
/// what of the clusters of its children was merged into it. Bodies with joints that leave the
/// cluster are its *holes*; a cluster that is to be merged may have one.
class PartCutter {
 public:
  PartCutter(const Model& model, const Topology& topology, int part_bodies)
      : model_(model),
        topology_(topology),
        limit_(part_bodies),
        clusters_(model.bodies().size()),
        first_child_(model.bodies().size() + 1, 0) {
    list_children();
    mark_cuts();
  }

  TreeParts cut() {
    for (auto body = topology_.order.rbegin(); body != topology_.order.rend(); ++body)
      visit(body->index);
    return collect();
  }

 private:
  using Hang = TreeParts::Hang;

  struct Cluster {
    int size = 1;
    int weight = 1;          ///< bodies in the whole subtree
    int hole = -1;           ///< a body other than the root; −1: none
    bool pinned = false;     ///< the root has a cut joint
    bool root_hole = false;  ///< the root has joints that leave the cluster, besides its parent's
    bool merged = false;     ///< into the parent's
    bool contained = false;  ///< no body of the subtree has a cut joint
    Hang hang = Hang::kNot;

    int holes() const { return (root_hole ? 1 : 0) + (hole >= 0 ? 1 : 0); }
  };

  Cluster& of(int body) { return clusters_[static_cast<std::size_t>(body)]; }
  int parent(int body) const { return topology_.parent[BodyId{body}.slot()].index; }
  bool grounded(int body) const {
    return parent(body) == kGround.index && topology_.parent_joint[BodyId{body}.slot()].valid();
  }

  void list_children() {
    for (const BodyId body : topology_.order)
      ++first_child_[topology_.parent[body.slot()].slot() + 1];
    for (std::size_t i = 1; i < first_child_.size(); ++i) first_child_[i] += first_child_[i - 1];
    children_.resize(topology_.order.size());
    std::vector<int> next(first_child_.begin(), first_child_.end() - 1);
    for (const BodyId body : topology_.order)
      children_[static_cast<std::size_t>(next[topology_.parent[body.slot()].slot()]++)] =
          body.index;
  }

  void mark_cuts() {
    for (const JointId id : topology_.cut_joints)
      for (const BodyId body : {model_.joint(id).a, model_.joint(id).b})
        of(body.index).pinned = of(body.index).root_hole = true;
    for (Cluster& cluster : clusters_) cluster.contained = !cluster.pinned;
    for (auto body = topology_.order.rbegin(); body != topology_.order.rend(); ++body) {
      of(parent(body->index)).weight += of(body->index).weight;
      if (!of(body->index).contained) of(parent(body->index)).contained = false;
    }
  }

  bool fits(int body, int child) { return of(body).size + of(child).size <= limit_; }

  void merge(int body, int child) {
    Cluster& below = of(child);
    below.merged = true;
    of(body).size += below.size;
    if (below.holes() > 0) of(body).hole = below.root_hole ? child : below.hole;
  }

  /// Light enough to be raked without making the tree tall: not much of what hangs on the body is
  /// in this child, so that the way down from a raked node to a raked node in it shrinks by a
  /// factor; or it is not worth a join.  [assembly-rake]
  bool light(int body, int child) {
    return of(child).weight <= std::max(limit_ / 2, 2 * (of(body).weight / 3));
  }

  /// Whether the cluster may have its root and another body for holes, and be closed because of
  /// that: where it must be closed anyway, or may be raked.
  bool may_have_two_holes(int body) {
    if (grounded(body)) return false;
    return of(body).contained || of(parent(body)).pinned;
  }

  void visit(int body) {
    rest_.clear();
    open_.clear();
    for (int i = first_child_[BodyId{body}.slot()]; i < first_child_[BodyId{body}.slot() + 1]; ++i)
      rest_.push_back(children_[static_cast<std::size_t>(i)]);
    // Small ones without holes first: they cost nothing.
    std::stable_sort(rest_.begin(), rest_.end(), [this](int a, int b) {
      return std::pair(of(a).holes(), of(a).size) < std::pair(of(b).holes(), of(b).size);
    });
    const auto left = std::stable_partition(rest_.begin(), rest_.end(), [&](int child) {
      if (limit_ == 1 || of(child).holes() > 0 || !fits(body, child)) return false;
      merge(body, child);
      return true;
    });
    rest_.erase(rest_.begin(), left);

    const auto can_be_merged = [&](int child) {
      return of(child).holes() == 1 && fits(body, child);
    };
    if (rest_.size() == 1 && !of(body).root_hole && can_be_merged(rest_[0])) {
      merge(body, rest_[0]);
      return;
    }
    for (const int child : rest_)
      if (limit_ > 1 && of(child).contained && light(body, child))
        of(child).hang = Hang::kRaked;
      else
        open_.push_back(child);
    // One of those that are left may be a hole of this cluster; the others make holes of the body.
    std::stable_sort(open_.begin(), open_.end(),
                     [this](int a, int b) { return of(a).weight > of(b).weight; });
    if ((open_.size() == 1 && !of(body).root_hole) || may_have_two_holes(body)) {
      const auto chosen = std::find_if(open_.begin(), open_.end(), can_be_merged);
      if (chosen != open_.end()) {
        merge(body, *chosen);
        open_.erase(chosen);
      }
    }
    for (const int child : open_) {
      of(child).hang = Hang::kOpen;
      of(body).root_hole = true;
    }
  }

  TreeParts collect() {
    TreeParts result;
    result.part_of.assign(clusters_.size(), -1);
    for (const BodyId body : topology_.order) {
      const Cluster& cluster = of(body.index);
      int& part = result.part_of[body.slot()];
      if (cluster.merged) {
        part = result.part_of[topology_.parent[body.slot()].slot()];
        continue;
      }
      part = static_cast<int>(result.parts.size());
      result.hang.push_back(cluster.hang);
      result.parts.emplace_back();
      describe(body, cluster, result.parts.back());
    }
    for (auto body = topology_.order.rbegin(); body != topology_.order.rend(); ++body)
      result.parts[static_cast<std::size_t>(result.part_of[body->slot()])].bodies.push_back(*body);
    return result;
  }

  void describe(BodyId root, const Cluster& cluster, AssemblyTree::Part& part) {
    part.bodies.reserve(static_cast<std::size_t>(cluster.size));
    part.grounded = limit_ > 1 && grounded(root.index);
    part.shows_root =
        limit_ == 1 || (!part.grounded && (cluster.root_hole || cluster.hang != Hang::kNot));
    if (limit_ == 1) return;
    SARRUS_ASSERT(!part.grounded || cluster.holes() <= 1);
    part.tip = part.grounded && cluster.root_hole ? root : BodyId{cluster.hole};
  }

  const Model& model_;
  const Topology& topology_;
  const int limit_;
  std::vector<Cluster> clusters_;
  std::vector<int> first_child_, children_;
  std::vector<int> rest_, open_;  // scratch of visit()
};

}  // namespace

TreeParts cut_into_parts(const Model& model, const Topology& topology, int part_bodies) {
  return PartCutter(model, topology, std::max(part_bodies, 1)).cut();
}

}  // namespace sarrus
