#include "sarrus/model/time_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sarrus {
namespace {

using Value = TimeFunction::Value;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

Value ramp_value(const TimeFunction::Ramp& f, double t) {
  if (t < f.start) return {f.from, 0, 0};
  if (t >= f.stop) return {f.from + f.rate * (f.stop - f.start), 0, 0};
  return {f.from + f.rate * (t - f.start), f.rate, 0};
}

Value sine_value(const TimeFunction::Sine& f, double t) {
  const double argument = f.angular_frequency * t + f.phase;
  const double s = f.amplitude * std::sin(argument);
  return {f.offset + s, f.amplitude * f.angular_frequency * std::cos(argument),
          -f.angular_frequency * f.angular_frequency * s};
}

Value table_value(const TimeFunction::Table& f, const std::vector<double>& curvature, double t) {
  if (t < f.times.front()) return {f.values.front(), 0, 0};
  if (t >= f.times.back()) return {f.values.back(), 0, 0};
  const auto above = std::upper_bound(f.times.begin(), f.times.end(), t) - f.times.begin();
  const auto i = static_cast<std::size_t>(above) - 1;
  const double width = f.times[i + 1] - f.times[i];
  const double b = (t - f.times[i]) / width;
  const double a = 1 - b;
  const double slope = (f.values[i + 1] - f.values[i]) / width;
  if (!f.smooth) return {f.values[i] + slope * (t - f.times[i]), slope, 0};
  const double c0 = curvature[i];
  const double c1 = curvature[i + 1];
  return {a * f.values[i] + b * f.values[i + 1] +
              ((a * a * a - a) * c0 + (b * b * b - b) * c1) * width * width / 6,
          slope + ((1 - 3 * a * a) * c0 + (3 * b * b - 1) * c1) * width / 6, a * c0 + b * c1};
}

// Second derivatives of the cubic spline whose slope is zero at both ends, so that it joins the
// constants outside without a corner.
std::vector<double> clamped_spline(const TimeFunction::Table& f) {
  const std::size_t n = f.times.size();
  std::vector<double> curvature(n, 0), diagonal(n), right(n);
  const auto width = [&](std::size_t i) { return f.times[i + 1] - f.times[i]; };
  const auto slope = [&](std::size_t i) { return (f.values[i + 1] - f.values[i]) / width(i); };
  diagonal[0] = 2 * width(0);
  right[0] = 6 * slope(0);
  for (std::size_t i = 1; i < n; ++i) {
    const bool last = i + 1 == n;
    const double below = width(i - 1);
    const double factor = below / diagonal[i - 1];
    diagonal[i] = 2 * (below + (last ? 0 : width(i))) - factor * below;
    right[i] = 6 * ((last ? 0 : slope(i)) - slope(i - 1)) - factor * right[i - 1];
  }
  curvature[n - 1] = right[n - 1] / diagonal[n - 1];
  for (std::size_t i = n - 1; i-- > 0;)
    curvature[i] = (right[i] - width(i) * curvature[i + 1]) / diagonal[i];
  return curvature;
}

}  // namespace

TimeFunction::TimeFunction(Shape shape) : shape_(std::move(shape)) {
  if (!defect().empty()) return;  // told by whoever checks the model
  if (const auto* step = std::get_if<Step>(&shape_)) {
    breakpoints_ = {step->at};
    if (step->duration > 0) breakpoints_.push_back(step->at + step->duration);
  } else if (const auto* ramp = std::get_if<Ramp>(&shape_)) {
    breakpoints_ = {ramp->start, ramp->stop};
  } else if (const auto* table = std::get_if<Table>(&shape_)) {
    breakpoints_ = table->times;
    if (table->smooth) spline_curvature_ = clamped_spline(*table);
  }
}

TimeFunction::Value TimeFunction::operator()(double t) const {
  return std::visit(Overloaded{
                        [](const Constant& f) {
                          return Value{f.value, 0, 0};
                        },
                        [t](const Step& f) { return f.at_time(t); },
                        [t](const Ramp& f) { return ramp_value(f, t); },
                        [t](const Sine& f) { return sine_value(f, t); },
                        [t, this](const Table& f) { return table_value(f, spline_curvature_, t); },
                    },
                    shape_);
}

std::string TimeFunction::smoothness_defect() const {
  if (const auto* step = std::get_if<Step>(&shape_)) {
    if (step->duration <= 0 && step->from != step->to && step->at > 0)
      return fmt::format("the step at t = {} jumps; give it a duration", step->at);
  } else if (const auto* ramp = std::get_if<Ramp>(&shape_)) {
    if (ramp->rate != 0 && ramp->start > 0)
      return fmt::format("the ramp has a corner at its start, t = {}", ramp->start);
    if (ramp->rate != 0 && ramp->stop > 0 && ramp->stop < 1e300)
      return fmt::format("the ramp has a corner at its stop, t = {}", ramp->stop);
  } else if (const auto* table = std::get_if<Table>(&shape_)) {
    if (!table->smooth && table->times.size() > 1)
      return "the table's straight lines meet in corners; set smooth: true";
  }
  return {};
}

std::string TimeFunction::defect() const {
  const auto all_finite = [](std::initializer_list<double> numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
  };
  constexpr const char* kNotFinite = "a number is not finite";
  return std::visit(
      Overloaded{
          [&](const Constant& f) -> std::string { return all_finite({f.value}) ? "" : kNotFinite; },
          [&](const Step& f) -> std::string {
            if (!all_finite({f.from, f.to, f.at, f.duration})) return kNotFinite;
            return f.duration < 0 ? "the duration is negative" : "";
          },
          [&](const Ramp& f) -> std::string {
            if (!all_finite({f.from, f.rate, f.start, f.stop})) return kNotFinite;
            return f.stop < f.start ? "the ramp stops before it starts" : "";
          },
          [&](const Sine& f) -> std::string {
            return all_finite({f.amplitude, f.angular_frequency, f.phase, f.offset}) ? ""
                                                                                     : kNotFinite;
          },
          [&](const Table& f) -> std::string {
            if (f.times.empty()) return "the table is empty";
            if (f.smooth && f.times.size() < 2) return "a smooth table needs at least two entries";
            if (f.times.size() != f.values.size())
              return fmt::format("the table has {} times but {} values", f.times.size(),
                                 f.values.size());
            for (std::size_t i = 0; i < f.times.size(); ++i) {
              if (!all_finite({f.times[i], f.values[i]})) return kNotFinite;
              if (i > 0 && f.times[i] <= f.times[i - 1])
                return fmt::format("the table's times do not rise at entry {}", i + 1);
            }
            return "";
          },
      },
      shape_);
}

}  // namespace sarrus
