#pragma once

#include <deque>
#include <optional>

#include "sarrus/io/report/report.h"
#include "sarrus/io/results/instant.h"
#include "sarrus/io/summary.h"
#include "sarrus/simulation/comparison.h"

namespace sarrus {

/// Records all methods of a comparison for a page.
class ComparisonRecorder : public ComparisonObserver {
 public:
  /// @param info what all runs have in common, @param description a sentence, @param runs how many there may be: they share memory
  ComparisonRecorder(RunInfo info, std::string description, std::size_t runs, std::size_t samples);

  void begin(const Simulation& simulation) override;
  void record(const Sample& sample) override;
  void end(const Simulation& simulation, const MethodResult& result) override;

  bool empty() const { return runs_.empty(); }

  /// Completes the file. @throws UsageError when it cannot be written.
  void write(OutputFile& file, const Comparison& comparison) const;

 private:
  struct Run {
    std::string name;
    std::string summary;
    Recording recording;
    std::vector<Note> notes;
  };

  RunInfo info_;
  RecordingOptions options_;
  std::string description_;
  std::string title_;
  std::string scene_;
  const Simulation* simulation_ = nullptr;  ///< under way
  long revision_ = 0;
  std::optional<Instant> instant_;  ///< of the run under way
  std::deque<Run> runs_;
};

}  // namespace sarrus
