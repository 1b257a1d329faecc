// What the builder folds, and what it must not change.
#include <cmath>

#include <gtest/gtest.h>

#include "lang/ir/builder.hpp"
#include "lang/ir/text.hpp"
#include "lang/ir/verify.hpp"

namespace quern::ir {
namespace {

class IrFold : public testing::Test {
 protected:
  IrFold() {
    for (int k = static_cast<int>(TypeKind::kBool); k <= static_cast<int>(TypeKind::kF64); ++k) {
      module_.add_param(function_, get(static_cast<TypeKind>(k)), "v" + std::to_string(k));
    }
    pointer_ = module_.add_param(function_, module_.types().ptr(Space::kGlobal), "p");
    b_.at(function_->body);
  }
  void TearDown() override { EXPECT_EQ(verify(module_), "") << print(module_); }

  const Type* get(TypeKind kind) { return module_.types().get(kind); }
  Value* some(TypeKind kind) {
    return function_->params[static_cast<size_t>(kind) - static_cast<size_t>(TypeKind::kBool)];
  }
  Value* num(TypeKind kind, int64_t v) { return module_.constant_int(kind, v); }
  Value* real(TypeKind kind, double v) { return module_.constant_float(get(kind), v); }
  bool made(Value* value, Op op) { return as_inst(value) != nullptr && as_inst(value)->op == op; }

