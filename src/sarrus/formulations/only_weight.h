#pragma once

#include "sarrus/model/model.h"

namespace sarrus {

/// Does nothing but weight act on the mechanism, prescribed motions aside?
inline bool has_only_weight(const Model& model) {
  return model.point_springs().empty() && model.joint_springs().empty() &&
         model.joint_frictions().empty() && model.applied_forces().empty() &&
         model.applied_torques().empty() && model.joint_torques().empty() && model.motors().empty();
}

}  // namespace sarrus
