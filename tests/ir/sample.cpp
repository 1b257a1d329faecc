#include "ir/sample.hpp"

#include <string>
#include <utility>
#include <vector>

#include "lang/ir/matrix.hpp"

namespace quern::ir {
namespace {

class Maker {
 public:
  explicit Maker(Module& module) : module_(module), b_(module), types_(module.types()) {}

  void run() {
    declarations();
    callee();
    open_kernel();
    arithmetic();
    bits();
    math();
    aggregates();
    memory();
    threads();
    clusters();
    matrices();
    effects();
    control();
    b_.ret(nullptr);
    launch_bounds();
  }

 private:
  const Type* get(TypeKind kind) { return types_.get(kind); }
  Value* i32(int64_t v) { return module_.constant_int(TypeKind::kI32, v); }
  Value* u32(int64_t v) { return module_.constant_int(TypeKind::kU32, v); }
  Value* u64(int64_t v) { return module_.constant_int(TypeKind::kU64, v); }
  Value* f32(double v) { return module_.constant_float(get(TypeKind::kF32), v); }
  Inst* emit(Op op, TypeKind result, std::initializer_list<Value*> operands) {
    return b_.emit(op, get(result), operands);
  }
  Inst* effect(Op op, std::initializer_list<Value*> operands) { return b_.emit(op, nullptr, operands); }

  // A value of every scalar kind that cannot be folded.
  Value* some(TypeKind kind) { return b_.load(get(kind), global_); }

  void declarations() {
    module_.files.push_back({"a \"quoted\" name.cu", nullptr});
    module_.files.push_back({"other.cuh", nullptr});
    // Declared before what it contains: the text form must order them.
    outer_ = types_.declare_struct("Outer<int, 2>");
    pair_ = types_.declare_struct("Pair");
    const Type* f = get(TypeKind::kF32);
    types_.define_struct(pair_, {{"a", f, 0}, {"b", get(TypeKind::kI32), 4}}, 8, 4);
    types_.define_struct(
        outer_, {{"pairs", types_.array(pair_, 2), 0}, {"odd name", types_.ptr(Space::kGlobal), 16}}, 24, 8);
    types_.define_struct(types_.declare_struct("Empty"), {}, 1, 1);
    types_.declare_struct("Unknown");
    tensor_map_ = types_.declare_struct("CUtensorMap");
    types_.define_struct(tensor_map_, {{"opaque", types_.array(get(TypeKind::kU64), 16), 0}}, 128, 64);
    tile_ = module_.add_global("tile", types_.array(types_.array(f, 16), 16), Space::kShared);
    module_.add_global("ns::dynamic", types_.array(get(TypeKind::kU8), 0), Space::kShared)->align = 16;
    Global* table = module_.add_global("table", types_.array(get(TypeKind::kU16), 2), Space::kConstant);
    table->init = {1, 0, 255, 128};
    table->pos = {7, 3, 5, 1};
    // Points to a later one, and to itself.
    Global* pointers =
        module_.add_global("pointers", types_.array(types_.ptr(Space::kGeneric), 2), Space::kGlobal);
    Global* later = module_.add_global("later", get(TypeKind::kI32), Space::kGlobal);
    pointers->init.assign(16, 0);
    pointers->pointers = {{0, later, 0}, {8, pointers, -8}};
    Global* hello = module_.add_global("hello", types_.array(get(TypeKind::kU8), 7), Space::kConstant);
    hello->init = {'h', 'i', '\n', '\t', '"', '\\', 0};
    hello->is_literal = true;
    hello_ = hello;
    module_.add_global("counter", get(TypeKind::kI32), Space::kGlobal);
  }

  void callee() {
    callee_ = module_.add_function("ns::twice<int>");
    callee_->result = get(TypeKind::kI32);
    callee_->no_inline = true;
    Param* x = module_.add_param(callee_, get(TypeKind::kI32), "x");
    module_.add_param(callee_, get(TypeKind::kF32), "");
    b_.at(callee_->body);
    b_.ret(b_.binary(Op::kAdd, x, x));
    nothing_ = module_.add_function("nothing");
  }

