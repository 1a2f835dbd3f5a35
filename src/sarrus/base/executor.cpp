#include "sarrus/base/executor.h"

#include <algorithm>
#include <atomic>
#include <queue>

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

struct alignas(64) Executor::Cut::Meeting {
  std::atomic<int> arrived = 0;     ///< on the way up: children that are done
  std::atomic<unsigned> state = 0;  ///< on the way down: of which sweep, and is it begun or done
};

Executor::Executor(int threads, double grain)
    : threads_(threads), grain_(grain), pool_(threads > 1 ? ThreadPool::with(threads) : nullptr) {}

Executor::Cut::~Cut() = default;
Executor::Cut::Cut(const Executor& executor, const TaskTree& tree)
    : nodes_(static_cast<int>(tree.nodes.size())) {
  if (!executor.pool_) return;
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
  std::vector<int> whole, upper;
  while (!subtrees.empty()) {
    const int top = subtrees.top();
    const bool enough = executor.grain_ > 0 && is_fine(whole.size() + subtrees.size(),
                                                       node(top).cost, total, executor.threads_);
    subtrees.pop();
    if (enough || node(top).children.empty() || node(top).cost < executor.grain_) {
      whole.push_back(top);
      continue;
    }
    upper.push_back(top);
    for (const int child : node(top).children) subtrees.push(child);
  }
  std::sort(whole.begin(), whole.end());
  std::sort(upper.begin(), upper.end());
  std::vector<int> place(tree.nodes.size(), -1), above(tree.nodes.size(), -1);
  for (std::size_t i = 0; i < upper.size(); ++i) {
    place[place_of(upper[i])] = static_cast<int>(i);
    for (const int child : node(upper[i]).children) above[place_of(child)] = static_cast<int>(i);
    upper_.push_back({upper[i], -1, static_cast<int>(node(upper[i]).children.size())});
  }
  for (Place& in : upper_) in.above = above[place_of(in.node)];
  for (const int bundle : whole) {
    ranges_.emplace_back(node(bundle).begin, bundle);
    above_.push_back(above[place_of(bundle)]);
  }
  // Neighbours go to one thread, by cost as many to each.
  double so_far = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const double middle = so_far + node(whole[i]).cost / 2;
    so_far += node(whole[i]).cost;
    while (static_cast<double>(ends_.size() + 1) * total < middle * executor.threads_)
      ends_.push_back(static_cast<int>(i));
  }
  ends_.push_back(static_cast<int>(whole.size()));
  meetings_ = std::make_unique<Meeting[]>(upper_.size());
}

void Executor::up(const Cut& cut, Visit visit) const {
  if (cut.nodes_ == 0) return;
  if (!pool_) return visit_range(visit, 0, cut.nodes_ - 1);
  pool_->run(cut.ends_, [&cut, visit](int i) {
    const auto [first, last] = cut.ranges_[place_of(i)];
    visit_range(visit, first, last);
    // Whoever comes last to a node of the top of the tree goes on with it.
    for (int above = cut.above_[place_of(i)]; above >= 0;) {
      const Cut::Place& place = cut.upper_[place_of(above)];
      std::atomic<int>& arrived = cut.meetings_[place_of(above)].arrived;
      if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 < place.children) return;
      arrived.store(0, std::memory_order_relaxed);
      visit_range(visit, place.node, place.node);
      above = place.above;
    }
  });
}

void Executor::down(const Cut& cut, Visit visit) const {
  if (cut.nodes_ == 0) return;
  if (!pool_) return visit_range(visit, 0, cut.nodes_ - 1);
  const unsigned done = 2 * ++cut.sweeps_, begun = done - 1;
  // Whoever comes first to a node of the top of the tree does it; the others wait.
  const auto descend = [&](const auto& self, int to) -> void {
    if (to < 0) return;
    const Cut::Place& place = cut.upper_[place_of(to)];
    std::atomic<unsigned>& state = cut.meetings_[place_of(to)].state;
    unsigned now = state.load(std::memory_order_acquire);
    if (now != done && now != begun && state.compare_exchange_strong(now, begun)) {
      self(self, place.above);
      visit_range(visit, place.node, place.node);
      state.store(done, std::memory_order_release);
    }
    wait_until([&] { return state.load(std::memory_order_acquire) == done; });
  };
  pool_->run(cut.ends_, [&](int i) {
    descend(descend, cut.above_[place_of(i)]);
    const auto [first, last] = cut.ranges_[place_of(i)];
    visit_range(visit, first, last);
  });
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
