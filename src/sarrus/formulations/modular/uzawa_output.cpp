// What is shown of a state.

#include "sarrus/formulations/modular/uzawa_scratch.h"

namespace sarrus::modular {

void Uzawa::fill_motion(double t, std::span<const double> x, const Scratch& s,
                        Motion& motion) const {
  motion.time = t;
  motion.configuration = s.configuration;
  motion.accelerations.assign(s.a.begin(), s.a.begin() + model_.body_count());
  motion.mode_accelerations.assign(slot(model_.mode_count()), 0.0);
  motion.supplied = x.back();
}

Status Uzawa::evaluate_motion(double t, std::span<const double> x, const Discrete& discrete,
                              Workspace& workspace, Motion& motion) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  read(x, discrete, s.configuration);
  const Status status = solve(t, x, discrete, options_.projection != Projection::kOff, s);
  if (!status.ok()) return status;
  fill_motion(t, x, s, motion);
  for (const Own& own : own_) {
    if (!is_flexible(own)) continue;
    s.system.wrenches_on(own.box, s.wrenches);
    const int mode = body_of(own).first_mode;
    s.subsystems[slot(own.box)]->accelerate(
        s.wrenches, std::span(motion.mode_accelerations).subspan(slot(mode), slot(own.count)));
  }
  return {};
}

Status Uzawa::evaluate(double t, std::span<const double> x, const Discrete& discrete,
                       Workspace& workspace, Motion& motion) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  if (Status status = evaluate_motion(t, x, discrete, workspace, motion); !status.ok())
    return status;
  update_coordinates(model_, motion.configuration);
  fill_reactions(s, motion);
  return {};
}

void Uzawa::fill_reactions(Scratch& s, Motion& motion) const {
  motion.reactions = s.loads.joint;  // at body b's origin
  motion.reaction_is_unique.assign(model_.joints().size(), 1);
  for (std::size_t l = 0; l < s.lambda.size(); ++l)
    motion.reactions[slot(interface_.links[l].joint)] += s.system.G_B[l].transpose() * s.lambda[l];
  for (std::size_t k = 0; k < s.subsystems.size(); ++k) {
    if (!s.subsystems[k]) continue;
    s.system.wrenches_on(static_cast<int>(k), s.wrenches);
    s.subsystems[k]->add_reactions(s.wrenches, motion.reactions);
  }
  for (std::size_t j = 0; j < model_.joints().size(); ++j)
    motion.reactions[j] =
        shift_force(motion.reactions[j], view_of(model_.joints()[j], s.configuration).s_B);
  not_unique_.unmark(motion.reaction_is_unique);
}

Status Uzawa::watch(double t, std::span<const double> x, const Discrete& discrete,
                    const std::function<void(const Multipliers&, const Multipliers&)>& seen) const {
  Scratch scratch(*this);
  scratch.solver.watch = seen;
  read(x, discrete, scratch.configuration);
  return solve(t, x, discrete, false, scratch);
}

}  // namespace sarrus::modular
