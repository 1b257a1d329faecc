// Every pure operation, run by the simulator on special operands, returns the result of ir::evaluate.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "lang/ir/builder.hpp"
#include "lang/ir/eval.hpp"
#include "lang/ir/verify.hpp"
#include "sim/sim_case.hpp"

namespace quern::sim {
namespace {

using ir::Op;
using ir::TypeKind;

constexpr TypeKind kInts[] = {TypeKind::kI8,  TypeKind::kU8,  TypeKind::kI16, TypeKind::kU16,
                              TypeKind::kI32, TypeKind::kU32, TypeKind::kI64, TypeKind::kU64};
constexpr TypeKind kFloats[] = {TypeKind::kF16, TypeKind::kBF16, TypeKind::kF32, TypeKind::kF64};

uint64_t cut(uint64_t v, const ir::Type* t) {
  if (t->is_bool()) return v & 1;
  return t->size >= 8 ? v : v & ((uint64_t{1} << (t->size * 8)) - 1);
}

std::vector<uint64_t> samples(const ir::Type* t, uint32_t salt) {
  if (t->is_bool()) return {0, 1};
  const uint64_t bits = t->size * 8, top = uint64_t{1} << (bits - 1);
  std::vector<uint64_t> v;
  if (t->is_float()) {
    const int fraction = t->kind == TypeKind::kF16    ? 10
                         : t->kind == TypeKind::kBF16 ? 7
                         : t->kind == TypeKind::kF32  ? 23
                                                      : 52;
    const uint64_t inf = (top - 1) >> fraction << fraction, one = (inf >> fraction >> 1) << fraction;
    v = {0,
         top,
         one,
         one | top,
         inf,
         inf | top,
         inf | (uint64_t{1} << (fraction - 1)),
         top | inf | 1,
         1,
         inf - 1,
         one + 1,
         one + (uint64_t{3} << (fraction - 1)),
         one + (uint64_t{31} << fraction) / 2};
  } else {
    v = {0, 1, 2, 3, top - 1, top, top + 1, ~uint64_t{0}, 31, 32, 33, 63, 64, 7, 0xF0F0F0F0F0F0F0F0u};
  }
  std::mt19937_64 random(salt + static_cast<uint32_t>(t->kind));
  for (int i = 0; i < 6; ++i) v.push_back(random());
  for (uint64_t& x : v) x = cut(x, t);
  return v;
}

// One kernel per operation: thread i reads its operands and stores the result.
class OneOp {
 public:
  OneOp(Op op, TypeKind result, std::vector<TypeKind> operands, const ir::Attr& attr = {})
      : op_(op), attr_(attr) {
    ir::Builder b(module_);
    result_ = module_.types().get(result);
    ir::Function* f = module_.add_function("k");
    f->is_kernel = true;
    const ir::Type* global = module_.types().ptr(ir::Space::kGlobal);
    ir::Param* out = module_.add_param(f, global, "out");
    std::vector<ir::Value*> values;
    b.at(f->body);
    ir::Value* i = b.index_op(Op::kThreadId, 0);
    for (TypeKind kind : operands) {
      types_.push_back(module_.types().get(kind));
      ir::Param* p = module_.add_param(f, global, "in" + std::to_string(types_.size()));
      values.push_back(b.load(types_.back(), b.offset(p, i, types_.back()->size)));
    }
    ir::Inst* inst = b.emit(op, result_, values);
    if (attr.round != ir::Rounding::kNearest) inst->mutable_attr().round = attr.round;
    b.store(b.offset(out, i, result_->size), inst);
    b.ret(nullptr);
  }

