#include "sarrus/mobility/rank_study.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "sarrus/constraints/closing.h"
#include "sarrus/elimination/tree_projector.h"
#include "sarrus/elimination/whole_mechanism.h"
#include "sarrus/mobility/block_mobility.h"

namespace sarrus {
namespace {

/// [mobility-flexible]  Loops that share a flexible body share its modes: ranks do not add.
std::vector<JointId> joints_of_all_loops(const Topology& topology) {
  std::vector<JointId> joints;
  for (const auto& block : topology.loop_blocks)
    joints.insert(joints.end(), block.begin(), block.end());
  std::sort(joints.begin(), joints.end());
  return joints;
}

}  // namespace

struct RankStudy::Found {
  std::shared_ptr<const WholeMechanism> whole, without_motions;
  Executor executor;
  std::unique_ptr<Elimination> elimination;
  std::optional<NominalRanks> kinetic;
  std::vector<Configuration> poses;
  std::vector<NominalRanks> seen;  ///< at the poses, without motions; rank −1: a joint is singular
  std::vector<std::vector<JointId>> dependent;  ///< at the poses; empty: not asked for
  Known known = Known::kNothing;
  Mobility mobility;
};

RankStudy::RankStudy(const Model& model, const Topology& topology, const Configuration& assembled)
    : model_(model),
      topology_(topology),
      assembled_(assembled),
      found_(std::make_unique<Found>()) {}

RankStudy::~RankStudy() = default;

void RankStudy::forget_elimination() { found_->elimination.reset(); }

void RankStudy::keep_kinetic_ranks() { found_->kinetic = ranks_of(*found_->elimination); }

const NominalRanks* RankStudy::kinetic_ranks() const {
  return found_->kinetic ? &*found_->kinetic : nullptr;
}

double RankStudy::conditioning() const {
  return topology_.is_tree() ? 0 : generic_conditioning(model_, assembled_);
}

const std::shared_ptr<const WholeMechanism>& RankStudy::whole() {
  if (model_.motions().empty()) return without_motions();
  if (!found_->whole)
    found_->whole = std::make_shared<WholeMechanism>(model_, topology_, model_.motions());
  return found_->whole;
}

std::shared_ptr<const WholeMechanism> RankStudy::whole(const AssemblyOptions& options) {
  if (options.part_bodies == AssemblyOptions{}.part_bodies) return whole();
  return std::make_shared<WholeMechanism>(model_, topology_, model_.motions(), options);
}

const std::shared_ptr<const WholeMechanism>& RankStudy::without_motions() {
  if (!found_->without_motions)
    found_->without_motions =
        std::make_shared<WholeMechanism>(model_, topology_, std::vector<PrescribedMotion>{});
  return found_->without_motions;
}

Elimination& RankStudy::elimination(Metric metric) {
  if (!found_->elimination)
    found_->elimination =
        std::make_unique<Elimination>(whole()->plan, found_->executor, assembled_, metric);
  else
    found_->elimination->measure(metric, assembled_);
  found_->elimination->regularisation() = {};
  return *found_->elimination;
}

void RankStudy::look_around(Known asked) {
  if (!found_->poses.empty()) return;
  if (model_.mode_count() > 0) {  // the elimination knows no modes
    found_->poses = dense_walk(model_, assembled_);
    return;
  }
  const bool is_free = model_.motions().empty();
  std::optional<Elimination> without;
  if (!is_free)
    without.emplace(without_motions()->plan, found_->executor, assembled_, Metric::kGeometric);
  Elimination& free = is_free ? elimination(Metric::kGeometric) : *without;
  visit_generic_poses(
      free, assembled_, topology_.step_to_generic, [&](const Configuration& pose, int rank) {
        found_->poses.push_back(pose);
        found_->seen.push_back(ranks_of(free));
        found_->seen.back().rank = rank;
        if (is_free && asked == Known::kAll)
          found_->dependent.push_back(rank >= 0 ? dependent_joints(free) : std::vector<JointId>{});
      });
}

const std::vector<Configuration>& RankStudy::poses() {
  look_around(Known::kNothing);
  return found_->poses;
}

const std::vector<NominalRanks>* RankStudy::ranks_at_poses(const EliminationPlan& plan) {
  look_around(Known::kNothing);
  return &plan == &found_->without_motions->plan ? &found_->seen : nullptr;
}

// By elimination; false where a joint alone is singular.
bool RankStudy::analyse_whole(Known asked, BlockRanks& result) {
  look_around(asked);
  result.rows = result.free_rows = 0;
  for (const Joint& joint : model_.joints()) result.free_rows += joint.constraint_count();
  result.rows = result.free_rows + static_cast<int>(model_.motions().size());
  std::vector<int> ranks;
  for (const NominalRanks& here : found_->seen) ranks.push_back(here.rank);
  if (ranks[0] < 0) return false;
  result.free_instantaneous = ranks[0];
  result.free_generic = *std::max_element(ranks.begin(), ranks.end());
  const bool wants_joints = asked == Known::kAll && found_->dependent.empty();
  if (!model_.motions().empty() || wants_joints) {
    Elimination& driven = elimination(Metric::kGeometric);
    for (std::size_t i = 0; i < found_->poses.size(); ++i) {
      ranks[i] = rank_at(driven, found_->poses[i]);
      if (wants_joints)
        found_->dependent.push_back(ranks[i] >= 0 ? dependent_joints(driven)
                                                  : std::vector<JointId>{});
    }
    if (ranks[0] < 0) return false;
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < found_->poses.size(); ++i)
    // The dependencies of a generic pose are the fewest: keep those of the largest rank.
    if (ranks[i] > ranks[best] || (ranks[i] == ranks[best] && i == 1)) best = i;
  result.instantaneous = ranks[0];
  result.generic = ranks[best];
  if (asked == Known::kAll) {
    result.nonunique = found_->dependent[0];
    result.redundant = found_->dependent[best];
  }
  return true;
}

const Mobility::Figures& RankStudy::generic() { return mobility(Known::kFigures).generic; }

NonuniqueReactions RankStudy::nonunique_reactions() {
  const Mobility& found = mobility(Known::kFigures);
  if (found.instantaneous.redundant == 0) return {};
  if (found_->known == Known::kAll) return NonuniqueReactions(found.nonunique_reactions);
  return {whole(), assembled_};
}

struct NonuniqueReactions::Later {
  std::shared_ptr<const WholeMechanism> whole;
  Configuration assembled;
  std::once_flag asked;
  std::vector<JointId> joints;
};

NonuniqueReactions::NonuniqueReactions(std::vector<JointId> joints)
    : later_(joints.empty() ? nullptr : std::make_shared<Later>()) {
  if (later_) later_->joints = std::move(joints);
}

NonuniqueReactions::NonuniqueReactions(std::shared_ptr<const WholeMechanism> whole,
                                       const Configuration& assembled)
    : later_(std::make_shared<Later>()) {
  later_->whole = std::move(whole);
  later_->assembled = assembled;
}

const std::vector<JointId>& NonuniqueReactions::joints() const {
  static const std::vector<JointId> none;
  if (!later_) return none;
  std::call_once(later_->asked, [this] {
    if (!later_->whole) return;
    const Executor executor;
    Elimination elimination(later_->whole->plan, executor, later_->assembled, Metric::kGeometric);
    if (rank_at(elimination, later_->assembled) >= 0)
      later_->joints = dependent_joints(elimination);
    later_->whole.reset();
  });
  return later_->joints;
}

void NonuniqueReactions::unmark(std::vector<char>& is_unique) const {
  for (const JointId joint : joints()) is_unique[joint.slot()] = 0;
}

const Mobility& RankStudy::mobility() { return mobility(Known::kAll); }

const Mobility& RankStudy::mobility(Known asked) {
  if (found_->known >= asked) return found_->mobility;
  found_->known = asked;
  found_->mobility = {};
  Mobility& m = found_->mobility;
  int rows = 0;
  for (const Joint& joint : model_.joints()) rows += joint.constraint_count();
  const int motions = static_cast<int>(model_.motions().size());
  m.generic.rows = m.instantaneous.rows = rows + motions;
  m.generic_without_motions.rows = m.instantaneous_without_motions.rows = rows;
  for (Mobility::Figures* f :
       {&m.generic, &m.instantaneous, &m.generic_without_motions, &m.instantaneous_without_motions})
    f->rank = f->rows;

  std::vector<BlockRanks> blocks(1);
  if (model_.mode_count() > 0) {
    found_->known = Known::kAll;
    blocks[0] = analyse_block(model_, joints_of_all_loops(topology_), assembled_);
  } else if (topology_.largest_block() <= topology_.dense_joints ||
             !analyse_whole(asked, blocks[0])) {
    found_->known = Known::kAll;
    blocks.clear();
    for (const auto& joints : topology_.loop_blocks)
      blocks.push_back(analyse_block(model_, joints, assembled_));
  }
  for (const BlockRanks& block : blocks) {
    m.generic.rank -= block.rows - block.generic;
    m.instantaneous.rank -= block.rows - block.instantaneous;
    m.generic_without_motions.rank -= block.free_rows - block.free_generic;
    m.instantaneous_without_motions.rank -= block.free_rows - block.free_instantaneous;
    m.redundant_joints.insert(m.redundant_joints.end(), block.redundant.begin(),
                              block.redundant.end());
    m.nonunique_reactions.insert(m.nonunique_reactions.end(), block.nonunique.begin(),
                                 block.nonunique.end());
  }
  std::sort(m.redundant_joints.begin(), m.redundant_joints.end());
  std::sort(m.nonunique_reactions.begin(), m.nonunique_reactions.end());
  const int columns = 6 * (model_.body_count() - 1) + model_.mode_count();
  for (Mobility::Figures* f : {&m.generic, &m.instantaneous, &m.generic_without_motions,
                               &m.instantaneous_without_motions}) {
    f->freedoms = columns - f->rank;
    f->redundant = f->rows - f->rank;
  }
  return m;
}

}  // namespace sarrus
