#include "sarrus/analysis/impulse.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "sarrus/constraints/closing.h"
#include "sarrus/model/loads.h"
#include "sarrus/topology/elimination/tree_projector.h"

namespace sarrus {
namespace {

using Values = Elimination::Values;

/// Heaviest direction of a soft joint, in units of the lightest. A joint has to close in all of them.
constexpr double kHeaviestOfGrab = 10;
constexpr double kHeaviestOfJoint = 100;

/// Of the largest speed, what the rows of a large mechanism leave by rounding alone.
constexpr double kRounding = 1e-14;

/// Of the typical length: where so little is open, matrices are the same before and after.
constexpr double kNext = 1e-5;

/// Acceleration that a soft joint may give to what it draws [m/s²].
constexpr double kDefaultPull = 200;

/// Rows in radians measured in metres.
Vec6 scales_of(const Rows& rows, double length) {
  Vec6 scale = Vec6::Ones();
  for (int k = 0; k < rows.count; ++k)
    if (rows[k].J_A.tail<3>().isZero(0) && rows[k].J_B.tail<3>().isZero(0)) scale[k] = length;
  return scale;
}

Rows rows_of(const SoftJoint& soft, double t, const Configuration& c) {
  const auto a = soft.joint.a.slot();
  const auto b = soft.joint.b.slot();
  return soft.pull(t, c.poses[a], c.velocities[a], c.poses[b], c.velocities[b]).rows;
}

}  // namespace

Status make_velocities_meet(Elimination& elimination, double t, Configuration& c, bool stands) {
  if (elimination.plan().system->rows() == 0) return {};
  if (stands) {
    elimination.evaluate(t, c, Values::kVelocities);
  } else {
    if (Status status = elimination.factor(t, c, Values::kVelocities); !status.ok()) return status;
  }
  TreeProjector projector(elimination);
  projector.velocity_residual = kRounding;
  return projector.project_velocities(t, c);
}

Status make_poses_meet(Elimination& elimination, double t, Configuration& c) {
  const ConstraintSystem& system = *elimination.plan().system;
  if (system.rows() == 0) return {};
  if (Status status = elimination.factor(t, c, Values::kPositions); !status.ok()) return status;
  TreeProjector projector(elimination);
  const Eigen::Map<const VecX> phi(elimination.phi().data(), system.rows());
  if (phi.norm() <= kNext * system.length()) {
    Configuration closed = c;
    if (projector.close_with_old_matrices(t, closed, closed_residual(system, c))) {
      update_coordinates(system.model(), closed);
      c = std::move(closed);
      return {};
    }
  }
  if (Status status = projector.project_positions(t, c); !status.ok()) return status;
  return elimination.factor(t, c, Values::kPositions);
}

Status find_admittances(Elimination& elimination, double t, const Configuration& c,
                        std::span<const SoftJoint> soft, std::vector<Mat6>& admittances) {
  admittances.assign(soft.size(), Mat6::Zero());
  if (soft.empty()) return {};
  if (Status status = elimination.factor(t, c, Values::kPositions); !status.ok()) return status;
  const std::vector<double> at_rest(elimination.phi().size(), 0.0);
  std::vector<Vec6> force(c.poses.size(), Vec6::Zero());
  for (std::size_t s = 0; s < soft.size(); ++s) {
    const Rows rows = rows_of(soft[s], t, c);
    const auto a = soft[s].joint.a.slot();
    const auto b = soft[s].joint.b.slot();
    Mat6& admittance = admittances[s];
    for (int k = 0; k < rows.count; ++k) {
      force[a] = a == 0 ? Vec6::Zero() : rows[k].J_A;
      force[b] = b == 0 ? Vec6::Zero() : rows[k].J_B;
      if (Status status = elimination.solve(force, at_rest, {}); !status.ok()) return status;
      const auto acceleration = [&](std::size_t body) {
        return body == 0 ? Vec6::Zero().eval() : elimination.a()[body];
      };
      for (int i = 0; i < rows.count; ++i)
        admittance(i, k) = rows[i].rate(acceleration(a), acceleration(b));
    }
    force[a] = force[b] = Vec6::Zero();
    admittance = (0.5 * (admittance + admittance.transpose())).eval();
    if (!admittance.allFinite())
      return {Status::Code::kNotFinite, "the inertia that a soft joint feels is not finite"};
  }
  return {};
}

void tune_soft_joint(const Model& model, const Mat6& admittance, double length, SoftJoint& soft) {
  const int n = soft.joint.constraint_count();
  soft.mass.setZero();
  soft.limit = 0;
  soft.length = length;
  if (n == 0) return;
  // Which rows are angles does not depend on the pose.
  Configuration any;
  any.poses.resize(1 + static_cast<std::size_t>(std::max(soft.joint.a.index, soft.joint.b.index)));
  any.velocities.assign(any.poses.size(), Vec6::Zero());
  const Vec6 scale = scales_of(rows_of(soft, 0, any), length);
  const MatX D = scale.head(n).asDiagonal();
  const Eigen::SelfAdjointEigenSolver<MatX> eigen(D * admittance.topLeftCorner(n, n) * D);
  const double lightest = eigen.eigenvalues()[n - 1];
  if (!(lightest > 0)) return;  // nothing can move: nothing is to be pulled
  const double heaviest = soft.tumbles ? 1 : soft.grabs ? kHeaviestOfGrab : kHeaviestOfJoint;
  VecX mass(n);
  for (int k = 0; k < n; ++k) mass[k] = 1 / std::max(eigen.eigenvalues()[k], lightest / heaviest);
  soft.mass.topLeftCorner(n, n) =
      D * eigen.eigenvectors() * mass.asDiagonal() * eigen.eigenvectors().transpose() * D;
  const double weight =
      model.body(soft.joint.a).inertia.mass + model.body(soft.joint.b).inertia.mass;
  soft.limit = soft.max_force.value_or(kDefaultPull * (soft.grabs ? mass.maxCoeff() : weight));
}

double stiffening(const SoftJoint& soft, const Mat6& admittance) {
  const int n = soft.joint.constraint_count();
  if (n == 0) return 1;
  const MatX product = soft.mass.topLeftCorner(n, n) * admittance.topLeftCorner(n, n);
  // Similar to a symmetric matrix: its eigenvalues are real.
  return Eigen::EigenSolver<MatX>(product, false).eigenvalues().real().maxCoeff();
}

}  // namespace sarrus
