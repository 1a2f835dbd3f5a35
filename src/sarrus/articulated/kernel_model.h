#pragma once

#include <vector>

#include "sarrus/articulated/kernels/system.h"
#include "sarrus/base/aligned_array.h"
#include "sarrus/tree/tree.h"

namespace sarrus::articulated {

using namespace tree;

/// A tree laid out for the kernels.
///
/// Every body gets a joint frame C at its joint's point; where the joint has an axis that is C's z.
/// The constants of a body are expressed in C and in its parent's C.  [order-n-frames]
class KernelModel {
 public:
  /// `unknowns` per slot: how many of its speeds are not prescribed. `drive_of` per slot: index of
  /// the drive that prescribes the others, or −1. `loaded` per slot: do loads act on the body?
  /// `left_out` per slot (may be empty): bodies that the kernels do not go through, with all those
  /// towards ground. What hangs on them reads their motion in records that somebody else fills. Only
  /// for chains.
  KernelModel(const Tree& tree, const std::vector<int>& unknowns, const std::vector<int>& drive_of,
              const std::vector<char>& loaded, const std::vector<char>& left_out = {});
  KernelModel(const KernelModel&) = delete;  // the systems point into it
  KernelModel& operator=(const KernelModel&) = delete;

  int unknown_count() const { return unknown_count_; }
  const JointConstants& joint(int slot) const { return joints_[static_cast<std::size_t>(slot)]; }

  /// Where the joint frame stands in the body's.
  const Transform& X_BC(int slot) const { return X_BC_[static_cast<std::size_t>(slot)]; }

  const ChainSystem& chains() const { return chains_; }
  const LevelSystem& levels() const { return levels_; }

  /// Where the record and the bias wrench of a loaded body are: of chains, in `records` and a lane of
  /// a block; of levels, a lane of a block.
  struct Place {
    int block = 0;
    int lane = 0;
    int record = -1;
  };
  Place place(int slot) const { return places_[static_cast<std::size_t>(slot)]; }

  /// The constants of a slot into a lane.
  template <int kWidth>
  void fill_body(const Tree& tree, int slot, int lane, BodyConstants<kWidth>& to) const;

  int record_of(int slot) const { return record_of_[static_cast<std::size_t>(slot)]; }
  int record_count() const { return record_count_; }
  int block_count() const { return block_count_; }
  int jump_count() const { return jump_count_; }
  int drive_count() const { return drive_count_; }
  int wide_column_count() const { return wide_column_count_; }

 private:
  void find_frames(const Tree& tree);
  void fill_joints(const Tree& tree, const std::vector<int>& unknowns,
                   const std::vector<int>& drive_of);
  void lay_out_chains(const Tree& tree, const std::vector<Tree::Run>& runs);
  void lay_out_levels(const Tree& tree);
  std::vector<Transform> X_BC_;
  std::vector<Transform> X_PE_;  ///< frame before the joint in the parent's joint frame
  std::vector<JointConstants> joints_;
  std::vector<Place> places_;
  std::vector<int> record_of_;
  int record_count_ = 0;
  int unknown_count_ = 0;
  int block_count_ = 0;
  int jump_count_ = 0;
  int wide_column_count_ = 0;
  int drive_count_ = 0;

  ChainSystem chains_;
  std::vector<Chain> chain_list_;
  AlignedArray<BodyConstants<kChainLanes>> chain_constants_;

  LevelSystem levels_;
  AlignedArray<LevelBlock> level_blocks_;
  std::vector<LevelRound> level_rounds_;
  AlignedArray<BodyConstants<kWideLanes>> level_constants_;
};

/// Scratch of the kernels for one state.
class KernelScratch {
 public:
  KernelScratch(const KernelModel& model, Traversal traversal);
  KernelScratch(const KernelScratch&) = delete;
  KernelScratch& operator=(const KernelScratch&) = delete;

  ChainScratch chains;
  LevelScratch levels;

  const DriveRecord& drive(int index) const { return drives_[static_cast<std::size_t>(index)]; }

 private:
  AlignedArray<ChainData> chain_data_;
  AlignedArray<Jump> jumps_;
  AlignedArray<Record<1>> records_;
  AlignedArray<Branch> branches_;
  AlignedArray<Column<1>> columns_;
  AlignedArray<DriveRecord> drives_;
  AlignedArray<LevelData> level_data_;
  AlignedArray<Column<kWideLanes>> level_columns_;
};

/// The same tree laid out for eight states at once, with the scratch for them.
class BatchModel {
 public:
  BatchModel(const Tree& tree, const KernelModel& model);
  BatchModel(const BatchModel&) = delete;
  BatchModel& operator=(const BatchModel&) = delete;

  BatchSystem system;
  BatchScratch scratch;

  /// Record of a slot; −1: none.
  int record_of(int slot) const { return bodies_[static_cast<std::size_t>(slot)].record; }

 private:
  std::vector<BatchBody> bodies_;
  std::vector<BodyConstants<1>> constants_;
  AlignedArray<BatchData> data_;
  AlignedArray<Record<kWideLanes>> records_;
  AlignedArray<BatchBranch> branches_;
  AlignedArray<Column<kWideLanes>> columns_;
};

}  // namespace sarrus::articulated
