#include "sarrus/io/picture/loads.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sarrus/io/picture/solids.h"

namespace sarrus::picture {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
const std::string kAccent = "#b3261e";
const std::string kSteel = "#5d6470";

bool turns(const Model& model, const Freedom& at) {
  const std::string& name = model.coordinate_names(at.joint)[static_cast<std::size_t>(at.index)];
  return name.starts_with("angle") || name.starts_with("r");
}

// The direction that a coordinate turns about or slides along.
Vec3 axis_of(const LoadsDrawing& drawing, const Freedom& at) {
  const JointSketch& sketch = drawing.skeleton.joints[at.joint.slot()];
  const std::string& name =
      drawing.model.coordinate_names(at.joint)[static_cast<std::size_t>(at.index)];
  if (name == "angle1" || name == "x" || name == "rx") return sketch.x;
  if (name == "angle2" || name == "y" || name == "ry") return sketch.y;
  return sketch.z;
}

// An axis that lies in the page is leant towards the viewer, or a circle about it were a line.
Vec3 leant(const Camera& camera, const Vec3& axis) {
  constexpr double kLean = 0.35;
  const double facing = axis.dot(camera.toward);
  if (std::abs(facing) >= kLean) return axis;
  return (axis + (facing < 0 ? -kLean : kLean) * camera.toward).normalized();
}

void draw_zigzag(Page& page, const Vec2& from, const Vec2& to, double scale) {
  constexpr int kTeeth = 12;
  const Vec2 along = to - from;
  const double length = along.norm();
  if (length < 1e-3) return;
  const Vec2 side = 6 * scale * aside(along / length);
  std::vector<Vec2> points = {from, from + 0.15 * along};
  for (int i = 0; i < kTeeth; ++i)
    points.push_back(from + (0.15 + 0.7 * (i + 0.5) / kTeeth) * along +
                     (i % 2 == 0 ? side : -side));
  points.push_back(from + 0.85 * along);
  points.push_back(to);
  page.path(points, false, {"none", kSteel, 1.8 * scale});
}

void draw_dashpot(Page& page, const Vec2& from, const Vec2& to, double scale) {
  const Vec2 along = to - from;
  const double length = along.norm();
  if (length < 1e-3) return;
  const Vec2 unit = along / length;
  const Vec2 side = 7 * scale * aside(unit);
  const Vec2 middle = from + 0.5 * along;
  const Vec2 bottom = middle - 9 * scale * unit;
  const Vec2 top = middle + 9 * scale * unit;
  const Style style = {"none", kSteel, 1.8 * scale};
  page.line(from, bottom, style);
  const std::array<Vec2, 4> cup = {top + side, bottom + side, bottom - side, top - side};
  page.path(cup, false, style);
  page.line(middle - 0.7 * side, middle + 0.7 * side, style);
  page.line(middle, to, style);
}

void draw_spiral(Page& page, const Camera& camera, const Vec2& center, const Vec3& axis,
                 double scale) {
  std::vector<Vec2> points;
  for (int i = 0; i < 3; ++i) {
    const auto part = arc_points(camera, {center, leant(camera, axis), (9 + 4.0 * i) * scale,
                                          i * kTurn / 1.5, (i + 1) * kTurn / 1.5});
    // The radius grows along the arc.
    for (std::size_t k = 0; k < part.size(); ++k) {
      const double grown = 4.0 * scale * static_cast<double>(k) / static_cast<double>(part.size());
      const Vec2 ray = part[k] - center;
      points.push_back(center + ray * (1 + grown / ((9 + 4.0 * i) * scale)));
    }
  }
  page.path(points, false, {"none", kSteel, 1.6 * scale});
}

// Along a slider: from its guide where that is apart, else beside it.
void draw_slide_spring(Page& page, const LoadsDrawing& drawing, const Freedom& at) {
  const JointSketch& sketch = drawing.skeleton.joints[at.joint.slot()];
  const Vec2 to = drawing.camera.page(sketch.point);
  const Vec2 from = drawing.camera.page(sketch.guide);
  const double s = drawing.scale;
  if ((to - from).norm() > 30 * s) return draw_zigzag(page, from, to, s);
  const Vec2 along = drawing.camera.direction(axis_of(drawing, at));
  const Vec2 beside = to - 20 * s * drawing.ground;
  draw_zigzag(page, beside - 24 * s * along, beside + 24 * s * along, s);
}

void draw_straight_arrow(Page& page, const Vec2& from, const Vec2& to, double scale) {
  const Vec2 along = to - from;
  if (along.norm() < 6 * scale) {  // it points at the viewer, or away
    page.circle(to, 5 * scale, {kPaper, kAccent, 1.8 * scale});
    page.circle(to, 1.6 * scale, {kAccent});
    return;
  }
  page.line(from, to - 6 * scale * along.normalized(), {"none", kAccent, 2.4 * scale});
  draw_arrow_head(page, to, along.normalized(), 10 * scale, kAccent);
}

void draw_round_arrow(Page& page, const Camera& camera, const Vec2& center, const Vec3& axis,
                      double scale) {
  const Arc arc = {center, leant(camera, axis), 20 * scale, -0.05 * kTurn, 0.6 * kTurn};
  std::vector<Vec2> points = arc_points(camera, arc);
  const Vec2 tip = arc_points(camera, {arc.center, arc.axis, arc.radius, arc.to, arc.to + 0.4})[4];
  page.path(points, false, {"none", kAccent, 2.4 * scale});
  draw_arrow_head(page, tip, (tip - points.back()).normalized(), 10 * scale, kAccent);
}

void draw_drive(Page& page, const LoadsDrawing& drawing, const Freedom& at) {
  const JointSketch& sketch = drawing.skeleton.joints[at.joint.slot()];
  const Vec2 center = drawing.camera.page(sketch.point);
  const Vec3 axis = axis_of(drawing, at);
  const double s = drawing.scale;
  if (turns(drawing.model, at)) return draw_round_arrow(page, drawing.camera, center, axis, s);
  const Vec2 along = drawing.camera.direction(axis);
  const Vec2 beside = center - 22 * s * drawing.ground;
  draw_straight_arrow(page, beside - 20 * s * along, beside + 24 * s * along, s);
}

// Where loads on ground that have no point are drawn: at the first joint that stands on it.
Vec3 place_on_ground(const LoadsDrawing& drawing) {
  for (const JointSketch& sketch : drawing.skeleton.joints) {
    const Joint& joint = drawing.model.joint(sketch.joint);
    if (joint.a == kGround || joint.b == kGround) return sketch.guide;
  }
  return Vec3::Zero();
}

// Does the world's axis k point at the viewer, or lie under a longer one on the page?
bool is_covered(const Camera& camera, Eigen::Index k) {
  constexpr double kShortest = 0.3;
  constexpr double kSameWay = 0.97;
  const Vec2 along = camera.direction(Vec3::Unit(k));
  if (along.norm() < kShortest) return true;
  for (Eigen::Index j = 0; j < 3; ++j) {
    const Vec2 other = camera.direction(Vec3::Unit(j));
    const bool longer = other.norm() > along.norm() + (j < k ? -1e-6 : 1e-6);
    if (j != k && longer && other.dot(along) > kSameWay * other.norm() * along.norm()) return true;
  }
  return false;
}

// Calls draw(load) inside a group for each of them.
template <class Loads, class Draw>
void draw_each(Page& page, const Loads& loads, const char* css_class, const Draw& draw) {
  for (const auto& load : loads) {
    page.open(css_class, load.name);
    draw(load);
    page.close();
  }
}

}  // namespace

