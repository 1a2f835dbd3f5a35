#pragma once

#include <string>
#include <vector>

#include "sarrus/tree/tree.h"

namespace sarrus::branches {

/// Which joints of a tree connect two branches: per slot of the tree.
///
/// Depends on the mechanism only, never on the number of threads: the same branches give the same
/// bits.  [branches-partition]
std::vector<char> cut_at(const tree::Tree& tree, const std::vector<std::string>& joints);

/// Branches of about equal work: `count` of them, or, for 0, as many as keep threads worth their
/// while.
std::vector<char> cut_evenly(const tree::Tree& tree, int count);

}  // namespace sarrus::branches
