#pragma once

#include "sarrus/io/picture/camera.h"

namespace sarrus::picture {

/// Outline and faces of a solid, seen by a camera at a size in page units, whatever the scale.
struct Finish {
  std::string fill = kPaper;
  std::string stroke = kInk;
  double width = 1.6;
};

struct Cylinder {
  Vec2 center;  ///< on the page
  Vec3 axis;    ///< in the world, of unit length
  double radius = 6;
  double half_length = 9;
};

/// Seen end on it is a circle.
void draw_cylinder(Page& page, const Camera& camera, const Cylinder& cylinder,
                   const Finish& finish);

struct Box {
  Vec2 center;
  Vec3 along, across;  ///< perpendicular unit vectors in the world
  Vec3 half;           ///< along, across, and the third way
};

/// Seen square on it is a rectangle.
void draw_box(Page& page, const Camera& camera, const Box& box, const Finish& finish);

/// Points of a circle about an axis, from one angle to another, counted from some perpendicular.
struct Arc {
  Vec2 center;
  Vec3 axis;
  double radius = 16;
  double from = 0;
  double to = 0;
};
std::vector<Vec2> arc_points(const Camera& camera, const Arc& arc);

/// A unit vector perpendicular to `axis` that lies in the page where there is one.
Vec3 across_in_page(const Camera& camera, const Vec3& axis);

/// Turned a quarter on the page.
inline Vec2 aside(const Vec2& d) { return {-d.y(), d.x()}; }

/// A filled arrow head whose point is `tip`, pointing along the unit vector `direction`.
void draw_arrow_head(Page& page, const Vec2& tip, const Vec2& direction, double length,
                     const std::string& color);

/// A line with short strokes on the side of the unit vector `inside`, as ground is drawn.
void draw_hatched_line(Page& page, const Vec2& from, const Vec2& to, const Vec2& inside,
                       double size);

}  // namespace sarrus::picture
