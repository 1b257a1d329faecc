// The arithmetic of #if: intmax_t and uintmax_t, as in C++.
#include <string>

#include "lang/text/literal.hpp"
#include "lang/text/messages.hpp"
#include "lang/text/preprocessor_impl.hpp"

namespace quern::lang {

namespace {

constexpr size_t kMaxDepth = 500;  // of parentheses, unary operators and ?: inside each other

struct Value {
  uint64_t bits = 0;
  bool is_unsigned = false;
  bool truth() const { return bits != 0; }
};

Value from_bool(bool b) { return {b ? 1u : 0u, false}; }

// The lexer returns '>' alone, so operators that begin with it are assembled here.
enum class Op : uint8_t {
  kNone,
  kOr,
  kAnd,
  kBitOr,
  kXor,
  kBitAnd,
  kEq,
  kNe,
  kLt,
  kGt,
  kLe,
  kGe,
  kShl,
  kShr,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod
};

int precedence(Op op) {
  constexpr uint8_t kPrecedence[] = {0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 7, 7, 8, 8, 9, 9, 10, 10, 10};
  return kPrecedence[static_cast<size_t>(op)];
}

Op binary_op(Tok kind) {
  switch (kind) {
    case Tok::kPipePipe: return Op::kOr;
    case Tok::kAmpAmp: return Op::kAnd;
    case Tok::kPipe: return Op::kBitOr;
    case Tok::kCaret: return Op::kXor;
    case Tok::kAmp: return Op::kBitAnd;
    case Tok::kEqualEqual: return Op::kEq;
    case Tok::kExclaimEqual: return Op::kNe;
    case Tok::kLess: return Op::kLt;
    case Tok::kGreater: return Op::kGt;
    case Tok::kLessEqual: return Op::kLe;
    case Tok::kLessLess: return Op::kShl;
    case Tok::kPlus: return Op::kAdd;
    case Tok::kMinus: return Op::kSub;
    case Tok::kStar: return Op::kMul;
    case Tok::kSlash: return Op::kDiv;
    case Tok::kPercent: return Op::kMod;
    default: return Op::kNone;
  }
}

bool less(Value a, Value b, bool is_unsigned) {
  return is_unsigned ? a.bits < b.bits : static_cast<int64_t>(a.bits) < static_cast<int64_t>(b.bits);
}

uint64_t shift(Value a, Value b, bool left) {
  int64_t by = static_cast<int64_t>(b.bits);
  if (!b.is_unsigned && by < 0) {
    left = !left;
    by = by == INT64_MIN ? INT64_MAX : -by;
  }
  const bool negative = !a.is_unsigned && static_cast<int64_t>(a.bits) < 0;
  if (by < 0 || by > 63) return !left && negative ? ~uint64_t{0} : 0;
  if (left) return a.bits << by;
  return negative ? ~(~a.bits >> by) : a.bits >> by;
}

// Requires b != 0. The only quotient that does not fit wraps around.
uint64_t divide(Value a, Value b, bool is_unsigned, bool remainder) {
  if (is_unsigned) return remainder ? a.bits % b.bits : a.bits / b.bits;
  const auto x = static_cast<int64_t>(a.bits);
  const auto y = static_cast<int64_t>(b.bits);
  if (y == -1) return remainder ? 0 : 0 - a.bits;
  return static_cast<uint64_t>(remainder ? x % y : x / y);
}

Value apply(Op op, Value a, Value b) {
  const bool u = a.is_unsigned || b.is_unsigned;
  switch (op) {
    case Op::kBitOr: return {a.bits | b.bits, u};
    case Op::kXor: return {a.bits ^ b.bits, u};
    case Op::kBitAnd: return {a.bits & b.bits, u};
    case Op::kEq: return from_bool(a.bits == b.bits);
    case Op::kNe: return from_bool(a.bits != b.bits);
    case Op::kLt: return from_bool(less(a, b, u));
    case Op::kGt: return from_bool(less(b, a, u));
    case Op::kLe: return from_bool(!less(b, a, u));
    case Op::kGe: return from_bool(!less(a, b, u));
    case Op::kShl: return {shift(a, b, true), a.is_unsigned};
    case Op::kShr: return {shift(a, b, false), a.is_unsigned};
    case Op::kAdd: return {a.bits + b.bits, u};
    case Op::kSub: return {a.bits - b.bits, u};
    case Op::kMul: return {a.bits * b.bits, u};
    case Op::kDiv: return {divide(a, b, u, false), u};
    case Op::kMod: return {divide(a, b, u, true), u};
    default: return {};
  }
}

}  // namespace

// Parses and evaluates the tokens up to the barrier. `live` is false for operands that are not evaluated
// (after `0 &&`), in which division by zero is not an error. After an error everything is 0.
class ConditionParser {
 public:
  ConditionParser(Preprocessor& pp, const Token& directive) : pp_(pp), directive_(directive) {}

  bool evaluate() {
    advance();
    if (token_.kind == Tok::kEnd) {
      fail(token_, message::kConditionMissing(directive_.text));
      return false;
    }
    const Value value = ternary(true);
    if (!failed_ && token_.kind != Tok::kEnd) {
      fail(token_, message::kConditionOperatorMissing(token_.text));
    }
    return !failed_ && value.truth();
  }

 private:
  void fail(const Token& at, base::MessageText message) {
    if (!failed_ && !pp_.stopped_) pp_.error(at.kind == Tok::kEnd ? directive_ : at, std::move(message));
    failed_ = true;
    token_ = Token{};
    op_ = Op::kNone;
  }

