#pragma once

#include "sarrus/formulations/coordinate_reduction/reactions.h"
#include "sarrus/formulations/formulation.h"
#include "sarrus/mobility/rank_study.h"
#include "sarrus/model/loads.h"
#include "sarrus/tree/drives.h"
#include "sarrus/tree/joint_loads.h"
#include "sarrus/tree/tree_state.h"

namespace sarrus {

/// How far the constraints of loops are enforced.
enum class Enforced {
  kAcceleration,  ///< they drift
  kVelocity,      ///< speeds are brought back after every step, positions are not
  kPosition,
};

/// What the integrator's state means.
enum class StateChoice {
  kProjected,    ///< all coordinates and speeds of the tree, brought back to the loops
  kIndependent,  ///< as many as there are freedoms; the others follow from them
};

struct CoordinateReductionOptions {
  Projection projection = Projection::kAuto;
  Enforced enforced = Enforced::kPosition;
  int threads = 1;
  double grain = Executor::kGrain;  ///< see Executor
  StateChoice state = StateChoice::kProjected;
  std::vector<std::string> preferred;  ///< joints whose coordinates should be independent
  bool paper = false;                  ///< the paper's own recursion instead of the fronts
};

/// Loops by reduction of coordinates, after Anderson and Critchley: the unknowns are the
/// accelerations of the joints of a spanning tree; each loop, where it closes, expresses some of
/// them by the others. Cost linear in bodies and loops while few bodies are open at a time.
///
///     min ½ Σ aᵀ M a − fᵀ a   over all a that the joints allow                 [reduction-principle]
///
/// The state is that of order-n: joint coordinates and speeds. Rows of loops that depend on others
/// are left out beyond their nominal rank.
class CoordinateReduction final : public Formulation {
 public:
  /// The model must outlive it.
  /// @throws UsageError when the paper's recursion is asked for where it does not fit.
  CoordinateReduction(RankStudy& study, const CoordinateReductionOptions& options);
  CoordinateReduction(const CoordinateReduction&) = delete;  // its parts refer to each other
  CoordinateReduction& operator=(const CoordinateReduction&) = delete;

  /// Are more coordinates open at once than a front can hold? Then it is of no use.
  bool too_wide() const { return too_wide_; }

  std::string_view name() const override { return "coordinate-reduction"; }
  std::string_view variant() const override {
    return options_.paper ? "paper" : coordinate_reduction::best_kernel().name;
  }
  Projection projection() const override { return projection_; }
  int threads() const override { return executor_.threads(); }
  std::string element_of(int tangent_index) const override;
  const StateLayout& layout() const override { return state_.layout(); }
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
  CoordinateReduction(RankStudy& study, const Model& model, const Topology& topology,
                      const CoordinateReductionOptions& options);

  struct Scratch;
  using Inputs = coordinate_reduction::Inputs;
  using Level = coordinate_reduction::Level;

  /// Where Discrete::integers keeps the independent unknowns, after kSingularNoted.
  static constexpr std::size_t kFirstChosen = 1;

  /// Constraints that are off by less than this many times the size of things hold.
  static constexpr double kRounding = 8 * 2.2e-16;

  bool find_nominal_ranks(coordinate_reduction::Fronts& fronts, int expected,
                          const std::vector<Configuration>& poses);
  bool measure_pivots(coordinate_reduction::Fronts& fronts, Scratch& scratch) const;
  void measure_cells(const std::vector<Configuration>& poses, coordinate_reduction::Fronts& fronts,
                     Scratch& scratch) const;
  void set_pose(Configuration pose, Scratch& scratch) const;
  bool choose_independent(const Discrete& discrete, Scratch& scratch) const;
  void hold_independent(const Discrete& discrete, Scratch& scratch) const;
  void switch_where_better(double t, Discrete& discrete, Scratch& scratch, AfterStep& result) const;
  std::string names_of(std::span<const std::int64_t> unknowns) const;
  Status paper_accelerate(double t, const Discrete& discrete, Scratch& scratch) const;
  void give_joint_forces(double t, const Discrete& discrete, Scratch& scratch) const;
  void give_wrenches(double t, bool through_tree, Scratch& scratch) const;
  void read(double t, std::span<const double> x, const Discrete& discrete, Scratch& scratch) const;
  Inputs inputs(Level level, Scratch& scratch) const;
  void locate(const Discrete& discrete, Scratch& scratch) const;
  void locate_coordinates(const Discrete& discrete, Scratch& scratch) const;
  void give_rows(double t, Scratch& scratch) const;
  double reach_of(const Scratch& scratch) const;
  std::string worst_closure(const Scratch& scratch) const;
  Status check_turns(const Discrete& discrete, const Scratch& scratch) const;
  void find_turn_paths(const Topology& topology);
  Status find_motion(double t, std::span<const double> x, const Discrete& discrete,
                     Scratch& scratch, Motion& motion, bool with_details) const;
  void write_reactions(double t, const Scratch& scratch, Motion& motion) const;
  bool solve_with_chains(const Inputs& in, Scratch& scratch) const;
  Status why_not_finite(const Scratch& scratch) const;
  Status check_inertia(const Scratch& scratch) const;
  Status solve(double t, Level level, const Discrete& discrete, Scratch& scratch,
               bool with_details) const;
  Status accelerate(double t, const Discrete& discrete, Scratch& scratch, bool with_details) const;
  Status project(double t, const Discrete& discrete, Scratch& scratch, bool positions) const;
  Status close_positions(double t, const Discrete& discrete, Scratch& scratch) const;
  void displacements(Scratch& scratch) const;
  void apply_drives(double t, const Discrete& discrete, Scratch& scratch) const;
  void expand(const Scratch& scratch, std::span<double> rates) const;
  void balance(double t, Scratch& scratch) const;
  void watch_pivots(Scratch& scratch) const;

  const Model& model_;
  CoordinateReductionOptions options_;
  ConstraintSystem system_;
  tree::Tree tree_;
  tree::TreeState state_;
  tree::Drives drives_;
  articulated::KernelModel kernel_model_;
  coordinate_reduction::Fronts fronts_;
  std::optional<coordinate_reduction::Fronts> chained_;  ///< the same with long chains as one
  Executor executor_;
  tree::JointLoads joint_loads_;
  std::vector<char> is_cut_;        ///< per joint
  bool has_outside_loads_ = false;  ///< not along the joints of the tree
  bool has_loops_;
  bool independent_;  ///< state
  bool too_wide_ = false;
  bool has_freedoms_ = true;
  double usual_pivot_ = 1;  ///< the smallest at generic poses
  struct TurnPath {
    JointId joint;
    std::vector<std::pair<int, int>> angles;  ///< of the tree: place in q, freedom
  };
  std::vector<TurnPath> turn_paths_;
  const Topology topology_;
  Projection projection_;
  NonuniqueReactions not_unique_;
};

}  // namespace sarrus