  void check() {
    ASSERT_EQ(ir::verify(module_), "");
    std::vector<std::vector<uint64_t>> in(types_.size());
    combine(in, {}, 0);
    const size_t count = in[0].size();
    Device device;
    auto program = device.load(std::make_shared<const ir::Module>(module_.clone()));
    ASSERT_TRUE(program.ok());
    for (size_t first = 0; first < count; first += 1024) {
      const size_t n = std::min<size_t>(1024, count - first);
      LaunchConfig config{dim(1), dim(static_cast<uint32_t>(n)), 0, {}, {}};
      config.options.checks &= ~uint32_t{kCheckDivision};
      auto out = device.allocate(n * result_->size);
      config.args.push_back(*out);
      for (size_t o = 0; o < types_.size(); ++o) {
        std::vector<std::byte> bytes(n * types_[o]->size);
        for (size_t i = 0; i < n; ++i)
          std::memcpy(bytes.data() + i * types_[o]->size, &in[o][first + i], types_[o]->size);
        config.args.push_back(*device.upload_new<std::byte>(bytes, ""));
      }
      auto result = device.launch(**program, "k", config);
      ASSERT_TRUE(result.ok()) << result.error().to_string();
      ASSERT_TRUE(result->clean());
      const auto got = *device.download_as<std::byte>(*out, n * result_->size);
      for (size_t i = 0; i < n; ++i) compare(got.data() + i * result_->size, in, first + i);
    }
  }

 private:
  void combine(std::vector<std::vector<uint64_t>>& in, std::vector<uint64_t> chosen, size_t at) {
    if (at == types_.size()) {
      for (size_t o = 0; o < at; ++o) in[o].push_back(chosen[o]);
      return;
    }
    for (uint64_t v : samples(types_[at], static_cast<uint32_t>(at))) {
      chosen.push_back(v);
      combine(in, chosen, at + 1);
      chosen.pop_back();
    }
  }

  void compare(const std::byte* got_bytes, const std::vector<std::vector<uint64_t>>& in, size_t i) {
    uint64_t got = 0, want = 0;
    std::memcpy(&got, got_bytes, result_->size);
    std::vector<uint64_t> operands;
    std::string text;
    for (size_t o = 0; o < types_.size(); ++o) {
      operands.push_back(in[o][i]);
      text += " " + std::to_string(in[o][i]);
    }
    ASSERT_TRUE(ir::evaluate(op_, result_, types_, operands, attr_, want));
    ASSERT_EQ(got, want) << ir::info(op_).name << " " << ir::name(result_->kind) << text;
  }

