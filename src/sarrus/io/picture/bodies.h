#pragma once

#include "sarrus/io/picture/camera.h"

namespace sarrus::picture {

/// What a body's drawing depends on besides the body.
struct BodyStyle {
  std::string color;
  double scale = 1;        ///< of bars and discs
  double mass_part = 1;    ///< of the heaviest point mass
  bool is_slider = false;  ///< its only joints show it as a block already
  bool is_screw = false;   ///< a bar with a thread
};

/// A bar, or a plate through three and more points, and its mass centre where that tells something.
/// In space a margin of paper sets it off from what it passes in front of.
void draw_body(Page& page, const Camera& camera, const BodySketch& body, const BodyStyle& style);

/// A fixed choice that goes round.
const std::string& body_color(BodyId body);

/// The outline of points on the page, counter-clockwise from the leftmost; two points for a line.
std::vector<Vec2> convex_hull(std::vector<Vec2> points);

}  // namespace sarrus::picture
