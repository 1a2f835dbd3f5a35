#include "sarrus/io/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sarrus/base/diagnostics.h"

namespace sarrus::io {
Expression ExpressionParser::parse() {
  advance();
  if (token_.kind == Kind::kEnd)
    throw ExpressionError(0, "the expression is empty", "give a number or an expression");
  disjunction();
  if (token_.kind != Kind::kEnd) unexpected(token_);
  return std::move(result_);
}

// Tokens

bool ExpressionParser::next_is(std::string_view symbol_or_word) const {
  return (token_.kind == Kind::kSymbol || token_.kind == Kind::kName) &&
         token_.text == symbol_or_word;
}

bool ExpressionParser::take(std::string_view symbol_or_word) {
  if (!next_is(symbol_or_word)) return false;
  advance();
  return true;
}

void ExpressionParser::expect(std::string_view symbol, const std::string& why) {
  if (take(symbol)) return;
  const std::string found =
      token_.kind == Kind::kEnd ? "the end" : fmt::format("'{}'", token_.text);
  throw ExpressionError(token_.offset, fmt::format("'{}' is missing before {}", symbol, found),
                        why);
}

void ExpressionParser::unexpected(const Token& token) const {
  if (token.kind == Kind::kEnd)
    throw ExpressionError(token.offset, "the expression ends too early",
                          "inside [ ] and { } put an expression with commas in quotes");
  const std::string what = fmt::format("'{}' is not expected here", token.text);
  if (token.kind != Kind::kSymbol)
    throw ExpressionError(token.offset, what,
                          fmt::format("is an operator missing before it, as in 2*{}?", token.text));
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kInstead = {{
      {"**", "write ^ for powers"},
      {"=", "write == to compare"},
      {"&&", "write 'and'"},
      {"||", "write 'or'"},
      {"!", "write 'not', or != to compare"},
      {"%", "write mod(a, b)"},
      {"−", "this is not the minus of the keyboard; write -"},
      {"°", "write *deg"},
      {",", "write a decimal point; commas separate the arguments of functions"},
  }};
  for (const auto& [symbol, hint] : kInstead)
    if (symbol == token.text) throw ExpressionError(token.offset, what, std::string(hint));
  throw ExpressionError(token.offset, what, "operators are + - * / ^ < <= > >= == != and, or, not");
}

// Code

void ExpressionParser::emit(Op op, std::size_t offset, int index, double number) {
  result_.code_.push_back({op, index, static_cast<std::uint32_t>(offset), number});
}

std::size_t ExpressionParser::emit_jump(Op op, std::size_t offset) {
  emit(op, offset);
  return result_.code_.size() - 1;
}

void ExpressionParser::land(std::size_t jump) {
  result_.code_[jump].index = static_cast<std::int32_t>(result_.code_.size());
}

void ExpressionParser::push(std::size_t offset) {
  if (++stack_ > kMaxStack)
    throw ExpressionError(offset, "the expression is nested too deeply",
                          "compute parts of it as parameters of their own");
}

void ExpressionParser::enter(std::size_t offset) {
  if (++depth_ > kMaxDepth)
    throw ExpressionError(offset, "the expression is nested too deeply",
                          "compute parts of it as parameters of their own");
}

// Grammar

void ExpressionParser::disjunction() {
  conjunction();
  while (next_is("or")) {
    const std::size_t offset = token_.offset;
    advance();
    const std::size_t to_right = emit_jump(Op::kJumpIfZero, offset);
    pop();
    emit(Op::kNumber, offset, 0, 1);
    const std::size_t to_end = emit_jump(Op::kJump, offset);
    land(to_right);
    conjunction();
    emit(Op::kTruth, offset);
    land(to_end);
  }
}

void ExpressionParser::conjunction() {
  negation();
  while (next_is("and")) {
    const std::size_t offset = token_.offset;
    advance();
    const std::size_t to_zero = emit_jump(Op::kJumpIfZero, offset);
    pop();
    negation();
    emit(Op::kTruth, offset);
    const std::size_t to_end = emit_jump(Op::kJump, offset);
    land(to_zero);
    emit(Op::kNumber, offset, 0, 0);
    land(to_end);
  }
}

void ExpressionParser::negation() {
  const std::size_t offset = token_.offset;
  if (!take("not")) return comparison();
  enter(offset);
  negation();
  leave();
  emit(Op::kNot, offset);
}

void ExpressionParser::comparison() {
  static constexpr std::array<std::pair<std::string_view, Op>, 6> kComparisons = {
      {{"<", Op::kLess},
       {"<=", Op::kLessEqual},
       {">", Op::kGreater},
       {">=", Op::kGreaterEqual},
       {"==", Op::kEqual},
       {"!=", Op::kNotEqual}}};
  const auto operation = [this] {
    for (const auto& [symbol, op] : kComparisons)
      if (next_is(symbol)) return op;
    return Op::kNumber;
  };
  sum();
  const Op op = operation();
  if (op == Op::kNumber) return;
  const std::size_t offset = token_.offset;
  advance();
  sum();
  emit(op, offset);
  pop();
  if (operation() != Op::kNumber)
    throw ExpressionError(token_.offset, "comparisons cannot be chained", "write a < b and b < c");
}

void ExpressionParser::sum() {
  product();
  while (next_is("+") || next_is("-")) {
    const Op op = next_is("+") ? Op::kAdd : Op::kSubtract;
    const std::size_t offset = token_.offset;
    advance();
    product();
    emit(op, offset);
    pop();
  }
}

void ExpressionParser::product() {
  sign();
  while (next_is("*") || next_is("/")) {
    const Op op = next_is("*") ? Op::kMultiply : Op::kDivide;
    const std::size_t offset = token_.offset;
    advance();
    sign();
    emit(op, offset);
    pop();
  }
}

void ExpressionParser::sign() {
  const std::size_t offset = token_.offset;
  const bool negative = next_is("-");
  if (!negative && !next_is("+")) return power();
  advance();
  enter(offset);
  sign();
  leave();
  if (negative) emit(Op::kNegate, offset);
}

void ExpressionParser::power() {
  primary();
  if (!next_is("^")) return;
  const std::size_t offset = token_.offset;
  advance();
  enter(offset);
  sign();  // 2^-1, and 2^3^2 = 2^(3^2)
  leave();
  emit(Op::kPower, offset);
  pop();
}

void ExpressionParser::primary() {
  const Token token = token_;
  if (token.kind == Kind::kNumber) {
    advance();
    push(token.offset);
    return emit(Op::kNumber, token.offset, 0, token.number);
  }
  if (token.kind == Kind::kText) {
    advance();
    push(token.offset);
    result_.texts_.push_back(std::make_unique<const std::string>(token.text));
    return emit(Op::kText, token.offset, static_cast<int>(result_.texts_.size()) - 1);
  }
  if (token.kind == Kind::kName && token.text != "and" && token.text != "or") {
    advance();
    return name(token);
  }
  if (!next_is("(")) unexpected(token);
  advance();
  enter(token.offset);
  disjunction();
  leave();
  expect(")", "every ( needs its ); inside [ ] put an expression with commas in quotes");
}

void ExpressionParser::name(const Token& token) {
  const int index = find_function(token.text);
  const bool called = next_is("(");
  const bool special = token.text == "if" || token.text == "sum" || token.text == "root";
  if (special || index >= 0) {
    if (!called)
      throw ExpressionError(token.offset, fmt::format("'{}' is a function", token.text),
                            fmt::format("write {}(…)", token.text));
    advance();
    enter(token.offset);
    if (token.text == "if")
      conditional(token);
    else if (special)
      binder(token, token.text == "sum" ? Op::kSum : Op::kRoot);
    else
      call(token, functions()[static_cast<std::size_t>(index)], index);
    return leave();
  }
  const auto known = constant(token.text);
  const auto bound = std::find(bound_.begin(), bound_.end(), token.text);
  if (called) {
    const bool value = known.has_value() || bound != bound_.end() || scope_.defines(token.text);
    throw ExpressionError(token.offset, fmt::format("'{}' is not a function", token.text),
                          value ? fmt::format("to multiply, write {}*(…)", token.text)
                                : suggestion(token.text, reserved_names(), "functions"));
  }
  push(token.offset);
  if (known) return emit(Op::kNumber, token.offset, 0, *known);
  if (bound != bound_.end())
    return emit(Op::kBound, token.offset, static_cast<int>(bound - bound_.begin()));
  emit(Op::kName, token.offset, scope_.slot(token.text));
}

void ExpressionParser::conditional(const Token& token) {
  const std::string form = "write if(condition, value, value otherwise)";
  disjunction();
  const std::size_t to_else = emit_jump(Op::kJumpIfZero, token.offset);
  pop();
  expect(",", form);
  disjunction();
  const std::size_t to_end = emit_jump(Op::kJump, token.offset);
  pop();  // one of the two values is on the stack in the end
  land(to_else);
  expect(",", form);
  disjunction();
  land(to_end);
  expect(")", form);
}

// sum(k, from, to, term), root(x, low, high, expression): the last one is worked out many times.
void ExpressionParser::binder(const Token& token, Op op) {
  const std::string form =
      op == Op::kSum ? "write sum(k, from, to, term)" : "write root(x, low, high, expression)";
  const Token name = token_;
  if (name.kind != Kind::kName)
    throw ExpressionError(name.offset, fmt::format("{} needs a name first", token.text), form);
  if (is_reserved(name.text) || scope_.defines(name.text) ||
      std::find(bound_.begin(), bound_.end(), name.text) != bound_.end())
    throw ExpressionError(
        name.offset, fmt::format("{}: '{}' is the name of something else", token.text, name.text),
        form + " with a name that no parameter, index or function has");
  advance();
  expect(",", form);
  disjunction();
  expect(",", form);
  disjunction();
  expect(",", form);
  const std::size_t start = emit_jump(op, token.offset);
  pop(2);
  bound_.push_back(name.text);
  disjunction();
  bound_.pop_back();
  land(start);
  expect(")", form);
}

void ExpressionParser::call(const Token& token, const Function& function, int index) {
  int given = 0;
  if (!next_is(")")) {
    do {
      disjunction();
      // More than two arguments are folded: max(a, b, c) = max(max(a, b), c).
      if (++given >= 2 && function.arguments == 2) {
        emit(Op::kCall, token.offset, index);
        pop();
      }
    } while (take(","));
  }
  expect(")", "every ( needs its ); arguments are separated by commas");
  const bool enough = function.variadic ? given >= function.arguments : given == function.arguments;
  if (!enough)
    throw ExpressionError(token.offset,
                          fmt::format("{} takes {} argument{}, not {}", function.name,
                                      function.variadic         ? "two or more"
                                      : function.arguments == 1 ? "one"
                                                                : "two",
                                      function.arguments == 1 ? "" : "s", given),
                          function.arguments == 1 ? fmt::format("write {}(a)", function.name)
                                                  : fmt::format("write {}(a, b)", function.name));
  if (function.arguments == 1) emit(Op::kCall, token.offset, index);
}

}  // namespace sarrus::io
