// The parameters of a kernel, and the hidden ones after them (target/target.hpp, as for OpenCL C).
#include <algorithm>

#include "target/messages.hpp"
#include "target/spirv/kernel_emitter.hpp"

namespace quern::target::spirv {

using driver::Feature;
using ir::Space;

namespace {}  // namespace

Id KernelEmitter::parameter(Parameters& all, Id type, std::string_view name) {
  all.types.push_back(type);
  all.ids.push_back(b_.fresh());
  b_.name(all.ids.back(), name);
  return all.ids.back();
}

// Structs are passed as pointers to private copies.
void KernelEmitter::by_value(Parameters& all, const ir::Param* p) {
  const auto unit = static_cast<uint32_t>(std::min<uint64_t>(p->type->align, 8));
  const Id count = b_.u32(static_cast<uint32_t>(p->type->size / unit));
  const Id type = b_.struct_type({b_.array_type(b_.int_type(unit * 8), count)});
  const Id id = parameter(all, b_.pointer_type(StorageClass::kFunction, type), p->name);
  b_.decorate(id, Decoration::kFuncParamAttr, {to_word(FunctionParameterAttribute::kByVal)});
  b_.decorate(id, Decoration::kAlignment, {static_cast<uint32_t>(p->type->align)});
  Place place;
  place.kind = Place::Kind::kPointer;
  place.space = Space::kLocal;
  place.at = bytes_of(id, Space::kLocal);
  const std::vector<Leaf>& leaves = unit_.leaves.of(p->type);
  if (leaves.empty()) unit_.refuse(p->pos, message::kParameterTooLarge());
  for (const Leaf& leaf : leaves) {
    const Access how{static_cast<uint32_t>(leaf.type->align), false};
    values_[p].push_back(load_leaf(place, leaf.offset, leaf.type, how));
  }
}

void KernelEmitter::user_parameters(Parameters& all, size_t count) {
  for (size_t k = 0; k < count; ++k) {
    const ir::Param* p = function_.params[k];
    if (p->type->is_aggregate()) {
      by_value(all, p);
      continue;
    }
    if (p->type->is_ptr()) {
      const Id id = parameter(all, kernel_pointer_type(unit_, Space::kGlobal), p->name);
      if (p->is_restrict)
        b_.decorate(id, Decoration::kFuncParamAttr, {to_word(FunctionParameterAttribute::kNoAlias)});
      values_[p] = {id};
      continue;
    }
    const Id type = memory_type(p->type);
    Id id = parameter(all, type, p->name);
    if (p->type->size < 4) id = op(Opcode::kUConvert, u32(), {id});
    values_[p] = {type == held(p->type) ? id : from_bits(p->type, id)};
  }
}

void KernelEmitter::offsets(Parameters& all, size_t count) {
  for (size_t k = 0; k < count; ++k) {
    const ir::Param* p = function_.params[k];
    if (!p->type->is_ptr()) continue;
    const Id by = parameter(all, u64(), p->name + "_offset");
    if (!unit_.has(Feature::addresses)) values_[p] = {moved_by(values_[p][0], Space::kGlobal, by)};
  }
}

void KernelEmitter::variables(Parameters& all) {
  for (const ir::Global* g : unit_.module.globals) {
    if (!is_hidden_parameter(g)) continue;
    values_[g] = {parameter(all, kernel_pointer_type(unit_, g->space), g->name)};
  }
}

// The type of the parameter determines the alignment of the memory.
void KernelEmitter::dynamic_shared(Parameters& all) {
  const Id type = b_.pointer_type(StorageClass::kWorkgroup, b_.vector_type(u32(), 4));
  const Id pointer = bytes_of(parameter(all, type, "dynamic_shared"), Space::kShared);
  dynamic_bytes_ = parameter(all, u32(), "dynamic_shared_bytes");
  for (const ir::Global* g : unit_.module.globals) {
    if (is_dynamic(g)) values_[g] = {pointer};
  }
}

void KernelEmitter::report(Parameters& all, size_t users) {
  const Id pointer = parameter(all, b_.pointer_type(StorageClass::kCrossWorkgroup, u32()), "report");
  if (function_.params.size() > users)
    values_[function_.params[users]] = {number_of(pointer, Space::kGlobal)};
}

Id KernelEmitter::kernel(driver::KernelInfo& info, size_t) {
  current_start_ = b_.fresh();
  label(current_start_);
  entry_ = info.entry;
  const size_t users = info.params.size();
  Parameters all;
  user_parameters(all, users);
  if (!unit_.has(Feature::addresses)) offsets(all, users);
  variables(all);
  if (info.needs.has(Feature::dynamic_shared)) dynamic_shared(all);
  if (info.needs.has(Feature::print) || info.needs.has(Feature::assert)) report(all, users);
  body();
  return finish(all.types, all.ids, info.entry);
}

}  // namespace quern::target::spirv