  Module module_;
  Function* function_ = module_.add_function("f");
  Builder b_{module_};
  Value* pointer_ = nullptr;
};

constexpr TypeKind kFoldInts[] = {TypeKind::kI8,  TypeKind::kU8,  TypeKind::kI16, TypeKind::kU16,
                                  TypeKind::kI32, TypeKind::kU32, TypeKind::kI64, TypeKind::kU64};
constexpr TypeKind kFoldFloats[] = {TypeKind::kF16, TypeKind::kBF16, TypeKind::kF32, TypeKind::kF64};

TEST_F(IrFold, Constants) {
  EXPECT_EQ(b_.binary(Op::kAdd, num(TypeKind::kI8, 127), num(TypeKind::kI8, 1)), num(TypeKind::kI8, -128));
  EXPECT_EQ(b_.binary(Op::kMul, real(TypeKind::kF32, 0.1), real(TypeKind::kF32, 3)),
            module_.constant(get(TypeKind::kF32), 0x3e99999a));
  EXPECT_EQ(b_.compare(Op::kLt, num(TypeKind::kI32, -1), num(TypeKind::kI32, 0)),
            module_.constant_bool(true));
  EXPECT_EQ(b_.compare(Op::kLt, num(TypeKind::kU32, -1), num(TypeKind::kU32, 0)),
            module_.constant_bool(false));
  EXPECT_EQ(b_.convert(real(TypeKind::kF64, 3.9), get(TypeKind::kI32)), num(TypeKind::kI32, 3));
  EXPECT_EQ(b_.bitcast(num(TypeKind::kU32, 0x3f800000), get(TypeKind::kF32)), real(TypeKind::kF32, 1));
  EXPECT_EQ(b_.unary(Op::kSqrt, real(TypeKind::kF64, 2)), real(TypeKind::kF64, std::sqrt(2.0)));
  Attr up;
  up.round = Rounding::kUp;
  Value* operands[] = {real(TypeKind::kF32, 1), real(TypeKind::kF32, 3)};
  EXPECT_EQ(b_.op(Op::kDivR, get(TypeKind::kF32), operands, up),
            module_.constant(get(TypeKind::kF32), 0x3eaaaaab));
  EXPECT_EQ(function_->body->first, nullptr);
}

TEST_F(IrFold, LeavesWhatDependsOnTheHost) {
  for (size_t i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    if (!has(op, kMath) || op == Op::kLdexp || op == Op::kIlogb) continue;
    const std::vector<Value*> operands(static_cast<size_t>(info(op).arity), real(TypeKind::kF64, 0.75));
    const bool folded = as_const(b_.op(op, get(TypeKind::kF64), operands, Attr())) != nullptr;
    const bool exact = op == Op::kFma || op == Op::kSqrt || (op >= Op::kFloor && op <= Op::kRint) ||
                       op == Op::kCopysign || op == Op::kFdim || op == Op::kNextafter || op == Op::kLogb;
    EXPECT_EQ(folded, exact) << info(op).name;
  }
}

TEST_F(IrFold, LeavesDivisionByZeroForTheChecker) {
  EXPECT_TRUE(made(b_.binary(Op::kDiv, num(TypeKind::kI32, 1), num(TypeKind::kI32, 0)), Op::kDiv));
  EXPECT_TRUE(made(b_.binary(Op::kRem, num(TypeKind::kI32, 1), num(TypeKind::kI32, 0)), Op::kRem));
  EXPECT_TRUE(made(b_.binary(Op::kDiv, num(TypeKind::kI32, 0), some(TypeKind::kI32)), Op::kDiv));
  EXPECT_EQ(b_.binary(Op::kDiv, real(TypeKind::kF32, 1), real(TypeKind::kF32, 0)),
            real(TypeKind::kF32, INFINITY));
}

TEST_F(IrFold, IntegerIdentities) {
  for (const TypeKind kind : kFoldInts) {
    Value* x = some(kind);
    Value* zero = num(kind, 0);
    Value* one = num(kind, 1);
    Value* ones = num(kind, -1);
    EXPECT_EQ(b_.binary(Op::kAdd, x, zero), x);
    EXPECT_EQ(b_.binary(Op::kAdd, zero, x), x);
    EXPECT_EQ(b_.binary(Op::kSub, x, zero), x);
    EXPECT_EQ(b_.binary(Op::kSub, x, x), zero);
    EXPECT_EQ(b_.binary(Op::kMul, x, one), x);
    EXPECT_EQ(b_.binary(Op::kMul, one, x), x);
    EXPECT_EQ(b_.binary(Op::kMul, x, zero), zero);
    EXPECT_EQ(b_.binary(Op::kMul, zero, x), zero);
    EXPECT_EQ(b_.binary(Op::kDiv, x, one), x);
    EXPECT_EQ(b_.binary(Op::kRem, x, one), zero);
    EXPECT_EQ(b_.binary(Op::kAnd, x, ones), x);
    EXPECT_EQ(b_.binary(Op::kAnd, x, x), x);
    EXPECT_EQ(b_.binary(Op::kAnd, zero, x), zero);
    EXPECT_EQ(b_.binary(Op::kOr, x, zero), x);
    EXPECT_EQ(b_.binary(Op::kOr, ones, x), ones);
    EXPECT_EQ(b_.binary(Op::kXor, x, zero), x);
    EXPECT_EQ(b_.binary(Op::kXor, x, x), zero);
    EXPECT_EQ(b_.binary(Op::kMin, x, x), x);
    EXPECT_EQ(b_.op(Op::kShl, x->type, {x, num(TypeKind::kI32, 0)}), x);
    EXPECT_EQ(b_.op(Op::kShr, x->type, {x, num(TypeKind::kI32, 64)}), x);
    EXPECT_EQ(b_.op(Op::kShl, x->type, {zero, some(TypeKind::kI32)}), zero);
    EXPECT_EQ(b_.unary(Op::kNot, b_.unary(Op::kNot, x)), x);
    EXPECT_EQ(b_.unary(Op::kNeg, b_.unary(Op::kNeg, x)), x);
    EXPECT_EQ(b_.compare(Op::kEq, x, x), module_.constant_bool(true));
    EXPECT_EQ(b_.compare(Op::kLt, x, x), module_.constant_bool(false));
    EXPECT_TRUE(made(b_.binary(Op::kSub, zero, x), Op::kSub));
    EXPECT_TRUE(made(b_.binary(Op::kDiv, x, ones), Op::kDiv));
  }
}

TEST_F(IrFold, FloatIdentitiesOnlyWhereExact) {
  for (const TypeKind kind : kFoldFloats) {
    Value* x = some(kind);
    EXPECT_EQ(b_.binary(Op::kMul, x, real(kind, 1)), x);
    EXPECT_EQ(b_.binary(Op::kMul, real(kind, 1), x), x);
    EXPECT_EQ(b_.binary(Op::kDiv, x, real(kind, 1)), x);
    EXPECT_EQ(b_.binary(Op::kSub, x, real(kind, 0.0)), x);
    EXPECT_EQ(b_.binary(Op::kAdd, x, real(kind, -0.0)), x);
    EXPECT_EQ(b_.unary(Op::kNeg, b_.unary(Op::kNeg, x)), x);
    EXPECT_TRUE(made(b_.binary(Op::kAdd, x, real(kind, 0.0)), Op::kAdd));
    EXPECT_TRUE(made(b_.binary(Op::kSub, x, real(kind, -0.0)), Op::kSub));
    EXPECT_TRUE(made(b_.binary(Op::kSub, x, x), Op::kSub));
    EXPECT_TRUE(made(b_.binary(Op::kMul, x, real(kind, 0.0)), Op::kMul));
    EXPECT_TRUE(made(b_.binary(Op::kDiv, x, x), Op::kDiv));
    EXPECT_TRUE(made(b_.compare(Op::kEq, x, x), Op::kEq));
    EXPECT_TRUE(made(b_.compare(Op::kNe, x, x), Op::kNe));
  }
}

TEST_F(IrFold, BoolIdentities) {
  Value* c = some(TypeKind::kBool);
  Value* yes = module_.constant_bool(true);
  Value* no = module_.constant_bool(false);
  EXPECT_EQ(b_.binary(Op::kAnd, c, yes), c);
  EXPECT_EQ(b_.binary(Op::kAnd, no, c), no);
  EXPECT_EQ(b_.binary(Op::kOr, c, yes), yes);
  EXPECT_EQ(b_.unary(Op::kNot, yes), no);
  EXPECT_EQ(b_.unary(Op::kNot, b_.unary(Op::kNot, c)), c);
  EXPECT_EQ(b_.select(c, yes, no), c);
  Value* x = some(TypeKind::kF32);
  Value* y = b_.unary(Op::kNeg, x);
  EXPECT_EQ(b_.select(yes, x, y), x);
  EXPECT_EQ(b_.select(no, x, y), y);
  EXPECT_EQ(b_.select(c, x, x), x);
  EXPECT_TRUE(made(b_.select(c, x, y), Op::kSelect));
}

TEST_F(IrFold, Conversions) {
  Value* x = some(TypeKind::kI32);
  EXPECT_EQ(b_.convert(x, get(TypeKind::kI32)), x);
  EXPECT_EQ(b_.op(Op::kConvert, get(TypeKind::kI32), {x}), x);
  EXPECT_EQ(b_.bitcast(b_.bitcast(x, get(TypeKind::kF32)), get(TypeKind::kI32)), x);
  EXPECT_TRUE(made(b_.convert(b_.convert(x, get(TypeKind::kI8)), get(TypeKind::kI32)), Op::kConvert));
}

TEST_F(IrFold, Addresses) {
  EXPECT_EQ(b_.offset(pointer_, num(TypeKind::kI64, 0), 4), pointer_);
  EXPECT_TRUE(made(b_.offset(pointer_, some(TypeKind::kI32), 4), Op::kOffset));
  EXPECT_EQ(as_inst(b_.offset(pointer_, some(TypeKind::kI32), 4))->attr().scale, 4u);
  Value* null = module_.constant(module_.types().ptr(Space::kGlobal), 0);
  const Type* generic = module_.types().ptr(Space::kGeneric);
  EXPECT_EQ(b_.op(Op::kSpaceCast, generic, {null}), module_.constant(generic, 0));
  EXPECT_EQ(b_.op(Op::kPtrToInt, get(TypeKind::kU64), {null}), num(TypeKind::kU64, 0));
  EXPECT_EQ(b_.op(Op::kIntToPtr, null->type, {num(TypeKind::kU64, 0)}), null);
  EXPECT_TRUE(made(b_.op(Op::kIntToPtr, null->type, {num(TypeKind::kU64, 64)}), Op::kIntToPtr));
  EXPECT_EQ(b_.compare(Op::kEq, null, null), module_.constant_bool(true));
  EXPECT_EQ(b_.compare(Op::kEq, pointer_, pointer_), module_.constant_bool(true));
}

TEST_F(IrFold, Aggregates) {
  const Type* f = get(TypeKind::kF32);
  const Type* pair = module_.types().declare_struct("Pair");
  module_.types().define_struct(pair, {{"a", f, 0}, {"b", f, 4}}, 8, 4);
  Value* members[] = {some(TypeKind::kF32), real(TypeKind::kF32, 2)};
  Value* made_pair = b_.construct(pair, members);
  EXPECT_EQ(b_.extract(made_pair, 0), members[0]);
  EXPECT_EQ(b_.extract(made_pair, 1), members[1]);
  Value* changed = b_.insert(made_pair, real(TypeKind::kF32, 5), 1);
  EXPECT_EQ(b_.extract(changed, 1), real(TypeKind::kF32, 5));
  EXPECT_EQ(b_.extract(changed, 0), members[0]);
  Value* zeros[] = {real(TypeKind::kF32, 0), real(TypeKind::kF32, 0)};
  EXPECT_EQ(b_.construct(pair, zeros), module_.constant(pair, 0));
  EXPECT_EQ(b_.extract(module_.constant(pair, 0), 1), zeros[0]);
  EXPECT_EQ(b_.extract(module_.undef(pair), 1), module_.undef(f));
  Value* signed_zeros[] = {real(TypeKind::kF32, -0.0), real(TypeKind::kF32, 0)};
  EXPECT_TRUE(made(b_.construct(pair, signed_zeros), Op::kConstruct));
}

TEST_F(IrFold, EffectsAreNeverFolded) {
  Value* yes = module_.constant_bool(true);
  EXPECT_TRUE(made(b_.op(Op::kVoteAny, get(TypeKind::kBool), {num(TypeKind::kU32, -1), yes}), Op::kVoteAny));
  EXPECT_TRUE(made(b_.load(get(TypeKind::kI32), pointer_), Op::kLoad));
}

}  // namespace
}  // namespace quern::ir
