#pragma once

#include <array>

#include "sarrus/constraints/projector.h"
#include "sarrus/formulations/formulation.h"
#include "sarrus/formulations/modular/settings.h"
#include "sarrus/mobility/mobility.h"
#include "sarrus/model/loads.h"

namespace sarrus::modular {

/// Every body with six coordinates and all joints in one system, whose constraints return to zero
/// when they are violated.  [modular-stabilised]
///
///     M a = Q + Jᵀ λ,   J a + γ + k_v φ̇ + k_p φ = 0                           [modular-motion]
///
/// `baumgarte` solves it at once, by orthogonal factors limited to the nominal rank.
/// `augmented-lagrangian` iterates on λ with the matrix M + Jᵀ α J, which is definite whatever the
/// rank is.  [modular-bayo]
class Centralised final : public Formulation {
 public:
  enum class Solver { kBaumgarte, kAugmentedLagrangian };

  /// `mobility` gives the nominal rank, `conditioning` (generic_conditioning) tells when a pose is
  /// nearly singular.
  /// @throws UsageError when augmented-lagrangian is given a body without inertia.
  Centralised(Solver solver, const Model& model, const Mobility& mobility, double conditioning,
              const CentralisedOptions& options);

  std::string_view name() const override {
    return solver_ == Solver::kBaumgarte ? "baumgarte" : "augmented-lagrangian";
  }
  Projection projection() const override { return options_.projection; }
  std::string element_of(int tangent_index) const override;
  const StateLayout& layout() const override { return layout_; }
  std::vector<VelocityPair> velocity_pairs() const override;
  std::optional<Stabilisation> stabilisation() const override;
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

 private:
  struct Scratch;

  bool projects_stages(const Discrete& discrete) const;
  Status solve(double t, bool project, Scratch& scratch) const;
  void take_rows(Scratch& scratch) const;
  template <class Visit>
  void visit_blocks(const Scratch& scratch, Visit visit) const;
  bool factor_penalised(Scratch& scratch) const;
  Status augmented_lagrangian(Scratch& scratch) const;

  Solver solver_;
  const Model& model_;
  CentralisedOptions options_;
  Gains gains_;
  ConstraintSystem system_;
  std::vector<std::array<int, 2>> columns_;  ///< of a row's two bodies; −1: ground
  int nominal_rank_;
  bool is_redundant_;
  double conditioning_;
  std::vector<JointId> not_unique_;
  StateLayout layout_;
};

}  // namespace sarrus::modular
