#include "sarrus/topology/elimination/elimination.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "sarrus/base/assert.h"
#include "sarrus/constraints/projector.h"
#include "sarrus/model/loads.h"
#include "sarrus/topology/elimination/small.h"

namespace sarrus {
namespace {

/// A pivot of a loop below this is nearly lost.  [dca-deficient]
constexpr double kDeficient = 1e-6;

/// A free direction whose inertia falls below this part of what it was before the others were taken
/// out has none: rounding is all that is left.
constexpr double kNothing = 1e-13;

/// Bodies without inertia about some axis, where what opposes that motion is not in the same part,
/// get this part of a natural one added, which the solution takes out again by iteration.
/// [dca-added-inertia]
constexpr double kAdded = 1e-2;
constexpr int kMostPasses = 30;
constexpr int kMostProjectionPasses = 6;

using small::ix;

double dot6(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/// As good as random: of either sign, between ½ and 1½, the same for the same row.
double random_share(std::size_t row, unsigned stress) {
  std::uint64_t x = 0x9e3779b97f4a7c15U * (2 * std::uint64_t{row} + stress + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  x ^= x >> 31;
  const double number = static_cast<double>(x >> 11) * 0x1p-52 - 1;
  return number < 0 ? number - 0.5 : number + 0.5;
}

}  // namespace

/// What closing a body's parent joint leaves for the vector passes:
/// a = X a_parent + c + N w over its free directions N, scaled so that Nᵀ Iᴬ N = 1.  [dca-sweep]
struct Elimination::Record {
  double X[36];
  double N[36];  ///< a row for each free direction
  double U[36];  ///< the rows of Nᵀ Iᴬ
  double K[36];  ///< on the path: what the tip's wrench does to the body's balance
  double y[36];  ///< Nᵀ K
  double Q[36];  ///< J_Cᵀ = Q [R; 0]
  double R[36];
  double c[6];
  double u[6];  ///< Nᵀ p
};

/// The sweeps over the bodies of one part.
struct PartSweep {
  using Step = EliminationPlan::Step;
  using Record = Elimination::Record;

  /// F, G and b of a root.
  static constexpr std::size_t kRoot = 36 + 36 + 6;

  PartSweep(Elimination& all, int index)
      : e(all),
        part(all.plan_->parts[ix(index)]),
        root_F(&all.roots_[kRoot * ix(index)]),
        root_G(root_F + 36),
        root_b(root_G + 36) {}

  Record& record(int body) const {
    return *reinterpret_cast<Record*>(&e.records_[sizeof(Record) / sizeof(double) * ix(body)]);
  }
  const double* J_child(const Step& s, int k) const {
    return s.body_is_b ? e.J_B(s.first_row + k) : e.J_A(s.first_row + k);
  }
  const double* J_parent(const Step& s, int k) const {
    return s.body_is_b ? e.J_A(s.first_row + k) : e.J_B(s.first_row + k);
  }
  std::span<const Step> steps() const {
    return std::span(e.plan_->steps).subspan(ix(part.first_step), ix(part.step_count));
  }
  double* I(int body) const { return &e.I_[36 * ix(body)]; }
  double* p(int body) const { return &e.p_[6 * ix(body)]; }
  const double* shown(const Step& s, const AlignedArray<double>& of) const {
    const EliminationPlan::Slot& slot = e.plan_->slots[ix(e.plan_->nodes[ix(s.raked)].slot)];
    return &of[&of == &e.Lambda_ ? slot.Lambda : slot.vectors];
  }
  bool raked_is_join(const Step& s) const {
    SARRUS_ASSERT(s.raked < 0 || e.plan_->nodes[ix(s.raked)].rows.empty() ||
                  e.plan_->nodes[ix(s.raked)].part < 0);
    return s.raked >= 0 && e.plan_->nodes[ix(s.raked)].part < 0;
  }

  void add_mass(const Configuration& c, int body) const {
    const Mat6 M = e.mass_of(BodyId{body}, c);
    double* to = I(body);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) to[6 * i + j] = M(i, j);
    for (int i = 0; i < 6; ++i) to[7 * i] += e.added_[6 * ix(body) + ix(i)];
  }

  /// Matrices inwards; −1, or the body that has nothing to hold it.
  int factor(const Configuration& c) const {
    double K[36] = {}, tip[36] = {};
    for (const Step& s : steps())
      if (s.raked < 0) add_mass(c, s.body);
    if (!part.grounded) add_mass(c, part.root);
    for (const Step& s : steps()) {
      // What hangs here whole shows its mobility; its inertia is the inverse.
      if (raked_is_join(s)) {
        double Lambda[36];
        for (int i = 0; i < 6; ++i) std::copy_n(shown(s, e.Lambda_) + 8 * i, 6, Lambda + 6 * i);
        if (!small::inverse(Lambda, I(s.body))) return s.body;
      }
      Record& r = record(s.body);
      if (!close_joint(s, r)) return s.body;
      if (!s.on_path) continue;
      if (s.body == part.tip) small::set_identity(K);
      std::copy_n(K, 36, r.K);
      const int free = 6 - s.rows;
      for (int k = 0; k < free; ++k) {
        std::fill_n(r.y + 6 * k, 6, 0.0);
        small::add_transposed_times(r.y + 6 * k, K, r.N + 6 * k);
      }
      small::add_transposed_product(tip, r.y, r.y, free);
      small::add_transposed_product(K, r.U, r.y, free, -1);
      double moved[36] = {};
      small::add_transposed_product(moved, r.X, K, 6);
      std::copy_n(moved, 36, K);
    }
    return show(K, tip);
  }

  bool close_joint(const Step& s, Record& r) const {
    const int m = s.rows, free = 6 - m;
    double columns[36];
    for (int k = 0; k < m; ++k) std::copy_n(J_child(s, k), 6, columns + 6 * k);
    if (!small::qr(columns, m, r.Q, r.R)) return false;
    const double* inertia = I(s.body);
    // N: the last columns of Q, made orthonormal in the articulated inertia.
    for (int k = 0; k < free; ++k) {
      double *n = r.N + 6 * k, *u = r.U + 6 * k;
      for (int i = 0; i < 6; ++i) n[i] = r.Q[6 * i + m + k];
      small::times(u, inertia, n);
      const double whole = dot6(n, u);
      for (int l = 0; l < k; ++l) {
        const double share = dot6(r.U + 6 * l, n);
        for (int i = 0; i < 6; ++i) n[i] -= share * r.N[6 * l + i];
        for (int i = 0; i < 6; ++i) u[i] -= share * r.U[6 * l + i];
      }
      const double d = dot6(n, u);
      if (!(d > kNothing * whole)) return false;
      const double scale = 1 / std::sqrt(d);
      for (int i = 0; i < 6; ++i) n[i] *= scale;
      for (int i = 0; i < 6; ++i) u[i] *= scale;
    }
    if (s.parent == 0) return true;
    // X = −Q₁ R⁻ᵀ J_P
    double from_parent[36];
    for (int j = 0; j < 6; ++j) {
      double z[6];
      for (int k = 0; k < m; ++k) z[k] = J_parent(s, k)[j];
      small::solve_transposed(r.R, m, z);
      for (int k = 0; k < m; ++k) from_parent[6 * k + j] = -z[k];
    }
    std::fill_n(r.X, 36, 0.0);
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < m; ++k)
        for (int j = 0; j < 6; ++j) r.X[6 * i + j] += r.Q[6 * i + k] * from_parent[6 * k + j];
    // Iᴬ of the parent += Xᵀ (I − U Uᵀ) X
    double rest[36], moved[36];
    std::copy_n(inertia, 36, rest);
    small::add_transposed_product(rest, r.U, r.U, free, -1);
    small::product(moved, rest, r.X);
    small::add_transposed_product(I(s.parent), r.X, moved, 6);
    return true;
  }

