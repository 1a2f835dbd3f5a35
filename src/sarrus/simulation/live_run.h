#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "sarrus/simulation/live_edits.h"
#include "sarrus/simulation/simulation.h"

namespace sarrus {

/// Where other threads put what they want to be done to a mechanism, each transaction whole; the
/// thread that moves the mechanism takes it between two steps, in the order of arrival.
class CommandQueue {
 public:
  struct Command {
    long ticket = 0;
    Transaction transaction;
  };

  /// From any thread. Returns a ticket that the answer will carry.
  long post(Transaction transaction);

  /// All that has arrived.
  std::deque<Command> take();

 private:
  std::mutex mutex_;
  std::deque<Command> waiting_;
  long posted_ = 0;
};

/// What came of a command.
struct CommandReply {
  long ticket = 0;
  double time = 0;  ///< at which it was carried out or refused [s]
  EditReport report;
};

/// How fast a live run goes.
struct LiveOptions {
  double step = 1e-3;     ///< of the mechanism, fixed [s]
  double speed = 1;       ///< simulated seconds a second of the clock; 0: as fast as can be
  double patience = 0.1;  ///< of the clock: a delay beyond this is not made up for [s]
};

/// A mechanism that is moved in step with the clock while commands arrive.  [live-pacing]
///
/// Steps are of one length whatever happens: where computing is slower than the clock, simulated time
/// falls behind and the step stays. Commands are carried out at the end of a step and written into the
/// log; a log that is replayed with the same model, options and build gives the same bits.
///
/// @code
/// Simulation simulation(model, {.step = 1e-3});
/// LiveRun live(simulation, {.step = 1e-3});
/// std::thread hand([&] { live.queue().post({{GrabBody{.name = "hand", .body = "rod5"}, {}}}); });
/// live.run_to(10);
/// @endcode
class LiveRun {
 public:
  /// The simulation must outlive it. Its own step should be the same or adaptive.
  LiveRun(Simulation& simulation, const LiveOptions& options);

  CommandQueue& queue() { return queue_; }

  /// Steps and carries out commands until t_end, `stop` or trouble.
  Status run_to(double t_end);

  /// One step, then the commands that are waiting.
  Status step();

  /// The same motion again: the commands of a log at their times, as fast as can be. Commands that
  /// wait in the queue stay there; one of the log that is refused ends it.
  Status replay(const std::vector<TimelineEntry>& log, double t_end);

  /// Ends run_to, this one or the next, after the step under way; from any thread.
  void stop() { stops_ = true; }

  /// Called for every command, on the thread that moves the mechanism.
  void on_reply(std::function<void(const CommandReply&)> callback);

  /// Commands that were carried out, with their times. For the thread that moves the mechanism.
  const std::vector<TimelineEntry>& log() const { return log_; }

  /// Simulated over real time of run_to so far; 0 before. From any thread.
  double real_time_factor() const;

 private:
  double next_time() const;
  void serve();
  Status advance();
  Status carry_out(long ticket, const Transaction& transaction);
  void wait(double seconds) const;

  Simulation& simulation_;
  LiveOptions options_;
  CommandQueue queue_;
  std::vector<TimelineEntry> log_;
  std::function<void(const CommandReply&)> reply_;
  std::atomic<bool> stops_ = false;
  double start_;
  long steps_ = 0;
  std::atomic<double> simulated_ = 0, elapsed_ = 0;
};

}  // namespace sarrus
