#pragma once

#include <vector>

#include "sarrus/io/picture/page.h"
#include "sarrus/model/model.h"

namespace sarrus::picture {

/// What there is to draw of a body: places in the world.
struct BodySketch {
  BodyId body;
  std::vector<Vec3> points;   ///< where joints and springs hold it, and its far end; all distinct
  Vec3 center;                ///< of mass
  bool point_mass = false;    ///< has mass, but no inertia
  bool center_apart = false;  ///< the mass centre lies off the bar or plate through the points
};

/// Where a joint is in the world.
struct JointSketch {
  JointId joint;
  Vec3 point;    ///< on the body that slides, if it slides: b, or a where b is ground
  Vec3 guide;    ///< on the other one
  Vec3 x, y, z;  ///< axes: x of the frame on body a, y and z of the frame on body b
};

/// A mechanism as sticks in space.
struct Skeleton {
  std::vector<BodySketch> bodies;  ///< without ground
  std::vector<JointSketch> joints;
  double size = 1;  ///< largest extent, never zero [m]
};

Skeleton make_skeleton(const Model& model, const Configuration& configuration);

}  // namespace sarrus::picture
