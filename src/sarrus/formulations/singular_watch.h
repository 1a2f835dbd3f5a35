#pragma once

#include "sarrus/formulations/formulation.h"

namespace sarrus {

/// Where Discrete::integers keeps whether the present singular position has been told of.
inline constexpr std::size_t kSingularNoted = 0;

/// How near to a singular position the evaluations of a run come: what their error estimates are worth,
/// and what a user should be told. One for every workspace of a method with loops.
///
/// The *strength* of a pose is the smallest pivot of its constraints over that of generic poses: 1 at
/// a usual pose, 0 at a singular one. It is proportional to the distance from there; methods whose pivots
/// are squares of it take the root.  [step-over-singularity]
class SingularWatch {
 public:
  /// Of a stage.
  void see(double strength);

  /// Of a stage whose accelerations an iteration could not find for weak constraints: as good as one that
  /// has hit the position.
  void miss() { weakest_stage_ = 0; }

  /// Are the constraints of such a pose so weak that what a state is off them is amplified? Then a stage
  /// should be moved onto them before it is evaluated.
  static bool is_weak(double strength);

  /// For `Formulation::filter_error`: what the estimate of the step is worth whose stages were seen.
  ErrorTrust take_trust();

  /// For `Formulation::after_step`: tells of a singular position once, and again when the mechanism has
  /// been away from it. `strength`: where the step has ended.
  void finish_step(double t, double strength, Discrete& discrete, AfterStep& result);

 private:
  double weakest_stage_ = 1;  // of the present step
  double weakest_ = 1;        // since the last accepted step
};

}  // namespace sarrus
