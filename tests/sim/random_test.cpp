// Random kernels with wild addresses, masks and barriers: the simulator survives, is deterministic, and ends.
#include <random>

#include "lang/ir/builder.hpp"
#include "lang/ir/verify.hpp"
#include "sim/sim_case.hpp"

namespace quern::sim {
namespace {

using ir::Op;
using ir::Space;
using ir::TypeKind;

constexpr TypeKind kNumbers[] = {TypeKind::kI8,  TypeKind::kU8,   TypeKind::kI16, TypeKind::kU16,
                                 TypeKind::kI32, TypeKind::kU32,  TypeKind::kI64, TypeKind::kU64,
                                 TypeKind::kF16, TypeKind::kBF16, TypeKind::kF32, TypeKind::kF64};

class Maker {
 public:
  explicit Maker(uint32_t seed) : random_(seed), b_(module_) {
    pair_ = types().declare_struct("P");
    types().define_struct(
        pair_, {{"a", types().get(TypeKind::kU8), 0}, {"b", types().get(TypeKind::kF64), 8}}, 16, 8);
    for (const ir::Type* object : {types().array(types().get(TypeKind::kF32), 64), pair_}) {
      shared_.push_back(module_.add_global("s" + std::to_string(shared_.size()), object, Space::kShared));
    }
    shared_.push_back(
        module_.add_global("dyn", types().array(types().get(TypeKind::kI32), 0), Space::kShared));
    shared_.push_back(
        module_.add_global("var", types().array(types().get(TypeKind::kI32), 8), Space::kGlobal));
    shared_.push_back(
        module_.add_global("con", types().array(types().get(TypeKind::kI32), 8), Space::kConstant));
    ir::Function* f = module_.add_function("k");
    f->is_kernel = true;
    f->result = types().get(TypeKind::kVoid);
    for (int i = 0; i < 3; ++i)
      params_.push_back(module_.add_param(f, types().ptr(Space::kGlobal), "p" + std::to_string(i)));
    params_.push_back(module_.add_param(f, types().get(TypeKind::kI32), "n"));
    b_.at(f->body);
    for (ir::Value* v : params_) pool_.push_back(v);
    for (ir::Global* g : shared_) pool_.push_back(g);
    for (int d = 0; d < 2; ++d) pool_.push_back(b_.index_op(Op::kThreadId, static_cast<uint32_t>(d)));
    statements(25);
    b_.at(f->body);
    b_.ret(nullptr);
  }

  ir::Module take() { return std::move(module_); }

 private:
  ir::TypeTable& types() { return module_.types(); }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  TypeKind number() { return kNumbers[below(std::size(kNumbers))]; }

  // A value of a type: an existing one, a constant, or undefined.
  ir::Value* value(const ir::Type* type) {
    for (int tries = 0; tries < 6; ++tries) {
      ir::Value* v = pool_[below(static_cast<uint32_t>(pool_.size()))];
      if (v->type == type) return v;
      if (v->type->is_scalar() && !v->type->is_ptr() && type->is_scalar() && !type->is_ptr())
        return b_.convert(v, type);
    }
    if (below(20) == 0) return module_.undef(type);
    if (type->is_ptr() || type->is_aggregate()) return module_.constant(type, 0);
    return module_.constant(type, below(4) == 0 ? random_() : below(70));
  }
  ir::Value* value(TypeKind kind) { return value(types().get(kind)); }

  ir::Value* pointer() {
    for (int tries = 0; tries < 20; ++tries) {
      ir::Value* v = pool_[below(static_cast<uint32_t>(pool_.size()))];
      if (!v->type->is_ptr()) continue;
      if (below(3) == 0) return v;
      return b_.offset(v, value(below(2) == 0 ? TypeKind::kI32 : TypeKind::kU64), 1 + below(8));
    }
    if (below(3) == 0) return b_.op(Op::kIntToPtr, types().ptr(Space::kGlobal), {value(TypeKind::kU64)});
    return params_[below(3)];
  }

  void keep(ir::Value* v) { pool_.push_back(v); }

  void statements(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) statement();
  }

  void inside(ir::Block* block, uint32_t count) {
    ir::Block* outer = b_.block();
    const size_t known = pool_.size();
    b_.at(block);
    if (depth_ < 4) {
      ++depth_;
      statements(count);
      --depth_;
    }
    inner_ = b_.block();
    pool_.resize(known);
    b_.at(outer);
  }

