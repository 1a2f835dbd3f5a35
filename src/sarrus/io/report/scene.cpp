#include "sarrus/io/report/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "sarrus/base/diagnostics.h"
#include "sarrus/io/picture/bodies.h"
#include "sarrus/io/picture/skeleton.h"
#include "sarrus/model/model_editor.h"
#include "sarrus/spatial/dense.h"

namespace sarrus {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSceneFormat = 1;
constexpr double kThin = 0.04;  // radius of a bar, in parts of the middle one's length
constexpr double kBall = 2.5;   // radius of a ball, in parts of a bar's

std::string scene_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json vector_json(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

Json frame_json(const Transform& X) {
  return {{"position", vector_json(X.p)}, {"quaternion", {X.q.w(), X.q.x(), X.q.y(), X.q.z()}}};
}

Json shape_json(const Shape& shape, const std::string& color) {
  static constexpr std::array<const char*, 4> kKinds = {"box", "sphere", "cylinder", "capsule"};
  static constexpr std::array<int, 4> kSizes = {3, 1, 2, 2};
  const auto kind = static_cast<std::size_t>(shape.kind);
  Json json = {{"kind", kKinds[kind]}};
  json.update(frame_json(shape.X_BS));
  json["size"] = Json::array();
  for (Eigen::Index k = 0; k < kSizes[kind]; ++k) json["size"].push_back(shape.size[k]);
  json["color"] = shape.color.empty() ? color : shape.color;
  return json;
}

Json ball_json(const Vec3& at, double radius, const std::string& color) {
  Shape ball = {.kind = Shape::Kind::kSphere, .size = {radius, 0, 0}};
  ball.X_BS.p = at;
  return shape_json(ball, color);
}

// Three and more points become a closed line, in the order in which they lie around their middle.
// Those inside the ring are handed back.
std::vector<Vec3> close_ring(std::vector<Vec3>& points) {
  constexpr double kInside = 0.4;  // of the largest distance from the middle
  Vec3 middle = Vec3::Zero();
  for (const Vec3& point : points) middle += point / static_cast<double>(points.size());
  double largest = 0;
  for (const Vec3& point : points) largest = std::max(largest, (point - middle).norm());
  std::vector<Vec3> inside;
  for (const Vec3& point : points)
    if ((point - middle).norm() < kInside * largest) inside.push_back(point);
  if (points.size() - inside.size() > 2)
    std::erase_if(points, [&](const Vec3& p) { return (p - middle).norm() < kInside * largest; });
  else
    inside.clear();
  Mat3 spread = Mat3::Zero();
  for (const Vec3& point : points) spread += (point - middle) * (point - middle).transpose();
  const Mat3 axes = principal_axes(spread).vectors;
  const auto angle = [&](const Vec3& point) {
    const Vec3 p = axes.transpose() * (point - middle);
    return std::atan2(p[1], p[2]);  // in the plane of the two largest extents
  };
  std::ranges::sort(points, {}, angle);
  points.push_back(points.front());
  return inside;
}

// As in a picture: a stick figure.
Json sketch_json(const picture::BodySketch& sketch, const Transform& X_WB, double radius) {
  const std::string& color = picture::body_color(sketch.body);
  const Transform X_BW = X_WB.inverse();
  std::vector<Vec3> points;
  for (const Vec3& point : sketch.points) points.push_back(X_BW * point);
  Json shapes = Json::array();
  const auto add_line = [&](const std::vector<Vec3>& line) {
    Json list = Json::array();
    for (const Vec3& point : line) list.push_back(vector_json(point));
    shapes.push_back({{"kind", "bar"}, {"points", list}, {"radius", radius}, {"color", color}});
  };
  std::vector<Vec3> inside;
  if (points.size() > 2) inside = close_ring(points);
  if (points.size() > 1) add_line(points);
  for (const Vec3& hub : inside)  // like the spokes of a wheel
    for (std::size_t i = 0; i + 1 < points.size(); ++i) add_line({hub, points[i]});
  if (sketch.point_mass || points.size() == 1)
    shapes.push_back(ball_json(X_BW * sketch.center, kBall * radius, color));
  return shapes;
}

Json shapes_json(const std::vector<Shape>& shapes, const std::string& color) {
  Json list = Json::array();
  for (const Shape& shape : shapes)
    if (shape.kind != Shape::Kind::kMesh) list.push_back(shape_json(shape, color));
  return list;
}

double bar_radius(const picture::Skeleton& skeleton) {
  std::vector<double> lengths;
  for (const picture::BodySketch& body : skeleton.bodies)
    if (body.points.size() > 1)
      lengths.push_back((body.points.back() - body.points.front()).norm());
  if (lengths.empty()) return kThin * skeleton.size;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return kThin * *middle;
}

// A flexible body: a line through its nodes, which a run bends.
Json line_json(const Body& body, double radius, const std::string& color) {
  Json points = Json::array();
  for (const ModalNode& node : body.modal->nodes()) points.push_back(vector_json(node.X_BN.p));
  return {{"kind", "bar"}, {"points", points}, {"radius", radius}, {"color", color}};
}

Json flexible_json(const ModalData& data) {
  Json nodes = Json::array();
  for (const ModalNode& node : data.nodes) nodes.push_back(node.name);
  return {{"modes", data.modes}, {"nodes", nodes}};
}

Json joint_json(const Joint& joint) {
  return {{"name", joint.name},
          {"type", name_of(joint.type())},
          {"parent", static_cast<int>(joint.a.slot()) - 1},
          {"child", static_cast<int>(joint.b.slot()) - 1},
          {"on_parent", frame_json(joint.X_AF)},
          {"on_child", frame_json(joint.X_BM)}};
}

}  // namespace

namespace {

/// With all bodies and joints that the timeline brings, none of which it takes away.
Model with_all_elements(const Model& model, const Configuration& assembled) {
  ModelEditor editor(model, assembled, 0, JudgedAt::kBeforeRun);
  std::unordered_set<std::string> bodies;
  std::unordered_set<std::string> joints;
  for (const Body& body : model.bodies()) bodies.insert(body.name);
  for (const Joint& joint : model.joints()) joints.insert(joint.name);
  for (const TimelineEntry& entry : model.timeline())
    for (const Edit& edit : entry.edits) {
      const auto* body = std::get_if<AddBody>(&edit.what);
      const auto* joint = std::get_if<AddJoint>(&edit.what);
      if ((body != nullptr && bodies.insert(body->body.name).second) ||
          (joint != nullptr && joints.insert(joint->joint.name).second))
        editor.apply(edit);
    }
  return editor.problems().empty() ? editor.finish().model : model;
}

std::string draw_scene(const Model& model, const Configuration& assembled,
                       const std::string& description);

}  // namespace

std::string scene_json(const Model& model, const Configuration& assembled,
                       const std::string& description) {
  if (model.timeline().empty()) return draw_scene(model, assembled, description);
  const Model all = with_all_elements(model, assembled);
  return draw_scene(all, all.reference_configuration(), description);
}

namespace {

// Text by text: of a million bodies there is no tree of JSON.
std::string draw_scene(const Model& model, const Configuration& assembled,
                       const std::string& description) {
  const picture::Skeleton skeleton = picture::make_skeleton(model, assembled);
  const double radius = bar_radius(skeleton);
  std::string text =
      fmt::format(R"({{"format":{},"title":{},"description":{},"bodies":[)", kSceneFormat,
                  scene_text(Json(model.name())), scene_text(Json(description)));
  for (const picture::BodySketch& sketch : skeleton.bodies) {
    const Body& body = model.body(sketch.body);
    Json shapes = shapes_json(body.shapes, picture::body_color(sketch.body));
    if (shapes.empty()) shapes = sketch_json(sketch, assembled.poses[sketch.body.slot()], radius);
    if (text.back() != '[') text += ',';
    if (body.modal == nullptr) {
      text += scene_text({{"name", body.name}, {"shapes", std::move(shapes)}});
      continue;
    }
    Json bent = Json::array();
    if (!body.modal->nodes().empty())
      bent.push_back(line_json(body, 0.5 * radius, picture::body_color(sketch.body)));
    if (!body.shapes.empty() || bent.empty())
      for (Json& shape : shapes) bent.push_back(std::move(shape));
    text += scene_text({{"name", body.name},
                        {"shapes", std::move(bent)},
                        {"flexible", flexible_json(body.modal->data())}});
  }
  text +=
      fmt::format(R"(],"ground":{},"joints":[)",
                  scene_text({{"shapes", shapes_json(model.body(kGround).shapes, picture::kInk)}}));
  for (const Joint& joint : model.joints()) {
    if (text.back() != '[') text += ',';
    text += scene_text(joint_json(joint));
  }
  const double g = model.gravity().norm();
  const Vec3 up = g > 0 ? Vec3(Vec3::Zero() - model.gravity() / g) : Vec3::UnitZ();
  return text + fmt::format("],\"gravity\":{},\"up\":{}}}\n",
                            scene_text(vector_json(model.gravity())), scene_text(vector_json(up)));
}

}  // namespace

SceneOutline read_scene(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("format") != kSceneFormat)
      throw UsageError("the scene has another format: it was written by another version of sarrus");
    std::vector<std::string> bodies;
    std::vector<FlexibleOutline> flexible;
    for (const Json& body : json.at("bodies")) {
      bodies.push_back(body.at("name"));
      if (const auto modal = body.find("flexible"); modal != body.end())
        flexible.push_back({bodies.back(), modal->at("modes").get<std::vector<std::string>>(),
                            modal->at("nodes").get<std::vector<std::string>>()});
    }
    std::vector<JointOutline> joints;
    for (const Json& joint : json.at("joints")) {
      const auto type = joint_type(joint.at("type").get<std::string>());
      if (!type) throw UsageError("the scene has a joint of unknown type");
      joints.push_back({joint.at("name"), *type});
    }
    return {json.at("title"), json.value("description", ""),
            make_results_layout(bodies, joints, flexible)};
  } catch (const Json::exception& error) {
    throw UsageError(std::string("the scene cannot be read: ") + error.what());
  }
}

}  // namespace sarrus
