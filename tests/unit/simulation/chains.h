#pragma once

#include <string>

#include "unit/model/mechanisms.h"

namespace sarrus::tests {

/// Rods in a row, hinged about changing axes, the first one to ground; the last one, too, where `closed`.
inline Description chain_of(int links, bool closed) {
  Description d;
  const auto at = [](int i) { return Vec3(0.2 * i, 0.05 * (i % 3), 0.03 * (i % 2)); };
  for (int i = 1; i <= links; ++i) {
    d.add_body(rod("rod" + std::to_string(i), at(i - 1), at(i), 0.3));
    d.add_joint(joint("J" + std::to_string(i), JointType::kRevolute,
                      i == 1 ? "ground" : "rod" + std::to_string(i - 1), "rod" + std::to_string(i),
                      at(i - 1), i % 2 == 0 ? Vec3::UnitY() : Vec3::UnitZ()));
  }
  if (closed)
    d.add_joint(
        joint("end", JointType::kSpherical, "rod" + std::to_string(links), "ground", at(links)));
  return d;
}

}  // namespace sarrus::tests