  /// Λ of the handles.  [dca-handles]
  int show(double* K, double* tip) const {
    const EliminationPlan::Slot& slot = e.plan_->slots[ix(part.slot)];
    double* Lambda = &e.Lambda_[slot.Lambda];
    const int width = slot.stride();
    if (!part.grounded) {
      if (!small::inverse_factor(I(part.root), root_F)) return part.root;
      if (part.tip >= 0) {
        std::fill_n(root_G, 36, 0.0);
        small::add_transposed_product(root_G, root_F, K, 6);
        small::add_transposed_product(tip, root_G, root_G, 6);
      }
    }
    const int first = part.shows_root ? 6 : 0;
    if (part.shows_root) {
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) Lambda[width * i + j] = dot6(root_F + 6 * i, root_F + 6 * j);
      if (part.tip >= 0) {
        double cross[36];
        small::product(cross, root_F, root_G);
        for (int i = 0; i < 6; ++i)
          for (int j = 0; j < 6; ++j)
            Lambda[width * i + 8 + j] = Lambda[width * (6 + j) + i] = cross[6 * i + j];
      }
    }
    if (part.tip >= 0)
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
          Lambda[width * (first + i) + (part.shows_root ? 8 : 0) + j] = tip[6 * i + j];
    return -1;
  }

  void load(int body) const {
    for (int i = 0; i < 6; ++i) p(body)[i] = e.f_.empty() ? 0.0 : -e.f_[ix(body)][i];
  }

  /// Vectors inwards.
  void up() const {
    for (const Step& s : steps())
      if (s.raked < 0) load(s.body);
    if (!part.grounded) load(part.root);
    double tip[6] = {};
    for (const Step& s : steps()) {
      Record& r = record(s.body);
      const int m = s.rows, free = 6 - m;
      if (raked_is_join(s)) {  // p = −I β
        small::times(p(s.body), I(s.body), shown(s, e.beta_));
        for (int i = 0; i < 6; ++i) p(s.body)[i] = -p(s.body)[i];
      }
      double z[6];
      for (int k = 0; k < m; ++k) z[k] = -e.g_[s.first_row + k];
      small::solve_transposed(r.R, m, z);
      for (int i = 0; i < 6; ++i) {
        r.c[i] = 0;
        for (int k = 0; k < m; ++k) r.c[i] += r.Q[6 * i + k] * z[k];
      }
      small::times(r.u, r.N, p(s.body), free);
      double w[6];  // Nᵀ (p + I c)
      for (int k = 0; k < free; ++k) w[k] = r.u[k] + dot6(r.U + 6 * k, r.c);
      if (s.parent > 0) {
        double passed[6];
        small::times(passed, I(s.body), r.c);
        for (int i = 0; i < 6; ++i) passed[i] += p(s.body)[i];
        for (int k = 0; k < free; ++k)
          for (int i = 0; i < 6; ++i) passed[i] -= r.U[6 * k + i] * w[k];
        small::add_transposed_times(p(s.parent), r.X, passed);
      }
      if (!s.on_path) continue;
      // The tip: + Kᵀ (c − N w), with Kᵀ N = yᵀ.
      small::add_transposed_times(tip, r.K, r.c);
      for (int k = 0; k < free; ++k)
        for (int i = 0; i < 6; ++i) tip[i] -= r.y[6 * k + i] * w[k];
    }
    double* beta = &e.beta_[e.plan_->slots[ix(part.slot)].vectors];
    if (!part.grounded) {
      std::fill_n(root_b, 6, 0.0);
      small::add_transposed_times(root_b, root_F, p(part.root));
      for (int i = 0; i < 6; ++i) root_b[i] = -root_b[i];
      if (part.tip >= 0) small::add_transposed_times(tip, root_G, root_b);
      if (part.shows_root) small::times(beta, root_F, root_b);
    }
    if (part.tip >= 0) std::copy_n(tip, 6, beta + (part.shows_root ? 6 : 0));
  }

  /// Accelerations outwards, under the forces on the boundary.
  void down() const {
    const EliminationPlan::Slot& slot = e.plan_->slots[ix(part.slot)];
    const double* F_root = &e.F_[slot.vectors];
    const double* F_tip = F_root + (part.shows_root ? 6 : 0);
    if (!part.grounded) {
      double x[6];
      std::copy_n(root_b, 6, x);
      for (int i = 0; i < 6; ++i) {
        if (part.shows_root)
          for (int j = 0; j < 6; ++j) x[i] -= root_F[6 * j + i] * F_root[j];
        if (part.tip >= 0) x[i] -= dot6(root_G + 6 * i, F_tip);
      }
      small::times(e.a_[ix(part.root)].data(), root_F, x);
    }
    const std::span<const Step> all = steps();
    for (std::size_t i = all.size(); i-- > 0;) {
      const Step& s = all[i];
      const Record& r = record(s.body);
      double a[6];
      if (s.parent > 0) {
        small::times(a, r.X, e.a_[ix(s.parent)].data());
        for (int j = 0; j < 6; ++j) a[j] += r.c[j];
      } else {
        std::copy_n(r.c, 6, a);
      }
      double w[6];
      for (int k = 0; k < 6 - s.rows; ++k) {
        w[k] = r.u[k] + dot6(r.U + 6 * k, a);
        if (s.on_path) w[k] += dot6(r.y + 6 * k, F_tip);
      }
      for (int k = 0; k < 6 - s.rows; ++k)
        for (int j = 0; j < 6; ++j) a[j] -= r.N[6 * k + j] * w[k];
      std::copy_n(a, 6, e.a_[ix(s.body)].data());
      if (s.raked < 0) continue;
      // The wrench at the top of what hangs here: F = −(I a + p).
      double* F = const_cast<double*>(shown(s, e.F_));
      small::times(F, I(s.body), a);
      for (int j = 0; j < 6; ++j) F[j] = -(F[j] + p(s.body)[j]);
    }
  }

