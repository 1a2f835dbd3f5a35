#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "sarrus/io/output_file.h"
#include "sarrus/simulation/simulation.h"

namespace sarrus {

/// A run on disk: tidy CSV files in one folder, one row a thing and instant, written as the run
/// goes. What was recorded is on disk after `close()`, after destruction, and within about a second
/// even when the program is killed. Columns: docs/reference/results.md.
///
/// @code
/// CsvResults results("out", simulation.model());
/// simulation.advance_to(10, times, [&](const Sample& sample) { results.record(sample); });
/// results.write_events(simulation.statistics().notes);
/// results.close();
/// @endcode
class CsvResults {
 public:
  /// Makes the folder where it is missing and starts all files anew; what an earlier run left there
  /// under the same names is gone. The model must outlive this.
  /// @throws UsageError when folder or files cannot be made; here and below with the reason.
  CsvResults(const std::filesystem::path& directory, const Model& model);

  /// Appends one instant to every file. @throws UsageError when the disk is full, …
  void record(const Sample& sample);

  /// `events.csv`, where there are any notes. @throws UsageError
  void write_events(const std::vector<Note>& notes);

  /// Everything to disk. @throws UsageError
  void close();

  const std::filesystem::path& directory() const { return directory_; }

  /// Names of the files written so far.
  std::vector<std::string> file_names() const;

 private:
  void record_bodies(const Motion& motion);
  void record_joints(const Motion& motion);
  void record_reactions(const Motion& motion);

  std::filesystem::path directory_;
  const Model& model_;
  std::vector<std::string> body_names_;  ///< as CSV fields
  std::vector<std::string> joint_names_;
  std::vector<Quat> quaternions_;  ///< as last written: signs follow them
  OutputFile bodies_, joints_, reactions_, energy_, constraints_;
  bool has_events_ = false;
  std::chrono::steady_clock::time_point flushed_;
};

}  // namespace sarrus
