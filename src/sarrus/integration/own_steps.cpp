#include "sarrus/integration/own_steps.h"

#include <utility>

#include "sarrus/base/assert.h"

namespace sarrus {
namespace {

/// Where in x the component of a tangent stands; rotations have none.
std::vector<int> places_in_state(const StateLayout& layout) {
  std::vector<int> places(static_cast<std::size_t>(layout.tangent_size()), -1);
  for (const StateLayout::Block& block : layout.blocks())
    if (block.kind == StateLayout::Kind::kVector)
      for (int i = 0; i < block.size; ++i)
        places[static_cast<std::size_t>(block.tangent_offset + i)] = block.offset + i;
  return places;
}

}  // namespace

OwnSteps::OwnSteps(const Formulation& formulation, Start start, const IntegratorOptions& options)
    : OneStep(formulation, std::move(start), options), velocity_place_(first_.size(), -1) {
  const std::vector<VelocityPair> pairs = formulation.velocity_pairs();
  SARRUS_ASSERT(formulation.steps_itself() && !pairs.empty());
  const std::vector<int> places = places_in_state(layout_);
  for (const VelocityPair& pair : pairs)
    for (int i = 0; i < pair.count; ++i)
      velocity_place_[static_cast<std::size_t>(pair.position + i)] =
          places[static_cast<std::size_t>(pair.velocity + i)];
}

// What a workspace remembers of the steps before is good for the equations before.
void OwnSteps::forget() {
  work_ = counters();
  workspace_ = formulation_.make_workspace();
  OneStep::forget();
}

Status OwnSteps::attempt(double end, double last) {
  trial_ = x_;
  trial_discrete_ = discrete_;
  const long before = workspace_->counters.evaluations;
  AfterStep after = formulation_.step({.start = time_, .end = end, .before_end = last}, trial_,
                                      trial_discrete_, *workspace_);
  work_.evaluations += workspace_->counters.evaluations - before;
  if (!after.status.ok()) return std::move(after.status);
  if (!all_finite(trial_)) return {Status::Code::kNotFinite, "the state grows past all bounds"};
  layout_.difference(trial_, x_, displacement_);
  if (layout_.largest_rotation(displacement_) > kLargestRotation)
    return {Status::Code::kDiverged, "a body turns too far in one step; take a shorter one"};
  notes_ = std::move(after.notes);
  return {};
}

// Positions leave and arrive with their velocities; all else goes in a straight line.
void OwnSteps::accept(double end, double last, StepReport& report) {
  for (std::size_t i = 0; i < first_.size(); ++i) {
    const int place = velocity_place_[i];
    const double straight = displacement_[i] / (end - time_);
    first_[i] = place >= 0 ? x_[static_cast<std::size_t>(place)] : straight;
    rate_[i] = place >= 0 ? trial_[static_cast<std::size_t>(place)] : straight;
  }
  layout_.chart_rate(displacement_, rate_, rate_);
  OneStep::accept(end, last, report);
  complete_polynomial(rate_);
}

}  // namespace sarrus
