#pragma once

#include <vector>

#include "sarrus/base/aligned_array.h"
#include "sarrus/formulations/coordinate_reduction/schedule.h"

namespace sarrus::coordinate_reduction {

/// Equal cells at the beginning of a front, laid out side by side: bodies on ground in a row, with the
/// same bodies and joints between each two of them. A ladder is one, a row of four-bars another.
/// [reduction-cells]
class CellRow {
 public:
  /// Empty where there are too few. Nominal ranks must be known.
  CellRow(const System& system, const Schedule::Front& front);

  bool empty() const { return count_ == 0; }

  /// Without a place for results.
  Cells cells() const;
  std::size_t result_size() const;

  /// All cells at once, then what is left of the front.
  const std::vector<Operation>& operations() const { return operations_; }

  /// What is seen at some pose: the best of all is usual, and what is much weaker is left to the front.
  void learn(const CellGuard& guard);
  bool is_usual(const CellGuard& guard) const;

 private:
  struct Cell {
    int old_body = -1, new_body = -1;
    int place = -1;           ///< of the new body in the front
    bool last = false;        ///< nobody stays after it
    int end = 0;              ///< one past its last operation
    std::vector<int> bodies;  ///< slots; the old one first
    std::vector<int> closures;
    std::vector<int> structure;
    int rank = 0;
  };
  static Cell next_cell(const System& system, const Schedule::Front& front, const Cell* before,
                        int first);
  bool shape_from(const System& system, const Cell& cell);
  void lay_out(const System& system, const std::vector<Cell>& cells);

  int count_ = 0;
  CellShape shape_;
  CellGuard usual_ = {};
  AlignedArray<CellBody> bodies_;
  AlignedArray<CellClosure> closures_;
  std::vector<Operation> operations_;
};

}  // namespace sarrus::coordinate_reduction
