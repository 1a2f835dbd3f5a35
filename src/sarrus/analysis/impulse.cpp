#include "sarrus/analysis/impulse.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "sarrus/topology/elimination/tree_projector.h"

namespace sarrus {
namespace {

/// Heaviest direction of a soft joint, in units of the lightest. A joint has to close in all of them.
constexpr double kHeaviestOfGrab = 10;
constexpr double kHeaviestOfJoint = 100;

/// Acceleration that a soft joint may give to what it draws [m/s²].
constexpr double kDefaultPull = 200;

/// Everything that an elimination needs, in one.
class WholeMechanism {
 public:
  WholeMechanism(const Model& model, const Topology& topology, const Configuration& at)
      : system_(model),
        tree_(plan_assembly(model, topology)),
        plan_(system_, topology, tree_),
        elimination_(plan_, executor_, at) {}
  WholeMechanism(const WholeMechanism&) = delete;
  WholeMechanism& operator=(const WholeMechanism&) = delete;

  const ConstraintSystem& system() const { return system_; }
  Elimination& elimination() { return elimination_; }

 private:
  ConstraintSystem system_;
  AssemblyTree tree_;
  EliminationPlan plan_;
  Executor executor_;
  Elimination elimination_;
};

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

Status make_velocities_meet(const Model& model, const Topology& topology, double t,
                            Configuration& c) {
  WholeMechanism whole(model, topology, c);
  if (whole.system().rows() == 0) return {};
  if (Status status = whole.elimination().factor(t, c); !status.ok()) return status;
  return TreeProjector(whole.elimination()).project_velocities(t, c);
}

Status make_poses_meet(const Model& model, const Topology& topology, double t, Configuration& c) {
  WholeMechanism whole(model, topology, c);
  if (whole.system().rows() == 0) return {};
  return TreeProjector(whole.elimination()).project_positions(t, c);
}

Status find_admittance(const Model& model, const Topology& topology, double t,
                       const Configuration& c, const SoftJoint& soft, Mat6& admittance) {
  WholeMechanism whole(model, topology, c);
  Elimination& elimination = whole.elimination();
  if (Status status = elimination.factor(t, c); !status.ok()) return status;
  const Rows rows = rows_of(soft, t, c);
  const auto a = soft.joint.a.slot();
  const auto b = soft.joint.b.slot();
  std::vector<Vec6> force(c.poses.size(), Vec6::Zero());
  const std::vector<double> at_rest(static_cast<std::size_t>(whole.system().rows()), 0.0);
  admittance.setZero();
  for (int k = 0; k < rows.count; ++k) {
    force[a] = soft.joint.a == kGround ? Vec6::Zero() : rows[k].J_A;
    force[b] = soft.joint.b == kGround ? Vec6::Zero() : rows[k].J_B;
    if (Status status = elimination.solve(force, at_rest, {}); !status.ok()) return status;
    const auto acceleration = [&](std::size_t body) {
      return body == 0 ? Vec6::Zero().eval() : elimination.a()[body];
    };
    for (int i = 0; i < rows.count; ++i)
      admittance(i, k) = rows[i].rate(acceleration(a), acceleration(b));
  }
  admittance = (0.5 * (admittance + admittance.transpose())).eval();
  if (admittance.allFinite()) return {};
  return {Status::Code::kNotFinite, "the inertia that a soft joint feels is not finite"};
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
