#pragma once

#include <vector>

#include "sarrus/formulations/coordinate_reduction/kernels/system.h"
#include "sarrus/tree/tree.h"

namespace sarrus::coordinate_reduction {

/// In which order the bodies of loops come into fronts, and which joints close there.
///
/// Bodies that carry a loop come in after the body they hang on in the spanning tree, such that few
/// others stay open; every cut joint closes as soon as both its bodies are there. Parts that share
/// no moving body have fronts of their own. All other bodies are appendages. Long rows of bodies
/// inside loops may come as one.  [reduction-schedule]
struct Schedule {
  struct Front {
    std::vector<Operation> operations;
    std::vector<int> staying;  ///< places, and who stands there
    std::vector<int> staying_bodies;
    int places = 0;
    int unknowns = 0, bodies = 0, closings = 0, asked = 0, most_staying = 0;
    double cost = 0;  ///< squares of how many bodies stay, summed over the operations
  };
  std::vector<Front> fronts;
  std::vector<std::vector<int>> chains;  ///< slots, from the base outward
  std::vector<int> order;  ///< slots: those in loops, then the appendages; each parents first
  int in_loops = 0;
  std::vector<std::int8_t> gathers;  ///< per slot: is it in a loop, with an appendage on it?
};

/// Per slot: does the body carry a loop, being on the way from ground to one of these joints?
std::vector<char> carriers_of(const tree::Tree& tree, const std::vector<JointId>& closures);

/// Are there long rows of bodies in loops, such that a schedule with chains is another?
bool has_chains(const tree::Tree& tree, const std::vector<JointId>& closures,
                const std::vector<int>& unknowns);

/// `closures`: the cut joints that have rows, in the order of ClosureConstants. `unknowns` per slot.
Schedule make_schedule(const tree::Tree& tree, const std::vector<JointId>& closures,
                       const std::vector<int>& unknowns, bool with_chains = false);

}  // namespace sarrus::coordinate_reduction
