#include "sarrus/spatial/rotation.h"

#include <cmath>

namespace sarrus {
namespace {

// Jl(u)⁻¹ = 1 − ½[u] + b [u]²  with  b = (1 − (θ/2) cot(θ/2)) / θ².
// Below this angle the closed form loses digits to cancellation; the series' first dropped term
// (θ⁶/1209600) is then below 1e-19.
constexpr double kSmallAngle = 1e-2;

double inverse_coefficient(double theta2) {
  if (theta2 < kSmallAngle * kSmallAngle) return 1.0 / 12 + theta2 / 720 + theta2 * theta2 / 30240;
  const double theta = std::sqrt(theta2);
  const double half = 0.5 * theta;
  return (1 - half * std::cos(half) / std::sin(half)) / theta2;
}

// d b / d(θ²).
double inverse_coefficient_slope(double theta2) {
  if (theta2 < kSmallAngle * kSmallAngle)
    return 1.0 / 720 + theta2 / 15120 + theta2 * theta2 / 403200;
  const double theta = std::sqrt(theta2);
  const double half = 0.5 * theta;
  const double s = std::sin(half);
  const double cot = std::cos(half) / s;
  // b θ² = 1 − half·cot ;  d(b θ²)/dθ = −½cot + half/(2 s²)
  const double numerator_slope = -0.5 * cot + 0.5 * half / (s * s);
  const double slope_theta = numerator_slope / theta2 - 2 * (1 - half * cot) / (theta2 * theta);
  return slope_theta / (2 * theta);
}

}  // namespace

Quat exp_rotation(const Vec3& u) {
  const double theta = u.norm();
  const double half = 0.5 * theta;
  // sin(θ/2)/θ; the series keeps full precision where the quotient would be 0/0.
  const double scale = theta < 1e-4 ? 0.5 - theta * theta / 48 : std::sin(half) / theta;
  return Quat(std::cos(half), scale * u.x(), scale * u.y(), scale * u.z());
}

Vec3 log_rotation(const Quat& q) {
  const double sign = q.w() < 0 ? -1.0 : 1.0;  // the shorter way round
  const Vec3 v = sign * q.vec();
  const double w = sign * q.w();
  const double s = v.norm();
  if (s < 1e-7) return (2 / w) * v;  // atan(s/w)/s = 1/w up to (s/w)²/3 < 4e-15
  return (2 * std::atan2(s, w) / s) * v;
}

Mat3 left_jacobian(const Vec3& u) {
  const double theta2 = u.squaredNorm();
  const double theta = std::sqrt(theta2);
  double a = 0, b = 0;
  if (theta < kSmallAngle) {
    a = 0.5 - theta2 / 24 + theta2 * theta2 / 720;
    b = 1.0 / 6 - theta2 / 120 + theta2 * theta2 / 5040;
  } else {
    a = (1 - std::cos(theta)) / theta2;
    b = (theta - std::sin(theta)) / (theta2 * theta);
  }
  const Mat3 K = skew(u);
  return Mat3::Identity() + a * K + b * K * K;
}

Vec3 left_jacobian_rate(const Vec3& u, const Vec3& du) {
  // Jl u̇ = u̇ + a u×u̇ + b u×(u×u̇) with a, b as above; slopes are those by θ, over θ.
  const double theta2 = u.squaredNorm();
  double b = 0, a_slope = 0, b_slope = 0;
  // The slopes lose four digits more than a and b do; dropped terms are below 1e-16 here.
  if (theta2 < 1e-2) {
    const double t = theta2;
    b = 1.0 / 6 - t * (1.0 / 120 - t * (1.0 / 5040 - t * (1.0 / 362880 - t / 39916800)));
    a_slope = -1.0 / 12 + t * (1.0 / 180 - t * (1.0 / 6720 - t * (1.0 / 453600 - t / 47900160)));
    b_slope =
        -1.0 / 60 + t * (1.0 / 1260 - t * (1.0 / 60480 - t * (1.0 / 4989600 - t / 622702080)));
  } else {
    const double theta = std::sqrt(theta2);
    const double s = std::sin(theta);
    const double versine = 1 - std::cos(theta);
    b = (theta - s) / (theta2 * theta);
    a_slope = (theta * s - 2 * versine) / (theta2 * theta2);
    b_slope = (theta * versine - 3 * (theta - s)) / (theta2 * theta2 * theta);
  }
  const Vec3 c = u.cross(du);
  const double rate = u.dot(du);
  return a_slope * rate * c + b_slope * rate * u.cross(c) + b * du.cross(c);
}

Mat3 left_jacobian_inverse(const Vec3& u) {
  const Mat3 K = skew(u);
  return Mat3::Identity() - 0.5 * K + inverse_coefficient(u.squaredNorm()) * K * K;
}

Vec3 right_jacobian_inverse_rate(const Vec3& u, const Vec3& du, const Vec3& w) {
  // Jr⁻¹ w = w + ½ u×w + b u×(u×w)
  const double theta2 = u.squaredNorm();
  const double b = inverse_coefficient(theta2);
  const double b_rate = inverse_coefficient_slope(theta2) * 2 * u.dot(du);
  return 0.5 * du.cross(w) + b_rate * u.cross(u.cross(w)) +
         b * (du.cross(u.cross(w)) + u.cross(du.cross(w)));
}

Quat least_turn(const Vec3& from, const Vec3& to) {
  const Vec3 start = from.normalized(), end = to.normalized();
  const double length = (start + end).norm();  // 2 cos of half the angle
  // Below, rounding hides the axis: half a turn about any axis across.
  constexpr double kOpposite = 1e-12;
  Quat q;
  if (length < kOpposite) {
    q.w() = 0;
    q.vec() = start.unitOrthogonal();
  } else {
    q.w() = 0.5 * length;
    q.vec() = start.cross(end) / length;
    // Nearly opposite, rounding tilts the axis: it lies across both.
    const Vec3 between = start - end;
    if (length < 1) q.vec() -= between.dot(q.vec()) / between.squaredNorm() * between;
  }
  return q.normalized();
}

Mat3 frame_with_z(const Vec3& z, const Vec3& x_hint) {
  const Vec3 ez = z.normalized();
  Vec3 x = x_hint - ez * ez.dot(x_hint);
  if (x.norm() < 1e-6 * (1 + x_hint.norm())) {
    // Any perpendicular will do: start from the world axis least aligned with z.
    Eigen::Index least = 0;
    ez.cwiseAbs().minCoeff(&least);
    const Vec3 e = Vec3::Unit(least);
    x = e - ez * ez.dot(e);
  }
  x.normalize();
  Mat3 R;
  R << x, ez.cross(x), ez;
  return R;
}

}  // namespace sarrus
