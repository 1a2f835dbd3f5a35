#pragma once

#include "sarrus/constraints/projector.h"
#include "sarrus/formulations/formulation.h"
#include "sarrus/mobility/mobility.h"
#include "sarrus/model/loads.h"

namespace sarrus {

/// The judge: every body with six coordinates and its modes, every joint as constraint rows, one dense
/// system.
///
///     M a + Jᵀ λ = Q,   J a + γ = 0                                           [reference-motion]
///
/// Slow and obvious. Takes any topology, redundant, singular and driven; rank limited to the
/// nominal one, minimum-norm multipliers, refined in extended precision.
class Reference final : public Formulation {
 public:
  /// `mobility` gives the nominal rank, `conditioning` (generic_conditioning) tells when a pose is
  /// nearly singular. kAuto projects redundant systems at every stage, others after every step.
  Reference(const Model& model, const Mobility& mobility, double conditioning,
            Projection projection);

  std::string_view name() const override { return "reference"; }
  Projection projection() const override { return projection_; }
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
  std::vector<Phase> phases(double t, std::span<const double> x, const Discrete& discrete,
                            Workspace& workspace) const override;
  Status evaluate(double t, std::span<const double> x, const Discrete& discrete,
                  Workspace& workspace, Motion& motion) const override;

 private:
  struct Scratch;

  Status solve(double t, bool project, Scratch& scratch) const;
  Status factor(double t, bool project, Scratch& scratch) const;
  void gather_loads(double t, Scratch& scratch) const;
  Status accelerate(Scratch& scratch) const;

  const Model& model_;
  ConstraintSystem system_;
  int nominal_rank_;
  double conditioning_;
  Projection projection_;
  StateLayout layout_;
};

}  // namespace sarrus
