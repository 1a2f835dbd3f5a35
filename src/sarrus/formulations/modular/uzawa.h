#pragma once

#include <functional>

#include "sarrus/constraints/constraint_system.h"
#include "sarrus/formulations/formulation.h"
#include "sarrus/formulations/modular/body_admittance.h"
#include "sarrus/formulations/modular/interface_solver.h"
#include "sarrus/formulations/modular/multirate.h"
#include "sarrus/mobility/rank_study.h"

namespace sarrus {

namespace modular {

struct FilledBox;

/// A mechanism as boxes that show only how their bodies respond to wrenches, glued by joints that see
/// only those bodies.
///
///     each box:    a = a_free + W Gᵀ λ
///     each joint:  G a + γ + k_v φ̇ + k_p φ = 0                                [modular-interface]
///
/// The joints' multipliers are found by exchanging wrenches and accelerations. A box is a body unless
/// told otherwise.
class Uzawa final : public Formulation {
 public:
  /// @throws UsageError when a subsystem makes no sense or a body has no inertia against some motion.
  Uzawa(RankStudy& study, const UzawaOptions& options, const SubsystemKinds& kinds = {});
  ~Uzawa() override;

  std::string_view name() const override { return "uzawa"; }
  std::string lost_by_edits() const override;
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
  bool steps_itself() const override { return options_.own_steps; }
  std::string wants_own_steps() const override;
  AfterStep step(const OwnStep& step, std::span<double> x, Discrete& discrete,
                 Workspace& workspace) const override;
  AfterStep after_step(double t, std::span<double> x, Discrete& discrete,
                       Workspace& workspace) const override;
  ErrorTrust filter_error(std::span<double> e, Workspace& workspace) const override;
  Status evaluate(double t, std::span<const double> x, const Discrete& discrete,
                  Workspace& workspace, Motion& motion) const override;
  Status evaluate_motion(double t, std::span<const double> x, const Discrete& discrete,
                         Workspace& workspace, Motion& motion) const override;

  const Interface& interface() const { return interface_; }

  /// Calls `watch` with every multiplier and residual of the iterations at a state.
  Status watch(double t, std::span<const double> x, const Discrete& discrete,
               const std::function<void(const Multipliers&, const Multipliers&)>& watch) const;

 private:
  struct Scratch;
  Uzawa(RankStudy& study, const Model& model, const UzawaOptions& options,
        std::vector<FilledBox> boxes);
  struct Own {  ///< coordinates of a subsystem's own
    int box = 0;
    int count = 0;
    int position = 0, velocity = 0;                  ///< in x
    int tangent_position = 0, tangent_velocity = 0;  ///< in dx
  };

  void add_own_coordinates();
  const Body& body_of(const Own& own) const;
  bool is_flexible(const Own& own) const { return body_of(own).modal != nullptr; }
  void read(std::span<const double> x, const Discrete& discrete, Configuration& to) const;
  bool projects_stages(const Discrete& discrete) const;
  void evaluate_links(double t, Scratch& scratch) const;
  Status find_compliance(Scratch& scratch) const;
  Status prepare(double t, std::span<const double> x, Scratch& scratch) const;
  void start_multipliers(const Discrete& discrete, Scratch& scratch) const;
  Status solve(double t, std::span<const double> x, const Discrete& discrete, bool projects,
               Scratch& scratch) const;
  Status project(double t, Scratch& scratch) const;
  double strength(Scratch& scratch) const;
  void measure_generic_poses(RankStudy& study);
  void prepare_projection(double t, Scratch& scratch) const;
  void correct(Scratch& scratch) const;
  void fill_motion(double t, std::span<const double> x, const Scratch& scratch,
                   Motion& motion) const;
  void fill_reactions(Scratch& scratch, Motion& motion) const;

  const Model& model_;
  UzawaOptions options_;
  ConstraintSystem system_;
  Interface interface_;
  std::vector<std::unique_ptr<Subsystem>> subsystems_;  ///< per box; null for a plain body
  std::unique_ptr<JointElimination> elimination_;
  std::vector<BodyAdmittance> admittances_;
  Gains gains_;
  double least_eigenvalue_ = 0;
  int nominal_rank_ = 0;
  bool rows_part_ = false;  ///< dependent ones, where the mechanism drifts  [modular-drift]
  /// Of generic poses; 0 where the constraints are never factorised.
  double conditioning_ = 0;
  NonuniqueReactions not_unique_;
  std::vector<Own> own_;
  std::vector<OwnPlace> own_places_;  ///< the same, for multirate
  StateLayout layout_;
};

}  // namespace modular
}  // namespace sarrus
