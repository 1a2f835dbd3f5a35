#include "sarrus/elimination/tree_parts.h"

#include <algorithm>
#include <cstdint>

#include "sarrus/base/assert.h"
#include "sarrus/topology/subtrees.h"

namespace sarrus {
namespace {

std::size_t body_slot(int body) { return static_cast<std::size_t>(body); }

/// The spanning tree, and what the size of parts says about it.
struct CuttingRules {
  const Topology& topology;
  Subtrees trees;
  int limit;  ///< bodies a part may have

  bool grounded(int body) const {
    return topology.parent[body_slot(body)] == kGround &&
           topology.parent_joint[body_slot(body)].valid();
  }

  /// Whether all that hangs on a child may be absorbed. It must be open, and light, so that the tree
  /// does not become tall: it has at most two thirds of what hangs on the body, so that on the way
  /// down from absorbed node to absorbed node they shrink by that factor; or it is not worth a join.
  /// [assembly-absorb]
  bool may_be_absorbed(int body, int child) const {
    const int weight = trees.weight(child), all = trees.weight(body) - 1;
    return trees.is_open(child) && (weight <= limit / 2 || 3 * weight <= 2 * all);
  }
};

/// Where loops are, the fewest parts are found beforehand, as if they could be of any size.
///
/// A part has one hole (a body with joints that leave it) besides its root, a grounded one has one
/// with its root. So there are three numbers for each subtree: the fewest closed parts in it when
/// the cluster at its top, which is not counted, remains open without a hole or with one, or when it
/// is closed, too.
class FewestParts {
 public:
  explicit FewestParts(const CuttingRules& rules)
      : rules_(rules), count_(rules.topology.parent.size()) {
    const auto& order = rules.topology.order;
    for (auto body = order.rbegin(); body != order.rend(); ++body) count(body->index);
  }

  /// Per body: whether the cluster at it is best closed.
  std::vector<char> closed() const {
    std::vector<char> closed(count_.size(), 0);
    for (const BodyId id : rules_.topology.order) {
      const int body = id.index;
      if (rules_.topology.parent[id.slot()] == kGround) closed[id.slot()] = 1;
      const Sums sums = sum(body);
      for (const int child : rules_.trees.children(body))
        closed[body_slot(child)] = at(child).closed < at(child).whole ? 1 : 0;
      // Which child passes its hole on.
      const bool other_than_root = closed[id.slot()] && !rules_.grounded(body);
      const bool instead_of_body =
          !rules_.trees.pinned(body) && sums.whole + sums.least_step <= sums.any;
      const int chosen = other_than_root   ? sums.best_of_any
                         : instead_of_body ? sums.best_of_whole
                                           : -1;
      if (chosen >= 0) closed[body_slot(chosen)] = 0;
    }
    return closed;
  }

 private:
  using Number = std::int64_t;
  static constexpr Number kNever = 1'000'000'000;

  struct Count {
    Number whole = 0, holed = 0, closed = 1;
    Number any() const { return std::min(whole, closed); }
  };

  /// Over the children of a body.
  struct Sums {
    Number any = 0;              ///< the body may become a hole
    Number whole = 0;            ///< it may not
    Number least_change = 0;     ///< of `any`, when one child passes its hole on: 0 or less
    Number least_step = kNever;  ///< of `whole`, likewise
    int best_of_any = -1, best_of_whole = -1;
  };

  const Count& at(int body) const { return count_[body_slot(body)]; }

  Sums sum(int body) const {
    Sums sums;
    for (const int child : rules_.trees.children(body)) {
      const Number any = at(child).any();
      const Number whole = rules_.may_be_absorbed(body, child) ? any : at(child).whole;
      sums.any += any;
      sums.whole += whole;
      if (at(child).holed - any < sums.least_change) {
        sums.least_change = at(child).holed - any;
        sums.best_of_any = child;
      }
      if (at(child).holed - whole < sums.least_step) {
        sums.least_step = at(child).holed - whole;
        sums.best_of_whole = child;
      }
    }
    return sums;
  }

  void count(int body) {
    const Sums sums = sum(body);
    const bool pinned = rules_.trees.pinned(body);
    Count& here = count_[body_slot(body)];
    here.whole = std::min(pinned ? kNever : sums.whole, kNever);
    here.holed = pinned ? sums.any : std::min(sums.any, sums.whole + sums.least_step);
    here.closed = 1 + (rules_.grounded(body) ? std::min(here.whole, here.holed)
                                             : sums.any + sums.least_change);
  }

  const CuttingRules& rules_;
  std::vector<Count> count_;
};

/// Cuts the tree, children first. At every body a cluster is open: the body, which is its root, and
/// those of the clusters of its children that were merged into it.
class PartCutter {
 public:
  explicit PartCutter(const CuttingRules& rules)
      : rules_(rules),
        closed_(FewestParts(rules).closed()),
        clusters_(rules.topology.parent.size()) {}

  TreeParts cut() {
    const auto& order = rules_.topology.order;
    for (auto body = order.rbegin(); body != order.rend(); ++body) visit(body->index);
    return collect();
  }

