// Atomics on words: all others have been lowered to these (pass/lower_atomics).
#include "target/messages.hpp"
#include "target/spirv/emitter.hpp"

namespace quern::target::spirv {

using ir::Inst;
using ir::Op;
using ir::Rmw;
using ir::Type;

namespace {

constexpr uint32_t kRelaxed = 0;

Opcode code_of(Rmw rmw, const Type* type) {
  switch (rmw) {
    case Rmw::kSub: return Opcode::kAtomicISub;
    case Rmw::kMin: return type->is_signed() ? Opcode::kAtomicSMin : Opcode::kAtomicUMin;
    case Rmw::kMax: return type->is_signed() ? Opcode::kAtomicSMax : Opcode::kAtomicUMax;
    case Rmw::kAnd: return Opcode::kAtomicAnd;
    case Rmw::kOr: return Opcode::kAtomicOr;
    case Rmw::kXor: return Opcode::kAtomicXor;
    case Rmw::kExchange: return Opcode::kAtomicExchange;
    default: return Opcode::kAtomicIAdd;
  }
}

}  // namespace

Id Emitter::atomic_pointer(const Inst* i, const Place& p, uint32_t bytes) {
  if (p.kind == Place::Kind::kObject) return element(p, 0);
  if (p.kind == Place::Kind::kGlobal) return global_pointer(p, b_.int_type(bytes * 8), bytes);
  if (bytes == 8) {
    refuse(i, message::kAtomic64InMixedShared());
    return 0;
  }
  return word_pointer(p);
}

Id Emitter::atomic_at(const Inst* i, const Type* type, const Place& p) {
  const auto bytes = static_cast<uint32_t>(type->size);
  const Id word_type = bytes == 8 ? u64() : u32();
  const bool is_shared = p.kind == Place::Kind::kShared ||
                         (p.kind == Place::Kind::kObject && Objects::is_shared(p.root)) ||
                         (p.kind == Place::Kind::kPointer && p.space == ir::Space::kShared);
  const bool in_block = is_shared || i->attr().scope == ir::Scope::kBlock;
  const Id scope = b_.u32(static_cast<uint32_t>(in_block ? Scope::kWorkgroup : Scope::kDevice));
  const Id relaxed = b_.u32(kRelaxed);
  const Id pointer = atomic_pointer(i, p, bytes);
  const auto bits = [&](size_t k) { return to_bits(type, scalar(i->operand(k))); };
  switch (i->op) {
    case Op::kAtomicLoad: return op(Opcode::kAtomicLoad, word_type, {pointer, scope, relaxed});
    case Op::kAtomicStore: effect(Opcode::kAtomicStore, {pointer, scope, relaxed, bits(1)}); return 0;
    case Op::kAtomicCas:
      return op(Opcode::kAtomicCompareExchange, word_type,
                {pointer, scope, relaxed, relaxed, bits(2), bits(1)});
    default: break;
  }
  return op(code_of(i->attr().rmw, type), word_type, {pointer, scope, relaxed, bits(1)});
}

void Emitter::atomic(const Inst* i) {
  const Type* type = i->type->is_void() ? i->operand(1)->type : i->type;
  const bool has_result = !i->type->is_void();
  if (type->size < 4 || (type->size == 8 && !unit_.has(driver::Feature::atomics64))) {
    refuse(i, message::kAtomicBitsMissing(std::to_string(type->bits())));
    if (has_result) define(i, zero(i->type));
    return;
  }
  if (type->size == 8) b_.need(Capability::kInt64Atomics);
  const Place p = place(i->operand(0));
  const bool is_local =
      p.kind == Place::Kind::kLocal || (p.kind == Place::Kind::kObject && ir::as_inst(p.root) != nullptr);
  if (is_local) {
    refuse(i, message::kAtomicOnLocal());
    if (has_result) define(i, zero(i->type));
    return;
  }
  const bool is_native_add =
      i->is(Op::kAtomicRmw) && i->attr().rmw == Rmw::kAdd && type->kind == ir::TypeKind::kF32;
  if (is_native_add) {
    b_.need(Capability::kAtomicFloat32Add);
    b_.need_extension("SPV_EXT_shader_atomic_float_add");
    const Id pointer = global_pointer(p, b_.float_type(32), 4);
    define(i, op(Opcode::kAtomicFAddEXT, b_.float_type(32),
                 {pointer, b_.u32(static_cast<uint32_t>(Scope::kDevice)), b_.u32(kRelaxed),
                  scalar(i->operand(1))}));
    return;
  }
  const Id word_type = type->size == 8 ? u64() : u32();
  const auto access = [&](const Place& at) {
    if (at.kind != Place::Kind::kLocal) return atomic_at(i, type, at);
    // Thread-local memory: no other thread can access it.
    refuse(i, message::kAtomicMaybeOnLocal());
    return word(type->size == 8 ? Rep::kU64 : Rep::kU32, 0);
  };
  const Id wanted = has_result ? word_type : 0;
  const Id id = p.kind == Place::Kind::kGeneric ? dispatch(p.at, wanted, access)
                : is_in_any_buffer(p)           ? in_device_memory(p.at, wanted, access)
                                                : access(p);
  if (has_result) define(i, from_bits(type, id));
}

}  // namespace quern::target::spirv
