#include "sarrus/simulation/engine.h"

#include "sarrus/formulations/registry.h"
#include "sarrus/integration/make_stepper.h"
#include "sarrus/model/loads.h"

namespace sarrus {
namespace {

IntegratorOptions integrator_options(const SimulationOptions& options) {
  return {.method = *options.integrator,
          .step = options.step.value_or(0),
          .rtol = *options.tolerance,
          .atol = *options.tolerance,
          .max_step = 0,
          .interval = *options.until};
}

std::unique_ptr<Stepper> stepper_at(const Formulation& formulation, const Configuration& c,
                                    double t, double supplied, const SimulationOptions& options) {
  std::vector<double> x(static_cast<std::size_t>(formulation.layout().size()));
  Discrete discrete;
  formulation.encode(c, x, discrete);
  x.back() = supplied;
  return make_stepper(formulation, std::move(x), std::move(discrete), t,
                      integrator_options(options));
}

std::unique_ptr<Formulation> method_for(RankStudy& study, const SimulationOptions& options) {
  if (options.own_method) return options.own_method(study);
  return make_formulation(
      {*options.method, *options.projection, options.settings, options.threads,
       options.step.value_or(0), options.subsystems, *options.integrator == kMultirate,
       options.step ? 0 : *options.tolerance},
      study);
}

}  // namespace

Engine::Engine(std::unique_ptr<Mechanism> what, double t, double supplied,
               const SimulationOptions& options)
    : mechanism(std::move(what)),
      model(mechanism->model),
      topology(mechanism->topology),
      formulation(method_for(mechanism->study, options)),
      stepper(stepper_at(*formulation, mechanism->configuration, t, supplied, options)) {
  mechanism->study.forget_elimination();
}

Status Engine::evaluate(double t, Sample& sample, bool with_reactions) {
  const Motion& motion = sample.motion;
  Status status = stepper->evaluate(t, sample.motion, with_reactions);
  if (!status.ok()) return status;
  sample.kinetic = kinetic_energy(model, motion.configuration);
  sample.potential = potential_energy(model, motion.configuration);
  sample.constraints = compute_constraint_norms(model, motion);
  return status;
}

void Engine::look(Sample& sample) {
  Motion& motion = sample.motion;
  motion.time = stepper->time();
  stepper->configuration(motion.time, motion.configuration);
  motion.supplied = stepper->supplied();
  motion.accelerations.clear();
  sample.kinetic = kinetic_energy(model, motion.configuration);
  sample.potential = potential_energy(model, motion.configuration);
  sample.constraints = compute_constraint_norms(model, motion);
}

}  // namespace sarrus