  /// λ of the joints closed in here, inwards, from the balance of each body:
  /// J_Cᵀ λ = f − M a − Σ Jᵀ λ of its other joints.  [dca-balance]
  void multipliers(const Configuration& c) const {
    const auto balance = [&](int body) {
      const Inertia& inertia = e.plan_->system->model().bodies()[ix(body)].inertia;
      const Vec6 Ma = inertia.matrix(c.poses[ix(body)].R()) * e.a_[ix(body)];
      for (int i = 0; i < 6; ++i) p(body)[i] = (e.f_.empty() ? 0.0 : e.f_[ix(body)][i]) - Ma[i];
    };
    for (const Step& s : steps())
      if (s.raked < 0) balance(s.body);
    if (!part.grounded) balance(part.root);
    const EliminationPlan::Slot& slot = e.plan_->slots[ix(part.slot)];
    const double* F = &e.F_[slot.vectors];
    if (part.shows_root)
      for (int i = 0; i < 6; ++i) p(part.root)[i] -= F[i];
    if (part.tip >= 0)
      for (int i = 0; i < 6; ++i) p(part.tip)[i] -= F[(part.shows_root ? 6 : 0) + i];
    for (const Step& s : steps()) {
      const Record& r = record(s.body);
      const double* rest = s.raked >= 0 ? shown(s, e.F_) : p(s.body);
      double* lambda = &e.lambda_[ix(s.first_row)];
      for (int k = 0; k < s.rows; ++k) {
        lambda[k] = 0;
        for (int i = 0; i < 6; ++i) lambda[k] += r.Q[6 * i + k] * rest[i];
      }
      small::solve(r.R, s.rows, lambda);
      if (s.parent > 0)
        for (int k = 0; k < s.rows; ++k)
          for (int i = 0; i < 6; ++i) p(s.parent)[i] -= J_parent(s, k)[i] * lambda[k];
    }
  }

  /// λ in here of forces on the handles that move nothing.
  void self_stress(const double* F_tip, std::vector<double>& lambda) const {
    double rest[6];
    std::copy_n(F_tip, 6, rest);
    for (const Step& s : steps()) {
      if (!s.on_path) continue;
      const Record& r = record(s.body);
      double l[6] = {};
      for (int k = 0; k < s.rows; ++k)
        for (int i = 0; i < 6; ++i) l[k] -= r.Q[6 * i + k] * rest[i];
      small::solve(r.R, s.rows, l);
      std::fill_n(rest, 6, 0.0);
      for (int k = 0; k < s.rows; ++k) {
        lambda[ix(s.first_row + k)] = l[k];
        if (s.parent > 0)
          for (int i = 0; i < 6; ++i) rest[i] += J_parent(s, k)[i] * l[k];
      }
    }
  }

  Elimination& e;
  const EliminationPlan::Part& part;
  double *root_F, *root_G, *root_b;
};

Elimination::Elimination(const EliminationPlan& plan, const Executor& executor,
                         const Configuration& assembled, Metric metric)
    : plan_(&plan),
      executor_(&executor),
      cut_(executor, plan.tasks),
      kernel_(&elimination::best_kernel()),
      metric_(metric) {
  const ConstraintSystem& system = *plan.system;
  const Model& model = system.model();
  const auto rows = ix(system.rows());
  const auto bodies = model.bodies().size();
  J_ = AlignedArray<double>(12 * rows);
  for (std::vector<double>* v : {&phi_, &phi_rate_, &gamma_, &motion_rate_, &lambda_, &correction_})
    v->assign(rows, 0.0);
  scale_.assign(rows, 1.0);
  added_ = AlignedArray<double>(6 * bodies);
  I_ = AlignedArray<double>(36 * bodies);
  p_ = AlignedArray<double>(6 * bodies);
  records_ = AlignedArray<double>(sizeof(Record) / sizeof(double) * bodies);
  a_.assign(bodies, Vec6::Zero());
  roots_ = AlignedArray<double>(PartSweep::kRoot * plan.parts.size());
  Lambda_ = AlignedArray<double>(plan.Lambda_size);
  beta_ = AlignedArray<double>(plan.vector_size);
  F_ = AlignedArray<double>(plan.vector_size);
  U_ = AlignedArray<double>(plan.U_size);
  L_ = AlignedArray<double>(plan.L_size);
  y_ = AlignedArray<double>(plan.closing_size);
  pivot_ = AlignedArray<double>(plan.closing_size);
  work_ = AlignedArray<double>(plan.closing_size);
  order_.assign(plan.closing_size, 0);
  rank_.assign(plan.nodes.size(), 0);
  least_.assign(plan.nodes.size(), 1.0);
  bad_.assign(plan.nodes.size(), 0);
  bad_body_.assign(plan.nodes.size(), -1);

  loaded_.assign(bodies, Vec6::Zero());
  if (metric == Metric::kKinetic) add_inertia();

  // A row of a loop is measured by what its two bodies alone would let it do.
  for (const EliminationPlan::Node& node : plan.nodes)
    if (node.loop)
      for (const elimination::ClosingRow& closing : node.rows) scale_[ix(closing.row)] = 0;
  for (int j = 0; j < model.joint_count(); ++j) {
    if (system.first_row(j) == system.first_row(j + 1) || scale_[ix(system.first_row(j))] != 0)
      continue;
    const Joint& joint = model.joint(JointId{j});
    system.visit_rows(j, 0, assembled, [&](int r, const Row& row, const TimeFunction::Value&) {
      double mobility = 0;
      for (const auto& [body, J] : {std::pair{joint.a, &row.J_A}, std::pair{joint.b, &row.J_B}}) {
        if (body == kGround) continue;
        const Mat6 M = mass_of(body, assembled);
        // Only a scale: the rotation takes a sphere's inertia, so that thin bodies do not spoil it.
        const double mass = M(3, 3);
        const double inertia = M.topLeftCorner<3, 3>().trace() / 3;
        if (inertia > 0) mobility += J->head<3>().squaredNorm() / inertia;
        if (mass > 0) mobility += J->tail<3>().squaredNorm() / mass;
      }
      scale_[ix(r)] = mobility > 0 ? 1 / std::sqrt(mobility) : 1.0;
    });
  }
}

