#include "sarrus/testing/random_mechanism.h"

#include <fmt/format.h>

#include "sarrus/analysis/assembly.h"
#include "sarrus/base/diagnostics.h"
#include "sarrus/constraints/constraint_system.h"
#include "sarrus/spatial/dense.h"
#include "sarrus/testing/mechanism_grower.h"
#include "sarrus/testing/random_forces.h"

namespace sarrus::testing {
namespace {

/// Pivots of the scaled Jacobian, relative to the largest: those below kZero are exact zeros with
/// rounding, those above kClear are far from singular. What lies between is drawn anew.
constexpr double kZero = 1e-13;
constexpr double kClear = 1e-2;

/// Largest condition of the mass matrix on the allowed motions, after scaling its diagonal to one:
/// mass ratios are meant to be there, directions that hardly have inertia are not.
constexpr double kCondition = 1e4;

/// The same with flexible bodies: modes take part of the inertia away that a frame has, of a beam with
/// two bending modes all but 1/200.
constexpr double kFlexibleCondition = 1e5;

/// A flexible body's mass on the motions N, less that of the rigid one that has been counted.
void add_flexible_mass(const Body& body, const ConstraintSystem::ModeColumns& own,
                       const Configuration& c, const MatX& N, MatX& mass) {
  const double* eta = c.modes.data() + body.first_mode;
  const Mat3 R = c.poses[own.body.slot()].R();
  const MatX rows = N.middleRows(6 * own.block, 6);
  const MatX modes = N.middleRows(own.column, body.modal->count());
  const MatX mixed = rows.transpose() * body.modal->coupling(eta, R) * modes;
  mass += rows.transpose() * (body.modal->rigid_mass(eta, R) - body.inertia.matrix(R)) * rows +
          mixed + mixed.transpose() + modes.transpose() * body.modal->modal_mass() * modes;
}

/// Far from singular, or exactly so: rounding then shows up as rounding.
bool is_well_conditioned(const Model& model, const Configuration& c, double condition) {
  const ConstraintSystem system(model);
  ConstraintValues values;
  system.evaluate(0, c, values);
  const Eigen::Index n = system.columns();
  const VecX& columns = system.column_scale();
  MatX Q = MatX::Identity(n, n);
  Eigen::Index rank = 0;
  if (system.rows() > 0) {
    const Range range = range_of(
        columns.asDiagonal() * values.J.transpose() * system.row_scale().asDiagonal(), kClear);
    for (const double pivot : range.pivots) {
      if (pivot > kZero && pivot < kClear) return false;
      if (pivot >= kClear) ++rank;
    }
    Q = range.Q;
  }
  const Eigen::Index free = n - rank;
  if (free == 0) return true;
  const MatX N = columns.asDiagonal() * Q.rightCols(free);
  MatX reduced = MatX::Zero(free, free);
  for (std::size_t i = 0; i < system.column_bodies().size(); ++i) {
    const BodyId body = system.column_bodies()[i];
    const Mat6 M = model.body(body).inertia.matrix(c.poses[body.slot()].R());
    const auto rows = N.middleRows<6>(6 * static_cast<Eigen::Index>(i));
    for (Eigen::Index k = 0; k < free; ++k) {
      const Vec6 momentum = M * rows.col(k);
      reduced.col(k) += rows.transpose() * momentum;
    }
  }
  for (const ConstraintSystem::ModeColumns& own : system.mode_columns())
    add_flexible_mass(model.body(own.body), own, c, N, reduced);
  const VecX diagonal = reduced.diagonal();
  if (!(diagonal.minCoeff() > 0)) return false;
  const VecX scale = diagonal.cwiseSqrt().cwiseInverse();
  const VecX values_of_mass =
      symmetric_eigenvalues(scale.asDiagonal() * reduced * scale.asDiagonal());
  return values_of_mass.minCoeff() * condition > values_of_mass.maxCoeff();
}

/// Described as assembled: everything is placed there, motions start there. Where bodies deform, the
/// assembly may fail.
bool is_sound(const Model& model) {
  if (model.mode_count() == 0)
    return is_well_conditioned(model, model.reference_configuration(), kCondition);
  try {
    return is_well_conditioned(model, assemble(model).configuration, kFlexibleCondition);
  } catch (const ModelError&) {
    return false;
  }
}

}  // namespace

Description random_mechanism(std::uint32_t seed, const RandomMechanismOptions& options) {
  if (options.bodies < 1 || options.bodies > 24)
    throw UsageError(fmt::format("a random mechanism has 1 to 24 bodies, not {}", options.bodies));
  if (!(options.mass_ratio >= 1))
    throw UsageError(fmt::format("the mass ratio is {}; it is at least 1", options.mass_ratio));
  Random random(seed);
  constexpr int kMostAttempts = 200;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    Description description = MechanismGrower(options, random).grow();
    description.name = fmt::format("random-{}", seed);
    add_random_forces(description, options, random);
    // At a singular pose a moving base may ask for what only one branch of the motion can give.
    if (options.motions && !options.singular) add_random_motions(description, random);
    if (is_sound(Model(description))) return description;
  }
  throw UsageError(
      fmt::format("seed {} with these options gives no well-conditioned mechanism in {} "
                  "attempts; use another one",
                  seed, kMostAttempts));
}

}  // namespace sarrus::testing
