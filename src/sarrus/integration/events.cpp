#include "sarrus/integration/events.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace sarrus {
namespace {

struct Point {
  double t;
  double g;
};

int side(double g) { return (g > 0) - (g < 0); }

// Round-off of times near t: no root can be placed better.
double resolution(double t) { return 2 * std::numeric_limits<double>::epsilon() * std::abs(t); }

// [event-location]  ITP (Oliveira, Takahashi 2020): never slower than bisection, and superlinear on
// smooth functions. Shrinks a bracket with a sign change to `tolerance`; returns its right end.
double right_of_root(const ZeroCrossing::Function& g, Point a, Point b, double tolerance) {
  const double half_tolerance = 0.5 * tolerance;
  const double width = b.t - a.t;
  const double bisections = std::ceil(std::log2(std::max(1.0, width / tolerance)));
  double radius = half_tolerance * std::exp2(bisections + 1);  // one bisection in reserve
  while (b.t - a.t > tolerance && b.g != 0) {
    const double middle = 0.5 * (a.t + b.t);
    const double slack = std::max(0.0, radius - 0.5 * (b.t - a.t));
    const double regula_falsi = (b.g * a.t - a.g * b.t) / (b.g - a.g);
    const double towards = middle < regula_falsi ? -1 : 1;
    // Move the interpolated root towards the middle, then no further from it than bisection needs.
    const double nudge = 0.2 / width * (b.t - a.t) * (b.t - a.t);
    const double truncated = nudge <= std::abs(middle - regula_falsi)
                                 ? regula_falsi + towards * std::max(nudge, half_tolerance)
                                 : middle;
    const double t = std::abs(truncated - middle) <= slack ? truncated : middle - towards * slack;
    const double inside = t > a.t && t < b.t ? t : middle;
    if (!(inside > a.t && inside < b.t)) break;  // neighbouring numbers
    const Point p{inside, g(inside)};
    (side(p.g) == side(a.g) ? a : b) = p;
    radius *= 0.5;
  }
  return b.t;
}

// [event-location]  Between three samples on one side (the first may be zero): goes where the
// parabola through them comes nearest to zero, a few times over, until a sample is on the other
// side or on zero.
std::optional<Point> dip(const ZeroCrossing::Function& g, std::array<Point, 3> p) {
  constexpr int kProbes = 6;
  const int from = side(p[1].g);
  for (int probe = 0; probe < kProbes; ++probe) {
    const double left = p[1].t - p[0].t;
    const double right = p[2].t - p[1].t;
    const double slope_left = (p[1].g - p[0].g) / left;
    const double slope_right = (p[2].g - p[1].g) / right;
    const double curvature = (slope_right - slope_left) / (left + right);  // half of g″
    if (!(from * curvature > 0)) return {};                                // bends away from zero
    const double t = 0.5 * (p[0].t + p[1].t - slope_left / curvature);
    if (!(t > p[0].t && t < p[2].t) || t == p[1].t) return {};
    const double nearest = p[0].g - curvature * (t - p[0].t) * (t - p[0].t);
    // Half of the least sample is margin for what a parabola cannot see.
    const double least = std::min({std::abs(p[0].g), std::abs(p[1].g), std::abs(p[2].g)});
    if (from * nearest > 0.5 * least) return {};
    const Point at{t, g(t)};
    if (std::isnan(at.g)) return {};
    if (side(at.g) != from) return at;
    if (t < p[1].t)
      p = {p[0], at, p[1]};
    else
      p = {p[1], at, p[2]};
  }
  return {};
}

// Samples of the step in order, those that dips add among them.
std::vector<Point> sample(const ZeroCrossing::Function& g, double start, double end, int intervals,
                          bool zero_at_start) {
  std::vector<Point> points;
  for (int i = 0; i <= intervals; ++i) {
    const double t = i == intervals ? end : start + (end - start) * i / intervals;
    const double value = i == 0 && zero_at_start ? 0 : g(t);
    if (!std::isnan(value)) points.push_back({t, value});
  }
  std::vector<Point> dips;
  for (std::size_t i = 0; i + 2 < points.size(); ++i) {
    // Out of a zero the function may dip to the other side at once.
    const int to = side(points[i + 1].g);
    if (to == 0 || side(points[i + 2].g) != to || side(points[i].g) == -to) continue;
    if (const auto found = dip(g, {points[i], points[i + 1], points[i + 2]}))
      dips.push_back(*found);
  }
  points.insert(points.end(), dips.begin(), dips.end());
  std::ranges::sort(points, {}, &Point::t);
  return points;
}

// Is zero left to the side `from` it was reached from? Then it was only touched.
bool only_touched(std::span<const Point> after, int from) {
  const auto next = std::ranges::find_if(after, [](const Point& p) { return side(p.g) != 0; });
  return next != after.end() && side(next->g) == from;
}

bool matches(Direction direction, int from) {
  return direction == Direction::kBoth || (direction == Direction::kRising) == (from < 0);
}

}  // namespace

ZeroCrossing::ZeroCrossing() = default;
ZeroCrossing::ZeroCrossing(Options options) : options_(options) {}

std::optional<double> ZeroCrossing::find(const Function& g, double start, double end) {
  if (!(end > start)) return {};
  // What was found at the start is a zero, whatever round-off makes of it.
  const bool zero_at_start = found_ && *found_ == start;
  found_.reset();
  const std::vector<Point> points =
      sample(g, start, end, std::max(1, options_.intervals), zero_at_start);

  const double tolerance =
      std::max({options_.tolerance * (end - start), resolution(start), resolution(end)});
  for (std::size_t i = 1; i < points.size(); ++i) {
    const int from = side(points[i - 1].g);
    if (from == 0 || side(points[i].g) == from || !matches(options_.direction, from)) continue;
    if (points[i].g == 0 && only_touched(std::span(points).subspan(i), from)) continue;
    found_ = right_of_root(g, points[i - 1], points[i], tolerance);
    return found_;
  }
  return {};
}

}  // namespace sarrus
