// The verifier rejects each kind of defect, with a sentence that names the function and the instruction.
#include "lang/ir/verify.hpp"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "ir/sample.hpp"
#include "ir/sentences.hpp"
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
  const Type* tensor_map() {
    const Type* type = types.declare_struct("CUtensorMap");
    types.define_struct(type, {{"opaque", types.array(get(TypeKind::kU64), 16), 0}}, 128, 64);
    return type;
  }
};

struct Defect {
  const char* name;
  std::function<void(Bench&)> make;
  std::string message;
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
     sentence(1, "add", message::kOperandType("2", "f32", "i32"))},
    {"AddOfBool",
     [](Bench& t) {
       t.emit(Op::kAdd, K::kBool, {t.yes(), t.yes()});
     },
     sentence(1, "add", message::kResultType("bool", "a number"))},
    {"AddOfPointers",
     [](Bench& t) {
       t.b.emit(Op::kAdd, t.p->type, {t.p, t.p});
     },
     sentence(1, "add", message::kResultType("ptr<global>", "a number"))},
    {"AndOfFloats",
     [](Bench& t) {
       t.emit(Op::kAnd, K::kF32, {t.f32(1), t.f32(1)});
     },
     sentence(1, "and", message::kResultType("f32", "an integer or bool"))},
    {"ShiftByFloat",
     [](Bench& t) {
       t.emit(Op::kShl, K::kI32, {t.n, t.f32(1)});
     },
     sentence(1, "shl", message::kOperandType("2", "f32", "an integer"))},
    {"MulHiOfFloat",
     [](Bench& t) {
       t.emit(Op::kMulHi, K::kF32, {t.f32(1), t.f32(1)});
     },
     sentence(1, "mulhi", message::kResultType("f32", "an integer"))},
    {"CompareToInt",
     [](Bench& t) {
       t.emit(Op::kLt, K::kI32, {t.n, t.n});
     },
     sentence(1, "lt", message::kResultType("i32", "bool"))},
    {"CompareOfMixedTypes",
     [](Bench& t) {
       t.emit(Op::kEq, K::kBool, {t.n, t.u32(1)});
     },
     sentence(1, "eq", message::kOperandType("2", "u32", "i32"))},
    {"CompareOfStructs",
     [](Bench& t) {
       Value* zero = t.module.constant(t.pair(), 0);
       t.emit(Op::kEq, K::kBool, {zero, zero});
     },
     sentence(1, "eq", message::kOperandType("1", "%Pair", "a scalar"))},
    {"SelectOnInt",
     [](Bench& t) {
       t.emit(Op::kSelect, K::kI32, {t.n, t.n, t.n});
     },
     sentence(1, "select", message::kOperandType("1", "i32", "bool"))},
    {"SelectOfMixedTypes",
     [](Bench& t) {
       t.emit(Op::kSelect, K::kI32, {t.yes(), t.n, t.u32(1)});
     },
     sentence(1, "select", message::kOperandType("3", "u32", "i32"))},
    {"ConvertOfPointer", [](Bench& t) { t.emit(Op::kConvert, K::kU64, {t.p}); },
     sentence(1, "convert", message::kOperandType("1", "ptr<global>", "a number or bool"))},
    {"BitcastOfOtherSize", [](Bench& t) { t.emit(Op::kBitcast, K::kU64, {t.n}); },
     sentence(1, "bitcast", message::kBitcastSize("i32", "u64"))},
    {"BitcastOfPointer", [](Bench& t) { t.emit(Op::kBitcast, K::kU64, {t.p}); },
     sentence(1, "bitcast", message::kOperandType("1", "ptr<global>", "a number"))},
    {"PopcOfByte", [](Bench& t) { t.emit(Op::kPopc, K::kI32, {t.module.constant_int(K::kU8, 1)}); },
     sentence(1, "popc", message::kOperandType("1", "u8", "a 32-bit or 64-bit integer"))},
    {"PopcToU32", [](Bench& t) { t.emit(Op::kPopc, K::kU32, {t.n}); },
     sentence(1, "popc", message::kResultType("u32", "i32"))},
    {"BytePermOfSigned",
     [](Bench& t) {
       t.emit(Op::kBytePerm, K::kU32, {t.u32(1), t.n, t.u32(1)});
     },
     sentence(1, "byte_perm", message::kOperandType("2", "i32", "u32"))},
    {"Dot4OfLong",
     [](Bench& t) {
       t.emit(Op::kDot4, K::kU64, {t.u64(1), t.u64(1), t.u64(1)});
     },
     sentence(1, "dot4", message::kResultType("u64", "i32 or u32"))},
    {"SqrtOfInt", [](Bench& t) { t.emit(Op::kSqrt, K::kI32, {t.n}); },
     sentence(1, "sqrt", message::kResultType("i32", "a float"))},
    {"LdexpByLong",
     [](Bench& t) {
       t.emit(Op::kLdexp, K::kF32, {t.f32(1), t.u64(1)});
     },
     sentence(1, "ldexp", message::kOperandType("2", "u64", "i32"))},
    {"IsNanOfInt", [](Bench& t) { t.emit(Op::kIsNan, K::kBool, {t.n}); },
     sentence(1, "isnan", message::kOperandType("1", "i32", "a float"))},
    {"RoundedAddOfInt",
     [](Bench& t) {
       t.emit(Op::kAddR, K::kI32, {t.n, t.n});
     },
     sentence(1, "add_r", message::kResultType("i32", "a float"))},
    {"RoundedConvertOfInts", [](Bench& t) { t.emit(Op::kConvertR, K::kU64, {t.n}); },
     sentence(1, "convert_r", message::kRoundsBetweenIntegers())},
    {"ExtractOfScalar", [](Bench& t) { t.emit(Op::kExtract, K::kI32, {t.n}); },
     sentence(1, "extract", message::kOperandType("1", "i32", "an aggregate"))},
    {"ExtractBeyondEnd",
     [](Bench& t) {
       t.emit(Op::kExtract, K::kI32, {t.module.constant(t.pair(), 0)})->mutable_attr().index = 2;
     },
     sentence(1, "extract", message::kMemberIndex("2", "%Pair", "2"))},
    {"ExtractOfOtherType", [](Bench& t) { t.emit(Op::kExtract, K::kI32, {t.module.constant(t.pair(), 0)}); },
     sentence(1, "extract", message::kMemberType("0", "%Pair", "i32", "f32"))},
    {"InsertOfOtherType",
     [](Bench& t) {
       t.b.emit(Op::kInsert, t.pair(), {t.module.constant(t.pair(), 0), t.n});
     },
     sentence(1, "insert", message::kMemberType("0", "%Pair", "i32", "f32"))},
    {"ConstructWithTooFew", [](Bench& t) { t.b.emit(Op::kConstruct, t.pair(), {t.f32(1)}); },
     sentence(1, "construct", message::kMemberCount("1", "%Pair", "2"))},
    {"ConstructOfOtherType", [](Bench& t) { t.b.emit(Op::kConstruct, t.pair(), {t.n, t.n}); },
     sentence(1, "construct", message::kOperandType("1", "i32", "f32"))},
    {"ConstructOfScalar", [](Bench& t) { t.emit(Op::kConstruct, K::kI32, {t.n}); },
     sentence(1, "construct", message::kResultType("i32", "an aggregate"))},
    {"ResultMissing", [](Bench& t) { t.effect(Op::kAdd, {t.n, t.n}); },
     sentence(1, "add", message::kNoResultType())},
    {"ResultOfStore", [](Bench& t) { t.emit(Op::kStore, K::kI32, {t.p, t.n}); },
     sentence(1, "store", message::kResultType("i32", "void"))},
};
INSTANTIATE_TEST_SUITE_P(Types, IrVerify, testing::ValuesIn(kTypeDefects),
                         [](const auto& given) { return std::string(given.param.name); });

