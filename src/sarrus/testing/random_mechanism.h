#pragma once

#include <cstdint>

#include "sarrus/model/description.h"

namespace sarrus::testing {

/// What a random mechanism may have. What is allowed is not always used: one seed has few loops,
/// another many.
struct RandomMechanismOptions {
  int bodies = 6;             ///< moving bodies, 1 … 24
  bool loops = false;         ///< closing joints of any type, anywhere
  bool floating = false;      ///< parts that no joint ties to ground
  bool redundant = false;     ///< planar loops in space, Sarrus linkages, doubled joints and hinges
  bool singular = false;      ///< four-bars with all pivots on one line; then all is at rest
  bool point_masses = false;  ///< some bodies without a tensor
  bool forces = false;        ///< springs, friction and applied loads, on closing joints too
  bool drives = false;        ///< joint torques and motors
  bool motions = false;       ///< prescribed motions, where they leave the rest consistent
  bool flexible = false;      ///< bodies that deform, with joints, springs and loads at their nodes
  bool moving = true;         ///< starts with random, consistent velocities
  double mass_ratio = 1e4;    ///< of the heaviest to the lightest body, at most
};

/// A mechanism with these features, the same for the same seed and options on every machine.
///
/// It is described as assembled, so every joint closes by construction, whatever its type; masses
/// are spread log-uniformly, tensors come from clouds of points, body frames stand anywhere, joints
/// start at nonzero coordinates now and then, over a turn too. Poses that are *nearly* singular are
/// drawn anew: they multiply rounding by their condition number, and no sharp tolerance could hold.
///
/// With flexible bodies it is described undeformed, and closed where it starts, deformed, by `assemble`;
/// what that cannot close is drawn anew. Singular mechanisms start undeformed.
/// @throws UsageError when the number of bodies or the mass ratio is out of range.
Description random_mechanism(std::uint32_t seed, const RandomMechanismOptions& options = {});

}  // namespace sarrus::testing
