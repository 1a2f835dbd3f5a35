#include "sarrus/testing/energy_laws.h"

#include <algorithm>
#include <cmath>

#include "sarrus/model/loads.h"
#include "sarrus/testing/subject.h"
#include "sarrus/testing/verdict_of.h"

namespace sarrus::testing {
namespace {

/// Rotation vectors end at a whole turn, and the energy of a spring along one with them. The balance
/// is not judged beyond this angle [rad].
constexpr double kNearTurn = 4.5;

bool nears_turn(const Model& model, const Configuration& c) {
  for (const Joint& joint : model.joints()) {
    if (joint.nq() == joint.nv()) continue;
    const double* u = c.coordinates.data() + joint.first_freedom;
    if (Eigen::Map<const Vec3>(u).norm() > kNearTurn) return true;
  }
  return false;
}

std::vector<Motion> follow(Subject& subject, const EnergyRun& run) {
  std::vector<Motion> samples;
  for (int k = 0; k <= run.samples; ++k) {
    subject.advance_to(run.duration * k / run.samples);
    samples.push_back(subject.motion());
    if (nears_turn(subject.model(), samples.back().configuration)) break;
  }
  if (samples.size() > 1 && nears_turn(subject.model(), samples.back().configuration))
    samples.pop_back();
  return samples;
}

}  // namespace

Verdict energy_balance(const Model& model, const std::vector<Motion>& samples) {
  // A mechanism that cannot move moves no energy: then what its weight does over a tenth
  // of a millimetre counts, so that rounding is seen to be rounding.
  double most = 0;
  for (const Body& body : model.bodies()) most += 1e-4 * body.inertia.mass * model.gravity().norm();
  double start = 0, potential_at_start = 0, worst = 0, when = 0;
  for (const Motion& motion : samples) {
    const double kinetic = kinetic_energy(model, motion.configuration);
    const double potential = potential_energy(model, motion.configuration);
    const double balance = kinetic + potential - motion.supplied;
    if (&motion == samples.data()) {
      start = balance;
      potential_at_start = potential;
    }
    most = std::max(
        {most, kinetic, std::abs(potential - potential_at_start), std::abs(motion.supplied)});
    if (const double error = std::abs(balance - start); !(error <= worst)) {
      worst = error;
      when = motion.time;
    }
  }
  VerdictOf verdict("is gained or lost: off");
  verdict.add(worst, most, [&] { return fmt::format("up to t = {:.3g}, energy", when); });
  return verdict.verdict();
}

Verdict energy_balance(const Description& description, const EnergyRun& run) {
  Subject subject(description, run.method,
                  {.method = "dopri5", .rtol = run.tolerance, .atol = run.tolerance});
  return energy_balance(subject.model(), follow(subject, run));
}

double EnergyOrder::order() const { return 0.5 * std::log2(coarse / fine); }

EnergyOrder energy_order(const Description& description, double step, const EnergyRun& run) {
  const auto error = [&](double h) {
    Subject subject(description, run.method, {.method = "rk4", .step = h});
    return energy_balance(subject.model(), follow(subject, run)).defect;
  };
  return {error(step), error(0.25 * step)};
}

}  // namespace sarrus::testing
