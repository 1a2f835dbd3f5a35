#pragma once

#include <functional>
#include <vector>

#include "sarrus/integration/stepper.h"
#include "unit/integration/toy_formulations.h"

namespace sarrus::toys {

inline std::vector<double> state(Stepper& stepper, double t) {
  Configuration at;
  stepper.configuration(t, at);
  return at.coordinates;
}

inline std::vector<double> state(Stepper& stepper) { return state(stepper, stepper.time()); }

struct Outcome {
  Status status;
  int steps = 0;
  int rejected = 0;
};

inline Outcome run_to(Stepper& stepper, double end, int most = 100000) {
  Outcome run;
  while (stepper.time() < end && run.steps < most) {
    const StepReport report = stepper.advance(end);
    run.rejected += report.rejected;
    run.status = report.status;
    if (!report.status.ok()) return run;
    ++run.steps;
  }
  return run;
}

// ẋ = f(t, x), one number.
inline Toy scalar(std::function<double(double, double)> f) {
  return Toy(vector_layout(1), [f](double t, std::span<const double> x, std::span<double> dx) {
    dx[0] = f(t, x[0]);
    return Status{};
  });
}

}  // namespace sarrus::toys
