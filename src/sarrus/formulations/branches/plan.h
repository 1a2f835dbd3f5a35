#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sarrus/base/aligned_array.h"
#include "sarrus/formulations/branches/constant_pool.h"
#include "sarrus/formulations/branches/kernels/system.h"
#include "sarrus/tree/drives.h"
#include "sarrus/tree/tree.h"

/// Branches of a mechanism and what connects them.  [branches-plan]
namespace sarrus::branches {

using tree::Tree;
using tree::TreeBody;

inline int to_lanes(int count) { return (count + 3) & ~3; }

/// Where a connection holds on to a branch.
struct Handle {
  int branch = -1;      ///< −1: ground
  int body = -1;        ///< its place in the plan's order
  int attachment = -1;  ///< on a flexible body
  int row = 0;          ///< the first of its rows, in the branch
};

/// A joint between branches, or one that closes a loop.
struct Connection {
  JointId joint;
  bool closes_loop = false;
  int first_row = 0, rows = 0;                   ///< of all
  Handle a, b;                                   ///< on the joint's first and second body
  Mat3 R_CF, R_CM;                               ///< the joint's frames against what carries them
  std::vector<const PrescribedMotion*> motions;  ///< their rows follow the joint's own
  /// Which branch adds what belongs to neither side alone.
  int owner() const { return b.branch >= 0 ? b.branch : a.branch; }
};

struct Branch {
  std::vector<int> connections;
  std::vector<int> rows;    ///< of all, in the branch's order
  std::string name;         ///< of its root body
  std::vector<int> adding;  ///< bodies whose rows come from several sides, or from connections
};

/// A spanning tree cut into branches: everything about them that does not change with time.
class Plan {
 public:
  /// `is_cut`: per slot of the tree, does its joint connect two branches?
  Plan(const Tree& tree, const tree::Drives& drives, const std::vector<JointId>& loop_joints,
       const std::vector<char>& is_cut);
  Plan(const Plan&) = delete;  // its parts point to each other
  Plan& operator=(const Plan&) = delete;

  const Tree& tree() const { return *tree_; }
  const System& system() const { return system_; }
  const std::vector<Branch>& branches() const { return branches_; }
  const BranchConstants& constants(int branch) const { return branch_constants_[to_index(branch)]; }
  const std::vector<Connection>& connections() const { return connections_; }
  /// The connection through which a branch hangs on another one; −1: it hangs on ground, or is free.
  int connection_below(int branch) const { return connection_below_[to_index(branch)]; }

  int body_count() const { return static_cast<int>(bodies_.size()); }
  const BodyConstants& body(int i) const { return bodies_[to_index(i)]; }
  int slot(int i) const { return slots_[to_index(i)]; }                 ///< of the tree
  int place(int slot) const { return place_of_slot_[to_index(slot)]; }  ///< of a slot
  int branch_of(int i) const { return branch_of_[to_index(i)]; }
  /// Of the joint that a body hangs on.
  struct Speeds {
    int first = 0, count = 0;
    int drive = -1;  ///< of tree::Drives; −1: none
  };
  const Speeds& speeds(int i) const { return speeds_[to_index(i)]; }
  int row_count() const { return row_count_; }
  int unknown_count() const { return unknown_count_; }
  /// Branches and rows in them that a row belongs to: one or two.
  struct RowPlace {
    int branch = -1, row = 0;
  };
  const std::vector<RowPlace>& places_of_row(int row) const { return places_[to_index(row)]; }

  /// What one thread needs.
  class Memory;

 private:
  void order_bodies(const std::vector<char>& is_cut);
  void add_connections(const std::vector<JointId>& loop_joints);
  void describe_joint(const tree::Drives& drives, int i);
  void describe_flexible_bodies();
  void number_rows();
  void group_unknowns(BranchConstants& branch);
  Handle handle(BodyId body, const Attachment& attachment);
  void add_attachment(int body, int node);

  const Tree* tree_;
  System system_;
  std::vector<Branch> branches_;
  std::vector<BranchConstants> branch_constants_;
  std::vector<Connection> connections_;
  std::vector<int> connection_below_;
  std::vector<BodyConstants> bodies_;
  std::vector<AttachmentConstants> attachments_;
  std::vector<int> nodes_of_attachments_;  ///< −1: the frame
  std::vector<FlexibleConstants> flexible_;
  std::vector<RowGroup> groups_;
  std::vector<int> hinges_;
  std::vector<Three> shapes_;
  ConstantPool<AlignedArray<double>> numbers_;  ///< that flexible_ points to
  ConstantPool<std::vector<Three>> threes_;
  ConstantPool<std::vector<Six>> sixes_;
  std::vector<Speeds> speeds_;
  std::vector<int> slots_, place_of_slot_, branch_of_;
  std::vector<int> order_in_chains_;  ///< per slot, in its branch
  std::vector<std::vector<RowPlace>> places_;
  int row_count_ = 0;
  int unknown_count_ = 0;
  int general_count_ = 0;
  std::size_t products_ = 0, columns_ = 0, matrices_ = 0, coupled_ = 0, H_ = 0, h_ = 0, Z_ = 0;
  std::size_t Z_beyond_ = 0;
};

/// Arrays for the kernels.
class Plan::Memory {
 public:
  Memory(const Plan& plan, bool with_mass_matrices);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  Scratch scratch;

  /// Makes room for a branch's next evaluation.
  void clear_rows(const Plan& plan, int branch);

 private:
  AlignedArray<BodyData> bodies_;
  AlignedArray<JointPose> poses_;
  AlignedArray<Frame> relative_;
  AlignedArray<GeneralJoint> general_;
  AlignedArray<AttachmentPose> attachment_poses_;
  AlignedArray<AttachmentMotion> attachments_;
  AlignedArray<Six> Z_, Z_beyond_, columns_;
  AlignedArray<FreedomData> freedoms_;
  AlignedArray<double> products_, modal_mass_, coupled_, external_modes_, H_, h_;
  AlignedArray<double> dense_numbers_;
  std::vector<DenseScratch> dense_;
  std::vector<int> first_unknown_;
};

Three three(const Vec3& v);
Six six(const Vec6& v);
Turn turn(const Mat3& R);
Vec3 vec3(const Three& v);
Vec6 vec6(const Six& v);
Mat3 mat3(const Turn& R);

}  // namespace sarrus::branches
