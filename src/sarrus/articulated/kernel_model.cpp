#include "sarrus/articulated/kernel_model.h"

#include <algorithm>

namespace sarrus::articulated {
namespace {

/// Turning about an axis backwards is turning about the opposite axis: half a turn about x makes a
/// reversed joint of these types an ordinary one.
bool has_axis_to_flip(JointType type) {
  return type == JointType::kRevolute || type == JointType::kPrismatic ||
         type == JointType::kHelical || type == JointType::kCylindrical;
}

const Quat kHalfTurnAboutX(0, 1, 0, 0);

/// The runs of a tree without the bodies that are left out, which come first in each.
std::vector<Tree::Run> chains_without(const Tree& tree, const std::vector<char>& left_out) {
  std::vector<Tree::Run> chains;
  for (Tree::Run run : tree.runs()) {
    while (!left_out.empty() && run.first < run.end && left_out[to_index(run.first)]) ++run.first;
    if (run.first < run.end) chains.push_back(run);
  }
  return chains;
}

}  // namespace

KernelModel::KernelModel(const Tree& tree, const std::vector<int>& unknowns,
                         const std::vector<int>& drive_of, const std::vector<char>& loaded,
                         const std::vector<char>& left_out) {
  const std::size_t count = tree.bodies().size();
  find_frames(tree);
  fill_joints(tree, unknowns, drive_of);
  // Bodies of which others ask where they are: those that loads act on, and of chains those that
  // other chains hang on.
  std::vector<char> asked = loaded;
  const std::vector<Tree::Run> chains = chains_without(tree, left_out);
  if (tree.traversal() == Traversal::kChains)
    for (const Tree::Run& chain : chains) {
      const int parent = tree.bodies()[to_index(chain.first)].parent;
      if (parent >= 0) asked[to_index(parent)] = 1;
    }
  record_of_.assign(count, -1);
  for (std::size_t i = 0; i < count; ++i)
    if (asked[i]) record_of_[i] = record_count_++;
  places_.resize(count);
  if (tree.traversal() == Traversal::kChains)
    lay_out_chains(tree, chains);
  else
    lay_out_levels(tree);
}

void KernelModel::find_frames(const Tree& tree) {
  X_BC_.resize(tree.bodies().size());
  X_PE_.resize(tree.bodies().size());
  for (std::size_t i = 0; i < tree.bodies().size(); ++i) {
    const TreeBody& body = tree.bodies()[i];
    X_BC_[i] = tree.frame_on_body(body);
    X_PE_[i] = tree.frame_on_parent(body);
    if (body.reversed && has_axis_to_flip(body.type)) {
      X_BC_[i] = X_BC_[i] * Transform{kHalfTurnAboutX, Vec3::Zero()};
      X_PE_[i] = X_PE_[i] * Transform{kHalfTurnAboutX, Vec3::Zero()};
    }
    if (body.parent >= 0) X_PE_[i] = X_BC_[to_index(body.parent)].inverse() * X_PE_[i];
  }
}

void KernelModel::fill_joints(const Tree& tree, const std::vector<int>& unknowns,
                              const std::vector<int>& drive_of) {
  joints_.resize(tree.bodies().size());
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const TreeBody& body = tree.bodies()[i];
    JointConstants& joint = joints_[i];
    joint.kind = static_cast<int>(body.type);
    joint.reversed = body.reversed && !has_axis_to_flip(body.type);
    joint.turning = body.type == JointType::kUniversal || body.type == JointType::kSpherical;
    joint.speeds = body.nv;
    joint.columns = unknowns[i];
    joint.q = body.q;
    joint.v = body.v;
    joint.column = unknown_count_;
    joint.drive = drive_of[i];
    joint.plain = body.type == JointType::kRevolute && joint.drive < 0;
    joint.simple = !joint.reversed && joint.drive < 0 &&
                   (body.type == JointType::kRevolute || body.type == JointType::kSpherical);
    unknown_count_ += unknowns[i];
    drive_count_ = std::max(drive_count_, drive_of[i] + 1);
    if (const Helical* screw = std::get_if<Helical>(&tree.kind(body)))
      joint.advance = screw->advance();
    const Mat3 R = X_PE_[i].R();
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) joint.R_PE[3 * r + c] = R(r, c);
    const Quat& q = X_PE_[i].q;
    const double quaternion[4] = {q.w(), q.x(), q.y(), q.z()};
    std::copy_n(quaternion, 4, joint.q_PE);
    std::copy_n(X_PE_[i].p.data(), 3, joint.r_PE);
  }
}