  Op op_;
  ir::Attr attr_;
  ir::Module module_;
  const ir::Type* result_ = nullptr;
  std::vector<const ir::Type*> types_;
};

TEST(SimOps, IntegerArithmetic) {
  for (TypeKind t : kInts) {
    for (Op op : {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv, Op::kRem, Op::kAnd, Op::kOr, Op::kXor, Op::kMulHi,
                  Op::kMin, Op::kMax}) {
      OneOp(op, t, {t, t}).check();
    }
    for (Op op : {Op::kNeg, Op::kNot, Op::kAbs}) OneOp(op, t, {t}).check();
  }
}

TEST(SimOps, Shifts) {
  for (TypeKind t : kInts) {
    for (TypeKind amount : {TypeKind::kI32, TypeKind::kU32, TypeKind::kU64, TypeKind::kI8}) {
      OneOp(Op::kShl, t, {t, amount}).check();
      OneOp(Op::kShr, t, {t, amount}).check();
    }
  }
}

TEST(SimOps, FloatArithmetic) {
  for (TypeKind t : kFloats) {
    for (Op op :
         {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv, Op::kRem, Op::kMin, Op::kMax, Op::kCopysign, Op::kPow}) {
      OneOp(op, t, {t, t}).check();
    }
    for (Op op : {Op::kNeg, Op::kAbs, Op::kSqrt, Op::kFloor, Op::kRint, Op::kExp, Op::kSin})
      OneOp(op, t, {t}).check();
    for (Op op : {Op::kIsNan, Op::kIsInf, Op::kSignBit}) OneOp(op, TypeKind::kBool, {t}).check();
    OneOp(Op::kFma, t, {t, t, t}).check();
    OneOp(Op::kLdexp, t, {t, TypeKind::kI32}).check();
  }
}

TEST(SimOps, RoundingModes) {
  for (ir::Rounding mode : {ir::Rounding::kZero, ir::Rounding::kUp, ir::Rounding::kDown}) {
    ir::Attr attr;
    attr.round = mode;
    OneOp(Op::kAddR, TypeKind::kF32, {TypeKind::kF32, TypeKind::kF32}, attr).check();
    OneOp(Op::kFmaR, TypeKind::kF64, {TypeKind::kF64, TypeKind::kF64, TypeKind::kF64}, attr).check();
    OneOp(Op::kConvertR, TypeKind::kI32, {TypeKind::kF32}, attr).check();
  }
}

TEST(SimOps, Comparisons) {
  for (Op op : {Op::kEq, Op::kNe, Op::kLt, Op::kLe, Op::kGt, Op::kGe}) {
    for (TypeKind t : kInts) OneOp(op, TypeKind::kBool, {t, t}).check();
    for (TypeKind t : kFloats) OneOp(op, TypeKind::kBool, {t, t}).check();
  }
  OneOp(Op::kEq, TypeKind::kBool, {TypeKind::kBool, TypeKind::kBool}).check();
  OneOp(Op::kNot, TypeKind::kBool, {TypeKind::kBool}).check();
  OneOp(Op::kXor, TypeKind::kBool, {TypeKind::kBool, TypeKind::kBool}).check();
}

TEST(SimOps, Conversions) {
  std::vector<TypeKind> all(std::begin(kInts), std::end(kInts));
  all.insert(all.end(), std::begin(kFloats), std::end(kFloats));
  all.push_back(TypeKind::kBool);
  for (TypeKind from : all) {
    for (TypeKind to : all) {
      if (from != to) OneOp(Op::kConvert, to, {from}).check();
    }
  }
  OneOp(Op::kBitcast, TypeKind::kF32, {TypeKind::kU32}).check();
  OneOp(Op::kBitcast, TypeKind::kI64, {TypeKind::kF64}).check();
  OneOp(Op::kBitcast, TypeKind::kU16, {TypeKind::kBF16}).check();
}

TEST(SimOps, Bits) {
  for (TypeKind t : {TypeKind::kI32, TypeKind::kU32, TypeKind::kI64, TypeKind::kU64}) {
    for (Op op : {Op::kPopc, Op::kClz, Op::kCtz}) OneOp(op, TypeKind::kI32, {t}).check();
    OneOp(Op::kBrev, t, {t}).check();
  }
  const TypeKind u = TypeKind::kU32, i = TypeKind::kI32;
  OneOp(Op::kBytePerm, u, {u, u, u}).check();
  OneOp(Op::kFunnel, u, {u, u, u}).check();
  OneOp(Op::kDot4, i, {i, i, i}).check();
  OneOp(Op::kDot4, u, {u, u, u}).check();
}

TEST(SimOps, Select) {
  for (TypeKind t : {TypeKind::kI8, TypeKind::kF32, TypeKind::kU64}) {
    Bench bench("kernel @k(%c: bool, %a: " + std::string(ir::name(t)) + ", %b: " + std::string(ir::name(t)) +
                ", %p: ptr<global>) {\n%v = select " + std::string(ir::name(t)) +
                " %c, %a, %b\nstore %p, %v\nreturn\n}");
    const Address p = bench.upload(std::vector<uint64_t>{0});
    std::vector<std::byte> one(bench.module->types().get(t)->size), two(one);
    one[0] = std::byte{5}, two[0] = std::byte{9};
    bench.run(dim(1), dim(1), {true, Arg(one), Arg(two), p});
    EXPECT_EQ(bench.download<uint64_t>(p, 1)[0], 5u);
    bench.run(dim(1), dim(1), {false, Arg(one), Arg(two), p});
    EXPECT_EQ(bench.download<uint64_t>(p, 1)[0], 9u);
  }
}

}  // namespace
}  // namespace quern::sim
