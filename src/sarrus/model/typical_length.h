#pragma once

#include <utility>

#include "sarrus/model/joint.h"

namespace sarrus {

/// Mean distance of joints from the origins of the bodies they sit on [m]; 1 where there is none.
template <class Joints>
double typical_length(const Joints& joints) {
  double sum = 0;
  int count = 0;
  for (const Joint& joint : joints)
    for (const auto& [body, X] :
         {std::pair{joint.a, &joint.X_AF}, std::pair{joint.b, &joint.X_BM}}) {
      if (body == kGround || X->p.norm() == 0) continue;
      sum += X->p.norm();
      ++count;
    }
  return count > 0 ? sum / count : 1.0;
}

}  // namespace sarrus
