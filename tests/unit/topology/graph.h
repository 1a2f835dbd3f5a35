#pragma once

#include <string>
#include <utility>
#include <vector>

#include "unit/model/mechanisms.h"

namespace sarrus::tests {

/// Bodies 1 … `bodies` (0 is ground), a joint for every pair of numbers; joints are numbered as given.
struct Graph {
  int bodies = 0;
  std::vector<std::pair<int, int>> edges;

  Model model(const std::vector<CutPreference>& cuts = {}) const {
    Description d;
    const auto name = [](int i) {
      return i == 0 ? std::string("ground") : "b" + std::to_string(i);
    };
    for (int i = 1; i <= bodies; ++i) d.add_body(brick(name(i)));
    for (std::size_t e = 0; e < edges.size(); ++e) {
      d.add_joint(joint("j" + std::to_string(e), JointType::kRevolute, name(edges[e].first),
                        name(edges[e].second)));
      if (!cuts.empty()) d.joints.back().cut = cuts[e];
    }
    return Model(d);
  }
};

}  // namespace sarrus::tests
