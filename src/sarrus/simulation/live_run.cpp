#include "sarrus/simulation/live_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "sarrus/base/diagnostics.h"
#include "sarrus/base/stopwatch.h"

namespace sarrus {

long CommandQueue::post(Transaction transaction) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back({++posted_, std::move(transaction)});
  return posted_;
}

std::deque<CommandQueue::Command> CommandQueue::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

LiveRun::LiveRun(Simulation& simulation, const LiveOptions& options)
    : simulation_(simulation), options_(options), start_(simulation.time()) {
  if (!(options.step > 0) || !std::isfinite(options.step))
    throw UsageError(
        fmt::format("the step of a live run is {} s; it must be positive", options.step));
  if (!(options.speed >= 0) || !std::isfinite(options.speed))
    throw UsageError(
        fmt::format("the speed of a live run is {}; it must be 0 or more", options.speed));
}

void LiveRun::on_reply(std::function<void(const CommandReply&)> callback) {
  reply_ = std::move(callback);
}

double LiveRun::real_time_factor() const { return elapsed_ > 0 ? simulated_ / elapsed_ : 0; }

// A multiple of the step, so that no rounding adds up.
double LiveRun::next_time() const {
  return start_ + static_cast<double>(steps_ + 1) * options_.step;
}

Status LiveRun::carry_out(long ticket, const Transaction& transaction) {
  CommandReply reply{.ticket = ticket, .time = simulation_.time(), .report = {}};
  reply.report = simulation_.edit(transaction);
  if (reply.report.status.ok())
    log_.push_back({.at = reply.time, .edits = transaction, .source = {}});
  if (reply_) reply_(reply);
  return reply.report.status;
}

Status LiveRun::advance() {
  Status status = simulation_.advance_to(next_time());
  if (status.ok()) ++steps_;
  return status;
}

Status LiveRun::step() {
  if (Status status = advance(); !status.ok()) return status;
  serve();
  return {};
}

void LiveRun::serve() {
  for (const auto& [ticket, transaction] : queue_.take()) carry_out(ticket, transaction);
}

// [live-pacing]
Status LiveRun::run_to(double t_end) {
  const double from = simulation_.time();
  const double elapsed_before = elapsed_;
  const double simulated_before = simulated_;
  double lost = 0;  // of the clock, not to be made up for
  const Stopwatch clock;
  serve();
  while (next_time() <= t_end + 1e-9 * options_.step && !stops_) {
    if (Status status = step(); !status.ok()) return status;
    simulated_ = simulated_before + simulation_.time() - from;
    elapsed_ = elapsed_before + clock.wall();
    if (options_.speed == 0) continue;
    const double ahead = (simulation_.time() - from) / options_.speed - (clock.wall() - lost);
    if (ahead > 0)
      wait(ahead);
    else if (-ahead > options_.patience)
      lost += -ahead - options_.patience;
    elapsed_ = elapsed_before + clock.wall();
  }
  stops_ = false;
  return {};
}

// In pieces, so that a wish to stop is soon heard.
void LiveRun::wait(double seconds) const {
  constexpr double kPiece = 0.02;
  const Stopwatch clock;
  for (double left = seconds; left > 0 && !stops_; left = seconds - clock.wall())
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, kPiece)));
}

Status LiveRun::replay(const std::vector<TimelineEntry>& log, double t_end) {
  std::size_t next = 0;
  const auto carry_out_due = [&]() -> Status {
    for (; next < log.size() && log[next].at <= simulation_.time(); ++next)
      if (Status status = carry_out(0, log[next].edits); !status.ok()) return status;
    return {};
  };
  if (Status status = carry_out_due(); !status.ok()) return status;
  while (next_time() <= t_end + 1e-9 * options_.step) {
    if (Status status = advance(); !status.ok()) return status;
    if (Status status = carry_out_due(); !status.ok()) return status;
  }
  return {};
}

}  // namespace sarrus
