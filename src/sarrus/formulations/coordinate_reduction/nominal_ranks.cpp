// How many rows of each closing count, found at generic poses.

#include <tuple>

#include "sarrus/formulations/coordinate_reduction/scratch.h"
#include "sarrus/topology/elimination/tree_rank.h"

namespace sarrus {

using order_n::of;

// Ranks of the closings at generic poses, a matter of geometry alone; false where no pose shows what
// is expected.  [reduction-nominal-rank]
bool CoordinateReduction::find_nominal_ranks(int expected, const Configuration& assembled) {
  std::vector<Configuration> poses =
      TreeRank(model_, topology_, assembled, /*with_motions=*/false).generic_poses(assembled);
  poses.insert(poses.begin(), assembled);
  Scratch scratch(*this);
  // Of poses with one rank in all, a generic one has it earliest; then, the largest pivot.
  std::tuple<int, long, double> best = {-1, 0, 0};
  for (Configuration& pose : poses) {
    for (Vec6& V : pose.velocities) V.setZero();
    Discrete discrete;
    state_.encode(pose, scratch.state);
    discrete.coordinates = pose.coordinates;
    std::copy_n(scratch.state.begin(), of(tree_.nq()), scratch.q.begin());
    std::fill(scratch.v.begin(), scratch.v.end(), 0.0);
    drives_.complete_speeds(0, scratch.q, scratch.v, discrete.coordinates, scratch.drives);
    order_n::pack_drives(scratch.drives, scratch.kernel_drives.data());
    scratch.located = false;
    locate(discrete, scratch);
    give_rows(0, scratch);
    // Where the rank is known, the tolerance is the one that gives it.
    for (double tolerance = expected >= 0 ? 1e-4 : 1e-8; tolerance > 1e-13; tolerance /= 4) {
      Inputs in = inputs(Level::kPosition, scratch);
      in.geometric = true;
      in.rank_tolerance = tolerance;
      if (!scratch.solver.solve(in, scratch.unknowns).ok()) {
        too_wide_ = true;  // nothing else can be wrong where all bodies are alike
        return false;
      }
      int rank = 0;
      long early = 0;
      double pivot = 1e300;
      for (std::size_t f = 0; f < fronts_.fronts().size(); ++f) {
        int so_far = 0;
        for (std::size_t i = 0; i < fronts_.fronts()[f].operations.size(); ++i) {
          if (fronts_.fronts()[f].operations[i].kind != coordinate_reduction::Operation::kClose)
            continue;
          so_far += scratch.solver.front(static_cast<int>(f)).ranks[i];
          early += so_far;
          pivot = std::min(pivot, scratch.solver.front(static_cast<int>(f)).least_pivots[i]);
        }
        rank += so_far;
      }
      if (expected >= 0 && rank > expected) break;
      if (const std::tuple found(rank, early, pivot); found > best) {
        best = found;
        for (std::size_t f = 0; f < fronts_.fronts().size(); ++f) {
          const coordinate_reduction::FrontScratch& seen =
              scratch.solver.front(static_cast<int>(f));
          std::vector<coordinate_reduction::Operation>& operations = fronts_.fronts()[f].operations;
          for (std::size_t i = 0; i < operations.size(); ++i) {
            operations[i].nominal_rank = seen.ranks[i];
            operations[i].usual_pivot = seen.ranks[i] > 0 ? seen.least_pivots[i] : 1.0;
          }
          fronts_.blocks[f] = scratch.solver.blocks(static_cast<int>(f));
        }
      }
      if (rank >= expected) break;
    }
  }
  return std::get<0>(best) >= 0;
}

}  // namespace sarrus