const Defect kMemoryDefects[] = {
    {"VarInGlobalSpace",
     [](Bench& t) { t.b.emit(Op::kVar, t.p->type, {})->mutable_attr().type = t.get(K::kI32); },
     sentence(1, "var", message::kResultType("ptr<global>", "ptr<local>"))},
    {"VarOfVoid", [](Bench& t) { t.b.var(t.get(K::kVoid), "v"); },
     sentence(1, "var", message::kLocalWithoutSize())},
    {"VarOfUnknownStruct", [](Bench& t) { t.b.var(t.types.declare_struct("S"), "v"); },
     sentence(1, "var", message::kLocalWithoutSize())},
    {"VarTooLarge", [](Bench& t) { t.b.var(t.types.array(t.get(K::kI32), uint64_t{1} << 62), "v"); },
     sentence(1, "var", message::kLocalWithoutSize())},
    {"LoadThroughInt", [](Bench& t) { t.emit(Op::kLoad, K::kI32, {t.n}); },
     sentence(1, "load", message::kOperandType("1", "i32", "a pointer"))},
    {"LoadOfUnknownStruct", [](Bench& t) { t.b.load(t.types.declare_struct("S"), t.p); },
     sentence(1, "load", message::kAccessWithoutSize("%S"))},
    {"LoadWithOddAlignment", [](Bench& t) { t.b.load(t.get(K::kI32), t.p, 3); },
     sentence(1, "load", message::kAccessAlignment())},
    {"StoreThroughInt", [](Bench& t) { t.b.store(t.n, t.n); },
     sentence(1, "store", message::kOperandType("1", "i32", "a pointer"))},
    {"OffsetToOtherSpace",
     [](Bench& t) {
       t.b.emit(Op::kOffset, t.types.ptr(Space::kShared), {t.p, t.n});
     },
     sentence(1, "offset", message::kResultType("ptr<shared>", "ptr<global>"))},
    {"OffsetByByte",
     [](Bench& t) {
       t.b.emit(Op::kOffset, t.p->type, {t.p, t.module.constant_int(K::kI8, 1)});
     },
     sentence(1, "offset", message::kOperandType("2", "i8", "a 32-bit or 64-bit integer"))},
    {"FieldBeyondEnd", [](Bench& t) { t.b.field(t.p, t.pair(), 5); },
     sentence(1, "field", message::kFieldIndex("5", "%Pair", "2"))},
    {"FieldOfScalar", [](Bench& t) { t.b.field(t.p, t.get(K::kI32), 0); },
     sentence(1, "field", message::kStructTypeMissing())},
    {"FieldToOtherSpace",
     [](Bench& t) {
       t.b.emit(Op::kFieldPtr, t.types.ptr(Space::kLocal), {t.p})->mutable_attr().type = t.pair();
     },
     sentence(1, "field", message::kResultType("ptr<local>", "ptr<global>"))},
    {"DifferenceAcrossSpaces",
     [](Bench& t) {
       t.emit(Op::kPtrDiff, K::kI64, {t.p, t.module.undef(t.types.ptr(Space::kShared))});
     },
     sentence(1, "ptr_diff", message::kOperandType("2", "ptr<shared>", "ptr<global>"))},
    {"DifferenceByZero",
     [](Bench& t) {
       t.emit(Op::kPtrDiff, K::kI64, {t.p, t.p})->mutable_attr().scale = 0;
     },
     sentence(1, "ptr_diff", message::kScaleOfZero())},
    {"IntToPtrOfI32", [](Bench& t) { t.b.emit(Op::kIntToPtr, t.p->type, {t.n}); },
     sentence(1, "int_to_ptr", message::kOperandType("1", "i32", "u64"))},
    {"SpaceCastAcross", [](Bench& t) { t.b.emit(Op::kSpaceCast, t.types.ptr(Space::kShared), {t.p}); },
     sentence(1, "space_cast", message::kSpaceCast("ptr<global>", "ptr<shared>"))},
    {"AddressOfANumber", [](Bench& t) { t.b.emit(Op::kParamAddress, t.types.ptr(Space::kGeneric), {t.n}); },
     sentence(1, "param_address", message::kOperandType("1", "i32", "a tensor map"))},
    {"AddressOfAValue",
     [](Bench& t) {
       t.b.emit(Op::kParamAddress, t.types.ptr(Space::kGeneric), {t.module.undef(t.tensor_map())});
     },
     sentence(1, "param_address", message::kNotParameter())},
    {"GlobalAddressOfAParameter",
     [](Bench& t) {
       t.b.emit(Op::kParamAddress, t.types.ptr(Space::kGlobal),
                {t.module.add_param(t.kernel, t.tensor_map(), "map")});
     },
     sentence(1, "param_address", message::kResultType("ptr<global>", "ptr<generic>"))},
    {"CopyOfI32Bytes",
     [](Bench& t) {
       t.effect(Op::kMemCopy, {t.p, t.p, t.n});
     },
     sentence(1, "mem_copy", message::kOperandType("3", "i32", "u64 or u32"))},
    {"SetToInt",
     [](Bench& t) {
       t.effect(Op::kMemSet, {t.p, t.n, t.u64(4)});
     },
     sentence(1, "mem_set", message::kOperandType("2", "i32", "u8"))},
    {"AtomicAndOfFloat",
     [](Bench& t) {
       t.emit(Op::kAtomicRmw, K::kF32, {t.p, t.f32(1)})->mutable_attr().rmw = Rmw::kAnd;
     },
     sentence(1, "atomic", message::kResultType("f32", "an integer"))},
    {"AtomicOfOtherType",
     [](Bench& t) {
       t.emit(Op::kAtomicRmw, K::kF32, {t.p, t.n});
     },
     sentence(1, "atomic", message::kOperandType("2", "i32", "f32"))},
    {"CasOfMixedTypes",
     [](Bench& t) {
       t.emit(Op::kAtomicCas, K::kI32, {t.p, t.n, t.u32(1)});
     },
     sentence(1, "atomic_cas", message::kOperandType("3", "u32", "i32"))},
    {"AtomicStoreOfStruct",
     [](Bench& t) {
       t.effect(Op::kAtomicStore, {t.p, t.module.constant(t.pair(), 0)});
     },
     sentence(1, "atomic_store", message::kOperandType("2", "%Pair", "a scalar"))},
};
INSTANTIATE_TEST_SUITE_P(Memory, IrVerify, testing::ValuesIn(kMemoryDefects),
                         [](const auto& given) { return std::string(given.param.name); });

