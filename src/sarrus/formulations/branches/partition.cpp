#include "sarrus/formulations/branches/partition.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/base/diagnostics.h"
#include "sarrus/spatial/dense.h"

namespace sarrus::branches {
namespace {

using tree::Tree;
using tree::TreeBody;

/// Measured, roughly: a rigid body, and one mode's share of a flexible one [ns].
constexpr double kBody = 250;
constexpr double kMode = 120;

/// A branch with less work is not worth a thread of its own [ns].
constexpr double kLeastWork = 16000;
constexpr int kMostBranches = 64;

double work_of(const Tree& tree, const TreeBody& place) {
  const Body& body = tree.model().body(place.body);
  return kBody + (body.modal == nullptr ? 0 : kMode * body.modal->count());
}

/// A branch must be able to stand alone: its root needs inertia in every direction.
bool can_be_root(const Tree& tree, const TreeBody& place) {
  const Inertia& inertia = tree.model().body(place.body).inertia;
  const Vec3 principal = principal_axes(inertia.central).values;
  constexpr double kThin = 1e-6;
  return inertia.mass > 0 && principal[0] > kThin * principal[2];
}

/// Bottom up: whenever more hangs on a body than a branch may hold, the heaviest of it is cut off.
std::vector<char> cut_by_work(const Tree& tree, double most, int* branches) {
  const auto& bodies = tree.bodies();
  std::vector<char> is_cut(bodies.size(), 0);
  std::vector<double> left(bodies.size());
  std::vector<std::vector<int>> children(bodies.size());
  *branches = 0;
  for (std::size_t i = bodies.size(); i-- > 0;) {
    left[i] = work_of(tree, bodies[i]);
    std::vector<int>& list = children[i];
    std::stable_sort(list.begin(), list.end(),
                     [&](int a, int b) { return left[to_index(a)] < left[to_index(b)]; });
    for (const int child : list) left[i] += left[to_index(child)];
    for (std::size_t c = list.size(); c-- > 0 && left[i] > most;) {
      if (!can_be_root(tree, bodies[to_index(list[c])])) continue;
      is_cut[to_index(list[c])] = 1;
      ++*branches;
      left[i] -= left[to_index(list[c])];
    }
    if (bodies[i].parent >= 0)
      children[to_index(bodies[i].parent)].push_back(static_cast<int>(i));
    else
      ++*branches;
  }
  return is_cut;
}

}  // namespace

std::vector<char> cut_at(const Tree& tree, const std::vector<std::string>& joints) {
  std::vector<char> is_cut(tree.bodies().size(), 0);
  for (const std::string& name : joints) {
    const JointId id = tree.model().find_joint(name);
    const int slot = tree.slot_of(id);
    if (slot < 0)
      throw UsageError(fmt::format(
          "joint '{}' closes a loop: it is a connection already\n  hint: leave it out of the cuts",
          name));
    if (tree.bodies()[to_index(slot)].parent < 0)
      throw UsageError(fmt::format(
          "joint '{}' ties a branch to ground: nothing would be left on its other side\n  hint: "
          "leave it out of the cuts",
          name));
    is_cut[to_index(slot)] = 1;
  }
  return is_cut;
}

std::vector<char> cut_evenly(const Tree& tree, int count) {
  double total = 0;
  for (const TreeBody& body : tree.bodies()) total += work_of(tree, body);
  int branches = 0;
  if (count == 0) {
    const double most = std::max(kLeastWork, total / kMostBranches);
    return cut_by_work(tree, 1.5 * most, &branches);
  }
  // The smallest bound that does with so many.
  double low = 0, high = total;
  std::vector<char> best = cut_by_work(tree, high, &branches);
  constexpr int kRounds = 40;
  for (int round = 0; round < kRounds; ++round) {
    const double middle = 0.5 * (low + high);
    std::vector<char> is_cut = cut_by_work(tree, middle, &branches);
    if (branches <= count) {
      high = middle;
      best = std::move(is_cut);
    } else {
      low = middle;
    }
  }
  return best;
}

}  // namespace sarrus::branches
