#include "sarrus/formulations/coordinate_reduction/paper.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>

#include "sarrus/constraints/projector.h"
#include "sarrus/model/loads.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus::coordinate_reduction {
namespace {

/// A singular value this small says that the closures do not see a direction. Above the noise of
/// geometry and of positions after a projection.
constexpr double kUnseen = 1e-9;

/// The same after a division by a small pivot: over that pivot.  [paper-small-pivots]
constexpr double kUnseenAfterDivision = 1e-12;

/// A pivot this far below the inertia it is a difference of is rounding of a zero.
constexpr double kMassless = 1e-14;

/// X: motions at a point to motions at the one displaced by r.
Mat6 shift(const Vec3& r) {
  Mat6 X = Mat6::Identity();
  X.bottomLeftCorner<3, 3>() = -skew(r);
  return X;
}

Mat6 symmetric_part(const Mat6& I) { return 0.5 * (I + I.transpose()); }

/// A joint between its first and its second body: V₂ = X V₁ + S u, A₂ = X A₁ + S u̇ + c.
struct TwoBodyMotion {
  Vec3 r;      ///< from the first body's origin to the second's
  Vec3 hinge;  ///< from the second body's origin
  Mat6xUpTo6 S;
  Vec6 c;
  VecUpTo6 u;
};

TwoBodyMotion tree_joint_motion(const tree::Tree& tree, const tree::TreeMotion& motion,
                                int joint_slot, std::span<const double> v) {
  const auto slot = static_cast<std::size_t>(joint_slot);
  const tree::TreeBody& body = tree.bodies()[slot];
  return {.r = motion.r[slot],
          .hinge = motion.X_WB[slot].q * tree.frame_on_body(body).p,
          .S = motion.S[slot],
          .c = motion.c[slot],
          .u = Eigen::Map<const VecX>(v.data() + body.v, body.nv)};
}

/// Rows that vanish and rows whose rates are the speeds together determine the relative motion.
/// [paper-cut-joint]
TwoBodyMotion cut_joint_motion(const tree::Tree& tree, const tree::TreeMotion& motion,
                               const Joint& joint) {
  const auto pose = [&](BodyId body) {
    const int slot = tree.slot_of(body);
    return slot < 0 ? Transform{} : motion.X_WB[static_cast<std::size_t>(slot)];
  };
  const auto velocity = [&](BodyId body) {
    const int slot = tree.slot_of(body);
    return slot < 0 ? Vec6::Zero().eval() : motion.V[static_cast<std::size_t>(slot)];
  };
  const Vec6 V_A = velocity(joint.a), V_B = velocity(joint.b);
  const JointView view(pose(joint.a), V_A, joint.X_AF, pose(joint.b), V_B, joint.X_BM);
  const double near[6] = {};  // turns do not matter for rates
  const Rows zeros = joint.constraint_rows(view, near);
  const Rows speeds = joint.speed_rows(view, near);
  Mat6 J;
  Vec6 gamma;
  VecUpTo6 u(speeds.count);
  Eigen::Index i = 0;
  for (const Rows* rows : {&zeros, &speeds})
    for (const Row& row : *rows) {
      J.row(i) = row.J_B;
      gamma[i++] = row.gamma;
    }
  for (int k = 0; k < speeds.count; ++k) u[k] = speeds[k].rate(V_A, V_B);
  const Mat6 J_inverse = solve_square(J, Mat6::Identity());
  return {.r = view.s_A + view.d - view.s_B,
          .hinge = view.s_B,
          .S = J_inverse.rightCols(speeds.count),
          .c = -J_inverse * gamma,
          .u = u};
}

/// A load along a coordinate of a cut joint, by its name; empty when there is none.
std::string load_on_cut_joint(const Model& model, const Topology& topology) {
  std::string found;
  const auto look = [&](const auto& loads) {
    for (const auto& load : loads)
      if (std::find(topology.cut_joints.begin(), topology.cut_joints.end(), load.at.joint) !=
          topology.cut_joints.end())
        found = load.name;
  };
  look(model.joint_springs());
  look(model.joint_frictions());
  look(model.joint_torques());
  look(model.motors());
  return found;
}

}  // namespace

