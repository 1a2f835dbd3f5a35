#pragma once

#include <vector>

#include "sarrus/base/aligned_array.h"
#include "sarrus/formulations/coordinate_reduction/schedule.h"

namespace sarrus::coordinate_reduction {

/// Cells at the beginning of a front, laid out for the lanes: bodies on ground in a row, with a few
/// bodies and joints between each two of them. A ladder is one, a row of four-bars another. Equal
/// cells run side by side, wherever they stand in the row.  [reduction-cells]
class CellRow {
 public:
  /// Empty where too few are equal. Nominal ranks must be known.
  CellRow(const System& system, const Schedule::Front& front);

  bool empty() const { return places_.empty(); }

  /// Without a place for results.
  Cells cells() const;
  std::size_t result_size() const { return result_size_; }

  /// All cells at once, then what is left of the front.
  const std::vector<Operation>& operations() const { return operations_; }

  /// What is seen at some pose, a guard for each shape: the best of all is usual, and what is much
  /// weaker is left to the front.
  void learn(const CellGuard* guards);
  bool is_usual(const CellGuard* guards) const;

 private:
  struct Cell {
    int new_body = -1;
    int place = -1;           ///< of the new body in the front
    bool last = false;        ///< nobody stays after it
    int end = 0;              ///< one past its last operation
    std::vector<int> bodies;  ///< slots; the old one first
    std::vector<int> closures;
    std::vector<int> structure;
    int rank = 0;
  };
  static Cell next_cell(const System& system, const Schedule::Front& front, int old_body,
                        int first);
  static bool make_shape(const System& system, const Cell& cell, CellShape& shape);
  /// Shape of each cell, while they have shapes.
  std::vector<int> find_shapes(const System& system, const std::vector<Cell>& cells);
  void place(const std::vector<int>& shapes);
  void lay_out(const System& system, const std::vector<Cell>& cells);
  void fill(const System& system, const Cell& cell, const CellBlock& block, int lane);

  std::vector<CellShape> shapes_;
  std::vector<CellGuard> usual_;  ///< per shape
  std::vector<Cells::Place> places_;
  std::vector<CellBlock> blocks_;
  AlignedArray<CellBody> bodies_;
  AlignedArray<CellClosure> closures_;
  std::size_t result_size_ = 0;
  std::vector<Operation> operations_;
};

}  // namespace sarrus::coordinate_reduction
