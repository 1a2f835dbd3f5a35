#pragma once

#include <vector>

#include "sarrus/spatial/transform.h"

namespace sarrus {

/// Where everything is and how it moves: the common tongue of all methods. Two methods are compared,
/// or one hands over to another in mid-run, through this.
struct Configuration {
  std::vector<Transform> poses;     ///< X_WB of every body, ground first
  std::vector<Vec6> velocities;     ///< [ω; v of the body frame's origin], world axes
  std::vector<double> coordinates;  ///< of all joints in order; angles count turns
  std::vector<double> modes;        ///< modal coordinates of flexible bodies, body after body
  std::vector<double> mode_rates;
};

/// A configuration with what the equations of motion say about it at one instant.
struct Motion {
  double time = 0;
  Configuration configuration;
  std::vector<Vec6> accelerations;         ///< [ω̇; v̇ of the body frame's origin], world axes
  std::vector<double> mode_accelerations;  ///< of flexible bodies
  std::vector<Vec6> reactions;           ///< per joint: [τ; f] on body b at M's origin, world axes
  std::vector<char> reaction_is_unique;  ///< per joint; 0 where redundancy leaves it undetermined
  double supplied = 0;                   ///< work supplied since t = 0 [J]
};

}  // namespace sarrus
