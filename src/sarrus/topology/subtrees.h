#pragma once

#include <span>

#include "sarrus/topology/topology.h"

namespace sarrus {

/// The spanning tree, body by body, as its cutting into parts sees it.
class Subtrees {
 public:
  Subtrees(const Model& model, const Topology& topology);

  std::span<const int> children(int body) const {
    return std::span(children_).subspan(first_child_[slot(body)],
                                        first_child_[slot(body) + 1] - first_child_[slot(body)]);
  }
  int weight(int body) const { return weight_[slot(body)]; }   ///< bodies in its subtree
  bool pinned(int body) const { return pinned_[slot(body)]; }  ///< it has a cut joint
  /// No body of its subtree has a cut joint: what it shows is never held by a loop.
  bool is_open(int body) const { return open_[slot(body)]; }

 private:
  static std::size_t slot(int body) { return static_cast<std::size_t>(body); }

  void list_children(const Topology& topology);
  void mark_cuts(const Model& model, const Topology& topology);

  std::vector<std::size_t> first_child_;
  std::vector<int> children_;
  std::vector<int> weight_;
  std::vector<bool> pinned_, open_;
};

}  // namespace sarrus
