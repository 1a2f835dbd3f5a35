#include "sarrus/testing/random_singular.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "sarrus/analysis/assembly.h"
#include "sarrus/base/diagnostics.h"
#include "sarrus/spatial/rotation.h"
#include "sarrus/testing/mechanism_grower.h"
#include "sarrus/testing/random.h"

namespace sarrus::testing {
namespace {

constexpr double kPi = std::numbers::pi;

Vec3 polar(double length, double angle) {
  return {length * std::cos(angle), length * std::sin(angle), 0};
}

// The corner that is `from_a` off a and `from_b` off b, on the left of the way from a to b or on its right.
std::optional<Vec3> corner(const Vec3& a, const Vec3& b, double from_a, double from_b,
                           double side) {
  const Vec3 way = b - a;
  const double d = way.norm();
  const double along = (d * d + from_a * from_a - from_b * from_b) / (2 * d);
  const double square = from_a * from_a - along * along;
  if (!(d > 0) || !(square >= 0)) return std::nullopt;
  const Vec3 x = way / d;
  return a + along * x + side * std::sqrt(square) * Vec3::UnitZ().cross(x);
}

/// Puts the linkages together in coordinates of their own, where planar ones lie in the xy plane, and
/// the whole anywhere in space.
class SingularGrower {
 public:
  explicit SingularGrower(std::uint32_t seed) : random_(seed) {}

  Description grow(SingularFamily family) {
    X_WP_ = {random_.rotation(), random_.vector(1)};
    add_base();
    switch (family) {
      case SingularFamily::kFourBar:
        add_four_bar();
        break;
      case SingularFamily::kSliderCrank:
        add_slider_crank();
        break;
      case SingularFamily::kPantograph:
        add_pantograph();
        break;
      case SingularFamily::kNFourBar:
        add_n_four_bar();
        break;
      case SingularFamily::kBennett:
        if (random_.chance(0.5))
          add_bennett();
        else
          add_folded_bennett();
        break;
      case SingularFamily::kBricard:
        if (random_.chance(0.5))
          add_box_bricard();
        else
          add_line_symmetric_bricard();
        break;
      case SingularFamily::kSarrus:
        add_sarrus_linkage();
        break;
      case SingularFamily::kPlatform:
        if (random_.chance(0.4))
          add_driven_five_bar();
        else
          add_platform();
        break;
    }
    add_loads();
    return std::move(description_);
  }

 private:
  const std::string& name(int body) const {
    static const std::string ground = "ground";
    return body < 0 ? ground : description_.bodies[static_cast<std::size_t>(body)].name;
  }

  int add_body(const Vec3& near) {
    BodyDescription body;
    body.name = fmt::format("B{}", description_.bodies.size() + 1);
    fill_inertia(body, random_.log_uniform(0.2, 5), random_);
    body.pose = {random_.rotation(), X_WP_ * (near + random_.vector(0.05)).eval()};
    description_.add_body(std::move(body));
    return static_cast<int>(description_.bodies.size()) - 1;
  }
  int add_link(const Vec3& a, const Vec3& b) { return add_body(0.5 * (a + b)); }

  JointDescription& add_joint(JointType type, int a, int b, const Vec3& place, const Vec3& axis) {
    JointDescription joint;
    joint.name = fmt::format("J{}", description_.joints.size() + 1);
    joint.type = type;
    joint.body_a = name(a);
    joint.body_b = name(b);
    joint.at.p = X_WP_ * place;
    joint.at.q = Quat(frame_with_z(X_WP_.q * axis, Vec3::Zero()));
    description_.add_joint(std::move(joint));
    return description_.joints.back();
  }
  JointDescription& add_hinge(int a, int b, const Vec3& place, const Vec3& axis = Vec3::UnitZ()) {
    // Along its axis a hinge may sit anywhere.
    return add_joint(JointType::kRevolute, a, b, place + random_.uniform(-0.1, 0.1) * axis, axis);
  }

  /// What the linkage stands on: ground, or a heavy body that floats or hangs on a ball joint.
  void add_base() {
    if (random_.chance(0.75)) return;
    base_ = add_body(Vec3::Zero());
    BodyDescription& body = description_.bodies.back();
    body.mass *= 10;
    body.inertia *= 10;
    body.angular_velocity = random_.vector(0.3);
    if (random_.chance(0.6))
      body.velocity = random_.vector(0.5);
    else
      add_joint(JointType::kSpherical, -1, base_, random_.vector(0.3), random_.direction());
  }

