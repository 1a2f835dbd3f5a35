#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sarrus/model/description.h"

namespace sarrus::io {

/// An entry as a line or more of the list `timeline:`; reads back to the bit.
std::string timeline_entry_text(const TimelineEntry& entry);

}  // namespace sarrus::io

namespace sarrus {

/// The timeline of a text that has `timeline:` and may have nothing else: what a command log is.
/// @throws ModelError with every mistake.
std::vector<TimelineEntry> parse_timeline(std::string_view text, std::string file_name);

}  // namespace sarrus
