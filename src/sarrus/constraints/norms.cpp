#include "sarrus/constraints/norms.h"

#include <cmath>

#include "sarrus/model/loads.h"

namespace sarrus {

ConstraintNorms compute_constraint_norms(const Model& model, const Motion& motion) {
  const Configuration& c = motion.configuration;
  ConstraintNorms squares;
  const auto add = [&](const Joint& joint, const Row& row, const TimeFunction::Value& f) {
    const double position = row.value - f.value;
    const double velocity = row.rate(carrier_velocity(joint.a, joint.attachment_a, c),
                                     carrier_velocity(joint.b, joint.attachment_b, c)) -
                            f.rate;
    squares.position += position * position;
    squares.velocity += velocity * velocity;
    if (motion.accelerations.empty()) return;
    const double acceleration =
        row.rate(carrier_acceleration(joint.a, joint.attachment_a, motion),
                 carrier_acceleration(joint.b, joint.attachment_b, motion)) +
        row.gamma - f.acceleration;
    squares.acceleration += acceleration * acceleration;
  };
  for (const Joint& joint : model.joints())
    for (const Row& row :
         joint.constraint_rows(view_of(joint, c), c.coordinates.data() + joint.first_freedom))
      add(joint, row, {});
  for (const PrescribedMotion& prescribed : model.motions()) {
    const Joint& joint = model.joint(prescribed.at.joint);
    const Rows rows =
        joint.coordinate_rows(view_of(joint, c), c.coordinates.data() + joint.first_freedom);
    add(joint, rows[prescribed.at.index], prescribed.value(motion.time));
  }
  return {std::sqrt(squares.position), std::sqrt(squares.velocity),
          std::sqrt(squares.acceleration)};
}

}  // namespace sarrus
