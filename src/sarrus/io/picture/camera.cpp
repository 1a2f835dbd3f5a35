#include "sarrus/io/picture/camera.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "sarrus/spatial/dense.h"

namespace sarrus::picture {
namespace {

/// Directions and places that agree to this much, agree.
constexpr double kAligned = 1e-6;

bool parallel(const Vec3& a, const Vec3& b) { return a.cross(b).norm() < kAligned; }
bool perpendicular(const Vec3& a, const Vec3& b) { return std::abs(a.dot(b)) < kAligned; }

// The world's axis that gravity points away from; z without gravity.
Vec3 upward(const Model& model) {
  const Vec3& g = model.gravity();
  Eigen::Index k = 0;
  if (!(g.cwiseAbs().maxCoeff(&k) > 0)) return Vec3::UnitZ();
  return g[k] < 0 ? Vec3::Unit(k) : Vec3(-Vec3::Unit(k));
}

Camera looking_from(const Vec3& toward, const Vec3& upward) {
  Camera camera;
  camera.toward = toward.normalized();
  Vec3 up = upward;
  if (parallel(up, camera.toward))
    up = parallel(Vec3::UnitY(), up) ? Vec3(Vec3::UnitZ()) : Vec3(Vec3::UnitY());
  camera.right = up.cross(camera.toward).normalized();
  camera.up = camera.toward.cross(camera.right);
  return camera;
}

// Along a normal, from the side on which the world's axes run to the right.
Camera looking_along(const Vec3& normal, const Vec3& upward) {
  const Camera camera = looking_from(normal, upward);
  Eigen::Index k = 0;
  (camera.right.cwiseAbs() - Vec3(0, 1, 2) * kAligned).maxCoeff(&k);
  return camera.right[k] < 0 ? looking_from(-normal, upward) : camera;
}

// Does the joint keep all motion parallel to a plane with this normal?
bool stays_in_plane(JointType type, const Vec3& axis, const Vec3& normal) {
  switch (type) {
    case JointType::kRevolute:
    case JointType::kPlanar:
      return parallel(axis, normal);
    case JointType::kPrismatic:
      return perpendicular(axis, normal);
    case JointType::kFixed:
      return true;
    default:
      return false;
  }
}

// The normal of the plane that the mechanism moves in.
std::optional<Vec3> plane_of_motion(const Model& model, const Skeleton& skeleton) {
  const auto turning = std::ranges::find_if(skeleton.joints, [&](const JointSketch& sketch) {
    const JointType type = model.joint(sketch.joint).type();
    return type == JointType::kRevolute || type == JointType::kPlanar;
  });
  if (turning == skeleton.joints.end()) return {};
  const bool all = std::ranges::all_of(skeleton.joints, [&](const JointSketch& sketch) {
    return stays_in_plane(model.joint(sketch.joint).type(), sketch.z, turning->z);
  });
  return all ? std::optional(turning->z) : std::nullopt;
}

std::vector<Vec3> all_points(const Skeleton& skeleton) {
  std::vector<Vec3> points;
  for (const BodySketch& body : skeleton.bodies) {
    points.insert(points.end(), body.points.begin(), body.points.end());
    points.push_back(body.center);
  }
  for (const JointSketch& joint : skeleton.joints) points.push_back(joint.point);
  return points;
}

// The normal of a plane in which everything lies for the moment and on which every joint's axis
// stands upright or lies flat, so that nothing is hidden when it is seen from there.
std::optional<Vec3> plane_at_rest(const Model& model, const Skeleton& skeleton) {
  const std::vector<Vec3> points = all_points(skeleton);
  if (points.empty()) return {};
  Mat3 spread = Mat3::Zero();
  for (const Vec3& point : points)
    spread += (point - points.front()) * (point - points.front()).transpose();
  const Vec3 thinnest = principal_axes(spread).vectors.col(0);
  for (const Vec3& normal :
       {Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ()), Vec3(Vec3::UnitX()), thinnest}) {
    const auto flat = [&](const Vec3& point) {
      return std::abs((point - points.front()).dot(normal)) < kAligned * skeleton.size;
    };
    const auto plain = [&](const JointSketch& joint) {
      const JointType type = model.joint(joint.joint).type();
      return (type == JointType::kSpherical || type == JointType::kFixed ||
              type == JointType::kFree || parallel(joint.z, normal) ||
              perpendicular(joint.z, normal));
    };
    if (std::ranges::all_of(points, flat) && std::ranges::all_of(skeleton.joints, plain))
      return normal;
  }
  return {};
}

double distance(const Vec2& point, const Vec2& from, const Vec2& to) {
  const Vec2 along = to - from;
  const double length = along.squaredNorm();
  const double part = length > 0 ? std::clamp((point - from).dot(along) / length, 0.0, 1.0) : 0.0;
  return (from + part * along - point).norm();
}

// How clearly the mechanism is seen: by the bar that is foreshortened most, and by the joint that
// comes nearest to a bar of another body. Some bodies stand for all where there are many.
double clarity(const Camera& camera, std::span<const BodySketch> bodies) {
  constexpr std::size_t kEnough = 40;
  const auto some = bodies.first(std::min(bodies.size(), kEnough));
  double bars = 1;
  double gaps = 1;
  for (const BodySketch& body : some) {
    const double length = (body.points.back() - body.points.front()).norm();
    if (length <= 0) continue;
    const Vec2 a = camera.direction(body.points.front());
    const Vec2 b = camera.direction(body.points.back());
    bars = std::min(bars, (b - a).norm() / length);
    for (const BodySketch& other : some)
      for (const Vec3& point : other.points)
        if (std::ranges::none_of(body.points, [&](const Vec3& own) {
              return (own - point).norm() < kAligned * length;
            }))
          gaps = std::min(gaps, distance(camera.direction(point), a, b) / length);
  }
  return std::min(bars, 0.6) + 2 * std::min(gaps, 0.3);
}

Camera axonometric(const Skeleton& skeleton, const Vec3& upward) {
  constexpr std::array<double, 8> kAzimuths = {30, 40, 60, 50, 20, -30, -60, -45};
  constexpr std::array<double, 3> kElevations = {25, 35, 15};
  constexpr double kBetter = 0.02;  // so that rounding never decides
  constexpr double kDegree = std::numbers::pi / 180;
  // The other two axes; seen from −y where z points up, from +z where y does.
  const Vec3 side = parallel(upward, Vec3::UnitX()) ? Vec3(Vec3::UnitY()) : Vec3(Vec3::UnitX());
  const Vec3 front = side.cross(upward);
  Camera best;
  double highest = -std::numeric_limits<double>::infinity();
  for (const double elevation : kElevations)
    for (const double azimuth : kAzimuths) {
      const Vec3 level = std::cos(azimuth * kDegree) * front + std::sin(azimuth * kDegree) * side;
      const Camera camera = looking_from(
          std::cos(elevation * kDegree) * level + std::sin(elevation * kDegree) * upward, upward);
      const double value = clarity(camera, skeleton.bodies);
      if (value > highest + kBetter) {
        highest = value;
        best = camera;
      }
    }
  return best;
}

}  // namespace

Camera choose_camera(const Model& model, const Skeleton& skeleton, const PictureOptions& options) {
  const Vec3 up = upward(model);
  if (options.view) {
    Camera camera = looking_from(*options.view, up);
    const std::optional<Vec3> normal = plane_of_motion(model, skeleton);
    camera.flat = normal && parallel(*normal, camera.toward);
    return camera;
  }
  if (!options.axonometric) {
    std::optional<Vec3> normal = plane_of_motion(model, skeleton);
    if (!normal) normal = plane_at_rest(model, skeleton);
    if (normal) {
      Camera camera = looking_along(*normal, up);
      camera.flat = true;
      return camera;
    }
  }
  return axonometric(skeleton, up);
}

}  // namespace sarrus::picture