  void open_kernel() {
    kernel_ = module_.add_function("sample");
    kernel_->is_kernel = true;
    kernel_->pos = {3, 1, 6, 0};
    n_ = module_.add_param(kernel_, get(TypeKind::kI32), "n");
    Param* data = module_.add_param(kernel_, types_.ptr(Space::kGlobal), "data");
    data->elem = get(TypeKind::kF32);
    data->spelling = "const float* __restrict__";
    data->is_const_elem = data->is_restrict = true;
    data->pos = {3, 20, 4, 0};
    global_ = data;
    module_.add_param(kernel_, outer_, "by value")->spelling = "Outer<int, 2>";
    map_ = module_.add_param(kernel_, tensor_map_, "map");
    generic_ = module_.add_param(kernel_, types_.ptr(Space::kGeneric), "");
    b_.at(kernel_->body);
    b_.pos({4, 5, 1, 0});
  }

  void launch_bounds() {
    kernel_->max_threads = 256;
    kernel_->min_blocks = 2;
    kernel_->cluster = {2, 1, 4};
  }

  void arithmetic() {
    for (int k = static_cast<int>(TypeKind::kI8); k <= static_cast<int>(TypeKind::kF64); ++k) {
      const auto kind = static_cast<TypeKind>(k);
      Value* x = some(kind);
      for (const Op op : {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv, Op::kRem, Op::kMin, Op::kMax})
        emit(op, kind, {x, x});
      emit(Op::kNeg, kind, {x});
      emit(Op::kAbs, kind, {x});
      for (const Op op : {Op::kEq, Op::kNe, Op::kLt, Op::kLe, Op::kGt, Op::kGe})
        emit(op, TypeKind::kBool, {x, x});
      emit(Op::kSelect, kind, {module_.constant_bool(true), x, module_.undef(get(kind))});
      emit(Op::kConvert, TypeKind::kF32, {x});
      if (!get(kind)->is_int()) continue;
      for (const Op op : {Op::kAnd, Op::kOr, Op::kXor, Op::kMulHi})
        emit(op, kind, {x, module_.constant_int(kind, -1)});
      emit(Op::kNot, kind, {x});
      emit(Op::kShl, kind, {x, i32(3)});
      emit(Op::kShr, kind, {x, u64(1)});
    }
    emit(Op::kDiv, TypeKind::kF32, {f32(0.1), some(TypeKind::kF32)})->mutable_attr().fast = true;
    emit(Op::kEq, TypeKind::kBool, {global_, module_.constant(types_.ptr(Space::kGlobal), 0)});
    b_.pos({5, 7, 9, 1});
  }

  void bits() {
    emit(Op::kBitcast, TypeKind::kF32, {some(TypeKind::kI32)});
    for (const TypeKind kind : {TypeKind::kI32, TypeKind::kU64}) {
      for (const Op op : {Op::kPopc, Op::kClz, Op::kCtz}) emit(op, TypeKind::kI32, {some(kind)});
      emit(Op::kBrev, kind, {some(kind)});
    }
    emit(Op::kBytePerm, TypeKind::kU32, {u32(1), u32(2), u32(0x5140)});
    emit(Op::kFunnel, TypeKind::kU32, {u32(1), u32(2), u32(3)});
    emit(Op::kDot4, TypeKind::kI32, {i32(-1), i32(2), i32(3)});
  }

