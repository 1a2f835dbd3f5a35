#pragma once

// Not for users of the elimination: the sweeps inside one part, for any joints.

#include <algorithm>
#include <cmath>

#include "sarrus/base/assert.h"
#include "sarrus/base/thresholds.h"
#include "sarrus/elimination/elimination.h"
#include "sarrus/elimination/mat6.h"

namespace sarrus {

/// What closing a body's parent joint leaves for the vector passes:
/// a = X a_parent + c + N w over its free directions N, scaled so that Nᵀ Iᴬ N = 1.  [dca-sweep]
struct Elimination::Record {
  double X[36];
  double N[36];  ///< a row for each free direction
  double U[36];  ///< the rows of Nᵀ Iᴬ
  double K[36];  ///< on the path: what the tip's wrench does to the body's balance
  double y[36];  ///< Nᵀ K
  double Q[36];  ///< J_Cᵀ = Q [R; 0]; a row for each column of Q
  double R[36];
  double c[6];
  double u[6];  ///< Nᵀ p
};

/// The sweeps over the bodies of one part.
struct PartSweep {
  using Step = EliminationPlan::Step;
  using Record = Elimination::Record;

  /// L⁻¹, G = L⁻¹ K and b of a root with the inertia L Lᵀ.
  static constexpr std::size_t kRoot = 36 + 36 + 6;

  PartSweep(Elimination& all, int index)
      : e(all),
        part(all.plan_->parts[to_index(index)]),
        root_L(&all.roots_[kRoot * to_index(index)]),
        root_G(root_L + 36),
        root_b(root_G + 36) {}

  Record& record(int body) const {
    return *reinterpret_cast<Record*>(
        &e.records_[sizeof(Record) / sizeof(double) * to_index(body)]);
  }
  const double* J_child(const Step& s, int k) const {
    return s.body_is_b ? e.J_B(s.first_row + k) : e.J_A(s.first_row + k);
  }
  const double* J_parent(const Step& s, int k) const {
    return s.body_is_b ? e.J_A(s.first_row + k) : e.J_B(s.first_row + k);
  }
  std::span<const Step> steps() const {
    return std::span(e.plan_->steps).subspan(to_index(part.first_step), to_index(part.step_count));
  }
  double* I(int body) const { return &e.I_[36 * to_index(body)]; }
  double* p(int body) const { return &e.p_[6 * to_index(body)]; }
  const double* shown(const Step& s, const AlignedArray<double>& of) const {
    const EliminationPlan::Slot& slot =
        e.plan_->slots[to_index(e.plan_->nodes[to_index(s.absorbed)].slot)];
    return &of[&of == &e.Lambda_ ? slot.Lambda : slot.vectors];
  }
  bool absorbed_by_mobility(const Step& s) const {
    SARRUS_ASSERT(s.absorbed < 0 || e.plan_->nodes[to_index(s.absorbed)].rows.empty() ||
                  e.plan_->nodes[to_index(s.absorbed)].part < 0);
    return s.absorbed >= 0 && (e.solver_sweeps_ || e.plan_->nodes[to_index(s.absorbed)].part < 0);
  }

  void add_mass(const Configuration& c, int body) const {
    const Mat6 M = e.mass_of(BodyId{body}, c);
    double* to = I(body);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) to[6 * i + j] = M(i, j);
    if (!e.added_.empty()) e.add_inertia(body, c.poses[to_index(body)].R(), to);
  }

