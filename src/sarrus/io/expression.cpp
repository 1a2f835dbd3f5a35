#include "sarrus/io/expression.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "sarrus/io/expression_parser.h"
#include "sarrus/io/expression_run.h"

namespace sarrus::io {

ExpressionError ExpressionError::already_reported(std::size_t offset) {
  ExpressionError error(offset, "uses a value that is wrong itself", {});
  error.reported_ = true;
  return error;
}

Expression Expression::parse(std::string_view text, Scope& scope) {
  return ExpressionParser(text, scope).parse();
}

double Expression::number(const Scope& scope) const {
  const ExpressionRun::Operand result = ExpressionRun(*this, scope).result();
  if (result.text == nullptr) return result.number;
  throw ExpressionError(
      0, fmt::format("the text '{}' stands where a number is needed", *result.text),
      "give a number; a parameter set to a single word that names nothing holds a text");
}

ScopeValue Expression::value(const Scope& scope) const {
  const ExpressionRun::Operand result = ExpressionRun(*this, scope).result();
  if (result.text != nullptr)
    return {.kind = ScopeValue::Kind::kText, .number = 0, .text = *result.text};
  return {.kind = ScopeValue::Kind::kNumber, .number = result.number, .text = {}};
}

bool parse_plain_number(std::string_view text, double& number) {
  // from_chars would take "inf" and "nan" too: a number has a digit among its first three.
  const std::string_view head = text.substr(0, 3);
  if (head.find_first_of("0123456789") == std::string_view::npos) return false;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && std::isfinite(number);
}

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (text.empty() || !letter(text[0])) return false;
  for (const char c : text)
    if (!letter(c) && !(c >= '0' && c <= '9')) return false;
  return true;
}

}  // namespace sarrus::io
