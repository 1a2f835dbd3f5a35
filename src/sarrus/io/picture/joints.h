#pragma once

#include "sarrus/io/picture/camera.h"

namespace sarrus::picture {

/// What a joint's symbol depends on besides the joint.
struct JointSymbol {
  const Joint& joint;
  const JointSketch& sketch;
  Vec2 at;              ///< on the page
  double scale = 1;     ///< of symbols; below kSimple they are dots
  std::string color_a;  ///< of the bodies
  std::string color_b;
  Vec2 ground = {0, 1};     ///< towards the ground, on the page, of unit length
  Vec2 bar = Vec2::Zero();  ///< away along the body that is held
};

/// Symbols smaller than this part of their full size lose their details.
inline constexpr double kSimple = 0.3;

/// What ground has there: a hatched support or guide. Nothing for joints between moving bodies.
void draw_support(Page& page, const Camera& camera, const JointSymbol& symbol);

/// The joint itself, as in textbooks: revolute and helical joints are bearings (circles where the
/// axis points at the viewer), prismatic ones are sliders, …
void draw_joint(Page& page, const Camera& camera, const JointSymbol& symbol);

}  // namespace sarrus::picture