  void math() {
    Value* x = some(TypeKind::kF64);
    for (size_t i = 0; i < kOpCount; ++i) {
      const Op op = static_cast<Op>(i);
      if (!has(op, kMath) || op == Op::kLdexp || op == Op::kIlogb) continue;
      const std::vector<Value*> operands(static_cast<size_t>(info(op).arity), x);
      b_.emit(op, get(TypeKind::kF64), operands);
    }
    emit(Op::kLdexp, TypeKind::kF64, {x, i32(2)})->mutable_attr().fast = true;
    emit(Op::kIlogb, TypeKind::kI32, {x});
    for (const Op op : {Op::kIsNan, Op::kIsInf, Op::kSignBit}) emit(op, TypeKind::kBool, {x});
    int mode = 0;
    for (const Op op : {Op::kAddR, Op::kMulR, Op::kDivR, Op::kFmaR, Op::kSqrtR, Op::kConvertR}) {
      const std::vector<Value*> operands(static_cast<size_t>(info(op).arity), x);
      b_.emit(op, get(TypeKind::kF64), operands)->mutable_attr().round = static_cast<Rounding>(mode++ % 4);
    }
    for (const double value : {0.0, -0.0, 1.0, 0.1, 1e-40, 3.4e38, 1.0 / 3, 1.0 / 0.0, -1.0 / 0.0}) {
      emit(Op::kAdd, TypeKind::kF32, {f32(value), f32(-value)});
      emit(Op::kAdd, TypeKind::kF64, {module_.constant_float(get(TypeKind::kF64), value), x});
      emit(Op::kNeg, TypeKind::kF16, {module_.constant_float(get(TypeKind::kF16), value)});
      emit(Op::kNeg, TypeKind::kBF16, {module_.constant_float(get(TypeKind::kBF16), value)});
    }
    emit(Op::kNeg, TypeKind::kF32, {module_.constant(get(TypeKind::kF32), 0xffc00123)});
  }

  void aggregates() {
    Value* members[] = {f32(1.5), n_};
    Value* pair = b_.emit(Op::kConstruct, pair_, members);
    b_.emit(Op::kConstruct, types_.find_struct("Empty"), {});
    Inst* inserted = b_.emit(Op::kInsert, pair_, {pair, i32(7)});
    inserted->mutable_attr().index = 1;
    emit(Op::kExtract, TypeKind::kF32, {inserted});
    b_.emit(Op::kExtract, types_.array(pair_, 2), {module_.constant(outer_, 0)});
    b_.emit(Op::kSelect, pair_, {module_.constant_bool(false), module_.undef(pair_), pair});
  }

  void memory() {
    Inst* var = b_.var(outer_, "i");
    Inst* again = b_.var(get(TypeKind::kI32), "i");
    b_.var(get(TypeKind::kI32), "strange name");
    b_.store(again, i32(-5), 4, true);
    effect(Op::kStore, {again, i32(6)})->mutable_attr().stray = true;
    b_.load(get(TypeKind::kI32), again, 8);
    Inst* field = as_inst(b_.field(var, outer_, 1));
    b_.offset(tile_, n_, 64);
    b_.load(outer_, var);
    emit(Op::kPtrDiff, TypeKind::kI64, {field, var})->mutable_attr().scale = 4;
    Value* address = emit(Op::kPtrToInt, TypeKind::kU64, {global_});
    b_.emit(Op::kIntToPtr, types_.ptr(Space::kGlobal), {address});
    b_.emit(Op::kSpaceCast, types_.ptr(Space::kGeneric), {tile_});
    emit(Op::kIsSpace, TypeKind::kBool, {generic_})->mutable_attr().space = Space::kShared;
    effect(Op::kMemCopy, {var, global_, u64(24)});
    effect(Op::kMemSet, {var, module_.constant_int(TypeKind::kU8, 255), u64(24)});
    for (int r = 0; r <= static_cast<int>(Rmw::kDec); ++r) {
      Inst* atomic = emit(Op::kAtomicRmw, TypeKind::kU32, {global_, u32(1)});
      atomic->mutable_attr().rmw = static_cast<Rmw>(r);
      atomic->mutable_attr().scope = static_cast<Scope>(r % 3);
    }
    emit(Op::kAtomicCas, TypeKind::kU64, {global_, u64(1), u64(2)})->mutable_attr().scope = Scope::kSystem;
    emit(Op::kAtomicLoad, TypeKind::kI32, {global_});
    effect(Op::kAtomicStore, {global_, i32(1)})->mutable_attr().scope = Scope::kBlock;
  }

