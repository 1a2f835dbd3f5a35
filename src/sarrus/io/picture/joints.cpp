#include "sarrus/io/picture/joints.h"

#include <array>
#include <cmath>
#include <numbers>

#include "sarrus/io/picture/solids.h"

namespace sarrus::picture {
namespace {

constexpr double kPin = 6;           // radius
constexpr double kSlider = 17;       // half the length of a slider
constexpr double kSliderWidth = 11;  // half its width
constexpr double kLine = 1.8;

bool is_grounded(const Joint& joint) { return joint.a == kGround || joint.b == kGround; }

const std::string& moving_color(const JointSymbol& symbol) {
  return symbol.joint.b == kGround ? symbol.color_a : symbol.color_b;
}

Finish tinted(const std::string& color, double scale) {
  return {mixed(color, kPaper, 0.55), mixed(color, kInk, 0.35), kLine * scale};
}

Finish plain(double scale) { return {kPaper, kInk, kLine * scale}; }

// Across the axis of a slider: into the page's plane when flat, level when in space.
Vec3 slider_across(const Camera& camera, const Vec3& axis) {
  if (camera.flat) return across_in_page(camera, axis);
  const Vec3 level = camera.up.cross(axis);
  return level.norm() > 0.1 ? level.normalized()
                            : camera.right.cross(axis).cross(axis).normalized();
}

// A triangle on a hatched line.
void draw_pedestal(Page& page, const JointSymbol& symbol) {
  const double s = symbol.scale;
  const Vec2 side = aside(symbol.ground);
  const Vec2 base = symbol.at + 22 * s * symbol.ground;
  const std::array<Vec2, 3> corners = {symbol.at, base + 13 * s * side, base - 13 * s * side};
  page.path(corners, true, {mixed(kPaper, kInk, 0.14), kInk, kLine * s});
  draw_hatched_line(page, base - 20 * s * side, base + 20 * s * side, symbol.ground, 9 * s);
}

// Rails along a slider: one on the side of the ground; two where that side is in line with them.
void draw_guide(Page& page, const Camera& camera, const JointSymbol& symbol) {
  const double s = symbol.scale;
  const Vec2 axis = camera.direction(symbol.sketch.z);
  if (axis.norm() < 0.2) return draw_pedestal(page, symbol);
  const Vec2 along = axis.normalized();
  Vec2 out = aside(along);
  if (out.dot(symbol.ground) < 0) out = -out;
  const bool both = out.dot(symbol.ground) < 0.7;
  for (const double side : {1.0, -1.0}) {
    if (side < 0 && !both) break;
    const Vec2 middle = symbol.at + side * (kSliderWidth + 3.2) * s * out;
    draw_hatched_line(page, middle - 46 * s * along, middle + 46 * s * along, side * out, 9 * s);
  }
}

// Ground's end of a bar that is clamped in it.
void draw_clamp(Page& page, const JointSymbol& symbol) {
  const Vec2 inside = symbol.bar.norm() > 0 ? Vec2(-symbol.bar.normalized()) : symbol.ground;
  const Vec2 side = 18 * symbol.scale * aside(inside);
  draw_hatched_line(page, symbol.at - side, symbol.at + side, inside, 9 * symbol.scale);
}

void draw_slider(Page& page, const Camera& camera, const JointSymbol& symbol) {
  const double s = symbol.scale;
  const Vec3& z = symbol.sketch.z;
  if (!is_grounded(symbol.joint)) {  // the rod it slides on
    const Vec2 half = 34 * s * camera.direction(z);
    page.line(symbol.at - half, symbol.at + half,
              {"none", mixed(symbol.color_a, kInk, 0.35), 3.4 * s});
  }
  draw_box(page, camera,
           {symbol.at, z, slider_across(camera, z), Vec3(kSlider, kSliderWidth, kSliderWidth) * s},
           tinted(moving_color(symbol), s));
}

// In space a bearing is larger and shows its axis as a centre line.
void draw_bearing(Page& page, const Camera& camera, const JointSymbol& symbol, double half_length) {
  const double s = symbol.scale * (camera.flat ? 1 : 1.2);
  const Vec2 axis = 30 * s * camera.direction(symbol.sketch.z);
  if (!camera.flat && axis.norm() > 12 * s)
    page.line(symbol.at - axis, symbol.at + axis, {"none", kInk, 0.9 * s, 1, "9 3 1.5 3"});
  draw_cylinder(page, camera, {symbol.at, symbol.sketch.z, kPin * s, half_length * s}, plain(s));
}

// A nut on a thread: a sleeve with the thread's slanted lines across it.
void draw_nut(Page& page, const Camera& camera, const JointSymbol& symbol) {
  const double s = symbol.scale;
  const Vec2 axis = camera.direction(symbol.sketch.z);
  draw_bearing(page, camera, symbol, 13);
  if (axis.norm() < 0.3) {
    page.circle(symbol.at, 0.45 * kPin * s, {"none", kInk, kLine * s, 1, "2 2"});
    return;
  }
  const Vec2 side = kPin * s * aside(axis.normalized());
  const Vec2 slant = 2.2 * s * axis.normalized();
  for (const double k : {-8.0, -4.0, 0.0, 4.0, 8.0}) {
    const Vec2 middle = symbol.at + k * s * axis;
    page.line(middle - side - slant, middle + side + slant, {"none", kInk, 1.3 * s});
  }
}

// A sleeve that is longer than its bearing, with the shaft looking out.
void draw_sleeve(Page& page, const Camera& camera, const JointSymbol& symbol) {
  const double s = symbol.scale;
  const Vec3& z = symbol.sketch.z;
  draw_cylinder(page, camera, {symbol.at, z, 0.5 * kPin * s, 24 * s}, tinted(symbol.color_a, s));
  draw_cylinder(page, camera, {symbol.at, z, kPin * s, 15 * s}, plain(s));
  if (camera.direction(z).norm() < 0.3) page.circle(symbol.at, 0.4 * kPin * s, {kInk});
}

// A ball in its socket.
void draw_ball(Page& page, const JointSymbol& symbol) {
  const double s = symbol.scale;
  const Vec2 open = symbol.bar.norm() > 0 ? symbol.bar.normalized() : Vec2(-symbol.ground);
  const double middle = std::atan2(open.y(), open.x());
  std::vector<Vec2> socket;
  for (int i = 0; i <= 20; ++i) {
    const double angle = middle + 0.9 + (2 * std::numbers::pi - 1.8) * i / 20;
    socket.push_back(symbol.at + 9.5 * s * Vec2(std::cos(angle), std::sin(angle)));
  }
  page.path(socket, false, {kPaper, kInk, 2.2 * s});
  page.circle(symbol.at, kPin * s, {mixed(kInk, kPaper, 0.35), kInk, kLine * s});
  page.circle(symbol.at - 2 * s * Vec2(1, 1), 1.6 * s, {mixed(kInk, kPaper, 0.8)});
}

// The cross of a Cardan joint.
void draw_cross(Page& page, const Camera& camera, const JointSymbol& symbol) {
  const double s = symbol.scale;
  page.circle(symbol.at, 9.5 * s, {kPaper, kInk, kLine * s});
  const std::array<std::pair<Vec3, std::string>, 2> arms = {
      std::pair{symbol.sketch.x, symbol.color_a}, std::pair{symbol.sketch.y, symbol.color_b}};
  for (const auto& [axis, color] : arms) {
    const Vec2 arm = 13 * s * camera.direction(axis);
    page.line(symbol.at - arm, symbol.at + arm, {"none", mixed(color, kInk, 0.35), 3.2 * s});
    if (arm.norm() < 4 * s) page.circle(symbol.at, 3 * s, {mixed(color, kInk, 0.35)});
  }
}

// A plate that glides and turns on a plane.
void draw_plate(Page& page, const Camera& camera, const JointSymbol& symbol) {
  const double s = symbol.scale;
  const Vec3& z = symbol.sketch.z;
  const Vec3 across = slider_across(camera, z);
  draw_box(page, camera, {symbol.at, z, across, Vec3(3, 19, 19) * s}, tinted(symbol.color_a, s));
  const Vec2 lift = 5 * s * camera.direction(z);
  draw_box(page, camera, {symbol.at + lift, z, across, Vec3(3, 10, 10) * s},
           tinted(symbol.color_b, s));
}

void draw_dot(Page& page, const JointSymbol& symbol) {
  page.circle(symbol.at, kPin * symbol.scale, {kPaper, kInk, 2 * symbol.scale});
}

}  // namespace

void draw_support(Page& page, const Camera& camera, const JointSymbol& symbol) {
  if (!is_grounded(symbol.joint) || symbol.scale < kSimple) return;
  switch (symbol.joint.type()) {
    case JointType::kFree:
      return;
    case JointType::kFixed:
      return draw_clamp(page, symbol);
    case JointType::kPrismatic:
      return draw_guide(page, camera, symbol);
    default:
      return draw_pedestal(page, symbol);
  }
}

void draw_joint(Page& page, const Camera& camera, const JointSymbol& symbol) {
  const double s = symbol.scale;
  if (s < kSimple) return draw_dot(page, symbol);
  switch (symbol.joint.type()) {
    case JointType::kRevolute:
      return draw_bearing(page, camera, symbol, 10);
    case JointType::kPrismatic:
      return draw_slider(page, camera, symbol);
    case JointType::kHelical:
      return draw_nut(page, camera, symbol);
    case JointType::kCylindrical:
      return draw_sleeve(page, camera, symbol);
    case JointType::kUniversal:
      return draw_cross(page, camera, symbol);
    case JointType::kSpherical:
      return draw_ball(page, symbol);
    case JointType::kPlanar:
      return draw_plate(page, camera, symbol);
    case JointType::kFree:
      return page.circle(symbol.at, 23 * s, {"none", kInk, kLine * s, 1, "3 5"});
    case JointType::kFixed: {
      const Vec2 a = 5 * s * Vec2(1, 0);
      const Vec2 b = 5 * s * Vec2(0, 1);
      const std::array<Vec2, 4> corners = {symbol.at - a - b, symbol.at + a - b, symbol.at + a + b,
                                           symbol.at - a + b};
      return page.path(corners, true, {kInk, kInk, kLine * s});
    }
  }
}

}  // namespace sarrus::picture
