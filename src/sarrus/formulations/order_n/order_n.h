#pragma once

#include <optional>
#include <string>

#include "sarrus/articulated/kernel_model.h"
#include "sarrus/formulations/formulation.h"
#include "sarrus/formulations/order_n/closures.h"
#include "sarrus/mobility/rank_study.h"
#include "sarrus/tree/drives.h"
#include "sarrus/tree/joint_loads.h"
#include "sarrus/tree/tree.h"
#include "sarrus/tree/tree_state.h"

namespace sarrus {

struct OrderNOptions {
  /// "any", "x86-64-v3", "x86-64-v4", or "plain" for the textbook recursion; empty: the
  /// fastest this processor has. Loops take the textbook recursion.
  std::string kernel;

  /// How fast the constraints of cut joints are drawn to zero: φ̈ + 2 ω φ̇ + ω² φ = 0 [1/s]; 0: φ̈ = 0.
  double baumgarte = 0;
};

/// The articulated-body recursion: joint coordinates as the state, for open mechanisms at a cost linear
/// in the number of bodies.  [order-n-articulated]
///
/// Trees of any shape with any joints, forces and prescribed motions; floating bases and several
/// roots. Their state cannot leave the constraints, so there is nothing to project. Loops are cut and
/// closed at the level of accelerations, densely, as was always done: their constraints drift, and
/// nothing is projected either.  [order-n-closures]
class OrderN final : public Formulation {
 public:
  /// Numbers of states that `batch_rates` takes at once.
  static constexpr int kBatch = articulated::kWideLanes;

  /// Of an open mechanism. The model must outlive it.
  /// @throws UsageError when there are loops, or this processor cannot run the kernel asked for.
  OrderN(const Model& model, const Topology& topology, const OrderNOptions& options = {});

  /// Of any mechanism.
  /// @throws UsageError also when loops are to run in a kernel, or when a body can move without
  ///         inertia once they are cut.
  explicit OrderN(RankStudy& study, const OrderNOptions& options = {});
  OrderN(const OrderN&) = delete;  // its parts refer to each other
  OrderN& operator=(const OrderN&) = delete;

  std::string_view name() const override { return "order-n"; }
  std::string_view variant() const override;
  std::string element_of(int tangent_index) const override;
  const StateLayout& layout() const override { return state_.layout(); }
  std::unique_ptr<Workspace> make_workspace() const override;
  void encode(const Configuration& from, std::span<double> x, Discrete& discrete) const override;
  void decode(std::span<const double> x, const Discrete& discrete,
              Configuration& to) const override;
  Status rates(double t, std::span<const double> x, const Discrete& discrete, Workspace& workspace,
               std::span<double> dx) const override;
  std::vector<Phase> phases(double t, std::span<const double> x, const Discrete& discrete,
                            Workspace& workspace) const override;
  AfterStep after_step(double t, std::span<double> x, Discrete& discrete,
                       Workspace& workspace) const override;
  Status evaluate(double t, std::span<const double> x, const Discrete& discrete,
                  Workspace& workspace, Motion& motion) const override;
  Status evaluate_motion(double t, std::span<const double> x, const Discrete& discrete,
                         Workspace& workspace, Motion& motion) const override;

  /// The rates of eight states at once, for ensembles and gradients: number i of state l stands at
  /// x[8 i + l], and likewise in dx. `discrete` is shared.
  std::unique_ptr<Workspace> make_batch_workspace() const;
  Status batch_rates(double t, std::span<const double> x, const Discrete& discrete,
                     Workspace& workspace, std::span<double> dx) const;

  /// The speeds that impulses `p` along the joints give to an open mechanism at rest: M u = p. Nothing
  /// may be prescribed.
  Status speeds_from_rest(std::span<const double> q, std::span<const double> p,
                          Workspace& workspace, std::span<double> u) const;

  const tree::Tree& tree() const { return tree_; }

  /// Wrenches of point springs, applied forces and torques, per slot at the bodies' origins. Returns
  /// the power of what has no potential [W].
  double external_wrenches(double t, const tree::TreeMotion& motion,
                           std::vector<Vec6>& wrenches) const;

 private:
  struct LoopsMayBe {};
  OrderN(LoopsMayBe, const Model& model, const Topology& topology, const OrderNOptions& options);

  struct Scratch;
  struct BatchScratch;

  /// Coordinates and speeds that hold, and the power of joint forces without a potential.
  struct Applied {
    std::span<const double> q, v;
    double power = 0;
  };

  Applied apply_loads(double t, std::span<const double> x, const Discrete& discrete,
                      Scratch& scratch) const;
  Status find_rates(double t, std::span<const double> x, const Discrete& discrete, Scratch& scratch,
                    std::span<double> dx) const;
  double plain_rates(double t, const Applied& applied, const Discrete& discrete, Scratch& scratch,
                     std::span<double> v_rate) const;
  articulated::Inputs kernel_inputs(const Applied& applied, Scratch& scratch) const;
  template <class Function>
  void with_passes(Scratch& scratch, Function function) const;
  double kernel_rates(double t, const Applied& applied, Scratch& scratch,
                      std::span<double> v_rate) const;
  double add_loads_to_kernel(double t, Scratch& scratch) const;
  double add_loads_to_batch(double t, int lane, BatchScratch& scratch) const;
  double drive_power(double t, const Applied& applied, std::span<const double> v_rate,
                     Scratch& scratch) const;
  void newton_euler_at(double t, const Applied& applied, std::span<const double> v_rate,
                       Scratch& scratch) const;
  bool are_finite(std::span<const double> numbers) const;
  Status why_not_finite(const Applied& applied, Scratch& scratch) const;
  Status batch_rates_one_by_one(double t, std::span<const double> x, const Discrete& discrete,
                                BatchScratch& scratch, std::span<double> dx) const;
  void write_configuration(const tree::TreeMotion& motion, std::span<const double> x,
                           const Discrete& discrete, Configuration& to) const;
  void learn_strength(const std::vector<Configuration>& poses);
  void check_inertia_of_tree(const Configuration& assembled) const;

  const Model& model_;
  tree::Tree tree_;
  tree::TreeState state_;
  tree::JointLoads joint_loads_;
  tree::Drives drives_;
  bool has_body_loads_;
  articulated::KernelModel kernel_model_;
  const articulated::Kernel* kernel_;          ///< null: the plain recursion
  std::optional<order_n::Closures> closures_;  ///< where there are loops
  NonuniqueReactions not_unique_;              ///< whose reactions redundancy leaves undetermined
};

}  // namespace sarrus
