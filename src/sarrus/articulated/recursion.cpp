#include "sarrus/articulated/recursion.h"

#include "sarrus/constraints/projector.h"
#include "sarrus/model/loads.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus::articulated {
namespace {

/// Xᵀ I X for the shift of motions by r: the inertia at a point displaced by −r.
Mat6 shifted_inertia(const Mat6& I, const Vec3& r) {
  Mat6 X = Mat6::Identity();  // motions at the parent's origin to motions at the body's
  X.bottomLeftCorner<3, 3>() = -skew(r);
  const Mat6 shifted = X.transpose() * I * X;
  return 0.5 * (shifted + shifted.transpose());  // what rounding leaves unsymmetric would grow
}

}  // namespace

void articulate(const Tree& tree, const TreeMotion& m, std::span<const DrivenJoint> drives,
                std::vector<ArticulatedBody>& bodies) {
  const std::size_t count = tree.bodies().size();
  std::vector<Mat6> I(count);
  bodies.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    I[i] = tree.model().body(tree.bodies()[i].body).inertia.matrix(m.X_WB[i].R());
    bodies[i].S = m.S[i];
    bodies[i].c = m.c[i];
    bodies[i].drive = nullptr;
  }
  for (const DrivenJoint& drive : drives) {
    ArticulatedBody& body = bodies[to_index(drive.slot)];
    body.drive = &drive;
    body.c += body.S * drive.given;
    body.S = (body.S * drive.N).eval();
  }
  for (std::size_t i = count; i-- > 0;) {
    ArticulatedBody& body = bodies[i];
    body.U = I[i] * body.S;
    body.D.compute(body.S.transpose() * body.U);
    if (tree.bodies()[i].parent < 0) continue;
    body.UD = body.D.solve(body.U.transpose());
    body.I_a = I[i] - body.U * body.UD;
    I[to_index(tree.bodies()[i].parent)] += shifted_inertia(body.I_a, m.r[i]);
  }
}

void accelerate(const Tree& tree, const TreeMotion& m, std::span<const ArticulatedBody> bodies,
                std::span<const double> tau, std::span<const Vec6> external,
                std::span<double> v_rate, std::vector<Vec6>& A) {
  const std::size_t count = tree.bodies().size();
  std::vector<Vec6> p(count);
  std::vector<VecUpTo6> u(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Inertia& inertia = tree.model().body(tree.bodies()[i].body).inertia;
    p[i] = gyroscopic_wrench(inertia, m.X_WB[i].R(), m.V[i].head<3>()) - external[i];
  }
  // Inward.  [order-n-articulated]
  for (std::size_t i = count; i-- > 0;) {
    const TreeBody& place = tree.bodies()[i];
    const ArticulatedBody& body = bodies[i];
    u[i] = Eigen::Map<const VecX>(tau.data() + place.v, place.nv);
    if (body.drive != nullptr) u[i] = (body.drive->N.transpose() * u[i]).eval();
    u[i] -= body.S.transpose() * p[i];
    if (place.parent < 0) continue;
    const Vec6 p_a = p[i] + body.I_a * body.c + body.UD.transpose() * u[i];
    p[to_index(place.parent)] += shift_force(p_a, -m.r[i]);
  }
  // Outward; ground accelerates upwards instead of gravity pulling down.
  const Vec6 A_ground = spatial(Vec3::Zero(), -m.gravity);
  A.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const TreeBody& place = tree.bodies()[i];
    const ArticulatedBody& body = bodies[i];
    const Vec6& A_P = place.parent < 0 ? A_ground : A[to_index(place.parent)];
    A[i] = shift_motion(A_P, m.r[i]) + body.c;
    const VecUpTo6 y = body.D.solve(u[i] - body.U.transpose() * A[i]);
    A[i] += body.S * y;
    Eigen::Map<VecX> rate(v_rate.data() + place.v, place.nv);
    if (body.drive == nullptr)
      rate = y;
    else
      rate = body.drive->given + body.drive->N * y;
  }
  // Ground is at rest after all.
  for (Vec6& a : A) a.tail<3>() += m.gravity;
}

