#include "sarrus/formulations/eliminated_output.h"

#include "sarrus/spatial/vectors.h"

namespace sarrus {

void gather_loads(const Model& model, double t, const Configuration& c, Loads& loads,
                  std::vector<Vec6>& Q) {
  compute_loads(model, t, c, loads);
  for (std::size_t i = 1; i < c.poses.size(); ++i)
    Q[i] = loads.body[i] -
           gyroscopic_wrench(model.bodies()[i].inertia, c.poses[i].R(), c.velocities[i].head<3>());
}

void write_reactions(Elimination& elimination, const Loads& loads, const Configuration& c,
                     Motion& motion) {
  const ConstraintSystem& system = *elimination.plan().system;
  const Model& model = system.model();
  elimination.find_multipliers(c);
  const std::vector<char> dependent = elimination.dependent_rows();
  motion.reactions.assign(model.joints().size(), Vec6::Zero());
  motion.reaction_is_unique.assign(model.joints().size(), 1);
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    Vec6 wrench = loads.joint[j];  // at body b's origin
    for (int r = system.first_row(static_cast<int>(j));
         r < system.first_row(static_cast<int>(j) + 1); ++r) {
      wrench -= elimination.lambda()[static_cast<std::size_t>(r)] *
                Eigen::Map<const Vec6>(elimination.J_B(r));
      if (dependent[static_cast<std::size_t>(r)]) motion.reaction_is_unique[j] = 0;
    }
    motion.reactions[j] = shift_force(wrench, view_of(model.joints()[j], c).s_B);
  }
}

}  // namespace sarrus
