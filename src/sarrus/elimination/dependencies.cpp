// Which rows depend on each other.

#include <algorithm>
#include <cmath>

#include "sarrus/elimination/part_sweep.h"

namespace sarrus {

using mat6::dot6;

namespace {

/// As good as random: of either sign, between ½ and 1½, the same for the same row.
double random_share(std::size_t row, unsigned stress) {
  std::uint64_t x = 0x9e3779b97f4a7c15U * (2 * std::uint64_t{row} + stress + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  x ^= x >> 31;
  const double number = static_cast<double>(x >> 11) * 0x1p-52 - 1;
  return number < 0 ? number - 0.5 : number + 0.5;
}

}  // namespace

// A row takes part in a dependency when a random one of all self-stresses needs it; the second
// stress is for those that happen to cancel in the first.  [dca-dependencies]
std::vector<char> Elimination::dependent_rows() {
  std::vector<char> dependent(lambda_.size(), 0);
  constexpr unsigned kStresses = 2;
  for (unsigned stress = 0; stress < kStresses; ++stress) mark_stressed(stress, dependent);
  return dependent;
}

// Adds to the multipliers of a node's rows a random one of the stresses that begin there: rows that
// were left out, with the others that hold them in balance.
void Elimination::add_self_stress(int index, unsigned stress, double* lambda) const {
  const EliminationPlan::Node& node = plan_->nodes[to_index(index)];
  const std::size_t m = node.rows.size();
  const auto rank = to_index(rank_[to_index(index)]);
  if (rank == m) return;
  const double* L = &L_[node.L];
  const int* order = order_.data() + node.vectors;
  const auto scale = [&](std::size_t k) {
    return scale_[to_index(node.rows[to_index(order[k])].row)];
  };
  std::vector<double> z(rank, 0.0);
  for (std::size_t d = rank; d < m; ++d) {
    const double share = random_share(to_index(node.rows[to_index(order[d])].row), stress);
    lambda[order[d]] += share * scale(d);
    for (std::size_t k = 0; k < rank; ++k) z[k] += share * L[d * m + k];
  }
  for (std::size_t k = rank; k-- > 0;) {
    for (std::size_t l = k + 1; l < rank; ++l) z[k] -= L[l * m + k] * z[l];
    z[k] /= L[k * m + k];
    lambda[order[k]] -= scale(k) * z[k];
  }
}

// Outwards; a stress reaches only what lies below the node where it begins.
void Elimination::mark_stressed(unsigned stress, std::vector<char>& dependent) {
  // A share below this part of the largest on the way to it is rounding.
  constexpr double kTakesPart = 1e-7;
  std::vector<double> lambda(lambda_.size(), 0.0), F(plan_->vector_size, 0.0), x;
  std::vector<double> largest(plan_->nodes.size(), 0.0);
  for (int i = static_cast<int>(plan_->nodes.size()) - 1; i >= 0; --i) {
    const EliminationPlan::Node& node = plan_->nodes[to_index(i)];
    if (!node.core) continue;
    if (node.part < 0 || !node.rows.empty()) {
      const EliminationPlan::Slot& slot = plan_->slots[to_index(node.slot)];
      const std::size_t width = 8 * node.stack.size();
      const auto F_of = [&](int place) {
        const EliminationPlan::Stacked& from = node.stack[to_index(place)];
        return &F[plan_->slots[to_index(from.slot)].vectors + 6 * to_index(from.place)];
      };
      x.assign(node.rows.size(), 0.0);
      for (std::size_t k = 0; k < x.size(); ++k)
        for (std::size_t s = 0; s < to_index(slot.bodies); ++s)
          x[k] -= dot6(&U_[node.U + k * width + 8 * s], &F[slot.vectors + 6 * s]);
      apply_inverse(i, x.data());
      add_self_stress(i, stress, x.data());
      for (int s = 0; s < slot.bodies; ++s)
        std::copy_n(&F[slot.vectors + 6 * to_index(s)], 6, F_of(s));
      for (std::size_t k = 0; k < x.size(); ++k) {
        const elimination::ClosingRow& row = node.rows[k];
        lambda[to_index(row.row)] = x[k];
        for (std::size_t j = 0; j < 6; ++j) {
          if (row.a >= 0) F_of(row.a)[j] += J_A(row.row)[j] * x[k];
          if (row.b >= 0) F_of(row.b)[j] += J_B(row.row)[j] * x[k];
        }
      }
    }
    if (node.part >= 0) {
      const EliminationPlan::Part& part = plan_->parts[to_index(node.part)];
      const EliminationPlan::Slot& slot = plan_->slots[to_index(part.slot)];
      if (part.tip >= 0)
        PartSweep(*this, node.part)
            .self_stress(&F[slot.vectors + (part.shows_root ? 6 : 0)], lambda);
    }
    const auto for_rows = [&](auto visit) {
      for (const elimination::ClosingRow& row : node.rows) visit(to_index(row.row));
      if (node.part < 0) return;
      const EliminationPlan::Part& part = plan_->parts[to_index(node.part)];
      for (int s = part.first_step; s < part.first_step + part.step_count; ++s)
        for (int r = 0; r < plan_->steps[to_index(s)].rows; ++r)
          visit(to_index(plan_->steps[to_index(s)].first_row + r));
    };
    double& most = largest[to_index(i)];
    for_rows([&](std::size_t r) { most = std::max(most, std::abs(lambda[r]) * row_size(r)); });
    for_rows([&](std::size_t r) {
      if (std::abs(lambda[r]) * row_size(r) > kTakesPart * most) dependent[r] = 1;
    });
    for (const int below : plan_->tasks.nodes[to_index(i)].children)
      largest[to_index(below)] = most;
  }
}

// Makes multipliers of forces and of torques comparable.
double Elimination::row_size(std::size_t r) const {
  return 1 / plan_->system->row_scale()[static_cast<Eigen::Index>(r)];
}

}  // namespace sarrus
