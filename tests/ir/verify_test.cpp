// The verifier rejects each kind of defect, with a sentence that names the function and the instruction.
#include "lang/ir/verify.hpp"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "ir/sample.hpp"
#include "lang/ir/text.hpp"

namespace quern::ir {
namespace {

// A kernel to be broken, with the parts that most defects need.
struct Bench {
  Module module;
  Builder b{module};
  TypeTable& types{module.types()};
  Function* kernel = module.add_function("k");
  Param* n = module.add_param(kernel, get(TypeKind::kI32), "n");
  Param* p = module.add_param(kernel, types.ptr(Space::kGlobal), "p");

  Bench() {
    kernel->is_kernel = true;
    b.at(kernel->body);
  }
  const Type* get(TypeKind kind) { return module.types().get(kind); }
  Value* i32(int64_t v) { return module.constant_int(TypeKind::kI32, v); }
  Value* u32(int64_t v) { return module.constant_int(TypeKind::kU32, v); }
  Value* u64(int64_t v) { return module.constant_int(TypeKind::kU64, v); }
  Value* f32(double v) { return module.constant_float(get(TypeKind::kF32), v); }
  Value* yes() { return module.constant_bool(true); }
  Inst* emit(Op op, TypeKind result, std::initializer_list<Value*> operands) {
    return b.emit(op, get(result), operands);
  }
  Inst* effect(Op op, std::initializer_list<Value*> operands) { return b.emit(op, nullptr, operands); }
  const Type* pair() {
    const Type* type = types.declare_struct("Pair");
    types.define_struct(type, {{"a", get(TypeKind::kF32), 0}, {"b", get(TypeKind::kI32), 4}}, 8, 4);
    return type;
  }
};

struct Defect {
  const char* name;
  std::function<void(Bench&)> make;
  const char* message;
};

void PrintTo(const Defect& defect, std::ostream* out) { *out << defect.name; }

class IrVerify : public testing::TestWithParam<Defect> {};

TEST_P(IrVerify, RefusesWithASentence) {
  Bench bench;
  GetParam().make(bench);
  EXPECT_EQ(verify(bench.module), GetParam().message);
  print(bench.module);  // must not crash on an invalid module
}

using K = TypeKind;

const Defect kTypeDefects[] = {
    {"AddOfMixedTypes",
     [](Bench& t) {
       t.emit(Op::kAdd, K::kI32, {t.n, t.f32(1)});
     },
     "Kernel k: instruction 1 (add) has operand 2 of type f32, which must be i32."},
    {"AddOfBool",
     [](Bench& t) {
       t.emit(Op::kAdd, K::kBool, {t.yes(), t.yes()});
     },
     "Kernel k: instruction 1 (add) has the result type bool, which must be a number."},
    {"AddOfPointers",
     [](Bench& t) {
       t.b.emit(Op::kAdd, t.p->type, {t.p, t.p});
     },
     "Kernel k: instruction 1 (add) has the result type ptr<global>, which must be a number."},
    {"AndOfFloats",
     [](Bench& t) {
       t.emit(Op::kAnd, K::kF32, {t.f32(1), t.f32(1)});
     },
     "Kernel k: instruction 1 (and) has the result type f32, which must be an integer or bool."},
    {"ShiftByFloat",
     [](Bench& t) {
       t.emit(Op::kShl, K::kI32, {t.n, t.f32(1)});
     },
     "Kernel k: instruction 1 (shl) has operand 2 of type f32, which must be an integer."},
    {"MulHiOfFloat",
     [](Bench& t) {
       t.emit(Op::kMulHi, K::kF32, {t.f32(1), t.f32(1)});
     },
     "Kernel k: instruction 1 (mulhi) has the result type f32, which must be an integer."},
    {"CompareToInt",
     [](Bench& t) {
       t.emit(Op::kLt, K::kI32, {t.n, t.n});
     },
     "Kernel k: instruction 1 (lt) has the result type i32, which must be bool."},
    {"CompareOfMixedTypes",
     [](Bench& t) {
       t.emit(Op::kEq, K::kBool, {t.n, t.u32(1)});
     },
     "Kernel k: instruction 1 (eq) has operand 2 of type u32, which must be i32."},
    {"CompareOfStructs",
     [](Bench& t) {
       Value* zero = t.module.constant(t.pair(), 0);
       t.emit(Op::kEq, K::kBool, {zero, zero});
     },
     "Kernel k: instruction 1 (eq) has operand 1 of type %Pair, which must be a scalar."},
    {"SelectOnInt",
     [](Bench& t) {
       t.emit(Op::kSelect, K::kI32, {t.n, t.n, t.n});
     },
     "Kernel k: instruction 1 (select) has operand 1 of type i32, which must be bool."},
    {"SelectOfMixedTypes",
     [](Bench& t) {
       t.emit(Op::kSelect, K::kI32, {t.yes(), t.n, t.u32(1)});
     },
     "Kernel k: instruction 1 (select) has operand 3 of type u32, which must be i32."},
    {"ConvertOfPointer", [](Bench& t) { t.emit(Op::kConvert, K::kU64, {t.p}); },
     "Kernel k: instruction 1 (convert) has operand 1 of type ptr<global>, which must be a number or bool."},
    {"BitcastOfOtherSize", [](Bench& t) { t.emit(Op::kBitcast, K::kU64, {t.n}); },
     "Kernel k: instruction 1 (bitcast) changes the size from i32 to u64."},
    {"BitcastOfPointer", [](Bench& t) { t.emit(Op::kBitcast, K::kU64, {t.p}); },
     "Kernel k: instruction 1 (bitcast) has operand 1 of type ptr<global>, which must be a number."},
    {"PopcOfByte", [](Bench& t) { t.emit(Op::kPopc, K::kI32, {t.module.constant_int(K::kU8, 1)}); },
     "Kernel k: instruction 1 (popc) has operand 1 of type u8, which must be a 32-bit or 64-bit integer."},
    {"PopcToU32", [](Bench& t) { t.emit(Op::kPopc, K::kU32, {t.n}); },
     "Kernel k: instruction 1 (popc) has the result type u32, which must be i32."},
    {"BytePermOfSigned",
     [](Bench& t) {
       t.emit(Op::kBytePerm, K::kU32, {t.u32(1), t.n, t.u32(1)});
     },
     "Kernel k: instruction 1 (byte_perm) has operand 2 of type i32, which must be u32."},
    {"Dot4OfLong",
     [](Bench& t) {
       t.emit(Op::kDot4, K::kU64, {t.u64(1), t.u64(1), t.u64(1)});
     },
     "Kernel k: instruction 1 (dot4) has the result type u64, which must be i32 or u32."},
    {"SqrtOfInt", [](Bench& t) { t.emit(Op::kSqrt, K::kI32, {t.n}); },
     "Kernel k: instruction 1 (sqrt) has the result type i32, which must be a float."},
    {"LdexpByLong",
     [](Bench& t) {
       t.emit(Op::kLdexp, K::kF32, {t.f32(1), t.u64(1)});
     },
     "Kernel k: instruction 1 (ldexp) has operand 2 of type u64, which must be i32."},
    {"IsNanOfInt", [](Bench& t) { t.emit(Op::kIsNan, K::kBool, {t.n}); },
     "Kernel k: instruction 1 (isnan) has operand 1 of type i32, which must be a float."},
    {"RoundedAddOfInt",
     [](Bench& t) {
       t.emit(Op::kAddR, K::kI32, {t.n, t.n});
     },
     "Kernel k: instruction 1 (add_r) has the result type i32, which must be a float."},
    {"RoundedConvertOfInts", [](Bench& t) { t.emit(Op::kConvertR, K::kU64, {t.n}); },
     "Kernel k: instruction 1 (convert_r) rounds between two integers."},
    {"ExtractOfScalar", [](Bench& t) { t.emit(Op::kExtract, K::kI32, {t.n}); },
     "Kernel k: instruction 1 (extract) has operand 1 of type i32, which must be an aggregate."},
    {"ExtractBeyondEnd",
     [](Bench& t) {
       t.emit(Op::kExtract, K::kI32, {t.module.constant(t.pair(), 0)})->mutable_attr().index = 2;
     },
     "Kernel k: instruction 1 (extract) names member 2 of %Pair, which has 2."},
    {"ExtractOfOtherType", [](Bench& t) { t.emit(Op::kExtract, K::kI32, {t.module.constant(t.pair(), 0)}); },
     "Kernel k: instruction 1 (extract) takes member 0 of %Pair as i32, which must be f32."},
    {"InsertOfOtherType",
     [](Bench& t) {
       t.b.emit(Op::kInsert, t.pair(), {t.module.constant(t.pair(), 0), t.n});
     },
     "Kernel k: instruction 1 (insert) takes member 0 of %Pair as i32, which must be f32."},
    {"ConstructWithTooFew", [](Bench& t) { t.b.emit(Op::kConstruct, t.pair(), {t.f32(1)}); },
     "Kernel k: instruction 1 (construct) has 1 members for %Pair, which has 2."},
    {"ConstructOfOtherType",
     [](Bench& t) {
       t.b.emit(Op::kConstruct, t.pair(), {t.n, t.n});
     },
     "Kernel k: instruction 1 (construct) has operand 1 of type i32, which must be f32."},
    {"ConstructOfScalar", [](Bench& t) { t.emit(Op::kConstruct, K::kI32, {t.n}); },
     "Kernel k: instruction 1 (construct) has the result type i32, which must be an aggregate."},
    {"ResultMissing",
     [](Bench& t) {
       t.effect(Op::kAdd, {t.n, t.n});
     },
     "Kernel k: instruction 1 (add) has no result type."},
    {"ResultOfStore",
     [](Bench& t) {
       t.emit(Op::kStore, K::kI32, {t.p, t.n});
     },
     "Kernel k: instruction 1 (store) has the result type i32, which must be void."},
};
INSTANTIATE_TEST_SUITE_P(Types, IrVerify, testing::ValuesIn(kTypeDefects),
                         [](const auto& given) { return std::string(given.param.name); });

const Defect kMemoryDefects[] = {
    {"VarInGlobalSpace",
     [](Bench& t) { t.b.emit(Op::kVar, t.p->type, {})->mutable_attr().type = t.get(K::kI32); },
     "Kernel k: instruction 1 (var) has the result type ptr<global>, which must be ptr<local>."},
    {"VarOfVoid", [](Bench& t) { t.b.var(t.get(K::kVoid), "v"); },
     "Kernel k: instruction 1 (var) has a variable without a size."},
    {"VarOfUnknownStruct", [](Bench& t) { t.b.var(t.types.declare_struct("S"), "v"); },
     "Kernel k: instruction 1 (var) has a variable without a size."},
    {"VarTooLarge", [](Bench& t) { t.b.var(t.types.array(t.get(K::kI32), uint64_t{1} << 62), "v"); },
     "Kernel k: instruction 1 (var) has a variable without a size."},
    {"LoadThroughInt", [](Bench& t) { t.emit(Op::kLoad, K::kI32, {t.n}); },
     "Kernel k: instruction 1 (load) has operand 1 of type i32, which must be a pointer."},
    {"LoadOfUnknownStruct", [](Bench& t) { t.b.load(t.types.declare_struct("S"), t.p); },
     "Kernel k: instruction 1 (load) accesses %S, which has no size."},
    {"LoadWithOddAlignment", [](Bench& t) { t.b.load(t.get(K::kI32), t.p, 3); },
     "Kernel k: instruction 1 (load) has an alignment that is not a power of two."},
    {"StoreThroughInt", [](Bench& t) { t.b.store(t.n, t.n); },
     "Kernel k: instruction 1 (store) has operand 1 of type i32, which must be a pointer."},
    {"OffsetToOtherSpace",
     [](Bench& t) {
       t.b.emit(Op::kOffset, t.types.ptr(Space::kShared), {t.p, t.n});
     },
     "Kernel k: instruction 1 (offset) has the result type ptr<shared>, which must be ptr<global>."},
    {"OffsetByByte",
     [](Bench& t) {
       t.b.emit(Op::kOffset, t.p->type, {t.p, t.module.constant_int(K::kI8, 1)});
     },
     "Kernel k: instruction 1 (offset) has operand 2 of type i8, which must be a 32-bit or 64-bit integer."},
    {"FieldBeyondEnd", [](Bench& t) { t.b.field(t.p, t.pair(), 5); },
     "Kernel k: instruction 1 (field) names field 5 of %Pair, which has 2."},
    {"FieldOfScalar", [](Bench& t) { t.b.field(t.p, t.get(K::kI32), 0); },
     "Kernel k: instruction 1 (field) needs a struct type."},
    {"FieldToOtherSpace",
     [](Bench& t) {
       t.b.emit(Op::kFieldPtr, t.types.ptr(Space::kLocal), {t.p})->mutable_attr().type = t.pair();
     },
     "Kernel k: instruction 1 (field) has the result type ptr<local>, which must be ptr<global>."},
    {"DifferenceAcrossSpaces",
     [](Bench& t) {
       t.emit(Op::kPtrDiff, K::kI64, {t.p, t.module.undef(t.types.ptr(Space::kShared))});
     },
     "Kernel k: instruction 1 (ptr_diff) has operand 2 of type ptr<shared>, which must be ptr<global>."},
    {"DifferenceByZero",
     [](Bench& t) {
       t.emit(Op::kPtrDiff, K::kI64, {t.p, t.p})->mutable_attr().scale = 0;
     },
     "Kernel k: instruction 1 (ptr_diff) divides by a scale of 0."},
    {"IntToPtrOfI32", [](Bench& t) { t.b.emit(Op::kIntToPtr, t.p->type, {t.n}); },
     "Kernel k: instruction 1 (int_to_ptr) has operand 1 of type i32, which must be u64."},
    {"SpaceCastAcross", [](Bench& t) { t.b.emit(Op::kSpaceCast, t.types.ptr(Space::kShared), {t.p}); },
     "Kernel k: instruction 1 (space_cast) casts ptr<global> to ptr<shared>, but one of them must be "
     "generic."},
    {"CopyOfI32Bytes",
     [](Bench& t) {
       t.effect(Op::kMemCopy, {t.p, t.p, t.n});
     },
     "Kernel k: instruction 1 (mem_copy) has operand 3 of type i32, which must be u64 or u32."},
    {"SetToInt",
     [](Bench& t) {
       t.effect(Op::kMemSet, {t.p, t.n, t.u64(4)});
     },
     "Kernel k: instruction 1 (mem_set) has operand 2 of type i32, which must be u8."},
    {"AtomicAndOfFloat",
     [](Bench& t) {
       t.emit(Op::kAtomicRmw, K::kF32, {t.p, t.f32(1)})->mutable_attr().rmw = Rmw::kAnd;
     },
     "Kernel k: instruction 1 (atomic) has the result type f32, which must be an integer."},
    {"AtomicOfOtherType",
     [](Bench& t) {
       t.emit(Op::kAtomicRmw, K::kF32, {t.p, t.n});
     },
     "Kernel k: instruction 1 (atomic) has operand 2 of type i32, which must be f32."},
    {"CasOfMixedTypes",
     [](Bench& t) {
       t.emit(Op::kAtomicCas, K::kI32, {t.p, t.n, t.u32(1)});
     },
     "Kernel k: instruction 1 (atomic_cas) has operand 3 of type u32, which must be i32."},
    {"AtomicStoreOfStruct",
     [](Bench& t) {
       t.effect(Op::kAtomicStore, {t.p, t.module.constant(t.pair(), 0)});
     },
     "Kernel k: instruction 1 (atomic_store) has operand 2 of type %Pair, which must be a scalar."},
};
INSTANTIATE_TEST_SUITE_P(Memory, IrVerify, testing::ValuesIn(kMemoryDefects),
                         [](const auto& given) { return std::string(given.param.name); });

const Defect kThreadDefects[] = {
    {"FourthDimension", [](Bench& t) { t.b.index_op(Op::kThreadId, 3); },
     "Kernel k: instruction 1 (thread_id) has a dimension that is not x, y or z."},
    {"IndexAsI32", [](Bench& t) { t.emit(Op::kThreadId, K::kI32, {}); },
     "Kernel k: instruction 1 (thread_id) has the result type i32, which must be u32."},
    {"BarrierCountOfInt", [](Bench& t) { t.emit(Op::kBarrierCount, K::kI32, {t.n}); },
     "Kernel k: instruction 1 (barrier_count) has operand 1 of type i32, which must be bool."},
    {"ShuffleOfHalf",
     [](Bench& t) {
       t.emit(Op::kShuffle, K::kF16, {t.u32(1), t.module.constant(t.get(K::kF16), 0), t.u32(1), t.u32(32)});
     },
     "Kernel k: instruction 1 (shuffle) has the result type f16, which must be a 32-bit or 64-bit number."},
    {"ShuffleWithSignedMask",
     [](Bench& t) {
       t.emit(Op::kShuffle, K::kI32, {t.n, t.n, t.u32(1), t.u32(32)});
     },
     "Kernel k: instruction 1 (shuffle) has operand 1 of type i32, which must be u32."},
    {"SharedOfSignedRank",
     [](Bench& t) {
       t.b.emit(Op::kMapShared, t.types.ptr(Space::kGeneric), {t.p, t.n});
     },
     "Kernel k: instruction 1 (map_shared) has operand 2 of type i32, which must be u32."},
    {"TokenOfOneWord",
     [](Bench& t) {
       t.emit(Op::kBarrierPassed, K::kBool, {t.p, t.u32(1)});
     },
     "Kernel k: instruction 1 (barrier_passed) has operand 2 of type u32, which must be u64."},
    {"CopyOfThreeBytes",
     [](Bench& t) {
       t.b.emit(Op::kAsyncCopy, nullptr, {t.p, t.p, t.u32(3)})->mutable_attr().index = 3;
     },
     "Kernel k: instruction 1 (async_copy) copies neither 4, 8 nor 16 bytes."},
    {"MatricesThereAreNot",
     [](Bench& t) { t.emit(Op::kMatrixForm, K::kU32, {})->mutable_attr().index = 0xf; },
     "Kernel k: instruction 1 (matrix_form) names an unknown kind of matrix: 15."},
    {"BallotOfInt",
     [](Bench& t) {
       t.emit(Op::kBallot, K::kU32, {t.u32(1), t.n});
     },
     "Kernel k: instruction 1 (ballot) has operand 2 of type i32, which must be bool."},
    {"ReduceByExchange",
     [](Bench& t) {
       t.emit(Op::kWarpReduce, K::kI32, {t.u32(1), t.n})->mutable_attr().rmw = Rmw::kExchange;
     },
     "Kernel k: instruction 1 (warp_reduce) reduces with an operation other than add, min, max, and, or, "
     "xor."},
    {"ReduceOfFloat",
     [](Bench& t) {
       t.emit(Op::kWarpReduce, K::kF32, {t.u32(1), t.f32(1)});
     },
     "Kernel k: instruction 1 (warp_reduce) has the result type f32, which must be i32 or u32."},
    {"PrintfOfStruct", [](Bench& t) { t.effect(Op::kPrintf, {t.module.constant(t.pair(), 0)}); },
     "Kernel k: instruction 1 (printf) has operand 1 of type %Pair, which must be a scalar."},
    {"AssertOfInt", [](Bench& t) { t.effect(Op::kAssert, {t.n}); },
     "Kernel k: instruction 1 (assert) has operand 1 of type i32, which must be bool."},
};
INSTANTIATE_TEST_SUITE_P(Threads, IrVerify, testing::ValuesIn(kThreadDefects),
                         [](const auto& given) { return std::string(given.param.name); });

Function* add_callee(Bench& t) {
  Function* callee = t.module.add_function("f");
  callee->result = t.get(K::kI32);
  t.module.add_param(callee, t.get(K::kI32), "x");
  Builder b(t.module);
  b.at(callee->body);
  b.ret(t.i32(1));
  return callee;
}

const Defect kControlDefects[] = {
    {"OperandMissing",
     [](Bench& t) {
       t.emit(Op::kAdd, K::kI32, {t.n, nullptr});
     },
     "Kernel k: instruction 1 (add) lacks operand 2."},
    {"OperandTooMany",
     [](Bench& t) {
       t.emit(Op::kNeg, K::kI32, {t.n, t.n});
     },
     "Kernel k: instruction 1 (neg) has 2 operands, not 1."},
    {"UseBeforeDefinition",
     [](Bench& t) {
       Inst* later = t.emit(Op::kAdd, K::kI32, {t.n, t.n});
       t.b.at(t.kernel->body, later);
       t.emit(Op::kAdd, K::kI32, {later, t.n});
     },
     "Kernel k: instruction 1 (add) uses a value that is not visible there as operand 1."},
    {"UseOfItself",
     [](Bench& t) {
       Inst* inst = t.emit(Op::kAdd, K::kI32, {t.n, t.n});
       inst->operands[0] = inst;
     },
     "Kernel k: instruction 1 (add) uses a value that is not visible there as operand 1."},
    {"UseOutsideItsBlock",
     [](Bench& t) {
       Inst* branch = t.b.make_if(t.yes());
       t.b.at(branch->blocks[0]);
       Inst* inner = t.emit(Op::kAdd, K::kI32, {t.n, t.n});
       t.b.at(t.kernel->body);
       t.b.store(t.p, inner);
     },
     "Kernel k: instruction 3 (store) uses a value that is not visible there as operand 2."},
    {"UseInTheOtherArm",
     [](Bench& t) {
       Inst* branch = t.b.make_if(t.yes());
       t.b.at(branch->blocks[0]);
       Inst* inner = t.emit(Op::kAdd, K::kI32, {t.n, t.n});
       t.b.at(branch->blocks[1]);
       t.b.store(t.p, inner);
     },
     "Kernel k: instruction 3 (store) uses a value that is not visible there as operand 2."},
    {"UseOfAnEffect",
     [](Bench& t) {
       Inst* effect = t.effect(Op::kBarrier, {});
       t.b.store(t.p, effect);
     },
     "Kernel k: instruction 2 (store) uses a void value as operand 2."},
    {"ParameterOfAnother", [](Bench& t) { t.b.store(t.p, add_callee(t)->params[0]); },
     "Kernel k: instruction 1 (store) uses a parameter of another function as operand 2."},
    {"GlobalOfAnother",
     [](Bench& t) {
       Global* global = t.module.add_global("g", t.get(K::kI32), Space::kGlobal);
       t.module.globals.clear();
       t.b.store(global, t.n);
     },
     "Kernel k: instruction 1 (store) uses a variable that is not in the module as operand 1."},
    {"ConstantTooWide",
     [](Bench& t) {
       static Const wide(nullptr, 0);
       wide.type = t.get(K::kI32);
       wide.bits = uint64_t{1} << 40;
       t.b.store(t.p, &wide);
     },
     "Kernel k: instruction 1 (store) has a malformed constant as operand 2."},
    {"TypeOfAnother",
     [](Bench& t) {
       static TypeTable other;
       t.b.emit(Op::kLoad, other.get(K::kI32), {t.p});
     },
     "Kernel k: instruction 1 (load) has a result type of another module."},
    {"ParentWrong", [](Bench& t) { t.effect(Op::kBarrier, {})->parent = nullptr; },
     "Kernel k: instruction 1 (barrier) is wrongly linked into its block."},
    {"PreviousWrong",
     [](Bench& t) {
       t.effect(Op::kBarrier, {});
       t.effect(Op::kBarrier, {})->prev = nullptr;
     },
     "Kernel k: instruction 2 (barrier) is wrongly linked into its block."},
    {"LastWrong",
     [](Bench& t) {
       Inst* first = t.effect(Op::kBarrier, {});
       t.effect(Op::kBarrier, {});
       t.kernel->body->last = first;
     },
     "Kernel k has a block whose end is wrong."},
    {"OwnerWrong", [](Bench& t) { t.b.make_scope()->blocks[0]->owner = nullptr; },
     "Kernel k: instruction 1 (scope) has a block that belongs to another instruction."},
    {"FunctionWrong", [](Bench& t) { t.b.make_scope()->blocks[0]->function = nullptr; },
     "Kernel k: instruction 1 (scope) has a block that belongs to another function."},
    {"ArmMissing", [](Bench& t) { t.b.make_if(t.yes())->blocks.pop_back(); },
     "Kernel k: instruction 1 (if) has 1 blocks, not 2."},
    {"IfOnInt", [](Bench& t) { t.b.make_if(t.n); },
     "Kernel k: instruction 1 (if) has operand 1 of type i32, which must be bool."},
    {"TerminatorInside",
     [](Bench& t) {
       t.b.ret(nullptr);
       t.b.ret(nullptr);
     },
     "Kernel k: instruction 1 (return) ends its block but is not the last in it."},
    {"YieldInBody",
     [](Bench& t) {
       Inst* loop = t.b.make_loop();
       t.b.at(loop->blocks[1]);
       t.b.yield(t.yes());
     },
     "Kernel k: instruction 2 (yield) is not in the head or the step of a loop."},
    {"YieldInFunction", [](Bench& t) { t.b.yield(t.yes()); },
     "Kernel k: instruction 1 (yield) is not in the head or the step of a loop."},
    {"YieldOfInt",
     [](Bench& t) {
       t.b.at(t.b.make_loop()->blocks[0]);
       t.b.yield(t.n);
     },
     "Kernel k: instruction 2 (yield) has operand 1 of type i32, which must be bool."},
    {"ExitNowhere", [](Bench& t) { t.b.exit(nullptr); }, "Kernel k: instruction 1 (exit) has no target."},
    {"ExitOfNeighbour",
     [](Bench& t) {
       Inst* loop = t.b.make_loop();
       t.b.exit(loop);
     },
     "Kernel k: instruction 2 (exit) has a target that does not enclose it."},
    {"ExitOfIf",
     [](Bench& t) {
       Inst* branch = t.b.make_if(t.yes());
       t.b.at(branch->blocks[0]);
       t.b.exit(branch);
     },
     "Kernel k: instruction 2 (exit) has an if as its target."},
    {"ContinueOfScope",
     [](Bench& t) {
       Inst* scope = t.b.make_scope();
       t.b.at(scope->blocks[0]);
       t.b.continue_(scope);
     },
     "Kernel k: instruction 2 (continue) has a target that is not a loop."},
    {"ContinueInStep",
     [](Bench& t) {
       Inst* loop = t.b.make_loop();
       t.b.at(loop->blocks[2]);
       t.b.continue_(loop);
     },
     "Kernel k: instruction 2 (continue) is in the step of its target."},
    {"SwitchOnFloat", [](Bench& t) { t.b.make_switch(t.f32(1), {}); },
     "Kernel k: instruction 1 (switch) has operand 1 of type f32, which must be an integer."},
    {"CaseTwice",
     [](Bench& t) {
       t.b.make_switch(t.n, {{{1, 2}}, {{2}}});
     },
     "Kernel k: instruction 1 (switch) has the case 2 twice."},
    {"CaseTooLarge", [](Bench& t) { t.b.make_switch(t.n, {{{int64_t{1} << 31}}}); },
     "Kernel k: instruction 1 (switch) has the case 2147483648, which its type cannot hold."},
    {"CaseNegative", [](Bench& t) { t.b.make_switch(t.u32(1), {{{-1}}}); },
     "Kernel k: instruction 1 (switch) has the case -1, which its type cannot hold."},
    {"TwoDefaults",
     [](Bench& t) {
       t.b.make_switch(t.n, {{{}}, {{}}});
     },
     "Kernel k: instruction 1 (switch) has two default cases."},
    {"CaseWithoutBlock", [](Bench& t) { t.b.make_switch(t.n, {{{1}}})->blocks.clear(); },
     "Kernel k: instruction 1 (switch) has 0 blocks, not 1."},
    {"ReturnOfAValue", [](Bench& t) { t.b.ret(t.n); },
     "Kernel k: instruction 1 (return) has 1 operands, not 0."},
    {"CallOfAKernel",
     [](Bench& t) {
       t.effect(Op::kCall, {t.n, t.p})->mutable_attr().callee = t.kernel;
     },
     "Kernel k: instruction 1 (call) calls the kernel k."},
    {"CallOfNobody", [](Bench& t) { t.effect(Op::kCall, {}); },
     "Kernel k: instruction 1 (call) calls a function that is not in the module."},
    {"CallWithTooFew",
     [](Bench& t) { t.emit(Op::kCall, K::kI32, {})->mutable_attr().callee = add_callee(t); },
     "Kernel k: instruction 1 (call) passes 0 arguments to f, which takes 1."},
    {"CallWithOtherType",
     [](Bench& t) { t.emit(Op::kCall, K::kI32, {t.p})->mutable_attr().callee = add_callee(t); },
     "Kernel k: instruction 1 (call) passes ptr<global> as argument 1 to f, which takes i32."},
    {"CallForOtherResult",
     [](Bench& t) { t.effect(Op::kCall, {t.n})->mutable_attr().callee = add_callee(t); },
     "Kernel k: instruction 1 (call) has the result type void, but f returns i32."},
    {"PositionInNoFile",
     [](Bench& t) {
       t.effect(Op::kBarrier, {})->pos = {3, 4, 1, 2};
     },
     "Kernel k: instruction 1 (barrier at 3:4) is in file 2, which is not in the module."},
};
INSTANTIATE_TEST_SUITE_P(Control, IrVerify, testing::ValuesIn(kControlDefects),
                         [](const auto& given) { return std::string(given.param.name); });

const Defect kModuleDefects[] = {
    {"KernelWithResult", [](Bench& t) { t.kernel->result = t.get(K::kI32); },
     "Kernel k returns a value, but kernels return void."},
    {"ReturnOfOtherType",
     [](Bench& t) {
       Function* f = add_callee(t);
       f->body->first->operands[0] = t.f32(1);
     },
     "Function f: instruction 1 (return) returns f32 from a function of i32."},
    {"ReturnOfNothing", [](Bench& t) { add_callee(t)->body->first->operands.clear(); },
     "Function f: instruction 1 (return) has 0 operands, not 1."},
    {"FunctionTwice", [](Bench& t) { t.module.add_function("k"); }, "There are two functions named k."},
    {"FunctionWithoutName", [](Bench& t) { t.kernel->name.clear(); }, "There is a function without a name."},
    {"FunctionWithoutBody", [](Bench& t) { t.kernel->body = nullptr; }, "Kernel k has no body."},
    {"ParameterIndexWrong", [](Bench& t) { t.n->index = 1; }, "Kernel k has a parameter with a wrong index."},
    {"ParameterOfVoid", [](Bench& t) { t.n->type = t.get(K::kVoid); },
     "Kernel k has the parameter n without a size."},
    {"PointeeOfInt", [](Bench& t) { t.n->elem = t.get(K::kI32); },
     "Kernel k has the parameter n with a pointee, but it is not a pointer."},
    {"GlobalTwice",
     [](Bench& t) {
       t.module.add_global("g", t.get(K::kI32), Space::kGlobal);
       t.module.add_global("g", t.get(K::kI32), Space::kShared);
     },
     "There are two variables named g."},
    {"GlobalInLocalSpace", [](Bench& t) { t.module.add_global("g", t.get(K::kI32), Space::kLocal); },
     "The variable g is in the address space local, which holds no variables."},
    {"GlobalWithOtherAddress",
     [](Bench& t) {
       t.module.add_global("g", t.get(K::kI32), Space::kGlobal)->type = t.types.ptr(Space::kShared);
     },
     "The variable g has an address of the wrong type."},
    {"GlobalOfVoid", [](Bench& t) { t.module.add_global("g", t.get(K::kVoid), Space::kGlobal); },
     "The variable g has no size."},
    {"GlobalOfUnknownExtent",
     [](Bench& t) { t.module.add_global("g", t.types.array(t.get(K::kI32), 0), Space::kGlobal); },
     "The variable g has no size."},
    {"GlobalUnderaligned",
     [](Bench& t) { t.module.add_global("g", t.get(K::kI32), Space::kGlobal)->align = 2; },
     "The variable g has an alignment that is not a power of two or is less than its type's."},
    {"SharedWithData",
     [](Bench& t) {
       t.module.add_global("g", t.get(K::kI32), Space::kShared)->init = {1, 2, 3, 4};
     },
     "The variable g is shared and has initial data."},
    {"DataOfOtherSize",
     [](Bench& t) { t.module.add_global("g", t.get(K::kI32), Space::kGlobal)->init = {1}; },
     "The variable g has 1 bytes of initial data for a size of 4."},
    {"StructInItself",
     [](Bench& t) {
       const Type* s = t.types.declare_struct("S");
       t.types.define_struct(s, {{"s", s, 0}}, 8, 8);
     },
     "The struct S contains itself."},
    {"FieldWithoutSize",
     [](Bench& t) {
       t.types.define_struct(t.types.declare_struct("S"), {{"v", t.get(K::kVoid), 0}}, 8, 8);
     },
     "The struct S has the field v without a size."},
    {"FieldOutside",
     [](Bench& t) {
       t.types.define_struct(t.types.declare_struct("S"), {{"i", t.get(K::kI32), ~uint64_t{0}}}, 8, 8);
     },
     "The struct S has the field i beyond its end."},
    {"StructSizeOdd", [](Bench& t) { t.types.define_struct(t.types.declare_struct("S"), {}, 6, 4); },
     "The struct S has a size that is not a multiple of its alignment."},
};
INSTANTIATE_TEST_SUITE_P(Modules, IrVerify, testing::ValuesIn(kModuleDefects),
                         [](const auto& given) { return std::string(given.param.name); });

TEST(IrVerifyLinks, ACycleIsFoundAndEnds) {
  Bench t;
  Inst* first = t.effect(Op::kBarrier, {});
  Inst* second = t.effect(Op::kBarrier, {});
  second->next = first;
  EXPECT_EQ(verify(t.module), "Kernel k: instruction 3 (barrier) is wrongly linked into its block.");
  first->prev = second;
  first->parent = t.kernel->body;
  EXPECT_NE(verify(t.module), "");
}

TEST(IrVerifyPointers, InInitialData) {
  Bench t;
  Global* holder = t.module.add_global("holder", t.types.ptr(Space::kGeneric), Space::kGlobal);
  Global* shared = t.module.add_global("tile", t.get(K::kI32), Space::kShared);
  holder->pointers = {{0, holder, 0}};
  EXPECT_EQ(verify(t.module), "The variable holder has a pointer outside of its initial data.");
  holder->init.assign(8, 0);
  EXPECT_EQ(verify(t.module), "");
  holder->pointers[0].target = shared;
  EXPECT_EQ(verify(t.module),
            "The variable holder has a pointer to an object that has no address at load time.");
  Module other;
  holder->pointers[0].target = other.add_global("stranger", other.types().get(K::kI32), Space::kGlobal);
  EXPECT_EQ(verify(t.module), "The variable holder points to a variable that is not in the module.");
}

// if (yes) { inner = var; outer = &inner; } load outer
TEST(IrVerifyLifetimes, AnAddressReadAfterItsBlock) {
  for (const bool is_named : {false, true}) {
    Bench t;
    const Type* pointer = t.types.ptr(Space::kLocal);
    Inst* outer = t.b.var(pointer, "outer");
    const Inst* branch = t.b.make_if(t.yes());
    t.b.at(branch->blocks[0]);
    t.b.store(outer, t.b.var(t.get(K::kI32), is_named ? "inner" : ""));
    t.b.load(pointer, outer);
    EXPECT_EQ(verify_lifetimes(t.module), "");
    t.b.at(t.kernel->body);
    t.b.load(pointer, outer);
    EXPECT_EQ(verify(t.module), "");
    EXPECT_EQ(verify_lifetimes(t.module),
              is_named
                  ? ""
                  : "In k: The instruction at 0:0 reads the address of a variable whose block has ended.");
  }
}

TEST(IrVerifyAccepts, AnEmptyModuleAndTheSample) {
  EXPECT_EQ(verify(Module()), "");
  EXPECT_EQ(verify(every_op()), "");
}

TEST(IrVerifyAccepts, ValuesOfEnclosingBlocks) {
  Bench t;
  Inst* loop = t.b.make_loop();
  t.b.at(loop->blocks[0]);
  Value* value = t.emit(Op::kAdd, K::kI32, {t.n, t.n});
  Inst* branch = t.b.make_if(t.yes());
  t.b.at(branch->blocks[1]);
  t.b.store(t.p, value);
  t.b.continue_(loop);
  EXPECT_EQ(verify(t.module), "");
}

}  // namespace
}  // namespace quern::ir