  void statement() {
    b_.pos({1 + line_++, 1, 1, 0});
    switch (below(16)) {
      case 0:
      case 1:
      case 2: arithmetic(); break;
      case 3:
      case 4:
        keep(b_.load(below(6) == 0 ? pair_ : types().get(number()), pointer(), 0, below(5) == 0));
        break;
      case 5:
      case 6: store(); break;
      case 7:
        keep(b_.var(below(2) == 0 ? types().get(number()) : types().array(types().get(TypeKind::kI32), 4),
                    "v"));
        break;
      case 8: control(); break;
      case 9: loop(); break;
      case 10: together(); break;
      case 11: atomic(); break;
      case 12: aggregate(); break;
      case 13: copy(); break;
      case 14: keep(b_.select(value(TypeKind::kBool), value(TypeKind::kF32), value(TypeKind::kF32))); break;
      default: odd(); break;
    }
  }

  void arithmetic() {
    const ir::Type* t = types().get(number());
    constexpr Op kAny[] = {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv, Op::kRem, Op::kMin, Op::kMax};
    constexpr Op kInt[] = {Op::kAnd, Op::kOr, Op::kXor, Op::kMulHi};
    if (t->is_int() && below(3) == 0) {
      keep(b_.binary(kInt[below(4)], value(t), value(t)));
    } else if (t->is_int() && below(3) == 0) {
      keep(b_.op(below(2) == 0 ? Op::kShl : Op::kShr, t, {value(t), value(TypeKind::kI32)}));
    } else {
      keep(b_.binary(kAny[below(7)], value(t), value(t)));
    }
    keep(b_.compare(Op::kLt, value(t), value(t)));
  }

  void store() {
    ir::Value* p = pointer();
    if (p->type->space == Space::kConstant) return;
    ir::Value* v = below(6) == 0 ? value(pair_) : value(number());
    b_.store(p, v, 0, below(6) == 0);
  }

  void control() {
    if (below(3) == 0) {
      ir::Inst* s = b_.make_switch(value(TypeKind::kI32), {{{1, 2}}, {{}}, {{-5}}});
      for (ir::Block* block : s->blocks) inside(block, 2);
      return;
    }
    ir::Inst* i = b_.make_if(value(TypeKind::kBool));
    for (ir::Block* block : i->blocks) inside(block, 3);
    if (below(10) == 0 && !i->blocks[0]->terminated()) {
      ir::Block* outer = b_.block();
      b_.at(i->blocks[0]);
      b_.ret(nullptr);
      b_.at(outer);
    }
  }

  void loop() {
    ir::Inst* counter = b_.var(types().get(TypeKind::kI32), "i");
    b_.store(counter, module_.constant_int(TypeKind::kI32, 0));
    ir::Inst* l = b_.make_loop();
    ir::Block* outer = b_.block();
    b_.at(l->blocks[0]);
    b_.yield(b_.compare(Op::kLt, b_.load(types().get(TypeKind::kI32), counter),
                        module_.constant_int(TypeKind::kI32, below(5))));
    b_.at(outer);
    inside(l->blocks[1], 3);
    b_.at(l->blocks[2]);
    b_.store(counter, b_.binary(Op::kAdd, b_.load(types().get(TypeKind::kI32), counter),
                                module_.constant_int(TypeKind::kI32, 1)));
    b_.at(outer);
  }

  void together() {
    const ir::Type* u32 = types().get(TypeKind::kU32);
    const ir::Type* boolean = types().get(TypeKind::kBool);
    ir::Value* mask = below(2) == 0 ? module_.constant(u32, 0xFFFFFFFF) : value(u32);
    switch (below(9)) {
      case 0: b_.emit(Op::kBarrier, nullptr, {}); break;
      case 1: keep(b_.emit(Op::kBarrierCount, types().get(TypeKind::kI32), {value(boolean)})); break;
      case 2: b_.emit(Op::kWarpBarrier, nullptr, {mask}); break;
      case 3: {
        const ir::Type* t = types().get(below(2) == 0 ? TypeKind::kF32 : TypeKind::kU64);
        ir::Inst* s = b_.emit(Op::kShuffle, t, {mask, value(t), value(u32), value(u32)});
        s->mutable_attr().shuffle = static_cast<ir::ShuffleKind>(below(4));
        keep(s);
        break;
      }
      case 4: keep(b_.emit(Op::kBallot, u32, {mask, value(boolean)})); break;
      case 5: keep(b_.emit(Op::kMatchAny, u32, {mask, value(u32)})); break;
      case 6: keep(b_.emit(Op::kWarpReduce, u32, {mask, value(u32)})); break;
      case 7: keep(b_.emit(Op::kActiveMask, u32, {})); break;
      default: b_.emit(Op::kFence, nullptr, {}); break;
    }
  }

