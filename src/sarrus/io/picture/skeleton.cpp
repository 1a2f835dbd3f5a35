#include "sarrus/io/picture/skeleton.h"

#include <algorithm>
#include <map>

namespace sarrus::picture {
namespace {

/// Points this close together, in parts of the mechanism's size, are one.
constexpr double kSame = 1e-6;

/// A mass centre farther from a bar than this part of its length is worth drawing.
constexpr double kApart = 0.04;

// How far a shape reaches from `from` in a direction, in the body's frame.
double reach(const Shape& shape, const Vec3& from, const Vec3& direction) {
  const Vec3 d = shape.X_BS.q.conjugate() * direction;
  double half = 0;
  switch (shape.kind) {
    case Shape::Kind::kBox:
      half = 0.5 * shape.size.dot(d.cwiseAbs());
      break;
    case Shape::Kind::kSphere:
      half = shape.size[0];
      break;
    case Shape::Kind::kCylinder:
    case Shape::Kind::kCapsule:
      half = 0.5 * shape.size[1] * std::abs(d.z()) + shape.size[0] * d.head<2>().norm();
      break;
    case Shape::Kind::kMesh:
      break;
  }
  return (shape.X_BS.p - from).dot(direction) + half;
}

// The end of a body that one joint holds: as far as its shapes reach, else as far beyond the mass
// centre as the joint is before it, as in a uniform rod. A point mass ends where it is.
void add_far_end(const Body& body, const Transform& X_WB, double same, BodySketch& sketch) {
  const Vec3 from = X_WB.inverse() * sketch.points.front();
  const Vec3 to_center = body.inertia.center - from;
  if (to_center.norm() > same) {
    double length = (sketch.point_mass ? 1 : 2) * to_center.norm();
    const Vec3 direction = to_center.normalized();
    for (const Shape& shape : body.shapes) length = std::max(length, reach(shape, from, direction));
    sketch.points.push_back(X_WB * Vec3(from + length * direction));
    return;
  }
  // Held at its mass centre: as far as its shapes go, to both sides.
  double longest = 0;
  Vec3 end = Vec3::Zero();
  for (const Shape& shape : body.shapes)
    for (int k = 0; k < 3; ++k) {
      const Vec3 direction = shape.X_BS.q * Vec3::Unit(k);
      const double length = reach(shape, from, direction);
      if (length > longest + same)
        std::tie(longest, end) = std::pair(length, Vec3(length * direction));
    }
  if (longest > same) {
    sketch.points.push_back(X_WB * Vec3(from + end));
    sketch.points.push_back(X_WB * Vec3(from - end));
  }
}

// Points that are one are neighbours along any direction; along this one, others hardly ever are.
void drop_repeated_points(std::vector<Vec3>& points, double same) {
  const Vec3 direction = Vec3(0.4637, 0.6211, 0.6318).normalized();
  const double reach = 1.001 * same;
  std::vector<Vec3> distinct;
  std::multimap<double, std::size_t> along;
  for (const Vec3& point : points) {
    const double place = (point - points.front()).dot(direction);
    const auto known = [&](const auto& other) {
      return (point - distinct[other.second]).norm() <= same;
    };
    if (std::any_of(along.lower_bound(place - reach), along.upper_bound(place + reach), known))
      continue;
    along.emplace(place, distinct.size());
    distinct.push_back(point);
  }
  points = std::move(distinct);
}

bool off_the_bar(const BodySketch& sketch) {
  if (sketch.points.size() != 2) return false;
  const Vec3 along = sketch.points[1] - sketch.points[0];
  const Vec3 beside = (sketch.center - sketch.points[0]).cross(along) / along.norm();
  return beside.norm() > kApart * along.norm();
}

double extent(const Model& model, const Skeleton& skeleton, const Configuration& configuration) {
  Eigen::AlignedBox3d box;
  for (const JointSketch& joint : skeleton.joints) box.extend(joint.point);
  for (const BodySketch& body : skeleton.bodies) box.extend(body.center);
  for (const PointSpring& spring : model.point_springs()) {
    box.extend(configuration.poses[spring.a.slot()] * spring.point_a);
    box.extend(configuration.poses[spring.b.slot()] * spring.point_b);
  }
  const double size = box.isEmpty() ? 0 : box.sizes().maxCoeff();
  return size > 0 ? size : 1;
}

}  // namespace

Skeleton make_skeleton(const Model& model, const Configuration& configuration) {
  const auto& poses = configuration.poses;
  Skeleton skeleton;
  std::vector<std::vector<Vec3>> points(model.bodies().size());
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    const Transform X_WF = carrier_of(joint.a, joint.attachment_a, configuration).X * joint.X_CF();
    const Transform X_WM = carrier_of(joint.b, joint.attachment_b, configuration).X * joint.X_CM();
    const bool is_free = joint.type() == JointType::kFree;
    skeleton.joints.push_back({.joint = JointId{static_cast<int>(j)},
                               .point = joint.b == kGround ? X_WF.p : X_WM.p,
                               .guide = joint.b == kGround ? X_WM.p : X_WF.p,
                               .x = X_WF.q * Vec3::UnitX(),
                               .y = X_WM.q * Vec3::UnitY(),
                               .z = X_WM.q * Vec3::UnitZ()});
    if (!is_free) points[joint.a.slot()].push_back(X_WF.p);
    if (!is_free) points[joint.b.slot()].push_back(X_WM.p);
  }
  for (const PointSpring& spring : model.point_springs()) {
    points[spring.a.slot()].push_back(poses[spring.a.slot()] * spring.point_a);
    points[spring.b.slot()].push_back(poses[spring.b.slot()] * spring.point_b);
  }
  for (std::size_t i = 1; i < model.bodies().size(); ++i) {
    const Body& body = model.bodies()[i];
    const Inertia& inertia = body.inertia;
    if (body.modal != nullptr && !body.modal->nodes().empty()) {
      const int last = static_cast<int>(body.modal->nodes().size()) - 1;
      for (const int node : {0, last})
        points[i].push_back(poses[i] *
                            node_pose({body.modal, node, body.first_mode, {}}, configuration).p);
    }
    skeleton.bodies.push_back({.body = BodyId{static_cast<int>(i)},
                               .points = std::move(points[i]),
                               .center = poses[i] * inertia.center,
                               .point_mass = inertia.mass > 0 && inertia.central.isZero()});
  }
  skeleton.size = extent(model, skeleton, configuration);
  const double same = kSame * skeleton.size;
  for (BodySketch& sketch : skeleton.bodies) {
    const Body& body = model.body(sketch.body);
    drop_repeated_points(sketch.points, same);
    if (sketch.points.empty()) sketch.points.push_back(sketch.center);
    if (sketch.points.size() == 1) add_far_end(body, poses[sketch.body.slot()], same, sketch);
    sketch.center_apart = off_the_bar(sketch);
  }
  return skeleton;
}

}  // namespace sarrus::picture
