#include "driver/webgpu/layout.hpp"

#include "driver/webgpu/structs.hpp"

namespace quern::webgpu {

namespace {

// Each structure as its header declares it; only the places of members are taken from these.

namespace standard {
struct Instance {
  void* next;
  size_t feature_count;
  const uint32_t* features;
  const void* limits;
};
struct AdapterOptions {
  void* next;
  uint32_t level, power, fallback, backend;
  Handle surface;
};
struct Limits {
  void* next;
  uint32_t textures[4], bind_groups, bind_groups_and_vertices, bindings, dynamic_uniforms, dynamic_storages;
  uint32_t sampled_textures, samplers, storage_buffers, storage_textures, uniform_buffers;
  uint64_t uniform_size, storage_size;
  uint32_t uniform_align, storage_align, vertex_buffers;
  uint64_t buffer_size;
  uint32_t vertex_attributes, vertex_stride, between_stages, color_attachments, color_bytes;
  uint32_t workgroup_bytes, workgroup_threads, workgroup_size[3], workgroups, immediates;
};
struct LayoutEntry {
  void* next;
  uint32_t binding;
  uint64_t visibility;
  uint32_t array_size;
  struct {
    void* next;
    uint32_t type, is_dynamic;
    uint64_t min_size;
  } buffer;
  struct {
    void* next;
    uint32_t type;
  } sampler;
  struct {
    void* next;
    uint32_t values[3];
  } texture, storage_texture;
};
struct Timestamps {
  void* next;
  Handle set;
  uint32_t begin, end;
};
}  // namespace standard

namespace early {
struct Instance {
  void* next;
  void* features_next;
  uint32_t timed_wait_enable;
  size_t timed_wait_count;
};
struct AdapterOptions {
  void* next;
  Handle surface;
  uint32_t level, power, backend, fallback, compatibility;
};
struct Limits {
  void* next;
  uint32_t textures[4], bind_groups, bind_groups_and_vertices, bindings, dynamic_uniforms, dynamic_storages;
  uint32_t sampled_textures, samplers, storage_buffers, storage_textures, uniform_buffers;
  uint64_t uniform_size, storage_size;
  uint32_t uniform_align, storage_align, vertex_buffers;
  uint64_t buffer_size;
  uint32_t vertex_attributes, vertex_stride, components_between_stages, between_stages;
  uint32_t color_attachments, color_bytes;
  uint32_t workgroup_bytes, workgroup_threads, workgroup_size[3], workgroups, per_stage[4];
};
struct LayoutEntry {
  void* next;
  uint32_t binding;
  uint64_t visibility;
  struct {
    void* next;
    uint32_t type, is_dynamic;
    uint64_t min_size;
  } buffer;
  struct {
    void* next;
    uint32_t type;
  } sampler;
  struct {
    void* next;
    uint32_t values[3];
  } texture, storage_texture;
};
struct Timestamps {
  Handle set;
  uint32_t begin, end;
};
}  // namespace early

template <typename L>
constexpr LimitsLayout limits_of(size_t immediates) {
  return {sizeof(L),
          offsetof(L, bindings),
          offsetof(L, storage_buffers),
          offsetof(L, uniform_size),
          offsetof(L, storage_size),
          offsetof(L, uniform_align),
          offsetof(L, storage_align),
          offsetof(L, buffer_size),
          offsetof(L, workgroup_bytes),
          offsetof(L, workgroup_threads),
          offsetof(L, workgroup_size),
          offsetof(L, workgroups),
          immediates};
}

}  // namespace

constexpr Layout kStandardLayout = {
    .name = "webgpu.h",
    .callback_suffix = "",
    .work_done_has_message = true,
    .instance = {sizeof(standard::Instance), offsetof(standard::Instance, feature_count),
                 offsetof(standard::Instance, features), offsetof(standard::Instance, limits), kAbsent,
                 kAbsent},
    .adapter_options = {sizeof(standard::AdapterOptions), offsetof(standard::AdapterOptions, level),
                        offsetof(standard::AdapterOptions, power),
                        offsetof(standard::AdapterOptions, fallback),
                        offsetof(standard::AdapterOptions, backend), kAbsent},
    .subgroup_tail = 0,
    .limits = limits_of<standard::Limits>(offsetof(standard::Limits, immediates)),
    .layout_entry = {sizeof(standard::LayoutEntry), offsetof(standard::LayoutEntry, binding),
                     offsetof(standard::LayoutEntry, visibility),
                     offsetof(standard::LayoutEntry, buffer.type),
                     offsetof(standard::LayoutEntry, buffer.is_dynamic),
                     offsetof(standard::LayoutEntry, buffer.min_size)},
    .timestamps = {sizeof(standard::Timestamps), offsetof(standard::Timestamps, set),
                   offsetof(standard::Timestamps, begin), offsetof(standard::Timestamps, end)},
    .binding_type = {2, 3, 4},
    .feature = {0x9, 0xB, 0x12},
};

constexpr Layout kEarlyLayout = {
    .name = "webgpu.h of 2025-01",
    .callback_suffix = "2",
    .work_done_has_message = false,
    .instance = {sizeof(early::Instance), kAbsent, kAbsent, kAbsent,
                 offsetof(early::Instance, timed_wait_enable), offsetof(early::Instance, timed_wait_count)},
    .adapter_options = {sizeof(early::AdapterOptions), offsetof(early::AdapterOptions, level),
                        offsetof(early::AdapterOptions, power), offsetof(early::AdapterOptions, fallback),
                        offsetof(early::AdapterOptions, backend),
                        offsetof(early::AdapterOptions, compatibility)},
    .subgroup_tail = kAbsent,
    .limits = limits_of<early::Limits>(kAbsent),
    .layout_entry = {sizeof(early::LayoutEntry), offsetof(early::LayoutEntry, binding),
                     offsetof(early::LayoutEntry, visibility), offsetof(early::LayoutEntry, buffer.type),
                     offsetof(early::LayoutEntry, buffer.is_dynamic),
                     offsetof(early::LayoutEntry, buffer.min_size)},
    .timestamps = {sizeof(early::Timestamps), offsetof(early::Timestamps, set),
                   offsetof(early::Timestamps, begin), offsetof(early::Timestamps, end)},
    .binding_type = {1, 2, 3},
    .feature = {0x3, 0x8, 0xD},
};

}  // namespace quern::webgpu
