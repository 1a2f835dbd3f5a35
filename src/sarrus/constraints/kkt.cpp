#include "sarrus/constraints/kkt.h"

#include <algorithm>

#include "sarrus/base/thresholds.h"

namespace sarrus {
namespace {

enum class Side { kPlain, kTransposed };

/// v to Q v, or to Qᵀ v: Q the first `count` reflections of a factorisation. Eigen takes longer to get ready for
/// a single column than these take.
template <class Factors, class Column>
void reflect(const Factors& qr, int count, Side side, Column&& v) {
  if (count == 0) return;  // there may be no factorisation
  const MatX& vectors = qr.matrixQR();
  for (int i = 0; i < count; ++i) {
    const int k = side == Side::kPlain ? count - 1 - i : i;
    const Eigen::Index below = v.size() - k - 1;
    const auto essential = vectors.col(k).tail(below);
    auto rest = v.tail(below);
    const double along = qr.hCoeffs()[k] * (v[k] + essential.dot(rest));
    v[k] -= along;
    rest.noalias() -= along * essential;
  }
}

/// From here on Eigen's blocks of reflections are quicker than one column after another.
constexpr int kBlocked = 48;

}  // namespace

Kkt::Kkt(const ConstraintSystem& system)
    : system_(&system), column_scale_(system.column_scale()), row_scale_(system.row_scale()) {}

bool Kkt::factor(const std::vector<Mat6>& masses, const MatX& J, int rank_limit,
                 double conditioning, const std::vector<ModalMass>& modal) {
  masses_ = masses;
  modal_ = modal;
  J_ = J;
  const Eigen::Index n = J.cols();
  const Eigen::Index m = J.rows();
  rank_ = 0;
  weak_count_ = 0;
  faint_ = false;
  if (m > 0 && n > 0) {
    // [kkt-nullspace]  (D_r J D_c)ᵀ P = Q R
    scaled_transpose_.noalias() =
        column_scale_.asDiagonal() * J.transpose() * row_scale_.asDiagonal();
    qr_.compute(scaled_transpose_);
    const auto& R = qr_.matrixQR();
    const Eigen::Index most = std::min<Eigen::Index>({n, m, rank_limit});
    while (rank_ < most && std::abs(R(rank_, rank_)) > thresholds::kDependent * qr_.maxPivot())
      ++rank_;
    // Rᵀ = Z [T; 0] makes the complete orthogonal decomposition.
    const MatX top = R.topRows(rank_).triangularView<Eigen::Upper>();
    triangle_qr_.compute(top.transpose());
    const auto T = triangle_qr_.matrixQR().diagonal();
    const auto below = [&](int count, double part) {
      return count < rank_ && std::abs(T[rank_ - 1 - count]) < part * conditioning * std::abs(T[0]);
    };
    while (below(weak_count_, thresholds::kWeak)) ++weak_count_;
    faint_ = below(0, thresholds::kFaint);
  }
  free_.setZero(n, n - rank_);
  free_.bottomRows(n - rank_).setIdentity();
  if (rank_ >= kBlocked)
    free_.applyOnTheLeft(qr_.householderQ().setLength(rank_));
  else
    for (Eigen::Index k = 0; k < free_.cols(); ++k) reflect(qr_, rank_, Side::kPlain, free_.col(k));
  return factor_reduced_mass();
}

bool Kkt::factor_reduced_mass() {
  const Eigen::Index n = free_.rows();
  const Eigen::Index free = free_.cols();
  massless_body_ = {};
  if (free == 0) return true;
  const MatX N = column_scale_.asDiagonal() * free_;
  MatX MN(n, free);
  for (std::size_t i = 0; i < masses_.size(); ++i)
    MN.middleRows<6>(6 * static_cast<Eigen::Index>(i)).noalias() =
        masses_[i] * N.middleRows<6>(6 * static_cast<Eigen::Index>(i));
  if (!modal_.empty()) add_modal_rows(N, MN);
  const MatX reduced = N.transpose() * MN;
  reduced_mass_.compute(reduced);
  const double largest = reduced.diagonal().cwiseAbs().maxCoeff();
  const bool sound =
      reduced_mass_.ok() && largest > 0 &&
      reduced_mass_.pivots().cwiseAbs2().minCoeff() > thresholds::kNoInertia * largest;
  if (sound) return true;
  // Name the body that moves most in the direction without inertia.
  VecX last = VecX::Unit(free, free - 1);
  reflect(Eigen::ColPivHouseholderQR<MatX>(reduced), static_cast<int>(free), Side::kPlain, last);
  const VecX direction = N * last;
  double most = -1;
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    const double size = direction.segment<6>(6 * static_cast<Eigen::Index>(i)).norm();
    if (size > most) {
      most = size;
      massless_body_ = system_->column_bodies()[i];
    }
  }
  return false;
}

