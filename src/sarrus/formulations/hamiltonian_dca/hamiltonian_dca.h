#pragma once

#include <mutex>

#include "sarrus/elimination/tree_projector.h"
#include "sarrus/elimination/whole_mechanism.h"
#include "sarrus/formulations/augmented_dca/fast_parts.h"
#include "sarrus/formulations/formulation.h"
#include "sarrus/formulations/hamiltonian_dca/momenta.h"
#include "sarrus/formulations/hamiltonian_dca/part_lanes.h"
#include "sarrus/formulations/order_n/order_n.h"
#include "sarrus/mobility/rank_study.h"
#include "sarrus/tree/drives.h"
#include "sarrus/tree/tree_state.h"

namespace sarrus {

struct HamiltonianDcaOptions {
  Projection projection = Projection::kAuto;
  int threads = 1;
  double grain = Executor::kGrain;  ///< see Executor
  int part_bodies = AssemblyOptions{}.part_bodies;

  /// [s] > 0: viscous friction of joints is implicit over steps of this length: (M + h R) u = p.
  /// [hamilton-friction]
  double implicit_friction = 0;

  /// Positions are corrected after steps that leave ‖φ‖ above this part of the mechanism's size;
  /// negative: 1e-9 with Projection::kAuto, and 0, after every step, with kStep.  [hamilton-correction]
  double position_tolerance = -1;

  /// After every step the impulses of loops are taken into the momenta, so that they do not grow with
  /// time.  [hamilton-regauge]
  bool regauge = true;
};

/// Hamilton's equations by divide and conquer, after Chadaj, Malczyk and Frączek: the state are
/// coordinates and canonical momenta of the joints of a spanning tree.
///
/// Velocities are those that the impulses p would produce from rest: one elimination at the level of
/// velocities, with loops, dependent constraints and prescribed motions as rows,
///
///     M V + Jᵀ λ = D p,   J V = ḟ                                          [hamilton-velocities]
///
/// and momenta change by forces and by what passes the joints, without any acceleration,
///
///     ṗ = Sᵀ F + Ṡᵀ P                                                           [hamilton-rates]
///
/// So velocities obey all constraints whatever the state, and their violation at the level of positions
/// is a first integral of the equations: it does not grow by itself.
class HamiltonianDca final : public Formulation {
 public:
  /// @throws UsageError when friction is to be implicit on a joint where it cannot be.
  HamiltonianDca(RankStudy& study, const HamiltonianDcaOptions& options);
  ~HamiltonianDca() override;
  HamiltonianDca(const HamiltonianDca&) = delete;  // its parts refer to each other
  HamiltonianDca& operator=(const HamiltonianDca&) = delete;

  std::string_view name() const override { return "hamiltonian-dca"; }
  Projection projection() const override { return projection_; }
  int threads() const override { return executor_.threads(); }
  std::string_view variant() const override { return fast_parts_.kernel().name; }
  std::string element_of(int tangent_index) const override;
  bool redefines_state() const override { return true; }
  const StateLayout& layout() const override { return layout_; }
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
  std::vector<Phase> phases(double t, std::span<const double> x, const Discrete& discrete,
                            Workspace& workspace) const override;

  const tree::Tree& tree() const { return tree_; }
  /// Do kernels find velocities and momentum rates, from the coordinates on?
  bool is_all_in_kernels() const { return lanes_ != nullptr; }
  /// [kg m², kg] per speed: momenta stand in the state divided by it.
  std::span<const double> momentum_scale() const { return scale_; }
  /// Do momenta contain the impulses of loops in the step from here, rather than leave them out?
  /// [hamilton-whole]
  bool has_whole_momenta(const Discrete& discrete) const {
    return dependent_impulses_ || is_near_singular(discrete);
  }

 private:
  HamiltonianDca(RankStudy& study, const Model& model, const Topology& topology,
                 const HamiltonianDcaOptions& options);

  struct Scratch;

  /// What velocities are wanted for: the impulses of dependent constraints take another solve.
  enum class Wanted {
    kState,   ///< with prescribed rates as the state has them
    kMotion,  ///< with those of the time
    kImpulses,
    kAccelerations  ///< the matrices of the pose will serve once more
  };

