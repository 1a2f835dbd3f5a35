#include "sarrus/simulation/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "sarrus/base/stopwatch.h"
#include "sarrus/formulations/registry.h"

namespace sarrus {
namespace {

constexpr double kTighter = 1e-2;
constexpr double kTightest = 1e-13;   // below this, rounding decides
constexpr double kFixedStep = 1e-10;  // where the first run has no tolerance

/// A tenth of the mechanism, or of a radian: no digit is the same.
constexpr double kFarOff = 0.1;

double digits(double distance) {
  constexpr double kAll = 16;
  return distance > 0 ? std::clamp(-std::log10(distance), 0.0, kAll) : kAll;
}

}  // namespace

double Verification::pose_digits() const { return digits(distance.pose); }
double Verification::velocity_digits() const { return digits(distance.velocity); }
bool Verification::agrees() const { return status.ok() && distance.pose < kFarOff; }

Verifier::Verifier(const Simulation& simulation, Model model, SimulationOptions options,
                   const SampleTimes& times)
    : simulation_(simulation),
      model_(std::move(model)),
      options_(std::move(options)),
      times_(times),
      first_(model_, times.size()) {}

void Verifier::record(const Sample& sample) {
  has_other_bodies_ =
      has_other_bodies_ || sample.motion.configuration.poses.size() != model_.bodies().size();
  if (!has_other_bodies_) first_.add(sample);
}

// The first of the other methods, as `auto` prefers them; nobody, and why.
std::unique_ptr<Simulation> Verifier::second_opinion(Verification& result) const {
  SimulationOptions asked = options_;
  asked.own_method = {};
  asked.settings.clear();
  asked.integrator = "dopri5";
  asked.step.reset();
  asked.until = simulation_.options().until;
  asked.projection = Projection::kAuto;
  asked.tolerance = simulation_.options().step
                        ? kFixedStep
                        : std::max(kTightest, kTighter * *simulation_.options().tolerance);
  result.tolerance = *asked.tolerance;
  for (const MethodInfo& method : methods()) {
    if (!method.contends || method.name == simulation_.formulation().name()) continue;
    asked.method = method.name;
    try {
      auto other = std::make_unique<Simulation>(model_, asked);
      if (!drifts(*other)) return other;
    } catch (const UsageError&) {  // it cannot represent the mechanism
    }
  }
  result.status = {Status::Code::kRefused, fmt::format("no method but {} can move this mechanism",
                                                       simulation_.formulation().name())};
  return nullptr;
}

Verification Verifier::verify(const std::function<bool()>& stop,
                              const std::function<void(double)>& on_step) {
  Verification result;
  const auto second = second_opinion(result);
  if (second == nullptr) return result;
  result.method = second->formulation().name();
  MotionTrace trace(model_, times_.size());
  const Stopwatch stopwatch;
  second->stop_when(stop);
  second->on_step(on_step);
  result.status =
      second->advance_to(first_.end(), times_, [&](const Sample& sample) { trace.add(sample); });
  result.wall_seconds = stopwatch.wall();
  result.until = std::min(first_.end(), trace.end());
  result.distance =
      first_.distance_from(trace, mechanism_extent(model_, simulation_.assembly().configuration));
  return result;
}

}  // namespace sarrus