void draw_springs(Page& page, const LoadsDrawing& drawing) {
  const auto& poses = drawing.configuration.poses;
  draw_each(page, drawing.model.point_springs(), "spring", [&](const PointSpring& spring) {
    const Vec2 a = drawing.camera.page(poses[spring.a.slot()] * spring.point_a);
    const Vec2 b = drawing.camera.page(poses[spring.b.slot()] * spring.point_b);
    const bool elastic = spring.stiffness != 0;
    (elastic ? draw_zigzag : draw_dashpot)(page, a, b, drawing.scale);
    for (const auto& [body, end] : {std::pair(spring.a, a), std::pair(spring.b, b)}) {
      page.circle(end, 2.6 * drawing.scale, {kSteel});
      if (body != kGround || drawing.scale < 0.3) continue;
      const Vec2 inside = (end == a ? Vec2(a - b) : Vec2(b - a)).normalized();
      const Vec2 half = 14 * drawing.scale * aside(inside);
      draw_hatched_line(page, end - half, end + half, inside, 9 * drawing.scale);
    }
  });
  draw_each(page, drawing.model.joint_springs(), "spring", [&](const JointSpring& spring) {
    const JointSketch& sketch = drawing.skeleton.joints[spring.at.joint.slot()];
    if (turns(drawing.model, spring.at))
      draw_spiral(page, drawing.camera, drawing.camera.page(sketch.point),
                  axis_of(drawing, spring.at), drawing.scale);
    else
      draw_slide_spring(page, drawing, spring.at);
  });
}

