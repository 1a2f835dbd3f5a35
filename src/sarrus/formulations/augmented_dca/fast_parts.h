#pragma once

#include <vector>

#include "sarrus/base/aligned_array.h"
#include "sarrus/elimination/elimination.h"

namespace sarrus::augmented_dca {

using elimination::AbsorbedPiece;
using elimination::AbsorbedRecord;
using elimination::JoinRecord;
using elimination::JoinSystem;
using elimination::PartBody;
using elimination::PartRecord;
using elimination::PartRoot;
using elimination::PartShape;
using elimination::PartSystem;

/// What of a plan the kernel can sweep. Parts: all joints revolute, none prescribed. Joins: one such
/// joint, no loop, the two bodies that it connects inside from there on. Made once for a model.
class FastParts {
 public:
  /// `joint_inertia`: per joint of the model, against its own turn, of bodies at rest; empty: none.
  FastParts(const EliminationPlan& plan, const AssemblyTree& tree,
            const std::vector<double>& joint_inertia = {});

  bool takes(int part) const { return systems_[static_cast<std::size_t>(part)].count > 0; }
  bool takes_join(int node) const { return join_of_[static_cast<std::size_t>(node)] >= 0; }
  /// A join between two nodes.
  struct Join {
    JoinSystem system;
    int a = 0, b = 0;  ///< slots
  };
  int join_index(int node) const { return join_of_[static_cast<std::size_t>(node)]; }
  const Join& join(int index) const { return joins_[static_cast<std::size_t>(index)]; }
  int join_count() const { return static_cast<int>(joins_.size()); }
  /// Is a joint of the body closed by the general code, which wants its pose?
  bool is_asked_for(int body) const { return asked_for_[static_cast<std::size_t>(body)] != 0; }
  const PartSystem& system(int part) const { return systems_[static_cast<std::size_t>(part)]; }
  int first(int part) const { return first_[static_cast<std::size_t>(part)]; }
  int first_absorbed(int part) const { return first_absorbed_[static_cast<std::size_t>(part)]; }
  int absorbed_count() const { return static_cast<int>(absorbed_.size()); }
  const elimination::Kernel& kernel() const { return *kernel_; }
  int count() const { return static_cast<int>(bodies_.size()); }

 private:
  void find_joins(const EliminationPlan& plan, const std::vector<double>& joint_inertia);
  void find_asked_for(const EliminationPlan& plan);

  const elimination::Kernel* kernel_;
  std::vector<PartBody> bodies_;
  std::vector<PartShape> shapes_;
  std::vector<AbsorbedPiece> absorbed_;
  std::vector<PartSystem> systems_;  ///< per part; empty where the kernel does not apply
  std::vector<int> first_, first_absorbed_;
  std::vector<int> join_of_;  ///< per node
  std::vector<Join> joins_;
  std::vector<char> asked_for_;  ///< per body
};

/// Closes the joins that the kernel can, at poses of the bodies that they connect; what solvers with
/// sweeps of their own have in common.
class FastJoins : public PartSolver {
 public:
  FastJoins(const FastParts& parts, const EliminationPlan& plan, const AssemblyTree& tree);

  bool takes(int part) const override { return parts_->takes(part); }
  bool takes_join(int node) const override { return parts_->takes_join(node); }
  bool join(int node, const Pieces& pieces) override;
  void split(int node, const Pieces& pieces) override;
  void read_coordinates(int joint, Configuration& c) override;
  void prepare(int part, Configuration& c, std::span<Vec6> f) override;

 protected:
  /// `x`: a state of bodies. `loads`: [τ; f] on each body but ground at its origin, gravity included;
  /// null: gravity alone.
  void begin_at(const double* x, const double* coordinates, const Vec6* loads);
  void read_body(int body, Configuration& c) const;
  /// Where a part writes what it shows; into `c` what the general code asks for of its boundary.
  elimination::PartShown show(int part, const Pieces& pieces, Configuration& c) const;

  const FastParts* parts_;
  const EliminationPlan* plan_;
  const AssemblyTree* tree_;
  AlignedArray<AbsorbedRecord> absorbed_;
  AlignedArray<PartRoot> roots_;
  const double* x_ = nullptr;
  const Vec6* loads_ = nullptr;

 private:
  elimination::PieceNumbers piece(int slot, const Pieces& pieces) const;

  AlignedArray<JoinRecord> joins_;
  const double* coordinates_ = nullptr;
};

/// Evaluates accelerations at states of bodies.
class FastPartSolver final : public FastJoins {
 public:
  FastPartSolver(const FastParts& parts, const EliminationPlan& plan, const AssemblyTree& tree);

  void begin(const double* x, const double* coordinates, const Vec6* loads, double* dx);
  bool up(int part, const Pieces& pieces, Configuration& c) override;
  bool down(int part, const Pieces& pieces) override;
  bool receive(int part, std::span<const Vec6> a) override;

 private:
  AlignedArray<PartRecord> records_;
  double* dx_ = nullptr;
};

}  // namespace sarrus::augmented_dca