template <int kWidth>
void KernelModel::fill_body(const Tree& tree, int slot, int lane, BodyConstants<kWidth>& to) const {
  const JointConstants& joint = joints_[to_index(slot)];
  for (int k = 0; k < 4; ++k) to.q[k][lane] = joint.q_PE[k];
  for (int k = 0; k < 3; ++k) to.r[k][lane] = joint.r_PE[k];
  const Transform X_CB = X_BC(slot).inverse();
  const Inertia inertia =
      tree.model().body(tree.bodies()[to_index(slot)].body).inertia.in_frame(X_CB.R(), X_CB.p);
  const Mat3 J = inertia.about_origin();
  const double upper[6] = {J(0, 0), J(0, 1), J(0, 2), J(1, 1), J(1, 2), J(2, 2)};
  for (int k = 0; k < 6; ++k) to.J[k][lane] = upper[k];
  for (int k = 0; k < 3; ++k) to.h[k][lane] = inertia.mass * inertia.center[k];
  to.m[lane] = inertia.mass;
}

template void KernelModel::fill_body(const Tree&, int, int, BodyConstants<kChainLanes>&) const;

void KernelModel::lay_out_chains(const Tree& tree, const std::vector<Tree::Run>& runs) {
  for (const Tree::Run& run : runs) {
    Chain chain;
    chain.first_slot = run.first;
    chain.bodies = run.end - run.first;
    chain.first_block = block_count_;
    chain.blocks = (chain.bodies + kChainLanes - 1) / kChainLanes;
    chain.first_jump = jump_count_;
    const int parent = tree.bodies()[to_index(run.first)].parent;
    chain.parent = parent < 0 ? -1 : record_of_[to_index(parent)];
    chain.q = joint(run.first).q;
    chain.v = joint(run.first).v;
    chain.column = joint(run.first).column;
    for (int slot = run.first; slot < run.end; ++slot) {
      chain.plain = chain.plain && joint(slot).plain;
      chain.records = chain.records || record_of_[to_index(slot)] >= 0;
      const int i = slot - run.first;
      places_[to_index(slot)] = {chain.first_block + i / kChainLanes, i % kChainLanes,
                                 record_of_[to_index(slot)]};
    }
    block_count_ += chain.blocks;
    jump_count_ += (chain.blocks + kRestartBlocks - 1) / kRestartBlocks;
    chain_list_.push_back(chain);
  }
  chain_constants_ = AlignedArray<BodyConstants<kChainLanes>>(to_index(block_count_));
  for (std::size_t i = 0; i < chain_constants_.size(); ++i)
    std::fill_n(chain_constants_[i].q[0], kChainLanes, 1.0);
  for (const Tree::Run& run : runs)
    for (int slot = run.first; slot < run.end; ++slot)
      fill_body(tree, slot, places_[to_index(slot)].lane,
                chain_constants_[to_index(places_[to_index(slot)].block)]);
  chains_.chain_count = static_cast<int>(chain_list_.size());
  chains_.chains = chain_list_.data();
  chains_.constants = chain_constants_.data();
  chains_.joints = joints_.data();
  chains_.record_of = record_of_.data();
  chains_.record_count = record_count_;
  std::copy_n(tree.model().gravity().data(), 3, chains_.gravity);
}

