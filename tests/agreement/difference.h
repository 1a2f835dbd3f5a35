#pragma once

#include <algorithm>
#include <vector>

#include "sarrus/spatial/types.h"

namespace sarrus::testing {

/// Largest difference of two lists of vectors, over the largest vector or `least`.
inline double difference(const std::vector<Vec6>& of, const std::vector<Vec6>& from, double least) {
  double size = least;
  double most = 0;
  for (std::size_t i = 0; i < of.size(); ++i) {
    size = std::max(size, from[i].norm());
    most = std::max(most, (of[i] - from[i]).norm());
  }
  return most / size;
}

}  // namespace sarrus::testing
