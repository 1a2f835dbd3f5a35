#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/output.h"

namespace sarrus::cli {
namespace {

std::string bar(double part) {
  constexpr int kWidth = 24;
  const int full = static_cast<int>(part * kWidth);
  return std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(kWidth - full), '-');
}

std::string duration(double seconds) {
  const long all = static_cast<long>(seconds + 0.5);
  if (all >= 3600) return fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
  return fmt::format("{}:{:02}", all / 60, all % 60);
}

// The first of the lines that fits into the terminal, else what fits of the last: a line that wraps
// could not be wiped.
std::string fitted(const std::vector<std::string>& lines) {
  constexpr std::size_t kUsual = 80;
  struct winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const std::size_t columns = known ? size.ws_col : kUsual;
  for (const std::string& line : lines)
    if (line.size() < columns) return line;
  return lines.back().substr(0, columns - 1);
}

}  // namespace

Progress::Progress(double until, bool wanted, std::string what)
    : until_(until),
      enabled_(wanted && until > 0 && isatty(STDERR_FILENO) != 0),
      what_(what.empty() ? "" : what + "  ") {}

void Progress::show(double time) {
  constexpr auto kBetween = std::chrono::milliseconds(100);
  if (!enabled_) return;
  const auto now = Clock::now();
  if (now - last_ < kBetween) return;
  last_ = now;
  shown_ = true;
  const double wall = std::chrono::duration<double>(now - start_).count();
  const double part = std::clamp(time / until_, 0.0, 1.0);
  const double left = time > 0 ? wall * (until_ - time) / time : 0;
  const std::string numbers =
      fmt::format("{:3.0f} %  t = {:.4g} of {:.4g} s  {:.3g}x real time  {} left", 100 * part, time,
                  until_, time / wall, duration(left));
  complain("\r\x1b[K" +
           fitted({fmt::format("{}[{}] {}", what_, bar(part), numbers), what_ + numbers, numbers}));
}

void Progress::clear() {
  if (!shown_) return;
  shown_ = false;
  complain("\r\x1b[K");
}

}  // namespace sarrus::cli
