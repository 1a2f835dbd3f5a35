#include "cli/run_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/simulation/options.h"

namespace sarrus::cli {
namespace {

std::string counted(long n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string line(std::string_view label, std::string_view text) {
  return fmt::format("  {:<13}{}\n", label, text);
}

std::string mechanism(const Simulation& simulation, const RunInfo& info) {
  std::string text =
      fmt::format("{}{}, {}, {}", simulation.revision() > 0 ? "at the start " : "",
                  counted(info.bodies, "body", "bodies"), counted(info.joints, "joint", "joints"),
                  counted(info.loops, "loop", "loops"));
  if (!info.mobility) return text + "; too large to count its freedoms in passing";
  return text + fmt::format("; {}, {}", counted(info.mobility->freedoms, "freedom", "freedoms"),
                            counted(info.mobility->redundant, "redundant constraint",
                                    "redundant constraints"));
}

std::string method(const Simulation& simulation) {
  std::string name(simulation.formulation().name());
  if (const auto variant = simulation.formulation().variant(); !variant.empty())
    name += fmt::format(", {}", variant);
  if (*simulation.options().method != "auto") return name;
  return name + " (taken by auto: the fastest here that can represent this mechanism)";
}

std::string integrator(const SimulationOptions& options) {
  return options.step ? fmt::format("{}, fixed step {:g} s", *options.integrator, *options.step)
                      : fmt::format("{}, tolerance {:g}", *options.integrator, *options.tolerance);
}

std::string projection(const Simulation& simulation) {
  const auto words = [](Projection projection) {
    switch (projection) {
      case Projection::kOff:
        return "off";
      case Projection::kStep:
        return "after every step";
      case Projection::kStage:
        return "at every stage";
      case Projection::kAuto:
        break;
    }
    return "as the method sees fit";
  };
  const std::string text = words(simulation.formulation().projection());
  return *simulation.options().projection == Projection::kAuto ? text + " (auto)" : text;
}

std::string table(const std::vector<Excerpt::Row>& rows) {
  std::string text = fmt::format("\n  {:>11}{:>16}{:>19}{:>15}\n", "time [s]", "energy [J]",
                                 "energy error [J]", "constraints");
  for (const Excerpt::Row& row : rows)
    text += fmt::format("  {:>11.6g}{:>16.8g}{:>19.2e}{:>15.2e}\n", row.time, row.energy,
                        row.energy_error, row.position_norm);
  return text + '\n';
}

std::string maxima(const RunStatistics& statistics, const Excerpt& excerpt,
                   const std::string& integrator) {
  const ConstraintNorms& norms = statistics.largest;
  // Samples between steps are interpolated, which may be less accurate than the steps are.
  const double between = excerpt.largest_energy_error();
  const std::string more = between > 2 * statistics.energy_drift
                               ? fmt::format("; at samples between them up to {:.2e} J", between)
                               : "";
  // Their steps cost one evaluation each, and accelerations are judged where there is another.
  const bool at_samples = integrator.starts_with("newmark") || integrator == "multirate";
  return line("largest", fmt::format("constraints {:.2e} position, {:.2e} velocity, {:.2e} "
                                     "acceleration",
                                     norms.position, norms.velocity, norms.acceleration)) +
         line("", fmt::format("energy error {:.2e} J (both over all accepted steps{}{})",
                              statistics.energy_drift,
                              at_samples ? ", accelerations over samples" : "", more));
}

std::string cost(const RunStatistics& statistics) {
  const Counters& counters = statistics.counters;
  return line("cost", fmt::format("{} ({} rejected), {} of the rates",
                                  counted(statistics.steps, "step", "steps"), statistics.rejected,
                                  counted(counters.evaluations, "evaluation", "evaluations"))) +
         line("", fmt::format("{}, {}",
                              counted(counters.factorizations, "factorization", "factorizations"),
                              counted(counters.iterations, "iteration", "iterations")));
}

std::string verification(const Verification& second) {
  if (second.method.empty()) return line("verified", "no: " + second.status.reason);
  std::string text = fmt::format("by {} at {:g}: ", second.method, second.tolerance);
  text += fmt::format("poses share {:.1f} digits, velocities {:.1f}, up to {:.6g} s",
                      second.pose_digits(), second.velocity_digits(), second.until);
  if (!second.status.ok()) text += fmt::format("; there it ended: {}", second.status.reason);
  return line("verified", text);
}

std::string notes(const std::vector<Note>& all) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), kShown); ++i)
    text += line(i == 0 ? "notes" : "", fmt::format("t = {:.6g} s: {}", all[i].time, all[i].what));
  if (all.size() > kShown) text += line("", fmt::format("… and {} more", all.size() - kShown));
  return text;
}

}  // namespace

void Excerpt::add(const Sample& sample) {
  constexpr std::size_t kMost = 4096;
  const double balance = sample.total() - sample.motion.supplied;
  if (count_ == 0) balance_at_start_ = balance;
  last_ = {sample.motion.time, sample.total(), balance - balance_at_start_,
           sample.constraints.position};
  largest_energy_error_ = std::max(largest_energy_error_, std::abs(last_.energy_error));
  if (count_++ % stride_ != 0) return;
  if (kept_.size() == kMost) {
    // Every second one is enough from here on.
    for (std::size_t i = 0; 2 * i < kMost; ++i) kept_[i] = kept_[2 * i];
    kept_.resize(kMost / 2);
    stride_ *= 2;
  }
  if ((count_ - 1) % stride_ == 0) kept_.push_back(last_);
}

std::vector<Excerpt::Row> Excerpt::rows() const {
  constexpr std::size_t kIntervals = 10;
  if (kept_.empty()) return {};
  std::vector<Row> rows;
  const std::size_t intervals = std::min(kIntervals, kept_.size() - 1);
  for (std::size_t i = 0; i <= intervals; ++i)
    rows.push_back(kept_[intervals == 0 ? 0 : i * (kept_.size() - 1) / intervals]);
  if (rows.back().time < last_.time) rows.push_back(last_);
  return rows;
}

std::string run_text(const RunTextInput& input) {
  const auto& [simulation, info, excerpt, title, written] = input;
  const RunStatistics& statistics = simulation.statistics();
  std::string text = simulation.model().name() + (title.empty() ? "" : ": " + title) + "\n\n";
  text += line("mechanism", mechanism(simulation, info));
  text += line("method", method(simulation));
  text += line("integrator", integrator(simulation.options()));
  text += line("projection", projection(simulation));
  text += table(excerpt.rows());
  text += maxima(statistics, excerpt, *simulation.options().integrator) + cost(statistics);
  text += line("time", fmt::format("{:.3g} s for {:.6g} s of motion, {:.3g} times real time",
                                   info.wall_seconds, simulation.time(),
                                   simulation.time() / std::max(info.wall_seconds, 1e-9)));
  text += notes(statistics.notes);
  if (info.verification) text += verification(*info.verification);
  if (!written.empty()) text += line("written", written);
  return text;
}

}  // namespace sarrus::cli
