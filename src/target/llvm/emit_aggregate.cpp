// Structs and arrays as values: lists of their leaves.
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

using ir::Inst;

Val Emitter::whole(const ir::Type* type, std::vector<Val> parts) const {
  if (type->is_scalar()) return parts.at(0);
  return {Rep::kParts, type, {}, 0, std::move(parts)};
}

namespace {

// Members of a union overlap: it goes through stack memory.
bool is_union_member(const ir::Type* type, uint32_t index, size_t& first, size_t& count) {
  return !leaf_range(type, index, first, count);
}

}  // namespace

Emitter::Text Emitter::temporary(const ir::Type* type) {
  return stack_cell("[" + std::to_string(lane_bytes(type) * width_) + " x i8]", 64);
}

Val Emitter::extract(const Inst* i) {
  const Val v = value(i->operand(0));
  const ir::Type* type = i->operand(0)->type;
  size_t first = 0, count = 0;
  if (is_union_member(type, i->attr().index, first, count)) {
    const Mask mask = mask_;
    mask_ = {};
    const Val place{width_ > 1 ? Rep::kAffine : Rep::kScalar,
                    scalar(ir::TypeKind::kU64),
                    temporary(type),
                    width_ > 1 ? static_cast<int64_t>(lane_bytes(type)) : 0,
                    {}};
    Val pointer = place;
    pointer.type = i->operand(0)->type;
    store_to(nullptr, pointer, type, v, 0, false);
    Val member =
        load_from(nullptr, offset_by(pointer, type->fields[i->attr().index].offset), i->type, 0, false);
    mask_ = mask;
    return member;
  }
  return whole(i->type, {v.parts.begin() + static_cast<ptrdiff_t>(first),
                         v.parts.begin() + static_cast<ptrdiff_t>(first + count)});
}

Val Emitter::insert(const Inst* i) {
  Val v = value(i->operand(0));
  const Val member = value(i->operand(1));
  const ir::Type* type = i->operand(0)->type;
  size_t first = 0, count = 0;
  if (is_union_member(type, i->attr().index, first, count)) {
    const Mask mask = mask_;
    mask_ = {};
    const Val pointer{width_ > 1 ? Rep::kAffine : Rep::kScalar,
                      type,
                      temporary(type),
                      width_ > 1 ? static_cast<int64_t>(lane_bytes(type)) : 0,
                      {}};
    store_to(nullptr, pointer, type, v, 0, false);
    store_to(nullptr, offset_by(pointer, type->fields[i->attr().index].offset), member.type, member, 0,
             false);
    v = load_from(nullptr, pointer, type, 0, false);
    mask_ = mask;
    return v;
  }
  for (size_t k = 0; k < count; ++k)
    v.parts[first + k] = member.rep == Rep::kParts ? member.parts[k] : member;
  return v;
}

Val Emitter::construct(const Inst* i) {
  std::vector<Val> parts;
  for (const ir::Value* v : i->operands) {
    const Val member = value(v);
    if (member.rep == Rep::kParts) {
      parts.insert(parts.end(), member.parts.begin(), member.parts.end());
    } else {
      parts.push_back(member);
    }
  }
  return {Rep::kParts, i->type, {}, 0, std::move(parts)};
}

}  // namespace quern::llvm
