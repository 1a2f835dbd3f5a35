#include "sarrus/io/picture/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/io/picture/bodies.h"
#include "sarrus/io/picture/joints.h"
#include "sarrus/io/picture/labels.h"
#include "sarrus/io/picture/loads.h"

namespace sarrus {
namespace picture {
namespace {

constexpr double kMargin = 58;            // around the mechanism: room for symbols
constexpr double kFooting = 26;           // below it: gravity and axes
constexpr double kSupport = 24;           // and the supports it stands on
constexpr std::size_t kManyBodies = 400;  // they get a larger page
constexpr double kThinnest = 0.2;         // scale of bars at least
constexpr int kFewBodies = 12;            // bodies whose names are written without asking
constexpr double kFullBar = 62;  // a bar of this length on the page has symbols of full size

/// A part of the drawing that hides what lies behind it.
struct Item {
  long depth = 0;  ///< in steps too large for rounding to decide
  Page page;
};

/// The mean of a body's points.
struct Middle {
  double depth = 0;
  Vec2 at = Vec2::Zero();  ///< on the page
};

class Drawing {
 public:
  Drawing(const Model& model, const Configuration& configuration, const PictureOptions& options)
      : model_(model),
        configuration_(configuration),
        options_(options),
        skeleton_(make_skeleton(model, configuration)),
        camera_(choose_camera(model, skeleton_, options)) {
    fit();
    scale_ = symbol_scale();
    ground_ = ground_direction();
    size_.y() += footing();
  }

  std::string svg() {
    Page page;
    draw_supports(page);
    std::vector<Item> items;
    add_bodies(items);
    add_joints(items);
    std::ranges::stable_sort(items, {}, &Item::depth);
    for (const Item& item : items) page.add(item.page);
    const LoadsDrawing loads = {model_, configuration_, skeleton_, camera_, scale_, ground_};
    draw_springs(page, loads);
    draw_drives(page, loads);
    draw_axes(page, camera_, {growth_ * 42, size_.y() - growth_ * 34}, growth_);
    draw_gravity(page, {camera_, model_.gravity(), size_ - growth_ * Vec2(36, 38), growth_});
    draw_labels(page);
    return svg_document(page, size_, model_.name());
  }

 private:
  // Everything on a page of a size that suits the number of bodies.
  void fit() {
    if (skeleton_.bodies.size() > kManyBodies) growth_ = 2;
    const Vec2 room = growth_ * Vec2(470, 340);
    Eigen::AlignedBox2d box;
    const auto extend = [&](const Vec3& point) { box.extend(camera_.direction(point)); };
    for (const BodySketch& body : skeleton_.bodies) {
      std::ranges::for_each(body.points, extend);
      extend(body.center);
    }
    for (const JointSketch& joint : skeleton_.joints) extend(joint.point);
    for (const PointSpring& spring : model_.point_springs()) {
      extend(configuration_.poses[spring.a.slot()] * spring.point_a);
      extend(configuration_.poses[spring.b.slot()] * spring.point_b);
    }
    if (box.isEmpty()) box.extend(Vec2(0, 0));
    const Vec2 extent = box.sizes().cwiseMax(1e-9 * skeleton_.size);
    camera_.scale = room.cwiseQuotient(extent).minCoeff();
    // Nothing is stretched to the whole page when it is only a point.
    camera_.scale = std::min(camera_.scale, room.maxCoeff() / skeleton_.size);
    const Vec2 drawn = camera_.scale * box.sizes();
    size_ = (drawn + 2 * growth_ * Vec2(kMargin, kMargin)).cwiseMax(growth_ * Vec2(300, 170));
    camera_.origin = size_ / 2 - camera_.scale * box.center();
    if (skeleton_.bodies.empty()) return;
    nearest_ = farthest_ = camera_.depth(skeleton_.bodies.front().center);
    for (const BodySketch& body : skeleton_.bodies) {
      const auto count = static_cast<double>(body.points.size());
      Middle middle;
      for (const Vec3& point : body.points) {
        middle.depth += camera_.depth(point);
        middle.at += camera_.page(point);
      }
      middle.depth /= count;
      middle.at /= count;
      nearest_ = std::max(nearest_, middle.depth);
      farthest_ = std::min(farthest_, middle.depth);
      middles_.push_back(middle);
    }
  }

  double footing() const { return growth_ * (ground_.y() > 0 ? kFooting + kSupport : kFooting); }

  double depth_of(BodyId body) const { return middles_[body.slot() - 1].depth; }

