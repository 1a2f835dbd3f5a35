#include "sarrus/io/expression_lexer.h"

#include <fmt/format.h>

#include <charconv>

#include "sarrus/io/expression.h"

namespace sarrus::io {
namespace {

using Kind = ExpressionToken::Kind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Bytes of the UTF-8 character that begins with `c`, so that messages show it whole.
std::size_t character_size(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0xF0) return 4;
  if (byte >= 0xE0) return 3;
  return byte >= 0xC0 ? 2 : 1;
}

}  // namespace

ExpressionToken ExpressionLexer::next() {
  while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t' ||
                                      text_[position_] == '\n' || text_[position_] == '\r'))
    ++position_;
  const std::string_view rest = text_.substr(position_);
  if (rest.empty()) return {Kind::kEnd, {}, position_, 0};
  ExpressionToken token;
  const bool dot_number = rest[0] == '.' && rest.size() > 1 && is_digit(rest[1]);
  if (is_digit(rest[0]) || dot_number) {
    token = read_number();
  } else if (is_letter(rest[0])) {
    std::size_t size = 1;
    while (size < rest.size() && (is_letter(rest[size]) || is_digit(rest[size]))) ++size;
    token = {Kind::kName, rest.substr(0, size), position_, 0};
  } else if (rest[0] == '\'' || rest[0] == '"') {
    token = read_text();
    position_ += 2;  // the quotes
  } else {
    std::size_t size = character_size(rest[0]);
    for (const std::string_view pair : {"<=", ">=", "==", "!=", "**", "&&", "||"})
      if (rest.substr(0, 2) == pair) size = 2;
    token = {Kind::kSymbol, rest.substr(0, size), position_, 0};
  }
  position_ += token.text.size();
  return token;
}

ExpressionToken ExpressionLexer::read_number() const {
  const char* begin = text_.data() + position_;
  double number = 0;
  const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), number);
  if (error != std::errc())
    throw ExpressionError(position_, "the number is too large or too small",
                          "numbers lie between 1e-307 and 1e308");
  return {Kind::kNumber, {begin, static_cast<std::size_t>(stop - begin)}, position_, number};
}

ExpressionToken ExpressionLexer::read_text() const {
  const std::size_t close = text_.find(text_[position_], position_ + 1);
  if (close == std::string_view::npos)
    throw ExpressionError(position_, "the text is not closed",
                          fmt::format("end it with {}", text_[position_]));
  return {Kind::kText, text_.substr(position_ + 1, close - position_ - 1), position_, 0};
}

}  // namespace sarrus::io