const Defect kThreadDefects[] = {
    {"FourthDimension", [](Bench& t) { t.b.index_op(Op::kThreadId, 3); },
     sentence(1, "thread_id", message::kDimension())},
    {"IndexAsI32", [](Bench& t) { t.emit(Op::kThreadId, K::kI32, {}); },
     sentence(1, "thread_id", message::kResultType("i32", "u32"))},
    {"BarrierCountOfInt", [](Bench& t) { t.emit(Op::kBarrierCount, K::kI32, {t.n}); },
     sentence(1, "barrier_count", message::kOperandType("1", "i32", "bool"))},
    {"ShuffleOfHalf",
     [](Bench& t) {
       t.emit(Op::kShuffle, K::kF16, {t.u32(1), t.module.constant(t.get(K::kF16), 0), t.u32(1), t.u32(32)});
     },
     sentence(1, "shuffle", message::kResultType("f16", "a 32-bit or 64-bit number"))},
    {"ShuffleWithSignedMask",
     [](Bench& t) {
       t.emit(Op::kShuffle, K::kI32, {t.n, t.n, t.u32(1), t.u32(32)});
     },
     sentence(1, "shuffle", message::kOperandType("1", "i32", "u32"))},
    {"SharedOfSignedRank",
     [](Bench& t) {
       t.b.emit(Op::kMapShared, t.types.ptr(Space::kGeneric), {t.p, t.n});
     },
     sentence(1, "map_shared", message::kOperandType("2", "i32", "u32"))},
    {"TokenOfOneWord",
     [](Bench& t) {
       t.emit(Op::kBarrierPassed, K::kBool, {t.p, t.u32(1)});
     },
     sentence(1, "barrier_passed", message::kOperandType("2", "u32", "u64"))},
    {"CopyOfThreeBytes",
     [](Bench& t) {
       t.b.emit(Op::kAsyncCopy, nullptr, {t.p, t.p, t.u32(3)})->mutable_attr().index = 3;
     },
     sentence(1, "async_copy", message::kAsyncCopySize())},
    {"MatricesThereAreNot",
     [](Bench& t) { t.emit(Op::kMatrixForm, K::kU32, {})->mutable_attr().index = 0xf; },
     sentence(1, "matrix_form", message::kUnknownMatrix("15"))},
    {"BallotOfInt",
     [](Bench& t) {
       t.emit(Op::kBallot, K::kU32, {t.u32(1), t.n});
     },
     sentence(1, "ballot", message::kOperandType("2", "i32", "bool"))},
    {"ReduceByExchange",
     [](Bench& t) {
       t.emit(Op::kWarpReduce, K::kI32, {t.u32(1), t.n})->mutable_attr().rmw = Rmw::kExchange;
     },
     sentence(1, "warp_reduce", message::kReduceOperation())},
    {"ReduceOfFloat",
     [](Bench& t) {
       t.emit(Op::kWarpReduce, K::kF32, {t.u32(1), t.f32(1)});
     },
     sentence(1, "warp_reduce", message::kResultType("f32", "i32 or u32"))},
    {"PrintfOfStruct", [](Bench& t) { t.effect(Op::kPrintf, {t.module.constant(t.pair(), 0)}); },
     sentence(1, "printf", message::kOperandType("1", "%Pair", "a scalar"))},
    {"AssertOfInt", [](Bench& t) { t.effect(Op::kAssert, {t.n}); },
     sentence(1, "assert", message::kOperandType("1", "i32", "bool"))},
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
     sentence(1, "add", message::kMissingOperand("2"))},
    {"OperandTooMany",
     [](Bench& t) {
       t.emit(Op::kNeg, K::kI32, {t.n, t.n});
     },
     sentence(1, "neg", message::kOperandCount("2", "1"))},
    {"UseBeforeDefinition",
     [](Bench& t) {
       Inst* later = t.emit(Op::kAdd, K::kI32, {t.n, t.n});
       t.b.at(t.kernel->body, later);
       t.emit(Op::kAdd, K::kI32, {later, t.n});
     },
     sentence(1, "add", message::kValueNotVisible("operand 1"))},
    {"UseOfItself",
     [](Bench& t) {
       Inst* inst = t.emit(Op::kAdd, K::kI32, {t.n, t.n});
       inst->operands[0] = inst;
     },
     sentence(1, "add", message::kValueNotVisible("operand 1"))},
    {"UseOutsideItsBlock",
     [](Bench& t) {
       Inst* branch = t.b.make_if(t.yes());
       t.b.at(branch->blocks[0]);
       Inst* inner = t.emit(Op::kAdd, K::kI32, {t.n, t.n});
       t.b.at(t.kernel->body);
       t.b.store(t.p, inner);
     },
     sentence(3, "store", message::kValueNotVisible("operand 2"))},
    {"UseInTheOtherArm",
     [](Bench& t) {
       Inst* branch = t.b.make_if(t.yes());
       t.b.at(branch->blocks[0]);
       Inst* inner = t.emit(Op::kAdd, K::kI32, {t.n, t.n});
       t.b.at(branch->blocks[1]);
       t.b.store(t.p, inner);
     },
     sentence(3, "store", message::kValueNotVisible("operand 2"))},
    {"UseOfAnEffect",
     [](Bench& t) {
       Inst* effect = t.effect(Op::kBarrier, {});
       t.b.store(t.p, effect);
     },
     sentence(2, "store", message::kVoidOperand("operand 2"))},
    {"ParameterOfAnother", [](Bench& t) { t.b.store(t.p, add_callee(t)->params[0]); },
     sentence(1, "store", message::kParameterOfOtherFunction("operand 2"))},
    {"GlobalOfAnother",
     [](Bench& t) {
       Global* global = t.module.add_global("g", t.get(K::kI32), Space::kGlobal);
       t.module.globals.clear();
       t.b.store(global, t.n);
     },
     sentence(1, "store", message::kVariableNotInModule("operand 1"))},
    {"ConstantTooWide",
     [](Bench& t) {
       static Const wide(nullptr, 0);
       wide.type = t.get(K::kI32);
       wide.bits = uint64_t{1} << 40;
       t.b.store(t.p, &wide);
     },
     sentence(1, "store", message::kMalformedConstant("operand 2"))},
    {"TypeOfAnother",
     [](Bench& t) {
       static TypeTable other;
       t.b.emit(Op::kLoad, other.get(K::kI32), {t.p});
     },
     sentence(1, "load", message::kResultTypeOfOtherModule())},
    {"ParentWrong", [](Bench& t) { t.effect(Op::kBarrier, {})->parent = nullptr; },
     sentence(1, "barrier", message::kWronglyLinked())},
    {"PreviousWrong",
     [](Bench& t) {
       t.effect(Op::kBarrier, {});
       t.effect(Op::kBarrier, {})->prev = nullptr;
     },
     sentence(2, "barrier", message::kWronglyLinked())},
    {"LastWrong",
     [](Bench& t) {
       Inst* first = t.effect(Op::kBarrier, {});
       t.effect(Op::kBarrier, {});
       t.kernel->body->last = first;
     },
     sentence("Kernel k", message::kBlockEnd())},
    {"OwnerWrong", [](Bench& t) { t.b.make_scope()->blocks[0]->owner = nullptr; },
     sentence(1, "scope", message::kBlockOfOtherInstruction())},
    {"FunctionWrong", [](Bench& t) { t.b.make_scope()->blocks[0]->function = nullptr; },
     sentence(1, "scope", message::kBlockOfOtherFunction())},
    {"ArmMissing", [](Bench& t) { t.b.make_if(t.yes())->blocks.pop_back(); },
     sentence(1, "if", message::kBlockCount("1", "2"))},
    {"IfOnInt", [](Bench& t) { t.b.make_if(t.n); },
     sentence(1, "if", message::kOperandType("1", "i32", "bool"))},
    {"TerminatorInside",
     [](Bench& t) {
       t.b.ret(nullptr);
       t.b.ret(nullptr);
     },
     sentence(1, "return", message::kTerminatorNotLast())},
    {"YieldInBody",
     [](Bench& t) {
       Inst* loop = t.b.make_loop();
       t.b.at(loop->blocks[1]);
       t.b.yield(t.yes());
     },
     sentence(2, "yield", message::kYieldOutsideLoop())},
    {"YieldInFunction", [](Bench& t) { t.b.yield(t.yes()); },
     sentence(1, "yield", message::kYieldOutsideLoop())},
    {"YieldOfInt",
     [](Bench& t) {
       t.b.at(t.b.make_loop()->blocks[0]);
       t.b.yield(t.n);
     },
     sentence(2, "yield", message::kOperandType("1", "i32", "bool"))},
    {"ExitNowhere", [](Bench& t) { t.b.exit(nullptr); }, sentence(1, "exit", message::kNoTarget())},
    {"ExitOfNeighbour",
     [](Bench& t) {
       Inst* loop = t.b.make_loop();
       t.b.exit(loop);
     },
     sentence(2, "exit", message::kTargetDoesNotEnclose())},
    {"ExitOfIf",
     [](Bench& t) {
       Inst* branch = t.b.make_if(t.yes());
       t.b.at(branch->blocks[0]);
       t.b.exit(branch);
     },
     sentence(2, "exit", message::kTargetIsIf())},
    {"ContinueOfScope",
     [](Bench& t) {
       Inst* scope = t.b.make_scope();
       t.b.at(scope->blocks[0]);
       t.b.continue_(scope);
     },
     sentence(2, "continue", message::kTargetIsNotLoop())},
    {"ContinueInStep",
     [](Bench& t) {
       Inst* loop = t.b.make_loop();
       t.b.at(loop->blocks[2]);
       t.b.continue_(loop);
     },
     sentence(2, "continue", message::kInStepOfTarget())},
    {"SwitchOnFloat", [](Bench& t) { t.b.make_switch(t.f32(1), {}); },
     sentence(1, "switch", message::kOperandType("1", "f32", "an integer"))},
    {"CaseTwice",
     [](Bench& t) {
       t.b.make_switch(t.n, {{{1, 2}}, {{2}}});
     },
     sentence(1, "switch", message::kDuplicateCase("2"))},
    {"CaseTooLarge", [](Bench& t) { t.b.make_switch(t.n, {{{int64_t{1} << 31}}}); },
     sentence(1, "switch", message::kCaseOutOfRange("2147483648"))},
    {"CaseNegative", [](Bench& t) { t.b.make_switch(t.u32(1), {{{-1}}}); },
     sentence(1, "switch", message::kCaseOutOfRange("-1"))},
    {"TwoDefaults",
     [](Bench& t) {
       t.b.make_switch(t.n, {{{}}, {{}}});
     },
     sentence(1, "switch", message::kTwoDefaultCases())},
    {"CaseWithoutBlock", [](Bench& t) { t.b.make_switch(t.n, {{{1}}})->blocks.clear(); },
     sentence(1, "switch", message::kBlockCount("0", "1"))},
    {"ReturnOfAValue", [](Bench& t) { t.b.ret(t.n); },
     sentence(1, "return", message::kOperandCount("1", "0"))},
    {"CallOfAKernel",
     [](Bench& t) {
       t.effect(Op::kCall, {t.n, t.p})->mutable_attr().callee = t.kernel;
     },
     sentence(1, "call", message::kKernelCalled("k"))},
    {"CallOfNobody", [](Bench& t) { t.effect(Op::kCall, {}); },
     sentence(1, "call", message::kCalleeNotInModule())},
    {"CallWithTooFew",
     [](Bench& t) { t.emit(Op::kCall, K::kI32, {})->mutable_attr().callee = add_callee(t); },
     sentence(1, "call", message::kArgumentCount("0", "f", "1"))},
    {"CallWithOtherType",
     [](Bench& t) { t.emit(Op::kCall, K::kI32, {t.p})->mutable_attr().callee = add_callee(t); },
     sentence(1, "call", message::kArgumentType("ptr<global>", "1", "f", "i32"))},
    {"CallForOtherResult",
     [](Bench& t) { t.effect(Op::kCall, {t.n})->mutable_attr().callee = add_callee(t); },
     sentence(1, "call", message::kCallResultType("void", "f", "i32"))},
    {"PositionInNoFile",
     [](Bench& t) {
       t.effect(Op::kBarrier, {})->pos = {3, 4, 1, 2};
     },
     sentence(1, "barrier at 3:4", message::kFileNotInModule("2"))},
};
INSTANTIATE_TEST_SUITE_P(Control, IrVerify, testing::ValuesIn(kControlDefects),
                         [](const auto& given) { return std::string(given.param.name); });

