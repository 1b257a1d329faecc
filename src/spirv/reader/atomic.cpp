#include "spirv/reader/instructions.hpp"
#include "spirv/reader/messages.hpp"

namespace quern::spirv {

using ir::Op;
using ir::Rmw;
using ir::Type;
using ir::Value;

namespace {

ir::Scope scope_operand(Emitter& e, size_t operand) {
  switch (e.constant_arg(operand)) {
    case 0: return ir::Scope::kSystem;
    case 1:
    case 5: return ir::Scope::kDevice;  // the device, and the queues of a device
    case 2:
    case 3:
    case 4: return ir::Scope::kBlock;  // workgroup, subgroup, one invocation
    default: e.fail(message::kScope()); return ir::Scope::kDevice;
  }
}

struct Target {
  Value* pointer = nullptr;
  const Type* type = nullptr;  // nullptr: failed
  ir::Scope scope = ir::Scope::kDevice;
};

Target target(Emitter& e) {
  const Val pointer = e.arg(0);
  Target t;
  const TypeInfo* object = e.pointee(pointer);
  t.pointer = e.pointer_leaf(pointer);
  t.scope = scope_operand(e, 1);
  // Compilers of OpenCL C emit the atomics of version 1, which have device scope, with workgroup scope.
  const bool is_shared = t.pointer->type->space == ir::Space::kShared;
  if (e.source().is_physical && t.scope == ir::Scope::kBlock && !is_shared) t.scope = ir::Scope::kDevice;
  if (object == nullptr || e.failed()) return t;
  const Type* type = e.types().scalar(*object);
  if (type == nullptr || !(type->is_int() || type->is_float())) {
    e.fail(message::kAtomicType(std::to_string(object->id)));
  } else {
    t.type = type;
  }
  return t;
}

Value* rmw(Emitter& e, const Target& t, Rmw op, const Type* as, Value* by) {
  ir::Inst* made = e.b.emit(Op::kAtomicRmw, as, {t.pointer, by});
  made->mutable_attr().rmw = op;
  made->mutable_attr().scope = t.scope;
  return made;
}

void update(Emitter& e, Rmw op, bool as_signed, bool as_unsigned) {
  const Target t = target(e);
  if (t.type == nullptr) return;
  const Type* type = as_signed ? e.signed_type(t.type) : as_unsigned ? e.unsigned_type(t.type) : t.type;
  const bool bits = op == Rmw::kAnd || op == Rmw::kOr || op == Rmw::kXor;
  if (bits && !type->is_int()) return e.fail(message::kAtomicBits());
  Value* old = rmw(e, t, op, type, e.scalar_arg(3, type));
  e.define(Leaves{e.as(old, t.type)});
}

void count(Emitter& e, Rmw op) {
  const Target t = target(e);
  if (t.type == nullptr) return;
  e.define(Leaves{rmw(e, t, op, t.type, e.number(t.type, 1))});
}

void load_whole(Emitter& e) {
  const Target t = target(e);
  if (t.type == nullptr) return;
  ir::Inst* made = e.b.emit(Op::kAtomicLoad, t.type, {t.pointer});
  made->mutable_attr().scope = t.scope;
  e.define(Leaves{made});
}

void store_whole(Emitter& e) {
  const Target t = target(e);
  if (t.type == nullptr) return;
  ir::Inst* made = e.b.emit(Op::kAtomicStore, nullptr, {t.pointer, e.scalar_arg(3, t.type)});
  made->mutable_attr().scope = t.scope;
}

void compare_exchange(Emitter& e) {
  const Target t = target(e);
  if (t.type == nullptr) return;
  Value* desired = e.scalar_arg(4, t.type);
  Value* expected = e.scalar_arg(5, t.type);
  ir::Inst* made = e.b.emit(Op::kAtomicCas, t.type, {t.pointer, expected, desired});
  made->mutable_attr().scope = t.scope;
  e.define(Leaves{made});
}

void test_and_set(Emitter& e) {
  const Target t = target(e);
  if (t.type == nullptr || !t.type->is_int()) return e.fail(message::kFlagNotInteger());
  Value* old = rmw(e, t, Rmw::kExchange, t.type, e.number(t.type, 1));
  e.define(Leaves{e.b.compare(Op::kNe, old, e.zero(t.type))});
}

void clear_flag(Emitter& e) {
  const Target t = target(e);
  if (t.type == nullptr) return;
  e.b.emit(Op::kAtomicStore, nullptr, {t.pointer, e.zero(t.type)})->mutable_attr().scope = t.scope;
}

}  // namespace

bool emit_atomic(Emitter& e) {
  switch (e.at().opcode) {
    case Opcode::kAtomicLoad: load_whole(e); return true;
    case Opcode::kAtomicStore: store_whole(e); return true;
    case Opcode::kAtomicExchange: update(e, Rmw::kExchange, false, false); return true;
    case Opcode::kAtomicCompareExchange:
    case Opcode::kAtomicCompareExchangeWeak: compare_exchange(e); return true;
    case Opcode::kAtomicIIncrement: count(e, Rmw::kAdd); return true;
    case Opcode::kAtomicIDecrement: count(e, Rmw::kSub); return true;
    case Opcode::kAtomicIAdd:
    case Opcode::kAtomicFAddEXT: update(e, Rmw::kAdd, false, false); return true;
    case Opcode::kAtomicISub: update(e, Rmw::kSub, false, false); return true;
    case Opcode::kAtomicSMin: update(e, Rmw::kMin, true, false); return true;
    case Opcode::kAtomicUMin: update(e, Rmw::kMin, false, true); return true;
    case Opcode::kAtomicFMinEXT: update(e, Rmw::kMin, false, false); return true;
    case Opcode::kAtomicSMax: update(e, Rmw::kMax, true, false); return true;
    case Opcode::kAtomicUMax: update(e, Rmw::kMax, false, true); return true;
    case Opcode::kAtomicFMaxEXT: update(e, Rmw::kMax, false, false); return true;
    case Opcode::kAtomicAnd: update(e, Rmw::kAnd, false, false); return true;
    case Opcode::kAtomicOr: update(e, Rmw::kOr, false, false); return true;
    case Opcode::kAtomicXor: update(e, Rmw::kXor, false, false); return true;
    case Opcode::kAtomicFlagTestAndSet: test_and_set(e); return true;
    case Opcode::kAtomicFlagClear: clear_flag(e); return true;
    default: return false;
  }
}

}  // namespace quern::spirv
