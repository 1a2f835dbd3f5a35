#include "sarrus/base/executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

namespace sarrus {
namespace {

TEST(ThreadPool, EveryTaskRunsOnceInEveryRound) {
  // More threads than cores too, shares of all sizes, and rounds close enough to meet latecomers.
  for (const int threads : {2, 3, 16}) {
    ThreadPool pool(threads);
    const std::vector<std::vector<int>> shares = {{1}, {5}, {0, 40}, {1, 2}, {7, 7, 20}, {}};
    for (int round = 0; round < 3000; ++round) {
      const std::vector<int>& ends = shares[static_cast<std::size_t>(round) % shares.size()];
      std::vector<int> count(ends.empty() ? 0 : static_cast<std::size_t>(ends.back()), 0);
      pool.run(ends, [&](int i) { ++count[static_cast<std::size_t>(i)]; });
      ASSERT_EQ(std::count(count.begin(), count.end(), 1), std::ssize(count)) << round;
    }
  }
}

TEST(ThreadPool, SleepersComeBack) {
  ThreadPool pool(2);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // watching ends before
    std::atomic<int> count = 0;
    pool.run(std::vector{8, 16}, [&](int) { ++count; });
    ASSERT_EQ(count, 16);
  }
}

TEST(ThreadPool, CallersMayComeTogetherAndFromInside) {
  const std::shared_ptr<ThreadPool> pool = ThreadPool::with(4);
  EXPECT_EQ(pool, ThreadPool::with(4));
  std::atomic<int> count = 0;
  const std::vector<int> ends = {2, 4, 6, 8};
  const auto call = [&] {
    for (int round = 0; round < 200; ++round)
      pool->run(ends, [&](int) { pool->run(ends, [&](int) { ++count; }); });
  };
  std::thread other(call);
  call();
  other.join();
  EXPECT_EQ(count, 2 * 200 * 8 * 8);
}

/// Trees of any shape: a node's children come right before it, subtree after subtree.
TaskTree random_tree(std::mt19937& random, int leaves) {
  TaskTree tree;
  std::vector<int> open;
  const auto add = [&](std::vector<int> children) {
    const int n = static_cast<int>(tree.nodes.size());
    TaskTree::Node node;
    node.begin = n;
    node.cost = 1 + static_cast<double>(random() % 1000);
    for (const int child : children) {
      node.begin = std::min(node.begin, tree.nodes[static_cast<std::size_t>(child)].begin);
      node.cost += tree.nodes[static_cast<std::size_t>(child)].cost;
    }
    node.children = std::move(children);
    tree.nodes.push_back(std::move(node));
    open.push_back(n);
  };
  for (int leaf = 0; leaf < leaves; ++leaf) {
    add({});
    while (open.size() > 1 && random() % 5 < 2) {
      const auto taken = std::min<std::size_t>(open.size(), 1 + random() % 3);
      std::vector<int> children(open.end() - static_cast<std::ptrdiff_t>(taken), open.end());
      open.resize(open.size() - taken);
      add(std::move(children));
    }
  }
  tree.roots = open;
  return tree;
}

TEST(Executor, SweepsVisitEveryNodeInOrder) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 60; ++trial) {
    const TaskTree tree = random_tree(random, 1 + static_cast<int>(random() % 200));
    const int nodes = static_cast<int>(tree.nodes.size());
    const Executor executor(trial % 3 == 0 ? 16 : 1 + trial % 3, trial % 2 == 0 ? 0 : 500);
    const Executor::Cut cut(executor, tree);
    // Plain numbers on purpose: the sweeps themselves must order what threads write and read.
    std::vector<long> height(tree.nodes.size()), depth(tree.nodes.size());
    std::vector<int> parent(tree.nodes.size(), -1);
    for (int n = 0; n < nodes; ++n)
      for (const int child : tree.nodes[static_cast<std::size_t>(n)].children)
        parent[static_cast<std::size_t>(child)] = n;
    for (int sweep = 1; sweep <= 20; ++sweep) {
      executor.up(cut, [&](int first, int last) {
        for (int n = first; n <= last; ++n) {
          long& own = height[static_cast<std::size_t>(n)];
          own += 1;
          for (const int child : tree.nodes[static_cast<std::size_t>(n)].children)
            own += height[static_cast<std::size_t>(child)];
        }
      });
      executor.down(cut, [&](int first, int last) {
        for (int n = last; n >= first; --n) {
          const int p = parent[static_cast<std::size_t>(n)];
          depth[static_cast<std::size_t>(n)] +=
              1 + (p < 0 ? 0 : depth[static_cast<std::size_t>(p)]) % 1000;
          height[static_cast<std::size_t>(n)] %= 1000;
        }
      });
    }
    std::vector<long> h(tree.nodes.size()), d(tree.nodes.size());
    for (int sweep = 1; sweep <= 20; ++sweep) {
      for (std::size_t n = 0; n < h.size(); ++n) {
        h[n] += 1;
        for (const int child : tree.nodes[n].children) h[n] += h[static_cast<std::size_t>(child)];
      }
      for (std::size_t n = d.size(); n-- > 0;)
        d[n] += 1 + (parent[n] < 0 ? 0 : d[static_cast<std::size_t>(parent[n])]) % 1000;
      for (long& number : h) number %= 1000;
    }
    ASSERT_EQ(height, h);
    ASSERT_EQ(depth, d);
  }
}

}  // namespace
}  // namespace sarrus
