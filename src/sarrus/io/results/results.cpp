#include "sarrus/io/results/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include "sarrus/base/diagnostics.h"
#include "sarrus/io/results/csv_sink.h"
#include "sarrus/io/results/hdf5_names.h"
#include "sarrus/io/results/hdf5_sink.h"

namespace sarrus {
namespace {

// In the order of ResultsFormat.
const std::vector<std::string> kFormats = {"csv", "hdf5", "both"};

// Others have files of this name, too.
bool is_summary(const std::filesystem::path& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.find("\"largest_constraint_norms\"") != std::string::npos;
}

/// The files that a run may leave, whatever its format.
std::vector<std::string> names_of_all(const ResultsLayout& layout) {
  std::vector<std::string> names = {kSceneFile, kPageFile, kEventsFile, kHdf5File};
  for (const ResultTable& table : layout.tables) names.push_back(table.name + ".csv");
  // Of flexible bodies, or of a method with connections, which an earlier run may have had.
  for (const char* name : {"modes.csv", "nodes.csv", "connections.csv"})
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  return names;
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
    : directory_(make_directory(directory)),
      scene_(options.scene),
      possible_(names_of_all(layout)),
      summary_(directory_ / kSummaryFile) {
  if (options.format != ResultsFormat::kHdf5)
    sinks_.push_back(std::make_unique<CsvSink>(directory_, layout));
  if (options.format != ResultsFormat::kCsv)
    sinks_.push_back(std::make_unique<Hdf5Sink>(
        directory_, layout,
        Hdf5About{.model = options.model, .method = options.method, .instants = options.instants}));
  // From now on the folder does not hold a whole run; what an earlier one left stays until it is
  // replaced.
  had_earlier_run_ = is_summary(directory_ / kSummaryFile);
  std::error_code ignored;
  if (had_earlier_run_) std::filesystem::remove(directory_ / kSummaryFile, ignored);
}

void Results::record(const Instant& instant) {
  for (const auto& sink : sinks_) sink->record(instant.time(), instant.numbers());
}

void Results::complete(const std::vector<Note>& events, const std::string& summary) {
  for (const auto& sink : sinks_) sink->complete(events);
  if (!scene_.empty()) write_file(directory_ / kSceneFile, scene_);
  if (had_earlier_run_) remove_leftovers();
  summary_.write(summary);
  summary_.complete();
}

// Files of an earlier run that this one did not replace must not be taken for its own.
void Results::remove_leftovers() const {
  const std::vector<std::string> written = file_names();
  std::error_code ignored;
  for (const std::string& name : possible_)
    if (std::ranges::find(written, name) == written.end())
      std::filesystem::remove(directory_ / name, ignored);
}

std::vector<std::string> Results::file_names() const {
  std::vector<std::string> names;
  for (const auto& sink : sinks_)
    for (std::string& name : sink->file_names()) names.push_back(std::move(name));
  if (!scene_.empty()) names.push_back(kSceneFile);
  names.push_back(kSummaryFile);
  return names;
}

}  // namespace sarrus