  // The middle one of the bars' lengths on the page decides.
  double symbol_scale() const {
    std::vector<double> lengths;
    for (const BodySketch& body : skeleton_.bodies)
      if (body.points.size() > 1)
        lengths.push_back(camera_.scale * (body.points.back() - body.points.front()).norm());
    if (lengths.empty()) return 1;
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    return std::clamp(*middle / kFullBar, 0.03, 1.0);
  }

  Vec2 bar_direction(const Joint& joint, const JointSketch& sketch) const {
    const BodyId body = joint.b == kGround ? joint.a : joint.b;
    if (body == kGround) return Vec2::Zero();
    const Vec2 bar = middles_[body.slot() - 1].at - camera_.page(sketch.point);
    return bar.norm() > 1e-3 ? Vec2(bar.normalized()) : Vec2(Vec2::Zero());
  }

  // Below the mechanism, or above where it hangs: the same for all supports.
  Vec2 ground_direction() const {
    constexpr double kHangs = 0.15;
    double below = 0;
    int supports = 0;
    const Vec2 middle = size_ / 2;
    for (const JointSketch& sketch : skeleton_.joints) {
      const Joint& joint = model_.joint(sketch.joint);
      if (joint.a != kGround && joint.b != kGround) continue;
      const Vec2 to_middle = middle - camera_.page(sketch.point);
      below += bar_direction(joint, sketch).y() + to_middle.y() / std::max(1.0, to_middle.norm());
      ++supports;
    }
    if (supports == 1) below += 2 * kHangs;  // a pendulum, as it were
    return below > kHangs ? Vec2(0, -1) : Vec2(0, 1);
  }

  // Things far away are paler.
  std::string faded(BodyId body, double depth) const {
    const double range = nearest_ - farthest_;
    if (body == kGround) return mixed(kInk, kPaper, 0.4);
    if (camera_.flat || range < 1e-6 * skeleton_.size) return body_color(body);
    const double part = std::clamp((nearest_ - depth) / range, 0.0, 1.0);
    return mixed(body_color(body), kPaper, 0.28 * part);
  }

  JointSymbol symbol(const JointSketch& sketch) const {
    const Joint& joint = model_.joint(sketch.joint);
    const double depth = camera_.depth(sketch.point);
    return {.joint = joint,
            .sketch = sketch,
            .at = camera_.page(sketch.point),
            .scale = scale_,
            .color_a = faded(joint.a, depth),
            .color_b = faded(joint.b, depth),
            .ground = ground_,
            .bar = bar_direction(joint, sketch)};
  }

  std::string title_of(const Joint& joint) const {
    return fmt::format("{}: {}, {} – {}", joint.name, name_of(joint.type()),
                       model_.body(joint.a).name, model_.body(joint.b).name);
  }

  void draw_supports(Page& page) const {
    for (const JointSketch& sketch : skeleton_.joints) {
      Page support;
      draw_support(support, camera_, symbol(sketch));
      if (support.elements().empty()) continue;
      page.open("ground", "ground");
      page.add(support);
      page.close();
    }
  }

  long steps(double depth) const {
    return camera_.flat ? 0 : std::lround(1e4 * (depth - farthest_) / skeleton_.size);
  }

  // Which bodies are bars along the axis of a helical joint; of two, the first.
  std::vector<char> screws() const {
    constexpr double kAlong = 0.999;
    std::vector<char> result(model_.bodies().size(), 0);
    for (const JointSketch& sketch : skeleton_.joints) {
      const Joint& joint = model_.joint(sketch.joint);
      if (joint.type() != JointType::kHelical) continue;
      for (const BodyId id : {joint.a, joint.b}) {
        if (id == kGround) continue;
        const std::vector<Vec3>& points = skeleton_.bodies[id.slot() - 1].points;
        const Vec3 bar = points.back() - points.front();
        if (points.size() < 2 || std::abs(bar.dot(sketch.z)) < kAlong * bar.norm()) continue;
        result[id.slot()] = 1;
        break;
      }
    }
    return result;
  }

  void add_bodies(std::vector<Item>& items) const {
    std::vector<char> slides(model_.bodies().size(), 0);
    for (const Joint& joint : model_.joints())
      if (joint.type() == JointType::kPrismatic || joint.type() == JointType::kPlanar)
        slides[joint.a.slot()] = slides[joint.b.slot()] = 1;
    const std::vector<char> threaded = screws();
    double heaviest = 0;
    for (const BodySketch& body : skeleton_.bodies)
      if (body.point_mass) heaviest = std::max(heaviest, model_.body(body.body).inertia.mass);
    for (const BodySketch& body : skeleton_.bodies) {
      Item item = {.depth = steps(depth_of(body.body)), .page = {}};
      item.page.open("body", model_.body(body.body).name);
      draw_body(item.page, camera_, body,
                {.color = faded(body.body, depth_of(body.body)),
                 .scale = std::max(scale_, growth_ * kThinnest),
                 .mass_part = body.point_mass ? model_.body(body.body).inertia.mass / heaviest : 1,
                 .is_slider = slides[body.body.slot()] != 0 && body.points.size() == 1,
                 .is_screw = threaded[body.body.slot()] != 0});
      item.page.close();
      items.push_back(std::move(item));
    }
  }