  /// Matrices inwards; −1, or the body that has nothing to hold it.
  int factor(const Configuration& c) const {
    double K[36] = {}, tip[36] = {};
    for (const Step& s : steps())
      if (s.absorbed < 0) add_mass(c, s.body);
    if (!part.grounded) add_mass(c, part.root);
    for (const Step& s : steps()) {
      // What hangs here whole shows its mobility; its inertia is the inverse.
      if (absorbed_by_mobility(s)) {
        double Lambda[36];
        for (int i = 0; i < 6; ++i) std::copy_n(shown(s, e.Lambda_) + 8 * i, 6, Lambda + 6 * i);
        if (!mat6::inverse(Lambda, I(s.body))) return s.body;
      }
      Record& r = record(s.body);
      if (!close_joint(s, r)) return s.body;
      if (!s.on_path) continue;
      if (s.body == part.tip) mat6::set_identity(K);
      std::copy_n(K, 36, r.K);
      const int free = 6 - s.rows;
      for (int k = 0; k < free; ++k) {
        std::fill_n(r.y + 6 * k, 6, 0.0);
        mat6::add_transposed_times(r.y + 6 * k, K, r.N + 6 * k);
      }
      mat6::add_transposed_product(tip, r.y, r.y, free);
      mat6::add_transposed_product(K, r.U, r.y, free, -1);
      double moved[36] = {};
      mat6::add_transposed_product(moved, r.X, K, 6);
      std::copy_n(moved, 36, K);
    }
    return show(K, tip);
  }

  bool close_joint(const Step& s, Record& r) const {
    const int m = s.rows, free = 6 - m;
    double columns[36];
    for (int k = 0; k < m; ++k) std::copy_n(J_child(s, k), 6, columns + 6 * k);
    if (!mat6::qr(columns, m, r.Q, r.R)) return false;
    const double* inertia = I(s.body);
    // N: the last columns of Q, made orthonormal in the articulated inertia.
    for (int k = 0; k < free; ++k) {
      double *n = r.N + 6 * k, *u = r.U + 6 * k;
      std::copy_n(r.Q + 6 * (m + k), 6, n);
      mat6::times(u, inertia, n);
      // Against the size of the body's inertia: about a rod's own axis rounding is left.
      const double whole =
          (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) * (inertia[0] + inertia[7] + inertia[14]) +
          (n[3] * n[3] + n[4] * n[4] + n[5] * n[5]) * (inertia[21] + inertia[28] + inertia[35]);
      for (int l = 0; l < k; ++l) {
        const double share = mat6::dot6(r.U + 6 * l, n);
        mat6::add_scaled(n, r.N + 6 * l, -share);
        mat6::add_scaled(u, r.U + 6 * l, -share);
      }
      const double d = mat6::dot6(n, u);
      if (!(d > thresholds::kNoInertiaInPart * whole)) return false;
      const double scale = 1 / std::sqrt(d);
      for (int i = 0; i < 6; ++i) n[i] *= scale;
      for (int i = 0; i < 6; ++i) u[i] *= scale;
    }
    if (s.parent == 0) return true;
    // X = −Q₁ R⁻ᵀ J_P
    double from_parent[36];
    for (int k = 0; k < m; ++k) std::copy_n(J_parent(s, k), 6, from_parent + 6 * k);
    mat6::solve_transposed_rows(r.R, m, from_parent);
    std::fill_n(r.X, 36, 0.0);
    mat6::add_transposed_product(r.X, r.Q, from_parent, m, -1);
    // Iᴬ of the parent += Xᵀ (I − U Uᵀ) X
    double rest[36], moved[36];
    std::copy_n(inertia, 36, rest);
    mat6::add_transposed_product(rest, r.U, r.U, free, -1);
    mat6::product(moved, rest, r.X);
    mat6::add_transposed_product(I(s.parent), r.X, moved, 6);
    return true;
  }

  /// Λ of the handles.  [dca-handles]
  int show(double* K, double* tip) const {
    const EliminationPlan::Slot& slot = e.plan_->slots[to_index(part.slot)];
    double* Lambda = &e.Lambda_[slot.Lambda];
    const int width = slot.stride();
    if (!part.grounded) {
      if (!mat6::inverse_factor(I(part.root), root_L)) return part.root;
      if (part.tip >= 0) {
        mat6::product(root_G, root_L, K);
        mat6::add_transposed_product(tip, root_G, root_G, 6);
      }
    }
    const int first = part.shows_root ? 6 : 0;
    if (part.shows_root) {
      double own[36] = {};
      mat6::add_transposed_product(own, root_L, root_L, 6);
      for (int i = 0; i < 6; ++i) std::copy_n(own + 6 * i, 6, Lambda + width * i);
      if (part.tip >= 0) {
        double cross[36] = {};
        mat6::add_transposed_product(cross, root_L, root_G, 6);
        for (int i = 0; i < 6; ++i)
          for (int j = 0; j < 6; ++j)
            Lambda[width * i + 8 + j] = Lambda[width * (6 + j) + i] = cross[6 * i + j];
      }
    }
    if (part.tip >= 0)
      for (int i = 0; i < 6; ++i)
        std::copy_n(tip + 6 * i, 6, Lambda + width * (first + i) + (part.shows_root ? 8 : 0));
    return -1;
  }