Mat6 Elimination::mass_of(BodyId body, const Configuration& c) const {
  if (metric_ == Metric::kKinetic)
    return plan_->system->model().body(body).inertia.matrix(c.poses[body.slot()].R());
  Mat6 M = Mat6::Identity();
  M.topLeftCorner<3, 3>() *= plan_->system->length() * plan_->system->length();
  return M;
}

void Elimination::add_inertia() {
  const Model& model = plan_->system->model();
  double mass = 0;
  for (const Body& body : model.bodies()) mass = std::max(mass, body.inertia.mass);
  const double length = plan_->system->length();
  const auto add = [&](int body) {
    const Inertia& inertia = model.bodies()[ix(body)].inertia;
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertia.central, Eigen::EigenvaluesOnly);
    double* added = &added_[6 * ix(body)];
    if (std::any_of(added, added + 6, [](double x) { return x > 0; })) return;
    const double natural = std::max(inertia.mass * length * length, eigen.eigenvalues()[2]);
    if (!(inertia.mass > 0)) std::fill_n(added + 3, 3, kAdded * mass);
    if (!(eigen.eigenvalues()[0] > 1e-6 * natural))
      std::fill_n(added, 3, kAdded * (natural > 0 ? natural : mass * length * length));
    for (int i = 0; i < 6; ++i)
      if (added[i] > 0) added_at_.emplace_back(body, i);
    has_added_ = !added_at_.empty();
  };
  // Elsewhere all that a joint carries is known where it is closed.
  for (const EliminationPlan::Part& part : plan_->parts)
    if (!part.grounded && (part.shows_root || part.tip >= 0)) add(part.root);
  for (const EliminationPlan::Step& step : plan_->steps)
    if (step.on_path) add(step.body);
}

void Elimination::evaluate_joint(int joint, double t, const Configuration& c, bool matrices) {
  const Joint& j = plan_->system->model().joint(JointId{joint});
  const Vec6& V_A = c.velocities[j.a.slot()];
  const Vec6& V_B = c.velocities[j.b.slot()];
  plan_->system->visit_rows(joint, t, c, [&](int r, const Row& row, const TimeFunction::Value& f) {
    phi_[ix(r)] = row.value - f.value;
    phi_rate_[ix(r)] = row.rate(V_A, V_B) - f.rate;
    gamma_[ix(r)] = row.gamma - f.acceleration;
    motion_rate_[ix(r)] = f.rate;
    if (!matrices) return;
    std::copy_n(row.J_A.data(), 6, &J_[12 * ix(r)]);
    std::copy_n(row.J_B.data(), 6, &J_[12 * ix(r) + 6]);
  });
}

void Elimination::evaluate(double t, const Configuration& c) {
  executor_->up(cut_, [&](int first, int last) {
    for (int i = first; i <= last; ++i) {
      const EliminationPlan::Node& node = plan_->nodes[ix(i)];
      if (node.part >= 0) {
        const EliminationPlan::Part& part = plan_->parts[ix(node.part)];
        for (int s = 0; s < part.step_count; ++s)
          evaluate_joint(plan_->steps[ix(part.first_step + s)].joint, t, c, false);
      }
      for (int joint = -1; const elimination::ClosingRow& row : node.rows)
        if (const int next = plan_->joint_of_row[ix(row.row)]; next != joint)
          evaluate_joint(joint = next, t, c, false);
    }
  });
}

Status Elimination::factor(double t, const Configuration& c) {
  executor_->up(cut_, [&](int first, int last) {
    for (int i = first; i <= last; ++i) {
      bad_[ix(i)] = 0;
      if (plan_->nodes[ix(i)].part >= 0) factor_part(i, t, c);
      factor_rows(i, t, c);
    }
  });
  return verdict(c);
}

Status Elimination::verdict(const Configuration& c) const {
  for (std::size_t i = 0; i < bad_.size(); ++i) {
    if (!bad_[i]) continue;
    if (bad_body_[i] < 0 || !c.poses[ix(bad_body_[i])].p.allFinite())
      return {Status::Code::kNotFinite, "the configuration is not finite"};
    return massless_status(plan_->system->model(), BodyId{bad_body_[i]});
  }
  return {};
}

void Elimination::factor_part(int index, double t, const Configuration& c) {
  const EliminationPlan::Node& node = plan_->nodes[ix(index)];
  const EliminationPlan::Part& part = plan_->parts[ix(node.part)];
  for (int s = 0; s < part.step_count; ++s)
    evaluate_joint(plan_->steps[ix(part.first_step + s)].joint, t, c, true);
  const int body = PartSweep(*this, node.part).factor(c);
  if (body < 0) return;
  bad_[ix(index)] = 1;
  bad_body_[ix(index)] = body;
}

void Elimination::factor_rows(int index, double t, const Configuration& c) {
  const EliminationPlan::Node& node = plan_->nodes[ix(index)];
  least_[ix(index)] = 1;
  for (const int below : plan_->tasks.nodes[ix(index)].children)
    least_[ix(index)] = std::min(least_[ix(index)], least_[ix(below)]);
  for (int joint = -1; const elimination::ClosingRow& row : node.rows)
    if (const int next = plan_->joint_of_row[ix(row.row)]; next != joint)
      evaluate_joint(joint = next, t, c, true);
  if (node.part < 0 || !node.rows.empty()) factor_closing(index);
}

