#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

namespace sarrus {

/// A reference to something to call; lives as long as that does.
template <class... Arguments>
class Call {
 public:
  Call() = default;
  template <class F>
  Call(const F& function)  // NOLINT: meant to be implicit
      : object_(&function), call_([](const void* object, Arguments... arguments) {
          (*static_cast<const F*>(object))(arguments...);
        }) {}
  void operator()(Arguments... arguments) const { call_(object_, arguments...); }

 private:
  const void* object_ = nullptr;
  void (*call_)(const void*, Arguments...) = nullptr;
};

/// A moment, for a thread that watches a number that another will change.
inline void pause_core() {
#if defined(__SSE2__)
  __builtin_ia32_pause();
#endif
}

/// Waits for what another thread is about to do, at first without letting go of the core.
template <class Predicate>
void wait_until(const Predicate& holds) {
  constexpr int kWatches = 200;
  for (int i = 0; !holds(); ++i) i < kWatches ? pause_core() : std::this_thread::yield();
}

/// Threads that wait for work that takes microseconds: they watch for the next round on their cores
/// for a while before they sleep, and a round is over when the work is, whoever did it.
class ThreadPool {
 public:
  /// The calling thread and `threads` − 1 more; all who ask for as many share them.
  static std::shared_ptr<ThreadPool> with(int threads);
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls task(i) for all i below ends.back(). Thread t begins with those from ends[t − 1] to
  /// ends[t], always the same, as they are in its cache, and then helps others. A task may not throw.
  /// A caller who comes while another is served does all of it alone.
  void run(std::span<const int> ends, Call<int> task);

 private:
  using Clock = std::chrono::steady_clock;
  /// One thread's own tasks, and what it has done of anybody's: numbers with their round.
  struct alignas(64) Share {
    std::atomic<std::uint64_t> left = 0;
    int end = 0;
    alignas(64) std::atomic<std::uint64_t> done = 0;
  };
  void serve(std::size_t thread);
  template <class IsOver>
  void take(std::size_t thread, std::uint32_t round, const IsOver& is_over);
  void take_from(Share& share, std::uint32_t round, Share& own);
  int count_done(std::uint32_t round) const;
  std::uint32_t next_round(std::uint32_t last);

  bool has_cores_;  ///< one for every thread
  std::vector<Share> shares_;
  std::vector<std::thread> others_;
  std::atomic<bool> busy_ = false;
  alignas(64) std::atomic<std::uint32_t> round_ = 0;  ///< odd: it goes on, even: it is over
  std::atomic<bool> ends_ = false;
  Call<int> task_;
  alignas(64) std::atomic<int> asleep_ = 0;
};

}  // namespace sarrus
