#include "sarrus/model/beam.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

namespace sarrus {
namespace {

constexpr double kPi = std::numbers::pi;

/// A shape of one mode: its value and slope at x.
struct ShapeAt {
  double value = 0;
  double slope = 0;
};

/// Bending of a clamped-free beam, 1 at its end; written with e^{±βx} so that nothing cancels in
/// high modes.
class BendingShape {
 public:
  BendingShape(int k, double length) : beta_(clamped_free_root(k) / length) {
    const double x = clamped_free_root(k);
    const double down = std::exp(-x);
    // σ = (cosh x + cos x) / (sinh x + sin x), and 1 − σ, both times e^{−x} above and below.
    const double below = 0.5 * (1 - down * down) + down * std::sin(x);
    sigma_ = (0.5 * (1 + down * down) + down * std::cos(x)) / below;
    rising_ = 0.5 * down * (std::sin(x) - std::cos(x) - down) / below;
    falling_ = 0.5 * (1 + sigma_);
    scale_ = 1 / raw(length).value;
  }

  ShapeAt operator()(double x) const {
    const ShapeAt at = raw(x);
    return {scale_ * at.value, scale_ * at.slope};
  }

 private:
  ShapeAt raw(double x) const {
    const double y = beta_ * x;
    const double up = rising_ * std::exp(y);
    const double down = falling_ * std::exp(-y);
    return {up + down - std::cos(y) + sigma_ * std::sin(y),
            beta_ * (up - down + std::sin(y) + sigma_ * std::cos(y))};
  }

  double beta_ = 0, sigma_ = 0, rising_ = 0, falling_ = 0, scale_ = 1;
};

/// Torsion and stretch: sin((2k − 1) π x / 2L), 1 at the end.
class QuarterSine {
 public:
  QuarterSine(int k, double length)
      : number_((2 * k - 1) * kPi / (2 * length)), sign_(k % 2 == 1 ? 1 : -1) {}
  ShapeAt operator()(double x) const {
    return {sign_ * std::sin(number_ * x), sign_ * number_ * std::cos(number_ * x)};
  }
  double number() const { return number_; }

 private:
  double number_, sign_;
};

enum class Kind { kBendingY, kBendingZ, kTorsion, kAxial };

struct BeamMode {
  Kind kind;
  std::string name;
  double frequency = 0;  ///< [rad/s]
  std::function<ShapeAt(double)> shape;

  Vec3 shift(double x) const {
    const double value = shape(x).value;
    switch (kind) {
      case Kind::kBendingY:
        return {0, value, 0};
      case Kind::kBendingZ:
        return {0, 0, value};
      case Kind::kAxial:
        return {value, 0, 0};
      default:
        return Vec3::Zero();
    }
  }
  Vec3 turn(double x) const {
    const ShapeAt at = shape(x);
    switch (kind) {
      case Kind::kBendingY:
        return {0, 0, at.slope};
      case Kind::kBendingZ:
        return {0, -at.slope, 0};
      case Kind::kTorsion:
        return {at.value, 0, 0};
      default:
        return Vec3::Zero();
    }
  }
  bool bends() const { return kind == Kind::kBendingY || kind == Kind::kBendingZ; }
};

std::vector<BeamMode> modes_of(const BeamDescription& beam) {
  std::vector<BeamMode> modes;
  const auto bend = [&](Kind kind, const char* name, int count, double stiffness) {
    for (int k = 1; k <= count; ++k) {
      const double beta = clamped_free_root(k) / beam.length;
      modes.push_back({kind, fmt::format("{}{}", name, k),
                       beta * beta * std::sqrt(stiffness / beam.mass_per_length),
                       BendingShape(k, beam.length)});
    }
  };
  const auto wave = [&](Kind kind, const char* name, int count, double stiffness, double inertia) {
    for (int k = 1; k <= count; ++k) {
      const QuarterSine shape(k, beam.length);
      modes.push_back({kind, fmt::format("{}{}", name, k),
                       shape.number() * std::sqrt(stiffness / inertia), shape});
    }
  };
  bend(Kind::kBendingY, "bending_y", beam.bending_y, beam.bending_stiffness_y);
  bend(Kind::kBendingZ, "bending_z", beam.bending_z, beam.bending_stiffness_z);
  wave(Kind::kTorsion, "torsion", beam.torsion, beam.torsional_stiffness, beam.polar_inertia);
  wave(Kind::kAxial, "axial", beam.axial, beam.axial_stiffness, beam.mass_per_length);
  return modes;
}

/// Places and weights of Gauss's rule on [−1, 1].
struct Gauss {
  static constexpr int kPoints = 12;
  std::array<double, kPoints> x, w;

