#pragma once

#include "sarrus/model/model.h"

namespace sarrus {

/// Puts the second body of a joint (from_a) or the first where the other one, the joint's pose X_FM and
/// its velocity V_FM (M's axes, at M's origin) have it.
void carry(const Joint& joint, const Transform& X_FM, const Vec6& V_FM, bool from_a,
           Configuration& configuration);

/// Where M stands in F.
Transform pose_in_joint(const Joint& joint, const Configuration& configuration);

}  // namespace sarrus