std::string PaperRecursion::why_not(const Model& model, const Topology& topology) {
  if (!model.motions().empty())
    return fmt::format(
        "the paper's recursion knows no prescribed motions such as '{}'; leave out method.variant",
        model.motions().front().name);
  if (const std::string load = load_on_cut_joint(model, topology); !load.empty())
    return fmt::format(
        "the paper's recursion knows no loads on joints that close a loop, such as '{}'; let "
        "another joint of the loop be cut, or leave out method.variant",
        load);
  return paper_walk(model, topology).trouble;
}

PaperRecursion::PaperRecursion(const Model& model, const Topology& topology, const tree::Tree& tree)
    : tree_(&tree) {
  const PaperWalk walk = paper_walk(model, topology);
  SARRUS_ASSERT(walk.trouble.empty());
  links_.resize(walk.links.size());
  for (std::size_t k = 0; k < links_.size(); ++k) {
    Link& link = links_[k];
    static_cast<PaperLink&>(link) = walk.links[k];
    if (!link.phantom) link.slot = tree.slot_of(link.body);
    link.joint_slot = link.joint.valid() ? tree.slot_of(link.joint) : link.slot;
    const BodyId second =
        link.joint_slot < 0 ? model.joint(link.joint).b : tree.bodies()[at(link.joint_slot)].body;
    link.forward = second == link.body;
  }
}

/// Places and motions along the walk. Against a joint's own direction everything changes its sign.
/// [paper-joint]
void PaperRecursion::set_motion(std::span<const double> q, std::span<const double> v) {
  tree::kinematics(*tree_, q.data(), v.data(), motion_);
  for (Link& link : links_) {
    const TwoBodyMotion joint =
        link.joint_slot < 0 ? cut_joint_motion(*tree_, motion_, tree_->model().joint(link.joint))
                            : tree_joint_motion(*tree_, motion_, link.joint_slot, v);
    // From the joint's second body to the reference point: a phantom's is the joint that closes.
    Vec3 way = Vec3::Zero();
    if (link.phantom)
      way = joint.hinge;
    else if (!link.forward)
      way = -joint.r;
    link.r = link.forward ? Vec3(joint.r + way) : way;
    const double sign = link.forward ? 1 : -1;
    link.P = sign * shift(way) * joint.S;
    link.c = sign * shift_motion(joint.c, way);
    link.u = joint.u;
    link.r_base = link.is_trunk() || !link.in_loop() ? link.r : link.r + parent_of(link)->r_base;
    // Closures of velocities; set_remainders makes them those of accelerations.  [paper-phantom]
    link.C.resize(0, 6);
    link.d.resize(0);
    link.least_pivot = 1;
    if (!link.phantom) continue;
    link.C = Mat6::Identity();
    link.C.bottomRows<3>() /= link.length;
    link.d.setZero(6);
  }
}

/// [paper-remainder]
void PaperRecursion::set_remainders() {
  // Ground accelerates upwards instead of gravity pulling down.
  const Vec6 A_ground = spatial(Vec3::Zero(), -motion_.gravity);
  for (Link& link : links_) {
    const Vec6& A_parent = link.parent < 0 ? A_ground : parent_of(link)->A_t;
    link.A_t = shift_motion(A_parent, link.r) + link.c;
    if (!link.phantom) continue;
    const Vec6& A_base = link.base < 0 ? A_ground : base_of(link)->A_t;
    link.d = -link.C * (link.A_t - shift_motion(A_base, link.r_base));
  }
}

/// From the phantoms to the trunks: what closures leave undetermined is the business of the joints
/// further in.  [paper-elimination]
void PaperRecursion::eliminate_dependent_speeds() {
  contradiction_ = 0;
  for (std::size_t k = links_.size(); k-- > 0;) {
    Link& link = links_[k];
    split(link);
    if (link.C.rows() == 0) continue;
    if (link.is_trunk()) {  // C ⁰Ā of the base itself is zero
      contradiction_ = std::max(contradiction_, link.d.lpNorm<Eigen::Infinity>());
      continue;
    }
    // Loops that meet at the parent: all their rows, no more than six of which can count.
    // [paper-meeting-loops]
    Link& parent = *parent_of(link);
    const Eigen::Index before = parent.C.rows(), all = before + link.C.rows();
    parent.C.conservativeResize(all, 6);
    parent.d.conservativeResize(all);
    parent.C.bottomRows(link.C.rows()) = link.C * shift(link.r);
    parent.d.tail(link.C.rows()) = link.d;
    parent.least_pivot = std::min(parent.least_pivot, link.least_pivot);
    if (all <= 6) continue;
    const Eigen::HouseholderQR<Mat6Rows> qr(parent.C);
    parent.d.applyOnTheLeft(qr.householderQ().adjoint());
    contradiction_ = std::max(contradiction_, parent.d.tail(all - 6).lpNorm<Eigen::Infinity>());
    parent.d.conservativeResize(6);
    const Mat6 R = qr.matrixQR().topRows<6>().triangularView<Eigen::Upper>();
    parent.C = R;
  }
}

