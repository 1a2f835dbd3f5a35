#pragma once

#include <string>

#include "unit/model/mechanisms.h"

namespace sarrus::tests {

/// Struts side by side on the ground, a metre apart, `strut0` hinged by `F0` …; `rung1` … tie each
/// tip to the next by `L1` … and `R1` …. All joints turn about y.
inline Description fence(int cells, const Vec3& strut) {
  Description d;
  const auto hinge = [&](const std::string& name, const std::string& a, const std::string& b,
                         const Vec3& at) {
    d.add_joint(joint(name, JointType::kRevolute, a, b, at, Vec3::UnitY()));
  };
  for (int i = 0; i <= cells; ++i) {
    const std::string number = std::to_string(i), before = std::to_string(i - 1);
    const Vec3 foot(i, 0, 0), tip = foot + strut, tip_before = tip - Vec3::UnitX();
    d.add_body(rod("strut" + number, foot, tip));
    hinge("F" + number, "ground", "strut" + number, foot);
    if (i == 0) continue;
    d.add_body(rod("rung" + number, tip_before, tip));
    hinge("L" + number, "strut" + before, "rung" + number, tip_before);
    hinge("R" + number, "rung" + number, "strut" + number, tip);
  }
  return d;
}

}  // namespace sarrus::tests
