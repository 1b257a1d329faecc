// Struct and array values: lists of scalars. Those of unions go through local memory, because their members
// share bytes.
#include "lang/pass/walk.hpp"
#include "target/ptx/writer.hpp"

namespace quern::target::ptx {

using ir::Inst;
using ir::Type;

namespace {

bool is_union(const Type* t) { return t->is_struct() && pass::has_overlap(t); }

Access aligned_as(const Type* t, uint64_t offset = 0) {
  const auto align = static_cast<uint32_t>(t->align);
  return {offset == 0 ? align : static_cast<uint32_t>(std::min<uint64_t>(align, offset & (~offset + 1))),
          false, false};
}

}  // namespace

Address Writer::scratch(const Type* type) {
  const uint64_t at = reserve_local(type->size, type->align);
  return {"local", static_cast<int64_t>(at), Form::kLocal, true};
}

Regs Writer::construct(const Inst* i) {
  const Type* t = i->type;
  Regs out;
  if (!is_union(t)) {
    for (const ir::Value* v : i->operands) {
      const Regs part = value(v);
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }
  const Address memory = scratch(t);
  store_all(memory, t, zero(t), aligned_as(t));
  for (uint32_t k = 0; k < i->operands.size(); ++k) {
    Address member = memory;
    member.offset += static_cast<int64_t>(t->fields[k].offset);
    store_all(member, i->operand(k)->type, value(i->operand(k)), aligned_as(t, t->fields[k].offset));
  }
  return load_all(memory, t, aligned_as(t));
}

Regs Writer::extract(const Inst* i) {
  const Type* whole = i->operand(0)->type;
  const uint32_t index = i->attr().index;
  const Regs all = value(i->operand(0));
  if (is_union(whole)) {
    Address memory = scratch(whole);
    store_all(memory, whole, all, aligned_as(whole));
    memory.offset += static_cast<int64_t>(whole->fields[index].offset);
    return load_all(memory, i->type, aligned_as(whole, whole->fields[index].offset));
  }
  const auto first = static_cast<std::ptrdiff_t>(unit_.leaves.first(whole, index));
  const auto count = static_cast<std::ptrdiff_t>(unit_.leaves.of(i->type).size());
  if (static_cast<std::ptrdiff_t>(all.size()) < first + count) return zero(i->type);  // already refused
  return {all.begin() + first, all.begin() + first + count};
}

Regs Writer::insert(const Inst* i) {
  const Type* whole = i->type;
  const uint32_t index = i->attr().index;
  Regs all = value(i->operand(0));
  const Regs part = value(i->operand(1));
  if (is_union(whole)) {
    const Address memory = scratch(whole);
    store_all(memory, whole, all, aligned_as(whole));
    Address member = memory;
    member.offset += static_cast<int64_t>(whole->fields[index].offset);
    store_all(member, i->operand(1)->type, part, aligned_as(whole, whole->fields[index].offset));
    return load_all(memory, whole, aligned_as(whole));
  }
  const size_t first = unit_.leaves.first(whole, index);
  if (all.size() < first + part.size()) return all;  // already refused
  std::copy(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(first));
  return all;
}

}  // namespace quern::target::ptx
