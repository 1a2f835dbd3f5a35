#include "sarrus/model/joint.h"

#include <algorithm>

namespace sarrus {

int Joint::nq() const {
  return std::visit([](const auto& k) { return k.kNq; }, kind);
}

int Joint::nv() const {
  return std::visit([](const auto& k) { return k.kNv; }, kind);
}

Transform Joint::X_FM(const double* q) const {
  return std::visit([q](const auto& k) { return k.X_FM(q); }, kind);
}

Mat6xUpTo6 Joint::S_M(const double* q) const {
  Mat6xUpTo6 S;
  std::visit([&](const auto& k) { k.S_M(q, S); }, kind);
  return S;
}

Mat6xUpTo6 Joint::T_M(const double* q) const {
  Mat6xUpTo6 T;
  std::visit([&](const auto& k) { k.T_M(q, T); }, kind);
  return T;
}

Vec6 Joint::bias_M(const double* q, const double* v) const {
  return std::visit([q, v](const auto& k) { return k.bias_M(q, v); }, kind);
}

Rows Joint::constraint_rows(const JointView& view, const double* near) const {
  Rows rows;
  std::visit([&](const auto& k) { k.constraint_rows(view, near, rows); }, kind);
  return rows;
}

Rows Joint::coordinate_rows(const JointView& view, const double* near) const {
  Rows rows;
  std::visit([&](const auto& k) { k.coordinate_rows(view, near, rows); }, kind);
  return rows;
}

Rows Joint::speed_rows(const JointView& view, const double* near) const {
  Rows rows;
  std::visit([&](const auto& k) { k.speed_rows(view, near, rows); }, kind);
  return rows;
}

bool Joint::is_angle(int k) const {
  switch (type()) {
    case JointType::kRevolute:
    case JointType::kHelical:
    case JointType::kUniversal:
      return true;
    case JointType::kCylindrical:
      return k == 0;
    case JointType::kPlanar:
      return k == 2;
    default:
      return false;
  }
}

bool Joint::is_on_rotation_vector(int k) const {
  return k < 3 && (type() == JointType::kSpherical || type() == JointType::kFree);
}

Transform transform_from_coordinates(const JointKind& kind, const double* coordinates) {
  const bool has_rotation_vector =
      std::holds_alternative<Spherical>(kind) || std::holds_alternative<Free>(kind);
  if (!has_rotation_vector)
    return std::visit([&](const auto& k) { return k.X_FM(coordinates); }, kind);
  const Quat turn = exp_rotation(Vec3(coordinates[0], coordinates[1], coordinates[2]));
  double q[7] = {turn.w(), turn.x(), turn.y(), turn.z(), 0, 0, 0};
  if (std::holds_alternative<Free>(kind)) std::copy_n(coordinates + 3, 3, q + 4);
  return std::visit([&](const auto& k) { return k.X_FM(q); }, kind);
}

}  // namespace sarrus
