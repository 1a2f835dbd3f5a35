#include "scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "sarrus/analysis/assembly.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/io/scenario_directory.h"
#include "sarrus/spatial/rotation.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus::tests {
namespace {

std::size_t position(int index) { return static_cast<std::size_t>(index); }

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace

ScenarioRun run_scenario(const std::string& name, const std::vector<double>& times,
                         const Setup& setup) {
  ScenarioRun run;
  run.simulation = std::make_unique<Simulation>(load_model(name, setup.overrides),
                                                SimulationOptions{.method = setup.method,
                                                                  .settings = setup.settings,
                                                                  .integrator = setup.integrator,
                                                                  .step = {},
                                                                  .tolerance = setup.tolerance,
                                                                  .projection = {},
                                                                  .until = times.back()});
  for (const double time : times) {
    if (const Status status = run.simulation->advance_to(time); !status.ok())
      throw std::runtime_error(fmt::format("{} on the way to {} s: {}", name, time, status.reason));
    run.samples.push_back(run.simulation->sample());
  }
  return run;
}

std::vector<std::string> methods_for(const std::string& name, const Overrides& overrides) {
  const Model model = load_model(name, overrides);
  const Topology topology = analyse_topology(model);
  const Configuration assembled = assemble(model).configuration;
  std::vector<std::string> names;
  // The modular methods have scenarios of their own.
  const std::vector<std::string> modular = {"uzawa", "baumgarte", "augmented-lagrangian"};
  for (const MethodInfo& method : methods()) {
    if (std::ranges::find(modular, method.name) != modular.end()) continue;
    try {
      make_formulation({.method = method.name}, model, topology, assembled);
      if (topology.is_tree() || method.projects) names.push_back(method.name);
    } catch (const UsageError&) {
      if (method.name == "reference") throw;  // takes every mechanism
    }
  }
  return names;
}

std::vector<double> times_from(double first, double last, double step) {
  std::vector<double> times;
  for (int i = 0; i <= std::lround((last - first) / step); ++i) times.push_back(first + i * step);
  return times;
}

BodyMotion body_motion(const ScenarioRun& run, const Sample& sample, const std::string& body) {
  const std::size_t i = position(run.model().find_body(body).index);
  const Configuration& c = sample.motion.configuration;
  const Vec6& V = c.velocities[i];
  const Vec6& A = sample.motion.accelerations[i];
  return {.p = c.poses[i].p,
          .v = linear(V),
          .a = linear(A),
          .w = angular(V),
          .alpha = angular(A),
          .pose = c.poses[i]};
}

double coordinate(const ScenarioRun& run, const Sample& sample, const std::string& joint) {
  const Joint& it = run.model().joint(run.model().find_joint(joint));
  return sample.motion.configuration.coordinates[position(it.first_freedom)];
}

Reaction reaction(const ScenarioRun& run, const Sample& sample, const std::string& joint) {
  const Vec6& F = sample.motion.reactions[position(run.model().find_joint(joint).index)];
  return {.force = linear(F), .torque = angular(F)};
}

LargestDifferences differences(const Configuration& one, const Configuration& other) {
  LargestDifferences most;
  for (std::size_t i = 0; i < one.poses.size(); ++i) {
    const Transform& X = one.poses[i];
    const Transform& Y = other.poses[i];
    most.position = std::max(most.position, (X.p - Y.p).lpNorm<Eigen::Infinity>());
    most.orientation = std::max(most.orientation, log_rotation(X.q.conjugate() * Y.q).norm());
    most.velocity = std::max(most.velocity,
                             (one.velocities[i] - other.velocities[i]).lpNorm<Eigen::Infinity>());
  }
  return most;
}

Mobility mobility_of(const std::string& name, const Overrides& overrides) {
  const Model model = load_model(name, overrides);
  return compute_mobility(model, analyse_topology(model), assemble(model).configuration);
}

Reference::Reference(const std::string& scenario, const std::string& file)
    : file_((scenario_directory() / scenario / file).string()) {
  std::ifstream stream(file_);
  if (!stream) throw std::runtime_error("cannot read " + file_);
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (columns_.empty()) {
      columns_ = split(line);
    } else {
      rows_.push_back(split(line));
      rows_.back().resize(columns_.size());
    }
  }
}

const std::string& Reference::text(std::size_t row, const std::string& column) const {
  const auto found = std::ranges::find(columns_, column);
  if (found == columns_.end())
    throw std::runtime_error(fmt::format("{} has no column '{}'", file_, column));
  return rows_.at(row)[static_cast<std::size_t>(found - columns_.begin())];
}

double Reference::number(std::size_t row, const std::string& column) const {
  return std::stod(text(row, column));
}

std::vector<double> Reference::numbers(const std::string& column) const {
  std::vector<double> values;
  for (std::size_t row = 0; row < size(); ++row) values.push_back(number(row, column));
  return values;
}

}  // namespace sarrus::tests
