#pragma once

#include <span>
#include <vector>

#include "sarrus/base/aligned_array.h"
#include "sarrus/base/executor.h"
#include "sarrus/base/status.h"
#include "sarrus/elimination/anderson.h"
#include "sarrus/elimination/kernels/kernels.h"
#include "sarrus/elimination/plan.h"

namespace sarrus {

/// What is done about constraint rows that depend on each other.
struct Regularisation {
  /// Per node: how many directions its rows fix at a generic pose on the manifold; more that seem
  /// to be there are noise of a state off it. Empty: as many as `tolerance` lets through.
  std::vector<int> nominal_ranks;
  /// Pivots below this count as zero when there are no nominal ranks. Rows are scaled so that the
  /// two bodies of a joint alone would give pivots of order one; pivots are squares of sines.
  double tolerance = 1e-11;
  /// And those below this over the smallest pivot kept so far: a direction closed with pivot d leaves
  /// rounding over d behind.
  double noise = 1e-15;
  /// > 0: pivots of loops below this are left out, within the nominal ranks too.
  double lost = 0;
  /// Added to a pivot of a loop that is nearly lost: the iteration over loops then recovers what is
  /// above it and lets go of what is below. 0 for counting: with a penalty a direction is not quite
  /// closed, and the next row that depends on it seems to close it again.  [dca-deficient]
  double penalty = 1e-8;
  double deficient = 1e-6;  ///< pivots below this get the penalty
  /// Added to every pivot of a loop, in the same scale: Levenberg and Marquardt's damping, for
  /// poses far off the manifold.
  double damping = 0;
  /// > 0: instead of all the above, 1/α is added to every row, as Malczyk and Frączek do.
  double alpha = 0;
};

/// Sweeps parts, and joins them, faster than the general code does, for a caller with its own workspace.
/// Asked once a part or join, never once a body.
class PartSolver {
 public:
  virtual ~PartSolver() = default;

  virtual bool takes(int part) const = 0;

  /// The numbers of all slots.
  using Pieces = elimination::PieceNumbers;

  /// Λ and β of a part that it takes; into `c` the poses and velocities of its boundary bodies, where
  /// a joint on them is closed by the general code.
  /// False when a body of it has nothing to hold it.
  virtual bool up(int part, const Pieces& pieces, Configuration& c) = 0;

  /// Accelerations of its bodies under the forces on its boundary; kept by itself. False when they
  /// are not finite.
  virtual bool down(int part, const Pieces& pieces) = 0;

  /// All is up, nothing is down yet.
  virtual void between_sweeps(const Pieces& /*pieces*/) {}

  virtual bool takes_join(int node) const = 0;
  /// Λ and β of a join that it takes. False when a pivot is not positive.
  virtual bool join(int node, const Pieces& pieces) = 0;
  /// The forces on the boundaries of its two halves.
  virtual void split(int node, const Pieces& pieces) = 0;

  /// Coordinates of a joint that is closed elsewhere, into `c`.
  virtual void read_coordinates(int joint, Configuration& c) = 0;

  /// For a part that it does not take: poses and velocities of its bodies into `c`, loads into `f`.
  virtual void prepare(int part, Configuration& c, std::span<Vec6> f) = 0;
  virtual bool receive(int part, std::span<const Vec6> a) = 0;
};

/// What M is: the masses, or the same for every body, so that rank and closing depend on geometry
/// alone.
enum class Metric { kKinetic, kGeometric };

/// Inertia that is added to a body along a direction in which it has none.  [dca-added-inertia]
struct AddedInertia {
  int body = 0;
  bool turns = false;  ///< or else it moves along
  Vec3 axis;           ///< in the body's axes, of length one
  double inertia = 0;
  Vec6 direction = Vec6::Zero();  ///< in the world, at the last factor()
};

/// Would an elimination in the kinetic metric add inertia to a body?  [dca-added-inertia]
bool lacks_inertia(const EliminationPlan& plan);

/// Solves   M a + Jᵀ λ = f,   J a + g = 0   [dca-system]
/// over an assembly tree: sweeps inside the parts, joins between them. Time linear in bodies on
/// chains and trees; any graph, redundant and singular, floating or not.
///
/// Holds all its scratch: one a thread that calls it. No allocation after the first use.
class Elimination {
 public:
  /// `executor` runs the sweeps. `assembled`: any closed pose, for the rows' scale.
  Elimination(const EliminationPlan& plan, const Executor& executor, const Configuration& assembled,
              Metric metric = Metric::kKinetic);

  /// Another metric, from the next factor() on.
  void measure(Metric metric, const Configuration& assembled);

  Regularisation& regularisation() { return regularisation_; }
  const EliminationPlan& plan() const { return *plan_; }
  const Executor::Cut& cut() const { return cut_; }  ///< of the nodes, for sweeps beside its own

  /// Which values of the rows are wanted: φ, φ̇ as well, or γ as well. The others stay what they were.
  enum class Values { kPositions, kVelocities, kAll };

  /// Rows, masses and the matrices of all nodes at a configuration.
  Status factor(double t, const Configuration& c, Values values = Values::kAll);

  /// Only the values of the rows; the matrices stay those of factor().
  void evaluate(double t, const Configuration& c, Values values = Values::kAll);

  /// φ̇ alone, at the pose and the time of factor(): by its matrices.
  void evaluate_rates(const Configuration& c);

