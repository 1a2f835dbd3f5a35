#pragma once

#include <algorithm>
#include <cmath>

#include "sarrus/model/configuration.h"
#include "sarrus/spatial/rotation.h"

namespace sarrus::testing {

/// The poses a short time after (or before) a motion, on a path with its velocity and acceleration.
inline Configuration pose_after(const Motion& motion, double step) {
  Configuration c = motion.configuration;
  for (std::size_t i = 1; i < c.poses.size(); ++i) {
    const Vec6 way = step * c.velocities[i] + 0.5 * step * step * motion.accelerations[i];
    c.poses[i].q = (exp_rotation(way.head<3>()) * c.poses[i].q).normalized();
    c.poses[i].p += way.tail<3>();
  }
  for (std::size_t k = 0; k < c.modes.size(); ++k)
    c.modes[k] += step * c.mode_rates[k] + 0.5 * step * step * motion.mode_accelerations[k];
  return c;
}

/// A step for finite differences of fourth order: short for the motion, long against rounding.
inline double small_time(const Motion& motion) {
  double rate = 1;
  for (std::size_t i = 1; i < motion.accelerations.size(); ++i) {
    rate = std::max(rate, motion.configuration.velocities[i].norm());
    rate = std::max(rate, std::sqrt(motion.accelerations[i].norm()));
  }
  for (std::size_t k = 0; k < motion.mode_accelerations.size(); ++k) {
    rate = std::max(rate, std::abs(motion.configuration.mode_rates[k]));
    rate = std::max(rate, std::sqrt(std::abs(motion.mode_accelerations[k])));
  }
  return 4e-3 / rate;
}

}  // namespace sarrus::testing
