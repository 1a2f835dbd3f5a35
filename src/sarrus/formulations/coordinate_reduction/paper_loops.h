#pragma once

#include <string>
#include <vector>

#include "sarrus/model/model.h"
#include "sarrus/topology/topology.h"

/// How Anderson and Critchley walk through a mechanism with loops.
namespace sarrus::coordinate_reduction {

/// A joint, gone through from the parent's body to `body`.
///
/// A phantom stands for the base of its loop, seen once more behind the joint that closes it.
struct PaperLink {
  static constexpr int kGroundLink = -1;
  static constexpr int kNoLoop = -2;

  BodyId body;               ///< a phantom's: the base
  JointId joint;             ///< invalid for a floating root, which is free in the world
  int parent = kGroundLink;  ///< link
  int base = kNoLoop;        ///< link of the loop's base; ground's; or the body is in no loop
  bool phantom = false;
  double length = 1;  ///< typical one of its loops [m]

  bool in_loop() const { return base != kNoLoop; }
  bool is_trunk() const { return parent == base; }  ///< its loops' way from the base begins here
};

/// All bodies and phantoms, parents first.
struct PaperWalk {
  std::vector<PaperLink> links;
  std::string trouble;  ///< why there is no such walk, as a sentence; empty when there is one
};

/// Goes from ground and from the floating roots outwards. Where it enters a part with loops, the body
/// it comes from is the base of them all, and the first of the part's joints at the base, in the order
/// of the model, is the trunk; the other joints at the base lead to phantoms.  [paper-walk]
PaperWalk paper_walk(const Model& model, const Topology& topology);

}  // namespace sarrus::coordinate_reduction