  void add_loads() {
    if (random_.chance(0.8))
      description_.gravity = 9.81 * random_.direction();
    else
      description_.gravity.setZero();
    for (std::size_t i = 0; i < description_.joints.size(); ++i) {
      const JointDescription& joint = description_.joints[i];
      if (joint.type != JointType::kRevolute || is_driven_) continue;
      const std::string name = joint.name;
      if (random_.chance(0.1))
        description_.add_force(fmt::format("friction{}", i),
                               JointFrictionDescription{name, "angle", random_.uniform(0, 0.3)});
      if (random_.chance(0.1))
        description_.add_force(
            fmt::format("spring{}", i),
            JointSpringDescription{name, "angle", random_.uniform(0, 5), random_.uniform(-1, 1)});
    }
  }

  /// How far off the singular position it starts [rad], and how fast it comes there [rad/s].
  double offset() { return random_.uniform(0.25, 0.7); }
  double quickness() { return random_.uniform(2, 4); }

  void add_four_bar() {
    while (true) {
      const double a = random_.uniform(0.2, 0.5);
      const double b = random_.uniform(0.55, 0.9);
      const Vec3 A = Vec3::Zero();
      const double side = random_.sign();
      const double angle = random_.sign() * offset();
      Vec3 B = polar(a, angle);
      Vec3 D;
      std::optional<Vec3> C;
      const int kind = random_.below(6);
      switch (kind) {
        case 0:  // a parallelogram
          D = b * Vec3::UnitX();
          C = B + D;
          break;
        case 1:  // crossed
          D = b * Vec3::UnitX();
          C = corner(B, D, b, a, angle > 0 ? -1 : 1);
          break;
        case 2:  // a kite whose crank folds onto the ground link
          D = a * Vec3::UnitX();
          C = corner(B, D, b, b, side);
          break;
        case 3:  // the other kite: crank and coupler fold where the rocker lies on the ground link
          D = a * Vec3::UnitX();
          C = (D - polar(a, angle)).eval();
          B = corner(Vec3::Zero(), *C, b, b, side).value();
          break;
        case 4:  // a rhombus
          D = a * Vec3::UnitX();
          C = B + D;
          break;
        default: {  // two links out, two back
          const double d = a + random_.uniform(0.1, 0.4);
          D = d * Vec3::UnitX();
          C = corner(B, D, b, std::abs(a + b - d), side);
        }
      }
      if (!C) continue;
      const int crank = add_link(A, B);
      const int coupler = add_link(B, *C);
      const int rocker = add_link(*C, D);
      // The rocker where the crank would stand still at the singular position.
      JointDescription& input =
          kind == 3 ? add_hinge(base_, rocker, D) : add_hinge(base_, crank, A);
      input.speed["angle"] = -std::copysign(quickness(), angle);
      if (kind == 3)
        add_hinge(base_, crank, A);
      else
        add_hinge(rocker, base_, D);
      add_hinge(crank, coupler, B);
      add_hinge(coupler, rocker, *C);
      return;
    }
  }

  void add_slider_crank() {
    const double a = random_.uniform(0.2, 0.5);
    const double off = random_.sign() * offset();
    const Vec3 B = polar(a, kPi / 2 - off);
    const Vec3 C(2 * B.x(), 0, 0);
    const int crank = add_link(Vec3::Zero(), B);
    const int rod = add_link(B, C);
    const int slider = add_body(C);
    add_hinge(base_, crank, Vec3::Zero()).speed["angle"] = std::copysign(quickness(), off);
    add_hinge(crank, rod, B);
    add_hinge(rod, slider, C);
    add_joint(JointType::kPrismatic, base_, slider, C, Vec3::UnitX());
  }

  void add_pantograph() {
    const int cells = 1 + random_.below(3);
    const double half = random_.uniform(0.15, 0.3);
    const bool straight = random_.chance(0.5);
    const double off = offset();
    const double start = straight ? off : kPi / 2 - off;  // of the bars against −y
    const double w = half * std::sin(start);
    const double d = 2 * half * std::cos(start);
    const int slider = add_body(Vec3(w, 0, 0));
    int fall = -1, rise = -1;
    for (int i = 0; i < cells; ++i) {
      const Vec3 left(-w, -i * d, 0), right(w, -i * d, 0), down(0, -d, 0);
      const int next_fall = add_link(left, right + down);
      const int next_rise = add_link(right, left + down);
      if (i == 0) {
        const double speed = quickness();
        add_hinge(base_, next_fall, left).speed["angle"] = straight ? -speed : speed;
        add_joint(JointType::kPrismatic, base_, slider, right, Vec3::UnitX());
        add_hinge(slider, next_rise, right);
      } else {
        add_hinge(rise, next_fall, left);
        add_hinge(fall, next_rise, right);
      }
      add_hinge(next_fall, next_rise, 0.5 * (left + right + down));
      fall = next_fall;
      rise = next_rise;
    }
  }

