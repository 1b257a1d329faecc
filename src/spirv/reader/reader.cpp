#include "spirv/reader/reader.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "lang/ir/verify.hpp"
#include "lang/pass/pass.hpp"
#include "spirv/reader/instructions.hpp"
#include "spirv/reader/messages.hpp"

namespace quern::spirv {

using base::Error;
using base::ErrorKind;
using base::format;
using ir::TypeKind;

namespace {

constexpr uint64_t kMostValues = 4'000'000;          // total scalars of all instructions
constexpr uint32_t kMostCalls = 100;                 // nested calls
constexpr uint64_t kMostShared = uint64_t{1} << 26;  // bytes of one workgroup variable
constexpr uint64_t kMostGlobal = uint64_t{1} << 28;  // bytes of one variable of the module

}  // namespace

Reader::Reader(Source& source, const Options& options)
    : source_(source),
      options_(options),
      types_(source, program_.module, failure_, [this](Id id) { return integer(id); }) {}

const Val* Reader::constant(Id id) const {
  const auto at = constants_.find(id);
  return at != constants_.end() ? &at->second : nullptr;
}

const Variable* Reader::variable(Id id) const {
  const auto at = variables_.find(id);
  return at != variables_.end() ? &at->second : nullptr;
}

std::optional<uint64_t> Reader::integer(Id id) const {
  const Val* c = constant(id);
  if (c == nullptr || c->leaves.size() != 1 || !c->leaves[0]->type->is_int()) return std::nullopt;
  const ir::Const* bits = ir::as_const(c->leaves[0]);
  return bits != nullptr ? std::optional(bits->bits) : std::nullopt;
}

void Reader::count(size_t leaves, const Instruction& at) {
  leaves_ += leaves + 1;
  if (leaves_ > kMostValues) failure_.set(at, message::kTooManyValues());
}

// ---- declarations

void Reader::declare(const Instruction& i) {
  if (i.opcode == Opcode::kVariable) {
    declare_variable(i);
  } else if (i.opcode >= Opcode::kTypeVoid && i.opcode <= Opcode::kTypeForwardPointer) {
    types_.define(i);
  } else {
    declare_constant(i);
  }
}

uint64_t Reader::specialized(const Instruction& i, const TypeInfo& type, uint64_t bits) {
  const std::optional<uint32_t> id = source_.decorations(i.result()).spec_id;
  if (!id.has_value()) return bits;
  const ir::Type* scalar = types_.scalar(type);
  for (const Specialization& s : options_.specializations) {
    if (s.id == *id) bits = s.bits;
  }
  bits = module().constant(scalar, bits)->bits;
  program_.spec_constants.push_back({*id, source_.name(i.result()), scalar, bits});
  return bits;
}

void Reader::declare_constant(const Instruction& i) {
  const TypeInfo* type = types_.find(i.type());
  if (type == nullptr || type->kind == TypeClass::kVoid || type->kind == TypeClass::kFunction)
    return failure_.set(i, message::kValueType(std::to_string(i.type())));
  Val val;
  val.type = type->id;
  const bool is_spec = i.opcode >= Opcode::kSpecConstantTrue;
  switch (i.opcode) {
    case Opcode::kConstantTrue:
    case Opcode::kConstantFalse:
    case Opcode::kSpecConstantTrue:
    case Opcode::kSpecConstantFalse: {
      if (type->kind != TypeClass::kBool) return failure_.set(i, message::kNotBoolType());
      uint64_t bits = i.opcode == Opcode::kConstantTrue || i.opcode == Opcode::kSpecConstantTrue ? 1 : 0;
      if (is_spec) bits = specialized(i, *type, bits);
      val.leaves.push_back(module().constant_bool(bits != 0));
      break;
    }
    case Opcode::kConstant:
    case Opcode::kSpecConstant: declare_number(i, *type, val); break;
    case Opcode::kConstantComposite:
    case Opcode::kSpecConstantComposite: declare_composite(i, *type, val); break;
    case Opcode::kConstantNull:
    case Opcode::kUndef: {
      if (type->leaves > kMostLeaves) {
        val.is_zero = true;
        break;
      }
      std::vector<const ir::Type*> all;
      types_.leaves(*type, all);
      for (const ir::Type* t : all) {
        val.leaves.push_back(i.opcode == Opcode::kUndef ? static_cast<ir::Value*>(module().undef(t))
                                                        : module().constant(t, 0));
      }
      break;
    }
    case Opcode::kSpecConstantOp: declare_spec_op(i, val); break;
    default: return failure_.set(i, message::kConstantNotSupported());
  }
  count(val.leaves.size(), i);
  if (!failure_ && !val.is_zero && val.leaves.size() != type->leaves)
    return failure_.set(i, message::kConstantType(std::to_string(type->id)));
  constants_[i.result()] = std::move(val);
}

void Reader::declare_number(const Instruction& i, const TypeInfo& type, Val& val) {
  if (type.kind != TypeClass::kInt && type.kind != TypeClass::kFloat)
    return failure_.set(i, message::kNotNumberType());
  const size_t words = type.width == 64 ? 2 : 1;
  if (i.operands.size() != 2 + words) return failure_.set(i, message::kConstantWords());
  uint64_t bits = i.operands[2];
  if (words == 2) bits |= uint64_t{i.operands[3]} << 32;
  if (i.opcode == Opcode::kSpecConstant) bits = specialized(i, type, bits);
  val.leaves.push_back(module().constant(types_.scalar(type), bits));
}

void Reader::declare_composite(const Instruction& i, const TypeInfo& type, Val& val) {
  if (type.leaves > kMostLeaves)
    return failure_.set(i, message::kConstantTooLarge(std::to_string(kMostLeaves)));
  std::vector<const ir::Type*> wanted;
  types_.leaves(type, wanted);
  for (const Id part : i.operands.subspan(2)) {
    const Val* c = constant(part);
    if (c == nullptr || c->is_zero) return failure_.set(i, message::kPartNotConstant(std::to_string(part)));
    for (ir::Value* l : c->leaves) {
      if (val.leaves.size() >= wanted.size() || l->type != wanted[val.leaves.size()])
        return failure_.set(i, message::kPartOfConstant(std::to_string(part)));
      val.leaves.push_back(l);
    }
  }
}

// The operation is emitted like any other; with constant operands, the result is constant.
void Reader::declare_spec_op(const Instruction& i, Val& val) {
  if (i.operands.size() < 3) return failure_.set(i, message::kMissingOperand());
  std::vector<uint32_t> words = {i.operands[0], i.operands[1]};
  words.insert(words.end(), i.operands.begin() + 3, i.operands.end());
  Instruction operation = i;
  operation.opcode = static_cast<Opcode>(i.operands[2]);
  operation.operands = words;
  if (form(operation.opcode) != Form::kTyped) return failure_.set(i, message::kOperationWithoutResult());
  Translated scratch;
  scratch.function = module().add_function(format("constant %%%u", i.result()));
  scratch.function->result = module().types().get(TypeKind::kVoid);
  scratch.function->body = module().new_block(scratch.function, nullptr);
  Emitter e(*this, scratch);
  e.emit(operation);
  std::erase(module().functions, scratch.function);
  if (failure_) return;
  val.leaves = e.value(i.result()).leaves;
  for (const ir::Value* l : val.leaves) {
    if (l->kind != ir::ValueKind::kConst && l->kind != ir::ValueKind::kUndef)
      return failure_.set(i, message::kNotConstant());
  }
}

bool Reader::is_array_of_buffers(const TypeInfo& pointer, const TypeInfo& object) const {
  if (pointer.storage != StorageClass::kUniform && pointer.storage != StorageClass::kStorageBuffer)
    return false;
  return object.kind == TypeClass::kArray || object.kind == TypeClass::kRuntimeArray;
}

void Reader::declare_variable(const Instruction& i) {
  Variable v;
  v.id = i.result();
  v.at = &i;
  v.pointer = types_.find(i.type());
  if (v.pointer == nullptr || v.pointer->kind != TypeClass::kPointer)
    return failure_.set(i, message::kVariableNotPointer(std::to_string(i.type())));
  v.object = types_.find(v.pointer->elem);
  if (v.object == nullptr)
    return failure_.set(i, message::kVariableOfUnknownType(std::to_string(v.pointer->elem)));
  if (v.pointer->storage == StorageClass::kOutput) return;  // of another stage
  if (!space_of(v.pointer->storage).has_value() || v.pointer->storage == StorageClass::kFunction)
    return failure_.set(
        i, message::kVariableOfModuleStorage(std::to_string(static_cast<uint32_t>(v.pointer->storage))));
  if (is_array_of_buffers(*v.pointer, *v.object)) {
    v.buffers = v.object->count;
    v.object = types_.find(v.object->elem);
    constexpr uint64_t kMostBuffers = 256;
    if (v.buffers == 0 || v.buffers > kMostBuffers)
      return failure_.set(i, message::kTooManyBuffers(v.buffers == 0 ? "any number of" : "too many",
                                                      std::to_string(kMostBuffers)));
  }
  if (i.operands.size() > 3) {
    v.initial = constant(i.operands[3]);
    if (v.initial == nullptr)
      return failure_.set(i, message::kInitialNotConstant(std::to_string(i.operands[3])));
  }
  make_global(v);
  variables_[v.id] = v;
}

void Reader::make_global(Variable& v) {
  const StorageClass storage = v.pointer->storage;
  const bool is_shared = storage == StorageClass::kWorkgroup;
  if (!is_shared && storage != StorageClass::kCrossWorkgroup && storage != StorageClass::kUniformConstant)
    return;
  const ir::Type* object = types_.memory(*v.object);
  if (object->size == 0) object = module().types().get(TypeKind::kU8);
  if (object->size > (is_shared ? kMostShared : kMostGlobal))
    return failure_.set(*v.at, message::kVariableTooLarge());
  std::string name = source_.name(v.id);
  if (name.empty()) name = format("%%%u", v.id);
  while (module().find_global(name) != nullptr) name += format(" %%%u", v.id);
  v.global = module().add_global(name, object, *space_of(storage));
  v.global->align = std::max<uint64_t>(16, object->align);
  v.global->pos = {v.at->ordinal, 1, 1, 0};
  if (is_shared || v.initial == nullptr || v.initial->is_zero) return;
  Translated nothing;
  Emitter e(*this, nothing);
  std::optional<std::vector<uint8_t>> bytes = initial_bytes(e, *v.object, *v.initial);
  if (!bytes.has_value()) return failure_.set(*v.at, message::kInitialNotPlain());
  v.global->init = std::move(*bytes);
}

ir::Global* Reader::constant_table(const std::vector<uint8_t>& bytes, const ir::Type* type) {
  ir::Global*& table = tables_[{type, bytes}];
  if (table != nullptr) return table;
  table = module().add_global(format("constant table %zu", tables_.size()), type, ir::Space::kConstant);
  table->align = std::max<uint64_t>(16, type->align);
  table->init = bytes;
  table->is_literal = true;
  return table;
}

// ---- functions

Translated* Reader::function(Id id, const Instruction& call) {
  const auto known = functions_.find(id);
  if (known != functions_.end()) {
    if (known->second.is_done) return &known->second;
    failure_.set(call, message::kRecursion(std::to_string(id)));
    return nullptr;
  }
  const auto at = source_.function_at.find(id);
  if (at == source_.function_at.end()) {
    failure_.set(call, message::kNotAFunction(std::to_string(id)));
    return nullptr;
  }
  if (++depth_ > kMostCalls) {
    failure_.set(call, message::kCallsTooDeep(std::to_string(kMostCalls)));
    return nullptr;
  }
  const FunctionSource& source = source_.functions[at->second];
  Translated& made = functions_[id];
  const std::string name = source_.name(id);
  made.function = module().add_function(format("%%%u %s", id, name.c_str()));
  made.function->body = module().new_block(made.function, nullptr);
  made.function->result = result_type(source);
  if (!failure_) Emitter(*this, made).translate(source);
  made.is_done = true;
  --depth_;
  return &made;
}

// Several scalars are returned as a struct.
const ir::Type* Reader::result_type(const FunctionSource& source) {
  ir::TypeTable& table = module().types();
  const TypeInfo* type = types_.find(source.head->type());
  if (type == nullptr || type->leaves > kMostLeaves) {
    failure_.set(*source.head, message::kFunctionResultType(std::to_string(source.head->type())));
    return table.get(TypeKind::kVoid);
  }
  std::vector<const ir::Type*> leaves;
  if (type->kind != TypeClass::kVoid) types_.leaves(*type, leaves);
  if (leaves.empty()) return table.get(TypeKind::kVoid);
  if (leaves.size() == 1) return leaves[0];
  const ir::Type* all = table.declare_struct(format("result of type %%%u", type->id));
  if (all->size != 0) return all;
  std::vector<ir::Field> fields;
  uint64_t end = 0;
  for (const ir::Type* t : leaves) {
    end = (end + t->size - 1) / t->size * t->size;
    fields.push_back({std::to_string(fields.size()), t, end});
    end += t->size;
  }
  table.define_struct(all, std::move(fields), (end + 7) / 8 * 8, 8);
  return all;
}

// ---- the module

std::optional<LocalSize> Reader::local_size(const EntryPoint& entry) {
  std::optional<std::array<uint64_t, 3>> size;
  if (entry.local_size.has_value()) {
    const auto& s = *entry.local_size;
    size = {s[0], s[1], s[2]};
  }
  if (entry.local_size_ids.has_value()) {
    size.emplace();
    for (size_t d = 0; d < 3; ++d) {
      const std::optional<uint64_t> n = integer((*entry.local_size_ids)[d]);
      if (!n.has_value()) failure_.set(*entry.at, message::kLocalSizeNotConstant());
      (*size)[d] = n.value_or(1);
    }
  }
  // The built-in constant has precedence over both.
  for (const auto& [id, val] : constants_) {
    if (source_.decorations(id).builtin != to_word(BuiltIn::kWorkgroupSize) || val.leaves.size() != 3)
      continue;
    size.emplace();
    for (size_t d = 0; d < 3; ++d) {
      const ir::Const* c = ir::as_const(val.leaves[d]);
      (*size)[d] = c != nullptr ? c->bits : 0;
    }
  }
  if (!size.has_value()) {
    if (!entry.is_kernel_model) failure_.set(*entry.at, message::kNoLocalSize());
    return std::nullopt;
  }
  const auto& s = *size;
  for (const uint64_t n : s) {
    if (n == 0 || n > kMaxWorkgroupInvocations)
      failure_.set(*entry.at, message::kLocalSizeDimension(std::to_string(n)));
  }
  if (!failure_ && s[0] * s[1] * s[2] > kMaxWorkgroupInvocations)
    failure_.set(*entry.at,
                 message::kLocalSizeTooLarge(std::to_string(s[0]), std::to_string(s[1]), std::to_string(s[2]),
                                             std::to_string(kMaxWorkgroupInvocations)));
  return LocalSize{static_cast<uint32_t>(s[0]), static_cast<uint32_t>(s[1]), static_cast<uint32_t>(s[2])};
}

base::Result<Program> Reader::run() {
  for (const Instruction* i : source_.declarations) {
    declare(*i);
    if (failure_) return failure_.take();
  }
  if (source_.entries.empty()) return Error(ErrorKind::bad_input, message::kNoEntryPoint());
  for (const EntryPoint& entry : source_.entries) {
    const std::optional<LocalSize> size = failure_ ? std::nullopt : local_size(entry);
    if (failure_) return failure_.take();
    Translated* body = function(entry.function, *entry.at);
    if (failure_ || body == nullptr) return failure_.take();
    program_.entries.push_back(make_kernel(*this, entry, *body, size));
    if (failure_) return failure_.take();
  }
  for (const ir::File& f : source_.file_list) program_.module.files.push_back(f);
  const std::string defect = ir::verify(program_.module);
  if (!defect.empty()) return Error(ErrorKind::bad_input, message::kInconsistent(defect));
  const std::string refused = pass::prepare(program_.module);
  if (!refused.empty()) return Error(ErrorKind::unsupported, refused);
  return std::move(program_);
}

}  // namespace quern::spirv
