#pragma once

#include <span>
#include <string>
#include <vector>

#include "sarrus/formulations/formulation.h"

namespace sarrus {

/// Where the instants of a run go: files of one format. Every failure to write is a UsageError that
/// names the file and the reason.
class ResultSink {
 public:
  virtual ~ResultSink() = default;

  /// Appends an instant; `numbers` are in the order of the ResultsLayout that the sink was made for.
  virtual void record(double time, std::span<const double> numbers) = 0;

  /// Everything to disk, under the names that it is to have. Nothing is recorded after this.
  virtual void complete(const std::vector<Note>& events) = 0;

  /// The files of the last `complete`.
  virtual std::vector<std::string> file_names() const = 0;
};

}  // namespace sarrus