/// Which speeds of one joint the closures determine. Leaves in C and d the rows that no speed of
/// the joint can serve.  [paper-split]
void PaperRecursion::split(Link& link) {
  const Eigen::Index rows = link.C.rows(), speeds = link.P.cols();
  link.G.setZero(speeds, 6);
  link.g.setZero(speeds);
  link.Y0.setIdentity(speeds, speeds);
  link.Y0_inverse.setIdentity(speeds, speeds);
  if (rows == 0 || speeds == 0) return;
  VecUpTo6 unit(speeds);  // of each speed: moves the body by a radian or by a typical length
  for (Eigen::Index i = 0; i < speeds; ++i)
    unit[i] = 1 / spatial(link.P.col(i).head<3>(), link.P.col(i).tail<3>() / link.length).norm();
  const MatUpTo6 B = link.C * link.P * unit.asDiagonal();
  const Eigen::JacobiSVD<MatUpTo6> svd(B, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const double unseen = std::max(kUnseen, kUnseenAfterDivision / link.least_pivot) *
                        std::max(1.0, link.C.lpNorm<Eigen::Infinity>());
  const Eigen::Index rank = (svd.singularValues().array() > unseen).count();
  if (rank > 0) link.least_pivot = std::min(link.least_pivot, svd.singularValues()[rank - 1]);
  const MatUpTo6 U1 = svd.matrixU().leftCols(rank), U0 = svd.matrixU().rightCols(rows - rank);
  const MatUpTo6 V1 = svd.matrixV().leftCols(rank), V0 = svd.matrixV().rightCols(speeds - rank);
  const VecUpTo6 inverse = svd.singularValues().head(rank).cwiseInverse();
  const MatUpTo6 W = unit.asDiagonal() * V1 * inverse.asDiagonal() * U1.transpose();
  link.G = W * link.C;
  link.g = W * link.d;
  link.Y0 = unit.asDiagonal() * V0;
  link.Y0_inverse = V0.transpose() * unit.cwiseInverse().asDiagonal();
  link.C = (U0.transpose() * link.C).eval();
  link.d = (U0.transpose() * link.d).eval();
}

Status PaperRecursion::complete_speeds(std::span<const double> q, std::span<double> v) {
  set_motion(q, v);
  eliminate_dependent_speeds();
  // Outwards; A holds velocities relative to the base.  [paper-speeds]
  for (Link& link : links_) {
    if (!link.in_loop()) continue;
    const Vec6 V = link.is_trunk() ? Vec6::Zero().eval() : shift_motion(parent_of(link)->A, link.r);
    link.u = (link.Y0 * (link.Y0_inverse * link.u) - link.G * V).eval();
    link.A = V + link.P * link.u;
    if (link.joint_slot >= 0)
      Eigen::Map<VecX>(v.data() + tree_->bodies()[at(link.joint_slot)].v, link.u.size()) = link.u;
  }
  return {};
}

/// What each body brings along.  [paper-own]
void PaperRecursion::set_own(std::span<const double> tau, std::span<const Vec6> external) {
  for (Link& link : links_) {
    link.I_own.setZero();
    link.F_own.setZero();
    link.I.setZero();
    link.I_0.setZero();
    link.F.setZero();
    link.size.setZero();
    link.tau.setZero(link.u.size());
    if (link.joint_slot >= 0)
      link.tau = Eigen::Map<const VecX>(tau.data() + tree_->bodies()[at(link.joint_slot)].v,
                                        link.u.size());
    if (link.phantom) continue;
    const Inertia& inertia = tree_->model().body(link.body).inertia;
    const Mat3 R = motion_.X_WB[at(link.slot)].R();
    link.I_own = inertia.matrix(R);
    link.F_own = external[at(link.slot)] -
                 gyroscopic_wrench(inertia, R, motion_.V[at(link.slot)].head<3>()) -
                 link.I_own * link.A_t;
  }
}

/// Takes one joint and what hangs on it together and hands it to the parent and to the base.
Status PaperRecursion::triangularise(Link& link) {
  Link* const base = base_of(link);
  // By now the body's own part contains the trees and the loops that hang on it.  [paper-pair]
  link.I += link.I_own;
  link.F += link.F_own;
  link.size += link.I_own.cwiseAbs();
  if (base != nullptr) {
    const Mat6 X_0 = shift(link.r_base);
    link.I_0 += link.I_own * X_0;
    base->I_own += symmetric_part(X_0.transpose() * link.I_own * X_0);
    base->F_own += X_0.transpose() * link.F_own;
  }
  // The free speeds are eliminated as in a tree.  [paper-free-speeds]
  const Mat6xUpTo6 P_0 = link.P * link.Y0;
  const Mat6xUpTo6 U = link.I * P_0;
  Mat6 I = link.I, I_0 = link.I_0;
  Vec6 F = link.F;
  if (P_0.cols() > 0) {
    link.M.compute(P_0.transpose() * U);
    for (Eigen::Index i = 0; i < P_0.cols(); ++i) {
      const double pivot = link.M.pivots()[i];
      const Vec6 column = P_0.col(i).cwiseAbs();
      if (!link.M.ok() || !(pivot * pivot > kMassless * column.dot(link.size * column)))
        return massless_status(tree_->model(), link.body);
    }
    const VecUpTo6 y = link.M.solve(P_0.transpose() * link.F + link.Y0.transpose() * link.tau);
    I -= U * link.M.solve(U.transpose());
    F -= U * y;
    if (base != nullptr) {
      const MatUpTo6 U_0 = P_0.transpose() * link.I_0;
      I_0 -= U * link.M.solve(U_0);
      base->I_own -= symmetric_part(U_0.transpose() * link.M.solve(U_0));
      base->F_own -= U_0.transpose() * y;
    }
  }
  // The others follow the motion of the parent.  [paper-dependent-speeds]
  const Vec6 b = link.P * link.g;
  if (base != nullptr) base->F_own -= I_0.transpose() * b;
  if (link.parent < 0 || link.is_trunk()) return {};
  const Mat6 X = shift(link.r);
  const Mat6 delta = X - link.P * (link.G * X);
  const Mat6 I_parent = symmetric_part(delta.transpose() * I * delta);
  const Vec6 F_parent =
      delta.transpose() * (F - I * b) - X.transpose() * (link.G.transpose() * link.tau);
  Link& parent = *parent_of(link);
  (link.in_loop() ? parent.I : parent.I_own) += I_parent;
  (link.in_loop() ? parent.F : parent.F_own) += F_parent;
  parent.I_0 += delta.transpose() * I_0;
  // As in articulated::check_inertia: with a tenth of what it came from, the sum stays bounded.
  parent.size += delta.cwiseAbs().transpose() * (I.cwiseAbs() + 0.1 * link.size) * delta.cwiseAbs();
  return {};
}

Status PaperRecursion::accelerations(std::span<const double> q, std::span<const double> v,
                                     std::span<const double> tau, std::span<const Vec6> external,
                                     std::span<double> v_rate) {
  set_motion(q, v);
  set_remainders();
  eliminate_dependent_speeds();
  set_own(tau, external);
  for (std::size_t k = links_.size(); k-- > 0;)
    if (Status status = triangularise(links_[k]); !status.ok()) return status;
  // Outwards.  [paper-forward]
  for (Link& link : links_) {
    const Link* const base = base_of(link);
    const Link* const parent = parent_of(link);
    Vec6 A = Vec6::Zero();  // of the parent, seen at this body's reference point
    if (parent != nullptr && !link.is_trunk())
      A = shift_motion(link.in_loop() ? parent->A : parent->A_total, link.r);
    VecUpTo6 rate = link.g - link.G * A;
    A += link.P * rate;
    if (link.Y0.cols() > 0) {
      Vec6 F = link.F - link.I * A;
      if (base != nullptr) F -= link.I_0 * base->A_total;
      const VecUpTo6 y = link.M.solve(link.Y0.transpose() * (link.P.transpose() * F + link.tau));
      rate += link.Y0 * y;
      A += link.P * (link.Y0 * y);
    }
    link.A = A;
    link.A_total = base == nullptr ? A : Vec6(A + shift_motion(base->A_total, link.r_base));
    if (link.joint_slot >= 0)
      Eigen::Map<VecX>(v_rate.data() + tree_->bodies()[at(link.joint_slot)].v, rate.size()) = rate;
  }
  return {};
}

}  // namespace sarrus::coordinate_reduction
