#include "sarrus/io/write_elements.h"

#include <fmt/format.h>

#include <array>
#include <variant>

namespace sarrus::io {
namespace {

std::string orientation(const Quat& q) {
  return fmt::format("{{quaternion: [{}, {}, {}, {}]}}", q.w(), q.x(), q.y(), q.z());
}

void write_pose(YamlWriter& out, const Transform& pose) {
  out.vector("position", pose.p, Vec3::Zero());
  if (!is_identity(pose.q)) out.raw("orientation", orientation(pose.q));
}

void write_inertia(YamlWriter& out, const Mat3& I) {
  const Vec3 products(I(0, 1), I(0, 2), I(1, 2));
  const Vec3 moments = I.diagonal();
  if (!same_bits(products, Vec3::Zero()))
    out.numbers("inertia", std::array{moments.x(), moments.y(), moments.z(), products.x(),
                                      products.y(), products.z()});
  else
    out.vector("inertia", moments, Vec3::Zero());
}

std::string shape_text(const Shape& shape) {
  std::string text;
  switch (shape.kind) {
    case Shape::Kind::kBox:
      text = fmt::format("{{type: box, size: {}", yaml_vector(shape.size));
      break;
    case Shape::Kind::kSphere:
      text = fmt::format("{{type: sphere, radius: {}", shape.size.x());
      break;
    case Shape::Kind::kCylinder:
    case Shape::Kind::kCapsule:
      text = fmt::format("{{type: {}, radius: {}, length: {}",
                         shape.kind == Shape::Kind::kCylinder ? "cylinder" : "capsule",
                         shape.size.x(), shape.size.y());
      break;
    case Shape::Kind::kMesh:
      text = fmt::format("{{type: mesh, file: {}", yaml_text(shape.mesh));
      break;
  }
  if (!same_bits(shape.X_BS.p, Vec3::Zero()))
    text += fmt::format(", position: {}", yaml_vector(shape.X_BS.p));
  if (!is_identity(shape.X_BS.q))
    text += fmt::format(", orientation: {}", orientation(shape.X_BS.q));
  if (!shape.color.empty()) text += fmt::format(", color: {}", yaml_text(shape.color));
  return text + "}";
}

}  // namespace

void write_body(YamlWriter& out, const BodyDescription& body) {
  out.element(body.name);
  out.number("mass", body.mass, 0);
  write_inertia(out, body.inertia);
  out.vector("center_of_mass", body.center_of_mass, Vec3::Zero());
  out.text("relative_to", body.relative_to, "");
  write_pose(out, body.pose);
  out.vector("velocity", body.velocity, Vec3::Zero());
  out.vector("angular_velocity", body.angular_velocity, Vec3::Zero());
  write_flexible(out, body.flexible.get());
  if (body.shapes.empty()) return;
  std::string shapes;
  for (const Shape& shape : body.shapes)
    shapes += (shapes.empty() ? "[" : ",\n             ") + shape_text(shape);
  out.raw("shapes", shapes + "]");
}

namespace {

std::string nodes_text(const std::string& a, const std::string& b) {
  const auto one = [](const std::string& node) { return node.empty() ? "~" : yaml_text(node); };
  return fmt::format("[{}, {}]", one(a), one(b));
}

std::string frame_text(const Transform& frame) {
  return fmt::format("{{at: {}, orientation: {}}}", yaml_vector(frame.p), orientation(frame.q));
}

}  // namespace

void write_joint(YamlWriter& out, const JointDescription& joint) {
  static constexpr std::array<std::string_view, 3> kCuts = {"auto", "prefer", "forbid"};
  out.element(joint.name);
  out.text("type", name_of(joint.type));
  out.raw("bodies", fmt::format("[{}, {}]", yaml_text(joint.body_a), yaml_text(joint.body_b)));
  if (!joint.node_a.empty() || !joint.node_b.empty())
    out.raw("nodes", nodes_text(joint.node_a, joint.node_b));
  if (joint.frame_a && joint.frame_b) {
    out.raw("frames",
            fmt::format("[{}, {}]", frame_text(*joint.frame_a), frame_text(*joint.frame_b)));
  } else {
    out.vector("at", joint.at.p);
    out.raw("orientation", orientation(joint.at.q));
  }
  if (joint.type == JointType::kHelical) out.number("lead", joint.lead);
  if (!joint.reference.empty()) out.raw("reference", yaml_coordinates(joint.reference));
  if (!joint.start.empty()) out.raw("start", yaml_coordinates(joint.start));
  if (!joint.speed.empty()) out.raw("speed", yaml_coordinates(joint.speed));
  out.text("cut", kCuts[static_cast<std::size_t>(joint.cut)], "auto");
}

namespace {

/// One overload for each kind of force and drive.
struct ForceWriter {
  YamlWriter& out;

