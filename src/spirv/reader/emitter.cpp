#include "spirv/reader/emitter.hpp"

#include <algorithm>

#include "spirv/reader/instructions.hpp"
#include "spirv/reader/messages.hpp"
#include "spirv/reader/reader.hpp"

namespace quern::spirv {

using ir::TypeKind;

Emitter::Emitter(Reader& reader, Translated& into) : b(reader.module()), reader_(reader), into_(into) {
  if (into.function != nullptr) b.at(into.function->body);
}

Types& Emitter::types() { return reader_.types(); }
const Source& Emitter::source() const { return reader_.source(); }
const Decorations& Emitter::decorations(Id id) const { return reader_.source().decorations(id); }
void Emitter::fail(const base::MessageText& what) { reader_.failure().set(*at_, what); }
bool Emitter::failed() const { return static_cast<bool>(reader_.failure()); }

// ---- the current instruction

namespace {

size_t before_operands(const Instruction& i) {
  return form(i.opcode) == Form::kTyped ? 2 : form(i.opcode) == Form::kResult ? 1 : 0;
}

}  // namespace

bool Emitter::has(size_t operand) const { return before_operands(*at_) + operand < at_->operands.size(); }

uint32_t Emitter::word(size_t operand) {
  if (has(operand)) return at_->operands[before_operands(*at_) + operand];
  fail(message::kMissingOperand());
  return 0;
}

std::span<const uint32_t> Emitter::words(size_t from) const {
  const size_t first = before_operands(*at_) + from;
  return first < at_->operands.size() ? at_->operands.subspan(first) : std::span<const uint32_t>();
}

const TypeInfo& Emitter::result_type() { return type(at_->type()); }

void Emitter::define(Leaves leaves) {
  Val val;
  val.leaves = std::move(leaves);
  define(std::move(val));
}

void Emitter::define(Val val) {
  val.type = at_->type();
  const TypeInfo& t = result_type();
  if (!val.is_zero && !failed() && val.leaves.size() != t.leaves)
    fail(message::kResultDoesNotMatch(std::to_string(val.type)));
  reader_.count(val.leaves.size(), *at_);
  values_[at_->result()] = std::move(val);
}

// ---- ids

const TypeInfo& Emitter::type(Id id) {
  static const TypeInfo kNothing;
  const TypeInfo* t = types().find(id);
  if (t != nullptr) return *t;
  fail(message::kUnknownType(std::to_string(id)));
  return kNothing;
}

Val Emitter::value(Id id) {
  const auto own = values_.find(id);
  if (own != values_.end()) {
    Val val = own->second;
    for (ir::Value*& l : val.leaves) l = visible(l);
    if (val.buffer_index != nullptr) val.buffer_index = visible(val.buffer_index);
    return val;
  }
  if (const Val* constant = reader_.constant(id)) return *constant;
  Val val;
  if (const Variable* v = reader_.variable(id)) {
    val.type = v->pointer->id;
    val.leaves.push_back(v->global != nullptr ? v->global : need(id, false));
    val.is_table = v->buffers != 0;
    val.buffer = id;
    return val;
  }
  fail(message::kUnknownValue(std::to_string(id)));
  return val;
}

std::optional<uint64_t> Emitter::constant(Id id) {
  const Val* c = reader_.constant(id);
  if (c == nullptr || c->leaves.size() != 1 || !c->leaves[0]->type->is_int()) return std::nullopt;
  const ir::Const* bits = ir::as_const(c->leaves[0]);
  return bits != nullptr ? std::optional(bits->bits) : std::nullopt;
}

uint64_t Emitter::constant_arg(size_t operand) {
  const Id id = word(operand);
  const std::optional<uint64_t> c = constant(id);
  if (!c.has_value()) fail(message::kIntegerConstantRequired(std::to_string(id)));
  return c.value_or(0);
}

// A value used outside of its block is stored to a variable where it is defined.
ir::Value* Emitter::visible(ir::Value* v) {
  ir::Inst* inst = ir::as_inst(v);
  if (inst == nullptr || inst->parent == b.block()) return v;
  for (const ir::Block* block = b.block(); block != nullptr;
       block = block->owner != nullptr ? block->owner->parent : nullptr) {
    if (block == inst->parent) return v;
  }
  ir::Inst*& kept = kept_[inst];
  if (kept == nullptr) {
    kept = variable(inst->type, inst->name);
    ir::Block* const here = b.block();
    b.at(inst->parent, inst->next);
    b.store(kept, inst);
    b.at(here);
  }
  return b.load(kept->attr().type, kept);
}

ir::Inst* Emitter::variable(const ir::Type* type, std::string_view name) {
  ir::Block* const here = b.block();
  ir::Block* const body = into_.function->body;
  b.at(body, body->first);
  ir::Inst* v = b.var(type->size != 0 ? type : kind(TypeKind::kU8), name);
  if (type->is_aggregate()) v->mutable_attr().align = 16;  // regardless of the layout of its parts
  b.at(here);
  return v;
}

ir::Value* Emitter::need(Id variable, bool is_length) {
  const Need wanted{variable, is_length};
  const size_t first = into_.function->params.size() - into_.needs.size();
  const auto known = std::find(into_.needs.begin(), into_.needs.end(), wanted);
  if (known != into_.needs.end())
    return into_.function->params[first + static_cast<size_t>(known - into_.needs.begin())];
  const Variable& v = *reader_.variable(variable);
  const ir::Type* type = types().scalar(*v.pointer);
  if (v.buffers != 0) type = b.types().ptr(ir::Space::kLocal);
  if (is_length && v.buffers == 0) type = kind(TypeKind::kU64);
  into_.needs.push_back(wanted);
  return reader_.module().add_param(into_.function, type, source().name(variable));
}

// ---- scalars

ir::Value* Emitter::zero(const ir::Type* type) { return b.module().constant(type, 0); }

ir::Value* Emitter::number(const ir::Type* type, uint64_t n) {
  if (type->is_float()) return real(type, static_cast<double>(n));
  return b.module().constant(type, n);
}

ir::Value* Emitter::real(const ir::Type* type, double n) { return b.module().constant_float(type, n); }

ir::Value* Emitter::as(ir::Value* v, const ir::Type* type) {
  if (v->type == type) return v;
  const bool sign_only = v->type->is_int() && type->is_int() && v->type->size == type->size;
  if (sign_only) return v->kind == ir::ValueKind::kUndef ? b.module().undef(type) : b.bitcast(v, type);
  if (v->type->is_ptr() && type->is_ptr()) {
    const bool related = v->type->space == ir::Space::kGeneric || type->space == ir::Space::kGeneric;
    if (related) return b.op(ir::Op::kSpaceCast, type, {v});
  }
  fail(message::kOperandType(to_string(v->type), to_string(type)));
  return zero(type);
}

ir::Value* Emitter::leaf(const Val& val, size_t index, const ir::Type* type) {
  if (index < val.leaves.size() && !val.is_table) return as(val.leaves[index], type);
  if (val.is_zero) return zero(type);
  fail(message::kOperandTooNarrow());
  return zero(type);
}

ir::Value* Emitter::integer_arg(size_t operand) {
  const Val v = arg(operand);
  if (v.leaves.size() == 1 && v.leaves[0]->type->is_int()) return v.leaves[0];
  fail(message::kOperandNotInteger(std::to_string(word(operand)), std::to_string(operand + 1)));
  return zero(kind(TypeKind::kU32));
}

ir::Value* Emitter::pointer_leaf(const Val& val) {
  if (val.is_table) {
    fail(message::kArrayAsBuffer());
  } else if (val.leaves.size() == 1 && val.leaves[0]->type->is_ptr()) {
    return val.leaves[0];
  } else {
    fail(message::kOperandNotPointer());
  }
  return zero(b.types().ptr(ir::Space::kGlobal));
}

const ir::Type* Emitter::signed_type(const ir::Type* type) {
  switch (type->kind) {
    case TypeKind::kU8: return kind(TypeKind::kI8);
    case TypeKind::kU16: return kind(TypeKind::kI16);
    case TypeKind::kU32: return kind(TypeKind::kI32);
    case TypeKind::kU64: return kind(TypeKind::kI64);
    default: return type;
  }
}

const ir::Type* Emitter::unsigned_type(const ir::Type* type) {
  switch (type->kind) {
    case TypeKind::kI8: return kind(TypeKind::kU8);
    case TypeKind::kI16: return kind(TypeKind::kU16);
    case TypeKind::kI32: return kind(TypeKind::kU32);
    case TypeKind::kI64: return kind(TypeKind::kU64);
    default: return type;
  }
}

std::vector<const ir::Type*> Emitter::leaf_types(const TypeInfo& type) {
  std::vector<const ir::Type*> all;
  if (type.leaves > kMostLeaves) {
    fail(message::kTooManyScalars(std::to_string(type.id), std::to_string(kMostLeaves)));
    return all;
  }
  types().leaves(type, all);
  return all;
}

const ir::Type* Emitter::integer_result() {
  const ir::Type* type = types().scalar(result_type());
  if (type != nullptr && type->is_int()) return type;
  fail(message::kResultNotInteger());
  return kind(TypeKind::kU32);
}

const TypeInfo* Emitter::pointee(const Val& pointer) {
  const TypeInfo* t = types().find(pointer.type);
  if (t == nullptr || t->kind != TypeClass::kPointer) {
    fail(message::kOperandNotPointer());
    return nullptr;
  }
  const TypeInfo* object = types().find(t->elem);
  if (object == nullptr || object->kind == TypeClass::kVoid) {
    fail(message::kDereferencesUnknown(std::to_string(t->elem)));
    return nullptr;
  }
  return object;
}

// ---- instructions

void Emitter::position(const Instruction& i) {
  if (i.opcode == Opcode::kNoLine) has_line_ = false;
  if (i.opcode == Opcode::kLine && i.operands.size() >= 3) {
    const std::optional<uint16_t> file = reader_.source().file(i.operands[0]);
    has_line_ = file.has_value() && i.operands[1] != 0;
    line_.line = i.operands[1];
    line_.column = static_cast<uint16_t>(std::clamp<uint32_t>(i.operands[2], 1, UINT16_MAX));
    line_.file = file.value_or(0);
  }
  ir::Pos pos;
  pos.line = i.ordinal;
  pos.column = 1;
  b.pos(has_line_ ? line_ : pos);
}

void Emitter::debug_instruction(uint32_t number) {
  constexpr uint32_t kDebugSource = 35, kDebugLine = 103, kDebugNoLine = 104;
  if (number == kDebugNoLine) has_line_ = false;
  if (number != kDebugLine || !has(5)) return;
  const auto from = source().definitions.find(word(2));
  if (from == source().definitions.end()) return;
  const Instruction& file = *from->second;  // type, result, set, number, the file's name
  if (file.opcode != Opcode::kExtInst || file.operands.size() < 5 || file.operands[3] != kDebugSource) return;
  const std::optional<uint16_t> index = reader_.source().file(file.operands[4]);
  const std::optional<uint64_t> line = constant(word(3)), column = constant(word(5));
  if (!index.has_value() || line.value_or(0) == 0) return;
  has_line_ = true;
  line_.file = *index;
  line_.line = static_cast<uint32_t>(*line);
  line_.column = static_cast<uint16_t>(std::clamp<uint64_t>(column.value_or(1), 1, UINT16_MAX));
}

void Emitter::emit(const Instruction& instruction) {
  at_ = &instruction;
  position(instruction);
  switch (instruction.opcode) {
    case Opcode::kNop:
    case Opcode::kLine:
    case Opcode::kNoLine:
    case Opcode::kAssumeTrueKHR:
    case Opcode::kLifetimeStart:
    case Opcode::kLifetimeStop: return;
    default: break;
  }
  const bool known = emit_memory(*this) || emit_arithmetic(*this) || emit_comparison(*this) ||
                     emit_conversion(*this) || emit_composite(*this) || emit_matrix(*this) ||
                     emit_atomic(*this) || emit_group(*this) || emit_extended(*this);
  if (!known) fail(message::kNotSupportedBySimulator());
}

}  // namespace quern::spirv
