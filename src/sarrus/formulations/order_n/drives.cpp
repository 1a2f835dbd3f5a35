#include "sarrus/formulations/order_n/drives.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>

#include "sarrus/formulations/order_n/joint_loads.h"

namespace sarrus::order_n {
namespace {

using MatUpTo6 = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

bool turns_by_rotation_vector(const TreeBody& body, const PrescribedMotion& motion) {
  return body.has_quaternion() && motion.at.index < 3;
}

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

Drives::Drives(const Tree& tree) : tree_(tree), drive_of_(tree.bodies().size(), -1) {
  unknowns_.reserve(tree.bodies().size());
  for (const TreeBody& body : tree.bodies()) unknowns_.push_back(body.nv);
  for (const PrescribedMotion& motion : tree.model().motions()) {
    const int slot = tree.slot_of(motion.at.joint);
    const auto at = of(slot);
    if (drive_of_[at] < 0) {
      drive_of_[at] = static_cast<int>(driven_.size());
      driven_.push_back({slot, {}});
    }
    driven_[of(drive_of_[at])].motions.push_back(&motion);
    --unknowns_[at];
  }
}

void Drives::apply(double t, std::span<double> q, std::span<double> v, std::span<const double> near,
                   std::vector<PlainDrive>& drives) const {
  drives.resize(driven_.size());
  for (std::size_t d = 0; d < driven_.size(); ++d) {
    const Driven& driven = driven_[d];
    const TreeBody& body = tree_.bodies()[of(driven.slot)];
    const int count = static_cast<int>(driven.motions.size());
    if (std::any_of(driven.motions.begin(), driven.motions.end(), [&](const auto* motion) {
          return turns_by_rotation_vector(body, *motion);
        }))
      set_rotation(tree_, body, driven.motions, t, q.data(), v.data(), near);
    for (const PrescribedMotion* motion : driven.motions)
      if (!turns_by_rotation_vector(body, *motion))
        q[of(place_in_q(body, motion->at.index))] = motion->value(t).value;

    // Rows: A v = rates, A v̇ = accelerations − gamma.
    MatUpTo6 A(count, body.nv);
    VecUpTo6 rates(count), accelerations(count);
    const auto fill = [&](bool second) {
      for (int k = 0; k < count; ++k) {
        const PrescribedMotion& motion = *driven.motions[of(k)];
        const CoordinateRow row =
            coordinate_row(tree_, body, motion.at.index, q.data(), v.data(), near);
        const TimeFunction::Value value = motion.value(t);
        A.row(k) = row.row.transpose();
        rates[k] = value.rate;
        if (second) accelerations[k] = value.acceleration - row.gamma;
      }
    };
    fill(false);
    Eigen::Map<VecX> v_J(v.data() + body.v, body.nv);
    const MatUpTo6 gram = A * A.transpose();
    const Eigen::LLT<MatUpTo6> factor(gram);
    VecUpTo6 missing = rates - A * v_J;
    factor.solveInPlace(missing);
    v_J += A.transpose() * missing;
    fill(true);  // gamma depends on the speeds

    PlainDrive& drive = drives[d];
    drive.slot = driven.slot;
    factor.solveInPlace(accelerations);
    drive.given = A.transpose() * accelerations;
    const Eigen::HouseholderQR<MatUpTo6> qr(A.transpose());
    MatUpTo6 Q = MatUpTo6::Identity(body.nv, body.nv);
    Q.applyOnTheLeft(qr.householderQ());
    drive.N = Q.rightCols(body.nv - count);
  }
}

}  // namespace sarrus::order_n
