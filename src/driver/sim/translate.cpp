#include "driver/sim/translate.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "driver/sim/address.hpp"
#include "driver/sim/messages.hpp"
#include "driver/sim/translator.hpp"

namespace quern::sim {

using base::format;
using ir::Inst;
using ir::Op;
using ir::Space;
using ir::Value;
using ir::ValueKind;

namespace {

constexpr size_t kMaxDepth = 1000;                      // of nested blocks: the translator recurses
constexpr uint64_t kMaxValueBytes = uint64_t{1} << 20;  // of one aggregate value
constexpr uint32_t kMaxSlots = 1 << 24;
constexpr uint64_t kMaxSharedBytes = uint64_t{1} << 24;

bool nested_too_deeply(const ir::Block* body) {
  std::vector<std::pair<const ir::Block*, size_t>> todo{{body, 1}};
  while (!todo.empty()) {
    const auto [block, depth] = todo.back();
    todo.pop_back();
    if (depth > kMaxDepth) return true;
    for (const Inst* i = block->first; i != nullptr; i = i->next) {
      for (const ir::Block* inner : i->blocks) todo.emplace_back(inner, depth + 1);
    }
  }
  return false;
}

struct Fused {
  OpCode op;
  bool swap;
};

// The fused form of a comparison whose only use is the following branch.
bool fused_compare(const Inst* cmp, Fused& out) {
  const ir::Type* t = cmp->operand(0)->type;
  const bool narrow = t->is_signed() && t->size < 4;
  if (narrow || t->kind == ir::TypeKind::kF16 || t->kind == ir::TypeKind::kBF16) return false;
  out.swap = cmp->is(Op::kGt) || cmp->is(Op::kGe);
  if (cmp->is(Op::kEq) || cmp->is(Op::kNe)) {
    out.op = cmp->is(Op::kEq) ? OpCode::kUnlessEq : OpCode::kUnlessNe;
    return !t->is_float();
  }
  const bool strict = cmp->is(Op::kLt) || cmp->is(Op::kGt);
  if (!strict && !cmp->is(Op::kLe) && !cmp->is(Op::kGe)) return false;
  switch (t->kind) {
    case ir::TypeKind::kI32: out.op = strict ? OpCode::kUnlessLtI32 : OpCode::kUnlessLeI32; break;
    case ir::TypeKind::kI64: out.op = strict ? OpCode::kUnlessLtI64 : OpCode::kUnlessLeI64; break;
    case ir::TypeKind::kF32: out.op = strict ? OpCode::kUnlessLtF32 : OpCode::kUnlessLeF32; break;
    case ir::TypeKind::kF64: out.op = strict ? OpCode::kUnlessLtF64 : OpCode::kUnlessLeF64; break;
    default: out.op = strict ? OpCode::kUnlessLtU64 : OpCode::kUnlessLeU64; break;
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<Code>> translate(const ir::Module& module, const ir::Function& kernel,
                                        std::span<const Address> variables, uint32_t checks) {
  if (nested_too_deeply(kernel.body)) {
    return base::Error(base::ErrorKind::unsupported,
                       message::kTooDeep(kernel.name, std::to_string(kMaxDepth)));
  }
  return Translator(module, kernel, variables, checks).run();
}

Translator::Translator(const ir::Module& module, const ir::Function& kernel,
                       std::span<const Address> variables, uint32_t checks)
    : module_(module),
      kernel_(kernel),
      variables_(variables),
      checks_(checks),
      facts_(kernel, (checks & kCheckUninitialized) != 0),
      code_(std::make_unique<Code>()) {}

void Translator::fail(const base::MessageText& message, const Inst* at) {
  if (failed()) return;
  error_ = message.str();
  if (at == nullptr || at->pos.line == 0) return;
  const std::string file = at->pos.file < module_.files.size() ? module_.files[at->pos.file].name : "";
  error_ += format(" (%s:%u:%u)", file.c_str(), at->pos.line, at->pos.column);
}

Result<std::unique_ptr<Code>> Translator::run() {
  code_->kernel = &kernel_;
  code_->origins.emplace_back();
  slot_.assign(facts_.size(), kNoSlot);
  load_pc_.assign(facts_.size(), kNoSlot);
  checked_.assign(facts_.size(), false);
  dying_.resize(facts_.size());
  constant(0);  // slot 0 is zero: for memory instructions without an index
  prepare_params();
  prepare_shared();
  const auto set_dying = [&](const auto& self, const ir::Block* b) -> void {
    for (const Inst* i = b->first; i != nullptr; i = i->next) {
      dying_[facts_.index(facts_.last_use(i))].push_back(facts_.index(i));
      for (const ir::Block* inner : i->blocks) self(self, inner);
    }
  };
  set_dying(set_dying, kernel_.body);
  block(kernel_.body);
  emit(OpCode::kReturn);
  if (!failed() && code_->slots > kMaxSlots) fail(message::kTooManyRegisters(kernel_.name));
  if (!failed() && code_->code.size() >= (size_t{1} << 28)) fail(message::kTooLong());
  if (failed()) return base::Error(base::ErrorKind::unsupported, error_);
  return std::move(code_);
}

void Translator::prepare_params() {
  code_->writes_param.assign(kernel_.params.size(), false);
  for (const ir::Param* p : kernel_.params) {
    if (p->type->size > kMaxValueBytes) {
      fail(message::kLargeParameter(p->name, kernel_.name, base::format_bytes(p->type->size),
                                    base::format_bytes(kMaxValueBytes)));
      return;
    }
    const uint32_t slot = allocate(slots_for(p->type), true);
    code_->params.push_back(slot);
  }
}

void Translator::prepare_shared() {
  code_->shared.emplace_back();
  code_->shared[0].is_dynamic = true;
  for (const ir::Global* g : module_.globals) {
    if (g->space != Space::kShared) continue;
    if (g->object->is_array() && g->object->count == 0) {
      if (code_->shared[0].global == nullptr) code_->shared[0].global = g;
      shared_[g] = 0;
      continue;
    }
    if (g->object->size > kMaxSharedBytes) continue;  // an error if this kernel uses it
    shared_[g] = kNoSlot;                             // numbered on first use
  }
}

uint32_t Translator::allocate(uint32_t count, bool fresh) {
  if (auto it = free_.find(count); !fresh && it != free_.end() && !it->second.empty()) {
    const uint32_t slot = it->second.back();
    it->second.pop_back();
    slots_[slot] = {1, count};
    return slot;
  }
  if (code_->slots > kMaxSlots - std::min(count, kMaxSlots)) {
    fail(message::kTooManyRegisters(kernel_.name));
    return 0;
  }
  const uint32_t slot = code_->slots;
  code_->slots += count;
  slots_.resize(code_->slots);
  slots_[slot] = {1, count};
  return slot;
}

void Translator::release(uint32_t slot) {
  SlotState& s = slots_[slot];
  if (s.users == 0 || --s.users != 0) return;
  free_[s.count].push_back(slot);
}

// Slots that are filled before a thread starts are never reused. They are never released: their use count has
// one extra user.
uint32_t Translator::constant(uint64_t bits) {
  const auto [it, is_new] = constants_.try_emplace(bits, 0);
  if (is_new) {
    it->second = allocate(1, true);
    code_->constants.push_back({it->second, bits});
  }
  return it->second;
}

uint32_t Translator::zeros(uint32_t count) {
  if (count == 1) return constant(0);
  const auto [it, is_new] = zeros_.try_emplace(count, 0);
  if (is_new) {
    it->second = allocate(count, true);
    for (uint32_t i = 0; i < count; ++i) code_->constants.push_back({it->second + i, 0});
  }
  return it->second;
}

uint32_t Translator::undefined(uint32_t count) {
  if (!(checks_ & kCheckUninitialized)) return zeros(count);
  const auto [it, is_new] = undefined_.try_emplace(count, 0);
  if (is_new) {
    it->second = allocate(count, true);
    code_->undefined.push_back({it->second, count});
  }
  return it->second;
}

uint32_t Translator::fixed(const Inst* inst) {
  const uint32_t d = std::min<uint32_t>(inst->attr().index, 2);
  uint32_t* slot = nullptr;
  switch (inst->op) {
    case Op::kThreadId: slot = &code_->thread_id[d]; break;
    case Op::kBlockId: slot = &code_->block_id[d]; break;
    case Op::kBlockDim: slot = &code_->block_dim[d]; break;
    case Op::kGridDim: slot = &code_->grid_dim[d]; break;
    case Op::kClusterDim: slot = &code_->cluster_dim[d]; break;
    case Op::kLaneId: slot = &code_->lane_id; break;
    default: slot = &code_->dynamic_shared_size; break;
  }
  if (*slot == kNoSlot) *slot = allocate(1, true);
  return *slot;
}

uint32_t Translator::slot_of(const Value* value) {
  switch (value->kind) {
    case ValueKind::kConst:
      if (value->type->is_aggregate()) {
        if (value->type->size > kMaxValueBytes)
          fail(message::kLargeValue(base::format_bytes(value->type->size)));
        return failed() ? 0 : zeros(slots_for(value->type));
      }
      return constant(static_cast<const ir::Const*>(value)->bits);
    case ValueKind::kUndef:
      if (value->type->size > kMaxValueBytes)
        fail(message::kLargeValue(base::format_bytes(value->type->size)));
      return failed() ? 0 : undefined(slots_for(value->type));
    case ValueKind::kParam: return code_->params[static_cast<const ir::Param*>(value)->index];
    case ValueKind::kGlobal: {
      const auto* g = static_cast<const ir::Global*>(value);
      if (g->space != Space::kShared) {
        for (size_t i = 0; i < module_.globals.size(); ++i) {
          if (module_.globals[i] == g) return constant(variables_[i]);
        }
        fail(message::kVariableNotInModule());
        return 0;
      }
      const auto it = shared_.find(g);
      if (it == shared_.end()) {
        fail(message::kLargeShared(g->name, base::format_bytes(g->object->size),
                                   base::format_bytes(kMaxSharedBytes)));
        return 0;
      }
      if (it->second == kNoSlot) {
        it->second = static_cast<uint32_t>(code_->shared.size());
        const uint64_t align = std::max<uint64_t>({16, g->align, g->object->align});
        code_->shared_bytes = (code_->shared_bytes + align - 1) / align * align;
        code_->shared.push_back({g, code_->shared_bytes, g->object->size, false});
        code_->shared_bytes += (g->object->size + 15) / 16 * 16;
        if (code_->shared_bytes > kMaxSharedBytes) fail(message::kAllSharedTooLarge());
      }
      if (it->second == 0) code_->has_dynamic_shared = true;
      return constant(shared_address(it->second, 0));
    }
    case ValueKind::kInst: break;
  }
  const auto* inst = static_cast<const Inst*>(value);
  const uint32_t slot = slot_[facts_.index(inst)];
  if (slot == kNoSlot) {
    fail(message::kUseBeforeDefinition(), inst);
    return 0;
  }
  return slot;
}

uint32_t Translator::use(const Value* value) {
  const uint32_t slot = slot_of(value);
  if (failed() || !maybe(value)) return slot;
  const Inst* inst = ir::as_inst(value);
  const ir::Pos here = pos_;
  if (inst != nullptr) {
    const uint32_t n = facts_.index(inst);
    if (checked_[n]) return slot;
    checked_[n] = true;
    checked_order_.push_back(n);
    if (inst->pos.line != 0)
      pos_ = inst->pos;  // the position of the read is more informative than that of the use
  }
  emit(OpCode::kCheckDefined, 0, slot);
  pos_ = here;
  return slot;
}

uint32_t Translator::result(const Inst* inst) {
  uint32_t& slot = slot_[facts_.index(inst)];
  if (slot == kNoSlot) {
    if (inst->type->size > kMaxValueBytes) {
      fail(message::kLargeValue(base::format_bytes(inst->type->size)), inst);
      return 0;
    }
    slot = allocate(slots_for(inst->type));
  }
  return slot;
}

void Translator::alias(const Inst* inst, uint32_t slot) {
  ++slots_[slot].users;
  slot_[facts_.index(inst)] = slot;
}

Ins& Translator::emit(OpCode op, uint32_t dst, uint32_t a, uint32_t b, uint32_t c, int32_t d) {
  code_->code.push_back({op, 0, dst, a, b, c, d});
  code_->pos.push_back(pos_);
  code_->insts.push_back(inst_);
  return code_->code.back();
}

void Translator::place(Label& label) {
  label.pc = static_cast<uint32_t>(code_->code.size());
  for (uint32_t at : label.jumps) code_->code[at].c = label.pc;
  label.jumps.clear();
}

void Translator::jump(OpCode op, Label& label, uint32_t a, uint32_t b) {
  emit(op, 0, a, b, label.pc);
  if (label.pc == kNoSlot) label.jumps.push_back(static_cast<uint32_t>(code_->code.size() - 1));
}

void Translator::block(const ir::Block* b) {
  const size_t known = checked_order_.size();
  for (const Inst* i = b->first; i != nullptr && !failed(); i = i->next) {
    pos_ = i->pos;
    inst_ = i;
    visit(i);
    forget_dead(i);
  }
  while (checked_order_.size() > known) {
    checked_[checked_order_.back()] = false;
    checked_order_.pop_back();
  }
}

void Translator::forget_dead(const Inst* inst) {
  for (uint32_t n : dying_[facts_.index(inst)]) {
    if (slot_[n] != kNoSlot) release(slot_[n]);
  }
}

void Translator::visit(const Inst* inst) {
  if (visit_control(inst) || visit_value(inst) || visit_memory(inst) || visit_together(inst) ||
      visit_other(inst))
    return;
  fail(message::kUnknownOperation(ir::info(inst->op).name), inst);
}

bool Translator::fuses_with_next(const Inst* cmp) const {
  const Inst* next = cmp->next;
  Fused f{};
  return next != nullptr && (next->is(Op::kIf) || next->is(Op::kYield)) && next->operand(0) == cmp &&
         facts_.users(cmp).size() == 1 && fused_compare(cmp, f);
}

void Translator::branch_unless(const Inst* control, const Value* cond, Label& label) {
  const Inst* cmp = ir::as_inst(cond);
  if (cmp != nullptr && cmp->next == control && ir::has(cmp->op, ir::kPure) && cmp->operands.size() == 2 &&
      cmp->type->is_bool() && fuses_with_next(cmp)) {
    Fused f{};
    fused_compare(cmp, f);
    pos_ = cmp->pos;
    const uint32_t a = use(cmp->operand(0)), b = use(cmp->operand(1));
    jump(f.op, label, f.swap ? b : a, f.swap ? a : b);
    return;
  }
  jump(OpCode::kJumpUnless, label, use(cond));
}

bool Translator::visit_control(const Inst* inst) {
  switch (inst->op) {
    case Op::kIf: visit_if(inst); return true;
    case Op::kLoop: visit_loop(inst); return true;
    case Op::kSwitch: visit_switch(inst); return true;
    case Op::kScope:
      block(inst->blocks[0]);
      place(targets_[inst].exit);
      return true;
    case Op::kYield: branch_unless(inst, inst->operand(0), targets_[inst->parent->owner].exit); return true;
    case Op::kExit: jump(OpCode::kJump, targets_[inst->attr().target].exit); return true;
    case Op::kContinue: jump(OpCode::kJump, targets_[inst->attr().target].next); return true;
    case Op::kReturn: emit(OpCode::kReturn); return true;
    case Op::kUnreachable: emit(OpCode::kUnreachable); return true;
    case Op::kCall:
      fail(message::kCallRemains(
               kernel_.name, inst->attr().callee != nullptr ? inst->attr().callee->name : std::string("?")),
           inst);
      return true;
    default: return false;
  }
}

void Translator::visit_if(const Inst* inst) {
  Label otherwise, end;
  const ir::Block* second = inst->blocks.size() > 1 ? inst->blocks[1] : nullptr;
  branch_unless(inst, inst->operand(0), otherwise);
  block(inst->blocks[0]);
  if (second != nullptr && second->first != nullptr) {
    if (!inst->blocks[0]->terminated()) jump(OpCode::kJump, end);
    place(otherwise);
    block(second);
    place(end);
  } else {
    place(otherwise);
  }
}

void Translator::visit_loop(const Inst* inst) {
  Targets& t = targets_[inst];
  const size_t range = code_->loops.size();
  Label head;
  place(head);
  code_->loops.push_back({head.pc, 0, inst->pos});
  block(inst->blocks[0]);
  block(inst->blocks[1]);
  place(t.next);
  block(inst->blocks[2]);
  pos_ = inst->pos;
  jump(OpCode::kJumpBack, head);
  code_->loops[range].end = static_cast<uint32_t>(code_->code.size());
  place(targets_[inst].exit);
}

void Translator::visit_switch(const Inst* inst) {
  const uint32_t on = use(inst->operand(0));
  const uint64_t bits = inst->operand(0)->type->size * 8;
  const uint64_t mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const uint32_t index = static_cast<uint32_t>(code_->switches.size());
  code_->switches.emplace_back();
  emit(OpCode::kSwitch, 0, on, 0, index);
  Label end;
  SwitchInfo info;
  bool has_default = false;
  for (size_t i = 0; i < inst->blocks.size(); ++i) {
    const uint32_t pc = static_cast<uint32_t>(code_->code.size());
    const ir::SwitchCase& c = inst->attr().cases[i];
    if (c.values.empty()) info.otherwise = pc, has_default = true;
    for (int64_t v : c.values) info.targets.emplace_back(static_cast<uint64_t>(v) & mask, pc);
    block(inst->blocks[i]);
    if (!inst->blocks[i]->terminated()) jump(OpCode::kJump, end);
  }
  place(end);
  place(targets_[inst].exit);
  if (!has_default) info.otherwise = end.pc;
  std::stable_sort(info.targets.begin(), info.targets.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  code_->switches[index] = std::move(info);
}

void Translator::note_write(const Value* pointer) {
  const Space space = pointer->type->space;
  if (space == Space::kShared || space == Space::kLocal) return;
  const Value* base = base_of(pointer);
  if (base == nullptr) {
    code_->writes_anywhere = true;
  } else if (base->kind == ValueKind::kParam) {
    code_->writes_param[static_cast<const ir::Param*>(base)->index] = true;
  } else if (base->kind == ValueKind::kGlobal) {
    code_->writes_global.push_back(static_cast<const ir::Global*>(base));
  }
}

}  // namespace quern::sim
