#include "sarrus/io/expression_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sarrus/base/diagnostics.h"
#include "sarrus/io/functions.h"

namespace sarrus::io {
namespace {

using Op = Expression::Op;

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

// Where `f` is zero between a and b, at which it has values of different sign fa and fb, to the last
// bits: Chandrupatla's method, inverse quadratic steps where they are safe, halving where not.
template <class F>
double find_root(F f, double a, double fa, double b, double fb) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  constexpr int kMostSteps = 2000;  // halving alone, from the largest numbers to the smallest
  double c = a, fc = fa;
  double part = 0.5;
  for (int step = 0; step < kMostSteps; ++step) {
    const double x = a + part * (b - a);
    const double fx = f(x);
    if ((fx > 0) == (fa > 0)) {
      c = std::exchange(a, x);
      fc = std::exchange(fa, fx);
    } else {
      c = std::exchange(b, std::exchange(a, x));
      fc = std::exchange(fb, std::exchange(fa, fx));
    }
    const double best = std::abs(fa) < std::abs(fb) ? a : b;
    const double least = kEpsilon * std::abs(best) / std::abs(b - a);
    if (fx == 0 || !(least < 0.5)) return fx == 0 ? x : best;
    const double xi = (a - b) / (c - b);
    const double phi = (fa - fb) / (fc - fb);
    const bool safe = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
    part =
        safe ? fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
             : 0.5;
    part = std::clamp(part, least, 1 - least);
  }
  return a;
}

}  // namespace

ExpressionRun::Operand ExpressionRun::result() {
  check_names();
  run(0, expression_.code_.size());
  return pop();
}

void ExpressionRun::run(std::size_t begin, std::size_t end) {
  std::size_t next = begin;
  while (next < end) {
    const Instruction& step = expression_.code_[next++];
    const auto target = static_cast<std::size_t>(step.index);
    switch (step.op) {
      case Op::kJump:
        next = target;
        break;
      case Op::kJumpIfZero:
        if (pop_number(step) == 0) next = target;
        break;
      case Op::kSum:
        sum(step, std::exchange(next, target));
        break;
      case Op::kRoot:
        root(step, std::exchange(next, target));
        break;
      default:
        execute(step);
    }
  }
}

double ExpressionRun::body_at(double value, const Instruction& step, std::size_t body) {
  bound_.push_back(value);
  run(body, static_cast<std::size_t>(step.index));
  bound_.pop_back();
  return pop_number(step);
}

void ExpressionRun::sum(const Instruction& step, std::size_t body) {
  constexpr double kMostTerms = 5'000'000;
  constexpr double kCountable = 9007199254740992;  // 2⁵³: beyond it k + 1 may be k again
  const double to = pop_number(step);
  const double from = pop_number(step);
  for (const double limit : {from, to})
    if (std::floor(limit) != limit)
      throw ExpressionError(step.offset,
                            fmt::format("sum: the limit {} is not a whole number", limit),
                            "use round(), floor() or ceil()");
  for (const double limit : {from, to})
    if (std::abs(limit) > kCountable)
      throw ExpressionError(step.offset,
                            fmt::format("sum: nothing can be counted as far as {}", limit),
                            "count from small numbers and add the rest in the term");
  if (to - from >= kMostTerms)
    throw ExpressionError(step.offset, fmt::format("sum: from {} to {} is too far", from, to),
                          "a sum has at most five million terms");
  double total = 0;
  for (double value = from; value <= to; ++value) total += body_at(value, step, body);
  push({finite(total, step.offset, "the sum")});
}

void ExpressionRun::root(const Instruction& step, std::size_t body) {
  const double high = pop_number(step);
  const double low = pop_number(step);
  const auto f = [&](double x) { return body_at(x, step, body); };
  const double at_low = f(low);
  const double at_high = f(high);
  if (at_low == 0 || at_high == 0) return push({at_low == 0 ? low : high});
  if ((at_low > 0) == (at_high > 0))
    throw ExpressionError(
        step.offset,
        fmt::format("root: the expression is {} at {} and {} at {}", at_low, low, at_high, high),
        "give two limits at which it has different signs");
  push({find_root(f, low, at_low, high, at_high)});
}

// All names, also those in the branch not taken: a slip there is a slip.
void ExpressionRun::check_names() const {
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

std::string ExpressionRun::name_hint(const std::string& name) const {
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

void ExpressionRun::execute(const Instruction& step) {
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
    case Op::kBound:
      return push({bound_[static_cast<std::size_t>(step.index)]});
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

void ExpressionRun::operate(const Instruction& step) {
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

void ExpressionRun::compare(const Instruction& step) {
  const Operand b = pop();
  const Operand a = pop();
  if ((a.text == nullptr) != (b.text == nullptr))
    throw ExpressionError(step.offset, "compares a text with a number",
                          "texts are written in quotes, as in joints == 'revolute'");
  const bool equal = a.text != nullptr ? *a.text == *b.text : a.number == b.number;
  push({equal == (step.op == Op::kEqual) ? 1.0 : 0.0});
}

void ExpressionRun::call(const Instruction& step) {
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

double ExpressionRun::pop_number(const Instruction& step) {
  const Operand operand = pop();
  if (operand.text == nullptr) return operand.number;
  throw ExpressionError(step.offset,
                        fmt::format("the text '{}' stands where a number is needed", *operand.text),
                        "texts can only be compared, with == and !=, and chosen by if()");
}

}  // namespace sarrus::io
