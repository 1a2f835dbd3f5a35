#include "sarrus/formulations/modular/centralised.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/base/diagnostics.h"
#include "sarrus/constraints/dense_forces.h"
#include "sarrus/formulations/body_state.h"
#include "sarrus/formulations/modular/body_admittance.h"
#include "sarrus/formulations/singular_watch.h"
#include "sarrus/spatial/dense.h"

namespace sarrus::modular {
namespace {

/// One round brings the residual to rounding where joints and masses are not far apart.
constexpr int kBaumgarteRefinements = 1;

/// Where Discrete::integers keeps whether a cut iteration was noted, and whether the last step has ended
/// near a singular position.
constexpr std::size_t kCutNoted = kSingularNoted + 1;
constexpr std::size_t kNearSingular = kSingularNoted + 2;

/// Sums of a dozen terms: a residual of so many roundings cannot be made smaller.
constexpr double kRowRounding = 1e-14;

/// Slower than this the iteration has done what it can: what is left are contradictions.
constexpr double kStalled = 0.999;
/// More than this of the first residual, on the manifold, is what a weak direction has not been given yet.
constexpr double kMissing = 1e-9;

}  // namespace

struct Centralised::Scratch final : Workspace {
  Scratch(const ConstraintSystem& system, int nominal_rank, double conditioning)
      : projector(system, nominal_rank, conditioning) {}

  void count() {
    counters.factorizations = projector.factorizations + factorizations;
    counters.iterations = projector.iterations + iterations;
  }