void draw_drives(Page& page, const LoadsDrawing& drawing) {
  const Model& model = drawing.model;
  const auto draw = [&](const auto& drive) { draw_drive(page, drawing, drive.at); };
  draw_each(page, model.motions(), "drive motion", draw);
  draw_each(page, model.motors(), "drive motor", draw);
  draw_each(page, model.joint_torques(), "drive torque", draw);
  const auto world = [&](const auto& load) -> Vec3 {
    const bool turned = load.frame == LoadFrame::kBody;
    const Vec3 d =
        turned ? drawing.configuration.poses[load.body.slot()].q * load.direction : load.direction;
    return d.normalized();
  };
  draw_each(page, model.applied_forces(), "load force", [&](const AppliedForce& force) {
    const Vec2 tip =
        drawing.camera.page(drawing.configuration.poses[force.body.slot()] * force.point);
    const Vec2 along = 40 * drawing.scale * drawing.camera.direction(world(force));
    draw_straight_arrow(page, tip - along, tip, drawing.scale);
  });
  const Vec3 on_ground = place_on_ground(drawing);
  draw_each(page, model.applied_torques(), "load torque", [&](const AppliedTorque& torque) {
    const Vec3& center =
        torque.body == kGround ? on_ground : drawing.skeleton.bodies[torque.body.slot() - 1].center;
    draw_round_arrow(page, drawing.camera, drawing.camera.page(center), world(torque),
                     drawing.scale);
  });
}

void draw_gravity(Page& page, const GravityDrawing& drawing) {
  if (!(drawing.gravity.norm() > 0)) return;
  const Vec3 down = drawing.gravity.normalized();
  const Vec2 along = drawing.camera.direction(down);
  const Vec2& at = drawing.at;
  const double s = drawing.scale;
  const bool in_page = along.norm() > 0.2;
  const std::string ink = mixed(kInk, kPaper, 0.3);
  page.open("gravity", "gravity");
  if (in_page) {
    const Vec2 half = 16 * s * along;
    page.line(at - half, at + half - 6 * s * along.normalized(), {"none", ink, 1.8 * s});
    draw_arrow_head(page, at + half, along.normalized(), 8 * s, ink);
  } else {
    page.circle(at, 6 * s, {"none", ink, 1.8 * s});
    if (down.dot(drawing.camera.toward) > 0)
      page.circle(at, 1.8 * s, {ink});
    else
      for (const double side : {1.0, -1.0})
        page.line(at - 4.2 * s * Vec2(1, side), at + 4.2 * s * Vec2(1, side),
                  {"none", ink, 1.8 * s});
  }
  const double beside = in_page ? 10 + 10 * std::abs(along.x()) : 15;
  page.text(at + s * Vec2(beside, 4), "g", {14 * s, ink, "middle", true});
  page.close();
}

void draw_axes(Page& page, const Camera& camera, const Vec2& at, double scale) {
  const std::string ink = mixed(kInk, kPaper, 0.3);
  const std::array<std::string, 3> letters = {"x", "y", "z"};
  page.open("axes", "axes of the world");
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec2 along = camera.direction(Vec3::Unit(static_cast<Eigen::Index>(k)));
    if (is_covered(camera, static_cast<Eigen::Index>(k))) continue;
    const Vec2 tip = at + 24 * scale * along;
    const Vec2 unit = along.normalized();
    page.line(at, tip - 4 * scale * unit, {"none", ink, 1.4 * scale});
    draw_arrow_head(page, tip, unit, 6 * scale, ink);
    page.text(tip + scale * (9 * unit + Vec2(0, 4)), letters[k], {12 * scale, ink, "middle", true});
  }
  page.close();
}

}  // namespace sarrus::picture