  // Sliders before pins, which may sit on them; all in front of the bars they hold.
  void add_joints(std::vector<Item>& items) const {
    constexpr long kInFront = 1;
    for (const bool pins : {false, true})
      for (const JointSketch& sketch : skeleton_.joints) {
        const Joint& joint = model_.joint(sketch.joint);
        const bool is_block =
            joint.type() == JointType::kPrismatic || joint.type() == JointType::kPlanar;
        if (is_block == pins) continue;
        double depth = camera_.depth(sketch.point);
        for (const BodyId body : {joint.a, joint.b})
          if (body != kGround) depth = std::max(depth, depth_of(body));
        Item item = {.depth = steps(depth) + kInFront, .page = {}};
        item.page.open(fmt::format("joint {}", name_of(joint.type())), title_of(joint));
        draw_joint(item.page, camera_, symbol(sketch));
        item.page.close();
        items.push_back(std::move(item));
      }
  }

  void draw_labels(Page& page) const {
    const PictureLabels wanted = options_.labels;
    if (wanted == PictureLabels::kNone) return;
    if (wanted == PictureLabels::kAuto && model_.body_count() - 1 > kFewBodies) return;
    Labels labels(size_ - Vec2(0, footing()));
    for (const BodySketch& body : skeleton_.bodies) {
      const auto [from, to] = ends(body);
      labels.avoid_line(from, to);
      const double disc = body.points.size() == 1 ? 20 : body.point_mass ? 14 : 0;
      labels.avoid_disc(camera_.page(body.center), disc * scale_);
    }
    for (const JointSketch& sketch : skeleton_.joints) {
      const Joint& joint = model_.joint(sketch.joint);
      const Vec2 at = camera_.page(sketch.point);
      labels.avoid_disc(at, (joint.type() == JointType::kPrismatic ? 20 : 12) * scale_);
      if (joint.a != kGround && joint.b != kGround) continue;
      if (joint.type() == JointType::kPrismatic) {
        const Vec2 rail = 50 * scale_ * camera_.direction(sketch.z);
        labels.avoid_line(at + 18 * scale_ * ground_ - rail, at + 18 * scale_ * ground_ + rail);
      } else {
        labels.avoid_disc(at + 24 * scale_ * ground_, 18 * scale_);
      }
    }
    for (const BodySketch& body : skeleton_.bodies) {
      const auto [from, to] = ends(body);
      labels.beside_bar(from, to, model_.body(body.body).name,
                        mixed(body_color(body.body), kInk, 0.45));
    }
    if (wanted == PictureLabels::kAll)
      for (const JointSketch& sketch : skeleton_.joints)
        labels.beside_point(camera_.page(sketch.point), model_.joint(sketch.joint).name, kInk);
    page.open("labels", "names");
    labels.draw(page);
    page.close();
  }

  // The longest side of what is drawn of a body.
  std::pair<Vec2, Vec2> ends(const BodySketch& body) const {
    std::vector<Vec2> points;
    for (const Vec3& point : body.points) points.push_back(camera_.page(point));
    const std::vector<Vec2> hull = convex_hull(points);
    std::pair<Vec2, Vec2> longest = {hull.front(), hull.back()};
    for (std::size_t i = 0; i + 1 < hull.size(); ++i)
      if ((hull[i + 1] - hull[i]).norm() > (longest.second - longest.first).norm() + 0.5)
        longest = {hull[i], hull[i + 1]};
    return longest;
  }

  const Model& model_;
  const Configuration& configuration_;
  const PictureOptions& options_;
  Skeleton skeleton_;
  Camera camera_;
  std::vector<Middle> middles_;  ///< of the bodies, without ground
  Vec2 size_;
  double growth_ = 1;  ///< of the page and all that does not depend on the bars
  double scale_ = 1;   ///< of symbols
  Vec2 ground_;
  double nearest_ = 0;
  double farthest_ = 0;
};

}  // namespace
}  // namespace picture

std::string draw_picture(const Model& model, const Configuration& configuration,
                         const PictureOptions& options) {
  return picture::Drawing(model, configuration, options).svg();
}

}  // namespace sarrus
