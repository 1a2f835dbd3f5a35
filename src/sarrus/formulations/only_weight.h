#pragma once

#include "sarrus/model/loads.h"

namespace sarrus {

/// Does nothing but weight act on the mechanism, prescribed motions aside?
inline bool has_only_weight(const Model& model) {
  return !acts_on_bodies(model) && model.joint_springs().empty() &&
         model.joint_frictions().empty() && model.joint_torques().empty() && model.motors().empty();
}

}  // namespace sarrus
