// Atomic operations: on 32-bit words, relaxed. Memory consists of plain words, and their addresses are cast
// for atomic operations.
#include "target/cstyle/msl_writer.hpp"
#include "target/messages.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::Op;
using ir::Rmw;
using ir::Type;
using ir::TypeKind;

namespace {

std::string function_for(Rmw rmw, const Type* t) {
  if (rmw == Rmw::kExchange) return "atomic_exchange_explicit";
  if (!t->is_int()) return {};
  switch (rmw) {
    case Rmw::kAdd: return "atomic_fetch_add_explicit";
    case Rmw::kSub: return "atomic_fetch_sub_explicit";
    case Rmw::kMin: return "atomic_fetch_min_explicit";
    case Rmw::kMax: return "atomic_fetch_max_explicit";
    case Rmw::kAnd: return "atomic_fetch_and_explicit";
    case Rmw::kOr: return "atomic_fetch_or_explicit";
    case Rmw::kXor: return "atomic_fetch_xor_explicit";
    default: return {};
  }
}

}  // namespace

// The address as a pointer to a Metal atomic.
Expr MslWriter::atomic_word(const Inst* i, const Type* word) {
  const Place p = place(i->operand(0));
  const std::string name = word->is_signed() ? "atomic_int*)" : "atomic_uint*)";
  return {"(" + std::string(spell(dialect_, p.space)) + name + address(p).at(kUnary), kUnary};
}

Expr MslWriter::atomic(const Inst* i) {
  const Type* t = i->type->is_void() ? i->operand(1)->type : i->type;
  if (i->operand(0)->type->space == ir::Space::kGeneric) refuse(i, message::kAtomicSeveralSpaces());
  if (t->size != 4) {
    refuse(i, message::kAtomicBitsOnMetal(std::to_string(t->bits())));
    return zero(t);
  }
  const Type* word = unit_.module.types().get(t->kind == TypeKind::kI32 ? TypeKind::kI32 : TypeKind::kU32);
  const Expr relaxed{"memory_order_relaxed", kPrimary};
  switch (i->op) {
    case Op::kAtomicLoad:
      return bitcast(t, word, call("atomic_load_explicit", {atomic_word(i, word), relaxed}));
    case Op::kAtomicStore:
      return call("atomic_store_explicit",
                  {atomic_word(i, word), bitcast(word, t, value(i->operand(1))), relaxed});
    case Op::kAtomicCas: return compare_and_swap(i);
    default: break;
  }
  const Rmw rmw = i->attr().rmw;
  if (const std::string function = function_for(rmw, t); !function.empty()) {
    const Expr v = bitcast(word, t, value(i->operand(1)));
    return bitcast(t, word, call(function, {atomic_word(i, word), v, relaxed}));
  }
  return combined_atomic(i);
}

}  // namespace quern::target::cstyle
