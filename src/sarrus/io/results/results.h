#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sarrus/io/output_file.h"
#include "sarrus/io/results/instant.h"
#include "sarrus/io/results/sink.h"

namespace sarrus {

enum class ResultsFormat { kCsv, kHdf5, kBoth };

/// "csv", "hdf5", "both". @throws UsageError for anything else.
ResultsFormat results_format(const std::string& word);

struct ResultsOptions {
  ResultsFormat format = ResultsFormat::kCsv;
  std::string model;         ///< as the user named it
  std::string method;        ///< that runs
  std::size_t instants = 0;  ///< to come, as far as known
  std::string scene;  ///< what to draw, see scene_json(); empty: there will be no pages of it
};

/// Files of the folder that are there in every format.
inline const std::string kSummaryFile = "summary.json";
inline const std::string kSceneFile = "scene.json";
inline const std::string kEventsFile = "events.csv";
inline const std::string kPageFile = "report.html";  ///< where a page was made of it

/// A run on disk: a folder with the motion, written as the run goes, and a summary. Files that are
/// not complete are called NAME.part. Contents: docs/reference/results.md.
///
/// @code
/// Instant instant(simulation.model());
/// Results results("out", instant.layout(), {.model = "five-bar"});
/// simulation.advance_to(10, SampleTimes::every(0.01, 10), [&](const Sample& sample) {
///   instant.update(sample);
///   results.record(instant);
/// });
/// results.complete(simulation.statistics().notes, summary_json(simulation, info));
/// @endcode
class Results {
 public:
  /// Makes the folder where it is missing. The summary of an earlier run there is gone from now on,
  /// its other files when this one is complete.
  /// @throws UsageError when something cannot be written; here and below, with file and reason.
  Results(const std::filesystem::path& directory, const ResultsLayout& layout,
          const ResultsOptions& options = {});

  void record(const Instant& instant);

  /// Gives all files their names, the summary last: where it is, the rest is.
  void complete(const std::vector<Note>& events, const std::string& summary);

  const std::filesystem::path& directory() const { return directory_; }

  /// Of all files, once they are complete.
  std::vector<std::string> file_names() const;

 private:
  void remove_leftovers() const;

  std::filesystem::path directory_;
  std::string scene_;
  std::vector<std::string> possible_;  ///< names of files that a run may have
  OutputFile summary_;  ///< held from the start, so that no other run writes here; completed last
  bool had_earlier_run_ = false;
  std::vector<std::unique_ptr<ResultSink>> sinks_;
};

}  // namespace sarrus
