#pragma once

#include <string>
#include <variant>
#include <vector>

namespace sarrus {

/// A scalar function of time with its first two derivatives: loads, drives and prescribed motions.
///
/// Corners and jumps are told by `breakpoints`, so that no integration step straddles one.
class TimeFunction {
 public:
  struct Value {
    double value = 0;
    double rate = 0;
    double acceleration = 0;
  };

  /// The same value for ever.
  struct Constant {
    double value = 0;
  };
  /// `from` before `at`, `to` after; with duration > 0 the change is the quintic blend over
  /// [at, at + duration], whose rate and acceleration vanish at both ends.  [function-step]
  struct Step {
    double from = 0;
    double to = 0;
    double at = 0;
    double duration = 0;

    Value at_time(double t) const {
      if (t < at) return {from, 0, 0};
      if (duration <= 0 || t >= at + duration) return {to, 0, 0};
      // s³(10 − 15 s + 6 s²)
      const double quickness = 1 / duration;
      const double s = (t - at) * quickness, left = 1 - s;
      const double change = to - from, speed = change * quickness;
      return {from + change * s * s * s * (10 + s * (-15 + 6 * s)),
              30 * speed * s * s * left * left, 60 * speed * quickness * s * left * (left - s)};
    }
  };
  /// `from` until `start`, then `rate` per second until `stop` (for ever by default).
  struct Ramp {
    double from = 0;
    double rate = 0;
    double start = 0;
    double stop = 1e300;
  };
  /// offset + amplitude · sin(angular_frequency · t + phase).
  struct Sine {
    double amplitude = 0;
    double angular_frequency = 0;
    double phase = 0;
    double offset = 0;
  };
  /// Values at rising times, constant outside. `smooth` draws the cubic spline with level ends through
  /// them instead of straight lines.
  struct Table {
    std::vector<double> times;
    std::vector<double> values;
    bool smooth = false;
  };
  using Shape = std::variant<Constant, Step, Ramp, Sine, Table>;

  TimeFunction(double value = 0) : TimeFunction(Shape(Constant{value})) {}  // NOLINT: 3.0 is one
  TimeFunction(Shape shape);                                                // NOLINT

  Value operator()(double t) const;

  /// Times at which the value or its rate is not smooth, rising.
  const std::vector<double>& breakpoints() const { return breakpoints_; }

  /// Empty when the rate is continuous for t > 0, as a prescribed motion needs; else why not.
  std::string smoothness_defect() const;

  /// Empty when the numbers make a function (finite, rising times, …); else what is wrong.
  std::string defect() const;

  const Shape& shape() const { return shape_; }

 private:
  Shape shape_;
  std::vector<double> breakpoints_;
  std::vector<double> spline_curvature_;  ///< second derivatives at the table's times
};

}  // namespace sarrus
