#include "sarrus/io/picture/solids.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace sarrus::picture {
namespace {

constexpr double kPi = std::numbers::pi;

/// A solid turned by less than this against the page shows no side.
constexpr double kSquare = 0.02;

}  // namespace

Vec3 across_in_page(const Camera& camera, const Vec3& axis) {
  const Vec3 across = camera.toward.cross(axis);
  return across.norm() > kSquare ? across.normalized() : camera.right;
}

std::vector<Vec2> arc_points(const Camera& camera, const Arc& arc) {
  const Vec3 u = across_in_page(camera, arc.axis);
  const Vec3 v = arc.axis.cross(u);
  const int steps = std::max(4, static_cast<int>(std::ceil(std::abs(arc.to - arc.from) / 0.25)));
  std::vector<Vec2> points;
  for (int i = 0; i <= steps; ++i) {
    const double angle = arc.from + (arc.to - arc.from) * i / steps;
    points.push_back(arc.center +
                     arc.radius * camera.direction(std::cos(angle) * u + std::sin(angle) * v));
  }
  return points;
}

void draw_cylinder(Page& page, const Camera& camera, const Cylinder& cylinder,
                   const Finish& finish) {
  const double facing = cylinder.axis.dot(camera.toward);
  const Vec3 axis = facing < 0 ? Vec3(-cylinder.axis) : cylinder.axis;  // its near end
  const Vec2 half = cylinder.half_length * camera.direction(axis);
  const Style wall = {mixed(finish.fill, kInk, 0.12), finish.stroke, finish.width};
  const Style cap = {finish.fill, finish.stroke, finish.width};
  if (std::abs(facing) > 1 - kSquare * kSquare) {
    page.circle(cylinder.center, cylinder.radius, cap);
    return;
  }
  const Vec2 near = cylinder.center + half;
  const Vec2 far = cylinder.center - half;
  // The arcs start at a point of the silhouette.
  std::vector<Vec2> outline = arc_points(camera, {near, axis, cylinder.radius, 0, kPi});
  const auto back = arc_points(camera, {far, axis, cylinder.radius, kPi, 2 * kPi});
  // Of the two half ellipses of each end, the outer one bounds the wall.
  const bool outward = (outline[outline.size() / 2] - near).dot(half) >= 0;
  if (!outward) outline = arc_points(camera, {near, axis, cylinder.radius, 0, -kPi});
  const auto end =
      outward ? back : arc_points(camera, {far, axis, cylinder.radius, -kPi, -2 * kPi});
  outline.insert(outline.end(), end.begin(), end.end());
  page.path(outline, true, wall);
  if (std::abs(facing) > kSquare)
    page.path(arc_points(camera, {near, axis, cylinder.radius, 0, 2 * kPi}), true, cap);
}

void draw_box(Page& page, const Camera& camera, const Box& box, const Finish& finish) {
  const std::array<Vec3, 3> axes = {box.along, box.across, box.along.cross(box.across)};
  for (std::size_t k = 0; k < 3; ++k) {
    const double facing = axes[k].dot(camera.toward);
    if (std::abs(facing) < kSquare) continue;
    const std::size_t i = (k + 1) % 3;
    const std::size_t j = (k + 2) % 3;
    const auto half = [&](std::size_t a) -> Vec2 {
      return box.half[static_cast<Eigen::Index>(a)] * camera.direction(axes[a]);
    };
    const Vec2 center = box.center + (facing > 0 ? 1 : -1) * half(k);
    const std::array<Vec2, 4> corners = {center - half(i) - half(j), center + half(i) - half(j),
                                         center + half(i) + half(j), center - half(i) + half(j)};
    const double lit = std::abs(axes[k].dot((camera.toward + camera.up).normalized()));
    page.path(corners, true,
              {mixed(finish.fill, kInk, 0.25 * (1 - lit)), finish.stroke, finish.width});
  }
}

void draw_arrow_head(Page& page, const Vec2& tip, const Vec2& direction, double length,
                     const std::string& color) {
  const Vec2 back = tip - length * direction;
  const Vec2 side = 0.42 * length * aside(direction);
  const std::array<Vec2, 3> corners = {tip, back + side, back - side};
  page.path(corners, true, {color, color, 0.1 * length});
}

void draw_hatched_line(Page& page, const Vec2& from, const Vec2& to, const Vec2& inside,
                       double size) {
  const Vec2 along = (to - from).normalized();
  const double length = (to - from).norm();
  const Vec2 stroke = 0.9 * size * (inside - along).normalized();
  const int strokes = std::max(2, static_cast<int>(length / (0.9 * size)));
  for (int i = 0; i < strokes; ++i) {
    const Vec2 start = from + length * (i + 0.7) / strokes * along;
    page.line(start, start + stroke, {"none", kInk, 0.14 * size});
  }
  page.line(from, to, {"none", kInk, 0.25 * size});
}

}  // namespace sarrus::picture
