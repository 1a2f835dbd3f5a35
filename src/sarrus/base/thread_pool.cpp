#include "sarrus/base/thread_pool.h"

#include <map>
#include <mutex>
#include <system_error>

namespace sarrus {
namespace {

std::uint64_t in_round(std::uint32_t round, int number) {
  return std::uint64_t{round} << 32 | static_cast<std::uint32_t>(number);
}
std::uint32_t round_of(std::uint64_t counted) { return static_cast<std::uint32_t>(counted >> 32); }
int number_of(std::uint64_t counted) {
  return static_cast<int>(static_cast<std::uint32_t>(counted));
}

}  // namespace

std::shared_ptr<ThreadPool> ThreadPool::with(int threads) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<ThreadPool>> pools;
  const std::lock_guard lock(mutex);
  std::shared_ptr<ThreadPool> pool = pools[threads].lock();
  if (!pool) pools[threads] = pool = std::make_shared<ThreadPool>(threads);
  return pool;
}

ThreadPool::ThreadPool(int threads)
    : has_cores_(static_cast<unsigned>(threads) <= std::thread::hardware_concurrency()),
      shares_(static_cast<std::size_t>(threads)) {
  // Where the system gives no more threads, those that are there do the work of all.
  try {
    for (std::size_t t = 1; t < shares_.size(); ++t) others_.emplace_back([this, t] { serve(t); });
  } catch (const std::system_error&) {
  }
}

ThreadPool::~ThreadPool() {
  ends_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& thread : others_) thread.join();
}

void ThreadPool::run(std::span<const int> ends, Call<int> task) {
  const int count = ends.empty() ? 0 : ends.back();
  if (count < 2 || busy_.exchange(true, std::memory_order_acquire)) {
    for (int i = 0; i < count; ++i) task(i);
    return;
  }
  const std::uint32_t round = round_.load(std::memory_order_relaxed) + 1;
  task_ = task;
  int first = 0;
  for (std::size_t t = 0; t < shares_.size(); ++t) {
    const int end = t + 1 < shares_.size() && t < ends.size() ? ends[t] : count;
    shares_[t].end = end;
    shares_[t].left.store(in_round(round, end - first), std::memory_order_release);
    first = end;
  }
  // Who is about to sleep either sees the round or is seen.
  round_.store(round, std::memory_order_seq_cst);
  if (asleep_.load(std::memory_order_seq_cst) > 0) round_.notify_all();
  const auto is_over = [&] { return count_done(round) == count; };
  take(0, round, is_over);
  wait_until(is_over);
  round_.store(round + 1, std::memory_order_release);
  busy_.store(false, std::memory_order_release);
}

void ThreadPool::serve(std::size_t thread) {
  for (std::uint32_t round = 0;;) {
    round = next_round(round);
    if (ends_) return;
    take(thread, round, [&] { return round_.load(std::memory_order_acquire) != round; });
  }
}

template <class IsOver>
void ThreadPool::take(std::size_t thread, std::uint32_t round, const IsOver& is_over) {
  const auto begin = Clock::now();
  Share& own = shares_[thread];
  take_from(own, round, own);
  // What others work on is in their caches, and would have to come back: they are helped only if they
  // take longer than one did oneself by more than that costs.
  if (has_cores_) {
    const auto end = Clock::now();
    const auto patience = std::chrono::microseconds(2) + (end - begin) / 8;
    do
      for (int watches = 0; watches < 16; ++watches) {
        if (is_over()) return;
        pause_core();
      }
    while (Clock::now() - end < patience);
  }
  for (std::size_t k = 1; k < shares_.size(); ++k)
    take_from(shares_[(thread + k) % shares_.size()], round, own);
}

// Who holds a task of a round knows that the round goes on: only then may it look at anything else.
void ThreadPool::take_from(Share& share, std::uint32_t round, Share& own) {
  int done = 0;
  for (std::uint64_t left = share.left.load(std::memory_order_acquire);
       round_of(left) == round && number_of(left) > 0;) {
    if (!share.left.compare_exchange_weak(left, left - 1, std::memory_order_acq_rel,
                                          std::memory_order_acquire))
      continue;
    task_(share.end - number_of(left));
    ++done;
    left = share.left.load(std::memory_order_acquire);
  }
  if (done == 0) return;
  const std::uint64_t before = own.done.load(std::memory_order_relaxed);
  own.done.store(in_round(round, done + (round_of(before) == round ? number_of(before) : 0)),
                 std::memory_order_release);
}

int ThreadPool::count_done(std::uint32_t round) const {
  int count = 0;
  for (const Share& share : shares_) {
    const std::uint64_t done = share.done.load(std::memory_order_acquire);
    if (round_of(done) == round) count += number_of(done);
  }
  return count;
}

std::uint32_t ThreadPool::next_round(std::uint32_t last) {
  // About as long as what lies between two evaluations of a large mechanism.
  constexpr std::chrono::microseconds kWatch(200);
  const auto has_come = [&](std::uint32_t round) { return round != last && round % 2 == 1; };
  std::uint32_t round = 0;
  if (has_cores_) {
    const auto begin = Clock::now();
    do
      for (int watches = 0; watches < 64; ++watches) {
        round = round_.load(std::memory_order_acquire);
        if (has_come(round)) return round;
        pause_core();
      }
    while (Clock::now() - begin < kWatch);
  }
  asleep_.fetch_add(1, std::memory_order_seq_cst);
  while (!has_come(round = round_.load(std::memory_order_seq_cst)))
    round_.wait(round, std::memory_order_seq_cst);
  asleep_.fetch_sub(1, std::memory_order_relaxed);
  return round;
}

}  // namespace sarrus
