// Which coordinates are integrated where only as many are as there are freedoms.

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/formulations/coordinate_reduction/scratch.h"

namespace sarrus {

using tree::TreeBody;

namespace {

/// Independent unknowns are kept while what they leave to the loops is not so much weaker than the
/// best choice would.  [reduction-independent]
constexpr double kHysteresis = 0.6;

}  // namespace

// Those that the loops would rather not express, here.
bool CoordinateReduction::choose_independent(const Discrete& discrete, Scratch& scratch) const {
  scratch.holds = false;
  // Prescribed motions are where they should be, so that any time will do.
  if (!solve(0, Level::kPosition, discrete, scratch, /*with_details=*/true).ok() ||
      scratch.last->lost() > 0)
    return false;
  scratch.solver.independent(scratch.chosen);
  return true;
}

void CoordinateReduction::hold_independent(const Discrete& discrete, Scratch& scratch) const {
  scratch.holds = true;
  std::fill(scratch.held.begin(), scratch.held.end(), std::int8_t{0});
  for (std::size_t i = kFirstChosen; i < discrete.integers.size(); ++i)
    scratch.held[static_cast<std::size_t>(discrete.integers[i])] = 1;
}

std::string CoordinateReduction::names_of(std::span<const std::int64_t> unknowns) const {
  std::string names;
  for (const std::int64_t unknown : unknowns)
    for (std::size_t slot = 0; slot < tree_.bodies().size(); ++slot) {
      const tree::JointConstants& joint = kernel_model_.joint(static_cast<int>(slot));
      const TreeBody& body = tree_.bodies()[slot];
      if (unknown < joint.column || unknown >= joint.column + joint.columns) continue;
      std::string name =
          body.joint.valid() ? model_.joint(body.joint).name : model_.body(body.body).name;
      if (joint.columns > 1) name += fmt::format("[{}]", unknown - joint.column + 1);
      names += (names.empty() ? "" : ", ") + name;
    }
  return names;
}

// Once a step: the present choice against the best there is.
void CoordinateReduction::switch_where_better(double t, Discrete& discrete, Scratch& scratch,
                                              AfterStep& result) const {
  hold_independent(discrete, scratch);
  if (!solve(t, Level::kVelocity, discrete, scratch, false).ok()) return;
  const double present = scratch.last->lost() > 0 ? 0 : scratch.last->least_pivot();
  if (!choose_independent(discrete, scratch)) return;
  const double best = scratch.last->least_pivot();
  const std::span<const std::int64_t> before(discrete.integers.begin() + kFirstChosen,
                                             discrete.integers.end());
  if (present >= kHysteresis * best || scratch.chosen.size() != before.size() ||
      std::equal(before.begin(), before.end(), scratch.chosen.begin()))
    return;
  std::vector<std::int64_t> left, taken;
  std::set_difference(before.begin(), before.end(), scratch.chosen.begin(), scratch.chosen.end(),
                      std::back_inserter(left));
  std::set_difference(scratch.chosen.begin(), scratch.chosen.end(), before.begin(), before.end(),
                      std::back_inserter(taken));
  result.notes.push_back({t, fmt::format("independent coordinates switched from {} to {}",
                                         names_of(left), names_of(taken))});
  discrete.integers.resize(kFirstChosen);
  discrete.integers.insert(discrete.integers.end(), scratch.chosen.begin(), scratch.chosen.end());
  result.changed = true;
}

}  // namespace sarrus
