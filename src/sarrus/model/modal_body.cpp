#include "sarrus/model/modal_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/spatial/dense.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus {
namespace {

std::size_t place_of(int index) { return static_cast<std::size_t>(index); }

/// Of ∫ a bᵀ: ∫ a × b.
Vec3 axial(const Mat3& Z) { return {Z(1, 2) - Z(2, 1), Z(2, 0) - Z(0, 2), Z(0, 1) - Z(1, 0)}; }

bool is_symmetric(const MatX& A) {
  return (A - A.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * A.cwiseAbs().maxCoeff();
}

bool is_semidefinite(const MatX& A) {
  const VecX values = symmetric_eigenvalues(A);
  return values.minCoeff() >= -1e-9 * std::max(values.maxCoeff(), 0.0);
}

/// The least part of a rigid motion's inertia that is left when the modes yield; 0: they can undo it.
double least_left(const Mat6& rigid, const Mat6X& coupling, const MatX& modal) {
  const double length = std::sqrt(rigid.topLeftCorner<3, 3>().trace() / rigid(3, 3));
  Vec6 scale = Vec6::Ones();
  if (length > 0) scale.head<3>() /= length;
  const Mat6 M = scale.asDiagonal() * rigid * scale.asDiagonal();
  const Mat6X C = scale.asDiagonal() * coupling;
  const SymmetricEigen axes = symmetric_eigen(M);
  // A thin rod has no inertia about itself; that direction is not asked.
  constexpr double kNone = 1e-12;
  const Mat6 left = M - C * Cholesky<MatX>(modal).solve(C.transpose());
  Mat6X W(6, 6);
  int kept = 0;
  for (int k = 0; k < 6; ++k)
    if (axes.values[k] > kNone * axes.values[5])
      W.col(kept++) = axes.vectors.col(k) / std::sqrt(axes.values[k]);
  if (kept == 0) return 0;
  const MatX part = W.leftCols(kept).transpose() * left * W.leftCols(kept);
  return symmetric_eigenvalues(part)[0];
}

std::string size_defect(const ModalData& data) {
  const int n = data.count();
  const auto square = [n](const MatX& A) { return A.rows() == n && A.cols() == n; };
  if (n == 0) return "a flexible body has no modes\nwithout modes it is rigid: drop 'flexible'";
  if (data.S.cols() != n || data.X.size() != place_of(n) || data.Y.size() != place_of(n * n) ||
      data.rotary_coupling.cols() != n || !square(data.rotary_mass))
    return fmt::format("its integrals are not those of {} modes", n);
  if (!square(data.stiffness) || !square(data.damping))
    return fmt::format("its stiffness or damping is not {} × {}", n, n);
  for (const MatX& A : data.stiffening)
    if (A.size() > 0 && !square(A)) return fmt::format("its stiffening is not {} × {}", n, n);
  for (const ModalNode& node : data.nodes)
    if (node.shift.cols() != n || node.turn.cols() != n)
      return fmt::format("node '{}' does not have {} columns of shapes", node.name, n);
  return {};
}

bool all_finite(const ModalData& data) {
  bool finite = data.S.allFinite() && data.rotary_coupling.allFinite() &&
                data.rotary_mass.allFinite() && data.stiffness.allFinite() &&
                data.damping.allFinite();
  for (const Mat3& A : data.X) finite = finite && A.allFinite();
  for (const Mat3& A : data.Y) finite = finite && A.allFinite();
  for (const MatX& A : data.stiffening) finite = finite && A.allFinite();
  for (const ModalNode& node : data.nodes)
    finite = finite && node.shift.allFinite() && node.turn.allFinite() && node.X_BN.p.allFinite() &&
             node.X_BN.q.coeffs().allFinite() && node.X_BN.q.norm() > 0;
  return finite;
}

}  // namespace

ModalData ModalData::of_modes(std::vector<std::string> names) {
  ModalData data;
  data.modes = std::move(names);
  const int n = data.count();
  data.S.setZero(3, n);
  data.X.assign(place_of(n), Mat3::Zero());
  data.Y.assign(place_of(n * n), Mat3::Zero());
  data.rotary_coupling.setZero(3, n);
  data.rotary_mass.setZero(n, n);
  data.stiffness.setZero(n, n);
  data.damping.setZero(n, n);
  return data;
}

void ModalData::add_lump(double mass, const Mat3& inertia, const Vec3& place, const Mat3X& shift,
                         const Mat3X& turn) {
  const int n = count();
  S += mass * shift;
  for (int k = 0; k < n; ++k) {
    X[place_of(k)] += mass * place * shift.col(k).transpose();
    for (int l = 0; l < n; ++l)
      Y[place_of(k * n + l)] += mass * shift.col(k) * shift.col(l).transpose();
  }
  rotary_coupling += inertia * turn;
  rotary_mass += turn.transpose() * inertia * turn;
}

ModalBody::ModalBody(const Inertia& undeformed, ModalData data)
    : undeformed_(undeformed),
      data_(std::move(data)),
      first_moment_(undeformed.mass * undeformed.center),
      inertia_(undeformed.about_origin()) {
  const int n = count();
  first_turning_ = data_.rotary_coupling;
  modal_mass_ = data_.rotary_mass;
  for (int k = 0; k < n; ++k) {
    // [flexible-invariants]
    const Mat3& X = data_.X[place_of(k)];
    first_inertia_.push_back((X + X.transpose()).trace() * Mat3::Identity() - X - X.transpose());
    first_turning_.col(k) += axial(X);
    for (int l = 0; l < n; ++l) {
      const Mat3& Y = data_.Y[place_of(k * n + l)];
      second_inertia_.push_back(Y.trace() * Mat3::Identity() - 0.5 * (Y + Y.transpose()));
      second_turning_.push_back(axial(Y));
      modal_mass_(k, l) += Y.trace();
    }
  }
}

Vec3 ModalBody::first_moment(const double* eta) const {
  Vec3 moment = first_moment_;
  for (int k = 0; k < count(); ++k) moment += eta[k] * data_.S.col(k);
  return moment;
}

Mat3 ModalBody::inertia(const double* eta) const {
  Mat3 J = inertia_;
  for (int k = 0; k < count(); ++k) {
    J += eta[k] * first_inertia_[place_of(k)];
    for (int l = 0; l < count(); ++l) J += eta[k] * eta[l] * J2(k, l);
  }
  return J;
}

Mat3 ModalBody::inertia_slope(int k, const double* eta) const {
  Mat3 slope = first_inertia_[place_of(k)];
  for (int l = 0; l < count(); ++l) slope += eta[l] * (J2(k, l) + J2(l, k));
  return slope;
}

Mat3X ModalBody::turning(const double* eta) const {
  Mat3X B = first_turning_;
  for (int l = 0; l < count(); ++l)
    for (int k = 0; k < count(); ++k) B.col(l) += eta[k] * B1(k, l);
  return B;
}

Mat6 ModalBody::rigid_mass(const double* eta, const Mat3& R) const {
  const Mat3 moment = skew(R * first_moment(eta));
  Mat6 M;
  M.topLeftCorner<3, 3>() = R * inertia(eta) * R.transpose();
  M.topRightCorner<3, 3>() = moment;
  M.bottomLeftCorner<3, 3>() = -moment;
  M.bottomRightCorner<3, 3>() = undeformed_.mass * Mat3::Identity();
  return M;
}

Mat6X ModalBody::coupling(const double* eta, const Mat3& R) const {
  Mat6X C(6, count());
  C.topRows<3>() = R * turning(eta);
  C.bottomRows<3>() = R * data_.S;
  return C;
}

Vec6 ModalBody::rigid_bias(const double* eta, const double* eta_rate, const Vec3& w,
                           const Mat3& R) const {
  const Vec3 w_B = R.transpose() * w;
  const Eigen::Map<const VecX> rate(eta_rate, count());
  Vec3 torque = w_B.cross(inertia(eta) * w_B) + w_B.cross(turning(eta) * rate);
  for (int k = 0; k < count(); ++k) torque += eta_rate[k] * (inertia_slope(k, eta) * w_B);
  const Vec3 force = w_B.cross(w_B.cross(first_moment(eta))) + 2 * w_B.cross(data_.S * rate);
  return rotated(R, spatial(torque, force));
}

VecX ModalBody::modal_bias(const double* eta, const double* eta_rate, const Vec3& w,
                           const Mat3& R) const {
  const Vec3 w_B = R.transpose() * w;
  VecX bias(count());
  for (int k = 0; k < count(); ++k) {
    bias[k] = -0.5 * w_B.dot(inertia_slope(k, eta) * w_B);
    for (int l = 0; l < count(); ++l) bias[k] += 2 * eta_rate[l] * w_B.dot(B1(l, k));
  }
  return bias;
}

double ModalBody::strain_energy(const double* eta) const {
  const Eigen::Map<const VecX> deformation(eta, count());
  return 0.5 * deformation.dot(data_.stiffness * deformation);
}

VecX ModalBody::unit_deformation(double length) const {
  VecX unit = VecX::Ones(count());
  for (int k = 0; k < count(); ++k) {
    double largest = 0;
    for (const ModalNode& node : data_.nodes)
      largest = std::max({largest, node.shift.col(k).norm(), length * node.turn.col(k).norm()});
    if (largest > 0) unit[k] = 1 / largest;
  }
  return unit;
}

int ModalBody::find_node(const std::string& name) const {
  const auto found = std::ranges::find(data_.nodes, name, &ModalNode::name);
  return found == data_.nodes.end() ? -1 : static_cast<int>(found - data_.nodes.begin());
}

std::string modal_defect(const Inertia& undeformed, const ModalData& data) {
  if (std::string wrong = size_defect(data); !wrong.empty()) return wrong;
  if (!all_finite(data)) return "a number of its modes is not finite";
  if (!(undeformed.mass > 0)) return "it is flexible and has no mass";
  if (!is_symmetric(data.stiffness) || !is_semidefinite(data.stiffness))
    return "its stiffness is not symmetric with eigenvalues ≥ 0";
  if (!is_symmetric(data.damping) || !is_semidefinite(data.damping))
    return "its damping is not symmetric with eigenvalues ≥ 0";
  const ModalBody body(undeformed, data);
  const Cholesky<MatX> mass(body.modal_mass());
  const VecX pivots = mass.pivots().cwiseAbs2();
  constexpr double kDependent = 1e-10;
  if (!mass.ok() || !is_symmetric(body.modal_mass()) ||
      (pivots.array() < kDependent * body.modal_mass().diagonal().array()).any())
    return "its modes have no positive definite mass\nno mode may be without mass, or be a "
           "combination of the others; torsion needs rotary inertia";
  const VecX rest = VecX::Zero(data.count());
  const double left = least_left(body.rigid_mass(rest.data(), Mat3::Identity()),
                                 body.coupling(rest.data(), Mat3::Identity()), body.modal_mass());
  constexpr double kRigid = 1e-9;
  if (left < kRigid)
    return "its modes can move it as a whole\nthe body's frame does that: leave rigid motions out "
           "of "
           "the shapes (hold one node, or drop the modes of frequency 0)";
  return {};
}

}  // namespace sarrus
