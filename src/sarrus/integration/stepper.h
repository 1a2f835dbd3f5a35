#pragma once

#include <vector>

#include "sarrus/base/status.h"
#include "sarrus/formulations/formulation.h"
#include "sarrus/model/configuration.h"

namespace sarrus {

/// What one call of `Stepper::advance` did.
struct StepReport {
  Status status;            ///< not ok: no step was accepted, the state is the last good one
  double time = 0;          ///< reached [s]
  double step = 0;          ///< size of the accepted step [s]; 0 when none was
  int rejected = 0;         ///< trial steps thrown away on the way
  std::vector<Note> notes;  ///< what the formulation has to tell about the accepted step
};

/// Something that moves a mechanism through time step by step: an integrator over a formulation, or
/// a modular method that owns its boxes.
///
/// @code
/// while (stepper.time() < end) {
///   const StepReport report = stepper.advance(end);
///   if (!report.status.ok()) break;
///   for (; sample <= stepper.time(); sample += every) stepper.evaluate(sample, motion);
/// }
/// @endcode
///
/// The steps do not depend on what is asked between them: output never changes a run.
/// Not thread-safe. Theory: docs/theory/integration.md.
class Stepper {
 public:
  virtual ~Stepper() = default;

  virtual double time() const = 0;

  /// Start of the last accepted step; `time()` before the first one.
  virtual double previous_time() const = 0;

  /// Takes one accepted step that does not pass `limit`; a step that reaches it makes `time()`
  /// exactly `limit`. Does nothing when `limit` is not ahead. Within the step the equations are
  /// taken as they are *before* `limit`, so that a jump in them belongs there; after it call
  /// `restart()`.
  virtual StepReport advance(double limit) = 0;

  /// Finds what the next step begins with: whether the mechanism can move is told now.
  virtual Status begin() {
    Motion motion;
    return evaluate(time(), motion, /*with_reactions=*/false);
  }

  /// Everything at t: at `time()` from the state itself, inside the last step by dense output.
  /// @throws UsageError when t is outside [previous_time(), time()].
  virtual Status evaluate(double t, Motion& motion, bool with_reactions = true) = 0;

  /// As `evaluate`, positions and velocities only: cheap, for events.
  virtual void configuration(double t, Configuration& configuration) = 0;

  /// Supplied work at `time()` [J].
  virtual double supplied() const = 0;

  /// Is a step little more than one evaluation? Then whoever evaluates each of them doubles the work.
  virtual bool takes_one_evaluation() const { return false; }

  /// Call after a jump in the equations (a breakpoint, an edited parameter): nothing that was
  /// computed before it is used for the next step.
  virtual void restart() = 0;

  /// Goes on from another configuration at t, a time within the last step: after an event, an
  /// impact or a user's hand. The supplied work keeps the value it had at t.
  /// @throws UsageError as `evaluate` does.
  virtual void restart(double t, const Configuration& configuration) = 0;

  /// Work done to advance; output is not counted.
  virtual Counters counters() const = 0;
};

}  // namespace sarrus
