// Dense output of RungeKutta, and going on from a point of it.

#include <fmt/format.h>

#include "sarrus/base/diagnostics.h"
#include "sarrus/integration/runge_kutta.h"

namespace sarrus {

// A method without a stage at the end of the step needs the rate there for its cubic; mostly it is
// the next step's first stage and costs nothing. Should it fail, the parabola remains.
void RungeKutta::complete_polynomial() {
  if (polynomial_is_complete_) return;
  polynomial_is_complete_ = true;
  Status status;
  if (polynomial_ends_in_state_) {
    status = update_first_stage();
    if (status.ok()) layout_.chart_rate(polynomial_.end(), first_, rate_);
  } else {
    layout_.retract(start_, polynomial_.end(), trial_);
    status = rates(polynomial_end_time_, trial_, start_discrete_, rate_);
    if (status.ok()) layout_.chart_rate(polynomial_.end(), rate_, rate_);
  }
  if (status.ok()) polynomial_.set_last_rate(rate_);
}

// [rk-dense-output]  Inside the step the state is that before `after_step`, with the discrete state
// the step was made with: a formulation that switches coordinates gives the end another meaning.
RungeKutta::Sample RungeKutta::sample(double t) {
  if (!(t >= previous_time_ && t <= time_))
    throw UsageError(fmt::format("t = {:.17g} s lies outside the last step, {:.17g} to {:.17g} s",
                                 t, previous_time_, time_));
  if (t == time_) return {x_, discrete_};
  complete_polynomial();
  polynomial_.evaluate(t, sample_displacement_);
  layout_.retract(start_, sample_displacement_, sample_);
  return {sample_, start_discrete_};
}

Status RungeKutta::evaluate(double t, Motion& motion, bool with_reactions) {
  const Sample at = sample(t);
  // Apart from the workspace of the steps, so that output cannot change a run.
  if (!output_workspace_) output_workspace_ = formulation_.make_workspace();
  return with_reactions
             ? formulation_.evaluate(t, at.x, at.discrete, *output_workspace_, motion)
             : formulation_.evaluate_motion(t, at.x, at.discrete, *output_workspace_, motion);
}

void RungeKutta::configuration(double t, Configuration& configuration) {
  const Sample at = sample(t);
  formulation_.decode(at.x, at.discrete, configuration);
}

void RungeKutta::restart(double t, const Configuration& configuration) {
  const double supplied = sample(t).x.back();
  formulation_.encode(configuration, x_, discrete_);
  x_.back() = supplied;
  time_ = previous_time_ = t;
  start_ = x_;
  start_discrete_ = discrete_;
  polynomial_is_complete_ = true;  // there is no last step
  restart();
}

}  // namespace sarrus