// MN += the part of M N that flexible bodies add to their blocks.
void Kkt::add_modal_rows(const MatX& N, MatX& MN) const {
  for (const ModalMass& own : modal_) {
    const Eigen::Index modes = own.modal.cols();
    const auto rigid = N.middleRows<6>(6 * own.block);
    const auto bends = N.middleRows(own.column, modes);
    MN.middleRows<6>(6 * own.block).noalias() += own.coupling * bends;
    MN.middleRows(own.column, modes).noalias() = own.coupling.transpose() * rigid;
    MN.middleRows(own.column, modes).noalias() += own.modal * bends;
  }
}

void Kkt::apply_masses(const VecX& a, VecX& out) const {
  out.resize(a.size());
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    const auto at = 6 * static_cast<Eigen::Index>(i);
    out.segment<6>(at).noalias() = masses_[i] * a.segment<6>(at);
  }
  for (const ModalMass& own : modal_) {
    const Eigen::Index modes = own.modal.cols();
    out.segment<6>(6 * own.block) += own.coupling * a.segment(own.column, modes);
    out.segment(own.column, modes) = own.coupling.transpose() * a.segment<6>(6 * own.block) +
                                     own.modal * a.segment(own.column, modes);
  }
}

double Kkt::smallest_pivot() const {
  if (rank_ == 0) return 1;
  const auto T = triangle_qr_.matrixQR().diagonal();
  return std::abs(T[rank_ - 1]) / std::abs(T[0]);
}

// Fills z_ with the constrained part: Rᵀ y = Pᵀ D_r g in the least-squares sense, z = Y y.
void Kkt::constrained_part(const VecX& g) {
  z_.setZero(free_.rows());
  if (rank_ == 0) return;
  b_ = qr_.colsPermutation().transpose() * (row_scale_.asDiagonal() * g);
  reflect(triangle_qr_, rank_, Side::kTransposed, b_);
  y_ = b_.head(rank_);
  triangle_qr_.matrixQR().topRows(rank_).triangularView<Eigen::Upper>().solveInPlace(y_);
  z_.head(rank_) = y_;
  reflect(qr_, rank_, Side::kPlain, z_);
}

// Adds the free part to z_: Nᵀ M N w = Nᵀ (f − M Y y). Leaves a = D_c z and D_c (f − M a) in work_.
void Kkt::complete_motion(const VecX& f, VecX& a) {
  a = column_scale_.asDiagonal() * z_;
  apply_masses(a, work_);
  work_ = column_scale_.asDiagonal() * (f - work_);
  if (free_.cols() == 0) return;
  y_.noalias() = free_.transpose() * work_;
  reduced_mass_.solve_in_place(y_);
  z_.noalias() += free_ * y_;
  a = column_scale_.asDiagonal() * z_;
  apply_masses(a, work_);
  work_ = column_scale_.asDiagonal() * (f - work_);
}

void Kkt::solve_once(const VecX& f, const VecX& g, VecX& a, VecX& lambda) {
  constrained_part(g);
  complete_motion(f, a);
  // Multipliers: R Pᵀ D_r⁻¹ λ = Yᵀ (f − M a), of least norm.
  lambda.setZero(J_.rows());
  if (rank_ == 0) return;
  reflect(qr_, rank_, Side::kTransposed, work_);
  y_ = work_.head(rank_);
  const auto T = triangle_qr_.matrixQR().topRows(rank_).triangularView<Eigen::Upper>();
  T.transpose().solveInPlace(y_);
  b_.setZero(J_.rows());
  b_.head(rank_) = y_;
  reflect(triangle_qr_, rank_, Side::kPlain, b_);
  lambda = row_scale_.asDiagonal() * (qr_.colsPermutation() * b_);
}

