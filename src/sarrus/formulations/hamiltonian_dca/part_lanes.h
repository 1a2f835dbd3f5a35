#pragma once

#include <vector>

#include "sarrus/articulated/kernel_model.h"
#include "sarrus/formulations/augmented_dca/fast_parts.h"
#include "sarrus/formulations/hamiltonian_dca/kernels/system.h"

namespace sarrus::hamiltonian {

/// The parts of an assembly tree laid out for the kernels, where all joints of the spanning tree are
/// revolute: rows of bodies, four neighbours in the lanes.  [hamilton-lanes]
class PartLanes {
 public:
  /// All parts are ones that `parts` takes. `carriers`: bodies to which impulses are handed.
  PartLanes(const tree::Tree& tree, const EliminationPlan& plan, const AssemblyTree& assembly,
            const augmented_dca::FastParts& parts, const std::vector<BodyId>& carriers);
  PartLanes(const PartLanes&) = delete;  // the systems point into it
  PartLanes& operator=(const PartLanes&) = delete;

  /// The frame C of a body, which stands at its joint's point.
  struct Frame {
    Quat q_CB;
    Vec3 point;  ///< from the body's origin, in C
  };

  /// A part that hangs on a body of another.
  struct Child {
    int part = 0;
    int place = 0;  ///< of that body; of one that hangs whole: of its top
    bool hangs_whole = false;
    int handed = 0, lane = 0;
    Vec3 axis;      ///< of its joint, in the frame C of that body
    int joint = 0;  ///< where the joint's numbers stand in the state
  };

  /// A body to which impulses are handed.
  struct Carrier {
    BodyId body;
    int place = 0;
    int handed = 0, lane = 0;
  };

  struct Part {
    LaneSystem system;
    int first_block = 0;
    int handed_begin = 0, handed_end = 0;
    int parent = -1;       ///< part; −1: ground
    int parent_place = 0;  ///< of the body there that it hangs on
    int point_place = 0;   ///< of the one there that knows where its base is
    bool hangs_whole = false;
    int first_child = 0, child_count = 0;
    int first_carrier = 0, carrier_count = 0;
  };

  const Part& part(int index) const { return parts_[static_cast<std::size_t>(index)]; }
  /// Parts, what others hang on first.
  const std::vector<int>& order() const { return order_; }
  std::span<const Child> children(const Part& part) const {
    return std::span(children_).subspan(static_cast<std::size_t>(part.first_child),
                                        static_cast<std::size_t>(part.child_count));
  }
  std::span<const Carrier> carriers(const Part& part) const {
    return std::span(carriers_).subspan(static_cast<std::size_t>(part.first_carrier),
                                        static_cast<std::size_t>(part.carrier_count));
  }
  const Frame& frame(int place) const { return frames_[static_cast<std::size_t>(place)]; }
  int block_count() const { return static_cast<int>(blocks_.size()); }
  int handed_count() const { return handed_count_; }
  /// Do parts hang on the tips of others only, so that a tip's impulse is all their momentum?
  bool only_tips() const { return only_tips_; }
  const Kernel& kernel() const { return *kernel_; }

 private:
  class Builder;

  const Kernel* kernel_;
  std::vector<LaneChain> chains_;
  std::vector<LaneBlock> blocks_;
  std::vector<LaneConstants> constants_;
  std::vector<int> lane_of_, joint_of_;  ///< per place of all parts
  std::vector<Frame> frames_;
  std::vector<Part> parts_;
  std::vector<int> order_;
  std::vector<Child> children_;
  std::vector<Carrier> carriers_;
  int handed_count_ = 0;
  bool only_tips_ = true;
};

}  // namespace sarrus::hamiltonian