  Projector projector;
  bool is_factorised = false;  ///< by it, at the last stage
  SingularWatch watch;
  Configuration configuration;
  Loads loads;
  ConstraintValues values;
  VecX Q, g, a, lambda;
  long factorizations = 0, iterations = 0;
  // Of augmented_lagrangian().
  std::vector<std::array<Vec6, 2>> rows;  ///< the blocks of each row, of the bodies in columns_
  std::vector<Mat6> masses, admittances;
  MatX A;
  VecX alpha, r, size, push, delta, dynamic;
  Cholesky<MatX> factor;
  double penalty = 0;
  double left = 0;      ///< of the residual, where the iteration was cut; else 0
  bool misses = false;  ///< has it left more than rounding, for whatever reason
};

Centralised::Centralised(Solver solver, const Model& model, const Mobility& mobility,
                         double conditioning, const CentralisedOptions& options)
    : solver_(solver),
      model_(model),
      options_(options),
      system_(model),
      nominal_rank_(mobility.generic.rank),
      is_redundant_(mobility.generic.redundant > 0),
      conditioning_(conditioning),
      not_unique_(mobility.nonunique_reactions),
      layout_(body_state::layout(model)) {
  options_.projection = projection_for(options.projection, options.step);
  // Off the manifold redundant rows contradict each other.
  if (options.projection == Projection::kAuto && options_.projection == Projection::kStep &&
      is_redundant_)
    options_.projection = Projection::kStage;
  gains_ = gains_for(options.omega, options.damping, options.step, options_.projection);
  if (solver == Solver::kBaumgarte) return;
  for (const ConstraintSystem::Origin& origin : system_.origins()) {
    const Joint& joint = model.joint(origin.joint);
    columns_.push_back({system_.column(joint.a), system_.column(joint.b)});
  }
  for (std::size_t i = 1; i < model.bodies().size(); ++i)
    if (!BodyAdmittance(model.bodies()[i].inertia).exists)
      throw UsageError(fmt::format(
          "augmented-lagrangian cannot take body '{}': it has no inertia against some motion\n"
          "  hint: give it mass and a full tensor, or take baumgarte or reference",
          model.bodies()[i].name));
}

std::string Centralised::element_of(int tangent_index) const {
  return body_state::element_of(model_, tangent_index);
}

std::vector<VelocityPair> Centralised::velocity_pairs() const {
  return body_state::velocity_pairs(model_);
}

std::optional<Stabilisation> Centralised::stabilisation() const { return stabilisation_of(gains_); }

std::unique_ptr<Workspace> Centralised::make_workspace() const {
  return std::make_unique<Scratch>(system_, nominal_rank_, conditioning_);
}

void Centralised::encode(const Configuration& from, std::span<double> x, Discrete& discrete) const {
  body_state::write(from, x);
  x.back() = 0;
  discrete.coordinates = from.coordinates;
  discrete.integers = {0, 0, 0};
}

void Centralised::decode(std::span<const double> x, const Discrete& discrete,
                         Configuration& to) const {
  body_state::decode(model_, x, discrete, to);
}

Status Centralised::solve(double t, bool project, Scratch& scratch) const {
  Configuration& c = scratch.configuration;
  Projector& projector = scratch.projector;
  Status status;
  if (project)
    status = body_state::project(t, projector, c);
  else if (solver_ == Solver::kBaumgarte)
    status = projector.factor(t, c);
  if (!status.ok()) return status;
  scratch.is_factorised = project || solver_ == Solver::kBaumgarte;
  if (solver_ == Solver::kAugmentedLagrangian) system_.evaluate(t, c, scratch.values);
  const ConstraintValues& values =
      solver_ == Solver::kBaumgarte ? projector.values() : scratch.values;
  scratch.penalty = options_.alpha;
  if (!project) {
    const double off = system_.row_scale().cwiseProduct(values.phi).norm() / system_.length();
    if (options_.projection == Projection::kOff && are_apart(off))
      return apart_status(off, system_.length(), system_.worst(values.phi));
    // [modular-drift]
    if (is_redundant_) scratch.penalty = std::min(options_.alpha, 1 / drift_compliance(off));
  }
  compute_loads(model_, t, c, scratch.loads);
  gather_forces(system_, c, scratch.loads, scratch.Q);
  // [modular-stabilised]
  scratch.g = values.gamma + gains_.velocity * values.phi_rate + gains_.position * values.phi;
  if (solver_ == Solver::kBaumgarte) {
    projector.kkt().solve(scratch.Q, -scratch.g, scratch.a, scratch.lambda, kBaumgarteRefinements);
    scratch.lambda = -scratch.lambda;  // here a multiplier pushes along the row
  } else {
    status = augmented_lagrangian(scratch);
    if (!status.ok()) return status;
  }
  if (scratch.a.allFinite() && scratch.lambda.allFinite()) return {};
  return {Status::Code::kNotFinite, "the accelerations are not finite"};
}

// Rows and their products touch two bodies each.
void Centralised::take_rows(Scratch& s) const {
  s.rows.resize(static_cast<std::size_t>(system_.rows()));
  for (std::size_t r = 0; r < s.rows.size(); ++r)
    for (std::size_t side = 0; side < 2; ++side)
      if (const int at = columns_[r][side]; at >= 0)
        s.rows[r][side] = s.values.J.row(static_cast<Eigen::Index>(r)).segment<6>(at);
}

/// Calls visit(r, J, first column of J) for every row and each body it touches.
template <class Visit>
void Centralised::visit_blocks(const Scratch& s, Visit visit) const {
  for (std::size_t r = 0; r < s.rows.size(); ++r)
    for (std::size_t side = 0; side < 2; ++side)
      if (const int at = columns_[r][side]; at >= 0)
        visit(static_cast<Eigen::Index>(r), s.rows[r][side], at);
}

// Of M + Jᵀ α J the lower triangle, factorised; Q to M⁻¹ Q in a. The penalty has the unit of a mass: α over
// the row's own admittance.
bool Centralised::factor_penalised(Scratch& s) const {
  const Configuration& c = s.configuration;
  const Eigen::Index n = system_.columns();
  s.masses.resize(model_.bodies().size() - 1);
  s.admittances.resize(s.masses.size());
  s.a.resize(n);
  s.A.setZero(n, n);
  for (std::size_t i = 0; i < s.masses.size(); ++i) {
    const auto at = 6 * static_cast<Eigen::Index>(i);
    s.masses[i] = model_.bodies()[i + 1].inertia.matrix(c.poses[i + 1].R());
    s.admittances[i] = Cholesky<Mat6>(s.masses[i]).solve(Mat6::Identity());
    s.a.segment<6>(at).noalias() = s.admittances[i] * s.Q.segment<6>(at);
    s.A.block<6, 6>(at, at) = s.masses[i];
  }
  s.alpha.setZero(system_.rows());
  visit_blocks(s, [&](Eigen::Index r, const Vec6& J, int at) {
    s.alpha[r] += J.dot(s.admittances[static_cast<std::size_t>(at / 6)] * J);
  });
  s.alpha = s.alpha.unaryExpr([&s](double k) { return k > 0 ? s.penalty / k : 0.0; });
  for (std::size_t r = 0; r < s.rows.size(); ++r) {
    const auto& [a, b] = columns_[r];
    const auto& [J_a, J_b] = s.rows[r];
    const double alpha = s.alpha[static_cast<Eigen::Index>(r)];
    if (a >= 0) s.A.block<6, 6>(a, a).noalias() += alpha * J_a * J_a.transpose();
    if (b >= 0) s.A.block<6, 6>(b, b).noalias() += alpha * J_b * J_b.transpose();
    if (a < 0 || b < 0) continue;
    if (a > b)
      s.A.block<6, 6>(a, b).noalias() += alpha * J_a * J_b.transpose();
    else
      s.A.block<6, 6>(b, a).noalias() += alpha * J_b * J_a.transpose();
  }
  ++s.factorizations;
  s.factor.compute(s.A);
  return s.factor.ok();
}

// [modular-bayo]  (M + Jᵀ α J) δ = (Q + Jᵀ λ − M a) − Jᵀ α r, then a += δ and λ −= α r: the
// iteration of Bayo in corrections, so that it refines itself.
Status Centralised::augmented_lagrangian(Scratch& s) const {
  take_rows(s);
  if (!factor_penalised(s))
    return {Status::Code::kSingular, "the matrix of masses and penalties is not definite"};
  const auto norm = [&](const VecX& r) {
    return std::sqrt((r.array().square() * s.alpha.array()).sum() / s.penalty);
  };
  // r = J a + g
  const auto update_residual = [&] {
    s.r = s.g;
    visit_blocks(
        s, [&](Eigen::Index r, const Vec6& J, int at) { s.r[r] += J.dot(s.a.segment<6>(at)); });
  };
  // to += Jᵀ w
  const auto add_wrenches = [&](const VecX& w, VecX& to) {
    visit_blocks(s, [&](Eigen::Index r, const Vec6& J, int at) { to.segment<6>(at) += w[r] * J; });
  };
  s.lambda.setZero(system_.rows());
  update_residual();
  s.size = s.g.cwiseAbs();
  visit_blocks(s, [&](Eigen::Index r, const Vec6& J, int at) {
    s.size[r] += J.cwiseAbs().dot(s.a.segment<6>(at).cwiseAbs());
  });
  const double first = norm(s.r);
  const double goal = options_.tolerance * first + kRowRounding * norm(s.size);
  double size = first, before = INFINITY;
  s.dynamic.setZero(system_.columns());
  for (int i = 0; i < options_.most_iterations; ++i) {
    if (i > 0 && (size <= goal || size > kStalled * before)) break;
    s.delta = s.dynamic;
    s.push = -s.alpha.cwiseProduct(s.r);
    add_wrenches(s.push, s.delta);
    s.factor.solve_in_place(s.delta);
    s.a += s.delta;
    update_residual();
    s.lambda -= s.alpha.cwiseProduct(s.r);
    s.dynamic = s.Q;
    add_wrenches(s.lambda, s.dynamic);
    for (std::size_t k = 0; k < s.masses.size(); ++k) {
      const auto at = 6 * static_cast<Eigen::Index>(k);
      s.dynamic.segment<6>(at).noalias() -= s.masses[k] * s.a.segment<6>(at);
    }
    before = size;
    size = norm(s.r);
    ++s.iterations;
  }
  const bool cut = size > goal && size <= kStalled * before;
  s.left = cut && first > 0 ? size / first : 0;
  s.misses = size > kMissing * first;
  return {};
}

Status Centralised::rates(double t, std::span<const double> x, const Discrete& discrete,
                          Workspace& workspace, std::span<double> dx) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  ++scratch.counters.evaluations;
  decode(x, discrete, scratch.configuration);
  const Status status = solve(t, projects_stages(discrete), scratch);
  scratch.count();
  if (!status.ok()) return status;
  if (scratch.is_factorised) {
    scratch.watch.see(scratch.projector.strength());
    if (scratch.misses && SingularWatch::is_weak(scratch.projector.strength()))
      scratch.watch.miss();
  }
  body_state::write_rates(scratch.configuration, scratch.a, dx);
  const ConstraintValues& values =
      solver_ == Solver::kBaumgarte ? scratch.projector.values() : scratch.values;
  // [reference-supplied]
  dx.back() = scratch.loads.supplied_power + scratch.lambda.dot(values.motion_rate);
  return {};
}

