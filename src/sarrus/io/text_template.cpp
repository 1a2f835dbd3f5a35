#include "sarrus/io/text_template.h"

#include <fmt/format.h>

#include <cmath>

namespace sarrus::io {
namespace {

// Runs `action`, moving the offset of its errors from the expression's text to the whole one.
template <class Action>
auto shifted(std::size_t offset, Action action) {
  try {
    return action();
  } catch (const ExpressionError& error) {
    if (error.reported()) throw;
    throw ExpressionError(offset + error.offset(), error.what(), error.hint());
  }
}

void append_value(std::string& text, const ScopeValue& value) {
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  if (value.kind == ScopeValue::Kind::kText)
    text += value.text;
  else if (std::abs(value.number) < kExactIntegers && std::floor(value.number) == value.number)
    text += fmt::format_int(static_cast<long long>(value.number)).c_str();
  else
    fmt::format_to(std::back_inserter(text), "{}", value.number);
}

// The } that closes the { at `open`; a quoted text inside may hold braces of its own.
std::size_t closing_brace(std::string_view text, std::size_t open) {
  char quote = 0;
  for (std::size_t i = open + 1; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '}') {
      return i;
    }
  }
  throw ExpressionError(open, "'{' is not closed",
                        "close it with }; write {{ for the character itself");
}

}  // namespace

TextTemplate TextTemplate::parse(std::string_view text, Scope& scope) {
  TextTemplate result;
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    const bool doubled = i + 1 < text.size() && text[i + 1] == c;
    if ((c != '{' && c != '}') || doubled) {
      result.literals_ += c;
      i += (c == '{' || c == '}') ? 2 : 1;
    } else if (c == '{') {
      const std::size_t close = closing_brace(text, i);
      const std::size_t begin = i + 1;
      auto expression = shifted(
          begin, [&] { return Expression::parse(text.substr(begin, close - begin), scope); });
      result.places_.push_back({result.literals_.size(), begin, std::move(expression)});
      i = close + 1;
    } else {
      throw ExpressionError(i, "'}' without its '{'", "write }} for the character itself");
    }
  }
  return result;
}

std::string TextTemplate::fill(const Scope& scope) const {
  std::string text;
  std::size_t copied = 0;
  for (const Place& place : places_) {
    text.append(literals_, copied, place.literal_size - copied);
    copied = place.literal_size;
    append_value(text, shifted(place.offset, [&] { return place.expression.value(scope); }));
  }
  return text.append(literals_, copied);
}

}  // namespace sarrus::io
