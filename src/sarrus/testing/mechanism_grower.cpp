#include "sarrus/testing/mechanism_grower.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/spatial/vectors.h"
#include "sarrus/testing/random_flexible.h"

namespace sarrus::testing {
namespace {

constexpr JointType kTypes[] = {
    JointType::kRevolute,    JointType::kPrismatic, JointType::kHelical,
    JointType::kCylindrical, JointType::kUniversal, JointType::kSpherical,
    JointType::kPlanar,      JointType::kFree,      JointType::kFixed};

int freedoms_of(JointType type) { return static_cast<int>(joint_coordinate_names(type).size()); }

}  // namespace

void fill_inertia(BodyDescription& body, double mass, Random& random) {
  constexpr int kPoints = 6;
  Vec3 size;
  for (int k = 0; k < 3; ++k) size[k] = random.uniform(0.08, 0.4);
  const Vec3 offset = random.chance(0.2) ? Vec3::Zero().eval() : random.vector(0.2);
  Vec3 points[kPoints];
  double weights[kPoints];
  double sum = 0;
  body.center_of_mass.setZero();
  for (int i = 0; i < kPoints; ++i) {
    points[i] = offset + size.cwiseProduct(random.vector(1));
    weights[i] = random.uniform(0.2, 1);
    sum += weights[i];
    body.center_of_mass += weights[i] * points[i];
  }
  body.mass = mass;
  body.center_of_mass /= sum;
  body.inertia.setZero();
  for (int i = 0; i < kPoints; ++i) {
    const Mat3 arm = skew(points[i] - body.center_of_mass);
    body.inertia -= mass * weights[i] / sum * arm * arm;
  }
  body.inertia = (0.5 * (body.inertia + body.inertia.transpose())).eval();
}

Description MechanismGrower::grow() {
  description_.gravity = 9.81 * random_.direction();
  chain_ = random_.chance(0.3);
  // The features asked for come first, while there are bodies left for them.
  if (options_.singular && left() >= 3) {
    in_part_ = true;
    add_flat_four_bar(any_body());
    in_part_ = false;
  }
  if (options_.redundant && left() >= 3) add_part(any_body());
  if (options_.floating && left() > 0 && random_.chance(0.7))
    add_body(random_.vector(1), kNoParent);
  while (left() > 0) {
    if (options_.floating && random_.chance(0.15))
      add_body(random_.vector(1.5), kNoParent);
    else if (options_.redundant && left() >= 3 && random_.chance(0.2))
      add_part(any_body());
    else
      add_link(chain_ && random_.chance(0.9) ? static_cast<int>(parent_.size()) - 1 : any_body());
  }
  if (options_.loops) close_loops();
  if (options_.redundant) double_joints();
  if (options_.point_masses) pick_point_masses();
  return std::move(description_);
}

const std::string& MechanismGrower::name_of_body(int body) const {
  static const std::string ground = "ground";
  return body < 0 ? ground : description_.bodies[static_cast<std::size_t>(body)].name;
}

Vec3 MechanismGrower::place_of(int body) const {
  return body < 0 ? Vec3::Zero().eval()
                  : description_.bodies[static_cast<std::size_t>(body)].pose.p;
}

int MechanismGrower::add_body(const Vec3& near, int parent) {
  const int index = static_cast<int>(parent_.size());
  BodyDescription body;
  body.name = fmt::format("B{}", index + 1);
  const double spread = std::sqrt(options_.mass_ratio);
  fill_inertia(body, random_.log_uniform(1 / spread, spread), random_);
  body.pose.q = random_.rotation();
  body.pose.p = near + random_.vector(0.1);
  const bool moves = options_.moving && !options_.singular;
  if (moves) body.angular_velocity = random_.vector(1);
  if (moves) body.velocity = random_.vector(1);
  if (options_.flexible && (index == 0 || random_.chance(0.4)))
    make_random_flexible(body, body.mass, !options_.singular, moves, random_);
  description_.add_body(std::move(body));
  parent_.push_back(parent);
  parent_joint_.push_back(0);
  return index;
}

CoordinateValues MechanismGrower::random_reference(JointType type) {
  CoordinateValues values;
  if (!random_.chance(0.4)) return values;
  for (const std::string& name : joint_coordinate_names(type)) {
    if (random_.chance(0.3)) continue;                   // left out means 0
    const bool turns = name.starts_with("angle");        // may count turns
    const bool rotation_vector = name.starts_with("r");  // must stay well below half a turn
    const double size = turns ? (random_.chance(0.3) ? 9.0 : 1.5) : rotation_vector ? 1.0 : 0.5;
    values[name] = random_.uniform(-size, size);
  }
  return values;
}

Transform MechanismGrower::random_frame(const Vec3& near) {
  Transform frame;
  frame.q = random_.rotation();
  frame.p = near + random_.vector(0.2);
  return frame;
}

std::string MechanismGrower::node_for(int body, const Vec3& near) {
  if (body < 0) return {};
  const BodyDescription& on = description_.bodies[static_cast<std::size_t>(body)];
  if (!in_part_) return random_node(on, near, random_);
  const auto [attachment, is_new] = attachment_in_part_.try_emplace(body);
  if (is_new) attachment->second = random_node(on, near, random_);
  return attachment->second;
}

std::size_t MechanismGrower::add_joint(JointType type, int a, int b, const Transform& at) {
  JointDescription joint;
  joint.name = fmt::format("J{}", description_.joints.size() + 1);
  joint.type = type;
  joint.body_a = name_of_body(a);
  joint.body_b = name_of_body(b);
  joint.at = at;
  joint.node_a = node_for(a, at.p);
  joint.node_b = node_for(b, at.p);
  if (type == JointType::kHelical) joint.lead = random_.sign() * random_.uniform(0.05, 0.6);
  joint.reference = random_reference(type);
  if (random_.chance(0.3)) joint.cut = CutPreference::kPrefer;
  description_.add_joint(std::move(joint));
  freedoms_left_.push_back(freedoms_of(type));
  return description_.joints.size() - 1;
}

void MechanismGrower::add_link(int base) {
  const Vec3 step = random_.uniform(0.4, 0.9) * random_.direction();
  const int body = add_body(place_of(base) + step, base);
  JointType type = kTypes[random_.below(9)];
  // Not too many of the two that hardly make a mechanism.
  if ((type == JointType::kFixed || type == JointType::kFree) && random_.chance(0.6))
    type = JointType::kRevolute;
  const Transform at = random_frame(place_of(base) + 0.5 * step);
  // The new body may be the joint's first one as well.
  const bool forward = random_.chance(0.7);
  parent_joint_[static_cast<std::size_t>(body)] =
      forward ? add_joint(type, base, body, at) : add_joint(type, body, base, at);
}

std::vector<std::size_t> MechanismGrower::path_between(int a, int b) const {
  // Up to ground, or to the root of a floating part.
  const auto way_up = [this](int body) {
    std::vector<int> way = {body};
    while (way.back() >= 0 && parent_[static_cast<std::size_t>(way.back())] != kNoParent)
      way.push_back(parent_[static_cast<std::size_t>(way.back())]);
    return way;
  };
  std::vector<int> from_a = way_up(a);
  std::vector<int> from_b = way_up(b);
  if (from_a.back() != from_b.back()) return {};
  while (from_a.size() > 1 && from_b.size() > 1 &&
         from_a[from_a.size() - 2] == from_b[from_b.size() - 2]) {
    from_a.pop_back();
    from_b.pop_back();
  }
  std::vector<std::size_t> joints;
  for (const auto* way : {&from_a, &from_b})
    for (std::size_t i = 0; i + 1 < way->size(); ++i)
      joints.push_back(parent_joint_[static_cast<std::size_t>((*way)[i])]);
  return joints;
}

void MechanismGrower::close_loops() {
  const int wished = 1 + random_.below(1 + options_.bodies / 3);
  int made = 0;
  for (int attempt = 0; attempt < 20 * wished && made < wished; ++attempt) {
    const int a = any_body();
    const int b = any_body();
    if (a == b) continue;
    const std::vector<std::size_t> path = path_between(a, b);
    if (path.empty()) continue;
    double freedoms = 0;
    for (std::size_t joint : path) freedoms += freedoms_left_[joint];
    const JointType type = kTypes[random_.below(9)];
    const double taken = 6 - freedoms_of(type);
    // One freedom must stay, or the loop is a truss: a fine test now and then, where allowed.
    const bool truss = options_.redundant && random_.chance(0.02);
    if (freedoms - taken < 1 && !truss) continue;
    add_joint(type, a, b, random_frame(0.5 * (place_of(a) + place_of(b))));
    freedoms_left_.back() = 0;
    const double share = std::max(0.0, freedoms - taken) / std::max(freedoms, 1.0);
    for (std::size_t joint : path) freedoms_left_[joint] *= share;
    ++made;
  }
}

void MechanismGrower::double_joints() {
  const std::size_t count = description_.joints.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!random_.chance(0.15)) continue;
    JointDescription twin = description_.joints[i];
    twin.name += "_twin";
    const Mat3 R = twin.at.R();
    const Vec3 along = random_.sign() * random_.uniform(0.2, 0.5) * R.col(2);
    switch (twin.type) {
      case JointType::kRevolute:  // a door with two hinges
      case JointType::kCylindrical:
      case JointType::kHelical:
        if (random_.chance(0.6)) twin.at.p += along;
        break;
      case JointType::kPrismatic:  // two parallel rails
      case JointType::kPlanar:
        if (random_.chance(0.6)) twin.at.p += along + 0.3 * R.col(0);
        break;
      default:
        break;  // the same joint twice
    }
    // Also with the bodies in the other order, where that is the same constraint: a universal
    // joint's axes would change hands.
    if (twin.type != JointType::kUniversal && twin.reference.empty() && random_.chance(0.3)) {
      std::swap(twin.body_a, twin.body_b);
      std::swap(twin.node_a, twin.node_b);
    }
    description_.add_joint(std::move(twin));
    freedoms_left_.push_back(0);
  }
}

void MechanismGrower::pick_point_masses() {
  const int count = 1 + random_.below(2);
  for (int i = 0; i < count; ++i) {
    auto& bodies = description_.bodies;
    BodyDescription& body =
        bodies[static_cast<std::size_t>(random_.below(static_cast<int>(bodies.size())))];
    if (body.flexible != nullptr) continue;
    body.inertia.setZero();
    body.center_of_mass += 0.2 * random_.direction();
  }
}

}  // namespace sarrus::testing