 private:
  using Hang = TreeParts::Hang;

  struct Cluster {
    int size = 1;
    int hole = -1;           ///< a body other than the root; −1: none
    bool root_hole = false;  ///< the root has joints that leave the cluster, besides its parent's
    bool merged = false;     ///< into the parent's
    Hang hang = Hang::kNot;

    int holes() const { return (root_hole ? 1 : 0) + (hole >= 0 ? 1 : 0); }
  };

  Cluster& of(int body) { return clusters_[body_slot(body)]; }
  bool fits(int body, int child) { return of(body).size + of(child).size <= rules_.limit; }

  void merge(int body, int child) {
    Cluster& below = of(child);
    below.merged = true;
    of(body).size += below.size;
    if (below.holes() > 0) of(body).hole = below.root_hole ? child : below.hole;
  }

  void visit(int body) {
    of(body).root_hole = rules_.trees.pinned(body);
    merge_whole(body);
    const auto can_be_merged = [&](int child) {
      return of(child).holes() == 1 && fits(body, child);
    };
    if (rest_.size() == 1 && !of(body).root_hole && can_be_merged(rest_[0])) {
      merge(body, rest_[0]);
      return;
    }
    std::erase_if(rest_, [&](int child) {
      if (!rules_.may_be_absorbed(body, child)) return false;
      of(child).hang = Hang::kAbsorbed;
      return true;
    });
    // One of those that are left may pass its hole on; the others make a hole of the body.
    const bool root_and_other = closed_[body_slot(body)] && !rules_.grounded(body);
    if ((rest_.size() == 1 && !of(body).root_hole) || root_and_other) {
      std::stable_sort(rest_.begin(), rest_.end(), [this](int a, int b) {
        return std::pair(closed_[body_slot(a)], -rules_.trees.weight(a)) <
               std::pair(closed_[body_slot(b)], -rules_.trees.weight(b));
      });
      const auto chosen = std::find_if(rest_.begin(), rest_.end(), can_be_merged);
      if (chosen != rest_.end()) {
        merge(body, *chosen);
        rest_.erase(chosen);
      }
    }
    for (const int child : rest_) of(child).hang = Hang::kOpen;
    if (!rest_.empty()) of(body).root_hole = true;
  }

  /// Clusters without holes, small ones first, as far as they fit; the other children are left in
  /// `rest_`.
  void merge_whole(int body) {
    const auto children = rules_.trees.children(body);
    rest_.assign(children.begin(), children.end());
    std::stable_sort(rest_.begin(), rest_.end(),
                     [this](int a, int b) { return of(a).size < of(b).size; });
    std::erase_if(rest_, [&](int child) {
      if (of(child).holes() > 0 || !fits(body, child)) return false;
      merge(body, child);
      return true;
    });
  }

  TreeParts collect() {
    const Topology& topology = rules_.topology;
    TreeParts result;
    result.part_of.assign(clusters_.size(), -1);
    for (const BodyId body : topology.order) {
      int& part = result.part_of[body.slot()];
      if (of(body.index).merged) {
        part = result.part_of[topology.parent[body.slot()].slot()];
        continue;
      }
      part = static_cast<int>(result.parts.size());
      result.hang.push_back(of(body.index).hang);
      result.parts.push_back(describe(body));
    }
    for (auto body = topology.order.rbegin(); body != topology.order.rend(); ++body)
      result.parts[body_slot(result.part_of[body->slot()])].bodies.push_back(*body);
    return result;
  }

  AssemblyTree::Part describe(BodyId root) {
    const Cluster& cluster = of(root.index);
    AssemblyTree::Part part;
    part.bodies.reserve(static_cast<std::size_t>(cluster.size));
    part.grounded = rules_.grounded(root.index);
    SARRUS_ASSERT(!part.grounded || cluster.holes() <= 1);
    part.shows_root = !part.grounded && (cluster.root_hole || cluster.hang != Hang::kNot);
    part.tip = part.grounded && cluster.root_hole ? root : BodyId{cluster.hole};
    return part;
  }

  const CuttingRules& rules_;
  const std::vector<char> closed_;  // per body: where the fewest parts want it
  std::vector<Cluster> clusters_;   // per body
  std::vector<int> rest_;           // scratch of visit()
};

TreeParts every_body_for_itself(const Topology& topology) {
  TreeParts result;
  result.part_of.assign(topology.parent.size(), -1);
  for (const BodyId body : topology.order) {
    result.part_of[body.slot()] = static_cast<int>(result.parts.size());
    result.parts.push_back({.bodies = {body}, .absorbed = {}, .tip = {}, .shows_root = true});
    result.hang.push_back(topology.parent[body.slot()] == kGround ? TreeParts::Hang::kNot
                                                                  : TreeParts::Hang::kOpen);
  }
  return result;
}

}  // namespace

TreeParts cut_into_parts(const Model& model, const Topology& topology, int part_bodies) {
  if (part_bodies <= 1) return every_body_for_itself(topology);
  const CuttingRules rules = {topology, Subtrees(model, topology), part_bodies};
  return PartCutter(rules).cut();
}

}  // namespace sarrus