  void add_n_four_bar() {
    const int loops = 2 + random_.below(2);
    const double length = random_.uniform(0.2, 0.5);
    const double angle = random_.sign() * offset();
    const Vec3 tip = polar(length, angle);
    const bool one_coupler = random_.chance(0.4);
    const bool doubled = random_.chance(0.4);
    std::vector<Vec3> feet(1, Vec3::Zero());
    for (int i = 0; i < loops; ++i)
      feet.push_back(feet.back() + random_.uniform(0.3, 0.6) * Vec3::UnitX());
    std::vector<int> cranks;
    for (const Vec3& foot : feet) {
      cranks.push_back(add_link(foot, foot + tip));
      JointDescription& hinge = add_hinge(base_, cranks.back(), foot);
      if (cranks.size() == 1) hinge.speed["angle"] = -std::copysign(quickness(), angle);
    }
    const auto couple = [&](std::size_t from, std::size_t to) {
      const int coupler = add_link(feet[from] + tip, feet[to] + tip);
      for (std::size_t i = from; i <= to; i += one_coupler ? 1 : to - from)
        add_hinge(cranks[i], coupler, feet[i] + tip);
    };
    const auto last = static_cast<std::size_t>(loops);
    if (one_coupler)
      couple(0, last);
    else
      for (std::size_t i = 0; i < last; ++i) couple(i, i + 1);
    if (doubled && !one_coupler) couple(0, last);
  }

  /// With the sides a and b, twists alpha and beta, standing at theta1 and theta2.
  void add_spatial_four_bar(double a, double b, double alpha, double beta, double theta1,
                            double theta2, double speed) {
    const double c1 = std::cos(theta1), s1 = std::sin(theta1);
    const double c2 = std::cos(theta2), s2 = std::sin(theta2);
    const double ca = std::cos(alpha), sa = std::sin(alpha);
    const double cb = std::cos(beta), sb = std::sin(beta);
    const Vec3 p1 = Vec3::Zero(), z1 = Vec3::UnitZ();
    const Vec3 p2(a * c1, a * s1, 0), z2(s1 * sa, -c1 * sa, ca);
    const Vec3 out(c2 * c1 - s2 * ca * s1, c2 * s1 + s2 * ca * c1, s2 * sa);
    const Vec3 across(s2 * c1 + c2 * ca * s1, s2 * s1 - c2 * ca * c1, -c2 * sa);
    const Vec3 p3 = p2 + b * out, z3 = cb * z2 + sb * across;
    const Vec3 p4(-b, 0, 0), z4(0, sb, cb);
    const int link1 = add_link(p1, p2);
    const int link2 = add_link(p2, p3);
    const int link3 = add_link(p3, p4);
    const auto joint = [&](int from, int to, const Vec3& p, const Vec3& z) -> JointDescription& {
      return add_joint(JointType::kRevolute, from, to, p, z);
    };
    joint(base_, link1, p1, z1).speed["angle"] = speed;
    joint(link1, link2, p2, z2);
    joint(link2, link3, p3, z3);
    joint(link3, base_, p4, z4);
  }

  void add_bennett() {
    const double alpha = random_.uniform(0.3, 1.2);
    const double beta = alpha + random_.log_uniform(0.02, 0.8);
    const double a = random_.uniform(0.25, 0.5);
    const double theta1 = kPi + random_.sign() * offset();
    const double theta2 =
        2 * std::atan2(std::sin((beta + alpha) / 2) / std::sin((beta - alpha) / 2),
                       std::tan(theta1 / 2));
    add_spatial_four_bar(a, a * std::sin(beta) / std::sin(alpha), alpha, beta, theta1, theta2,
                         std::copysign(quickness(), kPi - theta1));
  }

