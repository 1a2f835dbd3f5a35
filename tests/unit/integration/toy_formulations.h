#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sarrus/formulations/formulation.h"
#include "sarrus/integration/integrator_options.h"
#include "sarrus/spatial/rotation.h"

namespace sarrus::toys {

/// Any differential equation as a formulation. Its "configuration" is the state itself, in
/// `coordinates`; the last number is the supplied work, as in every formulation.
class Toy : public Formulation {
 public:
  using Rates = std::function<Status(double, std::span<const double>, std::span<double>)>;
  using Hook = std::function<AfterStep(double, std::span<double>, Discrete&)>;

  Toy(StateLayout blocks, Rates f) : layout_(std::move(blocks)), f_(std::move(f)) {
    layout_.add_vector(1, /*strictness=*/0);
  }

  Hook hook;                                           ///< after_step; none: nothing changes
  std::function<ErrorTrust(std::span<double>)> trust;  ///< filter_error; none: it is reliable

  std::string_view name() const override { return "toy"; }
  const StateLayout& layout() const override { return layout_; }
  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<Workspace>();
  }
  void encode(const Configuration& from, std::span<double> x, Discrete&) const override {
    std::copy(from.coordinates.begin(), from.coordinates.end(), x.begin());
  }
  void decode(std::span<const double> x, const Discrete&, Configuration& to) const override {
    to.coordinates.assign(x.begin(), x.end());
  }
  Status rates(double t, std::span<const double> x, const Discrete&, Workspace&,
               std::span<double> dx) const override {
    dx.back() = 0;
    return f_(t, x, dx);
  }
  AfterStep after_step(double t, std::span<double> x, Discrete& discrete,
                       Workspace&) const override {
    return hook ? hook(t, x, discrete) : AfterStep{};
  }
  ErrorTrust filter_error(std::span<double> e, Workspace&) const override {
    return trust ? trust(e) : ErrorTrust{};
  }
  Status evaluate(double t, std::span<const double> x, const Discrete& discrete, Workspace&,
                  Motion& motion) const override {
    motion.time = t;
    decode(x, discrete, motion.configuration);
    motion.supplied = x.back();
    return {};
  }

 private:
  StateLayout layout_;
  Rates f_;
};

/// A problem with its exact solution, a state in the toy's layout.
struct Problem {
  Toy toy;
  std::function<std::vector<double>(double)> exact;
};

inline StateLayout vector_layout(int size) {
  StateLayout layout;
  layout.add_vector(size);
  return layout;
}

inline StateLayout attitude_layout(int vector_size = 0) {
  StateLayout layout;
  layout.add_quaternion();
  if (vector_size > 0) layout.add_vector(vector_size);
  return layout;
}

inline Quat attitude(std::span<const double> x) { return {x[0], x[1], x[2], x[3]}; }

/// A unit oscillator; the supplied work slot gathers ∫ v dt = q, to be seen outside error control.
inline Problem oscillator() {
  return {Toy(vector_layout(2),
              [](double, std::span<const double> x, std::span<double> dx) {
                dx[0] = x[1];
                dx[1] = -x[0];
                dx[2] = x[1];
                return Status{};
              }),
          [](double t) {
            return std::vector{std::sin(t), std::cos(t), std::sin(t)};
          }};
}

/// y' = −2 t y², nonlinear and with time in it: y = 1 / (1 + t²).
inline Problem bell() {
  return {Toy(vector_layout(1),
              [](double t, std::span<const double> x, std::span<double> dx) {
                dx[0] = -2 * t * x[0] * x[0];
                return Status{};
              }),
          [](double t) {
            return std::vector{1 / (1 + t * t), 0.0};
          }};
}

inline std::vector<double> numbers(const Quat& q, std::initializer_list<double> rest) {
  std::vector<double> x{q.w(), q.x(), q.y(), q.z()};
  x.insert(x.end(), rest);
  return x;
}

/// Turning about a fixed axis at the rate 1 + cos t.
inline Problem fixed_axis() {
  const Vec3 axis = Vec3(1, -2, 2) / 3;
  return {Toy(attitude_layout(),
              [axis](double t, std::span<const double>, std::span<double> dx) {
                Eigen::Map<Vec3>(dx.data()) = (1 + std::cos(t)) * axis;
                return Status{};
              }),
          [axis](double t) { return numbers(exp_rotation((t + std::sin(t)) * axis), {0.0}); }};
}

/// Coning: R = Rz(a t) Rx(b) Rz(c t), with the angular velocity given as a function of time.
inline Problem coning() {
  static constexpr double a = 1.3, b = 0.7, c = 2.1;
  const auto exact = [](double t) {
    return exp_rotation(a * t * Vec3::UnitZ()) * exp_rotation(b * Vec3::UnitX()) *
           exp_rotation(c * t * Vec3::UnitZ());
  };
  return {Toy(attitude_layout(),
              [exact](double t, std::span<const double>, std::span<double> dx) {
                const Vec3 omega = a * Vec3::UnitZ() + exact(t) * (c * Vec3::UnitZ());
                Eigen::Map<Vec3>(dx.data()) = omega;
                return Status{};
              }),
          [exact](double t) { return numbers(exact(t), {0.0}); }};
}

/// A free symmetric top: attitude and body-axes angular velocity. Its attitude turns about the
/// angular momentum at |L|/I₁ and about its own axis at −λ, λ = ω₃ (I₃ − I₁)/I₁.
inline Problem free_top() {
  constexpr double I1 = 1.0, I3 = 1.7;
  const Vec3 omega0(0.8, 0.3, 1.5);
  const Quat q0 = exp_rotation({0.3, -0.5, 0.9});
  constexpr auto momentum = [](const Vec3& w) { return Vec3(I1 * w.x(), I1 * w.y(), I3 * w.z()); };
  const double lambda = omega0.z() * (I3 - I1) / I1;
  const Vec3 precession = q0 * momentum(omega0) / I1;
  return {Toy(attitude_layout(3),
              [=](double, std::span<const double> x, std::span<double> dx) {
                const Vec3 w(x[4], x[5], x[6]);
                const Vec3 torque = -w.cross(momentum(w));
                Eigen::Map<Vec3>(dx.data()) = attitude(x) * w;
                Eigen::Map<Vec3>(dx.data() + 3) =
                    Vec3(torque.x() / I1, torque.y() / I1, torque.z() / I3);
                return Status{};
              }),
          [=](double t) {
            const Quat spin = exp_rotation(lambda * t * Vec3::UnitZ());
            const Vec3 w = spin * omega0;
            return numbers(exp_rotation(t * precession) * q0 * spin.conjugate(),
                           {w.x(), w.y(), w.z(), 0.0});
          }};
}

/// Largest component of x ⊟ y.
inline double distance(const Formulation& toy, std::span<const double> x,
                       std::span<const double> y) {
  std::vector<double> u(static_cast<std::size_t>(toy.layout().tangent_size()));
  toy.layout().difference(x, y, u);
  u.back() = 0;  // not part of the problem
  double largest = 0;
  for (const double v : u) largest = std::max(largest, std::abs(v));
  return largest;
}

}  // namespace sarrus::toys
