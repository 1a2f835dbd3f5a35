#pragma once

#include <vector>

#include "sarrus/base/aligned_array.h"
#include "sarrus/topology/elimination/elimination.h"

namespace sarrus::augmented_dca {

using elimination::PartBody;
using elimination::PartRecord;
using elimination::PartRoot;
using elimination::PartSystem;

/// The parts of a plan that the kernel can sweep: all joints revolute, none prescribed, nothing
/// raked onto them. Made once for a model.
class FastParts {
 public:
  FastParts(const EliminationPlan& plan, const AssemblyTree& tree);

  bool takes(int part) const { return systems_[static_cast<std::size_t>(part)].count > 0; }
  const PartSystem& system(int part) const { return systems_[static_cast<std::size_t>(part)]; }
  int first(int part) const { return first_[static_cast<std::size_t>(part)]; }
  const elimination::Kernel& kernel() const { return *kernel_; }
  int count() const { return static_cast<int>(bodies_.size()); }

 private:
  const elimination::Kernel* kernel_;
  std::vector<PartBody> bodies_;
  std::vector<PartSystem> systems_;  ///< per part; empty where the kernel does not apply
  std::vector<int> first_;
};

/// Evaluates them at states.
class FastPartSolver final : public PartSolver {
 public:
  FastPartSolver(const FastParts& parts, const EliminationPlan& plan, const AssemblyTree& tree);

  /// `loads`: [τ; f] on each body but ground at its origin, gravity included; null: gravity alone.
  void begin(const double* x, const Vec6* loads, double* dx);

  bool takes(int part) const override { return parts_->takes(part); }
  bool up(int part, double* Lambda, double* beta, Configuration& c) override;
  void down(int part, const double* F) override;
  void prepare(int part, Configuration& c, std::span<Vec6> f) override;
  void receive(int part, std::span<const Vec6> a) override;

 private:
  void read_body(int body, Configuration& c) const;

  const FastParts* parts_;
  const EliminationPlan* plan_;
  const AssemblyTree* tree_;
  AlignedArray<PartRecord> records_;
  AlignedArray<PartRoot> roots_;
  const double* x_ = nullptr;
  const Vec6* loads_ = nullptr;
  double* dx_ = nullptr;
};

}  // namespace sarrus::augmented_dca
