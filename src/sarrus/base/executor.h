#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sarrus/base/thread_pool.h"

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
/// A forest is cut into bundles, whole subtrees that one thread takes, and the top of the tree above them. Who
/// runs what, and how many threads there are, changes nothing in what is computed.  [sweep-bits]
class Executor {
 public:
  /// `threads` = 1: serial. `grain` [ns]: subtrees that cost less are not cut; 0: every leaf is a
  /// bundle, whatever it costs.
  explicit Executor(int threads = 1, double grain = kGrain);

  int threads() const { return threads_; }

  /// A forest cut for this executor, to be swept again and again, by one caller at a time.
  class Cut {
   public:
    Cut(const Executor& executor, const TaskTree& tree);
    ~Cut();

   private:
    friend class Executor;
    struct Place {
      int node = 0;
      int above = -1;    ///< which node of the top takes it in; −1: none
      int children = 0;  ///< bundles and nodes of the top right below
    };
    /// Where threads meet at a node of the top of the tree.
    struct Meeting;
    int nodes_ = 0;
    std::vector<std::pair<int, int>> ranges_;  ///< of nodes: the bundles
    std::vector<int> above_;                   ///< per bundle, into upper_
    std::vector<int> ends_;                    ///< per thread: of the bundles it begins with
    std::vector<Place> upper_;                 ///< rising
    std::unique_ptr<Meeting[]> meetings_;      ///< per node of the top of the tree
    mutable unsigned sweeps_ = 0;              ///< downwards, so far
  };

  using Visit = Call<int, int>;

  /// Calls visit(first, last) for ranges that together are all nodes, such that everything below a
  /// node is done before it; inside a range the nodes are to be taken in rising order.
  void up(const Cut& cut, Visit visit) const;

  /// The other way round: a node before everything below it; inside a range in falling order.
  void down(const Cut& cut, Visit visit) const;

  /// Handing work to another thread takes some microseconds; a bundle should be worth it.
  static constexpr double kGrain = 5000;

 private:
  int threads_;
  double grain_;
  std::shared_ptr<ThreadPool> pool_;  ///< none: serial
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
