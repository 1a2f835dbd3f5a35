#include "sarrus/formulations/hamiltonian_dca/momenta.h"

#include <algorithm>
#include <cmath>

#include "sarrus/spatial/dense.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus::hamiltonian {

using tree::Tree;
using tree::TreeBody;
using tree::TreeMotion;

namespace {

/// From the body's origin to that of the joint's frame M.
Vec3 arm_of(const Tree& tree, const TreeBody& body, const TreeMotion& m, std::size_t slot) {
  if (!body.reversed) return m.X_WB[slot].q * tree.frame_on_body(body).p;
  const Quat q_WP = body.parent < 0 ? Quat::Identity() : m.X_WB[to_index(body.parent)].q;
  return q_WP * tree.frame_on_parent(body).p - m.r[slot];
}

/// S about the joint's own point, where SᵀS is of order one.
Mat6xUpTo6 at_joint(const Mat6xUpTo6& S, const Vec3& arm) {
  Mat6xUpTo6 result = S;
  for (Eigen::Index k = 0; k < S.cols(); ++k) result.col(k) = shift_motion(S.col(k), arm);
  return result;
}

/// Is column k of a joint's S fixed in frame F, rather than in M?  [hamilton-carriers]
bool is_carried_by_first(JointType type, int k) {
  switch (type) {
    case JointType::kUniversal:
      return k == 0;
    case JointType::kPlanar:
      return k < 2;
    case JointType::kFree:
      return k >= 3;
    default:
      return false;
  }
}

}  // namespace

void body_momenta(const Tree& tree, const TreeMotion& m, std::vector<Vec6>& h) {
  h.resize(tree.bodies().size());
  for (std::size_t i = 0; i < h.size(); ++i)
    h[i] = tree.model().body(tree.bodies()[i].body).inertia.matrix(m.X_WB[i].R()) * m.V[i];
}

void sum_over_subtrees(const Tree& tree, const TreeMotion& m, std::vector<Vec6>& of_bodies) {
  for (std::size_t i = of_bodies.size(); i-- > 0;)
    if (const int parent = tree.bodies()[i].parent; parent >= 0)
      of_bodies[to_index(parent)] += shift_force(of_bodies[i], -m.r[i]);
}

void joint_momenta(const Tree& tree, const TreeMotion& m, std::span<const Vec6> P,
                   std::span<double> p) {
  for (std::size_t i = 0; i < P.size(); ++i) {
    const TreeBody& body = tree.bodies()[i];
    for (int k = 0; k < body.nv; ++k) p[to_index(body.v + k)] = m.S[i].col(k).dot(P[i]);
  }
}

void active_impulses(const Tree& tree, const TreeMotion& m, std::span<const double> p,
                     std::vector<Vec6>& f) {
  f.assign(tree.model().bodies().size(), Vec6::Zero());
  for (std::size_t i = 0; i < tree.bodies().size(); ++i) {
    const TreeBody& body = tree.bodies()[i];
    if (body.nv == 0) continue;
    const Vec3 arm = arm_of(tree, body, m, i);
    const Mat6xUpTo6 S = at_joint(m.S[i], arm);
    const MatUpTo6 square = S.transpose() * S;
    const VecUpTo6 weights =
        Cholesky<MatUpTo6>(square).solve(VecUpTo6::Map(p.data() + body.v, body.nv));
    const Vec6 impulse = S * weights;
    f[body.body.slot()] += shift_force(impulse, -arm);
    if (body.parent >= 0)
      f[tree.bodies()[to_index(body.parent)].body.slot()] -= shift_force(impulse, -arm - m.r[i]);
  }
}

void joint_speeds(const Tree& tree, const TreeMotion& m, std::span<double> u) {
  for (std::size_t i = 0; i < tree.bodies().size(); ++i) {
    const TreeBody& body = tree.bodies()[i];
    if (body.nv == 0) continue;
    const Vec3 arm = arm_of(tree, body, m, i);
    const Mat6xUpTo6 S = at_joint(m.S[i], arm);
    Vec6 relative = shift_motion(m.V[i], arm);
    if (body.parent >= 0) relative -= shift_motion(m.V[to_index(body.parent)], m.r[i] + arm);
    const MatUpTo6 square = S.transpose() * S;
    const VecUpTo6 along = S.transpose() * relative;
    Eigen::Map<VecX>(u.data() + body.v, body.nv) = Cholesky<MatUpTo6>(square).solve(along);
  }
}

void momentum_rates(const Tree& tree, const TreeMotion& m, const Subtrees& sums,
                    std::span<double> p_rate) {
  for (std::size_t i = 0; i < tree.bodies().size(); ++i) {
    const TreeBody& body = tree.bodies()[i];
    const Vec6 V_P =
        body.parent < 0 ? Vec6::Zero().eval() : shift_motion(m.V[to_index(body.parent)], m.r[i]);
    // What turns with the body, and with its parent, sees the momentum pass by.
    const Vec6 on_body = sums.force[i] - cross_force(m.V[i], sums.momentum[i]);
    const Vec6 on_parent = sums.force[i] - cross_force(V_P, sums.momentum[i]);
    for (int k = 0; k < body.nv; ++k) {
      const bool with_parent = is_carried_by_first(body.type, k) != body.reversed;
      p_rate[to_index(body.v + k)] = m.S[i].col(k).dot(with_parent ? on_parent : on_body);
    }
  }
}

std::vector<double> momentum_scales(const Tree& tree, const TreeMotion& m) {
  const auto power_of_two = [](double x) { return std::exp2(std::round(std::log2(x))); };
  std::vector<double> scales(to_index(tree.nv()), 1.0);
  const std::size_t count = tree.bodies().size();
  std::vector<Mat6> composite(count), articulated(count);
  for (std::size_t i = 0; i < count; ++i)
    composite[i] = articulated[i] =
        tree.model().body(tree.bodies()[i].body).inertia.matrix(m.X_WB[i].R());
  for (std::size_t i = count; i-- > 0;) {
    const TreeBody& body = tree.bodies()[i];
    for (int k = 0; k < body.nv; ++k) {
      const Vec6 S = m.S[i].col(k);
      const Vec6 U = articulated[i] * S;
      const double felt = S.dot(U);
      const double whole = S.dot(composite[i] * S);
      // Far below the whole it is rounding, as where a loop is cut that a massless body needs.
      constexpr double kTrace = 1e-9;
      const bool is_felt = felt > kTrace * whole;
      if (whole > 0) scales[to_index(body.v + k)] = power_of_two(is_felt ? felt : whole);
      if (is_felt) articulated[i] -= U * U.transpose() / felt;
    }
    if (body.parent < 0) continue;
    Mat6 X = Mat6::Identity();
    X.bottomLeftCorner<3, 3>() = -skew(m.r[i]);
    composite[to_index(body.parent)] += X.transpose() * composite[i] * X;
    articulated[to_index(body.parent)] += X.transpose() * articulated[i] * X;
  }
  return scales;
}

}  // namespace sarrus::hamiltonian
