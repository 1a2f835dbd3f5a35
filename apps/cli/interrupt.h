#pragma once

#include <csignal>

namespace sarrus::cli {

/// While one of these lives, Ctrl-C (or SIGTERM) only asks the run to end after its present step.
/// A second Ctrl-C ends the program at once. Where the signal was ignored (nohup), it still is.
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
};

}  // namespace sarrus::cli
