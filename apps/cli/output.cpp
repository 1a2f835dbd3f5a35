#include "cli/output.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "cli/commands.h"

namespace sarrus::cli {
namespace {

int first_failure = 0;  ///< of stdout, as errno tells it

void keep_failure() {
  if (first_failure == 0) first_failure = errno == 0 ? EIO : errno;
}

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) keep_failure();
}

void complain(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void survive_failed_writes() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

int finish_output(int status) {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) keep_failure();
  if (first_failure == 0 || first_failure == EPIPE) return status;
  complain(fmt::format("sarrus: cannot write to stdout: {}\n", std::strerror(first_failure)));
  return status == kDone ? kCommandWrong : status;
}

}  // namespace sarrus::cli
