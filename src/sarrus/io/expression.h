#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sarrus/io/scope.h"

namespace sarrus::io {

/// An expression cannot be read or has no value; `offset` counts bytes from the text's beginning.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t offset, const std::string& what, std::string hint)
      : std::runtime_error(what), offset_(offset), hint_(std::move(hint)) {}

  /// The error of a name whose own definition has been reported: nothing more to tell.
  static ExpressionError already_reported(std::size_t offset);

  std::size_t offset() const { return offset_; }
  const std::string& hint() const { return hint_; }
  bool reported() const { return reported_; }

 private:
  std::size_t offset_;
  std::string hint_;
  bool reported_ = false;
};

/// A formula of a model file, such as `m*a^2/12` or `if(i < n, a, b)`: read once, evaluated often.
///
/// From loosest to tightest: or; and; not; < <= > >= == !=; + −; * /; sign; ^ (to the right).
/// Functions, constants and their meaning: docs/reference/model_format.md, "Expressions".
/// Truth is 1 and 0. sum(k, 1, n, …) and root(x, a, b, …) bring a name of their own. Only the branch that `if` takes is evaluated. A result that is not finite is an
/// error, so no infinity or NaN ever leaves here.
class Expression {
 public:
  /// @throws ExpressionError for bad grammar. Names need not be defined yet.
  static Expression parse(std::string_view text, Scope& scope);

  /// @throws ExpressionError for an undefined name, a value that is not finite, or a text.
  double number(const Scope& scope) const;

  /// A number or a text, never undefined.  @throws ExpressionError as above.
  ScopeValue value(const Scope& scope) const;

  enum class Op : std::uint8_t {
    kNumber,  ///< push `number`
    kText,    ///< push text number `index`
    kName,    ///< push the value of slot `index`
    kNegate,
    kNot,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kPower,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kEqual,
    kNotEqual,
    kCall,        ///< function `index` of functions()
    kJumpIfZero,  ///< pop; when zero continue at instruction `index`
    kJump,
    kTruth,  ///< pop a number, push 1 or 0
    kBound,  ///< push the value of the name number `index` of the sums and roots around
    kSum,    ///< pop the limits, push the sum of the code that follows up to instruction `index`
    kRoot,   ///< pop the limits, push the value for which that code gives 0
  };
  struct Instruction {
    Op op;
    std::int32_t index = 0;
    std::uint32_t offset = 0;  ///< where in the text it comes from
    double number = 0;
  };

 private:
  std::vector<Instruction> code_;
  std::vector<std::unique_ptr<const std::string>> texts_;
  friend class ExpressionParser;
  friend class ExpressionRun;
};

/// The number `text` spells, where it is nothing but a finite decimal number.
bool parse_plain_number(std::string_view text, double& number);

/// Whether `text` has the form of a name: a letter or _, then letters, digits and _.
bool is_identifier(std::string_view text);

/// Names that parameters and indices may not take: functions, constants, and, or, not.
const std::vector<std::string>& reserved_names();
bool is_reserved(std::string_view name);

}  // namespace sarrus::io
