#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/arguments.h"
#include "sarrus/io/results/results.h"
#include "sarrus/simulation/simulation.h"

namespace sarrus::cli {

inline constexpr double kEvery = 0.01;  ///< [s] between samples, unless something else is asked for

/// The command line of `simulate`.
struct SimulateArguments {
  ModelArguments model;
  std::optional<std::string> method, integrator, projection;
  std::vector<MethodSetting> settings;
  std::optional<double> until, every, step, tolerance;
  int threads = 1;
  std::string out;
  std::string format = "csv";
  std::string report;
  std::string guard = "stop";
  bool verify = false;
  bool quiet = false;
};

void add_simulate_arguments(CLI::App& command, SimulateArguments& arguments);

/// What they ask for, told apart: parameters go to the model, the rest to the simulation.
struct SimulateRequest {
  Overrides parameters;
  SimulationOptions options;
  ResultsFormat format = ResultsFormat::kCsv;
};

/// `--set method.*` and `--set integrator.*` are other ways to give the options.
/// @throws UsageError for what makes no sense, whatever the model is.
SimulateRequest make_request(const SimulateArguments& arguments);

/// @throws UsageError when there would be too many.
SampleTimes sample_times(double until, double every);

}  // namespace sarrus::cli
