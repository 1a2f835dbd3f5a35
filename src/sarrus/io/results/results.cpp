#include "sarrus/io/results/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "sarrus/base/diagnostics.h"
#include "sarrus/io/results/csv_sink.h"
#include "sarrus/io/results/hdf5_names.h"
#include "sarrus/io/results/hdf5_sink.h"

namespace sarrus {
namespace {

// In the order of ResultsFormat.
const std::vector<std::string> kFormats = {"csv", "hdf5", "both"};

// What an earlier run left must not be taken for this one's, whatever its format was.
void remove_earlier_run(const std::filesystem::path& directory, const ResultsLayout& layout) {
  std::vector<std::string> names = {kSummaryFile, kSceneFile, kPageFile, "events.csv", kHdf5File};
  for (const ResultTable& table : layout.tables) names.push_back(table.name + ".csv");
  std::error_code ignored;
  for (const std::string& name : names)
    for (const char* ending : {"", ".part"}) {
      const std::filesystem::path path = directory / (name + ending);
      if (std::filesystem::is_regular_file(path, ignored)) std::filesystem::remove(path, ignored);
    }
}

}  // namespace

ResultsFormat results_format(const std::string& word) {
  const auto found = std::ranges::find(kFormats, word);
  if (found == kFormats.end())
    throw UsageError(fmt::format("there is no format '{}'\n  hint: {}", word,
                                 suggestion(word, kFormats, "formats")));
  return static_cast<ResultsFormat>(found - kFormats.begin());
}

Results::Results(const std::filesystem::path& directory, const ResultsLayout& layout,
                 const ResultsOptions& options)
    : directory_(make_directory(directory)), has_scene_(!options.scene.empty()) {
  remove_earlier_run(directory_, layout);
  if (options.format != ResultsFormat::kHdf5)
    sinks_.push_back(std::make_unique<CsvSink>(directory_, layout));
  if (options.format != ResultsFormat::kCsv)
    sinks_.push_back(std::make_unique<Hdf5Sink>(
        directory_, layout,
        Hdf5About{.model = options.model, .method = options.method, .instants = options.instants}));
  if (has_scene_) write_file(directory_ / kSceneFile, options.scene);
}

void Results::record(const Instant& instant) {
  for (const auto& sink : sinks_) sink->record(instant.time(), instant.numbers());
}

void Results::complete(const std::vector<Note>& events, const std::string& summary) {
  for (const auto& sink : sinks_) sink->complete(events);
  write_file(directory_ / kSummaryFile, summary);
}

std::vector<std::string> Results::file_names() const {
  std::vector<std::string> names;
  for (const auto& sink : sinks_)
    for (std::string& name : sink->file_names()) names.push_back(std::move(name));
  if (has_scene_) names.push_back(kSceneFile);
  names.push_back(kSummaryFile);
  return names;
}

}  // namespace sarrus
