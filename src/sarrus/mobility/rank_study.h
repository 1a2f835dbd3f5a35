#pragma once

#include <memory>
#include <vector>

#include "sarrus/mobility/mobility.h"

namespace sarrus {

class Elimination;
enum class Metric;
struct AssemblyOptions;
struct BlockRanks;
struct EliminationPlan;
struct NominalRanks;
struct WholeMechanism;

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
  RankStudy(const Model& model, const Topology& topology, const Configuration& assembled);
  ~RankStudy();
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
  void forget_elimination();

  /// It stands factorised at the assembled pose, in the kinetic metric and with all directions that
  /// tolerances let through: what its nodes fix there is kept.
  void keep_kinetic_ranks();
  const NominalRanks* kinetic_ranks() const;  ///< null: none are kept

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

 private:
  /// How much of the mobility is known: joints need one sweep more a pose.
  enum class Known { kNothing, kFigures, kAll };
  const Mobility& mobility(Known asked);
  const std::shared_ptr<const WholeMechanism>& without_motions();
  void look_around(Known asked);
  bool analyse_whole(Known asked, BlockRanks& result);

  const Model& model_;
  const Topology& topology_;
  const Configuration& assembled_;
  struct Found;
  std::unique_ptr<Found> found_;
};

}  // namespace sarrus
