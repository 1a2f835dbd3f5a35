#pragma once

#include <cstddef>
#include <string_view>

namespace sarrus::io {

/// A word of an expression.
struct ExpressionToken {
  enum class Kind { kEnd, kNumber, kName, kText, kSymbol };
  Kind kind = Kind::kEnd;
  std::string_view text;   ///< as written; kText: without its quotes
  std::size_t offset = 0;  ///< where it begins
  double number = 0;
};

/// Cuts the text of an expression into words.
class ExpressionLexer {
 public:
  explicit ExpressionLexer(std::string_view text) : text_(text) {}

  /// The next word; kEnd for ever once the text is used up.  @throws ExpressionError.
  ExpressionToken next();

 private:
  ExpressionToken read_number() const;
  ExpressionToken read_text() const;

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace sarrus::io
