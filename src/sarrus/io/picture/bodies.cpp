#include "sarrus/io/picture/bodies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sarrus/io/picture/solids.h"

namespace sarrus::picture {
namespace {

constexpr double kBar = 9;       // width of a bar
constexpr double kEdge = 1.7;    // of its outline
constexpr double kPlain = 0.45;  // bars of a smaller scale have no outline
constexpr double kHalo = 3.5;    // of paper around it, in space
constexpr double kWheel = 17;    // radius of a body that is held at its mass centre
constexpr double kDisc = 12.5;   // radius of the heaviest point mass

double cross(const Vec2& o, const Vec2& a, const Vec2& b) {
  return (a - o).x() * (b - o).y() - (a - o).y() * (b - o).x();
}

std::string dark(const std::string& color) { return mixed(color, kInk, 0.35); }
std::string light(const std::string& color) { return mixed(color, kPaper, 0.45); }

void draw_bar(Page& page, const Vec2& a, const Vec2& b, const BodyStyle& style, bool halo) {
  const double s = style.scale;
  const double open = 18 * s;  // at its ends it meets others and hides nothing
  if (halo && (b - a).norm() > 2.5 * open) {
    const Vec2 end = open * (b - a).normalized();
    page.line(a + end, b - end, {"none", kPaper, (kBar + 2 * kEdge + 2 * kHalo) * s});
  }
  if (s < kPlain) return page.line(a, b, {"none", style.color, kBar * s});
  page.line(a, b, {"none", dark(style.color), (kBar + kEdge) * s});
  page.line(a, b, {"none", light(style.color), (kBar - kEdge) * s});
}

// Slanted lines across a bar.
void draw_thread(Page& page, const Vec2& a, const Vec2& b, const BodyStyle& style) {
  const double s = style.scale;
  const double length = (b - a).norm();
  const Vec2 along = (b - a) / length;
  const Vec2 side = 0.5 * kBar * s * aside(along) + 2 * s * along;
  const int turns = static_cast<int>(length / (6 * s));
  for (int i = 1; i < turns; ++i) {
    const Vec2 at = a + length * i / turns * along;
    page.line(at - side, at + side, {"none", dark(style.color), 0.7 * kEdge * s});
  }
}

void draw_plate_through(Page& page, const std::vector<Vec2>& corners, const std::vector<Vec2>& all,
                        const BodyStyle& style) {
  const double s = style.scale;
  page.path(corners, true, {light(style.color), dark(style.color), (kBar + kEdge) * s, 0.4});
  page.path(corners, true, {"none", light(style.color), (kBar - kEdge) * s});
  Vec2 middle = Vec2::Zero();
  for (const Vec2& point : all) middle += point / static_cast<double>(all.size());
  for (const Vec2& point : all)
    if (std::ranges::find(corners, point) == corners.end())
      page.line(middle, point, {"none", dark(style.color), 2 * kEdge * s});
}

// The quartered circle of textbooks.
void draw_mass_center(Page& page, const Vec2& at, double radius) {
  page.circle(at, radius, {kPaper, kInk, 0.25 * radius});
  for (const double start : {0.0, std::numbers::pi}) {
    std::vector<Vec2> quarter = {at};
    for (int i = 0; i <= 6; ++i) {
      const double angle = start + i * std::numbers::pi / 12;
      quarter.push_back(at + radius * Vec2(std::cos(angle), std::sin(angle)));
    }
    page.path(quarter, true, {kInk});
  }
}

void draw_center(Page& page, const Camera& camera, const BodySketch& body, const BodyStyle& style) {
  const double s = style.scale;
  const Vec2 center = camera.page(body.center);
  if (body.center_apart) {
    const Vec2 a = camera.page(body.points[0]);
    const Vec2 along = camera.page(body.points[1]) - a;
    const double part = std::clamp((center - a).dot(along) / along.squaredNorm(), 0.0, 1.0);
    page.line(a + part * along, center, {"none", dark(style.color), 2 * kEdge * s});
  }
  if (body.point_mass)
    page.circle(center, std::max(0.55, std::cbrt(style.mass_part)) * kDisc * s,
                {style.color, dark(style.color), kEdge * s});
  else if (body.center_apart)
    draw_mass_center(page, center, 5.5 * s);
}

void draw_straight(Page& page, const Camera& camera, const std::vector<Vec2>& ends,
                   const BodyStyle& style) {
  draw_bar(page, ends[0], ends[1], style, !camera.flat);
  if (style.is_screw && style.scale >= kPlain) draw_thread(page, ends[0], ends[1], style);
}

}  // namespace

std::vector<Vec2> convex_hull(std::vector<Vec2> points) {
  std::ranges::sort(points, [](const Vec2& a, const Vec2& b) {
    return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y();
  });
  if (points.size() < 3) return points;
  std::vector<Vec2> hull;
  const auto add_half = [&hull](auto begin, auto end) {
    const std::size_t start = hull.size();
    for (auto it = begin; it != end; ++it) {
      // A page unit is the least that shows.
      while (hull.size() >= start + 2 && cross(hull[hull.size() - 2], hull.back(), *it) <= 1)
        hull.pop_back();
      hull.push_back(*it);
    }
    hull.pop_back();
  };
  add_half(points.begin(), points.end());
  add_half(points.rbegin(), points.rend());
  return hull;
}

const std::string& body_color(BodyId body) {
  static const std::array<std::string, 8> kColors = {"#1f6f8b", "#d1603d", "#6a994e", "#8e5572",
                                                     "#c9a227", "#4f6d9a", "#7a6c5d", "#3d9a8b"};
  return kColors[(body.slot() + kColors.size() - 1) % kColors.size()];
}

void draw_body(Page& page, const Camera& camera, const BodySketch& body, const BodyStyle& style) {
  std::vector<Vec2> points;
  for (const Vec3& point : body.points) points.push_back(camera.page(point));
  const std::vector<Vec2> corners = convex_hull(points);
  if (corners.size() > 2)
    draw_plate_through(page, corners, points, style);
  else if (corners.size() == 2)
    draw_straight(page, camera, corners, style);
  else if (!style.is_slider && !body.point_mass)
    page.circle(points.front(), kWheel * style.scale,
                {light(style.color), dark(style.color), kEdge * style.scale});
  if (!style.is_slider) draw_center(page, camera, body, style);
}

}  // namespace sarrus::picture
