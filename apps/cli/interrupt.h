#pragma once

#include <csignal>

namespace sarrus::cli {

/// While one of these lives, Ctrl-C (or SIGTERM, or the end of the processor time that `ulimit -S -t` gives)
/// only asks the run to end after its present step. A second Ctrl-C ends the program at once. Where the
/// signal was ignored (nohup), it still is.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool asked();

 private:
  struct sigaction old_int_ = {};
  struct sigaction old_term_ = {};
  struct sigaction old_time_ = {};
};

}  // namespace sarrus::cli
