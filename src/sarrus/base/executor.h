#pragma once

#include <atomic>
#include <memory>
#include <utility>
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
/// A forest is cut into bundles, whole subtrees that one thread takes, and the crown above them. Who
/// runs what, and how many threads there are, changes nothing in what is computed.  [sweep-bits]
class Executor {
 public:
  /// `threads` = 1: serial. `grain` [ns]: subtrees that cost less are not cut; 0: every leaf is a
  /// bundle, whatever it costs.
  explicit Executor(int threads = 1, double grain = kGrain);
  ~Executor();
  Executor(Executor&&) noexcept;
  Executor& operator=(Executor&&) noexcept;

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
      int above = -1;    ///< which of the crown takes it in; −1: none
      int children = 0;  ///< bundles and nodes of the crown right below
    };
    int nodes_ = 0;
    std::vector<std::pair<int, int>> ranges_;  ///< of nodes: the bundles
    std::vector<int> above_;                   ///< per bundle, into crown_
    std::vector<Place> crown_;                 ///< rising
    std::unique_ptr<std::atomic<int>[]> arrived_;
    struct Affinity;
    std::unique_ptr<Affinity> affinity_;  ///< who took which bundle the last time
  };

  /// A reference to something to call; lives as long as that does.
  class Visit {
   public:
    template <class F>
    Visit(const F& visit)  // NOLINT: meant to be implicit
        : object_(&visit), call_([](const void* object, int first, int last) {
            (*static_cast<const F*>(object))(first, last);
          }) {}
    void operator()(int first, int last) const { call_(object_, first, last); }

   private:
    const void* object_;
    void (*call_)(const void*, int, int);
  };

  /// Calls visit(first, last) for ranges that together are all nodes, such that everything below a
  /// node is done before it; inside a range the nodes are to be taken in rising order.
  void up(const Cut& cut, Visit visit) const;

  /// The other way round: a node before everything below it; inside a range in falling order.
  void down(const Cut& cut, Visit visit) const;

  /// Handing work to another thread takes a few microseconds; a bundle should be worth it.
  static constexpr double kGrain = 5000;

 private:
  struct Arena;
  template <class Task>
  void for_each_bundle(const Cut& cut, const Task& task) const;

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
