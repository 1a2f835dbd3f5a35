// How many rows of each closing count, found at generic poses.

#include <tuple>

#include "sarrus/articulated/driven_joints.h"
#include "sarrus/formulations/coordinate_reduction/scratch.h"

namespace sarrus {

using coordinate_reduction::Fronts;
using coordinate_reduction::FrontSolver;
using coordinate_reduction::Operation;

namespace {

/// Ranks of all closings in a run that counted them, directions of the ends of chains; the better the
/// larger. Of poses with one rank in all, a generic one has it earliest; then, the largest pivot.
using Quality = std::tuple<int, int, long, double>;

Quality quality_of(const Fronts& fronts, const FrontSolver& solver) {
  int rank = 0, directions = 0;
  long early = 0;
  double pivot = 1e300;
  for (std::size_t f = 0; f < fronts.fronts().size(); ++f) {
    const coordinate_reduction::FrontScratch& seen = solver.front(static_cast<int>(f));
    int so_far = 0;
    for (std::size_t i = 0; i < fronts.fronts()[f].operations.size(); ++i) {
      const Operation::Kind kind = fronts.fronts()[f].operations[i].kind;
      if (kind == Operation::kChain) directions += seen.ranks[i];
      if (kind != Operation::kClose) continue;
      so_far += seen.ranks[i];
      early += so_far;
      pivot = std::min(pivot, seen.least_pivots[i]);
    }
    rank += so_far;
  }
  return {rank, directions, early, pivot};
}

void keep_ranks(const FrontSolver& solver, Fronts& fronts) {
  for (std::size_t f = 0; f < fronts.fronts().size(); ++f) {
    const coordinate_reduction::FrontScratch& seen = solver.front(static_cast<int>(f));
    std::vector<Operation>& operations = fronts.fronts()[f].operations;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      operations[i].nominal_rank = seen.ranks[i];
      operations[i].usual_pivot = seen.ranks[i] > 0 ? seen.least_pivots[i] : 1.0;
    }
    fronts.blocks[f] = solver.blocks(static_cast<int>(f));
  }
}

}  // namespace

// Coordinates and rows of a pose at rest.
void CoordinateReduction::set_pose(Configuration pose, Scratch& scratch) const {
  for (Vec6& V : pose.velocities) V.setZero();
  Discrete discrete;
  state_.encode(pose, scratch.state);
  discrete.coordinates = pose.coordinates;
  std::copy_n(scratch.state.begin(), to_index(tree_.nq()), scratch.q.begin());
  std::fill(scratch.v.begin(), scratch.v.end(), 0.0);
  drives_.complete_speeds(0, scratch.q, scratch.v, discrete.coordinates, scratch.drives);
  articulated::pack_drives(scratch.drives, scratch.kernel_drives.data());
  scratch.located = false;
  locate(discrete, scratch);
  give_rows(0, scratch);
}

// Ranks of the closings at generic poses, a matter of geometry alone; false where no pose shows what
// is expected.  [reduction-nominal-rank]
bool CoordinateReduction::find_nominal_ranks(Fronts& fronts, int expected,
                                             const std::vector<Configuration>& poses) {
  Scratch scratch(*this);
  FrontSolver solver(fronts, executor_);
  Quality best = {-1, 0, 0, 0};
  const Configuration* best_pose = nullptr;
  // The first pose last, and only where no other will do: it alone is not random.
  for (std::size_t i = 1; i <= poses.size(); ++i) {
    if (i == poses.size() && best_pose != nullptr) break;
    const Configuration& pose = poses[i % poses.size()];
    set_pose(pose, scratch);
    // Where the rank is known, the tolerance is the one that gives it.
    for (double tolerance = expected >= 0 ? 1e-4 : 1e-8; tolerance > 1e-13; tolerance /= 4) {
      Inputs in = inputs(Level::kPosition, scratch);
      in.geometric = true;
      in.rank_tolerance = tolerance;
      const auto result = solver.solve(in, scratch.unknowns);
      if (result.too_wide) {
        too_wide_ = &fronts == &fronts_;
        return false;
      }
      if (result.faint_chain || !result.status.ok()) break;
      const Quality found = quality_of(fronts, solver);
      if (expected >= 0 && std::get<0>(found) > expected) break;
      if (found > best) {
        best = found;
        best_pose = &pose;
        keep_ranks(solver, fronts);
      }
      if (std::get<0>(found) >= expected) break;
    }
  }
  if (best_pose == nullptr) return false;
  if (!fronts.has_chains()) {
    measure_cells(poses, fronts, scratch);
    return true;
  }
  if (fronts.rank() != fronts_.rank()) return false;
  set_pose(*best_pose, scratch);
  return measure_pivots(fronts, scratch);
}

// How far the end of a chain moves in one direction and another depends on its masses, and pivots of
// closings with it.
bool CoordinateReduction::measure_pivots(Fronts& fronts, Scratch& scratch) const {
  for (auto& front : fronts.fronts())
    for (Operation& operation : front.operations) operation.usual_pivot = 0;  // no row waits
  FrontSolver solver(fronts, executor_);
  const auto result = solver.solve(inputs(Level::kPosition, scratch), scratch.unknowns);
  if (result.faint_chain || !result.status.ok() || solver.lost() > 0) return false;
  keep_ranks(solver, fronts);
  return true;
}

// A pose that is good for the front may be a dead point of its cells, so all are looked at.
void CoordinateReduction::measure_cells(const std::vector<Configuration>& poses, Fronts& fronts,
                                        Scratch& scratch) const {
  fronts.find_cells();
  FrontSolver solver(fronts, executor_);
  for (const Configuration& pose : poses) {
    set_pose(pose, scratch);
    for (int front = 0; front < static_cast<int>(fronts.fronts().size()); ++front)
      if (fronts.has_cells(front))
        fronts.cells(front).learn(solver.cell_guards(front, inputs(Level::kPosition, scratch)));
  }
}

}  // namespace sarrus
