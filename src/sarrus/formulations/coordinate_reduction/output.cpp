// Accelerations of all bodies, and what the joints carry.

#include "sarrus/formulations/coordinate_reduction/scratch.h"

namespace sarrus {

using coordinate_reduction::norm_of;
using tree::TreeBody;

// What the joints must do: Newton and Euler's equations of every body, then the way back.
void CoordinateReduction::balance(double t, Scratch& scratch) const {
  const Configuration& c = scratch.configuration;
  for (std::size_t i = 0; i < tree_.bodies().size(); ++i) {
    const BodyId body = tree_.bodies()[i].body;
    const Inertia& inertia = model_.body(body).inertia;
    const Mat3 R = c.poses[body.slot()].R();
    const Vec3 w = R.transpose() * c.velocities[body.slot()].head<3>();
    const Vec6 a = rotated(R.transpose(), scratch.solver.acceleration(static_cast<int>(i)));
    const Vec3 moment = inertia.central * a.head<3>() + w.cross(inertia.central * w);
    const Vec3 force = inertia.mass * a.tail<3>();
    scratch.needed[i] = rotated(R, spatial(moment, force)) -
                        shift_force(scratch.loads.body[body.slot()], R * inertia.center);
  }
  coordinate_reduction::find_reactions(fronts_, scratch.solver, t, c, scratch.needed,
                                       scratch.reactions);
}

Status CoordinateReduction::evaluate(double t, std::span<const double> x, const Discrete& discrete,
                                     Workspace& workspace, Motion& motion) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  if (Status status = find_motion(t, x, discrete, scratch, motion, true); !status.ok())
    return status;
  balance(t, scratch);
  write_reactions(t, scratch, motion);
  return {};
}

Status CoordinateReduction::evaluate_motion(double t, std::span<const double> x,
                                            const Discrete& discrete, Workspace& workspace,
                                            Motion& motion) const {
  return find_motion(t, x, discrete, static_cast<Scratch&>(workspace), motion, false);
}

// Where the loops are closed already, as at the end of a step, there is nothing to project.
Status CoordinateReduction::find_motion(double t, std::span<const double> x,
                                        const Discrete& discrete, Scratch& scratch, Motion& motion,
                                        bool with_details) const {
  read(t, x, discrete, scratch);
  if (!has_loops_ && !scratch.has_inertia) {
    if (Status status = check_inertia(scratch); !status.ok()) return status;
    scratch.has_inertia = true;
  }
  if (Status status = accelerate(t, discrete, scratch, with_details); !status.ok()) return status;
  if (has_loops_ && projection_ != Projection::kOff) {
    const double reach = reach_of(scratch);
    const double speed = norm_of(scratch.v) * reach;
    const bool positions = options_.enforced == Enforced::kPosition;
    if ((positions && norm_of(scratch.last->phi()) > kRounding * reach) ||
        norm_of(scratch.last->phi_rate()) > kRounding * speed) {
      if (Status status = project(t, discrete, scratch, positions); !status.ok()) return status;
      if (Status status = accelerate(t, discrete, scratch, with_details); !status.ok())
        return status;
    }
  }
  if (scratch.paper) {
    if (Status status = paper_accelerate(t, discrete, scratch); !status.ok()) return status;
    std::copy(scratch.v_rate.begin(), scratch.v_rate.end(), scratch.unknowns.begin());
  }
  scratch.solver.accelerate(scratch.inputs, scratch.unknowns);
  if (with_details)
    locate_coordinates(discrete, scratch);
  else
    locate(discrete, scratch);
  motion.time = t;
  motion.supplied = x.back();
  motion.configuration = scratch.configuration;
  motion.accelerations.resize(model_.bodies().size());
  motion.accelerations[0].setZero();
  for (std::size_t i = 0; i < tree_.bodies().size(); ++i) {
    const BodyId body = tree_.bodies()[i].body;
    const Vec6 a = scratch.solver.acceleration(static_cast<int>(i));
    const Vec3 w = scratch.configuration.velocities[body.slot()].head<3>();
    const Vec3 back =
        -(scratch.configuration.poses[body.slot()].q * model_.body(body).inertia.center);
    motion.accelerations[body.slot()] = shift_motion(a, back);
    motion.accelerations[body.slot()].tail<3>() += w.cross(w.cross(back));
  }
  return {};
}

void CoordinateReduction::write_reactions(double t, const Scratch& scratch, Motion& motion) const {
  const Configuration& c = scratch.configuration;
  motion.reaction_is_unique.assign(model_.joints().size(), 1);
  not_unique_.unmark(motion.reaction_is_unique);
  motion.reactions.assign(model_.joints().size(), Vec6::Zero());
  for (std::size_t i = 0; i < tree_.bodies().size(); ++i) {
    const TreeBody& body = tree_.bodies()[i];
    if (!body.joint.valid()) continue;
    const Vec3 center = c.poses[body.body.slot()].q * model_.body(body.body).inertia.center;
    motion.reactions[body.joint.slot()] =
        articulated::reaction(tree_, body, shift_force(scratch.reactions.through[i], -center), c);
  }
  for (std::size_t i = 0; i < fronts_.closures().size(); ++i) {
    const JointId id = fronts_.closures()[i];
    const int first = system_.first_row(id.index);
    const int first_closing = fronts_.closure(static_cast<int>(i)).first_row;
    Vec6 wrench = Vec6::Zero();  // at body b's origin
    system_.visit_rows(id.index, t, c, [&](int r, const Row& row, const TimeFunction::Value&) {
      wrench -= scratch.reactions.lambda[to_index(first_closing + r - first)] * row.J_B;
    });
    motion.reactions[id.slot()] = shift_force(wrench, view_of(model_.joint(id), c).s_B);
  }
  for (std::size_t j = 0; j < model_.joints().size(); ++j)
    if (const Vec6& load = scratch.loads.joint[j]; !load.isZero(0))
      motion.reactions[j] += shift_force(load, view_of(model_.joints()[j], c).s_B);
}

}  // namespace sarrus