  // Equal sides and twists: side 2 lies on side 1, side 3 on the ground. It turns about one axis to where
  // all four lie on each other.
  void add_folded_bennett() {
    const double alpha = random_.uniform(0.3, 1.2);
    const double a = random_.uniform(0.25, 0.5);
    const double theta1 = kPi + random_.sign() * offset();
    add_spatial_four_bar(a, a, alpha, alpha, theta1, kPi, std::copysign(quickness(), kPi - theta1));
  }

  void add_ring(const std::vector<Vec3>& places, const std::vector<Vec3>& axes, double speed) {
    const std::size_t count = places.size();
    int previous = base_;
    for (std::size_t i = 0; i < count; ++i) {
      const int next = i + 1 == count ? base_ : add_link(places[i], places[i + 1]);
      JointDescription& joint = add_joint(JointType::kRevolute, previous, next, places[i], axes[i]);
      if (i == 0) joint.speed["angle"] = speed;
      previous = next;
    }
  }

  void add_box_bricard() {
    const double a = random_.uniform(0.3, 0.8);
    const double b = random_.chance(0.5) ? a : random_.uniform(0.3, 0.8);
    const double c = random_.chance(0.5) ? a : random_.uniform(0.3, 0.8);
    const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
    add_ring({Vec3(0, 0, 0), Vec3(a, 0, 0), Vec3(a, -b, 0), Vec3(a, -b, c), Vec3(0, -b, c),
              Vec3(0, 0, c)},
             {y, z, x, y, z, x}, random_.sign() * random_.uniform(2, 5));
  }

  // Three axes, and the same turned half round a line.
  void add_line_symmetric_bricard() {
    std::vector<Vec3> places, axes;
    for (int i = 0; i < 3; ++i) {
      places.push_back(
          polar(random_.uniform(0.3, 0.6), kPi * (i + random_.uniform(-0.2, 0.2)) / 3) +
          random_.uniform(-0.2, 0.2) * Vec3::UnitZ());
      axes.push_back(random_.direction());
    }
    for (std::size_t i = 0; i < 3; ++i) {
      places.emplace_back(-places[i].x(), -places[i].y(), places[i].z());
      axes.emplace_back(-axes[i].x(), -axes[i].y(), axes[i].z());
    }
    add_ring(places, axes, random_.sign() * random_.uniform(2, 5));
  }

  void add_sarrus_linkage() {
    const int pairs = random_.chance(0.7) ? 2 : 3;
    const double off = random_.sign() * offset();
    double towards = random_.uniform(0, 1);
    const double length = random_.uniform(0.25, 0.5);
    const double lift = length * std::sin(off);
    const int top = add_body(Vec3(0, 0, 2 * lift));
    for (int i = 0; i < pairs; ++i) {
      const Vec3 out = polar(1, towards);
      const Vec3 axis = Vec3::UnitZ().cross(out);  // turns `out` downwards
      const double reach = random_.uniform(0.2, 0.4);
      // The first pair's length says how high it stands; the others' may differ.
      const double own =
          i == 0 ? length : random_.uniform(std::max(0.25, 1.1 * std::abs(lift)), 0.6);
      const Vec3 foot = reach * out;
      const Vec3 knee = foot + std::sqrt(own * own - lift * lift) * out + lift * Vec3::UnitZ();
      const Vec3 end = foot + 2 * lift * Vec3::UnitZ();
      const int lower = add_link(foot, knee);
      const int upper = add_link(knee, end);
      JointDescription& hinge = add_hinge(base_, lower, foot, axis);
      if (i == 0) hinge.speed["angle"] = std::copysign(quickness(), off);
      add_hinge(lower, upper, knee, axis);
      add_hinge(upper, top, end, axis);
      towards += random_.uniform(1, 2);
    }
  }

