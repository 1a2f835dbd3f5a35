#pragma once

#include <vector>

#include "sarrus/articulated/kernel_model.h"
#include "sarrus/base/aligned_array.h"
#include "sarrus/formulations/coordinate_reduction/kernels/system.h"

namespace sarrus::coordinate_reduction {

/// Bodies outside all loops, by the passes of order-n: inward before the fronts, outward after them.
/// A body of a loop is to what hangs on it a base whose motion is given and whose acceleration comes
/// later.  [reduction-appendages]
class Appendages {
 public:
  /// `model`: laid out without the bodies in loops. It and the system must outlive this.
  Appendages(const tree::Tree& tree, const articulated::KernelModel& model, const System& system);
  Appendages(const Appendages&) = delete;
  Appendages& operator=(const Appendages&) = delete;

  bool empty() const { return system_->body_count == system_->in_loops; }

  /// 27 numbers a slot, of bodies in loops: what hangs on them, at their mass centres.
  const double* gathered() const { return gathered_.data(); }

  /// `motions` of the bodies in loops; with loads, of all bodies.
  void gather(const Inputs& in, const BodyMotion* motions);

  /// `accelerations`: six a slot, of the bodies in loops that gather.
  void spread(const BodyMotion* motions, const double* accelerations, double* unknowns);

 private:
  void give_base(const Inputs& in, int slot, const BodyMotion& motion);
  void add_loads(const double* wrenches, const BodyMotion* motions);
  void take(int slot, const BodyMotion& motion);

  const articulated::KernelModel* model_;
  const System* system_;
  tree::Traversal traversal_;
  const articulated::Kernel* kernel_;
  articulated::KernelScratch scratch_;
  articulated::ChainSystem chains_;
  articulated::LevelSystem levels_;
  std::vector<int> bases_;  ///< slots
  std::vector<double> no_speeds_, no_forces_;
  std::vector<tree::Drive> resting_;
  AlignedArray<double> gathered_;
};

}  // namespace sarrus::coordinate_reduction
