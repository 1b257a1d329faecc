// A subexpression: its text, and the precedence of its outermost operator.
#pragma once

#include <string>
#include <string_view>

namespace quern::target::cstyle {

enum Level : int {
  kConditional = 3,
  kLogicalOr,
  kLogicalAnd,
  kBitOr,
  kBitXor,
  kBitAnd,
  kEquality,
  kRelation,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kPrimary,
};

struct Expr {
  std::string text;
  int level = kPrimary;

  // Adds parentheses unless it can be an operand at the precedence `wanted`.
  std::string at(int wanted) const { return level >= wanted ? text : "(" + text + ")"; }
};

inline Expr unary(std::string_view op, const Expr& a) {
  // "- -x" and "& &x" would be different tokens without the blank.
  const bool blank = !a.text.empty() && a.level == kUnary && a.text[0] == op.back();
  return {std::string(op) + (blank ? " " : "") + a.at(kUnary), kUnary};
}

inline Expr binary(const Expr& a, std::string_view op, const Expr& b, int level) {
  // The precedence of shifts and bit operations next to sums is not well known: add parentheses.
  const bool is_bits = level <= kShift && level != kRelation && level != kEquality && level > kLogicalAnd;
  const int left = is_bits && !(a.level == level && level != kShift) ? int{kUnary} : level;
  const int right = is_bits ? int{kUnary} : level + 1;
  return {a.at(left) + " " + std::string(op) + " " + b.at(right), level};
}

inline Expr call(const std::string& function, std::initializer_list<Expr> arguments) {
  std::string text = function + "(";
  for (const Expr& a : arguments) text += (a.text.empty() || text.back() == '(' ? "" : ", ") + a.text;
  return {text + ")", kPrimary};
}

}  // namespace quern::target::cstyle
