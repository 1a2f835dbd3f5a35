#include "sarrus/base/executor.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <optional>
#include <queue>
#include <thread>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace sarrus {
namespace {

std::size_t place_of(int i) { return static_cast<std::size_t>(i); }

void visit_range(Executor::Visit visit, int first, int last) {
  const FlushDenormals flush;
  visit(first, last);
}

/// Enough for every thread, and none so large that the others wait for it long. Of much work every
/// thread gets several pieces, so that one that is held up does not hold up all. Eight was the best of
/// 1, 2, 4 and 8 on 16 cores.
bool is_fine(std::size_t bundles, double largest, double total, int threads) {
  constexpr double kUneven = 1.3;
  constexpr double kMuch = 1e5;  // [ns] a thread
  const double each = total / threads > kMuch ? 8 : 1;
  const double wanted = each * threads;
  return static_cast<double>(bundles) >= wanted && largest <= kUneven * total / wanted;
}

}  // namespace

struct Executor::Arena {
  explicit Arena(int threads) : tbb(threads) {
    // More threads than cores are given only when asked for by name.
    if (threads > ::tbb::this_task_arena::max_concurrency())
      more.emplace(tbb::global_control::max_allowed_parallelism, threads);
  }
  std::optional<::tbb::global_control> more;
  ::tbb::task_arena tbb;
};

Executor::Executor(int threads, double grain)
    : threads_(threads),
      grain_(grain),
      arena_(threads > 1 ? std::make_unique<Arena>(threads) : nullptr) {}
Executor::~Executor() = default;
Executor::Executor(Executor&&) noexcept = default;
Executor& Executor::operator=(Executor&&) noexcept = default;

struct Executor::Cut::Affinity {
  tbb::affinity_partitioner partitioner;
};

Executor::Cut::~Cut() = default;
Executor::Cut::Cut(const Executor& executor, const TaskTree& tree)
    : nodes_(static_cast<int>(tree.nodes.size())) {
  if (!executor.arena_) return;
  affinity_ = std::make_unique<Affinity>();
  const auto node = [&](int i) -> const TaskTree::Node& { return tree.nodes[place_of(i)]; };
  // The costliest subtree is cut next; of equals the first.
  const auto cheaper = [&](int a, int b) {
    return node(a).cost != node(b).cost ? node(a).cost < node(b).cost : a > b;
  };
  std::priority_queue<int, std::vector<int>, decltype(cheaper)> subtrees(cheaper);
  double total = 0;
  for (const int root : tree.roots) {
    subtrees.push(root);
    total += node(root).cost;
  }
  std::vector<int> whole, crown;
  while (!subtrees.empty()) {
    const int top = subtrees.top();
    const bool enough = executor.grain_ > 0 && is_fine(whole.size() + subtrees.size(),
                                                       node(top).cost, total, executor.threads_);
    subtrees.pop();
    if (enough || node(top).children.empty() || node(top).cost < executor.grain_) {
      whole.push_back(top);
      continue;
    }
    crown.push_back(top);
    for (const int child : node(top).children) subtrees.push(child);
  }
  std::sort(whole.begin(), whole.end());
  std::sort(crown.begin(), crown.end());
  std::vector<int> place(tree.nodes.size(), -1), above(tree.nodes.size(), -1);
  for (std::size_t i = 0; i < crown.size(); ++i) {
    place[place_of(crown[i])] = static_cast<int>(i);
    for (const int child : node(crown[i]).children) above[place_of(child)] = static_cast<int>(i);
    crown_.push_back({crown[i], -1, static_cast<int>(node(crown[i]).children.size())});
  }
  for (Place& in : crown_) in.above = above[place_of(in.node)];
  for (const int bundle : whole) {
    ranges_.emplace_back(node(bundle).begin, bundle);
    above_.push_back(above[place_of(bundle)]);
  }
  arrived_ = std::make_unique<std::atomic<int>[]>(crown_.size());
  for (std::size_t i = 0; i < crown_.size(); ++i) arrived_[i] = 0;
}

template <class Task>
void Executor::for_each_bundle(const Cut& cut, const Task& task) const {
#if defined(__SANITIZE_THREAD__)
  // TBB's hand-overs look like races to the sanitizer; plain threads let it see ours.
  std::vector<std::thread> threads;
  for (int t = 0; t < threads_; ++t)
    threads.emplace_back([&, t] {
      for (auto i = place_of(t); i < cut.ranges_.size(); i += place_of(threads_)) task(i);
    });
  for (std::thread& thread : threads) thread.join();
#else
  const auto some = [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) task(i);
  };
  const tbb::blocked_range<std::size_t> all(0, cut.ranges_.size());
  arena_->tbb.execute([&] {
    // What a thread worked on the last time, up or down, is still in its cache.
    tbb::parallel_for(all, some, cut.affinity_->partitioner);
  });
#endif
}

void Executor::up(const Cut& cut, Visit visit) const {
  if (cut.nodes_ == 0) return;
  if (!arena_) return visit_range(visit, 0, cut.nodes_ - 1);
  for (std::size_t i = 0; i < cut.crown_.size(); ++i) cut.arrived_[i] = 0;
  for_each_bundle(cut, [&](std::size_t i) {
    visit_range(visit, cut.ranges_[i].first, cut.ranges_[i].second);
    // Whoever comes last to a node of the crown goes on with it.
    for (int above = cut.above_[i]; above >= 0;) {
      const Cut::Place& place = cut.crown_[place_of(above)];
      std::atomic<int>& arrived = cut.arrived_[place_of(above)];
      if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 < place.children) return;
      visit_range(visit, place.node, place.node);
      above = place.above;
    }
  });
}

void Executor::down(const Cut& cut, Visit visit) const {
  if (cut.nodes_ == 0) return;
  if (!arena_) return visit_range(visit, 0, cut.nodes_ - 1);
  for (std::size_t i = cut.crown_.size(); i-- > 0;)
    visit_range(visit, cut.crown_[i].node, cut.crown_[i].node);
  for_each_bundle(
      cut, [&](std::size_t i) { visit_range(visit, cut.ranges_[i].first, cut.ranges_[i].second); });
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
