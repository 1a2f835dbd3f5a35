// Random mechanisms driven through singular positions, under every method: right, or with a status that
// says why not.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "property/suite.h"
#include "sarrus/simulation/motion_distance.h"
#include "sarrus/testing/random_singular.h"

namespace sarrus::testing {
namespace {

constexpr double kConverged = 1e-12;  // tolerance of the judges' own best runs

/// Of what the tolerance explains. That is at least what the judges' own runs at this tolerance are off.
/// A tolerance bounds the error of one step, and errors of n steps add up like √n: so it is ε √n at the
/// least, too, however lucky the judges have been.
constexpr double kAllowed = 10;

/// Nothing explains more: with an error of ten times that a run is on another branch, though all of them be
/// on the same. Branches are some tenths apart in these families; judges at their loosest tolerance, of
/// 1e-5, were off by 1.4e-4 at the most, over 2,000 mechanisms.
constexpr double kMostExplained = 1e-3;

/// Judges' best runs that are further apart are on different branches, or the motion is chaotic.
constexpr double kDecided = 1e-7;

/// A run with more steps has no end; those that pass have some hundreds. Judges are not waited for where a
/// drive locks up, which they find out sooner at a looser tolerance.
constexpr long kMostSteps = 20000;
constexpr long kMostStepsOfJudge = 4000;

/// At least so many of the seeds are taken and run to their end.
constexpr double kTaken = 0.9;

/// At most so many are left to a better judge.
constexpr double kUndecided = 0.05;

/// At most so many end before their time under both judges. Drives lock one in six of the platforms.
double most_stopped(SingularFamily family) {
  return family == SingularFamily::kPlatform ? 0.25 : 0.02;
}

/// One method's motion at one tolerance.
struct Driven {
  bool taken = false;  ///< the method can represent the mechanism
  Status status;
  long steps = 0;
  double weakest = 1;  ///< strength that a note tells of
  std::optional<MotionTrace> trace;
};

Driven run_of(const Description& description, const std::string& method, double tolerance,
              long most_steps) {
  Driven run;
  std::optional<Simulation> simulation;
  try {
    simulation.emplace(
        Model(description),
        SimulationOptions{
            .method = method, .settings = {}, .tolerance = tolerance, .until = kSingularRun});
  } catch (const UsageError&) {
    return run;
  }
  run.taken = true;
  const SampleTimes times = SampleTimes::every(kSingularRun / 12, kSingularRun);
  run.trace.emplace(simulation->model(), times.size());
  long steps = 0;
  simulation->on_step([&](double) { ++steps; });
  simulation->stop_when([&] { return steps > most_steps; });
  run.status = simulation->advance_to(kSingularRun, times,
                                      [&](const Sample& sample) { run.trace->add(sample); });
  run.steps = steps;
  for (const Note& note : simulation->statistics().notes) {
    constexpr std::string_view kFell = "fell to ";
    const auto at = note.what.find(kFell);
    if (note.what.starts_with("near a singular position") && at != std::string::npos)
      run.weakest = std::min(run.weakest, std::stod(note.what.substr(at + kFell.size())));
  }
  return run;
}

/// The judge's best run: at a tolerance where rounding near the singular position ends it, a looser one.
Driven best_of(const Description& description, const std::string& judge) {
  Driven best;
  for (const double tolerance : {kConverged, 10 * kConverged}) {
    best = run_of(description, judge, tolerance, kMostStepsOfJudge);
    if (best.status.ok()) break;
  }
  return best;
}

bool was_cut(const Driven& run) { return run.status.code == Status::Code::kInterrupted; }

/// What a family's seeds came to under one method.
struct Count {
  int taken = 0;
  int finished = 0;
};

/// Share of a family's seeds that come through a singular position within the run; a suite that meets
/// none shows nothing. Of 250 four-bars it is 0.86.
double least_singular(SingularFamily family) {
  switch (family) {
    case SingularFamily::kBennett:  // only those that lie folded
      return 0.3;
    case SingularFamily::kBricard:  // come near one by chance
      return 0;
    case SingularFamily::kPlatform:  // the driven ones
      return 0.2;
    default:
      return 0.5;
  }
}

class Passage : public ::testing::TestWithParam<SingularFamily> {};

TEST_P(Passage, IsRightOrSaysWhyNot) {
  const SingularFamily family = GetParam();
  const Seeds seeds{.first = 1, .share = 2, .all = 250};
  const std::string judges[2] = {"reference", "coordinate-reduction"};
  std::set<std::string> asked_for{judges[0], judges[1]};
  for (const std::string& method : methods_asked_for()) asked_for.insert(method);
  std::map<std::string, Count> counts;
  int judged = 0, singular = 0, stopped = 0;
  double worst_conditioning = 0;
  std::string undecided;
  int undecided_count = 0;
  for (int i = 0; i < seeds.count(); ++i) {
    const std::uint32_t seed = seeds.first + static_cast<std::uint32_t>(i);
    const Description description = random_singular(family, seed);
    Random random(seed);
    const double tolerance = std::pow(10, random.uniform(-11, -5));
    SCOPED_TRACE(fmt::format("{} {} at {}", name_of(family), seed, tolerance));
    const Driven best[2] = {best_of(description, judges[0]), best_of(description, judges[1])};
    if (std::min(best[0].weakest, best[1].weakest) < 1) ++singular;
    const Model model(description);
    const double length = mechanism_extent(model, model.reference_configuration());
    const double apart = best[0].trace->distance_from(*best[1].trace, length).pose;
    const bool ends = best[0].status.ok();
    if (ends != best[1].status.ok() || !(apart < kDecided)) {
      ++undecided_count;
      undecided += fmt::format("{} ({:.0e} apart; {}; {})\n", seed, apart, best[0].status.reason,
                               best[1].status.reason);
      continue;
    }
    ++judged;
    if (!ends) ++stopped;
    const auto error = [&](const Driven& run) {
      return run.trace->distance_from(*best[0].trace, length).pose;
    };
    bool is_open = false;
    std::map<std::string, Driven> runs;
    for (const std::string& method : asked_for)
      runs[method] = run_of(description, method, tolerance, kMostSteps);
    for (const auto& [method, run] : runs) {
      if (!run.taken) continue;
      ++counts[method].taken;
      EXPECT_NE(run.status.code, Status::Code::kInterrupted) << method << " has no end";
      if (!run.status.ok()) continue;
      ++counts[method].finished;
      if (!ends) {
        if (was_cut(best[0]) || was_cut(best[1]))
          is_open = true;
        else
          ADD_FAILURE() << method << " goes on where the judges end: " << best[0].status.reason;
        continue;
      }
      // Where loops drift nothing takes an error back, and those of all steps go the same way.
      const auto steps = static_cast<double>(run.steps);
      double explained =
          std::max(apart, tolerance * (method == "order-n" ? steps : std::sqrt(steps)));
      for (const std::string& judge : judges)
        if (method != judge && runs[judge].status.ok())
          explained = std::max(explained, error(runs[judge]));
      worst_conditioning = std::max(worst_conditioning, explained);
      explained = std::min(explained, kMostExplained);
      EXPECT_LE(error(run), kAllowed * explained) << method << " is silently wrong";
    }
    if (is_open) {
      ++undecided_count;
      undecided += fmt::format("{} (the judges were not waited for)\n", seed);
    }
  }
  RecordProperty("judged", judged);
  RecordProperty("singular", singular);
  RecordProperty("stopped", stopped);
  RecordProperty("explained", fmt::format("{:.1e}", worst_conditioning));
  RecordProperty("undecided", undecided);
  for (const auto& [method, count] : counts)
    RecordProperty(method, fmt::format("{} of {}", count.finished, count.taken));
  const int count = seeds.count();
  EXPECT_GE(singular, std::floor(least_singular(family) * count));
  EXPECT_LE(undecided_count, std::floor(kUndecided * count)) << undecided;
  EXPECT_LE(stopped, std::ceil(most_stopped(family) * count));
  for (const std::string& method : asked_for) {
    EXPECT_GE(counts[method].taken, kTaken * judged) << method;
    // Loops that drift turn off behind a singular position, and the guard ends the run.
    if (method == "order-n") continue;
    EXPECT_GE(counts[method].finished, kTaken * (judged - stopped)) << method;
  }
}

INSTANTIATE_TEST_SUITE_P(Family, Passage, ::testing::ValuesIn(singular_families()),
                         [](const auto& family) { return std::string(name_of(family.param)); });

}  // namespace
}  // namespace sarrus::testing
