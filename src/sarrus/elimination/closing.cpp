// Closing the joints of a node: the matrices, and the vectors up and down.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sarrus/elimination/elimination.h"
#include "sarrus/elimination/mat6.h"

namespace sarrus {

using mat6::dot6;

// [dca-join]
void Elimination::factor_closing(int index) {
  const EliminationPlan::Node& node = plan_->nodes[to_index(index)];
  const EliminationPlan::Slot& slot = plan_->slots[to_index(node.slot)];
  const std::size_t m = node.rows.size();
  double* L = &L_[node.L];
  thread_local std::vector<elimination::StackedBody> stack;
  stack.resize(node.stack.size());
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const EliminationPlan::Slot& source = plan_->slots[to_index(node.stack[i].slot)];
    const int place = node.stack[i].place;
    stack[i] = {&Lambda_[source.Lambda + to_index(6 * place * source.stride())], source.stride(),
                place, node.stack[i].slot};
  }
  thread_local std::vector<double> Y;
  if (Y.size() < 8 * m * to_index(slot.bodies)) Y.resize(8 * m * to_index(slot.bodies));
  const elimination::ClosingSystem closing = {.rows = node.rows.data(),
                                              .row_count = static_cast<int>(m),
                                              .stack = stack.data(),
                                              .stacked = static_cast<int>(stack.size()),
                                              .kept = slot.bodies,
                                              .J = J_.data(),
                                              .scale = scale_.data(),
                                              .U = &U_[node.U],
                                              .W = L,
                                              .Y = Y.data(),
                                              .Lambda = &Lambda_[slot.Lambda]};
  kernel_->couple(closing);

  // Cholesky; in loops with the largest pivot first.  [dca-rank]
  int* order = order_.data() + node.vectors;
  double* pivots = &pivot_[node.vectors];
  std::iota(order, order + m, 0);
  const Regularisation& how = regularisation_;
  const bool pivoting = node.loop && how.alpha == 0;
  std::size_t limit = m;
  if (pivoting && how.damping == 0 && !how.nominal_ranks.empty())
    limit = to_index(how.nominal_ranks[to_index(index)]);
  std::size_t rank = 0;
  for (std::size_t k = 0; k < m; ++k) {
    if (how.alpha > 0) {
      const double s = scale_[to_index(node.rows[k].row)];
      L[k * m + k] += s * s / how.alpha;
    } else if (pivoting) {
      L[k * m + k] += how.damping;
    }
  }
  double* swap = &work_[node.vectors];
  for (std::size_t k = 0; k < m; ++k) {
    if (pivoting) {
      std::size_t best = k;
      for (std::size_t i = k + 1; i < m; ++i)
        if (L[i * m + i] > L[best * m + best]) best = i;
      if (best != k) {
        // Exchange rows and columns k and best of the symmetric remainder and of what is done.
        std::swap(order[k], order[best]);
        std::swap_ranges(L + k * m, L + k * m + k, L + best * m);
        std::swap(L[k * m + k], L[best * m + best]);
        for (std::size_t i = k + 1; i < best; ++i) std::swap(L[i * m + k], L[best * m + i]);
        for (std::size_t i = best + 1; i < m; ++i) std::swap(L[i * m + k], L[i * m + best]);
      }
    }
    double d = L[k * m + k];
    pivots[k] = d;
    if (pivoting) {
      if (k >= limit) continue;
      if (how.nominal_ranks.empty() && how.damping == 0 &&
          !(d > std::max(how.tolerance, how.noise / least_[to_index(index)]))) {
        limit = k;
        continue;
      }
      if (how.lost > 0 && !(d > how.lost)) {
        limit = k;
        continue;
      }
      least_[to_index(index)] = std::min(least_[to_index(index)], d);
      if (d < how.deficient && how.damping == 0) d = std::max(d, 0.0) + how.penalty;
    }
    if (!(d > 0)) {
      mark_bad_joint(index);
      rank_[to_index(index)] = 0;
      return;
    }
    const double root = std::sqrt(d);
    L[k * m + k] = root;
    for (std::size_t i = k + 1; i < m; ++i) swap[i] = L[i * m + k] /= root;
    for (std::size_t i = k + 1; i < m; ++i)
      for (std::size_t j = k + 1; j <= i; ++j) L[i * m + j] -= swap[i] * swap[j];
    rank = k + 1;
  }
  rank_[to_index(index)] = static_cast<int>(rank);

  if (slot.bodies > 0) kernel_->reduce(closing, L, order, static_cast<int>(rank));
}

