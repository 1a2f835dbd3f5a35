#pragma once

#include <algorithm>

#include "sarrus/formulations/order_n/tree.h"

namespace sarrus::order_n {

/// Are there joints that the tree does not have: of loops, or free ones that only measure? Their coordinates
/// follow from the poses.
inline bool has_joints_outside(const Tree& tree) {
  const auto is_carried = [](const TreeBody& body) { return body.joint.valid(); };
  return std::ranges::count_if(tree.bodies(), is_carried) < tree.model().joint_count();
}

}  // namespace sarrus::order_n
