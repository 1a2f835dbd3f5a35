#pragma once

#include <random>

#include "sarrus/spatial/transform.h"

namespace sarrus::tests {

/// Seeded numbers, the same with every standard library.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  int below(int limit) { return static_cast<int>(uniform(0, limit)); }
  VecX vector(Eigen::Index size) {
    VecX v(size);
    for (double& number : v) number = uniform(-1, 1);
    return v;
  }
  MatX matrix(Eigen::Index rows, Eigen::Index columns) {
    return vector(rows * columns).reshaped(rows, columns);
  }
  Vec3 vec3(double size = 1) { return size * vector(3); }
  Vec6 vec6(double size = 1) { return size * vector(6); }
  Vec3 direction() { return vec3().normalized(); }
  Quat rotation() { return Quat(Eigen::AngleAxisd(uniform(-3, 3), direction())); }
  Transform pose(double size = 1) { return {rotation(), vec3(size)}; }

 private:
  std::mt19937 engine_;
};

}  // namespace sarrus::tests
