#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sarrus/simulation/simulation.h"

namespace sarrus {

struct MethodResult;

/// Someone who looks on while methods are compared.
class ComparisonObserver {
 public:
  virtual ~ComparisonObserver() = default;
  virtual void begin(const Simulation& /*simulation*/) {}
  virtual void begin_judge(const Simulation& /*simulation*/) {}
  virtual void step(double /*time*/) {}             ///< of a method or of the judge
  virtual void record(const Sample& /*sample*/) {}  ///< of a method
  virtual void end(const Simulation& /*simulation*/, const MethodResult& /*result*/) {}
};

struct ComparisonOptions {
  /// That were asked for by name; empty: all that can represent the model and keep its constraints.
  std::vector<std::string> methods;
  double until = 2;                 ///< [s]
  double every = 0.01;              ///< between samples [s]
  std::optional<double> tolerance;  ///< unset: as the model says, else 1e-8
  int threads = 1;

  /// A method that was not asked for by name is left out when it would take longer than this [s],
  /// and stopped when it takes twice as long.
  double patience = 15;
  std::function<bool()> stop;              ///< asked between steps
  ComparisonObserver* observer = nullptr;  ///< may be nobody
};

/// How far a motion is from the judge's: the largest value over bodies and instants. With the
/// mechanism's extent L: pose, √(|Δp|²/L² + Δθ²); velocity, √(|Δv|²/L² + |Δω|²) over the largest
/// such norm of the judge's velocities.  [comparison-distance]
struct Distance {
  double pose = 0;
  double velocity = 0;
};

struct MethodResult {
  std::string method;
  std::string variant;
  bool named = false;  ///< asked for by name
  Status status;       ///< how the run ended
  double time = 0;     ///< reached [s]
  double wall_seconds = 0;
  double cpu_seconds = 0;
  std::optional<double> evaluation_seconds;  ///< one evaluation of the rates, in motion
  RunStatistics statistics;
  std::optional<Distance> distance;
};

/// A method without a result, and why.
struct LeftOut {
  std::string method;
  std::string reason;
  bool named = false;
  bool slow = false;  ///< could run, but would take long
};

/// Who the distances are measured from.
struct Judge {
  std::string method;  ///< empty: nobody
  double tolerance = 0;
  double wall_seconds = 0;
  std::string reason;  ///< why it is not `reference`, or why there is none
};

struct Comparison {
  double until = 0;
  std::optional<double> step;  ///< else the tolerance holds
  double tolerance = 0;
  double length = 0;         ///< L [m]
  std::size_t instants = 0;  ///< at which distances were taken
  std::vector<MethodResult> results;
  std::vector<LeftOut> left_out;
  Judge judge;

  /// Did all methods that were asked for by name reach the end, and any at all?
  bool succeeded() const;
};

/// Do loops open, although nobody has asked to leave the constraints alone?
bool drifts(const Simulation& simulation);

/// Moves the model by one method after another, and by a judge: `reference` at a tolerance a thousand
/// times tighter, or the cheapest method where that would take too long. A method that fails or
/// cannot represent the model does not keep the others from going on.
/// @throws UsageError for a method that does not exist; ModelError when the loops cannot be closed.
Comparison compare_methods(const Model& model, const ComparisonOptions& options);

}  // namespace sarrus