  void read_pose(std::span<const double> x, Scratch& scratch) const;
  void read_momenta(std::span<const double> x, Scratch& scratch) const;
  void place_bodies(const Discrete& discrete, Scratch& scratch) const;
  Status solve_for_velocities(Scratch& scratch, bool again) const;
  Status find_velocities(double t, std::span<const double> x, Wanted wanted,
                         const Discrete& discrete, Scratch& scratch) const;
  Status find_fast_velocities(double t, std::span<const double> x, const Discrete& discrete,
                              Scratch& scratch) const;
  Status find_lane_velocities(double t, std::span<const double> x, const Discrete& discrete,
                              Scratch& scratch) const;
  Status lane_rates(double t, std::span<const double> x, const Discrete& discrete, Scratch& scratch,
                    std::span<double> dx) const;
  void select_kernel(const Topology& topology);
  void check_friction() const;
  Status find_open_velocities(std::span<const double> x, const Discrete& discrete,
                              Scratch& scratch) const;
  Status move_and_find_velocities(double t, std::span<const double> x, Wanted wanted,
                                  const Discrete& discrete, Scratch& scratch) const;
  void carry_impulses(double t, Scratch& scratch) const;
  Status find_accelerations(double t, Scratch& scratch) const;
  void find_momentum_rates(Scratch& scratch) const;
  void watch_pivots(Scratch& scratch) const;
  double position_error(const Scratch& scratch) const;
  Status correct_positions(double t, std::span<double> x, Scratch& scratch) const;
  void regauge(double t, std::span<double> x, bool whole, Scratch& scratch) const;

  bool is_near_singular(const Discrete& discrete) const;
  bool impulses_depend(const Configuration& generic, Scratch& scratch) const;
  Status close_pose(double t, const Discrete& discrete, Scratch& scratch) const;
  void take_momenta_of_velocities(Scratch& scratch) const;
  void find_whole_momentum_rates(Scratch& scratch) const;
  int momenta_at() const { return tree_.nq(); }
  int motions_at() const { return tree_.nq() + tree_.nv(); }

  const Model& model_;
  HamiltonianDcaOptions options_;
  tree::Tree tree_;
  tree::TreeState state_;
  tree::Drives drives_;
  std::vector<double> friction_inertia_;  ///< per joint: h R
  std::shared_ptr<const WholeMechanism> whole_;
  const ConstraintSystem& system_;
  const AssemblyTree& assembly_;
  const EliminationPlan& plan_;
  augmented_dca::FastParts fast_parts_;
  Executor executor_;
  std::unique_ptr<const hamiltonian::PartLanes> lanes_;  ///< all in kernels, where they can
  std::unique_ptr<const OrderN> open_;  ///< otherwise one part without loops and drives
  Configuration assembled_;
  NominalRanks nominal_;
  Projection projection_;
  double position_tolerance_ = 0;  ///< of ‖φ‖
  StateLayout layout_;
  std::vector<double> scale_;  ///< per speed: momenta stand in the state divided by it
  std::vector<double> inverse_scale_;
  std::vector<double> joint_inertia_;  ///< the same per speed
  std::vector<char> is_carried_;       ///< per row: of a cut joint, or of a prescribed motion
  std::vector<int> carrying_;          ///< joints with such rows
  std::vector<int> motion_rows_;       ///< in the order of the rows
  double natural_speed_ = 0;           ///< [m/s]
  bool is_fast_ = false;               ///< one sweep in kernels gives the velocities
  bool only_weight_ = false;           ///< acts, and no loops: both stages in one sweep
  bool drives_tree_ = false;           ///< a motion is prescribed on a joint of the tree
  bool watches_ = false;               ///< there are loops whose strength matters
  bool dependent_impulses_ = false;    ///< of loops: they are not unique

  // For decode(), which has no workspace.
  mutable std::mutex decoding_;
  mutable std::unique_ptr<Scratch> decoder_;
  struct Seen {
    std::vector<double> x, u;
  };
  mutable Seen last_seen_;  ///< a state and its speeds
};

}  // namespace sarrus
