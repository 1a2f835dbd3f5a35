#include "sarrus/io/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "sarrus/io/text_template.h"

namespace sarrus::io {
namespace {

// Rounding of the few operations below; the values are of order one to a thousand.
constexpr double kRoundOff = 1e-12;

Scope make_scope() {
  Scope scope;
  scope.set(scope.slot("a"), 2.0);
  scope.set(scope.slot("length"), 0.5);
  scope.set(scope.slot("n"), 7.0);
  scope.set(scope.slot("joints"), std::string("revolute"));
  scope.set_broken(scope.slot("broken"));
  return scope;
}

double evaluate(const std::string& text) {
  Scope scope = make_scope();
  return Expression::parse(text, scope).number(scope);
}

struct Good {
  const char* text;
  double value;
};

TEST(Expression, SumsTermsAndFindsRoots) {
  EXPECT_EQ(evaluate("sum(k, 1, 100, k)"), 5050);
  EXPECT_EQ(evaluate("1 + 2*sum(k, 1, n, k^2 - a)"), 1 + 2 * (140 - 7 * 2));
  EXPECT_EQ(evaluate("sum(k, 3, 2, 1/0)"), 0);
  EXPECT_EQ(evaluate("sum(i, 1, 3, sum(k, i, 3, if(i == k, 0, 10*i + k)))"), 12 + 13 + 23);
  EXPECT_EQ(evaluate("sum(k, 1, 2, k) + sum(k, 3, 4, k)"), 10);
  EXPECT_EQ(evaluate("root(x, 0, 8, 3 - x)"), 3);
  EXPECT_EQ(evaluate("root(x, 0, 1, x)"), 0);
  EXPECT_EQ(evaluate("root(x, 0, 1, x - 1)"), 1);
  // To the last bits: of easy ones, of a steep one, of one that is flat there, of one near zero.
  EXPECT_DOUBLE_EQ(evaluate("root(x, 0, 2, x^a - 2)"), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(evaluate("root(x, 2, 0, x^a - 2)"), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(evaluate("root(x, 0, 700, exp(x) - 10)"), std::log(10.0));
  EXPECT_DOUBLE_EQ(evaluate("root(x, 0, 3, (x - 1)^3)"), 1);
  EXPECT_DOUBLE_EQ(evaluate("root(x, -1, 1, x - 1e-200)"), 1e-200);
  EXPECT_DOUBLE_EQ(evaluate("root(x, 0, 1, cos(x) - x)"), 0.73908513321516064166);
  EXPECT_DOUBLE_EQ(evaluate("root(s, 0, 1, sum(k, 1, n, k*s) - 14)"), 0.5);
}

TEST(Expression, HasTheValuesOfSchoolArithmetic) {
  const double pi = std::numbers::pi;
  const std::vector<Good> table = {
      {"1", 1},
      {".5", 0.5},
      {"5.", 5},
      {"1e-3", 1e-3},
      {"2.5E+2", 250},
      {" 1 + 2 ", 3},
      {"1 - 2 - 3", -4},
      {"2 + 3 * 4", 14},
      {"(2 + 3) * 4", 20},
      {"8 / 4 / 2", 1},
      {"-2^2", -4},
      {"2^-1", 0.5},
      {"2^3^2", 512},
      {"(-2)^3", -8},
      {"2*-3", -6},
      {"- -3", 3},
      {"+4", 4},
      {"1+-+2", -1},
      {"-108*deg", -108 * pi / 180},
      {"2*pi", 2 * pi},
      {"a*length", 1},
      {"sin(pi/2)", 1},
      {"cos(0)", 1},
      {"tan(pi/4)", 1},
      {"asin(1)", pi / 2},
      {"acos(1)", 0},
      {"atan(1)", pi / 4},
      {"atan2(1, -1)", 3 * pi / 4},
      {"sqrt(16)", 4},
      {"abs(-3)", 3},
      {"exp(1)", std::numbers::e},
      {"log(exp(2))", 2},
      {"floor(-1.5)", -2},
      {"ceil(-1.5)", -1},
      {"round(2.5)", 3},
      {"round(-2.5)", -3},
      {"min(3, 2)", 2},
      {"max(1, 5, 3, 4)", 5},
      {"hypot(3, 4)", 5},
      {"hypot(1, 2, 2)", 3},
      {"mod(7, 3)", 1},
      {"mod(-1, 3)", 2},
      {"mod(1, -3)", -2},
      {"mod(6, 3)", 0},
      {"true + false", 1},
  };
  for (const Good& good : table) {
    SCOPED_TRACE(good.text);
    EXPECT_NEAR(evaluate(good.text), good.value, kRoundOff);
  }
}

TEST(Expression, ComparesAndChooses) {
  const std::vector<Good> table = {
      {"1 < 2", 1},
      {"2 <= 2", 1},
      {"1 > 2", 0},
      {"1 >= 2", 0},
      {"a == 2", 1},
      {"a != 2", 0},
      {"1 + 1 == 2", 1},
      {"if(a < 3, 10, 20)", 10},
      {"if(a > 3, 10, 20)", 20},
      {"if(n == 7, if(a == 1, 1, 2), 3)", 2},
      {"1 + if(0, 1, 2) * 3", 7},
      {"joints == 'revolute'", 1},
      {"joints != \"revolute\"", 0},
      {"if(joints == 'spherical', 3, 1)", 1},
      {"if(a == 2, 'x', 'y') == 'x'", 1},
      {"1 < 2 and 2 < 3", 1},
      {"1 < 2 and 2 > 3", 0},
      {"0 or 3", 1},
      {"0 or 0", 0},
      {"1 or 0 and 0", 1},
      {"not 0", 1},
      {"not a == 2", 0},
      {"not not 5", 1},
  };
  for (const Good& good : table) {
    SCOPED_TRACE(good.text);
    EXPECT_EQ(evaluate(good.text), good.value);
  }
}

TEST(Expression, LeavesTheOtherBranchAlone) {
  EXPECT_EQ(evaluate("if(a == 2, 1, 1/0)"), 1);
  EXPECT_EQ(evaluate("if(a == 3, 1/0, 1)"), 1);
  EXPECT_EQ(evaluate("a == 3 and 1/0"), 0);
  EXPECT_EQ(evaluate("a == 2 or 1/0"), 1);
}

struct Bad {
  const char* text;
  std::size_t offset;
  const char* what;
  const char* hint;
};

TEST(Expression, TellsWhereAndHowItIsWrong) {
  const std::vector<Bad> table = {
      {"", 0, "empty", "give a number"},
      {"  ", 0, "empty", "give a number"},
      {"1 +", 3, "ends too early", "quotes"},
      {"1 + * 2", 4, "'*' is not expected", "operators are"},
      {"(1 + 2", 6, "')' is missing before the end", "every ( needs its )"},
      {"1 + 2)", 5, "')' is not expected", "operators are"},
      {"2a", 1, "'a' is not expected", "2*a"},
      {"a 2", 2, "'2' is not expected", "operator missing"},
      {"2 ** 3", 2, "'**' is not expected", "write ^"},
      {"a = 2", 2, "'=' is not expected", "write =="},
      {"a && n", 2, "'&&' is not expected", "write 'and'"},
      {"a || n", 2, "'||' is not expected", "write 'or'"},
      {"!a", 0, "'!' is not expected", "write 'not'"},
      {"5 % 3", 2, "'%' is not expected", "mod(a, b)"},
      {"30°", 2, "'°' is not expected", "*deg"},
      {"3 − 1", 2, "'−' is not expected", "write -"},
      {"1,5", 1, "',' is not expected", "decimal point"},
      {"1 < a < 3", 6, "cannot be chained", "a < b and b < c"},
      {"lenght*2", 0, "unknown name 'lenght'", "did you mean 'length'?"},
      {"2*sine", 2, "unknown name 'sine'", "did you mean 'sin'?"},
      {"a + xyzzy", 4, "unknown name 'xyzzy'", "known parameters: a, length, n, joints"},
      {"3*t", 2, "unknown name 't'", "functions of time"},
      {"if(a == 2, 1, lenght)", 14, "unknown name 'lenght'", "did you mean 'length'?"},
      {"sin", 0, "'sin' is a function", "write sin(…)"},
      {"sinn(1)", 0, "'sinn' is not a function", "did you mean 'sin'?"},
      {"a(1 + 2)", 0, "'a' is not a function", "to multiply, write a*(…)"},
      {"sin(1, 2)", 0, "sin takes one argument, not 2", "sin(a)"},
      {"atan2(1)", 0, "atan2 takes two arguments, not 1", "atan2(a, b)"},
      {"1 + max()", 4, "max takes two or more arguments, not 0", "max(a, b)"},
      {"if(1, 2)", 7, "',' is missing before ')'", "if(condition, value, value otherwise)"},
      {"sum", 0, "'sum' is a function", "write sum(…)"},
      {"sum(1, 1, 2, 3)", 4, "sum needs a name first", "sum(k, from, to, term)"},
      {"sum(k, 1, 2)", 11, "',' is missing before ')'", "sum(k, from, to, term)"},
      {"sum(a, 1, 2, a)", 4, "sum: 'a' is the name of something else", "no parameter"},
      {"sum(k, 1, 2, sum(k, 1, 2, k))", 17, "'k' is the name of something else", "no parameter"},
      {"sum(k, 1, 2.5, k)", 0, "sum: the limit 2.5 is not a whole number", "round()"},
      {"sum(k, 1e16, 1e16, k)", 0, "sum: nothing can be counted as far as 1e+16", "small numbers"},
      {"sum(k, -1e16, 1, k)", 0, "sum: nothing can be counted as far as -1e+16", "small numbers"},
      {"sum(k, 1, 1e9, k)", 0, "sum: from 1 to 1000000000 is too far", "five million"},
      {"sum(k, 0, 3, 1/k)", 14, "division by zero", "guard it"},
      {"sum(k, 1, 2, k) + k", 18, "unknown name 'k'", "known parameters"},
      {"sum(k, 1, 2, joints)", 0, "the text 'revolute' stands where a number", "compared"},
      {"1 + root(x, 1, 2, x)", 4, "root: the expression is 1 at 1 and 2 at 2", "different signs"},
      {"root(pi, 1, 2, pi)", 5, "root: 'pi' is the name of something else", "root(x, low"},
      {"k(2) + sum(k, 1, 2, k(1))", 0, "'k' is not a function", "known functions"},
      {"sum(k, 1, 2, k(1))", 13, "'k' is not a function", "to multiply, write k*(…)"},
      {"1/0", 1, "division by zero", "guard it"},
      {"1 + a/(n - 7)", 5, "division by zero", "guard it"},
      {"sqrt(-1)", 0, "sqrt(-1) is not a number", "finite"},
      {"log(0)", 0, "log(0) is infinite", "finite"},
      {"(-8)^0.5", 4, "-8 ^ 0.5 is not a number", "finite"},
      {"mod(1, 0)", 0, "mod(1, 0) is not a number", "finite"},
      {"exp(1000)", 0, "exp(1000) is infinite", "finite"},
      {"1e300*1e300", 5, "is infinite", "finite"},
      {"1e999", 0, "too large", "1e308"},
      {"nan", 0, "unknown name 'nan'", "did you mean 'tan'?"},
      {"joints", 0, "the text 'revolute' stands where a number is needed", "give a number"},
      {"1 + joints", 2, "the text 'revolute' stands where a number", "compared"},
      {"joints == 3", 7, "compares a text with a number", "quotes"},
      {"joints == 'rev", 10, "the text is not closed", "end it with '"},
  };
  for (const Bad& bad : table) {
    SCOPED_TRACE(bad.text);
    try {
      evaluate(bad.text);
      ADD_FAILURE() << "no error";
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.offset(), bad.offset);
      EXPECT_NE(std::string(error.what()).find(bad.what), std::string::npos) << error.what();
      EXPECT_NE(error.hint().find(bad.hint), std::string::npos) << error.hint();
    }
  }
}

TEST(Expression, RefusesBottomlessNestingWithoutRunningOutOfStack) {
  const std::string deep(100'000, '(');
  EXPECT_THROW(evaluate(deep), ExpressionError);
  EXPECT_THROW(evaluate(std::string(100'000, '-') + "1"), ExpressionError);
  std::string right;
  for (int i = 0; i < 60; ++i) right += "1+(";
  EXPECT_THROW(evaluate(right + "1" + std::string(60, ')')), ExpressionError);
}

TEST(Expression, TakesLongSums) {
  std::string text = "0";
  for (int i = 0; i < 10'000; ++i) text += "+1";
  EXPECT_EQ(evaluate(text), 10'000);
}

TEST(Expression, IsReadOnceAndFollowsItsNames) {
  Scope scope;
  const Expression expression = Expression::parse("10*i + k", scope);
  const int i = scope.slot("i");
  const int k = scope.slot("k");
  EXPECT_THROW(expression.number(scope), ExpressionError);
  scope.set(i, 1);
  scope.set(k, 2);
  EXPECT_EQ(expression.number(scope), 12);
  scope.set(i, 3);
  EXPECT_EQ(expression.number(scope), 32);
  scope.clear(k);
  EXPECT_THROW(expression.number(scope), ExpressionError);
}

TEST(Expression, PassesOnThatANameIsBroken) {
  try {
    evaluate("1 + broken");
    ADD_FAILURE() << "no error";
  } catch (const ExpressionError& error) {
    EXPECT_TRUE(error.reported());
  }
}

TEST(Expression, PlainNumbersAreNothingButNumbers) {
  double number = 0;
  EXPECT_TRUE(parse_plain_number("-1.5e3", number));
  EXPECT_EQ(number, -1500);
  EXPECT_TRUE(parse_plain_number("-0", number));
  EXPECT_TRUE(std::signbit(number));
  for (const char* text : {"", "a", "1+1", "inf", "-inf", "nan", "1e999", "1 ", "0x10", "1,5"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(parse_plain_number(text, number));
  }
}

std::string fill(const std::string& text) {
  Scope scope = make_scope();
  return TextTemplate::parse(text, scope).fill(scope);
}

TEST(TextTemplate, FillsInValues) {
  EXPECT_EQ(fill("link"), "link");
  EXPECT_EQ(fill(""), "");
  EXPECT_EQ(fill("link{n}"), "link7");
  EXPECT_EQ(fill("link{n-1}_{a}"), "link6_2");
  EXPECT_EQ(fill("{joints}"), "revolute");
  EXPECT_EQ(fill("{if(n == 7, 'ground', 'link')}"), "ground");
  EXPECT_EQ(fill("{length}"), "0.5");
  EXPECT_EQ(fill("{-n}"), "-7");
  EXPECT_EQ(fill("{{n}} and {'}'}"), "{n} and }");
}

TEST(TextTemplate, CountsOffsetsInTheWholeText) {
  const std::vector<Bad> table = {
      {"link{m}", 5, "unknown name 'm'", "known parameters"},
      {"link{n", 4, "'{' is not closed", "{{"},
      {"link}", 4, "'}' without its '{'", "}}"},
      {"link{n}{1/0}", 9, "division by zero", "guard it"},
      {"link{}", 5, "empty", "give a number"},
  };
  for (const Bad& bad : table) {
    SCOPED_TRACE(bad.text);
    try {
      fill(bad.text);
      ADD_FAILURE() << "no error";
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.offset(), bad.offset);
      EXPECT_NE(std::string(error.what()).find(bad.what), std::string::npos) << error.what();
      EXPECT_NE(error.hint().find(bad.hint), std::string::npos) << error.hint();
    }
  }
}

}  // namespace
}  // namespace sarrus::io
