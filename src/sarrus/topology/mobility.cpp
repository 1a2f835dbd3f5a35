#include <algorithm>
#include <mutex>
#include <optional>
#include <random>

#include "sarrus/constraints/closing.h"
#include "sarrus/constraints/kkt.h"
#include "sarrus/model/loads.h"
#include "sarrus/topology/rank_study.h"

namespace sarrus {
namespace {

constexpr std::uint32_t kSeed = 20120;

/// One loop block, with and without its prescribed motions.
class BlockMobility {
 public:
  BlockMobility(const Model& model, const std::vector<JointId>& joints, bool with_motions)
      : model_(model),
        system_(model, joints, with_motions ? model.motions() : std::vector<PrescribedMotion>{}),
        kkt_(system_),
        metric_(system_.column_bodies().size(), Mat6::Identity()) {
    for (Mat6& block : metric_) block.topLeftCorner<3, 3>() *= system_.length() * system_.length();
    // As far as ranks go, modes move on their own.
    for (const ConstraintSystem::ModeColumns& own : system_.mode_columns()) {
      const Eigen::Index modes = model.body(own.body).modal->count();
      const VecX unit = system_.column_scale().segment(own.column, modes);
      modal_metric_.push_back({own.block, own.column, Mat6X::Zero(6, modes),
                               unit.cwiseAbs2().cwiseInverse().asDiagonal()});
    }
  }

  int rows() const { return system_.rows(); }

  /// At the pose of the last rank_at().
  double smallest_pivot() const { return kkt_.smallest_pivot(); }

  int rank_at(const Configuration& configuration) {
    system_.evaluate(0, configuration, values_);
    kkt_.factor(metric_, values_.J, system_.rows(), 0, modal_metric_);
    return kkt_.rank();
  }

  /// Joints whose rows have a share in a dependency, at the pose of the last rank_at().
  std::vector<JointId> dependent_joints() const {
    const std::vector<char> dependent = kkt_.dependent_rows();
    std::vector<JointId> joints;
    for (std::size_t r = 0; r < dependent.size(); ++r) {
      const JointId joint = system_.origins()[r].joint;
      if (dependent[r] && (joints.empty() || joints.back() != joint)) joints.push_back(joint);
    }
    return joints;
  }

  /// A step along a random allowed motion (from the last rank_at()), brought back to the manifold.
  /// False when it could not be closed again.
  bool wander(Configuration& configuration, std::mt19937& random) {
    const MatX motions = kkt_.allowed_motions();
    if (motions.cols() == 0) return false;
    VecX weights(motions.cols());
    // Not std::uniform_real_distribution: its numbers differ between standard libraries.
    for (double& w : weights) w = static_cast<double>(random()) / 2147483648.0 - 1;
    VecX step = motions * weights;
    // A tenth of a radian, or of the typical length, for the body that moves most.
    double largest = 0;
    const auto rigid = 6 * static_cast<Eigen::Index>(metric_.size());
    for (Eigen::Index i = 0; i < rigid; ++i)
      largest = std::max(largest, std::abs(step[i]) / (i % 6 < 3 ? 1.0 : system_.length()));
    for (Eigen::Index i = rigid; i < step.size(); ++i)
      largest =
          std::max(largest, std::abs(step[i]) / (system_.column_scale()[i] * system_.length()));
    if (largest == 0) return false;
    system_.displace(0.1 / largest * step, configuration);
    update_coordinates(model_, configuration);
    return close_constraints(system_, 0, configuration).status.ok();
  }

