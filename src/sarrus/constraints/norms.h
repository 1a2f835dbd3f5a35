#pragma once

#include "sarrus/model/model.h"

namespace sarrus {

/// How well a motion obeys its constraints: 2-norms over the canonical rows (all joints and
/// prescribed motions, evaluated on body poses), the same for every method.  [constraint-norms]
struct ConstraintNorms {
  double position = 0;      ///< ‖φ‖
  double velocity = 0;      ///< ‖J V + φ_t‖
  double acceleration = 0;  ///< ‖J a + γ‖
};

/// Without accelerations in `motion` theirs is left at 0.
ConstraintNorms compute_constraint_norms(const Model& model, const Motion& motion);

}  // namespace sarrus
