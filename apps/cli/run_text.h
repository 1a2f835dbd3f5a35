#pragma once

#include <string>
#include <vector>

#include "sarrus/io/summary.h"

namespace sarrus::cli {

/// Some ten instants of a run, evenly spread, of however many there were.
class Excerpt {
 public:
  struct Row {
    double time = 0;
    double energy = 0;
    double energy_error = 0;  ///< total − supplied − its value at the start
    double position_norm = 0;
  };

  void add(const Sample& sample);
  std::vector<Row> rows() const;
  double largest_energy_error() const { return largest_energy_error_; }  ///< of all samples

 private:
  std::vector<Row> kept_;  ///< every stride_-th one
  Row last_;
  double balance_at_start_ = 0;
  double largest_energy_error_ = 0;
  std::size_t count_ = 0;
  std::size_t stride_ = 1;
};

/// What `simulate` tells at its end, besides the simulation itself.
struct RunTextInput {
  const Simulation& simulation;
  const RunInfo& info;
  const Excerpt& excerpt;
  std::string title;    ///< of the model
  std::string written;  ///< which files, or empty
};

std::string run_text(const RunTextInput& input);

}  // namespace sarrus::cli
