#include <algorithm>
#include <numeric>

#include "lang/expand/expand.hpp"
#include "lang/expand/rewriter.hpp"

namespace quern::expand {

namespace {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;
using ir::ValueKind;

constexpr uint64_t kMostUnrolled = 16;  // accesses

// The guaranteed alignment of a pointer.
uint64_t alignment(const Value* v) {
  uint64_t align = 8;
  for (;;) {
    const Inst* i = ir::as_inst(v);
    if (i == nullptr || !(i->is(Op::kOffset) || i->is(Op::kFieldPtr) || i->is(Op::kSpaceCast))) break;
    if (i->is(Op::kFieldPtr)) {
      align = std::gcd(align, i->attr().type->fields[i->attr().index].offset);
    } else if (i->is(Op::kOffset)) {
      const ir::Const* known = ir::as_const(i->operand(1));
      const uint64_t steps = known != nullptr ? static_cast<uint64_t>(std::abs(ir::int_value(known))) : 1;
      align = std::gcd(align, steps * i->attr().scale);
    }
    v = i->operand(0);
  }
  if (v->kind == ValueKind::kGlobal) {
    const auto* g = static_cast<const ir::Global*>(v);
    return std::gcd(align, std::max(g->align, g->object->align));
  }
  if (v->kind == ValueKind::kParam) {
    const auto* p = static_cast<const ir::Param*>(v);
    return std::gcd(align, p->elem != nullptr ? p->elem->align : 1);
  }
  const Inst* i = ir::as_inst(v);
  if (i == nullptr || !i->is(Op::kVar)) return 1;
  return std::gcd(align, std::max<uint64_t>(i->attr().align, i->attr().type->align));
}

class CopyLowering {
 public:
  CopyLowering(ir::Module& module, ir::Function& function, bool has_wide)
      : r_(module, function), b_(r_.b), widest_(has_wide ? TypeKind::kU64 : TypeKind::kU32) {}

  void run() {
    for (Inst* i : r_.find([](const Inst& i) { return i.is(Op::kMemCopy) || i.is(Op::kMemSet); })) {
      r_.before(i);
      lower(i);
      r_.replace(i, nullptr);
    }
  }

 private:
  void lower(Inst* i) {
    const ir::Const* known = ir::as_const(i->operand(2));
    uint64_t unit = std::gcd(alignment(i->operand(0)), r_.type(widest_)->size);
    if (i->is(Op::kMemCopy)) unit = std::gcd(unit, alignment(i->operand(1)));
    if (known == nullptr) {
      loop(i, 1, b_.convert(i->operand(2), r_.type(widest_)));
      return;
    }
    if (known->bits == 0) return;
    unit = std::gcd(unit, known->bits);
    const uint64_t count = known->bits / unit;
    if (count > kMostUnrolled) {
      loop(i, unit, r_.number(widest_, count));
      return;
    }
    for (uint64_t k = 0; k < count; ++k) one(i, unit, r_.number(widest_, k));
  }

  void one(Inst* i, uint64_t unit, Value* index) {
    const Type* t = r_.type(unit == 8   ? TypeKind::kU64
                            : unit == 4 ? TypeKind::kU32
                            : unit == 2 ? TypeKind::kU16
                                        : TypeKind::kU8);
    Value* v = nullptr;
    if (i->is(Op::kMemCopy)) {
      v = b_.load(t, b_.offset(i->operand(1), index, unit));
    } else {
      v = b_.convert(i->operand(1), t);
      v = b_.binary(Op::kMul, v, b_.module().constant(t, 0x0101010101010101));
    }
    b_.store(b_.offset(i->operand(0), index, unit), v);
  }

  void loop(Inst* i, uint64_t unit, Value* count) {
    const Type* number = r_.type(widest_);
    Inst* at = b_.var(number, "at");
    b_.store(at, r_.number(widest_, 0));
    Inst* loop = b_.make_loop();
    b_.at(loop->blocks[0]);
    b_.yield(b_.compare(Op::kLt, b_.load(number, at), count));
    b_.at(loop->blocks[1]);
    one(i, unit, b_.load(number, at));
    b_.at(loop->blocks[2]);
    b_.store(at, b_.binary(Op::kAdd, b_.load(number, at), r_.number(widest_, 1)));
  }

  Rewriter r_;
  ir::Builder& b_;
  TypeKind widest_;  // of accesses and counters
};

}  // namespace

void lower_copies(ir::Module& module, bool has_wide) {
  for (ir::Function* f : module.functions) CopyLowering(module, *f, has_wide).run();
}

}  // namespace quern::expand
