#pragma once

#include <string_view>

namespace sarrus::cli {

/// To stdout. A failure does not stop the command, whose files may matter more: it is kept for
/// `finish_output`.
void print(std::string_view text);

/// To stderr, where a failure cannot be told to anybody.
void complain(std::string_view text);

/// From here on a reader that goes away and a file that grows too large are failures of a write,
/// not the end of the program.
void survive_failed_writes();

/// Flushes stdout. A reader that had enough (`sarrus … | head`) is no failure.
/// @return `status`, or that of a failed command where stdout could not be written; says so.
int finish_output(int status);

}  // namespace sarrus::cli