  void load(int body) const {
    for (int i = 0; i < 6; ++i) p(body)[i] = e.f_.empty() ? 0.0 : -e.f_[to_index(body)][i];
  }

  /// Vectors inwards.
  void up() const {
    for (const Step& s : steps())
      if (s.absorbed < 0) load(s.body);
    if (!part.grounded) load(part.root);
    double tip[6] = {};
    for (const Step& s : steps()) {
      Record& r = record(s.body);
      const int m = s.rows, free = 6 - m;
      if (absorbed_by_mobility(s)) {  // p = −I β
        mat6::times(p(s.body), I(s.body), shown(s, e.beta_));
        for (int i = 0; i < 6; ++i) p(s.body)[i] = -p(s.body)[i];
      }
      double z[6];
      for (int k = 0; k < m; ++k) z[k] = -e.g_[s.first_row + k];
      mat6::solve_transposed(r.R, m, z);
      std::fill_n(r.c, 6, 0.0);
      mat6::add_transposed_times(r.c, r.Q, z, m);
      mat6::times(r.u, r.N, p(s.body), free);
      double w[6];  // Nᵀ (p + I c)
      for (int k = 0; k < free; ++k) w[k] = r.u[k] + mat6::dot6(r.U + 6 * k, r.c);
      if (s.parent > 0) {
        double passed[6];
        mat6::times(passed, I(s.body), r.c);
        for (int i = 0; i < 6; ++i) passed[i] += p(s.body)[i];
        for (int k = 0; k < free; ++k) mat6::add_scaled(passed, r.U + 6 * k, -w[k]);
        mat6::add_transposed_times(p(s.parent), r.X, passed);
      }
      if (!s.on_path) continue;
      // The tip: + Kᵀ (c − N w), with Kᵀ N = yᵀ.
      mat6::add_transposed_times(tip, r.K, r.c);
      for (int k = 0; k < free; ++k) mat6::add_scaled(tip, r.y + 6 * k, -w[k]);
    }
    double* beta = &e.beta_[e.plan_->slots[to_index(part.slot)].vectors];
    if (!part.grounded) {
      mat6::times(root_b, root_L, p(part.root));
      for (int i = 0; i < 6; ++i) root_b[i] = -root_b[i];
      if (part.tip >= 0) mat6::add_transposed_times(tip, root_G, root_b);
      if (part.shows_root) {
        std::fill_n(beta, 6, 0.0);
        mat6::add_transposed_times(beta, root_L, root_b);
      }
    }
    if (part.tip >= 0) std::copy_n(tip, 6, beta + (part.shows_root ? 6 : 0));
  }

