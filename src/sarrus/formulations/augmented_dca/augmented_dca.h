#pragma once

#include "sarrus/elimination/tree_projector.h"
#include "sarrus/elimination/whole_mechanism.h"
#include "sarrus/formulations/augmented_dca/fast_parts.h"
#include "sarrus/formulations/formulation.h"
#include "sarrus/mobility/rank_study.h"
#include "sarrus/model/loads.h"

namespace sarrus {

struct AugmentedDcaOptions {
  Projection projection = Projection::kAuto;
  int threads = 1;
  double grain = Executor::kGrain;  ///< see Executor
  int part_bodies = AssemblyOptions{}.part_bodies;

  /// Every joint of every body carries the penalty 1/α, as in the paper, instead of only those
  /// directions of loops that are nearly lost.
  bool uniform_penalty = false;
  double alpha = 1e6;

  // Without projection the constraints are stabilised:  φ̈ + 2 Ω μ φ̇ + Ω² φ = 0.  [dca-stabilisation]
  double omega = 1;
  double mu = 1;

  int most_iterations = 10;
  double position_tolerance = 1e-14;  ///< of the last correction, as in the paper
  double velocity_tolerance = 1e-12;
  double acceleration_tolerance = 1e-10;
};

/// Divide and conquer with an augmented Lagrangian and mass-orthogonal projections, after Malczyk
/// and Frączek: every body has six coordinates; the parts of an assembly tree are put together two
/// by two, each shown to the others by the mobility of its few boundary bodies.
///
///     M a + Jᵀ λ = Q,   J a + γ = 0                                                  [dca-system]
///
/// Exact in one pass where constraints are independent; dependent ones are limited to their
/// nominal rank, and directions near a singular position carry a penalty and are iterated.
class AugmentedDca final : public Formulation {
 public:
  AugmentedDca(RankStudy& study, const AugmentedDcaOptions& options);

  std::string_view name() const override { return "augmented-dca"; }
  Projection projection() const override { return projection_; }
  int threads() const override { return executor_.threads(); }
  std::string_view variant() const override { return fast_parts_.kernel().name; }
  std::string element_of(int tangent_index) const override;
  const StateLayout& layout() const override { return layout_; }
  std::vector<VelocityPair> velocity_pairs() const override;
  std::unique_ptr<Workspace> make_workspace() const override;
  void encode(const Configuration& from, std::span<double> x, Discrete& discrete) const override;
  void decode(std::span<const double> x, const Discrete& discrete,
              Configuration& to) const override;
  Status rates(double t, std::span<const double> x, const Discrete& discrete, Workspace& workspace,
               std::span<double> dx) const override;
  AfterStep after_step(double t, std::span<double> x, Discrete& discrete,
                       Workspace& workspace) const override;
  ErrorTrust filter_error(std::span<double> e, Workspace& workspace) const override;
  Status evaluate(double t, std::span<const double> x, const Discrete& discrete,
                  Workspace& workspace, Motion& motion) const override;
  Status evaluate_motion(double t, std::span<const double> x, const Discrete& discrete,
                         Workspace& workspace, Motion& motion) const override;

 private:
  struct Scratch;

  void read(std::span<const double> x, const Discrete& discrete, Configuration& to) const;
  Status project(double t, Scratch& scratch) const;
  Status fast_rates(double t, std::span<const double> x, const Discrete& discrete, Scratch& scratch,
                    std::span<double> dx) const;
  void watch_pivots(Scratch& scratch) const;
  Status solve(double t, bool project, Scratch& scratch) const;

  const Model& model_;
  AugmentedDcaOptions options_;
  std::shared_ptr<const WholeMechanism> whole_;
  const ConstraintSystem& system_;
  const EliminationPlan& plan_;
  augmented_dca::FastParts fast_parts_;
  bool only_gravity_;
  Executor executor_;
  Configuration assembled_;
  NominalRanks nominal_;
  NonuniqueReactions not_unique_;  ///< reactions; found beforehand under the uniform penalty
  Projection projection_;
  StateLayout layout_;
};

}  // namespace sarrus