 private:
  const Model& model_;
  ConstraintSystem system_;
  Kkt kkt_;
  ConstraintValues values_;
  std::vector<Mat6> metric_;
  std::vector<ModalMass> modal_metric_;
};

using BlockResult = RankStudy::BlockResult;

BlockResult analyse_block(const Model& model, const std::vector<JointId>& joints,
                          const Configuration& assembled) {
  BlockMobility free(model, joints, /*with_motions=*/false);
  BlockMobility driven(model, joints, /*with_motions=*/true);
  BlockResult result;
  result.rows = driven.rows();
  result.free_rows = free.rows();
  result.instantaneous = result.generic = driven.rank_at(assembled);
  result.nonunique = result.redundant = driven.dependent_joints();
  result.free_instantaneous = result.free_generic = free.rank_at(assembled);

  // [mobility-generic]  The largest rank over a few walks on the manifold of the undriven mechanism.
  constexpr int kWalks = 3;
  constexpr int kSteps = 2;
  std::mt19937 random(kSeed);
  for (int walk = 0; walk < kWalks; ++walk) {
    Configuration pose = assembled;
    for (int step = 0; step < kSteps; ++step) {
      free.rank_at(pose);
      if (!free.wander(pose, random)) break;
      result.free_generic = std::max(result.free_generic, free.rank_at(pose));
      const int rank = driven.rank_at(pose);
      // The dependencies of a generic pose are the fewest: keep those of the largest rank.
      if (rank > result.generic || (rank == result.generic && walk == 0 && step == 0)) {
        result.generic = rank;
        result.redundant = driven.dependent_joints();
      }
    }
  }
  return result;
}

/// [mobility-flexible]  Loops that share a flexible body share its modes: ranks do not add.
std::vector<JointId> joints_of_all_loops(const Topology& topology) {
  std::vector<JointId> joints;
  for (const auto& block : topology.loop_blocks)
    joints.insert(joints.end(), block.begin(), block.end());
  std::sort(joints.begin(), joints.end());
  return joints;
}

/// The assembled pose, and two after it a random step apart.  [mobility-generic]
std::vector<Configuration> dense_walk(const Model& model, const Configuration& assembled) {
  constexpr int kSteps = 2;
  std::vector<JointId> joints;
  for (int j = 0; j < model.joint_count(); ++j) joints.push_back(JointId{j});
  BlockMobility whole(model, joints, /*with_motions=*/false);
  std::mt19937 random(kSeed);
  std::vector<Configuration> poses = {assembled};
  Configuration pose = assembled;
  for (int step = 0; step < kSteps; ++step) {
    whole.rank_at(pose);
    if (!whole.wander(pose, random)) break;
    poses.push_back(pose);
  }
  return poses;
}

}  // namespace

double generic_conditioning(const Model& model, const Configuration& assembled) {
  std::vector<JointId> joints;
  for (int j = 0; j < model.joint_count(); ++j) joints.push_back(JointId{j});
  BlockMobility whole(model, joints, /*with_motions=*/false);
  int rank = whole.rank_at(assembled);
  double best = whole.smallest_pivot();
  std::mt19937 random(kSeed);
  Configuration pose = assembled;
  for (int step = 0; step < 3; ++step) {
    if (!whole.wander(pose, random)) break;
    const int here = whole.rank_at(pose);
    if (here < rank) continue;
    const bool is_regular = here == rank;
    best = is_regular ? std::max(best, whole.smallest_pivot()) : whole.smallest_pivot();
    rank = here;
    // Each step takes several dense factors: where these are large, one regular pose will do.
    if (is_regular && static_cast<int>(joints.size()) > kDenseJoints) break;
  }
  return best;
}

double RankStudy::conditioning() const {
  return topology_.is_tree() ? 0 : generic_conditioning(model_, assembled_);
}

const std::shared_ptr<const WholeMechanism>& RankStudy::whole() {
  if (model_.motions().empty()) return without_motions();
  if (!whole_) whole_ = std::make_shared<WholeMechanism>(model_, topology_, model_.motions());
  return whole_;
}

std::shared_ptr<const WholeMechanism> RankStudy::whole(const AssemblyOptions& options) {
  if (options.part_bodies == AssemblyOptions{}.part_bodies) return whole();
  return std::make_shared<WholeMechanism>(model_, topology_, model_.motions(), options);
}

const std::shared_ptr<const WholeMechanism>& RankStudy::without_motions() {
  if (!without_motions_)
    without_motions_ =
        std::make_shared<WholeMechanism>(model_, topology_, std::vector<PrescribedMotion>{});
  return without_motions_;
}

Elimination& RankStudy::elimination(Metric metric) {
  if (!elimination_)
    elimination_ = std::make_unique<Elimination>(whole()->plan, executor_, assembled_, metric);
  else
    elimination_->measure(metric, assembled_);
  elimination_->regularisation() = {};
  return *elimination_;
}

void RankStudy::look_around(Known asked) {
  if (!poses_.empty()) return;
  if (model_.mode_count() > 0) {  // the elimination knows no modes
    poses_ = dense_walk(model_, assembled_);
    return;
  }
  const bool is_free = model_.motions().empty();
  std::optional<Elimination> without;
  if (!is_free) without.emplace(without_motions()->plan, executor_, assembled_, Metric::kGeometric);
  Elimination& free = is_free ? elimination(Metric::kGeometric) : *without;
  visit_generic_poses(
      free, assembled_, topology_.step_to_generic, [&](const Configuration& pose, int rank) {
        poses_.push_back(pose);
        seen_.push_back(ranks_of(free));
        seen_.back().rank = rank;
        if (is_free && asked == Known::kAll)
          dependent_.push_back(rank >= 0 ? dependent_joints(free) : std::vector<JointId>{});
      });
}

const std::vector<Configuration>& RankStudy::poses() {
  look_around(Known::kNothing);
  return poses_;
}

const std::vector<NominalRanks>* RankStudy::ranks_at_poses(const EliminationPlan& plan) {
  look_around(Known::kNothing);
  return &plan == &without_motions_->plan ? &seen_ : nullptr;
}

// By elimination; false where a joint alone is singular.
bool RankStudy::analyse_whole(Known asked, BlockResult& result) {
  look_around(asked);
  result.rows = result.free_rows = 0;
  for (const Joint& joint : model_.joints()) result.free_rows += joint.constraint_count();
  result.rows = result.free_rows + static_cast<int>(model_.motions().size());
  std::vector<int> ranks;
  for (const NominalRanks& here : seen_) ranks.push_back(here.rank);
  if (ranks[0] < 0) return false;
  result.free_instantaneous = ranks[0];
  result.free_generic = *std::max_element(ranks.begin(), ranks.end());
  const bool wants_joints = asked == Known::kAll && dependent_.empty();
  if (!model_.motions().empty() || wants_joints) {
    Elimination& driven = elimination(Metric::kGeometric);
    for (std::size_t i = 0; i < poses_.size(); ++i) {
      ranks[i] = rank_at(driven, poses_[i]);
      if (wants_joints)
        dependent_.push_back(ranks[i] >= 0 ? dependent_joints(driven) : std::vector<JointId>{});
    }
    if (ranks[0] < 0) return false;
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < poses_.size(); ++i)
    // The dependencies of a generic pose are the fewest: keep those of the largest rank.
    if (ranks[i] > ranks[best] || (ranks[i] == ranks[best] && i == 1)) best = i;
  result.instantaneous = ranks[0];
  result.generic = ranks[best];
  if (asked == Known::kAll) {
    result.nonunique = dependent_[0];
    result.redundant = dependent_[best];
  }
  return true;
}

const Mobility::Figures& RankStudy::generic() { return mobility(Known::kFigures).generic; }

NonuniqueReactions RankStudy::nonunique_reactions() {
  const Mobility& found = mobility(Known::kFigures);
  if (found.instantaneous.redundant == 0) return {};
  if (known_ == Known::kAll) return NonuniqueReactions(found.nonunique_reactions);
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
  if (known_ >= asked) return mobility_;
  known_ = asked;
  mobility_ = {};
  Mobility& m = mobility_;
  int rows = 0;
  for (const Joint& joint : model_.joints()) rows += joint.constraint_count();
  const int motions = static_cast<int>(model_.motions().size());
  m.generic.rows = m.instantaneous.rows = rows + motions;
  m.generic_without_motions.rows = m.instantaneous_without_motions.rows = rows;
  for (Mobility::Figures* f :
       {&m.generic, &m.instantaneous, &m.generic_without_motions, &m.instantaneous_without_motions})
    f->rank = f->rows;

  std::vector<BlockResult> blocks(1);
  if (model_.mode_count() > 0) {
    known_ = Known::kAll;
    blocks[0] = analyse_block(model_, joints_of_all_loops(topology_), assembled_);
  } else if (topology_.largest_block() <= topology_.dense_joints ||
             !analyse_whole(asked, blocks[0])) {
    known_ = Known::kAll;
    blocks.clear();
    for (const auto& joints : topology_.loop_blocks)
      blocks.push_back(analyse_block(model_, joints, assembled_));
  }
  for (const BlockResult& block : blocks) {
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

Mobility compute_mobility(const Model& model, const Topology& topology,
                          const Configuration& assembled) {
  return RankStudy(model, topology, assembled).mobility();
}

Mobility compute_mobility(const Model& model, const Topology& topology,
                          const Configuration& assembled, int dense_joints) {
  Topology other = topology;
  other.dense_joints = dense_joints;
  return compute_mobility(model, other, assembled);
}

}  // namespace sarrus
