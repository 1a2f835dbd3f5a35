#pragma once

#include <chrono>
#include <filesystem>

#include "sarrus/io/output_file.h"
#include "sarrus/io/results/layout.h"
#include "sarrus/io/results/sink.h"

namespace sarrus {

/// Tidy CSV: one file a table, one row a thing and instant, numbers with 17 significant digits. Once
/// a second what was recorded before goes to disk, so that little is lost even when the program is
/// killed: it is in NAME.csv.part.
class CsvSink : public ResultSink {
 public:
  /// Starts all files. @throws UsageError
  CsvSink(const std::filesystem::path& directory, const ResultsLayout& layout);

  void record(double time, std::span<const double> numbers) override;
  void complete(const std::vector<Note>& events) override;
  std::vector<std::string> file_names() const override;

 private:
  struct Table {
    OutputFile file;
    std::size_t width = 0;
    std::vector<std::string> names;  ///< of the rows, as they stand between time and numbers
  };

  std::filesystem::path directory_;
  std::vector<Table> tables_;
  std::string text_;  ///< of some rows
  std::chrono::steady_clock::time_point flushed_;
  bool has_events_ = false;
};

}  // namespace sarrus