  /// How an iteration ends.
  struct Stop {
    int most = 10;
    double step = 0;         ///< when the correction of the accelerations is smaller
    double residual = 0;     ///< when the residual is
    bool stagnation = true;  ///< when it no longer falls
    /// In a projection: of the passes that take out inertia that bodies got. After one, it is a
    /// projection in a metric that has some of it left.  [dca-added-inertia]
    int projection_passes = 6;
    /// What accelerations there could be, beside those that f and g suggest; where the mechanism cannot
    /// move all are rounding.
    double natural = 0;
    /// Accelerations that are nearly known are those of the last solve.  [dca-added-inertia]
    bool goes_on = false;
  };

  /// `f`: per body of the model, ground first, or empty for none; `g`: per row.
  Status solve(std::span<const Vec6> f, std::span<const double> g, const Stop& stop);

  /// factor() and solve() with g = γ in one, with the parts left to `parts` where it takes them; `c`
  /// gets what is needed. Not where inertia had to be added.
  Status factor_and_solve(double t, Configuration& c, PartSolver& parts, const Stop& stop);
  bool has_added_inertia() const { return !added_.empty(); }

  /// λ of the joints inside parts as well, which solve() leaves out.
  void find_multipliers(const Configuration& c);

  std::span<const Vec6> a() const { return a_; }              ///< per body
  std::span<const double> lambda() const { return lambda_; }  ///< per row
  std::span<const double> phi() const { return phi_; }
  std::span<const double> phi_rate() const { return phi_rate_; }
  std::span<const double> gamma() const { return gamma_; }
  std::span<const double> motion_rate() const { return motion_rate_; }
  const double* J_A(int row) const { return &J_[12 * static_cast<std::size_t>(row)]; }
  const double* J_B(int row) const { return J_A(row) + 6; }

  /// Directions fixed by the rows of each node at the last factor().
  const std::vector<int>& ranks() const { return rank_; }
  int rank() const;  ///< of all rows, those of open joints included
  /// The smallest pivot kept in a loop (scaled; 1 where there is none), at the last factor().
  double smallest_pivot() const;

  /// Per row: does it take part in a dependency, so that its multiplier is not unique? One sweep.
  std::vector<char> dependent_rows();

  long iterations = 0;  ///< of the last solve

 private:
  friend struct PartSweep;
  struct Record;

  void evaluate_joint(int joint, double t, const Configuration& c, Values values, bool matrices);
  Status verdict(const Configuration& c) const;
  void factor_part(int node, double t, const Configuration& c, Values values);
  void factor_rows(int node, double t, const Configuration& c, Values values);
  void take_least(int node);
  void mark_bad_joint(int node);
  void up_with(PartSolver& parts, int node, double t, Configuration& c);
  void down_with(PartSolver& parts, int node);
  elimination::PieceNumbers pieces() { return {Lambda_.data(), beta_.data(), F_.data()}; }
  void iterate(const Stop& stop);
  void factor_closing(int node);
  void up(int node);
  void down(int node);
  void close_up(int node, const double* g, bool correcting);
  void close_down(int node, bool correcting);
  struct Residual {
    double norm = 0;
    double step = 0;      ///< by how much the accelerations have changed
    double rounding = 0;  ///< what it can be trusted to
    bool means_something() const { return norm > rounding; }
  };
  Residual loop_residual();
  void apply_inverse(int node, double* x) const;
  void add_inertia();
  void add_inertia(int body, const Mat3& R, double* I);
  Status take_out_added(std::span<const Vec6> f, const Stop& stop);
  void pass(const Stop& stop);
  double row_size(std::size_t r) const;
  Mat6 mass_of(BodyId body, const Configuration& c) const;
  void add_self_stress(int node, unsigned stress, double* lambda) const;
  void mark_stressed(unsigned stress, std::vector<char>& dependent);

  const EliminationPlan* plan_;
  const Executor* executor_;
  Executor::Cut cut_;
  const elimination::Kernel* kernel_;
  Metric metric_ = Metric::kKinetic;
  Regularisation regularisation_;

  // Per row.
  AlignedArray<double> J_;
  std::vector<double> phi_, phi_rate_, gamma_, motion_rate_, lambda_, scale_, correction_;
  // Per body.
  AlignedArray<double> I_, p_, records_;
  std::vector<Vec6> a_, loaded_;
  std::vector<AddedInertia> added_;  ///< by body
  std::vector<int> first_added_;     ///< per body, and the end; empty where nothing is added
  Anderson anderson_;                ///< over the accelerations along what is added
  bool solver_sweeps_ = false;  ///< a PartSolver has leaves: what they show is all that is known
  // Per part: F, G and b of its root.
  AlignedArray<double> roots_;
  // Per slot.
  AlignedArray<double> Lambda_, beta_, F_;
  // Per node.
  AlignedArray<double> U_, L_, y_, pivot_, work_;
  std::vector<int> order_;
  std::vector<int> rank_;
  std::vector<double> least_;  ///< pivot kept in the node's subtree; 1 where there is none
  std::vector<char> bad_;      ///< per node: a pivot failed; the body is in bad_body_
  std::vector<int> bad_body_;

  std::span<const Vec6> f_;
  const double* g_ = nullptr;
};

}  // namespace sarrus
