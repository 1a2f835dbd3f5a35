#pragma once

#include <utility>
#include <vector>

#include "sarrus/base/executor.h"
#include "sarrus/formulations/branches/plan.h"

namespace sarrus::branches {

/// How the forces of the connections are found.
enum class Solution {
  kSimultaneous,  ///< one matrix of all rows
  kSequential,    ///< two clusters of branches at a time, over a tree
};

/// M λ = −h with M the sum of the branches' H: where which rows are eliminated.
///
/// A node stands for a cluster of branches. Rows both of whose sides are in it, and not in one below,
/// are closed there; the others are handed on. One node above all branches is the connection matrix;
/// a tree of pairs is elimination branch by branch.  [branches-fronts]
class Fronts {
 public:
  Fronts(const Plan& plan, Solution solution);

  /// Nodes of branches are those without children; `branch_of(node)` tells which.
  const TaskTree& tasks() const { return tasks_; }
  int branch_of(int node) const { return nodes_[to_index(node)].branch; }
  int node_count() const { return static_cast<int>(nodes_.size()); }

  class Memory;

  /// `bounds`: of the branches' rows, as Scratch::bounds.
  void set_scales(const double* bounds);

  /// Looks at the rows of a generic pose, whose H are in `scratch`: how many of each node are
  /// independent, and how strong the weakest of these is. Only where `expected` are independent in
  /// all; −1: nobody knows, and most is best. Rows beyond these numbers count for nothing from then on.
  /// [branches-strength]
  void learn(const Kernel& kernel, int expected, const Scratch& scratch, Memory& memory);
  bool has_learned() const { return learned_.first >= 0; }

  /// Of the pose that was factorised last: 1 as generic ones, 0 where a row has lost its pivot; where
  /// nothing was learned, 1.  [branches-strength]
  double strength(const Memory& memory) const;

  /// Takes a branch's H and h in, or what is left of the nodes below; `factor` false: h only.
  void up(const Kernel& kernel, int node, bool factor, const Scratch& scratch,
          Memory& memory) const;

  /// λ of a node's rows to the nodes below.
  void down(const Kernel& kernel, int node, Memory& memory) const;

 private:
  struct Node {
    int branch = -1;
    std::vector<int> rows;  ///< of all, closed ones first
    int closed = 0;
    int up = -1;
    std::vector<int> children;
    std::vector<int> to_up;      ///< where open row i stands in the node above
    std::vector<int> in_branch;  ///< of a branch: where its row stands in H
    bool is_whole = false;       ///< it stands in its place
    std::size_t matrix = 0, vector = 0;
    int stride = 0;
    int most = 0;            ///< rows that are independent at generic poses
    double usual_pivot = 0;  ///< the smallest of theirs there, scaled
  };
  int add_node(Node node);
  void gather(int node, bool factor, const Scratch& scratch, Memory& memory) const;
  FrontData front_of(int node, Memory& memory) const;
  double last_pivot(int node, const Memory& memory) const;
  void plan_sequence();

  const Plan* plan_;
  std::vector<Node> nodes_;
  TaskTree tasks_;
  std::size_t matrices_ = 0, vectors_ = 0;
  AlignedArray<double> inverse_scales_;  ///< of closed rows, as vectors are
  /// Of the best pose so far: rank of all, and how early it is reached.
  std::pair<int, long> learned_ = {-1, 0};
};

class Fronts::Memory {
 public:
  Memory(const Fronts& fronts, const Plan& plan);

  double* lambda_of_branch(int branch) { return lambda_.data() + branch_at_[to_index(branch)]; }
  const double* lambda_of_branch(int branch) const {
    return lambda_.data() + branch_at_[to_index(branch)];
  }

 private:
  friend class Fronts;
  AlignedArray<double> F_, h_, lambda_of_node_, pivots_, left_, live_, lambda_;
  std::vector<int> order_;
  std::vector<int> ranks_;
  std::vector<int> lost_;  ///< rows of a node and of all below that have lost their pivots
  std::vector<std::size_t> branch_at_;
};

}  // namespace sarrus::branches
