#include "target/wgsl/objects.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "lang/pass/walk.hpp"

namespace quern::target::wgsl {

using ir::Inst;
using ir::Op;
using ir::Space;
using ir::TypeKind;
using ir::Value;

namespace {

bool is_atomic(Op op) {
  return op == Op::kAtomicRmw || op == Op::kAtomicCas || op == Op::kAtomicLoad || op == Op::kAtomicStore;
}

uint64_t words_of(uint64_t bytes) { return std::max<uint64_t>((bytes + 3) / 4, 1); }

// A table's words as constants.
std::string table(const ir::Global& g, const Object& object) {
  std::string text = "const " + object.name + " = array<u32, " + std::to_string(object.words) + ">(";
  for (uint64_t k = 0; k < object.words; ++k) {
    uint32_t word = 0;
    if (k * 4 < g.init.size())
      std::memcpy(&word, g.init.data() + k * 4, std::min<size_t>(4, g.init.size() - k * 4));
    text += (k == 0 ? "" : ", ") + std::to_string(word) + "u";
  }
  return text + ");\n";
}

}  // namespace

std::string_view word_name(TypeKind kind) {
  return kind == TypeKind::kF32 ? "f32" : kind == TypeKind::kI32 ? "i32" : "u32";
}

bool Objects::is_access(const Inst* i) { return i->is(Op::kLoad) || i->is(Op::kStore) || is_atomic(i->op); }

const Value* Objects::base_of(const Value* pointer) {
  const Inst* i = ir::as_inst(pointer);
  return i != nullptr && i->is(Op::kOffset) ? i->operand(0) : pointer;
}

void Objects::collect(const ir::Function& function) {
  pass::traverse(function.body, [&](const Inst* i) {
    if (!is_access(i)) return;
    Facts& facts = facts_[base_of(i->operand(0))];
    const bool reads = i->is(Op::kLoad) || i->is(Op::kAtomicLoad);
    const TypeKind kind = (reads ? i->type : i->operand(1)->type)->kind;
    facts.has_f32 |= kind == TypeKind::kF32;
    facts.has_i32 |= kind == TypeKind::kI32;
    facts.has_u32 |= kind != TypeKind::kF32 && kind != TypeKind::kI32;
    // Only atomics reread memory that other threads may change.
    facts.has_atomics |= is_atomic(i->op) || pass::is_volatile(i);
    if (!reads && facts.write == nullptr) facts.write = i;
  });
}

void Objects::decide_word(Object& object, const Facts& facts) const {
  object.is_atomic = facts.has_atomics && !object.is_read_only;
  if (facts.has_i32 && !facts.has_u32 && !facts.has_f32) object.word = TypeKind::kI32;
  if (facts.has_f32 && !facts.has_u32 && !facts.has_i32 && !object.is_atomic) object.word = TypeKind::kF32;
}

void Objects::declare(Object& object) {
  const std::string word(word_name(object.word));
  object.declaration = "@group(0) @binding(" + std::to_string(object.binding) + ") var<storage, " +
                       (object.is_read_only ? "read" : "read_write") + "> " + object.name + ": array<" +
                       (object.is_atomic ? "atomic<" + word + ">" : word) + ">;\n";
}

void Objects::add_param(const ir::Param* p, uint32_t binding, Names& names) {
  Object& o = objects_[p];
  const Facts& facts = facts_[p];
  o.name = make_name(names, p->name);
  o.is_read_only = p->is_const_elem;
  o.words = 0;
  if (o.is_read_only && facts.write != nullptr) wrong_write_ = facts.write;
  decide_word(o, facts);
  o.binding = binding;
}

void Objects::add_global(const ir::Global* g, const std::vector<driver::VariableInfo>& variables,
                         const std::vector<uint32_t>& bound, uint32_t first, Names& names) {
  Object& o = objects_[g];
  o.name = make_name(names, g->name.substr(g->name.rfind(':') + 1));
  const bool is_dynamic = g->object->is_array() && g->object->count == 0;
  o.words = is_dynamic ? 0 : words_of(g->object->size);
  if (g->is_literal) {
    o.kind = Object::Kind::kTable;
    o.declaration = table(*g, o);
    return;
  }
  o.is_read_only = g->space == Space::kConstant;
  decide_word(o, facts_[g]);
  const std::string word(word_name(o.word));
  if (g->space == Space::kShared) {
    o.kind = Object::Kind::kShared;
    const std::string count = is_dynamic ? "quern_shared_words" : std::to_string(o.words) + "u";
    o.declaration = "var<workgroup> " + o.name + ": array<" + (o.is_atomic ? "atomic<" + word + ">" : word) +
                    ", " + count + ">;\n";
    return;
  }
  if (o.is_read_only && facts_[g].write != nullptr) wrong_write_ = facts_[g].write;
  const auto at =
      std::find_if(bound.begin(), bound.end(), [&](uint32_t v) { return variables[v].name == g->name; });
  o.binding = first + static_cast<uint32_t>(at - bound.begin());
}

// Buffers with one binding are one array of words. If one of them needs atomics, all accesses are atomic.
void Objects::share_bindings() {
  std::map<uint32_t, std::vector<Object*>> by_binding;
  for (auto& [value, object] : objects_) {
    if (object.kind == Object::Kind::kBuffer) by_binding[object.binding].push_back(&object);
  }
  for (auto& [binding, sharing] : by_binding) {
    if (sharing.size() > 1) {
      const auto is_atomic = [](const Object* o) { return o->is_atomic; };
      const auto is_read_only = [](const Object* o) { return o->is_read_only; };
      const bool has_atomics = std::any_of(sharing.begin(), sharing.end(), is_atomic);
      const bool only_reads = std::all_of(sharing.begin(), sharing.end(), is_read_only);
      for (Object* o : sharing) {
        o->name = "quern_memory_" + std::to_string(binding);
        o->word = TypeKind::kU32;
        o->is_atomic = has_atomics;
        o->is_read_only = only_reads;
      }
    }
    for (Object* o : sharing) declare(*o);
  }
}

Objects::Objects(const ir::Module& module, const ir::Function& kernel,
                 const std::vector<driver::VariableInfo>& variables, const std::vector<uint32_t>& bound,
                 const std::vector<uint32_t>& bindings, Names& names) {
  for (const ir::Function* f : module.functions) collect(*f);
  uint32_t buffers = 0;
  for (const ir::Param* p : kernel.params) {
    if (p->type->is_ptr()) add_param(p, buffers++, names);
  }
  for (const ir::Global* g : module.globals) add_global(g, variables, bound, buffers, names);
  for (auto& [value, object] : objects_) object.binding = binding_of(bindings, object.binding);
  share_bindings();
  for (const ir::Function* f : module.functions) {
    pass::traverse(f->body, [&](const Inst* i) {
      if (!i->is(Op::kVar)) return;
      Object& o = objects_[i];
      o.kind = Object::Kind::kOwn;
      o.words = words_of(i->attr().type->size);
      Facts facts = facts_[i];
      facts.has_atomics = false;
      decide_word(o, facts);
    });
  }
}

}  // namespace quern::target::wgsl
