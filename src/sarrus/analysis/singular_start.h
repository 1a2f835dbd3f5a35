#pragma once

#include <vector>

#include "sarrus/base/ids.h"
#include "sarrus/base/status.h"
#include "sarrus/mobility/rank_study.h"

namespace sarrus {

/// Can motion begin where a mechanism is?
struct StartLook {
  Status status;  ///< kSingular where it cannot, with the loop and a remedy
  /// Of loops that stand in equilibrium on a singular position; once one of these moves with a larger v²/ℓ than
  /// `still`, loads have changed, and it takes another look.
  std::vector<BodyId> standing;
  double still = 0;
};

/// Positions and velocities at the start obey the constraints to first order. At a singular position, or
/// within rounding of one, that is not enough: a velocity may lead off every branch of the motion, and loads
/// may push a mechanism at rest between two of them.  [start-singular]
///
/// `study` is that of `start`; loads and prescribed motions are those at time t. Cheap where the position is
/// not singular: one dense factor a loop block. Blocks and mechanisms too large for dense factors are not
/// looked into.
StartLook look_at_start(RankStudy& study, const Configuration& start, double t);

}  // namespace sarrus
