// Coordinates and speeds brought back to where the loops are closed.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/formulations/coordinate_reduction/scratch.h"

namespace sarrus {

using coordinate_reduction::norm_of;
using tree::TreeBody;

namespace {

/// Independent unknowns must not come near a dead point within a step: there their rates say nothing
/// about the motion.  [reduction-independent]
constexpr double kDeadPoint = 0.02;

}  // namespace

double CoordinateReduction::reach_of(const Scratch& scratch) const {
  double reach = system_.length();
  for (std::size_t b = 0; b < tree_.bodies().size(); ++b)
    for (const double p : scratch.last->motion(static_cast<int>(b)).p)
      reach = std::max(reach, std::abs(p));
  return reach;
}

// Positions by Newton steps, then speeds, both with the least change in the kinetic metric.
// [reduction-projection]
Status CoordinateReduction::project(double t, const Discrete& discrete, Scratch& scratch,
                                    bool positions) const {
  if (independent_) {
    if (discrete.integers.size() == kFirstChosen && has_freedoms_)
      return {
          Status::Code::kSingular,
          "the start is a singular position, where independent coordinates cannot be chosen: the "
          "state 'projected' can start there"};
    hold_independent(discrete, scratch);
  }
  // Where steps are short the positions are closed to rounding anyway: then one pass is enough.
  bool closed = false;
  if (positions && scratch.was_closed) {
    if (Status status = solve(t, Level::kVelocity, discrete, scratch, false); !status.ok())
      return status;
    closed = norm_of(scratch.last->phi()) <= kRounding * reach_of(scratch);
  }
  if (!closed) {
    if (positions)
      if (Status status = close_positions(t, discrete, scratch); !status.ok()) return status;
    if (Status status = solve(t, Level::kVelocity, discrete, scratch, false); !status.ok())
      return status;
  }
  if (independent_ &&
      (scratch.last->lost() > 0 || scratch.last->least_pivot() < kDeadPoint * usual_pivot_))
    return {
        Status::Code::kSingular,
        "the independent coordinates have come to a dead point within a step: shorter steps, or "
        "the state 'projected', pass it"};
  displacements(scratch);
  for (std::size_t i = 0; i < scratch.v.size(); ++i) scratch.v[i] += scratch.v_rate[i];
  scratch.located = false;
  apply_drives(t, discrete, scratch);
  return {};
}

// y as displacements or changes of speed: none of what is prescribed.
void CoordinateReduction::displacements(Scratch& scratch) const {
  expand(scratch, scratch.v_rate);
  for (const tree::DrivenJoint& drive : scratch.drives) {
    const TreeBody& body = tree_.bodies()[to_index(drive.slot)];
    Eigen::Map<VecX>(scratch.v_rate.data() + body.v, body.nv) -= drive.given;
  }
}

std::string CoordinateReduction::worst_closure(const Scratch& scratch) const {
  const std::span<const double> phi = scratch.last->phi();
  int worst = 0;
  for (int r = 1; r < fronts_.closing_row_count(); ++r)
    if (!(std::abs(phi[to_index(r)]) <= std::abs(phi[to_index(worst)]))) worst = r;
  for (std::size_t i = 0; i < fronts_.closures().size(); ++i)
    if (const auto& closure = fronts_.closure(static_cast<int>(i));
        worst >= closure.first_row && worst < closure.first_row + closure.rows)
      return fmt::format("joint '{}'", model_.joint(fronts_.closures()[i]).name);
  return "a loop";
}

Status CoordinateReduction::close_positions(double t, const Discrete& discrete,
                                            Scratch& scratch) const {
  constexpr int kMostIterations = 10;
  constexpr double kStillClosed = 1e-9;  // rounding over the smallest pivots that are divided by
  double last = 1e300;
  for (int i = 0;; ++i) {
    if (Status status = solve(t, Level::kPosition, discrete, scratch, false); !status.ok())
      return status;
    ++scratch.counters.iterations;
    const double norm = norm_of(scratch.last->phi());
    const double reach = reach_of(scratch);
    scratch.was_closed = i == 0 && norm <= kRounding * reach;
    if (norm <= kRounding * reach) break;
    const bool stagnates = i + 1 == kMostIterations || (i > 1 && norm > 0.5 * last);
    if (stagnates && norm <= kStillClosed * reach) break;
    if (stagnates || !std::isfinite(norm))
      return {Status::Code::kDiverged,
              fmt::format("the constraints cannot be closed: {} is off by {:.3g} m",
                          worst_closure(scratch), norm)};
    last = norm;
    displacements(scratch);
    std::copy(scratch.q.begin(), scratch.q.end(), scratch.state.begin());
    std::fill(scratch.displacement.begin(), scratch.displacement.end(), 0.0);
    state_.write_position_rates(scratch.q, scratch.v_rate, 1, scratch.displacement);
    state_.layout().retract(scratch.state, scratch.displacement, scratch.moved);
    std::copy_n(scratch.moved.begin(), to_index(tree_.nq()), scratch.q.begin());
    scratch.located = false;
    apply_drives(t, discrete, scratch);
  }
  return {};
}

}  // namespace sarrus
