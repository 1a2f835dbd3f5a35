#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "sarrus/io/load_model.h"
#include "sarrus/mobility/mobility.h"
#include "sarrus/simulation/simulation.h"

/// What the scenario tests share: running a scenario, finding things in its samples, and reading
/// its reference table.
namespace sarrus::tests {

/// What the scenarios take for gravity [m/s²].
inline constexpr double kGravity = 9.81;

/// How a test runs a scenario. The defaults are the judge's: the slow method, as exact as doubles
/// allow.
struct Setup {
  Overrides overrides;
  std::string method = "reference";
  double tolerance = 1e-12;
  std::vector<MethodSetting> settings = {};
  std::string integrator = "dopri5";
};

/// A scenario that has been run, with a sample for each time that was asked for.
struct ScenarioRun {
  std::unique_ptr<Simulation> simulation;
  std::vector<Sample> samples;

  const Model& model() const { return simulation->model(); }
  const RunStatistics& statistics() const { return simulation->statistics(); }
  const Sample& last() const { return samples.back(); }
};

/// Runs to each of the rising `times` in turn; every sample is the end of a step, so that it has
/// the integrator's accuracy and not that of dense output.
/// @throws std::runtime_error when the run fails on the way.
ScenarioRun run_scenario(const std::string& name, const std::vector<double>& times,
                         const Setup& setup = {});

/// The methods that can represent a scenario and keep its constraints.
std::vector<std::string> methods_for(const std::string& name, const Overrides& overrides = {});

/// first, first + step, … up to and including last.
std::vector<double> times_from(double first, double last, double step);

/// One body at one instant: its frame's origin and its turning, in world axes.
struct BodyMotion {
  Vec3 p, v, a;
  Vec3 w, alpha;
  Transform pose;
};
BodyMotion body_motion(const ScenarioRun& run, const Sample& sample, const std::string& body);

/// The first coordinate of a joint.
double coordinate(const ScenarioRun& run, const Sample& sample, const std::string& joint);

/// Force and torque through a joint on its second body, at the joint's point on it.
struct Reaction {
  Vec3 force, torque;
};
Reaction reaction(const ScenarioRun& run, const Sample& sample, const std::string& joint);

/// The largest difference of any component of position, velocity, … of any body.
struct LargestDifferences {
  double position = 0;
  double orientation = 0;  ///< angle between the two [rad]
  double velocity = 0;     ///< linear and angular
};
LargestDifferences differences(const Configuration& one, const Configuration& other);

/// Work that has gone astray since the start: total − supplied, less its value in `first` [J].
inline double energy_error(const Sample& first, const Sample& now) {
  return (now.total() - now.motion.supplied) - (first.total() - first.motion.supplied);
}

/// Freedoms and redundancy of a scenario as it stands.
Mobility mobility_of(const std::string& name, const Overrides& overrides = {});

/// A scenario's `reference.csv`, or another table of it: lines that start with # are comments, the first other line names
/// the columns.
class Reference {
 public:
  /// @throws std::runtime_error when there is no such table.
  explicit Reference(const std::string& scenario, const std::string& file = "reference.csv");

  std::size_t size() const { return rows_.size(); }

  /// What a cell says. @throws std::runtime_error for an unknown column.
  const std::string& text(std::size_t row, const std::string& column) const;
  double number(std::size_t row, const std::string& column) const;

  /// One column as numbers.
  std::vector<double> numbers(const std::string& column) const;

 private:
  std::string file_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace sarrus::tests
