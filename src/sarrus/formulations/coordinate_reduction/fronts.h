#pragma once

#include <span>
#include <vector>

#include "sarrus/articulated/kernel_model.h"
#include "sarrus/base/aligned_array.h"
#include "sarrus/base/executor.h"
#include "sarrus/base/status.h"
#include "sarrus/constraints/constraint_system.h"
#include "sarrus/formulations/coordinate_reduction/appendages.h"
#include "sarrus/formulations/coordinate_reduction/cells.h"
#include "sarrus/formulations/coordinate_reduction/kernels/kernels.h"
#include "sarrus/formulations/coordinate_reduction/schedule.h"

namespace sarrus::coordinate_reduction {

/// Cut joints that have rows.
std::vector<JointId> closing_joints(const tree::Tree& tree, const ConstraintSystem& rows);

/// A mechanism laid out for the kernels: its bodies along a spanning tree, the fronts that gather
/// them, the joints that close there.
class Fronts {
 public:
  /// `with_chains`: long rows of bodies inside loops come as one.
  Fronts(const tree::Tree& tree, const articulated::KernelModel& kernel_model,
         const ConstraintSystem& rows, const std::vector<int>& unknowns, bool with_chains);
  Fronts(const Fronts&) = delete;  // the system points into it
  Fronts& operator=(const Fronts&) = delete;

  const System& system() const { return system_; }

  /// Unknowns of these joints are counted as smaller, so that loops rather express others.
  void prefer(const std::vector<JointId>& joints, double factor);
  const tree::Tree& tree() const { return *tree_; }
  const articulated::KernelModel& kernel_model() const { return *kernel_model_; }
  const ConstraintSystem& rows() const { return *rows_; }
  int closing_row_count() const { return closing_rows_; }
  int unknown_count() const { return unknown_count_; }

  /// Those that close, and their constants, in the same order.
  const std::vector<JointId>& closures() const { return closures_; }
  const ClosureConstants& closure(int index) const { return constants_[to_index(index)]; }
  bool has_given_rows() const { return has_given_; }

  /// The body's own frame in its joint frame C, per slot.
  const std::vector<Transform>& X_CB() const { return X_CB_; }

  std::vector<Schedule::Front>& fronts() { return schedule_.fronts; }
  const std::vector<Schedule::Front>& fronts() const { return schedule_.fronts; }
  Program program(int front) const;
  Program program_with_cells(int front) const;

  /// Looks for equal cells; nominal ranks must be known.
  void find_cells();
  CellRow& cells(int front) { return cells_[to_index(front)]; }
  const CellRow& cells(int front) const { return cells_[to_index(front)]; }
  bool has_cells(int front) const { return !cells_.empty() && !cells(front).empty(); }
  int rank() const;  ///< nominal, of all closings
  const TaskTree& tasks() const { return tasks_; }
  bool has_chains() const { return !chains_.empty(); }
  std::size_t chain_count() const { return chains_.size(); }

  /// Blocks of a front's rows, once known.
  std::vector<int> blocks;

 private:
  const tree::Tree* tree_;
  const articulated::KernelModel* kernel_model_;
  const ConstraintSystem* rows_;
  std::vector<JointId> closures_;
  std::vector<ClosureConstants> constants_;
  int closing_rows_ = 0;
  int unknown_count_ = 0;
  bool has_given_ = false;
  Schedule schedule_;
  std::vector<tree::JointConstants> joints_;
  std::vector<int> parents_;
  std::vector<BodyConstants> bodies_;
  std::vector<Transform> X_CB_;
  std::vector<double> scales_;
  std::vector<Chain> chains_;
  std::vector<CellRow> cells_;  ///< per front, or none
  TaskTree tasks_;
  System system_;
};

/// Solves for the unknowns of all joints of the tree: one a thread that calls it.
class FrontSolver {
 public:
  /// `shares`: the motions of the bodies, of the same mechanism, with this one.
  FrontSolver(const Fronts& fronts, const Executor& executor, FrontSolver* shares = nullptr);
  FrontSolver(const FrontSolver&) = delete;
  FrontSolver& operator=(const FrontSolver&) = delete;

  /// All motions at coordinates and speeds.
  void place(const Inputs& in);

  /// `with_details`: keeps what multipliers() needs. kFaintChain: somebody without chains should do it.
  struct Result {
    Status status;
    bool faint_chain = false;
    bool too_wide = false;
  };
  Result solve(const Inputs& in, std::span<double> unknowns, bool with_details = false);

  /// Accelerations of all bodies, right after solve() with the same. Returns the power of prescribed
  /// motions [W].
  double accelerate(const Inputs& in, std::span<const double> unknowns);
  Vec6 acceleration(int slot) const {  ///< [ω̇; v̇ of the mass centre]
    return Eigen::Map<const Vec6>(accelerations_.data() + 6 * slot);
  }

  const BodyMotion& motion(int slot) const { return scratch_.motions[slot]; }

  /// Poses and velocities of all bodies as placed last.
  void read_motions(Configuration& to) const;

  /// Per closing row, of the last solve, as lengths.
  std::span<const double> phi() const { return {phi_.data(), phi_.size()}; }
  std::span<const double> phi_rate() const { return {phi_rate_.data(), phi_rate_.size()}; }

  double smallest_pivot() const;  ///< over its usual size
  double least_pivot() const;     ///< as it is

  /// Unknowns that no loop expressed, rising.
  void independent(std::vector<std::int64_t>& unknowns) const;

  /// Runs the cells of a front: guards, one for each shape.
  const CellGuard* cell_guards(int front, const Inputs& in);

  int lost() const;  ///< directions that could not be closed
  const FrontScratch& front(int index) const { return memories_[to_index(index)].scratch; }
  int blocks(int front) const { return memories_[to_index(front)].blocks; }

 private:
  struct Memory {
    FrontScratch scratch;
    int blocks = 0;
    bool details = false;
    AlignedArray<double> N, H, work, rows, detail_numbers, cell_results;
    std::vector<CellGuard> cell_guards;
    std::vector<Record> records;
    std::vector<ClosingRecord> closings;
    std::vector<PivotRecord> pivots;
    std::vector<int> ranks;
    std::vector<double> least_pivots;
  };
  void size(int front, int blocks, bool details);
  Result run(int front, const Inputs& in, double* unknowns, bool with_details);
  Status no_inertia(int slot) const;

  const Fronts* fronts_;
  const Executor* executor_;
  const Kernel* kernel_;
  Executor::Cut cut_;
  std::vector<Memory> memories_;
  std::vector<Result> results_;
  AlignedArray<BodyMotion> motions_;
  AlignedArray<double> accelerations_, phi_, phi_rate_;
  AlignedArray<ChainColumn> chain_columns_;
  std::vector<ChainStep> chain_steps_;
  std::vector<ChainFactor> chain_factors_;
  Appendages appendages_;
  Scratch scratch_;
};

}  // namespace sarrus::coordinate_reduction