const Defect kModuleDefects[] = {
    {"KernelWithResult", [](Bench& t) { t.kernel->result = t.get(K::kI32); },
     sentence("Kernel k", message::kKernelReturnsValue())},
    {"ReturnOfOtherType",
     [](Bench& t) {
       Function* f = add_callee(t);
       f->body->first->operands[0] = t.f32(1);
     },
     "Function f: instruction 1 (return) returns f32 from a function of i32."},
    {"ReturnOfNothing", [](Bench& t) { add_callee(t)->body->first->operands.clear(); },
     "Function f: instruction 1 (return) has 0 operands, not 1."},
    {"FunctionTwice", [](Bench& t) { t.module.add_function("k"); }, sentence(message::kTwoFunctions("k"))},
    {"FunctionWithoutName", [](Bench& t) { t.kernel->name.clear(); },
     sentence(message::kFunctionWithoutName())},
    {"FunctionWithoutBody", [](Bench& t) { t.kernel->body = nullptr; },
     sentence("Kernel k", message::kNoBody())},
    {"ParameterIndexWrong", [](Bench& t) { t.n->index = 1; },
     sentence("Kernel k", message::kParameterIndex())},
    {"ParameterOfVoid", [](Bench& t) { t.n->type = t.get(K::kVoid); },
     sentence("Kernel k", message::kParameterWithoutSize("n"))},
    {"PointeeOfInt", [](Bench& t) { t.n->elem = t.get(K::kI32); },
     sentence("Kernel k", message::kPointeeOfNonPointer("n"))},
    {"GlobalTwice",
     [](Bench& t) {
       t.module.add_global("g", t.get(K::kI32), Space::kGlobal);
       t.module.add_global("g", t.get(K::kI32), Space::kShared);
     },
     sentence(message::kTwoVariables("g"))},
    {"GlobalInLocalSpace", [](Bench& t) { t.module.add_global("g", t.get(K::kI32), Space::kLocal); },
     sentence(message::kVariableSpace("The variable g", "local"))},
    {"GlobalWithOtherAddress",
     [](Bench& t) {
       t.module.add_global("g", t.get(K::kI32), Space::kGlobal)->type = t.types.ptr(Space::kShared);
     },
     sentence(message::kVariableAddressType("The variable g"))},
    {"GlobalOfVoid", [](Bench& t) { t.module.add_global("g", t.get(K::kVoid), Space::kGlobal); },
     sentence(message::kVariableWithoutSize("The variable g"))},
    {"GlobalOfUnknownExtent",
     [](Bench& t) { t.module.add_global("g", t.types.array(t.get(K::kI32), 0), Space::kGlobal); },
     sentence(message::kVariableWithoutSize("The variable g"))},
    {"GlobalUnderaligned",
     [](Bench& t) { t.module.add_global("g", t.get(K::kI32), Space::kGlobal)->align = 2; },
     sentence(message::kVariableAlignment("The variable g"))},
    {"SharedWithData",
     [](Bench& t) {
       t.module.add_global("g", t.get(K::kI32), Space::kShared)->init = {1, 2, 3, 4};
     },
     sentence(message::kSharedInitialData("The variable g"))},
    {"DataOfOtherSize",
     [](Bench& t) { t.module.add_global("g", t.get(K::kI32), Space::kGlobal)->init = {1}; },
     sentence(message::kInitialDataSize("The variable g", "1", "4"))},
    {"StructInItself",
     [](Bench& t) {
       const Type* s = t.types.declare_struct("S");
       t.types.define_struct(s, {{"s", s, 0}}, 8, 8);
     },
     sentence(message::kStructContainsItself("The struct S"))},
    {"FieldWithoutSize",
     [](Bench& t) {
       t.types.define_struct(t.types.declare_struct("S"), {{"v", t.get(K::kVoid), 0}}, 8, 8);
     },
     sentence(message::kFieldWithoutSize("The struct S", "v"))},
    {"FieldOutside",
     [](Bench& t) {
       t.types.define_struct(t.types.declare_struct("S"), {{"i", t.get(K::kI32), ~uint64_t{0}}}, 8, 8);
     },
     sentence(message::kFieldBeyondEnd("The struct S", "i"))},
    {"StructSizeOdd", [](Bench& t) { t.types.define_struct(t.types.declare_struct("S"), {}, 6, 4); },
     sentence(message::kStructSize("The struct S"))},
};
INSTANTIATE_TEST_SUITE_P(Modules, IrVerify, testing::ValuesIn(kModuleDefects),
                         [](const auto& given) { return std::string(given.param.name); });

