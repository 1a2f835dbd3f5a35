#include "sarrus/testing/subject.h"

#include <fmt/format.h>

#include "sarrus/base/diagnostics.h"
#include "sarrus/integration/make_stepper.h"

namespace sarrus::testing {
namespace {

void require(const Status& status, const Model& model, double t) {
  if (status.ok()) return;
  throw UsageError(fmt::format("model '{}' at t = {}: {}", model.name(), t, status.reason));
}

}  // namespace

Subject::Subject(const Description& description, const std::string& method,
                 const IntegratorOptions& integrator)
    : model_(description),
      topology_(analyse_topology(model_)),
      assembled_(assemble(model_, topology_).configuration),
      formulation_(make_formulation({.method = method}, model_, topology_, assembled_)),
      stepper_(make_stepper(*formulation_, assembled_, 0, integrator)) {}

Motion Subject::motion() {
  Motion motion;
  require(stepper_->evaluate(time(), motion), model_, time());
  return motion;
}

Motion Subject::watched_motion() {
  Motion motion;
  require(stepper_->evaluate(time(), motion, /*with_reactions=*/false), model_, time());
  return motion;
}

double Subject::supplied_power() {
  const StateLayout& layout = formulation_->layout();
  std::vector<double> x(static_cast<std::size_t>(layout.size()));
  std::vector<double> dx(static_cast<std::size_t>(layout.tangent_size()));
  Configuration configuration;
  stepper_->configuration(time(), configuration);
  Discrete discrete;
  formulation_->encode(configuration, x, discrete);
  const auto workspace = formulation_->make_workspace();
  require(formulation_->rates(time(), x, discrete, *workspace, dx), model_, time());
  return dx.back();
}

void Subject::advance_to(double t_end) {
  const auto step_to = [this](double end) {
    while (time() < end) require(stepper_->advance(end).status, model_, time());
  };
  for (double corner : model_.breakpoints()) {
    if (corner <= time() || corner >= t_end) continue;
    step_to(corner);
    stepper_->restart();
  }
  step_to(t_end);
}

}  // namespace sarrus::testing