// x = W⁻¹ x over the kept rows, zero for the others; x in the order of node.rows.
void Elimination::apply_inverse(int index, double* x) const {
  const EliminationPlan::Node& node = plan_->nodes[to_index(index)];
  const std::size_t m = node.rows.size();
  const auto rank = to_index(rank_[to_index(index)]);
  const double* L = &L_[node.L];
  const int* order = order_.data() + node.vectors;
  thread_local std::vector<double> scratch;
  if (scratch.size() < 2 * m) scratch.resize(2 * m);
  double* z = scratch.data();
  double* inverse = z + m;
  for (std::size_t k = 0; k < rank; ++k) {
    const auto r = to_index(order[k]);
    double sum = scale_[to_index(node.rows[r].row)] * x[r];
    for (std::size_t l = 0; l < k; ++l) sum -= L[k * m + l] * z[l];
    inverse[k] = 1 / L[k * m + k];
    z[k] = sum * inverse[k];
  }
  for (std::size_t k = rank; k-- > 0;) {
    z[k] *= inverse[k];
    for (std::size_t l = 0; l < k; ++l) z[l] -= L[k * m + l] * z[k];
  }
  std::fill_n(x, m, 0.0);
  for (std::size_t k = 0; k < rank; ++k) {
    const auto r = to_index(order[k]);
    x[r] = scale_[to_index(node.rows[r].row)] * z[k];
  }
}

// [dca-up]
void Elimination::close_up(int index, const double* g, bool correcting) {
  const EliminationPlan::Node& node = plan_->nodes[to_index(index)];
  const EliminationPlan::Slot& slot = plan_->slots[to_index(node.slot)];
  const std::size_t width = 8 * node.stack.size();
  // β of the boundary; null where nothing moves: in a correction the parts themselves stand still.
  thread_local std::vector<const double*> from;
  from.resize(node.stack.size());
  for (std::size_t s = 0; s < from.size(); ++s) {
    const bool moves = !correcting || to_index(node.stack[s].slot) >= plan_->parts.size();
    from[s] = moves ? &beta_[plan_->slots[to_index(node.stack[s].slot)].vectors +
                             6 * to_index(node.stack[s].place)]
                    : nullptr;
  }
  double* y = &y_[node.vectors];
  double* x = correcting ? &work_[node.vectors] : y;
  for (std::size_t k = 0; k < node.rows.size(); ++k) {
    const elimination::ClosingRow& row = node.rows[k];
    x[k] = g[row.row];
    if (row.a >= 0 && from[to_index(row.a)]) x[k] += dot6(J_A(row.row), from[to_index(row.a)]);
    if (row.b >= 0 && from[to_index(row.b)]) x[k] += dot6(J_B(row.row), from[to_index(row.b)]);
  }
  apply_inverse(index, x);
  double* beta = &beta_[slot.vectors];
  const double* U = &U_[node.U];
  for (std::size_t i = 0; i < to_index(slot.bodies); ++i) {
    mat6::Six sum{};
    if (from[i]) sum = mat6::load6(from[i]);
    for (std::size_t k = 0; k < node.rows.size(); ++k)
      sum = mat6::add_scaled(sum, mat6::load6(U + k * width + 8 * i), -x[k]);
    mat6::store6(beta + 6 * i, sum);
  }
}

// [dca-down]
void Elimination::close_down(int index, bool correcting) {
  const EliminationPlan::Node& node = plan_->nodes[to_index(index)];
  const EliminationPlan::Slot& slot = plan_->slots[to_index(node.slot)];
  const std::size_t m = node.rows.size();
  const std::size_t width = 8 * node.stack.size();
  const auto kept = to_index(slot.bodies);
  const double* F = &F_[slot.vectors];
  thread_local std::vector<double> scratch;
  if (scratch.size() < m) scratch.resize(m);
  double* x = scratch.data();
  const double* U = &U_[node.U];
  for (std::size_t k = 0; k < m; ++k) {
    x[k] = 0;
    for (std::size_t s = 0; s < kept; ++s) x[k] += dot6(U + k * width + 8 * s, F + 6 * s);
  }
  if (kept > 0) apply_inverse(index, x);
  const double* y = correcting ? &work_[node.vectors] : &y_[node.vectors];
  // What comes from outside goes on to whose boundary it is; the parts gather their corrections.
  thread_local std::vector<double*> to;
  to.resize(node.stack.size());
  for (std::size_t s = 0; s < to.size(); ++s) {
    const EliminationPlan::Stacked& whose = node.stack[s];
    to[s] = &F_[plan_->slots[to_index(whose.slot)].vectors + 6 * to_index(whose.place)];
    const bool gathers = correcting && to_index(whose.slot) < plan_->parts.size();
    mat6::Six sum{};
    if (gathers) sum = mat6::load6(to[s]);
    if (s < kept) sum = mat6::add_scaled(sum, mat6::load6(F + 6 * s), 1);
    mat6::store6(to[s], sum);
  }
  for (std::size_t k = 0; k < m; ++k) {
    const elimination::ClosingRow& row = node.rows[k];
    const double lambda = y[k] - x[k];
    lambda_[to_index(row.row)] = (correcting ? lambda_[to_index(row.row)] : 0.0) + lambda;
    if (row.a >= 0) mat6::add_scaled(to[to_index(row.a)], J_A(row.row), lambda);
    if (row.b >= 0) mat6::add_scaled(to[to_index(row.b)], J_B(row.row), lambda);
  }
}

}  // namespace sarrus