TEST(IrVerifyLinks, ACycleIsFoundAndEnds) {
  Bench t;
  Inst* first = t.effect(Op::kBarrier, {});
  Inst* second = t.effect(Op::kBarrier, {});
  second->next = first;
  EXPECT_EQ(verify(t.module), sentence(3, "barrier", message::kWronglyLinked()));
  first->prev = second;
  first->parent = t.kernel->body;
  EXPECT_NE(verify(t.module), "");
}

TEST(IrVerifyPointers, InInitialData) {
  Bench t;
  Global* holder = t.module.add_global("holder", t.types.ptr(Space::kGeneric), Space::kGlobal);
  Global* shared = t.module.add_global("tile", t.get(K::kI32), Space::kShared);
  holder->pointers = {{0, holder, 0}};
  EXPECT_EQ(verify(t.module), sentence(message::kPointerOutsideInitialData("The variable holder")));
  holder->init.assign(8, 0);
  EXPECT_EQ(verify(t.module), "");
  holder->pointers[0].target = shared;
  EXPECT_EQ(verify(t.module), sentence(message::kPointerToObjectWithoutAddress("The variable holder")));
  Module other;
  holder->pointers[0].target = other.add_global("stranger", other.types().get(K::kI32), Space::kGlobal);
  EXPECT_EQ(verify(t.module), sentence(message::kPointsOutsideModule("holder")));
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
              is_named ? "" : sentence(message::kReadsDeadAddress("k", "0", "0")));
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
