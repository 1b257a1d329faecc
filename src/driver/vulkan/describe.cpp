// Describes a physical device in terms of the driver interface.
#include <algorithm>

#include "base/text.hpp"
#include "driver/support/identity.hpp"
#include "driver/support/known_defects.hpp"
#include "driver/support/language_limits.hpp"
#include "driver/vulkan/api/abilities.hpp"

namespace quern::vulkan {

using driver::Feature;

namespace {

// In the order of VkPhysicalDeviceType.
driver::DeviceKind kind_of(int32_t type) {
  using enum driver::DeviceKind;
  constexpr driver::DeviceKind kKinds[] = {other, integrated, discrete, virtual_gpu, cpu};
  return type >= 0 && type < std::ssize(kKinds) ? kKinds[type] : other;
}

// A Feature, and the flags that it requires.
struct FeatureRow {
  Feature feature;
  std::vector<Flag> flags;
};

void add_features(driver::FeatureSet& to, const Abilities& has, std::span<const FeatureRow> rows) {
  for (const FeatureRow& row : rows) {
    if (std::all_of(row.flags.begin(), row.flags.end(), [&](Flag f) { return has.has(f.group, f.place); }))
      to.add(row.feature);
  }
}

driver::FeatureSet features_of(const Abilities& has) {
  // The emitter emulates missing features, except 64-bit integers, because addresses are 64-bit.
  driver::FeatureSet f = driver::kMadeByEmitters;
  f.remove(Feature::int64);
  f.add(Feature::shared_memory);
  const FeatureRow rows[] = {
      {Feature::fp64, {{kCore, kFloat64}}},
      {Feature::int64, {{kCore, kInt64}}},
      {Feature::atomics64, {{kAtomics64, 0}, {kAtomics64, 1}}},
      {Feature::atomics_f64, {{kAtomics64, 0}, {kAtomics64, 1}, {kCore, kFloat64}}},
      {Feature::generic_pointers, {{kCore, kInt64}}},
      {Feature::addresses, {{kAddress, 0}, {kCore, kInt64}}},
      {Feature::clock, {{kClock, 0}, {kCore, kInt64}}},
  };
  add_features(f, has, rows);
  if (has.timestamp_bits != 0) f.add(Feature::timestamps);
  return f;
}

// The features that need no emulation. `info` has its names, versions and features.
driver::FeatureSet native_of(const Abilities& has, const driver::DeviceInfo& info) {
  driver::FeatureSet f;
  for (const Feature plain :
       {Feature::fp64, Feature::int64, Feature::atomics64, Feature::addresses, Feature::dynamic_shared}) {
    if (info.features.has(plain)) f.add(plain);
  }
  const FeatureRow rows[] = {
      {Feature::int8, {{kStorage8, 0}, {kSmallTypes, 1}}},
      {Feature::int16, {{kStorage16, 0}, {kCore, kInt16}}},
      {Feature::fp16, {{kSmallTypes, 0}, {kStorage16, 0}}},
      {Feature::atomics_f32, {{kAtomicFloats, 1}, {kAtomicFloats, 5}}},  // in buffers, in shared memory
      {Feature::atomics_f64, {{kAtomicFloats, 3}, {kAtomicFloats, 7}}},
  };
  add_features(f, has, rows);
  if (driver::has_defect(info, driver::Defect::kWidenedComparison)) f.remove(Feature::int64);
  if (driver::has_defect(info, driver::Defect::kLostFloatAtomics)) {
    f.remove(Feature::atomics_f32);
    f.remove(Feature::atomics_f64);
  }
  // A subgroup operation includes the threads that arrive together. Without maximal reconvergence, threads
  // that diverge in a loop are not guaranteed to reconverge after it.
  if (has.warps_meet()) f.add(Feature::warps);
  return f;
}

// Widths that may be requested independently of the others.
uint8_t widths_of(const uint32_t (&offered)[3], int32_t independence) {
  constexpr int32_t kOnly32 = 0, kNone = 2;
  const bool all = offered[0] != 0 && offered[1] != 0 && offered[2] != 0;
  if (independence == kNone) return all ? 16 | 32 | 64 : 0;
  const bool others = independence != kOnly32 || (offered[0] != 0 && offered[2] != 0);
  uint8_t widths = 0;
  for (const size_t i : {size_t{0}, size_t{1}, size_t{2}}) {
    if (offered[i] != 0 && (others || i == 1)) widths |= static_cast<uint8_t>(16U << i);
  }
  return widths;
}

driver::FloatModes floats_of(const FloatControlsProperties& has, bool loses_nan, bool is_nvidia) {
  constexpr int32_t kEach = 1;
  const uint8_t specials = loses_nan ? uint8_t{0} : widths_of(has.preserves_nan, kEach);
  return {widths_of(has.preserves_denormals, has.denormal_independence), specials,
          widths_of(has.rounds_to_nearest, has.rounding_independence),
          // Vulkan allows two roundings. NVIDIA's compiler emits its fma instruction, which rounds once.
          is_nvidia ? uint8_t{32 | 64} : uint8_t{0}};
}

driver::Limits limits_of(const Abilities& has, driver::FeatureSet features) {
  const PhysicalDeviceLimits& from = has.properties.limits;
  driver::Limits l;
  l.block_threads = from.group_threads;
  l.block = {from.group[0], from.group[1], from.group[2]};
  l.grid = {from.groups[0], from.groups[1], from.groups[2]};
  l.shared_bytes = from.shared_bytes;
  l.buffer_bytes = std::min(has.maintenance.allocation_bytes, has.maintenance4.buffer_bytes);
  if (!features.has(Feature::addresses)) {
    l.buffer_bytes = std::min<uint64_t>(l.buffer_bytes, from.storage_range);
    l.buffers = std::min(from.stage_storage_buffers, has.maintenance.set_descriptors);
  }
  l.warp_size = has.fixes_warps() ? kWarp : has.subgroup.size;
  if (has.fixes_warps() && has.sets_subgroups())
    l.block_threads = std::min(l.block_threads, has.subgroup_size.group_subgroups * kWarp);
  return driver::within_language(l);
}

}  // namespace

driver::DeviceInfo describe(const Abilities& has) {
  const PhysicalDeviceProperties2& p = has.properties;
  driver::DeviceInfo info;
  info.name = p.name;
  info.driver = "vulkan";
  info.kind = kind_of(p.device_type);
  info.vendor = driver::vendor_of(p.vendor);
  info.driver_version = has.driver.info[0] != 0 ? has.driver.info : std::to_string(p.driver_version);
  info.api_version = base::format("Vulkan %u.%u.%u", p.api_version >> 22 & 0x7F, p.api_version >> 12 & 0x3FF,
                                  p.api_version & 0xFFF);
  info.uuid = driver::hex_of(has.id.device_uuid);
  if (has.pci) info.pci = driver::pci_of(has.pci->domain, has.pci->bus, has.pci->device, has.pci->function);
  for (uint32_t i = 0; i < has.memory.heap_count; ++i) {
    if ((has.memory.heaps[i].flags & kMemoryDeviceLocal) != 0)
      info.memory_bytes = std::max(info.memory_bytes, has.memory.heaps[i].bytes);
  }
  info.features = features_of(has);
  info.native = native_of(has, info);
  info.floats = floats_of(has.floats, driver::has_defect(info, driver::Defect::kZeroTimesNan),
                          std::string_view(has.driver.name) == "NVIDIA");
  info.matrices = has.matrices;
  info.limits = limits_of(has, info.features);
  if (driver::has_defect(info, driver::Defect::kLoopLimit)) info.limits.loop_rounds = driver::kMesaLoopRounds;
  info.limits.buffer_bytes = std::min(info.limits.buffer_bytes, info.memory_bytes);
  info.code = {driver::CodeKind::kSpirv};
  info.details = {
      {"driver", has.driver.name},
      {"subgroups", has.warps_meet()    ? "warps of 32"
                    : has.fixes_warps() ? "fixed to 32"
                                        : "of " + std::to_string(has.subgroup.size)},
      {"float atomics", info.native.has(Feature::atomics_f32) ? "add of float" : "compare-and-swap"},
      {"floats", std::string((info.floats.subnormals & 32) != 0 ? "subnormals preserved"
                                                                : "subnormals may be flushed to 0") +
                     ((info.floats.specials & 32) != 0 ? ", NaN and signed zeros preserved" : "")},
      {"memory", info.features.has(Feature::addresses)
                     ? "by addresses"
                     : "buffers of up to " + base::format_bytes(p.limits.storage_range) + ", bound"},
      {"matrices",
       has.matrices.empty() ? "emulated" : std::to_string(has.matrices.size()) + " shapes in hardware"},
      {"copies", has.copies_apart ? "on a transfer queue" : "on the compute queues"}};
  return info;
}

}  // namespace quern::vulkan
