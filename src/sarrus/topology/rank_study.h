#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sarrus/topology/elimination/tree_projector.h"
#include "sarrus/topology/elimination/whole_mechanism.h"
#include "sarrus/topology/mobility.h"

namespace sarrus {

/// Joints whose reactions the laws of motion leave undetermined at the pose of a study. Where finding
/// them takes a sweep, that is put off until someone asks; from any thread. The model must outlive it.
class NonuniqueReactions {
 public:
  NonuniqueReactions() = default;  ///< none
  explicit NonuniqueReactions(std::vector<JointId> joints);
  NonuniqueReactions(std::shared_ptr<const WholeMechanism> whole, const Configuration& assembled);

  bool exist() const { return later_ != nullptr; }
  const std::vector<JointId>& joints() const;

  /// Takes the marks of joints that are unique from those that are not.
  void unmark(std::vector<char>& is_unique) const;

 private:
  struct Later;
  std::shared_ptr<Later> later_;
};

/// What the constraints of a mechanism fix and what they say twice: found by looking at it where it
/// stands and, by elimination, at a few poses near by. Each thing is found once, when it is first
/// asked for; who shares a study shares the plans, too.
class RankStudy {
 public:
  /// All three must outlive the study, and what it hands out; `assembled` must be closed when ranks
  /// are asked for.
  RankStudy(const Model& model, const Topology& topology, const Configuration& assembled)
      : model_(model), topology_(topology), assembled_(assembled) {}
  RankStudy(const RankStudy&) = delete;
  RankStudy& operator=(const RankStudy&) = delete;

  const Model& model() const { return model_; }
  const Topology& topology() const { return topology_; }
  const Configuration& assembled() const { return assembled_; }

  /// All rows with their plan.
  const std::shared_ptr<const WholeMechanism>& whole();

  /// The same, or with parts of another size.
  std::shared_ptr<const WholeMechanism> whole(const AssemblyOptions& options);

  /// Over whole(), measured anew: shared by all who ask, one after the other.
  Elimination& elimination(Metric metric);
  /// Frees it until it is asked for again.
  void forget_elimination() { elimination_.reset(); }

  /// It stands factorised at the assembled pose, in the kinetic metric and with all directions that
  /// tolerances let through: what its nodes fix there is kept.
  void keep_kinetic_ranks() { kinetic_ = ranks_of(*elimination_); }
  const std::optional<NominalRanks>& kinetic_ranks() const { return kinetic_; }

  const Mobility::Figures& generic();
  NonuniqueReactions nonunique_reactions();
  const Mobility& mobility();

  /// generic_conditioning() of the assembled pose; zero where there are no loops.
  double conditioning() const;

  /// The assembled one and, after it, poses a few short random steps away.  [mobility-generic]
  const std::vector<Configuration>& poses();

  /// What the nodes of a plan fix at poses(), where that has been seen: in a plan that is whole()'s,
  /// of a mechanism without prescribed motions. Else null.
  const std::vector<NominalRanks>* ranks_at_poses(const EliminationPlan& plan);

  /// Of a loop block, or of all of them together.
  struct BlockResult {
    int rows = 0, free_rows = 0;
    int generic = 0, instantaneous = 0;
    int free_generic = 0, free_instantaneous = 0;
    std::vector<JointId> redundant, nonunique;
  };

 private:
  /// How much of the mobility is known: joints need one sweep more a pose.
  enum class Known { kNothing, kFigures, kAll };
  const Mobility& mobility(Known asked);
  const std::shared_ptr<const WholeMechanism>& without_motions();
  void look_around(Known asked);
  bool analyse_whole(Known asked, BlockResult& result);

  const Model& model_;
  const Topology& topology_;
  const Configuration& assembled_;
  std::shared_ptr<const WholeMechanism> whole_, without_motions_;
  Executor executor_;
  std::unique_ptr<Elimination> elimination_;
  std::optional<NominalRanks> kinetic_;
  std::vector<Configuration> poses_;
  std::vector<NominalRanks> seen_;  ///< at the poses, without motions; rank −1: a joint is singular
  std::vector<std::vector<JointId>> dependent_;  ///< at the poses; empty: not asked for
  Known known_ = Known::kNothing;
  Mobility mobility_;
};

}  // namespace sarrus