// [dca-join]
void Elimination::factor_closing(int index) {
  const EliminationPlan::Node& node = plan_->nodes[ix(index)];
  const EliminationPlan::Slot& slot = plan_->slots[ix(node.slot)];
  const std::size_t m = node.rows.size();
  double* L = &L_[node.L];
  thread_local std::vector<elimination::StackedBody> stack;
  stack.resize(node.stack.size());
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const EliminationPlan::Slot& source = plan_->slots[ix(node.stack[i].slot)];
    const int place = node.stack[i].place;
    stack[i] = {&Lambda_[source.Lambda + ix(6 * place * source.stride())], source.stride(), place,
                node.stack[i].slot};
  }
  thread_local std::vector<double> Y;
  if (Y.size() < 8 * m * ix(slot.bodies)) Y.resize(8 * m * ix(slot.bodies));
  const elimination::ClosingSystem closing = {.rows = node.rows.data(),
                                              .row_count = static_cast<int>(m),
                                              .stack = stack.data(),
                                              .stacked = static_cast<int>(stack.size()),
                                              .kept = slot.bodies,
                                              .J = J_.data(),
                                              .scale = scale_.data(),
                                              .U = &U_[node.U],
                                              .W = L,
                                              .Y = Y.data(),
                                              .Lambda = &Lambda_[slot.Lambda]};
  kernel_->couple(closing);

  // Cholesky; in loops with the largest pivot first.  [dca-rank]
  int* order = &order_[node.vectors];
  double* pivots = &pivot_[node.vectors];
  std::iota(order, order + m, 0);
  const Regularisation& how = regularisation_;
  const bool pivoting = node.loop && how.alpha == 0;
  std::size_t limit = m;
  if (pivoting && how.damping == 0 && !how.nominal_ranks.empty())
    limit = ix(how.nominal_ranks[ix(index)]);
  std::size_t rank = 0;
  for (std::size_t k = 0; k < m; ++k) {
    if (how.alpha > 0) {
      const double s = scale_[ix(node.rows[k].row)];
      L[k * m + k] += s * s / how.alpha;
    } else if (pivoting) {
      L[k * m + k] += how.damping;
    }
  }
  double* swap = &work_[node.vectors];
  for (std::size_t k = 0; k < m; ++k) {
    if (pivoting) {
      std::size_t best = k;
      for (std::size_t i = k + 1; i < m; ++i)
        if (L[i * m + i] > L[best * m + best]) best = i;
      if (best != k) {
        // Exchange rows and columns k and best of the symmetric remainder and of what is done.
        std::swap(order[k], order[best]);
        std::swap_ranges(L + k * m, L + k * m + k, L + best * m);
        std::swap(L[k * m + k], L[best * m + best]);
        for (std::size_t i = k + 1; i < best; ++i) std::swap(L[i * m + k], L[best * m + i]);
        for (std::size_t i = best + 1; i < m; ++i) std::swap(L[i * m + k], L[i * m + best]);
      }
    }
    double d = L[k * m + k];
    pivots[k] = d;
    if (pivoting) {
      if (k >= limit) continue;
      if (how.nominal_ranks.empty() && how.damping == 0 &&
          !(d > std::max(how.tolerance, how.noise / least_[ix(index)]))) {
        limit = k;
        continue;
      }
      least_[ix(index)] = std::min(least_[ix(index)], d);
      if (d < kDeficient && how.damping == 0) d = std::max(d, 0.0) + how.penalty;
    }
    if (!(d > 0)) {
      bad_[ix(index)] = 1;
      bad_body_[ix(index)] = -1;
      if (node.part < 0 && !node.loop) {
        const int row = node.rows[0].row;
        bad_body_[ix(index)] =
            plan_->system->model().joint(JointId{plan_->joint_of_row[ix(row)]}).b.index;
      }
      rank_[ix(index)] = 0;
      return;
    }
    const double root = std::sqrt(d);
    L[k * m + k] = root;
    for (std::size_t i = k + 1; i < m; ++i) swap[i] = L[i * m + k] /= root;
    for (std::size_t i = k + 1; i < m; ++i)
      for (std::size_t j = k + 1; j <= i; ++j) L[i * m + j] -= swap[i] * swap[j];
    rank = k + 1;
  }
  rank_[ix(index)] = static_cast<int>(rank);

  if (slot.bodies > 0) kernel_->reduce(closing, L, order, static_cast<int>(rank));
}

// x = W⁻¹ x over the kept rows, zero for the others; x in the order of node.rows.
void Elimination::apply_inverse(int index, double* x) const {
  const EliminationPlan::Node& node = plan_->nodes[ix(index)];
  const std::size_t m = node.rows.size();
  const auto rank = ix(rank_[ix(index)]);
  const double* L = &L_[node.L];
  const int* order = &order_[node.vectors];
  thread_local std::vector<double> scratch;
  if (scratch.size() < m) scratch.resize(m);
  double* z = scratch.data();
  for (std::size_t k = 0; k < rank; ++k) {
    const auto r = ix(order[k]);
    z[k] = scale_[ix(node.rows[r].row)] * x[r];
    for (std::size_t l = 0; l < k; ++l) z[k] -= L[k * m + l] * z[l];
    z[k] /= L[k * m + k];
  }
  for (std::size_t k = rank; k-- > 0;) {
    for (std::size_t l = k + 1; l < rank; ++l) z[k] -= L[l * m + k] * z[l];
    z[k] /= L[k * m + k];
  }
  std::fill_n(x, m, 0.0);
  for (std::size_t k = 0; k < rank; ++k) {
    const auto r = ix(order[k]);
    x[r] = scale_[ix(node.rows[r].row)] * z[k];
  }
}

// [dca-up]
void Elimination::close_up(int index, const double* g, bool correcting) {
  const EliminationPlan::Node& node = plan_->nodes[ix(index)];
  const EliminationPlan::Slot& slot = plan_->slots[ix(node.slot)];
  const std::size_t width = 8 * node.stack.size();
  const auto beta_of = [&](const EliminationPlan::Stacked& from) {
    return &beta_[plan_->slots[ix(from.slot)].vectors + 6 * ix(from.place)];
  };
  // In a correction the parts themselves stand still.
  const auto moves = [&](const EliminationPlan::Stacked& from) {
    return !correcting || ix(from.slot) >= plan_->parts.size();
  };
  double* y = &y_[node.vectors];
  double* x = correcting ? &work_[node.vectors] : y;
  for (std::size_t k = 0; k < node.rows.size(); ++k) {
    const elimination::ClosingRow& row = node.rows[k];
    x[k] = g[row.row];
    if (row.a >= 0 && moves(node.stack[ix(row.a)]))
      x[k] += dot6(J_A(row.row), beta_of(node.stack[ix(row.a)]));
    if (row.b >= 0 && moves(node.stack[ix(row.b)]))
      x[k] += dot6(J_B(row.row), beta_of(node.stack[ix(row.b)]));
  }
  apply_inverse(index, x);
  double* beta = &beta_[slot.vectors];
  for (int i = 0; i < slot.bodies; ++i) {
    double sum[6] = {};
    if (moves(node.stack[ix(i)])) std::copy_n(beta_of(node.stack[ix(i)]), 6, sum);
    for (std::size_t k = 0; k < node.rows.size(); ++k)
      for (std::size_t j = 0; j < 6; ++j) sum[j] -= U_[node.U + k * width + 8 * ix(i) + j] * x[k];
    std::copy_n(sum, 6, beta + 6 * i);
  }
}