  void threads() {
    for (const Op op : {Op::kThreadId, Op::kBlockId, Op::kBlockDim, Op::kGridDim}) {
      for (uint32_t dimension = 0; dimension < 3; ++dimension) b_.index_op(op, dimension);
    }
    emit(Op::kLaneId, TypeKind::kU32, {});
    emit(Op::kDynamicSharedSize, TypeKind::kU32, {});
    Value* yes = module_.constant_bool(true);
    effect(Op::kBarrier, {});
    emit(Op::kBarrierCount, TypeKind::kI32, {yes});
    emit(Op::kBarrierAnd, TypeKind::kBool, {yes});
    emit(Op::kBarrierOr, TypeKind::kBool, {yes});
    Value* mask = emit(Op::kActiveMask, TypeKind::kU32, {});
    effect(Op::kWarpBarrier, {mask});
    effect(Op::kGridBarrier, {});
    effect(Op::kFence, {})->mutable_attr().scope = Scope::kSystem;
    for (int s = 0; s < 4; ++s) {
      emit(Op::kShuffle, TypeKind::kF32, {mask, f32(1), u32(1), u32(32)})->mutable_attr().shuffle =
          static_cast<ShuffleKind>(s);
    }
    emit(Op::kVoteAny, TypeKind::kBool, {mask, yes});
    emit(Op::kVoteAll, TypeKind::kBool, {mask, yes});
    emit(Op::kBallot, TypeKind::kU32, {mask, yes});
    emit(Op::kMatchAny, TypeKind::kU32, {mask, i32(4)});
    emit(Op::kMatchAll, TypeKind::kU32, {mask, u64(4)});
    emit(Op::kWarpReduce, TypeKind::kI32, {mask, n_})->mutable_attr().rmw = Rmw::kXor;
  }

  void clusters() {
    for (uint32_t dimension = 0; dimension < 3; ++dimension) b_.index_op(Op::kClusterDim, dimension);
    effect(Op::kClusterBarrier, {});
    emit(Op::kBarrierForm, TypeKind::kU32, {});
    effect(Op::kBarrierInit, {tile_, u32(64)});
    Inst* token = emit(Op::kBarrierArrive, TypeKind::kU64, {tile_, u32(1)});
    emit(Op::kBarrierDrop, TypeKind::kU64, {tile_});
    emit(Op::kBarrierPassed, TypeKind::kBool, {tile_, token});
    emit(Op::kBarrierParity, TypeKind::kBool, {tile_, u32(0)});
    emit(Op::kCheckForm, TypeKind::kU32, {});
    effect(Op::kCheckError, {u32(1), u32(2), u32(3)});
    emit(Op::kCopyForm, TypeKind::kU32, {});
    effect(Op::kAsyncCopy, {tile_, global_, u32(8)})->mutable_attr().index = 16;
    effect(Op::kAsyncCommit, {});
    effect(Op::kAsyncWait, {})->mutable_attr().index = 1;
    effect(Op::kAsyncArrive, {tile_});
    b_.emit(Op::kParamAddress, types_.ptr(Space::kGeneric), {map_});
    b_.emit(Op::kMapShared, types_.ptr(Space::kGeneric), {tile_, u32(1)});
    Value* at = emit(Op::kSharedAddress, TypeKind::kU32, {tile_});
    b_.emit(Op::kSharedPointer, types_.ptr(Space::kShared), {at})->mutable_attr().index = 16;
    emit(Op::kPtxForm, TypeKind::kU32, {});
    emit(Op::kPtx, TypeKind::kU32, {u32(1)})->mutable_attr().text = "=r,r\nbfind.u32 %0, %1;";
  }

