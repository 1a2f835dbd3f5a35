#include <fmt/format.h>

#include "sarrus/io/placement.h"
#include "sarrus/io/read_elements.h"

namespace sarrus::io {
namespace {

const std::vector<std::string>& body_keys() {
  static const std::vector<std::string> keys = {
      "name",     "mass",        "inertia",     "center_of_mass",
      "position", "orientation", "relative_to", "from",
      "to",       "solid",       "velocity",    "angular_velocity",
      "shapes",   "flexible",    "deformation", "deformation_rate",
      "repeat",   "when"};
  return keys;
}

// One number: the same about every axis. Three: the diagonal. Six: and Ixy, Ixz, Iyz.
Mat3 read_inertia(ReadContext& context, const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kScalar)
    return context.number(node, "inertia").value_or(0) * Mat3::Identity();
  const auto I = context.numbers(node, "inertia");
  if (!I) return Mat3::Zero();
  if (I->size() != 3 && I->size() != 6) {
    context.fail(
        node, fmt::format("inertia has {} entries; it needs three or six", I->size()),
        "give [Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz], or one number for all axes");
    return Mat3::Zero();
  }
  const double xx = (*I)[0], yy = (*I)[1], zz = (*I)[2];
  Mat3 tensor = Vec3(xx, yy, zz).asDiagonal();
  if (I->size() == 6) {
    const double xy = (*I)[3], xz = (*I)[4], yz = (*I)[5];
    tensor << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  }
  return tensor;
}

// The frame between two points; `length` tells their distance.
Transform read_span(const Fields& fields, std::optional<double>& length) {
  constexpr const char* kBoth = "a body is placed by 'from' and 'to' together, or by 'position'";
  fields.exclude("from", "position");
  fields.exclude("from", "orientation");
  if (fields.require("from", kBoth) == nullptr || fields.require("to", kBoth) == nullptr) return {};
  ReadContext& context = fields.context();
  const auto from = context.vector(*fields.find("from"), "from");
  const auto to = context.vector(*fields.find("to"), "to");
  length = 0;  // where a point is broken, that has been told
  if (!from || !to) return {};
  length = (*to - *from).norm();
  if (*length > 0) return frame_between(*from, *to);
  context.fail(*fields.find("to"), "'from' and 'to' are the same point",
               "the body's x axis points from one to the other; give two points, or 'position'");
  return {};
}

}  // namespace

Mat3 read_inertia_tensor(ReadContext& context, const YamlNode& node) {
  return read_inertia(context, node);
}

BodyDescription read_body(ReadContext& context, const YamlNode& node) {
  const Fields fields(context, node);
  BodyDescription body;
  body.name = fields.element_name();
  fields.check_keys(body_keys(), "a body");
  if (body.name == "ground")
    context.fail(*fields.find("name"), "'ground' is the fixed world and cannot be described",
                 "remove this body; joints may name ground without it");
  body.mass = fields.number("mass", 0);
  body.center_of_mass = fields.vector("center_of_mass");
  body.relative_to = fields.text("relative_to");
  body.velocity = fields.vector("velocity");
  body.angular_velocity = fields.vector("angular_velocity");

  std::optional<double> length;
  const bool by_span = fields.has("from") || fields.has("to");
  body.pose = by_span ? read_span(fields, length) : read_pose(fields);

  fields.exclude("inertia", "solid");
  if (const YamlNode* inertia = fields.find("inertia"))
    body.inertia = read_inertia(context, *inertia);
  else if (const YamlNode* solid = fields.find("solid"))
    body.inertia = read_solid(context, *solid, body.mass, length);

  if (const YamlNode* shapes = fields.find("shapes");
      shapes != nullptr && context.require(*shapes, YamlNode::Kind::kList, "shapes",
                                           "write shapes: [{type: box, size: [..]}, …]"))
    for (const YamlNode* shape : shapes->items) body.shapes.push_back(read_shape(context, *shape));
  read_flexible(fields, length, body);
  body.source = context.source(node);
  return body;
}

}  // namespace sarrus::io
