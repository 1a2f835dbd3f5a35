#include "sarrus/base/executor.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace sarrus {
namespace {

using Visit = std::function<void(int, int)>;

const TaskTree::Node& node_of(const TaskTree& tree, int i) {
  return tree.nodes[static_cast<std::size_t>(i)];
}

void visit_piece(const Visit& visit, int first, int last) {
  const FlushDenormals flush;
  visit(first, last);
}

/// Calls f for each of the numbers, side by side.
template <class F>
void for_each_at_once(const std::vector<int>& numbers, F f) {
  if (numbers.size() == 1) {
    f(numbers[0]);
  } else if (numbers.size() == 2) {
    tbb::parallel_invoke([&] { f(numbers[0]); }, [&] { f(numbers[1]); });
  } else if (!numbers.empty()) {
    tbb::parallel_for(std::size_t{0}, numbers.size(), [&](std::size_t i) { f(numbers[i]); });
  }
}

void go_up(const TaskTree& tree, int node, double grain, const Visit& visit) {
  const TaskTree::Node& n = node_of(tree, node);
  if (n.cost < grain || n.children.empty()) return visit_piece(visit, n.begin, node);
  for_each_at_once(n.children, [&](int child) { go_up(tree, child, grain, visit); });
  visit_piece(visit, node, node);
}

void go_down(const TaskTree& tree, int node, double grain, const Visit& visit) {
  const TaskTree::Node& n = node_of(tree, node);
  if (n.cost < grain || n.children.empty()) return visit_piece(visit, n.begin, node);
  visit_piece(visit, node, node);
  for_each_at_once(n.children, [&](int child) { go_down(tree, child, grain, visit); });
}

}  // namespace

struct Executor::Arena {
  explicit Arena(int threads) : tbb(threads) {}
  tbb::task_arena tbb;
};

Executor::Executor(int threads, double grain)
    : threads_(threads),
      grain_(grain),
      arena_(threads > 1 ? std::make_unique<Arena>(threads) : nullptr) {}
Executor::~Executor() = default;
Executor::Executor(Executor&&) noexcept = default;
Executor& Executor::operator=(Executor&&) noexcept = default;

void Executor::up(const TaskTree& tree, const Visit& visit) const {
  if (tree.nodes.empty()) return;
  if (!arena_) return visit_piece(visit, 0, static_cast<int>(tree.nodes.size()) - 1);
  arena_->tbb.execute(
      [&] { for_each_at_once(tree.roots, [&](int root) { go_up(tree, root, grain_, visit); }); });
}

void Executor::down(const TaskTree& tree, const Visit& visit) const {
  if (tree.nodes.empty()) return;
  if (!arena_) return visit_piece(visit, 0, static_cast<int>(tree.nodes.size()) - 1);
  arena_->tbb.execute(
      [&] { for_each_at_once(tree.roots, [&](int root) { go_down(tree, root, grain_, visit); }); });
}

#if defined(__SSE2__)
FlushDenormals::FlushDenormals() : before_(_mm_getcsr()) {
  constexpr unsigned kFlushToZero = 0x8000;
  constexpr unsigned kDenormalsAreZero = 0x0040;
  _mm_setcsr(before_ | kFlushToZero | kDenormalsAreZero);
}
FlushDenormals::~FlushDenormals() { _mm_setcsr(before_); }
#else
FlushDenormals::FlushDenormals() : before_(0) {}
FlushDenormals::~FlushDenormals() = default;
#endif

}  // namespace sarrus
