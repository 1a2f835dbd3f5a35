#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "sarrus/spatial/transform.h"

namespace sarrus::testing {

/// Random numbers that are the same with every standard library: the engine is pinned down by the
/// standard, the distributions are not, so they are our own.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}

  /// In [0, 1), 53 bits.
  double uniform() {
    const auto high = static_cast<double>(engine_() >> 5);  // 27 bits
    const auto low = static_cast<double>(engine_() >> 6);   // 26 bits
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }
  double uniform(double from, double to) { return from + (to - from) * uniform(); }

  /// Evenly spread on a logarithmic scale; both ends positive.
  double log_uniform(double from, double to) {
    return from * std::exp(std::log(to / from) * uniform());
  }

  /// In 0 … count − 1.
  int below(int count) { return static_cast<int>(uniform() * count); }
  bool chance(double probability) { return uniform() < probability; }
  double sign() { return chance(0.5) ? 1.0 : -1.0; }

  /// In the cube [−size, size]³. One statement a component: arguments have no order.
  Vec3 vector(double size) {
    Vec3 v;
    for (int k = 0; k < 3; ++k) v[k] = uniform(-size, size);
    return v;
  }

  Vec3 direction() {
    while (true) {
      const Vec3 v = vector(1);
      const double length = v.norm();
      if (length > 0.1 && length < 1) return v / length;
    }
  }

  /// Evenly spread over all rotations (Shoemake 1992).
  Quat rotation() {
    const double u = uniform();
    const double a = 2 * std::numbers::pi * uniform();
    const double b = 2 * std::numbers::pi * uniform();
    const double s = std::sqrt(1 - u);
    const double c = std::sqrt(u);
    return Quat(c * std::cos(b), s * std::sin(a), s * std::cos(a), c * std::sin(b)).normalized();
  }

 private:
  std::mt19937 engine_;
};

}  // namespace sarrus::testing
