#include "target/spirv/objects.hpp"

#include <algorithm>

#include "lang/ir/matrix.hpp"
#include "lang/pass/walk.hpp"

namespace quern::target::spirv {

using ir::Inst;
using ir::Op;
using ir::Space;
using ir::Type;
using ir::Value;
using ir::ValueKind;

namespace {

bool is_root(const Value* v) {
  if (const Inst* i = ir::as_inst(v)) return i->is(Op::kVar);
  return Objects::is_shared(v) || Objects::is_literal(v);
}

const Type* object_type(const Value* root) {
  if (const Inst* i = ir::as_inst(root)) return i->attr().type;
  return static_cast<const ir::Global*>(root)->object;
}

}  // namespace

bool Objects::is_literal(const Value* v) {
  return v->kind == ValueKind::kGlobal && static_cast<const ir::Global*>(v)->is_literal;
}

bool Objects::is_shared(const Value* v) {
  return v->kind == ValueKind::kGlobal && static_cast<const ir::Global*>(v)->space == Space::kShared;
}

const Value* Objects::root_of(const Value* pointer) {
  while (!is_root(pointer)) {
    const Inst* i = ir::as_inst(pointer);
    if (i == nullptr || !(i->is(Op::kOffset) || i->is(Op::kFieldPtr))) return nullptr;
    pointer = i->operand(0);
  }
  return pointer;
}

const Value* Objects::key(const Value* root) const {
  const bool is_dynamic = is_shared(root) && object_type(root)->is_array() && object_type(root)->count == 0;
  return is_dynamic ? dynamic_ : root;
}

Objects::Objects(ir::Module& module, Leaves& leaves, bool narrow_shared, bool keeps_pointers)
    : leaves_(leaves), narrow_shared_(narrow_shared), keeps_pointers_(keeps_pointers) {
  for (const ir::Global* g : module.globals) {
    if (is_shared(g) && g->object->is_array() && g->object->count == 0 && dynamic_ == nullptr) dynamic_ = g;
  }
  for (const ir::Global* g : module.globals) {
    if (is_root(g)) facts_[key(g)];
  }
  for (ir::Function* f : module.functions) collect(*f);
  for (const auto& [root, facts] : facts_) decide(root, facts);
  for (const ir::Global* g : module.globals) {
    if (is_root(g) && key(g) == dynamic_) {
      Object& o = objects_.at(dynamic_);
      o.align = std::max({o.align, g->align, g->object->align});
    }
  }
}

void Objects::collect(ir::Function& function) {
  pass::traverse(function.body, [&](const Inst* i) {
    if (i->is(Op::kVar)) facts_[i];
    for (const Value* v : i->operands) {
      if (v->type != nullptr && v->type->is_ptr()) use(i, v);
    }
  });
}

void Objects::access(Facts& facts, const Type* type) {
  const std::vector<Leaf>& leaves = leaves_.of(type);
  if (leaves.empty()) facts.escapes = true;
  for (const Leaf& leaf : leaves) {
    facts.sizes.insert(leaf.type->size);
    facts.types.insert(leaf.type);
    facts.steps.insert(leaf.offset);
  }
}

void Objects::use(const Inst* user, const Value* pointer) {
  const Value* root = root_of(pointer);
  if (root == nullptr) return;
  Facts& facts = facts_[key(root)];
  switch (user->op) {
    case Op::kLoad: access(facts, user->type); return;
    case Op::kStore:
      if (user->operand(1) == pointer) facts.escapes = true;
      access(facts, user->operand(1)->type);
      return;
    case Op::kAtomicRmw:
    case Op::kAtomicCas:
    case Op::kAtomicStore:
    case Op::kAtomicLoad:
      for (size_t k = 1; k < user->operands.size(); ++k)
        facts.escapes = facts.escapes || user->operand(k) == pointer;
      facts.has_atomics = true;
      access(facts, user->is(Op::kAtomicLoad) ? user->type : user->operand(1)->type);
      return;
    case Op::kOffset: {
      const ir::Const* c = ir::as_const(user->operand(1));
      const uint64_t scale = user->attr().scale;
      facts.steps.insert(c != nullptr ? static_cast<uint64_t>(std::abs(ir::int_value(c))) * scale : scale);
      return;
    }
    case Op::kFieldPtr: facts.steps.insert(user->attr().type->fields[user->attr().index].offset); return;
    case Op::kMatrixLoad:
    case Op::kMatrixStore: {
      const bool is_memory = user->operand(user->is(Op::kMatrixLoad) ? 1 : 0) == pointer;
      if (!is_memory) break;  // a fragment is not stored here
      const ir::Matrix m = *ir::matrix_of(user->attr().index);
      access(facts, leaves_.type_of(ir::element_of(m, m.use)));
      return;
    }
    case Op::kPrintf: return;  // the text of a literal stays on the host
    default: break;
  }
  facts.escapes = true;
}

void Objects::decide(const Value* root, const Facts& facts) {
  const Type* type = object_type(root);
  Object o;
  o.bytes = type->size;
  o.has_atomics = facts.has_atomics;
  const Inst* var = ir::as_inst(root);
  const uint64_t wanted = var != nullptr ? var->attr().align : static_cast<const ir::Global*>(root)->align;
  o.align = std::max({uint64_t{4}, type->align, wanted});
  const bool one_size = facts.sizes.size() == 1;
  const uint64_t unit = one_size ? *facts.sizes.begin() : 4;
  const bool fits =
      std::all_of(facts.steps.begin(), facts.steps.end(), [&](uint64_t s) { return s % unit == 0; }) &&
      type->size % unit == 0;
  const bool narrow_ok = unit >= 4 || !is_shared(root) || narrow_shared_;
  o.is_plain = !facts.escapes && (facts.sizes.empty() || (one_size && fits && narrow_ok));
  if (o.is_plain) {
    o.unit = static_cast<uint32_t>(unit);
    o.count = type->size / unit;
    const bool one_type = facts.types.size() == 1 && !facts.has_atomics;
    const bool has_type = one_type && (keeps_pointers_ || !is_narrow_pointer(*facts.types.begin()));
    o.type = has_type ? *facts.types.begin() : nullptr;
    if (unit < 4 && is_shared(root)) o.type = nullptr;
    if (is_literal(root) && o.type != nullptr && (o.type->is_ptr() || o.type->is_bool())) o.type = nullptr;
  }
  objects_[root] = o;
}

}  // namespace quern::target::spirv