  void matrices() {
    Matrix matrix{.type = MatrixType::kHalf, .shape = MatrixShape::k32x8x16, .is_by_column = true};
    const auto fragment = [&](MatrixUse use) {
      return types_.array(get(element_of(matrix, use)), elements_of(matrix, use));
    };
    const Type* sums = fragment(MatrixUse::kAccumulator);
    Inst* a = b_.var(fragment(MatrixUse::kA), "a");
    Inst* b = b_.var(fragment(MatrixUse::kB), "b");
    Inst* c = b_.var(sums, "c");
    const auto about = [&](Inst* inst) { inst->mutable_attr().index = pack(matrix); };
    about(emit(Op::kMatrixForm, TypeKind::kU32, {}));
    about(effect(Op::kMatrixLoad, {a, tile_, u32(32)}));
    Value* row = module_.undef(types_.ptr(Space::kShared));
    about(b_.emit(Op::kMatrixRows, types_.array(get(TypeKind::kF16), 8), {row}));
    matrix.use = MatrixUse::kAccumulator;
    about(effect(Op::kMatrixFill, {c, f32(0)}));
    about(effect(Op::kMatrixMultiply, {c, a, b, c}));
    about(effect(Op::kMatrixStore, {global_, c, u32(8)}));
    about(
        b_.emit(Op::kMma, sums, {b_.load(a->attr().type, a), b_.load(b->attr().type, b), b_.load(sums, c)}));
  }

  void effects() {
    effect(Op::kPrintf, {})->mutable_attr().text = "plain\n";
    effect(Op::kPrintf, {n_, f32(1), hello_})->mutable_attr().text = "%d %f \"%s\" \x01\xff\\";
    effect(Op::kAssert, {module_.constant_bool(true)})->mutable_attr().text = "n > 0 && \"why\"";
    effect(Op::kTrap, {});
    emit(Op::kClock, TypeKind::kU64, {});
    emit(Op::kGlobalTimer, TypeKind::kU64, {});
    effect(Op::kNanoSleep, {u32(100)});
    emit(Op::kCall, TypeKind::kI32, {n_, f32(2)})->mutable_attr().callee = callee_;
    effect(Op::kCall, {})->mutable_attr().callee = nothing_;
  }

  void control() {
    Block* body = b_.block();
    Value* small = b_.compare(Op::kLt, n_, i32(10));
    Inst* branch = b_.make_if(small);
    b_.at(branch->blocks[1]);
    effect(Op::kUnreachable, {});
    b_.at(branch->blocks[0]);
    b_.make_if(small);  // nothing in either arm
    b_.at(body);
    Inst* loop = b_.make_loop();
    loop->mutable_attr().unroll = -1;
    b_.at(loop->blocks[0]);
    b_.yield(small);
    b_.at(loop->blocks[1]);
    switches(loop);
    b_.at(loop->blocks[2]);
    effect(Op::kBarrier, {});
    b_.yield(module_.constant_bool(true));
    b_.at(body);
    Inst* endless = b_.make_loop();
    b_.at(endless->blocks[1]);
    Inst* scope = b_.make_scope();
    b_.at(scope->blocks[0]);
    b_.exit(scope);
    b_.at(endless->blocks[1]);
    b_.exit(endless);
    b_.at(body);
  }

  void switches(Inst* loop) {
    Inst* on = b_.make_switch(n_, {{{1, 2, -3}}, {{}}, {{7}}});
    b_.at(on->blocks[0]);
    b_.continue_(loop);
    b_.at(on->blocks[1]);
    b_.exit(on);
    b_.at(on->blocks[2]);
    b_.ret(nullptr);
    b_.at(loop->blocks[1]);
    b_.make_switch(n_, {});
  }

  Module& module_;
  Builder b_;
  TypeTable& types_;
  const Type* pair_ = nullptr;
  const Type* outer_ = nullptr;
  Global* tile_ = nullptr;
  Global* hello_ = nullptr;
  Function* callee_ = nullptr;
  Function* nothing_ = nullptr;
  Function* kernel_ = nullptr;
  Value* n_ = nullptr;
  Value* global_ = nullptr;
  Value* generic_ = nullptr;
  Value* map_ = nullptr;
  const Type* tensor_map_ = nullptr;
};

}  // namespace

Module every_op() {
  Module module;
  Maker(module).run();
  return module;
}

}  // namespace quern::ir
