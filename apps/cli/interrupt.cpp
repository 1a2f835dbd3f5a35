#include "cli/interrupt.h"

namespace sarrus::cli {
namespace {

// All that a signal handler may touch.
volatile std::sig_atomic_t asked_to_stop = 0;

extern "C" void ask_to_stop(int /*signal*/) { asked_to_stop = 1; }

constexpr int kOnce = static_cast<int>(SA_RESETHAND);

void handle(int signal, struct sigaction& old, int flags = kOnce) {
  struct sigaction action = {};
  action.sa_handler = ask_to_stop;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, &old);
  if (old.sa_handler == SIG_IGN) sigaction(signal, &old, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
  handle(SIGINT, old_int_);
  handle(SIGTERM, old_term_);
  handle(SIGXCPU, old_time_, 0);  // comes again every second
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
  sigaction(SIGXCPU, &old_time_, nullptr);
}

bool Interrupt::asked() { return asked_to_stop != 0; }

}  // namespace sarrus::cli