  void operator()(const PointSpringDescription& f) const {
    out.text("type", "spring");
    out.raw("bodies", fmt::format("[{}, {}]", yaml_text(f.body_a), yaml_text(f.body_b)));
    if (!f.node_a.empty() || !f.node_b.empty()) out.raw("nodes", nodes_text(f.node_a, f.node_b));
    out.raw("points", fmt::format("[{}, {}]", f.at_node_a ? "~" : yaml_vector(f.point_a),
                                  f.at_node_b ? "~" : yaml_vector(f.point_b)));
    out.number("stiffness", f.stiffness);
    out.number("damping", f.damping, 0);
    if (f.rest_length) out.number("rest_length", *f.rest_length);
  }
  void operator()(const JointSpringDescription& f) const {
    write_joint_key("joint_spring", f.joint, f.coordinate);
    out.number("stiffness", f.stiffness);
    out.number("rest", f.rest, 0);
  }
  void operator()(const JointFrictionDescription& f) const {
    write_joint_key("friction", f.joint, f.coordinate);
    out.number("viscous", f.viscous);
    out.number("coulomb", f.coulomb, 0);
    out.number("transition_speed", f.transition_speed);
  }
  void operator()(const AppliedForceDescription& f) const {
    out.text("type", "force");
    out.text("body", f.body);
    out.text("node", f.node, "");
    if (!f.at_node) out.vector("point", f.point);
    write_load(f.direction, f.frame, f.value);
  }
  void operator()(const AppliedTorqueDescription& f) const {
    out.text("type", "torque");
    out.text("body", f.body);
    out.text("node", f.node, "");
    write_load(f.direction, f.frame, f.value);
  }
  void operator()(const JointTorqueDescription& f) const {
    write_joint_key("torque", f.joint, f.coordinate);
    out.raw("value", yaml_function(f.value));
  }
  void operator()(const MotorDescription& f) const {
    write_joint_key("motor", f.joint, f.coordinate);
    out.raw("target", yaml_function(f.target));
    out.number("stiffness", f.stiffness);
    out.number("damping", f.damping, 0);
  }
  void operator()(const MotionDescription& f) const {
    write_joint_key("motion", f.joint, f.coordinate);
    out.raw("value", yaml_function(f.value));
  }

 private:
  void write_joint_key(const char* type, const std::string& joint,
                       const std::string& coordinate) const {
    out.text("type", type);
    out.text("joint", joint);
    out.text("coordinate", coordinate, "");
  }
  void write_load(const Vec3& direction, LoadFrame frame, const TimeFunction& value) const {
    out.vector("direction", direction);
    out.text("frame", frame == LoadFrame::kWorld ? "world" : "body", "world");
    out.raw("value", yaml_function(value));
  }
};

}  // namespace

void write_force(YamlWriter& out, const ForceDescription& force) {
  out.element(force.name);
  std::visit(ForceWriter{out}, force.what);
}

void write_subsystem(YamlWriter& out, const SubsystemDescription& subsystem) {
  out.element(subsystem.name);
  std::string bodies;
  for (const std::string& body : subsystem.bodies)
    bodies += (bodies.empty() ? "[" : ", ") + yaml_text(body);
  out.raw("bodies", bodies + "]");
  out.text("kind", subsystem.kind, "bodies");
  out.number("steps", subsystem.steps, 1);
}

bool is_drive(const ForceDescription& force) {
  return std::holds_alternative<JointTorqueDescription>(force.what) ||
         std::holds_alternative<MotorDescription>(force.what) ||
         std::holds_alternative<MotionDescription>(force.what);
}

}  // namespace sarrus::io
