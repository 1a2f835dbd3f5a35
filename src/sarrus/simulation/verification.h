#pragma once

#include <functional>
#include <optional>
#include <string>

#include "sarrus/simulation/comparison.h"
#include "sarrus/simulation/motion_distance.h"

namespace sarrus {

/// What a second opinion on a run came to.
struct Verification {
  std::string method;    ///< empty: nobody else could repeat the run
  double tolerance = 0;  ///< of the second run
  Status status;         ///< how that ended; not ok without a method, too
  double until = 0;      ///< as far as both went [s]
  Distance distance;     ///< of the first run from the second
  double wall_seconds = 0;

  /// Digits that poses and velocities share at every instant; 0 where there is none.
  double pose_digits() const;
  double velocity_digits() const;

  /// Do both tell the same motion?
  bool agrees() const;
};

/// Repeats a run with another method that keeps the constraints and a hundredth of the tolerance, and compares them instant by instant.  [guard-verify]
class Verifier {
 public:
  /// Of a simulation that has not moved yet and outlives the verifier; `model` and `options` are what it was
  /// made from.
  Verifier(const Simulation& simulation, Model model, SimulationOptions options,
           const SampleTimes& times);

  /// A sample of the run itself.
  void record(const Sample& sample);

  /// To be called after the run.
  Verification verify(const std::function<bool()>& stop,
                      const std::function<void(double)>& on_step);

 private:
  std::unique_ptr<Simulation> second_opinion(Verification& result) const;

  const Simulation& simulation_;
  Model model_;
  SimulationOptions options_;
  SampleTimes times_;
  MotionTrace first_;
  bool has_other_bodies_ = false;  ///< since an edit: what follows is not compared
};

}  // namespace sarrus
