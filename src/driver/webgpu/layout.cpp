#include "driver/webgpu/layout.hpp"

#include "driver/webgpu/structs.hpp"

namespace quern::webgpu {

namespace {

// Each structure as the current header declares it; only the offsets of members are taken from these.

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
    .limits = {sizeof(standard::Limits), offsetof(standard::Limits, storage_buffers),
               offsetof(standard::Limits, uniform_size), offsetof(standard::Limits, storage_size),
               offsetof(standard::Limits, buffer_size), offsetof(standard::Limits, workgroup_bytes),
               offsetof(standard::Limits, workgroup_threads), offsetof(standard::Limits, workgroup_size),
               offsetof(standard::Limits, workgroups), offsetof(standard::Limits, immediates)},
    .layout_entry = {sizeof(standard::LayoutEntry), offsetof(standard::LayoutEntry, binding),
                     offsetof(standard::LayoutEntry, visibility),
                     offsetof(standard::LayoutEntry, buffer.type),
                     offsetof(standard::LayoutEntry, buffer.is_dynamic)},
    .timestamps = {sizeof(standard::Timestamps), offsetof(standard::Timestamps, set),
                   offsetof(standard::Timestamps, begin), offsetof(standard::Timestamps, end)},
    .binding_type = {2, 3, 4},
    .feature = {0x9, 0xB, 0x12},
};

// Offsets on machines with 64-bit pointers.
constexpr Layout kEarlyLayout = {
    .name = "webgpu.h of 2025-01",
    .callback_suffix = "2",
    .work_done_has_message = false,
    .instance = {32, kAbsent, kAbsent, kAbsent, 16, 24},
    .adapter_options = {40, 16, 20, 28, 24, 32},
    .subgroup_tail = kAbsent,
    .limits = {168, 52, 64, 72, 96, 128, 132, 136, 148, kAbsent},
    .layout_entry = {112, 8, 16, 32, 36},
    .timestamps = {16, 0, 8, 12},
    .binding_type = {1, 2, 3},
    .feature = {0x3, 0x8, 0xD},
};

}  // namespace quern::webgpu