// [dca-down]
void Elimination::close_down(int index, bool correcting) {
  const EliminationPlan::Node& node = plan_->nodes[ix(index)];
  const EliminationPlan::Slot& slot = plan_->slots[ix(node.slot)];
  const std::size_t m = node.rows.size();
  const std::size_t width = 8 * node.stack.size();
  const auto kept = ix(slot.bodies);
  const double* F = &F_[slot.vectors];
  thread_local std::vector<double> scratch;
  if (scratch.size() < m) scratch.resize(m);
  double* x = scratch.data();
  for (std::size_t k = 0; k < m; ++k) {
    const double* u = &U_[node.U + k * width];
    double sum = 0;
    for (std::size_t s = 0; s < kept; ++s) sum += dot6(u + 8 * s, F + 6 * s);
    x[k] = sum;
  }
  if (kept > 0)
    apply_inverse(index, x);
  else
    std::fill_n(x, m, 0.0);
  const double* y = correcting ? &work_[node.vectors] : &y_[node.vectors];
  // What comes from outside goes on to whose boundary it is; the parts gather their corrections.
  const auto F_of = [&](std::size_t s) {
    const EliminationPlan::Stacked& from = node.stack[s];
    return &F_[plan_->slots[ix(from.slot)].vectors + 6 * ix(from.place)];
  };
  const auto gathers = [&](std::size_t s) {
    return correcting && ix(node.stack[s].slot) < plan_->parts.size();
  };
  for (std::size_t s = 0; s < node.stack.size(); ++s) {
    double* to = F_of(s);
    const bool stays = s < ix(slot.bodies);
    for (std::size_t j = 0; j < 6; ++j)
      to[j] = (gathers(s) ? to[j] : 0.0) + (stays ? F[6 * s + j] : 0.0);
  }
  for (std::size_t k = 0; k < m; ++k) {
    const elimination::ClosingRow& row = node.rows[k];
    const double lambda = y[k] - x[k];
    lambda_[ix(row.row)] = (correcting ? lambda_[ix(row.row)] : 0.0) + lambda;
    if (row.a >= 0)
      for (std::size_t j = 0; j < 6; ++j) F_of(ix(row.a))[j] += J_A(row.row)[j] * lambda;
    if (row.b >= 0)
      for (std::size_t j = 0; j < 6; ++j) F_of(ix(row.b))[j] += J_B(row.row)[j] * lambda;
  }
}

void Elimination::up(int index) {
  const EliminationPlan::Node& node = plan_->nodes[ix(index)];
  if (node.part >= 0) PartSweep(*this, node.part).up();
  if (node.part < 0 || !node.rows.empty()) close_up(index, g_, false);
}

void Elimination::down(int index) {
  const EliminationPlan::Node& node = plan_->nodes[ix(index)];
  if (!node.core && (node.part < 0 || !node.rows.empty())) close_down(index, false);
  if (node.part >= 0) PartSweep(*this, node.part).down();
}

// The residual of all rows closed at nodes of the core, from the accelerations of the parts'
// boundaries, a = β − Λ F; its norm over the rows that are kept.  [dca-residual]
Elimination::Residual Elimination::loop_residual() {
  double step = 0;
  for (const int index : plan_->core_nodes) {
    const EliminationPlan::Node& node = plan_->nodes[ix(index)];
    if (node.part < 0) continue;
    const EliminationPlan::Part& part = plan_->parts[ix(node.part)];
    const EliminationPlan::Slot& slot = plan_->slots[ix(part.slot)];
    for (int h = 0; h < slot.bodies; ++h) {
      const bool is_root = part.shows_root && h == 0;
      Vec6& a = a_[ix(is_root ? part.root : part.tip)];
      for (int i = 0; i < 6; ++i) {
        double sum = beta_[slot.vectors + ix(6 * h + i)];
        const double* row = &Lambda_[slot.Lambda + ix((6 * h + i) * slot.stride())];
        for (int j = 0; j < slot.bodies; ++j)
          sum -= dot6(row + 8 * j, &F_[slot.vectors + ix(6 * j)]);
        step += (a[i] - sum) * (a[i] - sum);
        a[i] = sum;
      }
    }
  }
  double square = 0;
  const Model& model = plan_->system->model();
  for (const int index : plan_->core_nodes) {
    const EliminationPlan::Node& node = plan_->nodes[ix(index)];
    const auto rank = ix(rank_[ix(index)]);
    for (std::size_t k = 0; k < node.rows.size(); ++k) {
      const std::size_t ordered = ix(order_[node.vectors + k]);
      const int r = node.rows[ordered].row;
      const Joint& joint = model.joint(JointId{plan_->joint_of_row[ix(r)]});
      double value = g_[r];
      if (joint.a != kGround) value += dot6(J_A(r), a_[joint.a.slot()].data());
      if (joint.b != kGround) value += dot6(J_B(r), a_[joint.b.slot()].data());
      correction_[ix(r)] = value;
      if (k < rank) square += value * value;
    }
  }
  return {std::sqrt(square), std::sqrt(step)};
}

Status Elimination::solve(std::span<const Vec6> f, std::span<const double> g, const Stop& stop) {
  f_ = f;
  g_ = g.data();
  iterations = 0;
  if (!has_added_) {
    pass(stop);
    return {};
  }
  const Status status = take_out_added(f, stop);
  f_ = f;
  return status;
}

