#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sarrus/io/placement.h"
#include "sarrus/io/read_elements.h"

namespace sarrus::io {
namespace {

// Words in the order of Shape::Kind, and the keys each adds to the common ones.
const std::vector<std::string>& shape_types() {
  static const std::vector<std::string> types = {"box", "sphere", "cylinder", "capsule", "mesh"};
  return types;
}

const std::vector<std::string>& shape_keys(Shape::Kind kind) {
  static const std::vector<std::vector<std::string>> keys = [] {
    std::vector<std::vector<std::string>> own = {
        {"size"}, {"radius"}, {"radius", "length"}, {"radius", "length"}, {"file"}};
    for (auto& list : own) list.insert(list.end(), {"type", "position", "orientation", "color"});
    return own;
  }();
  return keys[static_cast<std::size_t>(kind)];
}

double required_size(const Fields& fields, std::string_view key) {
  if (!fields.has(key)) fields.require(key, fmt::format("add '{}: …' in metres", key));
  return fields.positive_number(key, 0);
}

/// Of a rod: 0, and that is the default, for a thin one.
double radius_of_rod(const Fields& fields) {
  const double radius = fields.number("radius", 0);
  if (radius < 0)
    fields.context().fail(*fields.find("radius"),
                          fmt::format("radius is {}; it must not be negative", radius),
                          "leave it out, or give 0, for a thin rod");
  return radius;
}

Vec3 required_box(const Fields& fields) {
  const Vec3 size = fields.required_vector("size");
  if (const YamlNode* node = fields.find("size"); node != nullptr && size.minCoeff() < 0)
    fields.context().fail(*node, "an edge of the box is negative",
                          "give the three edges in metres: [x, y, z]");
  return size;
}

std::string read_color(const Fields& fields) {
  const auto color = fields.optional_text("color");
  if (!color) return {};
  const bool hexadecimal = color->size() == 7 && (*color)[0] == '#' &&
                           std::all_of(color->begin() + 1, color->end(), [](char c) {
                             return std::isxdigit(static_cast<unsigned char>(c)) != 0;
                           });
  if (!hexadecimal)
    fields.context().fail(*fields.find("color"), fmt::format("'{}' is not a colour", *color),
                          "write red, green and blue as color: \"#rrggbb\", in quotes");
  return *color;
}

// Moments of a uniform cylinder: m r²/2 about its own axis, m (3r² + l²)/12 across it.
Mat3 cylinder_inertia(double mass, double radius, double length, int axis) {
  const double across = mass * (3 * radius * radius + length * length) / 12;
  Vec3 moments = Vec3::Constant(across);
  moments[axis] = mass * radius * radius / 2;
  return moments.asDiagonal();
}

}  // namespace

Shape read_shape(ReadContext& context, const YamlNode& node) {
  Shape shape;
  if (!context.require(node, YamlNode::Kind::kMap, "shape", "write {type: box, size: [x, y, z]}"))
    return shape;
  const Fields fields(context, node);
  const auto type = fields.required_word("type", shape_types());
  if (!type) return shape;
  shape.kind = static_cast<Shape::Kind>(*type);
  fields.check_keys(shape_keys(shape.kind),
                    fmt::format("a shape of type {}", shape_types()[*type]));
  if (shape.kind == Shape::Kind::kBox)
    shape.size = required_box(fields);
  else if (shape.kind == Shape::Kind::kMesh)
    shape.mesh = fields.required_text("file", "add 'file: …', the mesh to show");
  else
    shape.size.x() = required_size(fields, "radius");
  if (shape.kind == Shape::Kind::kCylinder || shape.kind == Shape::Kind::kCapsule)
    shape.size.y() = required_size(fields, "length");
  shape.X_BS = read_pose(fields);
  shape.color = read_color(fields);
  return shape;
}

Mat3 read_solid(ReadContext& context, const YamlNode& node, double mass,
                std::optional<double> length) {
  static const std::vector<std::string> kTypes = {"box", "rod", "cylinder", "sphere"};
  static const std::vector<std::vector<std::string>> kKeys = {{"type", "size"},
                                                              {"type", "length", "radius"},
                                                              {"type", "radius", "length"},
                                                              {"type", "radius"}};
  if (!context.require(node, YamlNode::Kind::kMap, "solid", "write {type: box, size: [x, y, z]}"))
    return Mat3::Zero();
  const Fields fields(context, node);
  const auto type = fields.required_word("type", kTypes);
  if (!type) return Mat3::Zero();
  fields.check_keys(kKeys[*type], fmt::format("a solid of type {}", kTypes[*type]));

  constexpr int kX = 0, kZ = 2;
  if (kTypes[*type] == "box") {
    const Vec3 square = required_box(fields).cwiseAbs2();
    return (mass / 12 * (Vec3::Constant(square.sum()) - square)).asDiagonal();
  }
  if (kTypes[*type] == "rod") {
    if (!length) fields.require("length", "add 'length: …', or place the body by 'from' and 'to'");
    return cylinder_inertia(mass, radius_of_rod(fields),
                            fields.positive_number("length", length.value_or(0)), kX);
  }
  const double radius = required_size(fields, "radius");
  if (kTypes[*type] == "cylinder")
    return cylinder_inertia(mass, radius, required_size(fields, "length"), kZ);
  return 0.4 * mass * radius * radius * Mat3::Identity();
}

}  // namespace sarrus::io