  Gauss() {
    for (int i = 0; i < kPoints; ++i) {
      double z = std::cos(kPi * (i + 0.75) / (kPoints + 0.5));
      double slope = 1;
      for (int round = 0; round < 20; ++round) {
        double p = 1, before = 0;
        for (int k = 1; k <= kPoints; ++k) {
          const double older = std::exchange(before, p);
          p = ((2 * k - 1) * z * before - (k - 1) * older) / k;
        }
        slope = kPoints * (z * p - before) / (z * z - 1);
        z -= p / slope;
      }
      const auto at = static_cast<std::size_t>(i);
      x[at] = z;
      w[at] = 2 / ((1 - z * z) * slope * slope);
    }
  }
};

/// Calls visit(x, weight) over [0, length]; exact to rounding for products of the highest shapes.
template <class Visit>
void integrate(double length, int highest_mode, Visit visit) {
  static const Gauss rule;
  const int panels = 24 + 4 * highest_mode;
  const double half = 0.5 * length / panels;
  for (int panel = 0; panel < panels; ++panel)
    for (std::size_t i = 0; i < rule.x.size(); ++i)
      visit(half * (2 * panel + 1 + rule.x[i]), half * rule.w[i]);
}

Mat3X columns_of(const std::vector<BeamMode>& modes,
                 const std::function<Vec3(const BeamMode&)>& of) {
  Mat3X columns(3, static_cast<Eigen::Index>(modes.size()));
  for (std::size_t k = 0; k < modes.size(); ++k)
    columns.col(static_cast<Eigen::Index>(k)) = of(modes[k]);
  return columns;
}

ModalNode node_at(const std::vector<BeamMode>& modes, std::string name, double x) {
  ModalNode node;
  node.name = std::move(name);
  node.X_BN.p = {x, 0, 0};
  node.shift = columns_of(modes, [x](const BeamMode& mode) { return mode.shift(x); });
  node.turn = columns_of(modes, [x](const BeamMode& mode) { return mode.turn(x); });
  if (x == 0) {  // clamped: no rounding there
    node.shift.setZero();
    node.turn.setZero();
  }
  return node;
}

}  // namespace

double clamped_free_root(int k) {
  // cos x + 1/cosh x = 0; the term falls off so fast that Newton's method starts next to the root.
  double x = (k - 0.5) * kPi;
  if (k == 1) x = 1.8751;
  for (int round = 0; round < 8; ++round) {
    const double sech = 1 / std::cosh(x);
    x -= (std::cos(x) + sech) / (-std::sin(x) - sech * std::tanh(x));
  }
  return x;
}

BeamBody make_beam(const BeamDescription& beam) {
  const std::vector<BeamMode> modes = modes_of(beam);
  std::vector<std::string> names;
  for (const BeamMode& mode : modes) names.push_back(mode.name);
  BeamBody body;
  body.data = ModalData::of_modes(names);
  const double mass = beam.mass_per_length * beam.length;
  const double across = mass * beam.length * beam.length / 12;
  body.inertia = {mass,
                  {0.5 * beam.length, 0, 0},
                  Vec3(beam.polar_inertia * beam.length, across, across).asDiagonal()};

  const int highest = std::max({beam.bending_y, beam.bending_z, beam.torsion, beam.axial});
  const auto n = static_cast<Eigen::Index>(modes.size());
  MatX along = MatX::Zero(n, n);  // ∫ N φ'ᵀ φ' dx with the tension N for unit spin
  const Mat3 turned = Vec3(beam.polar_inertia, 0, 0).asDiagonal();  // sections, about x alone
  integrate(beam.length, highest, [&](double x, double weight) {
    const Mat3X shift = columns_of(modes, [x](const BeamMode& m) { return m.shift(x); });
    const Mat3X turn = columns_of(modes, [x](const BeamMode& m) { return m.turn(x); });
    body.data.add_lump(weight * beam.mass_per_length, weight * turned, {x, 0, 0}, shift, turn);
    // [flexible-stiffening]
    const double tension = 0.5 * beam.mass_per_length * (beam.length * beam.length - x * x) +
                           beam.tip_mass * beam.length;
    Mat3X slope = turn;
    slope.row(0).setZero();
    along += weight * tension * slope.transpose() * slope;
  });
  if (beam.stiffening && beam.bending_y + beam.bending_z > 0)
    body.data.stiffening[1] = body.data.stiffening[2] = along;

  // The shapes are orthogonal: what integration leaves between two modes is rounding.
  MatX modal_mass = body.data.rotary_mass;
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto at = static_cast<std::size_t>(k);
    modal_mass(k, k) += body.data.Y[at * modes.size() + at].trace();
    const double frequency = modes[at].frequency;
    body.data.stiffness(k, k) = frequency * frequency * modal_mass(k, k);
    body.data.damping(k, k) = 2 * beam.damping_ratio * frequency * modal_mass(k, k);
  }
  body.data.nodes.push_back(node_at(modes, "root", 0));
  for (int i = 1; i < beam.sections; ++i)
    body.data.nodes.push_back(
        node_at(modes, fmt::format("n{}", i), i * beam.length / beam.sections));
  body.data.nodes.push_back(node_at(modes, "tip", beam.length));
  return body;
}