  void atomic() {
    ir::Value* p = pointer();
    if (p->type->space == Space::kConstant || p->type->space == Space::kLocal) return;
    constexpr TypeKind kKinds[] = {TypeKind::kI32, TypeKind::kU32, TypeKind::kU64, TypeKind::kF32};
    const ir::Type* t = types().get(kKinds[below(4)]);
    ir::Inst* i = below(3) == 0 ? b_.emit(Op::kAtomicCas, t, {p, value(t), value(t)})
                                : b_.emit(Op::kAtomicRmw, t, {p, value(t)});
    i->mutable_attr().rmw =
        t->is_float() ? ir::Rmw::kAdd : static_cast<ir::Rmw>(below(t->is_signed() ? 8 : 10));
    i->mutable_attr().scope = static_cast<ir::Scope>(below(3));
    keep(i);
  }

  void aggregate() {
    ir::Value* v = value(pair_);
    ir::Value* w = b_.insert(v, value(TypeKind::kF64), 1);
    keep(w);
    keep(b_.extract(w, below(2)));
  }

  void copy() {
    ir::Value* p = pointer();
    ir::Value* q = pointer();
    ir::Value* n = below(3) == 0 ? value(TypeKind::kU64) : module_.constant_int(TypeKind::kU64, below(40));
    if (p->type->space == Space::kConstant) return;
    if (below(2) == 0) {
      b_.emit(Op::kMemCopy, nullptr, {p, q, n});
    } else {
      b_.emit(Op::kMemSet, nullptr, {p, value(TypeKind::kU8), n});
    }
  }

  void odd() {
    switch (below(4)) {
      case 0: {
        ir::Inst* p =
            b_.emit(Op::kPrintf, nullptr, {value(TypeKind::kI32), value(TypeKind::kF64), pointer()});
        p->mutable_attr().text = "%5d %g %s %x\n";
        break;
      }
      case 1: keep(b_.emit(Op::kClock, types().get(TypeKind::kU64), {})); break;
      case 2: {
        ir::Value* p = pointer();
        ir::Value* q = pointer();
        if (p->type != q->type) return;
        ir::Inst* d = b_.emit(Op::kPtrDiff, types().get(TypeKind::kI64), {p, q});
        d->mutable_attr().scale = 1 + below(3);
        keep(d);
        break;
      }
      default: b_.emit(Op::kNanoSleep, nullptr, {value(TypeKind::kU32)}); break;
    }
  }

  std::mt19937_64 random_;
  ir::Module module_;
  ir::Builder b_;
  const ir::Type* pair_ = nullptr;
  std::vector<ir::Global*> shared_;
  std::vector<ir::Value*> params_;
  std::vector<ir::Value*> pool_;
  ir::Block* inner_ = nullptr;
  uint32_t line_ = 0;
  int depth_ = 0;
};

struct Outcome {
  std::vector<uint8_t> memory;
  std::string reports, printed;
  uint64_t instructions = 0;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome(const std::shared_ptr<const ir::Module>& module, uint64_t seed) {
  Device device;
  auto program = device.load(module);
  EXPECT_TRUE(program.ok());
  std::vector<Arg> args;
  Address first = 0;
  for (int i = 0; i < 3; ++i) {
    const Address a =
        i < 2 ? *device.upload_new<uint8_t>(std::vector<uint8_t>(256, static_cast<uint8_t>(i + 1)), "")
              : *device.allocate(256);
    if (i == 0) first = a;
    args.push_back(a);
  }
  args.push_back(5);
  LaunchConfig config{dim(3), dim(20, 2), 64, args, seeded(seed)};
  config.options.step_limit = 100'000;
  config.options.checks = kAllChecks;
  auto result = device.launch(**program, "k", config);
  Outcome out;
  if (!result.ok()) {
    ADD_FAILURE() << result.error().to_string();
    return out;
  }
  for (const Report& r : result->reports) out.reports += render(r, *module) + "\n";
  out.printed = result->printed;
  out.instructions = result->instructions;
  out.memory = *device.download_as<uint8_t>(first, 256);
  return out;
}

TEST(SimRandom, AnythingThatVerifiesRunsAndRunsTheSameTwice) {
  int checked = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    ir::Module made = Maker(seed).take();
    const std::string defect = ir::verify(made);
    ASSERT_EQ(defect, "");
    ++checked;
    const auto module = std::make_shared<const ir::Module>(std::move(made));
    ASSERT_EQ(outcome(module, 0), outcome(module, 0));
    ASSERT_EQ(outcome(module, seed + 1), outcome(module, seed + 1));
  }
  EXPECT_EQ(checked, 400);
}

}  // namespace
}  // namespace quern::sim