// M a + … = f is solved as (M + E) a + … = f + E z with z = a: a fixed point over the few
// accelerations z that E acts on, found by Anderson's method, which on a linear problem like this
// one ends after as many passes as there are directions that lack inertia.  [dca-added-inertia]
Status Elimination::take_out_added(std::span<const Vec6> f, const Stop& stop) {
  constexpr Eigen::Index kDepth = 8;
  const auto n = static_cast<Eigen::Index>(added_at_.size());
  VecX z = VecX::Zero(n), g(n), defect(n), last_g, last_defect;
  MatX steps_g(n, 0), steps_defect(n, 0);
  double reached = std::numeric_limits<double>::infinity();
  // What accelerations there could be; in a mechanism that cannot move they are all rounding.
  double natural = 0;
  for (int r = 0; r < plan_->system->rows(); ++r) natural = std::max(natural, std::abs(g_[r]));
  for (std::size_t b = 1; b < f.size(); ++b) {
    const double mass = plan_->system->model().bodies()[b].inertia.mass;
    if (mass > 0) natural = std::max(natural, f[b].tail<3>().norm() / mass);
  }
  // A projection is one whatever the metric, and its corrections may be all rounding.
  const int most = f.empty() ? kMostProjectionPasses : kMostPasses;
  for (int i = 0; i < most; ++i) {
    if (f.empty())
      for (Vec6& load : loaded_) load.setZero();
    else
      std::copy(f.begin(), f.end(), loaded_.begin());
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto [body, component] = added_at_[static_cast<std::size_t>(k)];
      loaded_[ix(body)][component] += added_[6 * ix(body) + ix(component)] * z[k];
    }
    f_ = loaded_;
    pass(stop);
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto [body, component] = added_at_[static_cast<std::size_t>(k)];
      g[k] = a_[ix(body)][component];
    }
    defect = g - z;
    const double size = std::max(natural, g.cwiseAbs().maxCoeff());
    const double change = defect.cwiseAbs().maxCoeff();
    if (!(change > 1e-15 * size) || (change > 0.5 * reached && change < 1e-12 * size)) return {};
    reached = std::min(reached, change);
    if (i + 1 == most && reached < 1e-9 * size) return {};
    if (i > 0) {
      const Eigen::Index columns = std::min(kDepth, steps_g.cols() + 1);
      MatX g_next(n, columns), defect_next(n, columns);
      g_next << steps_g.rightCols(columns - 1), g - last_g;
      defect_next << steps_defect.rightCols(columns - 1), defect - last_defect;
      steps_g = g_next;
      steps_defect = defect_next;
    }
    last_g = g;
    last_defect = defect;
    z = g;
    if (steps_g.cols() > 0) z -= steps_g * steps_defect.colPivHouseholderQr().solve(defect);
  }
  if (f.empty()) return {};
  const auto [body, component] = added_at_.front();
  return massless_status(plan_->system->model(), BodyId{body});
}

void Elimination::pass(const Stop& stop) {
  executor_->up(cut_, [&](int first, int last) {
    for (int i = first; i <= last; ++i) up(i);
  });
  iterate(stop);
  executor_->down(cut_, [&](int first, int last) {
    for (int i = last; i >= first; --i) down(i);
  });
}

Status Elimination::factor_and_solve(double t, Configuration& c, PartSolver& parts,
                                     const Stop& stop) {
  SARRUS_ASSERT(!has_added_);
  f_ = loaded_;
  g_ = gamma_.data();
  iterations = 0;
  executor_->up(cut_, [&](int first, int last) {
    for (int i = first; i <= last; ++i) {
      const EliminationPlan::Node& node = plan_->nodes[ix(i)];
      bad_[ix(i)] = 0;
      if (node.part >= 0 && parts.takes(node.part)) {
        const EliminationPlan::Slot& slot = plan_->slots[ix(plan_->parts[ix(node.part)].slot)];
        if (!parts.up(node.part, &Lambda_[slot.Lambda], &beta_[slot.vectors], c)) {
          bad_[ix(i)] = 1;
          bad_body_[ix(i)] = plan_->parts[ix(node.part)].root;
        }
      } else if (node.part >= 0) {
        parts.prepare(node.part, c, loaded_);
        factor_part(i, t, c);
        PartSweep(*this, node.part).up();
      }
      for (int joint = -1; const elimination::ClosingRow& row : node.rows)
        if (const int next = plan_->joint_of_row[ix(row.row)]; next != joint)
          parts.read_coordinates(joint = next, c);
      factor_rows(i, t, c);
      if (node.part < 0 || !node.rows.empty()) close_up(i, g_, false);
    }
  });
  if (Status status = verdict(c); !status.ok()) return status;
  iterate(stop);
  executor_->down(cut_, [&](int first, int last) {
    for (int i = last; i >= first; --i) {
      const EliminationPlan::Node& node = plan_->nodes[ix(i)];
      if (!node.core && (node.part < 0 || !node.rows.empty())) close_down(i, false);
      if (node.part < 0) continue;
      const EliminationPlan::Slot& slot = plan_->slots[ix(plan_->parts[ix(node.part)].slot)];
      bool finite = true;
      if (parts.takes(node.part)) {
        finite = parts.down(node.part, &F_[slot.vectors]);
      } else {
        PartSweep(*this, node.part).down();
        finite = parts.receive(node.part, a_);
      }
      bad_[ix(i)] = !finite;
    }
  });
  if (std::find(bad_.begin(), bad_.end(), 1) == bad_.end()) return {};
  return {Status::Code::kNotFinite, "the accelerations are not finite"};
}

// The iteration over loops lives on the boundaries of the parts alone.
void Elimination::iterate(const Stop& stop) {
  ++iterations;
  residual = 0;
  if (!plan_->iterates) return;
  const auto close_all_down = [&](bool correcting) {
    for (std::size_t i = plan_->core_nodes.size(); i-- > 0;) {
      const EliminationPlan::Node& node = plan_->nodes[ix(plan_->core_nodes[i])];
      if (node.part < 0 || !node.rows.empty()) close_down(plan_->core_nodes[i], correcting);
    }
  };
  close_all_down(false);
  double before = loop_residual().norm;
  for (int i = 1; i < stop.most && before > stop.residual; ++i) {
    ++iterations;
    for (const int index : plan_->core_nodes) {
      const EliminationPlan::Node& node = plan_->nodes[ix(index)];
      if (node.part < 0 || !node.rows.empty()) close_up(index, correction_.data(), true);
    }
    close_all_down(true);
    const Residual now = loop_residual();
    const bool stagnates = stop.stagnation && now.norm > 0.3 * before;
    before = now.norm;
    if (stagnates || now.step <= stop.step) break;
  }
  residual = before;
}