  // Both cranks are driven. As mirror images their tips meet, and pass through each other: there both
  // couplers could swing together. Otherwise the couplers stretch, and the drives lock up.
  void add_driven_five_bar() {
    is_driven_ = true;
    const bool passes = random_.chance(0.6);
    const double half = random_.uniform(0.15, 0.3);
    const double crank = half * random_.uniform(1.2, 1.6);
    const double meeting = std::acos(half / crank);
    const double off = random_.uniform(0.15, 0.35);
    const double left = meeting + off;
    const double right = kPi - left + (passes ? 0 : random_.uniform(0.1, 0.3));
    const Vec3 feet[2] = {-half * Vec3::UnitX(), half * Vec3::UnitX()};
    const Vec3 tips[2] = {feet[0] + polar(crank, left), feet[1] + polar(crank, right)};
    const double gap = (tips[1] - tips[0]).norm();
    const double rod = passes ? random_.uniform(0.5, 0.8) : gap * random_.uniform(0.53, 0.6);
    const Vec3 meet = *corner(tips[0], tips[1], rod, rod, random_.sign());
    const double rate = (passes ? -1 : 1) * random_.uniform(0.6, 1.2);
    int rods[2];
    for (int i = 0; i < 2; ++i) {
      const int link = add_link(feet[i], tips[i]);
      const double angle = i == 0 ? left : right;
      JointDescription& hinge = add_hinge(base_, link, feet[i]);
      hinge.reference["angle"] = angle;
      const double speed = i == 0 ? rate : -rate;
      const std::string driven = hinge.name;
      description_.add_force(
          fmt::format("drive{}", i),
          MotionDescription{
              driven, "angle",
              TimeFunction(TimeFunction::Ramp{.from = angle - speed, .rate = speed, .start = -1})});
      rods[i] = add_link(tips[i], meet);
      add_hinge(link, rods[i], tips[i]);
    }
    add_hinge(rods[0], rods[1], meet);
  }

  // A plate on two or three legs of two links; the legs' ends lie nearly stretched, and one is thrown
  // outwards.
  void add_platform() {
    const int legs = 2 + random_.below(2);
    const int plate = add_body(Vec3::Zero());
    for (int i = 0; i < legs; ++i) {
      const double at = 2 * kPi * (i + random_.uniform(-0.2, 0.2)) / legs;
      const Vec3 end = polar(random_.uniform(0.1, 0.3), at);
      const double upper = random_.uniform(0.2, 0.4), lower = random_.uniform(0.2, 0.4);
      const double bend = i == 0 ? 0.3 : random_.uniform(0.3, 1.5);
      const Vec3 knee = end + polar(lower, at + bend);
      const Vec3 foot = knee + polar(upper, at - bend);
      const int first = add_link(foot, knee);
      const int second = add_link(knee, end);
      add_hinge(base_, first, foot);
      // The knee straightens.
      JointDescription& hinge = add_hinge(first, second, knee);
      if (i == 0) hinge.speed["angle"] = -2 * quickness();
      add_hinge(second, plate, end);
    }
  }

  Random random_;
  Description description_;
  Transform X_WP_;
  int base_ = -1;
  bool is_driven_ = false;
};

/// The largest speed at the start; none where it cannot be assembled, which is not for this to tell.
double fastest_body(const Description& description) {
  const Model model(description);
  const Configuration start = assemble(model, analyse_topology(model)).configuration;
  double fastest = 0;
  for (const Vec6& V : start.velocities) fastest = std::max(fastest, V.cwiseAbs().maxCoeff());
  return fastest;
}

}  // namespace

std::string_view name_of(SingularFamily family) {
  switch (family) {
    case SingularFamily::kFourBar:
      return "four_bar";
    case SingularFamily::kSliderCrank:
      return "slider_crank";
    case SingularFamily::kPantograph:
      return "pantograph";
    case SingularFamily::kNFourBar:
      return "n_four_bar";
    case SingularFamily::kBennett:
      return "bennett";
    case SingularFamily::kBricard:
      return "bricard";
    case SingularFamily::kSarrus:
      return "sarrus";
    case SingularFamily::kPlatform:
      return "platform";
  }
  throw UsageError("there is no such family of singular mechanisms");
}

const std::vector<SingularFamily>& singular_families() {
  static const std::vector<SingularFamily> all = {
      SingularFamily::kFourBar,  SingularFamily::kSliderCrank, SingularFamily::kPantograph,
      SingularFamily::kNFourBar, SingularFamily::kBennett,     SingularFamily::kBricard,
      SingularFamily::kSarrus,   SingularFamily::kPlatform};
  return all;
}

Description random_singular(SingularFamily family, std::uint32_t seed) {
  // A crank near a position where it hardly moves the others makes them thousands of times as fast.
  constexpr double kFastest = 200;  // [rad/s, m/s]
  constexpr int kMostTries = 20;
  Description description;
  for (std::uint32_t i = 0; i < kMostTries; ++i) {
    description = SingularGrower(seed * 8 + static_cast<std::uint32_t>(family) + i * 0x10000000u)
                      .grow(family);
    if (fastest_body(description) < kFastest) break;
  }
  description.name = fmt::format("singular-{}-{}", name_of(family), seed);
  return description;
}

}  // namespace sarrus::testing