// The modal part of M a, in extended precision.
void Kkt::modal_forces(const VecX& a) {
  if (modal_.empty()) return;
  using Long = long double;
  modal_force_.assign(static_cast<std::size_t>(a.size()), 0);
  const auto at = [](Eigen::Index i) { return static_cast<std::size_t>(i); };
  for (const ModalMass& own : modal_)
    for (Eigen::Index k = 0; k < own.modal.cols(); ++k) {
      Long& on_mode = modal_force_[at(own.column + k)];
      for (Eigen::Index i = 0; i < 6; ++i) {
        const Long coupling = own.coupling(i, k);
        modal_force_[at(6 * own.block + i)] += coupling * Long(a[own.column + k]);
        on_mode += coupling * Long(a[6 * own.block + i]);
      }
      for (Eigen::Index l = 0; l < own.modal.cols(); ++l)
        on_mode += Long(own.modal(k, l)) * Long(a[own.column + l]);
    }
}

void Kkt::solve(const VecX& f, const VecX& g, VecX& a, VecX& lambda, int refinements) {
  solve_once(f, g, a, lambda);
  using Long = long double;
  for (int round = 0; round < refinements; ++round) {
    // [kkt-refinement]
    residual_f_.resize(f.size());
    residual_rows_.assign(g.data(), g.data() + g.size());
    modal_forces(a);
    const auto rigid = 6 * static_cast<Eigen::Index>(masses_.size());
    for (Eigen::Index c = 0; c < f.size(); ++c) {
      Long sum = f[c];
      const Eigen::Index block = c / 6;
      if (c < rigid)
        for (Eigen::Index k = 0; k < 6; ++k)
          sum -= Long(masses_[static_cast<std::size_t>(block)](c % 6, k)) * Long(a[6 * block + k]);
      if (!modal_.empty()) sum -= modal_force_[static_cast<std::size_t>(c)];
      for (Eigen::Index r = 0; r < g.size(); ++r) {
        const Long entry = J_(r, c);
        if (entry == 0) continue;  // most are: a row touches two bodies
        sum -= entry * Long(lambda[r]);
        residual_rows_[static_cast<std::size_t>(r)] -= entry * Long(a[c]);
      }
      residual_f_[c] = static_cast<double>(sum);
    }
    residual_g_.resize(g.size());
    std::copy(residual_rows_.begin(), residual_rows_.end(), residual_g_.data());
    solve_once(residual_f_, residual_g_, da_, dlambda_);
    a += da_;
    lambda += dlambda_;
  }
}

MatX Kkt::weak_motions() {
  MatX motions(J_.cols(), weak_count_);
  VecX a;
  for (int k = 0; k < weak_count_; ++k) {
    z_ = VecX::Unit(free_.rows(), rank_ - weak_count_ + k);
    reflect(qr_, rank_, Side::kPlain, z_);
    complete_motion(VecX::Zero(J_.cols()), a);
    motions.col(k) = a;
  }
  return motions;
}

double Kkt::kinetic_product(const VecX& a, const VecX& b) {
  apply_masses(b, work_);
  return a.dot(work_);
}

MatX Kkt::dependencies() const {
  const Eigen::Index m = J_.rows();
  if (rank_ == 0) return MatX::Identity(m, m);
  MatX Z = MatX::Zero(m, m - rank_);
  Z.bottomRows(m - rank_).setIdentity();
  Z.applyOnTheLeft(triangle_qr_.householderQ());
  return qr_.colsPermutation() * Z;
}

std::vector<char> Kkt::dependent_rows() const {
  // A smaller share in an orthonormal basis is rounding.
  constexpr double kTakesPart = 1e-7;
  const MatX basis = dependencies();
  std::vector<char> dependent(static_cast<std::size_t>(basis.rows()));
  for (std::size_t r = 0; r < dependent.size(); ++r)
    dependent[r] = basis.row(static_cast<Eigen::Index>(r)).norm() > kTakesPart;
  return dependent;
}

MatX Kkt::allowed_motions() const { return column_scale_.asDiagonal() * free_; }

}  // namespace sarrus
