#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sarrus/io/expression.h"

namespace sarrus::io {

/// A text with places for values, such as `link{i-1}`; {{ and }} stand for the braces themselves.
class TextTemplate {
 public:
  /// @throws ExpressionError, its offset counted from the beginning of `text`.
  static TextTemplate parse(std::string_view text, Scope& scope);

  /// The text with its values filled in: whole numbers without a point, others with as few digits
  /// as tell them apart.  @throws ExpressionError as above.
  std::string fill(const Scope& scope) const;

 private:
  struct Place {
    std::size_t literal_size;  ///< characters of literals_ that stand before it
    std::size_t offset;        ///< of the expression in the text
    Expression expression;
  };
  std::string literals_;
  std::vector<Place> places_;
};

}  // namespace sarrus::io
