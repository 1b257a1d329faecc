#include "target/describe.hpp"

#include <algorithm>
#include <unordered_map>

#include "lang/ir/tensor_map.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/texture_references.hpp"

namespace quern::target {

namespace {

using driver::Feature;
using driver::FeatureSet;

FeatureSet features_of(const pass::Needs& n) {
  FeatureSet out;
  const auto add = [&out](bool needed, Feature f) {
    if (needed) out.add(f);
  };
  add(n.fp16, Feature::fp16);
  add(n.bf16, Feature::bf16);
  add(n.fp64, Feature::fp64);
  add(n.int8, Feature::int8);
  add(n.int16, Feature::int16);
  add(n.int64, Feature::int64);
  add(n.atomics_int16, Feature::atomics16);
  add(n.atomics_int64, Feature::atomics64);
  add(n.atomics_float16, Feature::atomics_f16);
  add(n.atomics_float32, Feature::atomics_f32);
  add(n.atomics_float64, Feature::atomics_f64);
  add(n.system_scope, Feature::system_scope);
  add(n.warp_ops, Feature::warps);
  add(n.divergent_barrier, Feature::divergent_barriers);
  add(n.grid_barrier, Feature::grid_barrier);
  add(n.clusters, Feature::clusters);
  add(n.pointer_in_memory || n.pointer_as_integer || n.pointer_in_params, Feature::addresses);
  add(n.generic_pointers, Feature::generic_pointers);
  add(n.dynamic_shared, Feature::dynamic_shared);
  add(n.print, Feature::print);
  add(n.assertion, Feature::assert);
  add(n.clock, Feature::clock);
  return out;
}

driver::ParamInfo describe(const ir::Param& p) {
  driver::ParamInfo out;
  out.name = p.name;
  out.spelling = p.spelling.empty() ? ir::to_string(p.type) : p.spelling;
  out.type = p.type->kind;
  out.is_pointer = p.type->is_ptr();
  out.bytes = static_cast<uint32_t>(p.type->size);
  out.align = static_cast<uint32_t>(p.type->align);
  if (p.type->is_struct() && p.type->name == "__quern_texture") {
    out.object = driver::ParamObject::kTexture;
    out.spelling = "cudaTextureObject_t";
  }
  if (p.type->is_struct() && p.type->name == "__quern_surface") {
    out.object = driver::ParamObject::kSurface;
    out.spelling = "cudaSurfaceObject_t";
  }
  if (ir::is_tensor_map(p.type)) out.object = driver::ParamObject::kTensorMap;
  if (pass::is_texture_reference(p.type)) {
    out.role = driver::ParamRole::kTexture;
    out.object = driver::ParamObject::kTexture;
  }
  if (out.is_pointer) {
    out.is_written = !p.is_const_elem;
    out.element_bytes = p.elem != nullptr ? static_cast<uint32_t>(p.elem->size) : 0;
    out.element = p.elem != nullptr ? p.elem->kind : ir::TypeKind::kVoid;
  }
  return out;
}

bool is_variable(const ir::Global& g) {
  return g.space != ir::Space::kShared && !g.is_literal && !pass::is_texture_reference(g.object);
}

}  // namespace

driver::KernelInfo describe(const ir::Module& module, const ir::Function& kernel, bool splits_params) {
  driver::KernelInfo out;
  out.name = kernel.name;
  for (const ir::Param* p : kernel.params) out.params.push_back(describe(*p));
  pass::Needs needs = pass::needs(module, kernel);
  if (splits_params) needs.pointer_in_params = false;
  out.shared_bytes = needs.shared_bytes;
  out.max_threads = kernel.max_threads;
  out.needs_cooperative = needs.grid_barrier;
  if (const auto& c = kernel.cluster; c[0] != 0) out.cluster = driver::Dim3{c[0], c[1], c[2]};
  out.needs = features_of(needs);
  return out;
}

uint64_t alignment_of_dynamic_shared(const ir::Module& module) {
  uint64_t align = 16;
  for (const ir::Global* g : module.globals) {
    if (g->space == ir::Space::kShared && g->object->is_array() && g->object->count == 0)
      align = std::max(align, g->align);
  }
  return align;
}

bool is_relocatable(const ir::Global& variable) {
  std::vector<const ir::Global*> reached{&variable};
  for (size_t i = 0; i < reached.size(); ++i) {
    if (!is_variable(*reached[i])) return false;
    for (const ir::Relocation& r : reached[i]->pointers) {
      if (std::find(reached.begin(), reached.end(), r.target) == reached.end()) reached.push_back(r.target);
    }
  }
  return true;
}

std::vector<driver::VariableInfo> describe_variables(const ir::Module& module) {
  std::unordered_map<const ir::Global*, uint32_t> numbers;
  for (const ir::Global* g : module.globals) {
    if (is_variable(*g)) numbers.emplace(g, static_cast<uint32_t>(numbers.size()));
  }
  std::vector<driver::VariableInfo> out;
  for (const ir::Global* g : module.globals) {
    if (!is_variable(*g)) continue;
    driver::VariableInfo v;
    v.name = g->name;
    v.bytes = g->object->size;
    v.align = std::max(g->align, g->object->align);
    v.is_constant = g->space == ir::Space::kConstant;
    v.initial = g->init;
    for (const ir::Relocation& r : g->pointers) {
      if (const auto target = numbers.find(r.target); target != numbers.end())
        v.pointers.push_back({r.at, target->second, r.distance});
    }
    out.push_back(std::move(v));
  }
  return out;
}

std::vector<uint32_t> used_variables(const ir::Module& module,
                                     const std::vector<driver::VariableInfo>& variables) {
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < variables.size(); ++i) {
    if (module.find_global(variables[i].name) != nullptr) out.push_back(i);
  }
  return out;
}

}  // namespace quern::target
