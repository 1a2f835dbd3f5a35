#include "sarrus/io/report/stored_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sarrus/base/diagnostics.h"
#include "sarrus/io/report/report.h"
#include "sarrus/io/results/read_results.h"
#include "sarrus/io/results/results.h"

namespace sarrus {
namespace {

namespace fs = std::filesystem;

bool has_unfinished_files(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == ".part") return true;
  return false;
}

/// What a page needs of a summary.
struct RunFacts {
  std::string method;
  std::size_t samples = RecordingOptions().samples;  ///< that were wanted
  std::vector<Note> events;
};

RunFacts read_facts(const StoredRun& run) {
  constexpr double kMostSamples = 1e12;
  try {
    const auto summary = nlohmann::json::parse(run.summary);
    RunFacts facts = {.method = summary.at("method"), .events = {}};
    const double every = summary.at("options").at("every");
    const double until = summary.at("options").at("until");
    if (every > 0 && until >= 0 && until / every < kMostSamples)
      facts.samples = SampleTimes::every(every, until).size();
    for (const auto& note : summary.at("notes"))
      facts.events.push_back({note.at("time").get<double>(), note.at("what").get<std::string>()});
    return facts;
  } catch (const nlohmann::json::exception&) {
    throw UsageError(fmt::format("cannot read '{}': it does not belong to a run, or was changed",
                                 (run.directory / kSummaryFile).string()));
  }
}

}  // namespace

StoredRun find_run(const fs::path& directory) {
  const std::string name = directory.string();
  std::error_code ignored;
  if (!fs::is_directory(directory, ignored))
    throw UsageError(fmt::format("there is no folder '{}'", name));
  if (!fs::exists(directory / kSummaryFile)) {
    if (has_unfinished_files(directory))
      throw UsageError(
          fmt::format("the run in '{}' was not completed: it has no {}", name, kSummaryFile));
    throw UsageError(
        fmt::format("'{}' is no folder of results: it has no {}\n  hint: `sarrus simulate MODEL "
                    "--out {}` makes one",
                    name, kSummaryFile, name));
  }
  if (!fs::exists(directory / kSceneFile))
    throw UsageError(fmt::format("'{}' has no {}, so there is nothing to draw", name, kSceneFile));
  StoredRun run = {.directory = directory,
                   .summary = read_text_file(directory / kSummaryFile),
                   .scene = read_text_file(directory / kSceneFile),
                   .outline = {}};
  run.outline = read_scene(run.scene);
  return run;
}

void write_report(OutputFile& file, const StoredRun& run) {
  const RunFacts facts = read_facts(run);
  Recording recording(run.outline.layout, {.samples = facts.samples});
  read_results(run.directory, run.outline.layout,
               [&](double time, std::span<const double> numbers) { recording.add(time, numbers); });
  recording.finish();
  write_report(file, Report{.title = run.outline.title,
                            .description = run.outline.description,
                            .scene = run.scene,
                            .table = {},
                            .runs = {{facts.method, run.summary, recording, facts.events}}});
}

}  // namespace sarrus
