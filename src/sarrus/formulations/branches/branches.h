#pragma once

#include <string>
#include <vector>

#include "sarrus/formulations/branches/fronts.h"
#include "sarrus/formulations/branches/plan.h"
#include "sarrus/formulations/formulation.h"
#include "sarrus/mobility/rank_study.h"
#include "sarrus/tree/joint_loads.h"
#include "sarrus/tree/tree_state.h"

namespace sarrus {

struct BranchesOptions {
  bool mass_matrix = false;  ///< not by recursion, in one branch: the method `mass-matrix`
  branches::Solution connections = branches::Solution::kSequential;
  std::vector<std::string> cuts;  ///< joints between branches, by name; empty: chosen
  int branches = 0;               ///< how many to choose; 0: by their work
  double baumgarte = 0;           ///< ω of φ̈ + 2 ω φ̇ + ω² φ = 0 where loops close [1/s]
  Projection projection = Projection::kAuto;
  int threads = 1;
  double grain = Executor::kGrain;
};

/// A mechanism cut into branches: the articulated-body recursion in each, with the forces of its
/// connections kept as unknowns, then those forces from a matrix of the connections. Bodies may be
/// flexible. The state is that of the spanning tree.  [branches-motion]
///
/// The same with one mass matrix instead of the recursion is the classical baseline.  [mass-matrix]
class Branches final : public Formulation {
 public:
  Branches(RankStudy& study, const BranchesOptions& options);
  Branches(const Branches&) = delete;
  Branches& operator=(const Branches&) = delete;
  ~Branches() override;

  std::string_view name() const override { return has_mass_matrix_ ? "mass-matrix" : "branches"; }
  std::string_view variant() const override { return kernel_.name; }
  int threads() const override { return executor_.threads(); }
  Projection projection() const override { return projection_; }
  std::string element_of(int tangent_index) const override;
  const StateLayout& layout() const override { return state_.layout(); }
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
  std::vector<Phase> phases(double t, std::span<const double> x, const Discrete& discrete,
                            Workspace& workspace) const override;
  std::vector<ConnectingJoint> connecting_joints() const override;
  Status evaluate(double t, std::span<const double> x, const Discrete& discrete,
                  Workspace& workspace, Motion& motion) const override;
  Status evaluate_motion(double t, std::span<const double> x, const Discrete& discrete,
                         Workspace& workspace, Motion& motion) const override;

  const branches::Plan& plan() const { return *plan_; }

  /// For tests: H and h of a branch's rows at a state, full.
  void response_of(int branch, double t, std::span<const double> x, const Discrete& discrete,
                   Workspace& workspace, MatX& H, VecX& h) const;

 private:
  struct ScratchSpace;

  void measure_rows(const Configuration& assembled);
  void learn_ranks(int expected, const std::vector<Configuration>& poses);
  bool rows_disagree(const Configuration& pose) const;
  Status check_inertia(ScratchSpace& s) const;
  Status factor(double t, const Discrete& discrete, ScratchSpace& s) const;
  Status accelerate(double t, const Discrete& discrete, ScratchSpace& s) const;
  void give(double t, std::span<const double> x, const Discrete& discrete, ScratchSpace& s) const;
  void prepare_branch(int branch, ScratchSpace& s) const;
  void prepare(ScratchSpace& s) const;
  void place_roots(ScratchSpace& s) const;
  void place_handle(int c, int side, const ScratchSpace& s, branches::Frame& to) const;
  void add_loads(double t, ScratchSpace& s) const;
  void sweep_branch(int branch, double t, const Discrete& discrete, ScratchSpace& s) const;
  enum class Solution { kForces, kMoreForces, kImpulses };  ///< of the connections' rows
  void spread(const Discrete& discrete, Solution solution, ScratchSpace& s) const;
  void respond(const branches::BranchConstants& branch, const double* lambda, bool homogeneous,
               ScratchSpace& s) const;
  void add_response(const branches::BranchConstants& branch, const double* more,
                    ScratchSpace& s) const;
  bool needs_refinement(const ScratchSpace& s) const;
  void solve_for_missing(ScratchSpace& s) const;
  void finish_branch(int branch, bool homogeneous, ScratchSpace& s) const;
  void finish_connection(int connection, const Discrete& discrete, bool homogeneous,
                         ScratchSpace& s) const;
  double drive_power(ScratchSpace& s) const;
  Vec6 joint_wrench(int body, const ScratchSpace& s) const;
  void find_wrenches(ScratchSpace& s) const;
  void add_forces(int connection, int body, const ScratchSpace& s, Vec6& wrench) const;
  Status project(double t, std::span<double> x, const Discrete& discrete, ScratchSpace& s,
                 bool& changed) const;
  enum class Level { kPosition, kVelocity };
  struct Gap;
  Gap measure(double t, std::span<const double> x, const Discrete& discrete, Level level,
              ScratchSpace& s) const;
  std::string worst_connection(const ScratchSpace& s) const;
  Status rates_at(double t, std::span<const double> x, const Discrete& discrete, ScratchSpace& s,
                  std::span<double> dx) const;
  void answer(const Discrete& discrete, ScratchSpace& s) const;
  void correct(double t, Level level, std::span<double> x, const Discrete& discrete,
               ScratchSpace& s) const;
  void fill_reactions(const ScratchSpace& s, Motion& motion) const;

  const Model& model_;
  tree::Tree tree_;
  tree::TreeState state_;
  tree::JointLoads joint_loads_;
  tree::Drives drives_;
  double baumgarte_;
  Projection projection_;
  bool has_mass_matrix_;
  bool has_loops_ = false;
  double length_ = 1;                ///< a typical one [m]
  std::vector<double> row_scale_;    ///< of the connections' rows: makes all of them lengths
  bool has_loads_ = false;           ///< on bodies, or through connections
  std::vector<char> is_connection_;  ///< per joint
  std::unique_ptr<branches::Plan> plan_;
  std::unique_ptr<branches::Fronts> fronts_;
  const branches::Kernel& kernel_;
  Executor executor_;
  NonuniqueReactions not_unique_;
};

}  // namespace sarrus