void forward_dynamics(const Tree& tree, const TreeMotion& m, std::span<const double> tau,
                      std::span<const Vec6> external, std::span<const DrivenJoint> drives,
                      std::span<double> v_rate) {
  std::vector<ArticulatedBody> bodies;
  std::vector<Vec6> A;
  articulate(tree, m, drives, bodies);
  accelerate(tree, m, bodies, tau, external, v_rate, A);
}

Status check_inertia(const Tree& tree, const TreeMotion& m, std::span<const DrivenJoint> drives,
                     double least) {
  const std::size_t count = tree.bodies().size();
  std::vector<Mat6xUpTo6> free = m.S;
  for (const DrivenJoint& drive : drives)
    free[to_index(drive.slot)] = (m.S[to_index(drive.slot)] * drive.N).eval();
  std::vector<Mat6> articulated(count);
  std::vector<Mat6> magnitude(count);  // of what the articulated inertia is a difference of
  for (std::size_t i = 0; i < count; ++i) {
    articulated[i] = tree.model().body(tree.bodies()[i].body).inertia.matrix(m.X_WB[i].R());
    magnitude[i] = articulated[i].cwiseAbs();
  }
  for (std::size_t i = count; i-- > 0;) {
    const TreeBody& body = tree.bodies()[i];
    Mat6& I = articulated[i];
    for (Eigen::Index k = 0; k < free[i].cols(); ++k) {
      const Vec6 S = free[i].col(k);
      const Vec6 U = I * S;
      const double D = S.dot(U);
      const Vec6 size = S.cwiseAbs();
      if (!(D > least * size.dot(magnitude[i] * size)))
        return massless_status(tree.model(), body.body);
      I -= U * U.transpose() / D;
    }
    if (body.parent < 0) continue;
    // What is handed on is the difference, with a tenth of what it came from: its rounding goes on
    // for a few bodies, and the sum stays bounded however long the chain.
    articulated[to_index(body.parent)] += shifted_inertia(I, m.r[i]);
    Mat6 X = Mat6::Identity();
    X.bottomLeftCorner<3, 3>() = skew(m.r[i]).cwiseAbs();
    magnitude[to_index(body.parent)] += X.transpose() * (I.cwiseAbs() + 0.1 * magnitude[i]) * X;
  }
  return {};
}

void newton_euler(const Tree& tree, const TreeMotion& m, std::span<const double> v_rate,
                  std::span<const Vec6> external, JointWrenches& to) {
  const Model& model = tree.model();
  const std::size_t count = tree.bodies().size();
  to.acceleration.resize(count);
  to.wrench.resize(count);
  to.tau.resize(static_cast<std::size_t>(tree.nv()));
  const Vec6 A_ground = spatial(Vec3::Zero(), -m.gravity);
  for (std::size_t i = 0; i < count; ++i) {
    const TreeBody& body = tree.bodies()[i];
    const Vec6& A_P = body.parent < 0 ? A_ground : to.acceleration[to_index(body.parent)];
    const Eigen::Map<const VecX> rate(v_rate.data() + body.v, body.nv);
    const Vec6 A = shift_motion(A_P, m.r[i]) + m.c[i] + m.S[i] * rate;
    to.acceleration[i] = A;
    const Inertia& inertia = model.body(body.body).inertia;
    const Mat3 R = m.X_WB[i].R();
    to.wrench[i] =
        inertia.matrix(R) * A + gyroscopic_wrench(inertia, R, m.V[i].head<3>()) - external[i];
  }
  for (std::size_t i = count; i-- > 0;) {
    const TreeBody& body = tree.bodies()[i];
    Eigen::Map<VecX>(to.tau.data() + body.v, body.nv) = m.S[i].transpose() * to.wrench[i];
    if (body.parent >= 0) to.wrench[to_index(body.parent)] += shift_force(to.wrench[i], -m.r[i]);
  }
  // Ground is at rest after all.
  for (Vec6& A : to.acceleration) A.tail<3>() += m.gravity;
}

Vec6 reaction(const Tree& tree, const TreeBody& body, const Vec6& wrench, const Configuration& c) {
  const Joint& joint = tree.model().joint(body.joint);
  const Vec3 point = c.poses[joint.b.slot()] * joint.X_BM.p;
  const Vec6 there = shift_force(wrench, point - c.poses[body.body.slot()].p);
  return body.reversed ? Vec6(-there) : there;
}

}  // namespace sarrus::articulated
