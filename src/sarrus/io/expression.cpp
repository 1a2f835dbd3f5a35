#include "sarrus/io/expression.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "sarrus/base/diagnostics.h"
#include "sarrus/io/expression_parser.h"
#include "sarrus/io/functions.h"

namespace sarrus::io {
namespace {

using Op = Expression::Op;
using Instruction = Expression::Instruction;

// A number, or a text where `text` is set.
struct Operand {
  double number = 0;
  const std::string* text = nullptr;
};

double arithmetic(Op op, double a, double b) {
  switch (op) {
    case Op::kAdd:
      return a + b;
    case Op::kSubtract:
      return a - b;
    case Op::kMultiply:
      return a * b;
    case Op::kDivide:
      return a / b;
    case Op::kPower:
      return std::pow(a, b);
    case Op::kLess:
      return a < b;
    case Op::kLessEqual:
      return a <= b;
    case Op::kGreater:
      return a > b;
    case Op::kGreaterEqual:
      return a >= b;
    case Op::kEqual:
      return a == b;
    default:
      return a != b;
  }
}

std::string_view symbol(Op op) {
  switch (op) {
    case Op::kAdd:
      return "+";
    case Op::kSubtract:
      return "-";
    case Op::kMultiply:
      return "*";
    case Op::kDivide:
      return "/";
    default:
      return "^";
  }
}

double finite(double result, std::size_t offset, std::string_view what) {
  if (std::isfinite(result)) return result;
  throw ExpressionError(
      offset, fmt::format("{} is {}", what, std::isnan(result) ? "not a number" : "infinite"),
      "every intermediate result must be a finite number; guard special values "
      "with if(condition, a, b)");
}

}  // namespace

ExpressionError ExpressionError::already_reported(std::size_t offset) {
  ExpressionError error(offset, "uses a value that is wrong itself", {});
  error.reported_ = true;
  return error;
}

/// One evaluation: a stack of operands worked through the instructions.
class ExpressionRun {
 public:
  ExpressionRun(const Expression& expression, const Scope& scope)
      : expression_(expression), scope_(scope) {}

  Operand result() {
    check_names();
    const auto& code = expression_.code_;
    std::size_t next = 0;
    while (next < code.size()) {
      const Instruction& step = code[next++];
      if (step.op == Op::kJump || (step.op == Op::kJumpIfZero && pop_number(step) == 0))
        next = static_cast<std::size_t>(step.index);
      else if (step.op != Op::kJumpIfZero)
        execute(step);
    }
    return pop();
  }

 private:
  // All names, also those in the branch not taken: a slip there is a slip.
  void check_names() const {
    for (const Instruction& step : expression_.code_) {
      if (step.op != Op::kName) continue;
      const ScopeValue& value = scope_.value(step.index);
      if (value.kind == ScopeValue::Kind::kBroken)
        throw ExpressionError::already_reported(step.offset);
      if (value.kind != ScopeValue::Kind::kUndefined) continue;
      const std::string& name = scope_.name(step.index);
      throw ExpressionError(step.offset, fmt::format("unknown name '{}'", name), name_hint(name));
    }
  }

  std::string name_hint(const std::string& name) const {
    if (name == "t" || name == "time")
      return "expressions are worked out once, before the run; functions of time are written "
             "{type: step|ramp|sine|table, …}";
    const std::vector<std::string> known = scope_.defined_names();
    constexpr std::size_t kListed = 12;
    // Every letter is near every other: a guess at a one-letter name would be a joke.
    if (name.size() == 1 && known.size() <= kListed)
      return known.empty() ? "there are no parameters"
                           : fmt::format("known parameters: {}", fmt::join(known, ", "));
    std::vector<std::string> all = known;
    all.insert(all.end(), reserved_names().begin(), reserved_names().end());
    if (const auto near = closest(name, all); !near.empty())
      return fmt::format("did you mean '{}'?", near);
    return suggestion(name, known, "parameters");
  }

  void execute(const Instruction& step) {
    switch (step.op) {
      case Op::kNumber:
        return push({step.number});
      case Op::kText:
        return push({0, expression_.texts_[static_cast<std::size_t>(step.index)].get()});
      case Op::kName: {
        const ScopeValue& value = scope_.value(step.index);
        const bool is_text = value.kind == ScopeValue::Kind::kText;
        return push({value.number, is_text ? &value.text : nullptr});
      }
      case Op::kNegate:
        return push({-pop_number(step)});
      case Op::kNot:
        return push({pop_number(step) == 0 ? 1.0 : 0.0});
      case Op::kTruth:
        return push({pop_number(step) != 0 ? 1.0 : 0.0});
      case Op::kCall:
        return call(step);
      case Op::kEqual:
      case Op::kNotEqual:
        return compare(step);
      default:
        return operate(step);
    }
  }

  void operate(const Instruction& step) {
    const double b = pop_number(step);
    const double a = pop_number(step);
    if (step.op == Op::kDivide && b == 0)
      throw ExpressionError(step.offset, "division by zero",
                            "guard it with if(divisor == 0, a, b) or change the parameters");
    const double result = arithmetic(step.op, a, b);
    if (!std::isfinite(result))
      finite(result, step.offset, fmt::format("{} {} {}", a, symbol(step.op), b));
    push({result});
  }

  void compare(const Instruction& step) {
    const Operand b = pop();
    const Operand a = pop();
    if ((a.text == nullptr) != (b.text == nullptr))
      throw ExpressionError(step.offset, "compares a text with a number",
                            "texts are written in quotes, as in joints == 'revolute'");
    const bool equal = a.text != nullptr ? *a.text == *b.text : a.number == b.number;
    push({equal == (step.op == Op::kEqual) ? 1.0 : 0.0});
  }

  void call(const Instruction& step) {
    const Function& function = functions()[static_cast<std::size_t>(step.index)];
    const double b = function.arguments == 2 ? pop_number(step) : 0;
    const double a = pop_number(step);
    const double result = function.call(a, b);
    if (!std::isfinite(result)) {
      const auto shown = function.arguments == 2 ? fmt::format("{}({}, {})", function.name, a, b)
                                                 : fmt::format("{}({})", function.name, a);
      finite(result, step.offset, shown);
    }
    push({result});
  }

  void push(Operand operand) { stack_[top_++] = operand; }
  Operand pop() { return stack_[--top_]; }

  double pop_number(const Instruction& step) {
    const Operand operand = pop();
    if (operand.text == nullptr) return operand.number;
    throw ExpressionError(
        step.offset, fmt::format("the text '{}' stands where a number is needed", *operand.text),
        "texts can only be compared, with == and !=, and chosen by if()");
  }

  const Expression& expression_;
  const Scope& scope_;
  std::array<Operand, ExpressionParser::kMaxStack> stack_;
  std::size_t top_ = 0;
};

Expression Expression::parse(std::string_view text, Scope& scope) {
  return ExpressionParser(text, scope).parse();
}

double Expression::number(const Scope& scope) const {
  const Operand result = ExpressionRun(*this, scope).result();
  if (result.text == nullptr) return result.number;
  throw ExpressionError(
      0, fmt::format("the text '{}' stands where a number is needed", *result.text),
      "give a number; a parameter set to a single word that names nothing holds a text");
}

ScopeValue Expression::value(const Scope& scope) const {
  const Operand result = ExpressionRun(*this, scope).result();
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
