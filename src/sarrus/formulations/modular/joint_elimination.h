#pragma once

#include <vector>

#include "sarrus/formulations/modular/interface.h"

namespace sarrus::modular {

/// Block elimination of K over the graph of joints: two joints are neighbours when they sit on the
/// same subsystem. On chains and trees of boxes with few joints each it passes one block from joint
/// to joint; loops carry a few blocks more along.  [modular-elimination]
///
/// The order and the places of all blocks are found once; they depend on the graph alone.
class JointElimination {
 public:
  explicit JointElimination(const Interface& interface);

  /// Two links that meet in a box: where on each, and which block below the diagonal their product
  /// adds to. Link i, eliminated later, is its row.
  struct Meeting {
    int block = 0;
    int i = 0, j = 0;
    bool i_at_b = false, j_at_b = false;
  };
  const std::vector<Meeting>& meetings() const { return meetings_; }
  int columns() const { return static_cast<int>(column_of_.size()); }
  int blocks() const { return static_cast<int>(row_.size()); }
  int column_of(int link) const { return column_of_[static_cast<std::size_t>(link)]; }
  int link_of(int column) const { return link_of_[static_cast<std::size_t>(column)]; }

  /// What one thread fills: first K, then its factors in the same place.
  struct Numbers {
    std::vector<Mat6> diagonal, lower;
    std::vector<BlockFactor> factors;
  };
  Numbers make_numbers() const;

  /// Rows with a pivot below `least` of their diagonal entry are left out.
  void factor(Numbers& numbers, double least) const;

  /// x ← K⁻¹ x; both in the order of links.
  void solve(const Numbers& numbers, std::vector<Vec6>& x) const;

 private:
  void order(const std::vector<std::vector<int>>& neighbours);

  std::vector<int> column_of_, link_of_;
  std::vector<int> first_;  ///< block of each column, one past the last at the end
  std::vector<int> row_;    ///< per block: its row, a column number
  /// Per pair of blocks of a column, row by row: the block they are subtracted from, −1 − row for a
  /// diagonal.
  std::vector<int> target_;
  std::vector<int> first_target_;
  std::vector<Meeting> meetings_;
};

}  // namespace sarrus::modular