  /// Accelerations outwards, under the forces on the boundary.
  void down() const {
    const EliminationPlan::Slot& slot = e.plan_->slots[to_index(part.slot)];
    const double* F_root = &e.F_[slot.vectors];
    const double* F_tip = F_root + (part.shows_root ? 6 : 0);
    if (!part.grounded) {
      double x[6];
      for (int i = 0; i < 6; ++i) {
        x[i] = root_b[i];
        if (part.shows_root) x[i] -= mat6::dot6(root_L + 6 * i, F_root);
        if (part.tip >= 0) x[i] -= mat6::dot6(root_G + 6 * i, F_tip);
      }
      double a[6] = {};
      mat6::add_transposed_times(a, root_L, x);
      std::copy_n(a, 6, e.a_[to_index(part.root)].data());
    }
    const std::span<const Step> all = steps();
    for (std::size_t i = all.size(); i-- > 0;) {
      const Step& s = all[i];
      const Record& r = record(s.body);
      double a[6];
      if (s.parent > 0) {
        mat6::times(a, r.X, e.a_[to_index(s.parent)].data());
        for (int j = 0; j < 6; ++j) a[j] += r.c[j];
      } else {
        std::copy_n(r.c, 6, a);
      }
      double w[6];
      for (int k = 0; k < 6 - s.rows; ++k) {
        w[k] = r.u[k] + mat6::dot6(r.U + 6 * k, a);
        if (s.on_path) w[k] += mat6::dot6(r.y + 6 * k, F_tip);
      }
      for (int k = 0; k < 6 - s.rows; ++k) mat6::add_scaled(a, r.N + 6 * k, -w[k]);
      std::copy_n(a, 6, e.a_[to_index(s.body)].data());
      if (s.absorbed < 0) continue;
      // The wrench at the top of what hangs here: F = −(I a + p).
      double* F = const_cast<double*>(shown(s, e.F_));
      mat6::times(F, I(s.body), a);
      for (int j = 0; j < 6; ++j) F[j] = -(F[j] + p(s.body)[j]);
    }
  }

  /// λ of the joints closed in here, inwards, from the balance of each body:
  /// J_Cᵀ λ = f − M a − Σ Jᵀ λ of its other joints.  [dca-balance]
  void multipliers(const Configuration& c) const {
    const auto balance = [&](int body) {
      const Inertia& inertia = e.plan_->system->model().bodies()[to_index(body)].inertia;
      const Vec6 Ma = inertia.matrix(c.poses[to_index(body)].R()) * e.a_[to_index(body)];
      for (int i = 0; i < 6; ++i)
        p(body)[i] = (e.f_.empty() ? 0.0 : e.f_[to_index(body)][i]) - Ma[i];
    };
    for (const Step& s : steps())
      if (s.absorbed < 0) balance(s.body);
    if (!part.grounded) balance(part.root);
    const EliminationPlan::Slot& slot = e.plan_->slots[to_index(part.slot)];
    const double* F = &e.F_[slot.vectors];
    if (part.shows_root)
      for (int i = 0; i < 6; ++i) p(part.root)[i] -= F[i];
    if (part.tip >= 0)
      for (int i = 0; i < 6; ++i) p(part.tip)[i] -= F[(part.shows_root ? 6 : 0) + i];
    for (const Step& s : steps()) {
      const Record& r = record(s.body);
      const double* rest = s.absorbed >= 0 ? shown(s, e.F_) : p(s.body);
      double* lambda = e.lambda_.data() + s.first_row;
      mat6::times(lambda, r.Q, rest, s.rows);
      mat6::solve(r.R, s.rows, lambda);
      if (s.parent > 0)
        for (int k = 0; k < s.rows; ++k) mat6::add_scaled(p(s.parent), J_parent(s, k), -lambda[k]);
    }
  }

  /// λ in here of forces on the handles that move nothing.
  void self_stress(const double* F_tip, std::vector<double>& lambda) const {
    double rest[6];
    std::copy_n(F_tip, 6, rest);
    for (const Step& s : steps()) {
      if (!s.on_path) continue;
      const Record& r = record(s.body);
      double l[6];
      mat6::times(l, r.Q, rest, s.rows);
      for (int k = 0; k < s.rows; ++k) l[k] = -l[k];
      mat6::solve(r.R, s.rows, l);
      std::fill_n(rest, 6, 0.0);
      for (int k = 0; k < s.rows; ++k) {
        lambda[to_index(s.first_row + k)] = l[k];
        if (s.parent > 0)
          for (int i = 0; i < 6; ++i) rest[i] += J_parent(s, k)[i] * l[k];
      }
    }
  }

  Elimination& e;
  const EliminationPlan::Part& part;
  double *root_L, *root_G, *root_b;
};

}  // namespace sarrus
