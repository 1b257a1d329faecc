#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "driver/sim/address.hpp"
#include "driver/sim/memory.hpp"
#include "driver/sim/messages.hpp"
#include "driver/sim/translator.hpp"

namespace quern::sim {

using ir::Inst;
using ir::Op;
using ir::Space;
using ir::TypeKind;
using ir::Value;

namespace {

constexpr uint64_t kMaxFrameBytes = uint64_t{1} << 26;  // local memory of one thread

uint32_t size_step(uint64_t bytes) {
  return static_cast<uint32_t>(std::countr_zero(bytes));
}  // 1 2 4 8 → 0 1 2 3

// Groups of four in the order of bytecode.hpp: global, shared, local, any.
uint32_t space_step(Space space) {
  switch (space) {
    case Space::kGlobal:
    case Space::kConstant: return 0;
    case Space::kShared: return 4;
    case Space::kLocal: return 8;
    case Space::kGeneric: return 12;
  }
  return 12;
}

}  // namespace

bool Translator::visit_memory(const Inst* inst) {
  switch (inst->op) {
    case Op::kVar: var(inst); return true;
    case Op::kLoad: load(inst); return true;
    case Op::kStore: store(inst); return true;
    case Op::kAtomicRmw:
    case Op::kAtomicCas:
    case Op::kAtomicLoad:
    case Op::kAtomicStore: atomic(inst); return true;
    case Op::kMemCopy:
    case Op::kMemSet: {
      note_write(inst->operand(0));
      const uint32_t to = use(inst->operand(0)), what = use(inst->operand(1)), count = use(inst->operand(2));
      emit(inst->is(Op::kMemCopy) ? OpCode::kMemCopy : OpCode::kMemSet, to, what, count);
      return true;
    }
    case Op::kAsyncCopy: {
      const uint32_t to = use(inst->operand(0)), from = use(inst->operand(1)), read = use(inst->operand(2));
      emit(OpCode::kAsyncCopy, to, from, read, inst->attr().index);
      return true;
    }
    case Op::kAsyncCommit: emit(OpCode::kAsyncCommit); return true;
    case Op::kAsyncWait: emit(OpCode::kAsyncWait, 0, 0, 0, inst->attr().index); return true;
    default: return false;
  }
}

void Translator::var(const Inst* inst) {
  const ir::Type* type = inst->attr().type;
  if (facts_.is_promoted(inst)) {
    const uint32_t slot = result(inst);
    if (!facts_.var_maybe_undefined(inst)) return;
    const uint32_t origin = static_cast<uint32_t>(code_->origins.size());
    code_->origins.push_back({std::string(inst->name), inst->pos});
    emit(OpCode::kUndefine, slot, 0, 0, 1, static_cast<int32_t>(origin)).sub =
        static_cast<uint16_t>((1u << type->size) - 1);
    return;
  }
  if (type->size >= kMaxLocalBytes || code_->local_bytes + type->size > kMaxFrameBytes ||
      code_->locals.size() >= kMaxLocalObjects) {
    fail(message::kLargeLocal(inst->name, base::format_bytes(kMaxFrameBytes)), inst);
    return;
  }
  const uint32_t index = static_cast<uint32_t>(code_->locals.size());
  locals_[inst] = index;
  const uint64_t align = std::max<uint64_t>(type->align, inst->attr().align);
  code_->locals.push_back({code_->local_bytes, type->size, type, inst->name, align_bit_of(align)});
  code_->local_bytes += (type->size + 15) / 16 * 16;
  const uint32_t slot = allocate(1, true);
  ++slots_[slot].users;  // permanently holds its address
  slot_[facts_.index(inst)] = slot;
  code_->local_addresses.push_back({slot, index});
  if ((checks_ & kCheckUninitialized) != 0) emit(OpCode::kVarBegin, 0, 0, 0, index);
}

Translator::Reach Translator::reach(const Value* pointer) {
  Reach r;
  r.base = pointer;
  for (const Inst* i = ir::as_inst(r.base);
       i != nullptr && (i->is(Op::kOffset) || i->is(Op::kFieldPtr)) && facts_.is_folded(i);
       i = ir::as_inst(r.base)) {
    const Value* index = nullptr;
    r.step += constant_step(i, &index);
    if (index != nullptr) {
      r.index = index;
      r.scale = i->attr().scale;
    }
    r.base = i->operand(0);
  }
  return r;
}

// Whether the access is certainly within one local variable, so that it needs no address.
bool Translator::fixed_place(const Reach& r, uint64_t bytes, uint32_t& at) const {
  const Inst* base = ir::as_inst(r.base);
  if (base == nullptr || !base->is(Op::kVar) || r.index != nullptr || r.step < 0) return false;
  const auto it = locals_.find(base);
  if (it == locals_.end()) return false;
  const LocalVar& v = code_->locals[it->second];
  const uint64_t step = static_cast<uint64_t>(r.step);
  if (step > v.size || bytes > v.size - step || (step | v.align_bit) % bytes != 0) return false;
  at = static_cast<uint32_t>(v.offset + step);
  return true;
}

void Translator::emit_access(OpCode first, uint32_t slot, const Value* pointer, const ir::Type* type,
                             bool maybe_flag) {
  const Reach r = reach(pointer);
  const bool is_load = first == OpCode::kLoadG8;
  const uint16_t flag = maybe_flag ? kSubMaybe : 0;
  uint32_t at = 0;
  if (fixed_place(r, type->size, at)) {
    emit(plus(is_load ? OpCode::kLoadV8 : OpCode::kStoreV8, size_step(type->size)), slot, 0, 0, at).sub =
        flag;
    return;
  }
  uint32_t base = use(r.base);
  const uint32_t index = r.index != nullptr ? use(r.index) : 0;
  int64_t step = r.step;
  if (step != static_cast<int32_t>(step)) {
    const uint32_t sum = allocate(1);
    emit(OpCode::kAdd64, sum, base, constant(static_cast<uint64_t>(step)));
    base = sum;
    step = 0;
    release(sum);  // read by the next instruction
  }
  const OpCode op = plus(first, space_step(pointer->type->space) + size_step(type->size));
  Ins& ins = emit(op, slot, base, index, static_cast<uint32_t>(r.scale), static_cast<int32_t>(step));
  const bool sign = r.index != nullptr && r.index->type->kind == TypeKind::kI32;
  ins.sub = static_cast<uint16_t>((sign ? 32 : 0) | flag);
}

uint32_t Translator::slow_access(const Inst* inst, const ir::Type* type, bool maybe_flag) {
  const ir::Attr& attr = inst->attr();
  AccessInfo info;
  info.bytes = static_cast<uint32_t>(type->size);
  info.align = attr.align != 0 ? attr.align : static_cast<uint32_t>(type->align);
  info.kind = type->is_aggregate() ? TypeKind::kStruct : type->kind;
  info.is_volatile = attr.is_volatile;
  info.maybe = maybe_flag;
  info.rmw = attr.rmw;
  info.scope = attr.scope;
  code_->accesses.push_back(info);
  return static_cast<uint32_t>(code_->accesses.size() - 1);
}

void Translator::load(const Inst* inst) {
  if (const Inst* var = facts_.promoted_var(inst->operand(0))) {
    load_promoted(inst, var);
    return;
  }
  const Value* pointer = inst->operand(0);
  if (is_plain_access(inst) && !facts_.is_cas_read(inst)) {
    const uint32_t slot = result(inst);
    emit_access(OpCode::kLoadG8, slot, pointer, inst->type, maybe(inst));
  } else {
    const uint32_t address = use(pointer), slot = result(inst);
    const uint32_t info = slow_access(inst, inst->type, maybe(inst));
    code_->accesses[info].may_race = facts_.is_cas_read(inst);
    emit(OpCode::kLoadSlow, slot, address, 0, info);
  }
  load_pc_[facts_.index(inst)] = static_cast<uint32_t>(code_->code.size() - 1);
}

void Translator::load_promoted(const Inst* inst, const Inst* var) {
  const uint32_t from = slot_of(var);
  if (facts_.reads_in_place(inst, var)) {
    alias(inst, from);
    return;
  }
  emit(facts_.var_maybe_undefined(var) ? OpCode::kMovMaybe : OpCode::kMov, result(inst), from);
}

void Translator::store(const Inst* inst) {
  const Value* pointer = inst->operand(0);
  const Value* value = inst->operand(1);
  if (const Inst* var = facts_.promoted_var(pointer)) {
    store_promoted(inst, var);
    return;
  }
  note_write(pointer);
  const uint32_t slot = slot_of(value);
  if (is_plain_access(inst)) {
    emit_access(OpCode::kStoreG8, slot, pointer, value->type, maybe(value));
  } else {
    const uint32_t address = use(pointer);
    emit(OpCode::kStoreSlow, slot, address, 0, slow_access(inst, value->type, maybe(value)));
  }
  note_update(inst);
}

void Translator::store_promoted(const Inst* inst, const Inst* var) {
  const Value* value = inst->operand(1);
  const uint32_t to = slot_of(var), from = slot_of(value);
  const bool flags = facts_.var_maybe_undefined(var);
  if (to == from && !flags) return;
  // Computed by the previous instruction and not used elsewhere: computed directly into the destination.
  const Inst* made = ir::as_inst(value);
  if (!flags && made != nullptr && made->next == inst && facts_.users(made).size() == 1 &&
      !code_->code.empty()) {
    Ins& last = code_->code.back();
    const bool simple =
        last.op <= OpCode::kEval3 || (last.op >= OpCode::kOffset && last.op <= OpCode::kLoadX64);
    const bool is_its_own = !code_->insts.empty() && code_->insts.back() == made;
    if (simple && is_its_own && last.dst == from && slots_[from].users == 1) {
      last.dst = to;
      return;
    }
  }
  emit(!flags ? OpCode::kMov : maybe(value) ? OpCode::kMovMaybe : OpCode::kMovDefined, to, from);
}

// x = x op y, or x = y op x, in one statement: could be an atomic. The store was just emitted.
void Translator::note_update(const Inst* store) {
  const Inst* value = ir::as_inst(store->operand(1));
  if (value == nullptr || value->operands.size() != 2) return;
  switch (value->op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kMin:
    case Op::kMax: break;
    default: return;
  }
  for (size_t i = 0; i < 2; ++i) {
    const Inst* from = ir::as_inst(value->operand(i));
    if (from == nullptr || !from->is(Op::kLoad) || !same_pointer(from->operand(0), store->operand(0)))
      continue;
    if ((value->is(Op::kSub) && i == 1) || from->pos.line != store->pos.line) continue;
    const uint32_t load_pc = load_pc_[facts_.index(from)];
    if (load_pc != kNoSlot) code_->updates.push_back({load_pc, load_pc, value->op, value->type});
    code_->updates.push_back(
        {static_cast<uint32_t>(code_->code.size() - 1), load_pc, value->op, value->type});
    return;
  }
}

void Translator::atomic(const Inst* inst) {
  const Value* pointer = inst->operand(0);
  const ir::Type* type = inst->is(Op::kAtomicLoad) ? inst->type : inst->operand(1)->type;
  if (!inst->is(Op::kAtomicLoad)) note_write(pointer);
  const uint32_t address = use(pointer);
  const uint32_t b = inst->operands.size() > 1 ? use(inst->operand(1)) : 0;
  const uint32_t c = inst->operands.size() > 2 ? use(inst->operand(2)) : 0;
  const uint32_t info = slow_access(inst, type, false);
  OpCode op = OpCode::kAtomicRmw;
  if (inst->is(Op::kAtomicCas)) op = OpCode::kAtomicCas;
  if (inst->is(Op::kAtomicLoad)) op = OpCode::kAtomicLoad;
  if (inst->is(Op::kAtomicStore)) op = OpCode::kAtomicStore;
  if (!type->is_scalar()) {
    fail(message::kAtomicNotScalar(), inst);
    return;
  }
  code_->accesses[info].align = static_cast<uint32_t>(type->size);
  const uint32_t dst = inst->type->is_void() ? 0 : result(inst);
  emit(op, inst->type->is_void() ? kNoSlot : dst, address, b, c, static_cast<int32_t>(info));
}

bool Translator::visit_together(const Inst* inst) {
  const auto barrier = [&](OpCode op) {
    const uint32_t cond = use(inst->operand(0));
    emit(op, result(inst), cond);
  };
  switch (inst->op) {
    case Op::kBarrier: emit(OpCode::kBarrier); return true;
    case Op::kBarrierCount: barrier(OpCode::kBarrierCount); return true;
    case Op::kBarrierAnd: barrier(OpCode::kBarrierAnd); return true;
    case Op::kBarrierOr: barrier(OpCode::kBarrierOr); return true;
    case Op::kGridBarrier:
      code_->has_grid_barrier = true;
      emit(OpCode::kGridBarrier);
      return true;
    case Op::kClusterBarrier:
      code_->has_cluster_barrier = true;
      emit(OpCode::kClusterBarrier);
      return true;
    case Op::kWarpBarrier: {
      const uint32_t mask = use(inst->operand(0));
      emit(OpCode::kWarpBarrier, 0, mask);
      return true;
    }
    case Op::kFence: emit(OpCode::kFence).sub = static_cast<uint16_t>(inst->attr().scope); return true;
    case Op::kActiveMask: emit(OpCode::kActiveMask, result(inst)); return true;
    case Op::kShuffle: {
      const uint32_t mask = use(inst->operand(0)), lane = use(inst->operand(2)),
                     width = use(inst->operand(3));
      const uint32_t value = slot_of(inst->operand(1));
      Ins& ins = emit(OpCode::kShuffle, result(inst), mask, value, lane, static_cast<int32_t>(width));
      ins.sub = static_cast<uint16_t>(static_cast<uint32_t>(inst->attr().shuffle) |
                                      (maybe(inst->operand(1)) ? 16u : 0u) | (maybe(inst) ? 32u : 0u));
      return true;
    }
    default: break;
  }
  if (ir::group(inst->op) != ir::OpGroup::kWarp) return false;
  const uint32_t mask = use(inst->operand(0)), value = use(inst->operand(1));
  Ins& ins = emit(OpCode::kWarpValue, result(inst), mask, value);
  const ir::Type* t = inst->operand(1)->type;
  ins.sub = static_cast<uint16_t>(static_cast<uint32_t>(inst->attr().rmw) | (t->is_signed() ? 64u : 0u) |
                                  static_cast<uint32_t>(inst->op) << 8);
  return true;
}

bool Translator::visit_other(const Inst* inst) {
  switch (inst->op) {
    case Op::kPrintf: {
      PrintInfo info{inst->attr().text, {}};
      for (const Value* v : inst->operands) info.args.push_back({use(v), v->type});
      code_->prints.push_back(std::move(info));
      const uint32_t dst = inst->type == nullptr || inst->type->is_void() ? kNoSlot : result(inst);
      emit(OpCode::kPrintf, dst, 0, 0, static_cast<uint32_t>(code_->prints.size() - 1));
      return true;
    }
    case Op::kAssert: {
      const uint32_t cond = use(inst->operand(0));
      code_->asserts.push_back(inst->attr().text);
      emit(OpCode::kAssert, 0, cond, 0, static_cast<uint32_t>(code_->asserts.size() - 1));
      return true;
    }
    case Op::kCheckError: {
      const uint32_t which = use(inst->operand(0)), first = use(inst->operand(1));
      emit(OpCode::kCheckError, 0, which, first, use(inst->operand(2)));
      for (size_t i = 0; i < module_.globals.size(); ++i) {
        if (module_.globals[i]->name == "__lib_heap") code_->heap = variables_[i];
      }
      return true;
    }
    case Op::kPtx: ptx(inst); return true;
    case Op::kTrap: emit(OpCode::kTrap); return true;
    case Op::kClock: emit(OpCode::kClock, result(inst)); return true;
    case Op::kGlobalTimer: emit(OpCode::kTimer, result(inst)); return true;
    case Op::kNanoSleep: {
      const uint32_t time = use(inst->operand(0));
      emit(OpCode::kNanoSleep, 0, time);
      return true;
    }
    default: return false;
  }
}

}  // namespace quern::sim