  void advance() {
    if (failed_) return;
    pp_.next(token_);
    op_ = binary_op(token_.kind);
    if (token_.kind != Tok::kGreater || !token_.glued) return;
    Token second;
    pp_.next(second);
    if (second.kind == Tok::kGreater) {
      op_ = Op::kShr;
    } else if (second.kind == Tok::kEqual) {
      op_ = Op::kGe;
    } else {
      pp_.put_back(second);
    }
  }

  bool enter() {
    if (++depth_ <= kMaxDepth) return true;
    fail(token_, message::kConditionTooDeep(std::to_string(kMaxDepth)));
    return false;
  }

  Value ternary(bool live) {
    if (!enter()) return {};
    Value value = binary(unary(live), 1, live);
    if (token_.kind == Tok::kQuestion) {
      advance();
      const Value yes = ternary(live && value.truth());
      if (!failed_ && token_.kind != Tok::kColon) fail(token_, message::kConditionColonMissing());
      advance();
      const Value no = ternary(live && !value.truth());
      value = {value.truth() ? yes.bits : no.bits, yes.is_unsigned || no.is_unsigned};
    }
    --depth_;
    return value;
  }

  // Operators of at least this precedence, after their left operand. Recurses only into higher precedences.
  Value binary(Value left, int least, bool live) {
    while (op_ != Op::kNone && precedence(op_) >= least) {
      const Op op = op_;
      const Token at = token_;
      advance();
      const bool right_live = live && !(op == Op::kAnd && !left.truth()) && !(op == Op::kOr && left.truth());
      Value right = unary(right_live);
      right = binary(right, precedence(op) + 1, right_live);
      if (failed_) return {};
      if (op == Op::kAnd || op == Op::kOr) {
        left = from_bool(op == Op::kAnd ? left.truth() && right.truth() : left.truth() || right.truth());
      } else if ((op == Op::kDiv || op == Op::kMod) && !right.truth()) {
        if (right_live) fail(at, message::kConditionDivisionByZero());
        left = {};
      } else {
        left = apply(op, left, right);
      }
    }
    return left;
  }

  Value unary(bool live) {
    const Tok kind = token_.kind;
    if (kind != Tok::kExclaim && kind != Tok::kMinus && kind != Tok::kPlus && kind != Tok::kTilde) {
      return primary(live);
    }
    if (!enter()) return {};
    advance();
    Value value = unary(live);
    --depth_;
    if (kind == Tok::kExclaim) return from_bool(!value.truth());
    if (kind == Tok::kMinus) value.bits = 0 - value.bits;
    if (kind == Tok::kTilde) value.bits = ~value.bits;
    return value;
  }

  Value primary(bool live) {
    const Token at = token_;
    if (at.kind == Tok::kLParen) {
      advance();
      const Value value = ternary(live);
      if (!failed_ && token_.kind != Tok::kRParen) fail(token_, message::kConditionParenMissing());
      advance();
      return value;
    }
    if (at.ident != nullptr) return name(at);
    if (at.kind == Tok::kNumber) return number(at);
    if (at.kind == Tok::kChar) {
      const CharLiteral c = decode_char(at.text);
      if (c.error) fail(at, *c.error);
      advance();
      return {c.value, false};
    }
    fail(at, at.kind == Tok::kEnd ? message::kConditionValueMissing() : message::kConditionNotValue(at.text));
    return {};
  }

  Value number(const Token& at) {
    const NumberLiteral n = decode_number(at.text);
    if (n.error) {
      fail(at, *n.error);
    } else if (n.is_float) {
      fail(at, message::kConditionNotInteger(at.text));
    } else if (n.overflow) {
      fail(at, message::kConditionNumberTooLarge(at.text));
    }
    advance();
    return {n.value, n.is_unsigned || n.value > static_cast<uint64_t>(INT64_MAX)};
  }

  // A name that is not a macro counts as 0, but calling it is an error.
  Value name(const Token& at) {
    if (at.ident == pp_.defined_) return defined(at);
    advance();
    if (token_.kind == Tok::kLParen) {
      fail(at, message::kConditionNotFunction(at.text));
    }
    return from_bool(at.kind == Tok::kw_true);
  }

  Value defined(const Token& at) {
    Token token;
    pp_.next_unexpanded(token);
    const bool parenthesised = token.kind == Tok::kLParen;
    if (parenthesised) pp_.next_unexpanded(token);
    if (token.ident == nullptr) {
      fail(at, message::kDefinedNameMissing());
      return {};
    }
    const Value value = from_bool(pp_.is_defined(*token.ident));
    if (parenthesised) {
      pp_.next_unexpanded(token);
      if (token.kind != Tok::kRParen) fail(at, message::kDefinedParenMissing());
    }
    advance();
    return value;
  }

  Preprocessor& pp_;
  const Token& directive_;
  Token token_;
  Op op_ = Op::kNone;
  size_t depth_ = 0;
  bool failed_ = false;
};

bool Preprocessor::evaluate_expression(const Token& name) {
  std::vector<Token> line = take_buffer();
  Token token;
  for (lexer().next(token); token.kind != Tok::kEnd; lexer().next(token)) line.push_back(token);
  push_tokens(std::move(line));
  contexts_[depth_ - 1].barrier = true;
  const bool live = ConditionParser(*this, name).evaluate();
  pop_barrier();
  return live;
}

}  // namespace quern::lang
