#pragma once

#include <array>
#include <string>
#include <vector>

#include "sarrus/io/expression.h"
#include "sarrus/io/expression_parser.h"

namespace sarrus::io {

/// One evaluation of an expression: a stack of operands worked through the instructions.
class ExpressionRun {
 public:
  /// A number, or a text where `text` is set.
  struct Operand {
    double number = 0;
    const std::string* text = nullptr;
  };

  ExpressionRun(const Expression& expression, const Scope& scope)
      : expression_(expression), scope_(scope) {}

  /// @throws ExpressionError
  Operand result();

 private:
  using Op = Expression::Op;
  using Instruction = Expression::Instruction;

  void check_names() const;
  std::string name_hint(const std::string& name) const;

  void run(std::size_t begin, std::size_t end);
  void execute(const Instruction& step);
  void operate(const Instruction& step);
  void compare(const Instruction& step);
  void call(const Instruction& step);

  // The body of sum and root is the code from `body` on; its name has one value after another.
  void sum(const Instruction& step, std::size_t body);
  void root(const Instruction& step, std::size_t body);
  double body_at(double value, const Instruction& step, std::size_t body);

  void push(Operand operand) { stack_[top_++] = operand; }
  Operand pop() { return stack_[--top_]; }
  double pop_number(const Instruction& step);

  const Expression& expression_;
  const Scope& scope_;
  std::array<Operand, ExpressionParser::kMaxStack> stack_;
  std::size_t top_ = 0;
  std::vector<double> bound_;  ///< values of the names of sum and root, outermost first
};

}  // namespace sarrus::io