void Elimination::find_multipliers(const Configuration& c) {
  for (std::size_t i = 0; i < plan_->nodes.size(); ++i)
    if (plan_->nodes[i].part >= 0) PartSweep(*this, plan_->nodes[i].part).multipliers(c);
}

// A row takes part in a dependency when a random one of all self-stresses needs it; the second
// stress is for those that happen to cancel in the first.  [dca-dependencies]
std::vector<char> Elimination::dependent_rows() {
  std::vector<char> dependent(lambda_.size(), 0);
  constexpr unsigned kStresses = 2;
  for (unsigned stress = 0; stress < kStresses; ++stress) mark_stressed(stress, dependent);
  return dependent;
}

// Adds to the multipliers of a node's rows a random one of the stresses that begin there: rows that
// were left out, with the others that hold them in balance.
void Elimination::add_self_stress(int index, unsigned stress, double* lambda) const {
  const EliminationPlan::Node& node = plan_->nodes[ix(index)];
  const std::size_t m = node.rows.size();
  const auto rank = ix(rank_[ix(index)]);
  if (rank == m) return;
  const double* L = &L_[node.L];
  const int* order = &order_[node.vectors];
  const auto scale = [&](std::size_t k) { return scale_[ix(node.rows[ix(order[k])].row)]; };
  std::vector<double> z(rank, 0.0);
  for (std::size_t d = rank; d < m; ++d) {
    const double share = random_share(ix(node.rows[ix(order[d])].row), stress);
    lambda[order[d]] += share * scale(d);
    for (std::size_t k = 0; k < rank; ++k) z[k] += share * L[d * m + k];
  }
  for (std::size_t k = rank; k-- > 0;) {
    for (std::size_t l = k + 1; l < rank; ++l) z[k] -= L[l * m + k] * z[l];
    z[k] /= L[k * m + k];
    lambda[order[k]] -= scale(k) * z[k];
  }
}

// Outwards; a stress reaches only what lies below the node where it begins.
void Elimination::mark_stressed(unsigned stress, std::vector<char>& dependent) {
  // A share below this part of the largest on the way to it is rounding.
  constexpr double kTakesPart = 1e-7;
  std::vector<double> lambda(lambda_.size(), 0.0), F(plan_->vector_size, 0.0), x;
  std::vector<double> largest(plan_->nodes.size(), 0.0);
  for (int i = static_cast<int>(plan_->nodes.size()) - 1; i >= 0; --i) {
    const EliminationPlan::Node& node = plan_->nodes[ix(i)];
    if (!node.core) continue;
    if (node.part < 0 || !node.rows.empty()) {
      const EliminationPlan::Slot& slot = plan_->slots[ix(node.slot)];
      const std::size_t width = 8 * node.stack.size();
      const auto F_of = [&](int place) {
        const EliminationPlan::Stacked& from = node.stack[ix(place)];
        return &F[plan_->slots[ix(from.slot)].vectors + 6 * ix(from.place)];
      };
      x.assign(node.rows.size(), 0.0);
      for (std::size_t k = 0; k < x.size(); ++k)
        for (std::size_t s = 0; s < ix(slot.bodies); ++s)
          x[k] -= dot6(&U_[node.U + k * width + 8 * s], &F[slot.vectors + 6 * s]);
      apply_inverse(i, x.data());
      add_self_stress(i, stress, x.data());
      for (int s = 0; s < slot.bodies; ++s) std::copy_n(&F[slot.vectors + 6 * ix(s)], 6, F_of(s));
      for (std::size_t k = 0; k < x.size(); ++k) {
        const elimination::ClosingRow& row = node.rows[k];
        lambda[ix(row.row)] = x[k];
        for (std::size_t j = 0; j < 6; ++j) {
          if (row.a >= 0) F_of(row.a)[j] += J_A(row.row)[j] * x[k];
          if (row.b >= 0) F_of(row.b)[j] += J_B(row.row)[j] * x[k];
        }
      }
    }
    if (node.part >= 0) {
      const EliminationPlan::Part& part = plan_->parts[ix(node.part)];
      const EliminationPlan::Slot& slot = plan_->slots[ix(part.slot)];
      if (part.tip >= 0)
        PartSweep(*this, node.part)
            .self_stress(&F[slot.vectors + (part.shows_root ? 6 : 0)], lambda);
    }
    const auto for_rows = [&](auto visit) {
      for (const elimination::ClosingRow& row : node.rows) visit(ix(row.row));
      if (node.part < 0) return;
      const EliminationPlan::Part& part = plan_->parts[ix(node.part)];
      for (int s = part.first_step; s < part.first_step + part.step_count; ++s)
        for (int r = 0; r < plan_->steps[ix(s)].rows; ++r)
          visit(ix(plan_->steps[ix(s)].first_row + r));
    };
    double& most = largest[ix(i)];
    for_rows([&](std::size_t r) { most = std::max(most, std::abs(lambda[r]) * row_size(r)); });
    for_rows([&](std::size_t r) {
      if (std::abs(lambda[r]) * row_size(r) > kTakesPart * most) dependent[r] = 1;
    });
    for (const int below : plan_->tasks.nodes[ix(i)].children) largest[ix(below)] = most;
  }
}

// Makes multipliers of forces and of torques comparable.
double Elimination::row_size(std::size_t r) const {
  return 1 / plan_->system->row_scale()[static_cast<Eigen::Index>(r)];
}

int Elimination::rank() const {
  int rank = plan_->system->rows();
  for (std::size_t i = 0; i < plan_->nodes.size(); ++i)
    rank += rank_[i] - static_cast<int>(plan_->nodes[i].rows.size());
  return rank;
}

double Elimination::smallest_pivot() const {
  double least = 1;
  for (std::size_t i = 0; i < plan_->nodes.size(); ++i) {
    const EliminationPlan::Node& node = plan_->nodes[i];
    if (node.loop && rank_[i] > 0) least = std::min(least, pivot_[node.vectors + ix(rank_[i]) - 1]);
  }
  return least;
}

std::span<const double> Elimination::pivots(int index) const {
  const EliminationPlan::Node& node = plan_->nodes[ix(index)];
  return {pivot_.data() + node.vectors, node.rows.size()};
}

}  // namespace sarrus