// Near a singular position what a stage is off the constraints is amplified. All stages of a step are
// treated alike: evaluated on and off the manifold by turns they would not be those of one motion.
bool Centralised::projects_stages(const Discrete& discrete) const {
  return options_.projection == Projection::kStage ||
         (options_.projection == Projection::kStep && discrete.integers[kNearSingular] != 0);
}

ErrorTrust Centralised::filter_error(std::span<double> e, Workspace& workspace) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  if (options_.projection != Projection::kOff && scratch.is_factorised)
    body_state::filter_weak_motions(scratch.projector.kkt(), 0, e);
  return scratch.watch.take_trust();
}

AfterStep Centralised::after_step(double t, std::span<double> x, Discrete& discrete,
                                  Workspace& workspace) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  Configuration& c = scratch.configuration;
  AfterStep result;
  if (scratch.left > 0 && discrete.integers[kCutNoted] == 0) {
    discrete.integers[kCutNoted] = 1;
    result.notes.push_back({t, cut_note("constraints'", options_.most_iterations, scratch.left)});
  }
  decode(x, discrete, c);
  if (options_.projection != Projection::kOff && system_.rows() > 0) {
    Projector& projector = scratch.projector;
    result.status = body_state::project(t, projector, c);
    scratch.count();
    if (!result.status.ok()) return result;
    body_state::write(c, x);
    result.changed = true;
    discrete.integers[kNearSingular] = SingularWatch::is_weak(projector.strength());
    scratch.watch.finish_step(t, projector.strength(), discrete, result);
  }
  discrete.coordinates = c.coordinates;
  return result;
}

Status Centralised::evaluate(double t, std::span<const double> x, const Discrete& discrete,
                             Workspace& workspace, Motion& motion) const {
  Scratch& scratch = static_cast<Scratch&>(workspace);
  decode(x, discrete, scratch.configuration);
  const Status status = solve(t, options_.projection != Projection::kOff, scratch);
  if (!status.ok()) return status;
  body_state::fill_motion(t, scratch.configuration, scratch.a, motion);
  motion.supplied = x.back();
  body_state::fill_reactions(system_, scratch.loads, scratch.lambda, motion);
  for (const JointId joint : not_unique_) motion.reaction_is_unique[joint.slot()] = 0;
  return {};
}

}  // namespace sarrus::modular
