#include "sarrus/formulations/branches/fronts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sarrus/base/thresholds.h"

namespace sarrus::branches {
namespace {

/// Where the number of independent rows is known, only rounding itself is shut out.
constexpr double kRounding = 1e-14;

}  // namespace

Fronts::Fronts(const Plan& plan, Solution solution) : plan_(&plan) {
  const int count = static_cast<int>(plan.branches().size());
  for (int b = 0; b < count; ++b) {
    Node node;
    node.branch = b;
    const std::vector<int>& rows = plan.branches()[to_index(b)].rows;
    node.in_branch.resize(rows.size());
    std::iota(node.in_branch.begin(), node.in_branch.end(), 0);
    // Simultaneously means together: a branch closes nothing alone.
    if (solution == Solution::kSequential || count == 1) {
      const auto is_closed = [&](int i) {
        return plan.places_of_row(rows[to_index(i)]).size() == 1;
      };
      const auto open =
          std::stable_partition(node.in_branch.begin(), node.in_branch.end(), is_closed);
      node.closed = static_cast<int>(open - node.in_branch.begin());
    }
    node.rows.reserve(rows.size());
    for (const int i : node.in_branch) node.rows.push_back(rows[to_index(i)]);
    node.is_whole = std::is_sorted(node.in_branch.begin(), node.in_branch.end());
    node.most = node.closed;
    add_node(std::move(node));
  }
  if (count > 1 && solution == Solution::kSimultaneous) {
    Node all;
    for (int r = 0; r < plan.row_count(); ++r) all.rows.push_back(r);
    all.closed = all.most = plan.row_count();
    for (int b = 0; b < count; ++b) all.children.push_back(b);
    add_node(std::move(all));
  } else if (count > 1) {
    plan_sequence();
  }
  // Children before parents, whole subtrees together.
  std::vector<int> order, next;
  for (int n = node_count(); n-- > 0;)
    if (nodes_[to_index(n)].up < 0) next.push_back(n);
  while (!next.empty()) {
    const int n = next.back();
    next.pop_back();
    order.push_back(n);
    next.insert(next.end(), nodes_[to_index(n)].children.begin(),
                nodes_[to_index(n)].children.end());
  }
  std::reverse(order.begin(), order.end());
  std::vector<int> new_place(nodes_.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    new_place[to_index(order[i])] = static_cast<int>(i);
  std::vector<Node> sorted;
  for (const int n : order) {
    Node node = std::move(nodes_[to_index(n)]);
    for (int& child : node.children) child = new_place[to_index(child)];
    std::sort(node.children.begin(), node.children.end());
    if (node.up >= 0) node.up = new_place[to_index(node.up)];
    sorted.push_back(std::move(node));
  }
  nodes_ = std::move(sorted);
  // Per row of the front above; those of others mean nothing.
  std::vector<int> at(to_index(plan.row_count()));
  for (int n = 0; n < node_count(); ++n) {
    Node& node = nodes_[to_index(n)];
    node.stride = to_lanes(static_cast<int>(node.rows.size()));
    node.matrix = matrices_;
    node.vector = vectors_;
    matrices_ += to_index(node.stride) * to_index(node.stride);
    vectors_ += to_index(node.stride);
    if (node.up >= 0) {
      const std::vector<int>& above = nodes_[to_index(node.up)].rows;
      for (std::size_t i = 0; i < above.size(); ++i) at[to_index(above[i])] = static_cast<int>(i);
      node.to_up.reserve(node.rows.size());
      for (std::size_t i = to_index(node.closed); i < node.rows.size(); ++i)
        node.to_up.push_back(at[to_index(node.rows[i])]);
    }
    // Measured, roughly: a body 250 ns and 8 for each row, a front by its cube.
    TaskTree::Node task;
    task.begin = node.children.empty() ? n : tasks_.nodes[to_index(node.children.front())].begin;
    task.children = node.children;
    const double width = static_cast<double>(node.rows.size());
    task.cost = 300 + 0.25 * width * width * node.closed;
    if (node.branch >= 0) {
      const BranchConstants& branch = plan.constants(node.branch);
      for (int i = branch.first; i < branch.end; ++i)
        task.cost += 250 + 8 * (plan.body(i).high - plan.body(i).low);
    }
    for (const int child : node.children) task.cost += tasks_.nodes[to_index(child)].cost;
    if (node.up < 0) tasks_.roots.push_back(n);
    tasks_.nodes.push_back(std::move(task));
  }
}

int Fronts::add_node(Node node) {
  const int n = node_count();
  for (const int child : node.children) nodes_[to_index(child)].up = n;
  nodes_.push_back(std::move(node));
  return n;
}

// Always the two clusters with rows between them that cost least to put together, deep ones last.
// [branches-sequence]
void Fronts::plan_sequence() {
  struct Cluster {
    int node = -1;
    int depth = 1;
    std::vector<int> open;  ///< sorted
  };
  std::vector<Cluster> clusters(nodes_.size());
  std::vector<int> cluster_of(nodes_.size());  // per branch
  for (int n = 0; n < node_count(); ++n) {
    const Node& node = nodes_[to_index(n)];
    cluster_of[to_index(n)] = n;
    clusters[to_index(n)] = {n, 1, {node.rows.begin() + node.closed, node.rows.end()}};
    std::sort(clusters[to_index(n)].open.begin(), clusters[to_index(n)].open.end());
  }
  std::vector<int> shared;
  const auto cost_of = [&](const Cluster& a, const Cluster& b) {
    shared.clear();
    std::set_intersection(a.open.begin(), a.open.end(), b.open.begin(), b.open.end(),
                          std::back_inserter(shared));
    const double inside = static_cast<double>(shared.size());
    const double outside = static_cast<double>(a.open.size() + b.open.size()) - 2 * inside;
    const double whole = inside + outside;
    return (whole * whole * whole - outside * outside * outside) * (1 + std::max(a.depth, b.depth));
  };
  while (true) {
    double least = std::numeric_limits<double>::infinity();
    int first = -1, second = -1;
    for (const Connection& connection : plan_->connections()) {
      if (connection.a.branch < 0 || connection.b.branch < 0) continue;
      const int i = cluster_of[to_index(connection.a.branch)],
                j = cluster_of[to_index(connection.b.branch)];
      if (i == j) continue;
      const double cost = cost_of(clusters[to_index(i)], clusters[to_index(j)]);
      if (cost < least) {
        least = cost;
        first = std::min(i, j);
        second = std::max(i, j);
      }
    }
    if (first < 0) return;  // what is left has nothing to do with each other
    Cluster &a = clusters[to_index(first)], &b = clusters[to_index(second)];
    cost_of(a, b);
    Node node;
    node.children = {a.node, b.node};
    node.rows = shared;
    node.closed = node.most = static_cast<int>(shared.size());
    std::vector<int> open;
    std::set_symmetric_difference(a.open.begin(), a.open.end(), b.open.begin(), b.open.end(),
                                  std::back_inserter(open));
    node.rows.insert(node.rows.end(), open.begin(), open.end());
    a = {add_node(std::move(node)), 1 + std::max(a.depth, b.depth), std::move(open)};
    for (int& cluster : cluster_of)
      if (cluster == second) cluster = first;
  }
}

void Fronts::set_scales(const double* bounds) {
  constexpr double kLeast = 1e-8;
  double most = 0;
  for (int r = 0; r < plan_->row_count(); ++r)
    for (const Plan::RowPlace& place : plan_->places_of_row(r))
      most = std::max(most, bounds[plan_->constants(place.branch).h + to_index(place.row)]);
  inverse_scales_ = AlignedArray<double>(vectors_);
  for (const Node& node : nodes_)
    for (int i = 0; i < node.closed; ++i) {
      double scale = kLeast * most;
      for (const Plan::RowPlace& place : plan_->places_of_row(node.rows[to_index(i)]))
        scale += bounds[plan_->constants(place.branch).h + to_index(place.row)];
      // Rows that act on nothing get none.
      if (scale > 0) inverse_scales_[node.vector + to_index(i)] = 1 / scale;
    }
}

// A branch's H and h, or what is left of the nodes below.
void Fronts::gather(int n, bool factor, const Scratch& scratch, Memory& memory) const {
  const Node& node = nodes_[to_index(n)];
  const int rows = static_cast<int>(node.rows.size());
  double* F = memory.F_.data() + node.matrix;
  double* h = memory.h_.data() + node.vector;
  if (node.branch >= 0) {
    const BranchConstants& branch = plan_->constants(node.branch);
    const double* h_b = scratch.h + branch.h;
    for (int i = 0; i < rows; ++i) h[i] = h_b[node.in_branch[to_index(i)]];
    const double* H = scratch.H + branch.H;
    if (factor && node.is_whole) {
      std::copy_n(H, rows * node.stride, F);
    } else if (factor) {
      for (int i = 0; i < rows; ++i) {
        const int r = node.in_branch[to_index(i)];
        for (int j = 0; j <= i; ++j) {
          const int s = node.in_branch[to_index(j)];
          const double value = H[std::max(r, s) * branch.stride + std::min(r, s)];
          F[i * node.stride + j] = value;
        }
      }
    }
    return;
  }
  std::fill_n(h, node.stride, 0.0);
  if (factor) std::fill_n(F, rows * node.stride, 0.0);
  for (const int c : node.children) {
    const Node& child = nodes_[to_index(c)];
    const double* h_c = memory.h_.data() + child.vector + child.closed;
    const double* F_c = memory.F_.data() + child.matrix;
    for (std::size_t i = 0; i < child.to_up.size(); ++i) {
      h[child.to_up[i]] += h_c[i];
      if (!factor) continue;
      const double* from = F_c + (child.closed + static_cast<int>(i)) * child.stride + child.closed;
      for (std::size_t j = 0; j <= i; ++j) {
        const auto [low, high] = std::minmax(child.to_up[i], child.to_up[j]);
        F[high * node.stride + low] += from[j];
      }
    }
  }
}

FrontData Fronts::front_of(int n, Memory& memory) const {
  const Node& node = nodes_[to_index(n)];
  FrontData front;
  front.rows = static_cast<int>(node.rows.size());
  front.closed = node.closed;
  front.stride = node.stride;
  front.F = memory.F_.data() + node.matrix;
  front.pivots = memory.pivots_.data() + node.vector;
  front.order = memory.order_.data() + node.vector;
  front.left = memory.left_.data() + node.vector;
  front.live = memory.live_.data() + node.vector;
  front.inverse_scale = inverse_scales_.data() + node.vector;
  front.most = node.most;
  front.rank = memory.ranks_[to_index(n)];
  return front;
}

void Fronts::up(const Kernel& kernel, int n, bool factor, const Scratch& scratch,
                Memory& memory) const {
  const Node& node = nodes_[to_index(n)];
  gather(n, factor, scratch, memory);
  int& lost = memory.lost_[to_index(n)];
  if (factor) {
    lost = 0;
    for (const int c : node.children) lost += memory.lost_[to_index(c)];
  }
  if (node.closed == 0) return;
  FrontData front = front_of(n, memory);
  if (factor) {
    // A part that is singular where the whole is not: rows that follow can stand in for it.
    front.most = std::min(node.closed, node.most + lost);
    kernel.factor(front, has_learned() && lost == 0 ? kRounding : thresholds::kDependentResponse);
    memory.ranks_[to_index(n)] = front.rank;
    lost += node.most - front.rank;
  }
  kernel.reduce(front, memory.h_.data() + node.vector);
}

void Fronts::down(const Kernel& kernel, int n, Memory& memory) const {
  const Node& node = nodes_[to_index(n)];
  double* lambda = memory.lambda_of_node_.data() + node.vector;
  if (node.up >= 0) {
    const double* above = memory.lambda_of_node_.data() + nodes_[to_index(node.up)].vector;
    for (std::size_t i = 0; i < node.to_up.size(); ++i)
      lambda[to_index(node.closed) + i] = above[node.to_up[i]];
  }
  if (node.closed > 0) kernel.expand(front_of(n, memory), memory.h_.data() + node.vector, lambda);
  if (node.branch < 0) return;
  double* to = memory.lambda_of_branch(node.branch);
  for (std::size_t i = 0; i < node.rows.size(); ++i) to[node.in_branch[i]] = lambda[i];
}

// Pivots fall from one to the next, so it is the smallest.
double Fronts::last_pivot(int n, const Memory& memory) const {
  const std::size_t last = nodes_[to_index(n)].vector + to_index(memory.ranks_[to_index(n)]) - 1;
  const auto row = to_index(memory.order_[last]);
  return inverse_scales_[nodes_[to_index(n)].vector + row] / memory.pivots_[last];
}

// Where the rank is known, the tolerance is the one that gives it. Of poses with one rank in all, a
// generic one has it earliest.
void Fronts::learn(const Kernel& kernel, int expected, const Scratch& scratch, Memory& memory) {
  constexpr double kLargest = 1e-7;  // a pose where this is needed is no generic one
  std::pair<int, long> found;
  auto& [rank, early] = found;
  for (double tolerance = expected < 0 ? thresholds::kDependentResponse : kLargest;
       tolerance > kRounding; tolerance /= 16) {
    found = {0, 0};
    for (int n = 0; n < node_count(); ++n) {
      gather(n, true, scratch, memory);
      memory.ranks_[to_index(n)] = 0;
      if (nodes_[to_index(n)].closed > 0) {
        FrontData front = front_of(n, memory);
        front.most = front.closed;
        kernel.factor(front, tolerance);
        memory.ranks_[to_index(n)] = front.rank;
      }
      rank += memory.ranks_[to_index(n)];
      early += rank;
    }
    if (rank >= expected) break;
  }
  if ((expected >= 0 && rank != expected) || found < learned_) return;
  const bool is_better = found > learned_;
  learned_ = found;
  for (int n = 0; n < node_count(); ++n) {
    Node& node = nodes_[to_index(n)];
    const int own = memory.ranks_[to_index(n)];
    if (is_better) {
      node.most = own;
      node.usual_pivot = 0;
    }
    if (own > 0 && own == node.most)
      node.usual_pivot = std::max(node.usual_pivot, last_pivot(n, memory));
  }
}

double Fronts::strength(const Memory& memory) const {
  double least = 1;
  for (int n = 0; n < node_count(); ++n) {
    const Node& node = nodes_[to_index(n)];
    if (node.up < 0 && memory.lost_[to_index(n)] > 0) return 0;
    if (node.usual_pivot == 0 || memory.ranks_[to_index(n)] < node.most) continue;
    least = std::min(least, last_pivot(n, memory) / node.usual_pivot);
  }
  return std::sqrt(least);
}

Fronts::Memory::Memory(const Fronts& fronts, const Plan& plan)
    : F_(fronts.matrices_),
      h_(fronts.vectors_),
      lambda_of_node_(fronts.vectors_),
      pivots_(fronts.vectors_),
      left_(fronts.vectors_),
      live_(fronts.vectors_),
      order_(fronts.vectors_),
      ranks_(fronts.nodes_.size()),
      lost_(fronts.nodes_.size()) {
  std::size_t numbers = 0;
  for (std::size_t b = 0; b < plan.branches().size(); ++b) {
    branch_at_.push_back(numbers);
    numbers += to_index(plan.constants(static_cast<int>(b)).stride);
  }
  lambda_ = AlignedArray<double>(numbers);
}

}  // namespace sarrus::branches
