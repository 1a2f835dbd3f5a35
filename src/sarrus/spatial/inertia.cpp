#include "sarrus/spatial/inertia.h"

#include <fmt/format.h>

#include "sarrus/spatial/dense.h"
#include "sarrus/spatial/rotation.h"

namespace sarrus {

Mat3 Inertia::about_origin() const {
  const Mat3 c = skew(center);
  return central - mass * c * c;
}

Mat6 Inertia::matrix(const Mat3& R) const {
  const Vec3 c = R * center;
  const Mat3 mc = mass * skew(c);
  Mat6 M;
  M.topLeftCorner<3, 3>() = R * about_origin() * R.transpose();
  M.topRightCorner<3, 3>() = mc;
  M.bottomLeftCorner<3, 3>() = -mc;
  M.bottomRightCorner<3, 3>() = mass * Mat3::Identity();
  return M;
}

Inertia Inertia::in_frame(const Mat3& R_AB, const Vec3& p_AB) const {
  return {mass, p_AB + R_AB * center, R_AB * central * R_AB.transpose()};
}

Inertia Inertia::operator+(const Inertia& other) const {
  const double total = mass + other.mass;
  if (total == 0) return {0, center, central + other.central};
  const Vec3 c = (mass * center + other.mass * other.center) / total;
  const Mat3 a = skew(center - c);
  const Mat3 b = skew(other.center - c);
  return {total, c, central + other.central - mass * a * a - other.mass * b * b};
}

std::string inertia_defect(const Inertia& inertia) {
  if (!(inertia.mass >= 0) || !std::isfinite(inertia.mass))
    return fmt::format("mass {} is not a number ≥ 0", inertia.mass);
  if (!inertia.center.allFinite()) return "the mass centre is not finite";
  const Mat3& J = inertia.central;
  if (!J.allFinite()) return "the inertia tensor is not finite";
  const double size = J.cwiseAbs().maxCoeff();
  // Typed data carry rounding: one part in 1e9 is no mistake of the user's.
  const double slack = 1e-9 * size;
  if ((J - J.transpose()).cwiseAbs().maxCoeff() > slack)
    return "the inertia tensor is not symmetric";
  const Vec3 principal = principal_axes(J).values;
  if (principal[0] < -slack)
    return fmt::format("the inertia tensor has the negative principal moment {:.6g}", principal[0]);
  if (principal[2] > principal[0] + principal[1] + slack)
    return fmt::format(
        "the principal moments {:.6g}, {:.6g}, {:.6g} break the triangle inequality (the largest "
        "exceeds the sum of the others)",
        principal[0], principal[1], principal[2]);
  return {};
}

}  // namespace sarrus
