// The memory of variables: arrays of their elements.
#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "lang/pass/walk.hpp"
#include "target/spirv/kernel_emitter.hpp"

namespace quern::target::spirv {

using ir::Inst;
using ir::Op;
using ir::Space;
using ir::Type;

namespace {

// The single number type that an object consists of, otherwise unsigned integers that cover it.
const Type* unit_of(const Type* type, const Leaves& leaves) {
  const Type* inner = type;
  while (inner->is_array()) inner = inner->elem;
  const bool is_number = !inner->is_aggregate() && !inner->is_ptr() && !inner->is_bool();
  return is_number ? inner : leaves.unsigned_of(std::min<uint64_t>(type->align, 8));
}

}  // namespace

bool is_dynamic(const ir::Global* g) {
  return g->space == Space::kShared && g->object->is_array() && g->object->count == 0;
}

bool is_hidden_parameter(const ir::Global* g) { return g->space != Space::kShared && !g->is_literal; }

Id KernelEmitter::object_type(const Type* type) {
  const Type* unit = unit_of(type, unit_.leaves);
  const uint64_t count = std::max<uint64_t>(1, type->size / unit->size);
  return b_.array_type(memory_type(unit), b_.u32(static_cast<uint32_t>(count)));
}

Id KernelEmitter::initial(const Type* type, const std::vector<uint8_t>& bytes) {
  if (bytes.empty()) return b_.null(object_type(type));
  const Type* unit = unit_of(type, unit_.leaves);
  Ids elements;
  for (uint64_t at = 0; at < type->size; at += unit->size) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, unit->size);
    elements.push_back(b_.number(memory_type(unit), unit->size == 8 ? 64 : 32, bits));
  }
  return b_.composite(object_type(type), elements);
}

void KernelEmitter::place_objects() {
  std::unordered_set<const ir::Value*> used;
  pass::traverse(function_.body, [&](const Inst* i) {
    if (i->is(Op::kVar)) local_object(i);
    used.insert(i->operands.begin(), i->operands.end());
  });
  for (const ir::Global* g : unit_.module.globals) {
    if (used.count(g) == 0 || is_hidden_parameter(g) || is_dynamic(g)) continue;
    if (g->is_literal) {
      literal_object(g);
    } else {
      shared_object(g);
    }
  }
}

void KernelEmitter::local_object(const Inst* var) {
  Object& o = unit_.objects.of(var);
  if (o.is_plain) {
    const Id element = unit_.element_type(o, false);
    const auto count = std::max(1U, static_cast<uint32_t>(o.count));
    o.variable = local_variable(count == 1 ? element : b_.array_type(element, b_.u32(count)), var->name);
    return;
  }
  const Type* type = var->attr().type;
  const Id id = local_variable(object_type(type), var->name);
  b_.decorate(id, Decoration::kAlignment, {static_cast<uint32_t>(std::max(type->align, o.align))});
  values_[var] = {bytes_of(id, Space::kLocal)};
}

// The names follow clang: implementations recognize the variables of a kernel by them.
void KernelEmitter::shared_object(const ir::Global* g) {
  const Id id = b_.global_variable(StorageClass::kWorkgroup, object_type(g->object), entry_ + "." + g->name);
  const uint64_t align = std::max({uint64_t{4}, g->align, g->object->align});
  b_.decorate(id, Decoration::kAlignment, {static_cast<uint32_t>(align)});
  values_[g] = {bytes_of(id, Space::kShared)};
}

void KernelEmitter::literal_object(const ir::Global* g) {
  const Id type = object_type(g->object);
  const Id id =
      b_.global_variable(StorageClass::kUniformConstant, type, g->name, initial(g->object, g->init));
  b_.decorate(id, Decoration::kAlignment, {static_cast<uint32_t>(std::max(g->align, g->object->align))});
  values_[g] = {bytes_of(id, Space::kConstant)};
}

}  // namespace quern::target::spirv
