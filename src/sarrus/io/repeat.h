#pragma once

#include <functional>
#include <string_view>

#include "sarrus/io/read_context.h"

namespace sarrus::io {

/// Calls `read` for every element of a list such as `bodies:`, with `repeat` and `when` carried
/// out: as often as its indices say, their values in the context's scope.
///
/// Before the elements of a `repeat` come, `expect` is told how many there will be at most.
///
/// An element that fails is not repeated further: one slip is told once, not a thousand times.
void for_each_element(ReadContext& context, const YamlNode& list, std::string_view kind,
                      const std::function<void(const YamlNode& element)>& read,
                      const std::function<void(std::size_t count)>& expect);

/// Elements that all the repeats of one list may make together.
inline constexpr double kMostElements = 5'000'000;

}  // namespace sarrus::io