void KernelModel::lay_out_levels(const Tree& tree) {
  block_count_ = static_cast<int>(tree.runs().size());
  level_blocks_ = AlignedArray<LevelBlock>(to_index(block_count_));
  level_constants_ = AlignedArray<BodyConstants<kWideLanes>>(to_index(block_count_));
  for (int b = 0; b < block_count_; ++b) {
    const Tree::Run& run = tree.runs()[to_index(b)];
    LevelBlock& block = level_blocks_[to_index(b)];
    BodyConstants<kWideLanes>& constants = level_constants_[to_index(b)];
    // Lanes without a body hold one that turns freely and weighs nothing to anybody.
    for (int l = 0; l < kWideLanes; ++l) {
      constants.q[0][l] = constants.m[l] = 1;
      constants.J[0][l] = constants.J[3][l] = constants.J[5][l] = 1;
    }
    block.parent = run.parent_run;
    block.first_slot = run.first;
    block.bodies = run.end - run.first;
    block.q = joint(run.first).q;
    block.v = joint(run.first).v;
    block.column = joint(run.first).column;
    bool plain = true;
    int most = 1;
    int children_of[kWideLanes] = {};
    for (int slot = run.first; slot < run.end; ++slot) {
      const int lane = slot - run.first;
      places_[to_index(slot)] = {b, lane, record_of_[to_index(slot)]};
      fill_body(tree, slot, lane, constants);
      plain = plain && joint(slot).plain;
      most = std::max(most, joint(slot).columns);
      if (run.parent_run < 0) continue;
      const int parent_lane = places_[to_index(tree.bodies()[to_index(slot)].parent)].lane;
      const int round = children_of[parent_lane]++;
      block.parent_lane[lane] = parent_lane;
      if (round == block.rounds) {
        if (round == 0) block.first_round = static_cast<int>(level_rounds_.size());
        level_rounds_.push_back({});
        ++block.rounds;
      }
      LevelRound& sums = level_rounds_[to_index(block.first_round + round)];
      sums.child_lane[parent_lane] = lane;
      sums.receives[parent_lane] = -1;
    }
    if (plain) continue;
    block.columns = most;
    block.first_column = wide_column_count_;
    wide_column_count_ += most;
  }
  levels_.block_count = block_count_;
  levels_.blocks = level_blocks_.data();
  levels_.rounds = level_rounds_.data();
  levels_.constants = level_constants_.data();
  levels_.joints = joints_.data();
  std::copy_n(tree.model().gravity().data(), 3, levels_.gravity);
}

KernelScratch::KernelScratch(const KernelModel& model, Traversal traversal)
    : drives_(to_index(model.drive_count())) {
  if (traversal == Traversal::kChains) {
    chain_data_ = AlignedArray<ChainData>(to_index(model.block_count()));
    jumps_ = AlignedArray<Jump>(to_index(model.jump_count()));
    records_ = AlignedArray<Record<1>>(to_index(model.record_count()));
    branches_ = AlignedArray<Branch>(to_index(model.record_count()));
    bool plain = true;
    for (int i = 0; i < model.chains().chain_count; ++i) plain &= model.chains().chains[i].plain;
    if (!plain) columns_ = AlignedArray<Column<1>>(to_index(model.unknown_count()));
    chains = {chain_data_.data(), jumps_.data(),   records_.data(),
              branches_.data(),   columns_.data(), drives_.data()};
  } else {
    level_data_ = AlignedArray<LevelData>(to_index(model.block_count()));
    level_columns_ = AlignedArray<Column<kWideLanes>>(to_index(model.wide_column_count()));
    levels = {level_data_.data(), level_columns_.data(), drives_.data()};
  }
}

BatchModel::BatchModel(const Tree& tree, const KernelModel& model)
    : bodies_(tree.bodies().size()), constants_(tree.bodies().size()), data_(tree.bodies().size()) {
  // Any order of slots is good here: a body that does not follow its parent finds it in a record.
  int records = 0;
  const auto give_record = [&](BatchBody& body) {
    if (body.record < 0) body.record = records++;
  };
  bool plain = true;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const int slot = static_cast<int>(i);
    BatchBody& body = bodies_[i];
    body.parent = tree.bodies()[i].parent;
    body.follows = body.parent >= 0 && body.parent + 1 == slot;
    body.plain = model.joint(slot).plain;
    plain = plain && body.plain;
    if (model.record_of(slot) >= 0) give_record(body);
    if (body.parent >= 0 && !body.follows) {
      give_record(bodies_[to_index(body.parent)]);
      body.parent_record = bodies_[to_index(body.parent)].record;
    }
    constants_[i] = {};
    model.fill_body(tree, slot, 0, constants_[i]);
  }
  records_ = AlignedArray<Record<kWideLanes>>(to_index(records));
  branches_ = AlignedArray<BatchBranch>(to_index(records));
  if (!plain) columns_ = AlignedArray<Column<kWideLanes>>(to_index(model.unknown_count()));
  system.body_count = static_cast<int>(bodies_.size());
  system.bodies = bodies_.data();
  system.constants = constants_.data();
  system.joints = &model.joint(0);
  system.record_count = records;
  std::copy_n(tree.model().gravity().data(), 3, system.gravity);
  scratch = {data_.data(), records_.data(), branches_.data(), columns_.data()};
}

}  // namespace sarrus::articulated