std::string beam_defect(const BeamDescription& beam) {
  const auto positive = [](const char* field, double value, bool needed) -> std::string {
    if (!needed || (value > 0 && std::isfinite(value))) return {};
    return fmt::format("{}\nis {}; it must be a positive number", field, value);
  };
  const auto not_negative = [](const char* field, double value) -> std::string {
    if (value >= 0 && std::isfinite(value)) return {};
    return fmt::format("{}\nis {}; it must be a number ≥ 0", field, value);
  };
  constexpr int kMostModes = 50;
  for (const auto& [field, count] :
       {std::pair{"bending_y", beam.bending_y}, std::pair{"bending_z", beam.bending_z},
        std::pair{"torsion", beam.torsion}, std::pair{"axial", beam.axial}})
    if (count < 0 || count > kMostModes)
      return fmt::format("{}\nis {}; there may be 0 to {} modes of a kind", field, count,
                         kMostModes);
  if (beam.bending_y + beam.bending_z + beam.torsion + beam.axial == 0)
    return "modes\nname none: give bending_y, bending_z, torsion or axial a number";
  if (beam.sections < 1 || beam.sections > 1000)
    return fmt::format("sections\nis {}; there may be 1 to 1000", beam.sections);
  const bool bends = beam.bending_y + beam.bending_z > 0;
  for (const std::string& defect :
       {positive("length", beam.length, true),
        positive("mass_per_length", beam.mass_per_length, true),
        positive("bending_stiffness", beam.bending_stiffness_y, bends && beam.bending_y > 0),
        positive("bending_stiffness", beam.bending_stiffness_z, bends && beam.bending_z > 0),
        positive("torsional_stiffness", beam.torsional_stiffness, beam.torsion > 0),
        positive("polar_inertia", beam.polar_inertia, beam.torsion > 0),
        positive("axial_stiffness", beam.axial_stiffness, beam.axial > 0),
        not_negative("polar_inertia", beam.polar_inertia),
        not_negative("damping_ratio", beam.damping_ratio), not_negative("tip_mass", beam.tip_mass)})
    if (!defect.empty()) return defect;
  return {};
}

}  // namespace sarrus
