#include "sarrus/tree/drives.h"

#include <algorithm>

#include "sarrus/spatial/dense.h"
#include "sarrus/tree/joint_loads.h"

namespace sarrus::tree {
namespace {

/// Sets the driven components of the joint's rotation vector.
void set_rotation(const Tree& tree, const TreeBody& body,
                  const std::vector<const PrescribedMotion*>& motions, double t, double* q,
                  const double* v, std::span<const double> near) {
  Vec3 u;
  for (int k = 0; k < 3; ++k) u[k] = coordinate_row(tree, body, k, q, v, near).value;
  for (const PrescribedMotion* motion : motions)
    if (motion->at.index < 3) u[motion->at.index] = motion->value(t).value;
  const Quat turn = exp_rotation(u);
  q[body.q] = turn.w();
  Eigen::Map<Vec3>(q + body.q + 1) = turn.vec();
}

}  // namespace

struct Drives::RowSet {
  MatUpTo6 A;
  VecUpTo6 rate, acceleration;  ///< A v = rate, A v̇ = acceleration

  /// The smallest v with A v = b.
  VecUpTo6 smallest(const VecUpTo6& b) const {
    const MatUpTo6 gram = A * A.transpose();
    return A.transpose() * Cholesky<MatUpTo6>(gram).solve(b);
  }
  /// All v with A v = 0, orthonormal.
  MatUpTo6 null_space() const { return complement_of(MatUpTo6(A.transpose())); }
};

Drives::Drives(const Tree& tree, const std::vector<PrescribedMotion>& motions)
    : tree_(tree), drive_of_(tree.bodies().size(), -1) {
  unknowns_.reserve(tree.bodies().size());
  for (const TreeBody& body : tree.bodies()) unknowns_.push_back(body.nv);
  for (const PrescribedMotion& motion : motions) {
    const int slot = tree.slot_of(motion.at.joint);
    if (slot < 0) continue;
    if (drive_of_[to_index(slot)] < 0) {
      drive_of_[to_index(slot)] = static_cast<int>(driven_.size());
      driven_.push_back({slot, {}, true, {}});
    }
    driven_[to_index(drive_of_[to_index(slot)])].motions.push_back(&motion);
    --unknowns_[to_index(slot)];
  }
  for (Driven& driven : driven_) {
    const TreeBody& body = tree.bodies()[to_index(driven.slot)];
    driven.N.setZero(body.nv, unknowns_[to_index(driven.slot)]);
    Eigen::Index column = 0;
    for (int k = 0; k < body.nv; ++k)
      if (std::none_of(driven.motions.begin(), driven.motions.end(),
                       [k](const auto* motion) { return motion->at.index == k; }))
        driven.N(k, column++) = 1;
    for (const PrescribedMotion* motion : driven.motions)
      driven.on_speeds =
          driven.on_speeds && (motion->on_speed || !body.is_on_rotation_vector(motion->at.index));
  }
}

Drives::RowSet Drives::rows_of(const Driven& driven, double t, std::span<const double> q,
                               std::span<const double> v, std::span<const double> near) const {
  const TreeBody& body = tree_.bodies()[to_index(driven.slot)];
  const int count = static_cast<int>(driven.motions.size());
  RowSet rows{MatUpTo6(count, body.nv), VecUpTo6(count), VecUpTo6(count)};
  for (int k = 0; k < count; ++k) {
    const PrescribedMotion& motion = *driven.motions[to_index(k)];
    const CoordinateRow row =
        motion.on_speed ? CoordinateRow{.row = VecUpTo6::Unit(body.nv, motion.at.index)}
                        : coordinate_row(tree_, body, motion.at.index, q.data(), v.data(), near);
    const TimeFunction::Value value = motion.value(t);
    rows.A.row(k) = row.row.transpose();
    rows.rate[k] = value.rate;
    rows.acceleration[k] = value.acceleration - row.gamma;
  }
  return rows;
}

void Drives::move(double t, std::span<double> q, std::span<const double> v,
                  std::span<const double> near) const {
  for (const Driven& driven : driven_) move(driven, t, q, v, near);
}

void Drives::move(const Driven& driven, double t, std::span<double> q, std::span<const double> v,
                  std::span<const double> near) const {
  const TreeBody& body = tree_.bodies()[to_index(driven.slot)];
  if (std::any_of(driven.motions.begin(), driven.motions.end(),
                  [&](const auto* motion) { return body.is_on_rotation_vector(motion->at.index); }))
    set_rotation(tree_, body, driven.motions, t, q.data(), v.data(), near);
  for (const PrescribedMotion* motion : driven.motions)
    if (!body.is_on_rotation_vector(motion->at.index))
      q[to_index(place_in_q(body, motion->at.index))] = motion->value(t).value;
}

void Drives::complete_speeds(double t, std::span<const double> q, std::span<const double> v,
                             std::span<const double> near, std::vector<DrivenJoint>& drives) const {
  drives.resize(driven_.size());
  for (std::size_t d = 0; d < driven_.size(); ++d)
    complete_speeds(driven_[d], t, q, v, near, drives[d]);
}

void Drives::complete_speeds(const Driven& driven, double t, std::span<const double> q,
                             std::span<const double> v, std::span<const double> near,
                             DrivenJoint& drive) const {
  const TreeBody& body = tree_.bodies()[to_index(driven.slot)];
  if (driven.on_speeds) {
    drive = {driven.slot, driven.N, VecUpTo6::Zero(body.nv)};
    for (const PrescribedMotion* motion : driven.motions)
      drive.given[motion->at.index] =
          motion->value(t).rate - v[to_index(body.v + motion->at.index)];
    return;
  }
  const RowSet rows = rows_of(driven, t, q, v, near);
  const Eigen::Map<const VecX> v_J(v.data() + body.v, body.nv);
  const VecUpTo6 missing = rows.rate - rows.A * v_J;
  drive = {driven.slot, rows.null_space(), rows.smallest(missing)};
}

void Drives::apply(double t, std::span<double> q, std::span<double> v, std::span<const double> near,
                   std::vector<DrivenJoint>& drives) const {
  drives.resize(driven_.size());
  for (std::size_t d = 0; d < driven_.size(); ++d) {
    const Driven& driven = driven_[d];
    const TreeBody& body = tree_.bodies()[to_index(driven.slot)];
    if (!driven.on_speeds) {
      move(driven, t, q, v, near);
      complete_speeds(driven, t, q, v, near, drives[d]);
      Eigen::Map<VecX>(v.data() + body.v, body.nv) += drives[d].given;
      // Anew, for the second derivatives depend on the speeds.
      const RowSet rows = rows_of(driven, t, q, v, near);
      drives[d].given = rows.smallest(rows.acceleration);
      continue;
    }
    drives[d].slot = driven.slot;
    drives[d].N = driven.N;
    drives[d].given.setZero(body.nv);
    for (const PrescribedMotion* motion : driven.motions) {
      const int k = motion->at.index;
      const TimeFunction::Value value = motion->value(t);
      q[to_index(place_in_q(body, k))] = value.value;
      v[to_index(body.v + k)] = value.rate;
      drives[d].given[k] = value.acceleration;
    }
  }
}

}  // namespace sarrus::tree
