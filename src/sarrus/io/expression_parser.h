#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sarrus/io/expression.h"
#include "sarrus/io/expression_lexer.h"
#include "sarrus/io/functions.h"

namespace sarrus::io {

/// Recursive descent over the grammar of Expression, emitting its instructions as it reads.
class ExpressionParser {
 public:
  static constexpr std::size_t kMaxStack = 32;  ///< operands waiting at once
  static constexpr int kMaxDepth = 100;         ///< parentheses, signs and powers within each other

  ExpressionParser(std::string_view text, Scope& scope) : lexer_(text), scope_(scope) {}
  Expression parse();

 private:
  using Op = Expression::Op;
  using Token = ExpressionToken;
  using Kind = Token::Kind;

  // Tokens
  void advance() { token_ = lexer_.next(); }
  bool next_is(std::string_view symbol_or_word) const;
  bool take(std::string_view symbol_or_word);
  void expect(std::string_view symbol, const std::string& why);

  // Grammar, loosest first
  void disjunction();
  void conjunction();
  void negation();
  void comparison();
  void sum();
  void product();
  void sign();
  void power();
  void primary();
  void name(const Token& token);
  void conditional(const Token& token);
  void binder(const Token& token, Op op);
  void call(const Token& token, const Function& function, int index);

  // Code
  void emit(Op op, std::size_t offset, int index = 0, double number = 0);
  std::size_t emit_jump(Op op, std::size_t offset);
  void land(std::size_t jump);
  void push(std::size_t offset);
  void pop(std::size_t count = 1) { stack_ -= count; }
  void enter(std::size_t offset);
  void leave() { --depth_; }

  [[noreturn]] void unexpected(const Token& token) const;

  ExpressionLexer lexer_;
  Scope& scope_;
  Token token_;  ///< the next one
  std::size_t stack_ = 0;
  int depth_ = 0;
  std::vector<std::string_view> bound_;  ///< names of the sums and roots around
  Expression result_;
};

}  // namespace sarrus::io
