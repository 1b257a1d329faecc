// Struct and array values: lists of scalars. Those of unions are their bytes, in units of the alignment.
#include <algorithm>

#include "lang/pass/walk.hpp"
#include "target/spirv/emitter.hpp"

namespace quern::target::spirv {

using ir::Inst;
using ir::Type;

void Emitter::aggregate(const Inst* i) {
  const Type* t = i->type;
  if (!t->is_struct() || !pass::has_overlap(t)) {
    Ids out;
    for (const ir::Value* v : i->operands) {
      const Ids part = value(v);
      out.insert(out.end(), part.begin(), part.end());
    }
    define(i, out);
    return;
  }
  Ids units = zero(t);
  const auto unit = static_cast<uint32_t>(std::min<uint64_t>(t->align, 8));
  for (uint32_t k = 0; k < i->operands.size(); ++k) {
    const Ids part = value(i->operand(k));
    const std::vector<Leaf>& leaves = unit_.leaves.of(i->operand(k)->type);
    for (size_t n = 0; n < leaves.size(); ++n)
      into_units(units, unit, t->fields[k].offset + leaves[n].offset, leaves[n].type, part[n]);
  }
  define(i, units);
}

Emitter::Ids Emitter::extract(const Inst* i) {
  const Type* whole = i->operand(0)->type;
  const uint32_t index = i->attr().index;
  const Ids all = value(i->operand(0));
  const std::vector<Leaf>& leaves = unit_.leaves.of(i->type);
  Ids out;
  if (whole->is_struct() && pass::has_overlap(whole)) {
    const auto unit = static_cast<uint32_t>(std::min<uint64_t>(whole->align, 8));
    for (const Leaf& leaf : leaves)
      out.push_back(from_units(all, unit, whole->fields[index].offset + leaf.offset, leaf.type));
    return out;
  }
  const size_t first = unit_.leaves.first(whole, index);
  out.assign(all.begin() + static_cast<std::ptrdiff_t>(first),
             all.begin() + static_cast<std::ptrdiff_t>(first + leaves.size()));
  return out;
}

Emitter::Ids Emitter::insert(const Inst* i) {
  const Type* whole = i->type;
  const uint32_t index = i->attr().index;
  Ids all = value(i->operand(0));
  const Ids part = value(i->operand(1));
  const std::vector<Leaf>& leaves = unit_.leaves.of(i->operand(1)->type);
  if (whole->is_struct() && pass::has_overlap(whole)) {
    const auto unit = static_cast<uint32_t>(std::min<uint64_t>(whole->align, 8));
    for (size_t n = 0; n < leaves.size(); ++n)
      into_units(all, unit, whole->fields[index].offset + leaves[n].offset, leaves[n].type, part[n]);
    return all;
  }
  std::copy(part.begin(), part.end(),
            all.begin() + static_cast<std::ptrdiff_t>(unit_.leaves.first(whole, index)));
  return all;
}

Id Emitter::from_units(const Ids& units, uint32_t unit, uint64_t offset, const Type* type) {
  const auto size = static_cast<uint32_t>(type->size);
  const Rep rep = size == 8 ? Rep::kU64 : Rep::kU32;
  const Id first = units[offset / unit];
  if (size <= unit) {
    const Id by = b_.u32(static_cast<uint32_t>(offset % unit * 8));
    Id bits = op(Opcode::kShiftRightLogical, unit == 8 ? u64() : u32(), {first, by});
    if (unit == 8 && size < 8) bits = low(bits);
    if (size < 4) bits = op(Opcode::kBitwiseAnd, u32(), {bits, b_.u32(size == 1 ? 0xff : 0xffff)});
    return from_bits(type, bits);
  }
  Id bits = word(rep, 0);
  for (uint32_t k = 0; k < size / unit; ++k) {
    Id part = units[offset / unit + k];
    if (size == 8) part = widen(part);
    part = op(Opcode::kShiftLeftLogical, rep_type(b_, rep), {part, b_.u32(k * unit * 8)});
    bits = op(Opcode::kBitwiseOr, rep_type(b_, rep), {bits, part});
  }
  return from_bits(type, bits);
}

void Emitter::into_units(Ids& units, uint32_t unit, uint64_t offset, const Type* type, Id id) {
  const auto size = static_cast<uint32_t>(type->size);
  Id bits = to_bits(type, id);
  if (size <= unit) {
    const Rep rep = unit == 8 ? Rep::kU64 : Rep::kU32;
    const auto by = static_cast<uint32_t>(offset % unit * 8);
    const uint64_t ones = size == 8 ? ~uint64_t{0} : (uint64_t{1} << (size * 8)) - 1;
    if (unit == 8 && size < 8) bits = widen(bits);
    bits = op(Opcode::kShiftLeftLogical, rep_type(b_, rep), {bits, b_.u32(by)});
    Id& to = units[offset / unit];
    const Id kept = op(Opcode::kBitwiseAnd, rep_type(b_, rep), {to, word(rep, ~(ones << by))});
    to = op(Opcode::kBitwiseOr, rep_type(b_, rep), {kept, bits});
    return;
  }
  for (uint32_t k = 0; k < size / unit; ++k) {
    Id part = op(Opcode::kShiftRightLogical, size == 8 ? u64() : u32(), {bits, b_.u32(k * unit * 8)});
    if (size == 8) part = low(part);
    if (unit < 4) part = op(Opcode::kBitwiseAnd, u32(), {part, b_.u32(unit == 1 ? 0xff : 0xffff)});
    units[offset / unit + k] = part;
  }
}

}  // namespace quern::target::spirv
