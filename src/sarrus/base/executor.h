#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace sarrus {

/// Work in the shape of a forest: children are numbered before their parents, and a whole subtree
/// is the range [begin, node].
struct TaskTree {
  struct Node {
    int begin = 0;
    double cost = 0;  ///< of the whole subtree, expected [ns]
    std::vector<int> children;
  };
  std::vector<Node> nodes;
  std::vector<int> roots;
};

/// Who runs tasks: the calling thread alone, or several.
///
/// A forest is cut into pieces by cost alone; who runs which piece, and how many threads there are,
/// changes nothing in what is computed.  [sweep-bits]
class Executor {
 public:
  /// `threads` = 1: serial. `grain` [ns]: subtrees that cost less are one piece; 0: every node is
  /// one, whatever it costs.
  explicit Executor(int threads = 1, double grain = kGrain);
  ~Executor();
  Executor(Executor&&) noexcept;
  Executor& operator=(Executor&&) noexcept;

  int threads() const { return threads_; }

  /// Calls visit(first, last) for ranges that together are all nodes, such that everything below a
  /// node is done before it; inside a range the nodes are to be taken in rising order.
  void up(const TaskTree& tree, const std::function<void(int, int)>& visit) const;

  /// The other way round: a node before everything below it; inside a range in falling order.
  void down(const TaskTree& tree, const std::function<void(int, int)>& visit) const;

  /// Handing work to another thread takes a few microseconds; a piece should be worth it.
  static constexpr double kGrain = 8000;

 private:
  struct Arena;
  int threads_;
  double grain_;
  std::unique_ptr<Arena> arena_;
};

/// While it lives, numbers too small for full precision count as zero on this thread. What couples
/// the ends of a long chain decays into them, and the processor is slow there.
class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned before_;
};

}  // namespace sarrus
