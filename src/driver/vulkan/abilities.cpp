#include "driver/vulkan/abilities.hpp"

#include <algorithm>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "driver/support/identity.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;
using driver::Feature;

namespace {

struct GroupRow {
  int32_t type;
  const char* extension;
  uint32_t since;   // the version of Vulkan that has it without the extension; 0: none
  uint32_t wanted;  // one bit per flag
};

constexpr uint32_t kAll = ~0u;
constexpr GroupRow kGroups[kFeatureGroups] = {
    {1000083000, "VK_KHR_16bit_storage", version(1, 1), 0b0111},  // not in the inputs of graphics
    {1000177000, "VK_KHR_8bit_storage", version(1, 2), kAll},
    {1000082000, "VK_KHR_shader_float16_int8", version(1, 2), kAll},
    {1000180000, "VK_KHR_shader_atomic_int64", version(1, 2), kAll},
    {1000257000, "VK_KHR_buffer_device_address", version(1, 2), 0b001},  // without capture and groups
    {1000207000, "VK_KHR_timeline_semaphore", version(1, 2), kAll},
    {1000211000, "VK_KHR_vulkan_memory_model", version(1, 2), kAll},
    {1000221000, "VK_EXT_scalar_block_layout", version(1, 2), kAll},
    {1000225002, "VK_EXT_subgroup_size_control", version(1, 3), kAll},
    {1000175000, "VK_KHR_shader_subgroup_extended_types", version(1, 2), kAll},
    {1000260000, "VK_EXT_shader_atomic_float", 0, 0xFF},  // without images
    {1000336000, "VK_KHR_workgroup_memory_explicit_layout", 0, kAll},
    {1000120000, "VK_KHR_variable_pointers", version(1, 1), kAll},
    {1000413000, "VK_KHR_maintenance4", version(1, 3), kAll},
    {1000181000, "VK_KHR_shader_clock", 0, kAll},
    {1000434000, "VK_KHR_shader_maximal_reconvergence", 0, kAll},
    {1000506000, "VK_KHR_cooperative_matrix", 0, 0b01},  // not with bounds of buffers
};

// Extensions that have no features: what modules may be made with.
constexpr std::pair<const char*, uint32_t> kExtensions[] = {
    {"VK_KHR_shader_float_controls", version(1, 2)},
    {"VK_KHR_spirv_1_4", version(1, 2)},
    {"VK_KHR_shader_non_semantic_info", version(1, 3)},
};

constexpr const char* kCalibration = "VK_EXT_calibrated_timestamps";

constexpr uint32_t kWantedCore[] = {33, 35, kFloat64, kInt64, kInt16};  // 33, 35: arrays of buffers

std::optional<ir::MatrixType> matrix_type(const CooperativeMatrixProperties& p, bool is_half_sum) {
  enum : int32_t { kHalf = 0, kFloat = 1, kDouble = 2, kI8 = 3, kI32 = 5, kU8 = 7 };
  const auto is = [&](int32_t a, int32_t sum) {
    return p.a_type == a && p.b_type == a && p.c_type == sum && p.result_type == sum;
  };
  if (is(kHalf, is_half_sum ? kHalf : kFloat)) return ir::MatrixType::kHalf;
  if (is(kI8, kI32)) return ir::MatrixType::kI8;
  if (is(kU8, kI32)) return ir::MatrixType::kU8;
  if (is(kDouble, kDouble)) return ir::MatrixType::kDouble;
  return {};
}

// What the device offers as the language has it.
std::optional<ir::Matrix> matrix_of(const CooperativeMatrixProperties& p) {
  constexpr int32_t kSubgroup = 3;
  using enum ir::MatrixShape;
  for (const ir::MatrixShape shape : {k16x16x16, k32x8x16, k8x32x16, k16x16x8, k8x8x4}) {
    const ir::MatrixSize size = ir::size_of(shape);
    if (p.scope != kSubgroup || p.m != size.m || p.n != size.n || p.k != size.k) continue;
    ir::Matrix out{.shape = shape, .is_half_sum = p.c_type == 0, .is_saturating = p.is_saturating != 0};
    const auto type = matrix_type(p, out.is_half_sum);
    if (!type) return {};
    out.type = *type;
    return ir::matrix_of(ir::pack(out));  // nothing where kernels have none of that type in that shape
  }
  return {};
}

class Query {
 public:
  Query(const InstanceApi& api, PhysicalDevice device, Abilities& to) : api_(api), device_(device), to_(to) {}

  Result<> run() {
    api_.vkGetPhysicalDeviceProperties2(device_, &to_.properties);
    if (to_.properties.api_version < version(1, 1)) return refuse("is Vulkan 1.0, and 1.1 is the least");
    QUERN_TRY(extensions());
    properties();
    QUERN_TRY(features());
    if (!to_.has(kTimeline, 0)) return refuse("has no timeline semaphores");
    api_.vkGetPhysicalDeviceMemoryProperties(device_, &to_.memory);
    return queues();
  }

 private:
  Error refuse(const std::string& why) const {
    return Error(ErrorKind::kUnsupported, std::string(to_.properties.name) + " " + why)
        .add_hint("update your GPU's Vulkan driver");
  }

  bool is_core(uint32_t since) const { return since != 0 && to_.properties.api_version >= since; }
  bool has(std::string_view extension) const {
    return std::any_of(offered_.begin(), offered_.end(),
                       [&](const ExtensionProperties& e) { return extension == e.name; });
  }

  Result<> extensions() {
    uint32_t count = 0;
    QUERN_VK(api_, vkEnumerateDeviceExtensionProperties(device_, nullptr, &count, nullptr));
    offered_.resize(count);
    QUERN_VK(api_, vkEnumerateDeviceExtensionProperties(device_, nullptr, &count, offered_.data()));
    for (const auto& [name, since] : kExtensions) {
      if (!is_core(since) && has(name)) to_.extensions.push_back(name);
    }
    if (has(kCalibration) && knows_host_clock()) {
      to_.extensions.push_back(kCalibration);
      to_.can_calibrate = true;
    }
    return {};
  }

  bool knows_host_clock() const {
    if (api_.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT == nullptr) return false;
    int32_t domains[16];
    uint32_t count = std::size(domains);
    if (api_.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(device_, &count, domains) < 0) return false;
    const auto has_domain = [&](int32_t d) {
      return std::find(domains, domains + count, d) != domains + count;
    };
    return has_domain(kDomainDevice) && has_domain(kDomainMonotonic);
  }

  void properties() {
    PhysicalDeviceProperties2 all;
    const auto ask = [&](auto& structure) {
      structure.next = all.next;
      all.next = &structure;
    };
    ask(to_.id);
    ask(to_.subgroup);
    ask(to_.maintenance);
    if (is_core(version(1, 3)) || has("VK_KHR_maintenance4")) ask(to_.maintenance4);
    if (is_core(version(1, 2)) || has("VK_KHR_driver_properties")) ask(to_.driver);
    if (is_core(version(1, 3)) || has("VK_EXT_subgroup_size_control")) ask(to_.subgroup_size);
    if (is_core(version(1, 2)) || has("VK_KHR_shader_float_controls")) ask(to_.floats);
    if (has("VK_EXT_pci_bus_info")) ask(to_.pci.emplace());
    api_.vkGetPhysicalDeviceProperties2(device_, &all);
  }

  Result<> features() {
    for (uint8_t i = 0; i < kFeatureGroups; ++i) {
      to_.groups[i].type = kGroups[i].type;
      to_.offered[i] = is_core(kGroups[i].since) || has(kGroups[i].extension);
      if (to_.offered[i] && !is_core(kGroups[i].since)) to_.extensions.push_back(kGroups[i].extension);
    }
    PhysicalDeviceFeatures2 all;
    all.next = to_.chain();
    api_.vkGetPhysicalDeviceFeatures2(device_, &all);
    for (const uint32_t flag : kWantedCore) to_.core.flags[flag] = all.flags[flag];
    for (uint8_t i = 0; i < kFeatureGroups; ++i) {
      for (uint32_t flag = 0; flag < std::size(to_.groups[i].flags); ++flag)
        to_.groups[i].flags[flag] &= kGroups[i].wanted >> flag & 1;
    }
    QUERN_TRY_ASSIGN(const bool binds, base::env_flag("QUERN_VULKAN_BINDINGS", false));
    if (binds) to_.groups[kAddress].flags[0] = 0;
    return matrices();
  }

  // Those that kernels may have; they take warps for subgroups, and Vulkan's memory model.
  Result<> matrices() {
    const bool has_model = to_.has(kMemoryModel, 0) && to_.has(kMemoryModel, 1);
    if (!to_.has(kMatrices, 0) || !has_model || !to_.has(kSmallTypes, 0) || !to_.fixes_warps() ||
        api_.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR == nullptr)
      return {};
    uint32_t count = 0;
    QUERN_VK(api_, vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(device_, &count, nullptr));
    std::vector<CooperativeMatrixProperties> all(count);
    QUERN_VK(api_, vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(device_, &count, all.data()));
    for (const CooperativeMatrixProperties& one : all) {
      if (const auto matrix = matrix_of(one)) to_.matrices.push_back(*matrix);
    }
    return {};
  }

  // One that computes and does not draw is free of what the desktop does.
  Result<> queues() {
    uint32_t count = 0;
    api_.vkGetPhysicalDeviceQueueFamilyProperties(device_, &count, nullptr);
    std::vector<QueueFamilyProperties> families(count);
    api_.vkGetPhysicalDeviceQueueFamilyProperties(device_, &count, families.data());
    for (const uint32_t unwanted : {uint32_t{kQueueGraphics}, uint32_t{0}}) {
      for (uint32_t i = 0; i < count; ++i) {
        if ((families[i].flags & kQueueCompute) == 0 || (families[i].flags & unwanted) != 0) continue;
        to_.family = i;
        to_.queues = families[i].count;
        to_.timestamp_bits = families[i].timestamp_bits;
        return copy_queue(families);
      }
    }
    return refuse("has no queue that computes");
  }

  // One that does nothing but copy runs beside those that compute; else one more of theirs.
  Result<> copy_queue(const std::vector<QueueFamilyProperties>& families) {
    QUERN_TRY_ASSIGN(const bool is_forced, base::env_flag("QUERN_VULKAN_COPIES", false));
    const auto only_copies = std::find_if(families.begin(), families.end(), [](const auto& f) {
      return (f.flags & (kQueueTransfer | kQueueCompute | kQueueGraphics)) == kQueueTransfer;
    });
    const bool has_own = only_copies != families.end();
    to_.copy_family = has_own ? static_cast<uint32_t>(only_copies - families.begin()) : to_.family;
    to_.copies_apart = has_own || to_.queues > 1 || is_forced;
    return {};
  }

  const InstanceApi& api_;
  PhysicalDevice device_;
  Abilities& to_;
  std::vector<ExtensionProperties> offered_;
};

driver::DeviceKind kind_of(int32_t type) {
  switch (type) {
    case kTypeIntegrated: return driver::DeviceKind::kIntegrated;
    case kTypeDiscrete: return driver::DeviceKind::kDiscrete;
    case kTypeVirtual: return driver::DeviceKind::kVirtual;
    case kTypeCpu: return driver::DeviceKind::kCpu;
    default: return driver::DeviceKind::kOther;
  }
}

// A feature of ours, and all the flags it takes.
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
  // What Vulkan has not is made by the emitter: half from floats, float atomics from compare-and-swap, warps
  // through shared memory where subgroups do not serve, printf and assert as reports.
  driver::FeatureSet f = {
      Feature::kDivergentBarriers, Feature::kWarps, Feature::kAtomicsFloat32, Feature::kDynamicShared,
      Feature::kVariables,         Feature::kPrint, Feature::kAssert,         Feature::kSharedMemory};
  const std::vector<Flag> shorts = {{kStorage16, 0}, {kCore, kInt16}};
  const FeatureRow rows[] = {
      {Feature::kFp64, {{kCore, kFloat64}}},
      {Feature::kInt64, {{kCore, kInt64}}},
      {Feature::kInt8, {{kStorage8, 0}, {kSmallTypes, 1}}},
      {Feature::kInt16, shorts},
      {Feature::kFp16, shorts},
      {Feature::kBf16, shorts},
      {Feature::kAtomics16, shorts},
      {Feature::kAtomicsFloat16, shorts},
      {Feature::kAtomics64, {{kAtomics64, 0}, {kAtomics64, 1}}},
      {Feature::kAtomicsFloat64, {{kAtomics64, 0}, {kAtomics64, 1}, {kCore, kFloat64}}},
      {Feature::kGenericPointers, {{kCore, kInt64}}},
      {Feature::kAddresses, {{kAddress, 0}, {kCore, kInt64}}},
      {Feature::kClock, {{kClock, 0}, {kCore, kInt64}}},
  };
  add_features(f, has, rows);
  if (has.timestamp_bits != 0) f.add(Feature::kTimestamps);
  return f;
}

// What needs no help of the emitter.
driver::FeatureSet native_of(const Abilities& has, driver::FeatureSet features) {
  driver::FeatureSet f;
  for (const Feature plain : {Feature::kFp64, Feature::kInt8, Feature::kInt16, Feature::kInt64,
                              Feature::kAtomics64, Feature::kAddresses, Feature::kDynamicShared}) {
    if (features.has(plain)) f.add(plain);
  }
  const FeatureRow rows[] = {
      {Feature::kFp16, {{kSmallTypes, 0}, {kStorage16, 0}}},
      {Feature::kAtomicsFloat32, {{kAtomicFloats, 1}, {kAtomicFloats, 5}}},  // to buffers, to shared memory
      {Feature::kAtomicsFloat64, {{kAtomicFloats, 3}, {kAtomicFloats, 7}}},
  };
  add_features(f, has, rows);
  // Mesa compares 64-bit numbers that were 32-bit ones wrongly (target/spirv/emit_convert.cpp).
  if (std::string_view(has.driver.info).starts_with("Mesa")) f.remove(Feature::kInt64);
  // Mesa's llvmpipe loses additions of floats while the machine is busy (22.3: atomics.cu, add_float).
  if (std::string_view(has.driver.name) == "llvmpipe") {
    f.remove(Feature::kAtomicsFloat32);
    f.remove(Feature::kAtomicsFloat64);
  }
  // A subgroup operation reaches the threads that arrive together, and without maximal reconvergence nothing
  // promises that those that part in a loop do so behind it.
  if (has.warps_meet()) f.add(Feature::kWarps);
  return f;
}

// Widths that may be asked for whatever is asked of the others.
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

driver::FloatModes floats_of(const FloatControlsProperties& has, std::string_view driver) {
  constexpr int32_t kEach = 1;
  // llvmpipe says that it keeps NaN, and makes x * 0 a 0 for all that (Mesa 22.3).
  const uint8_t specials = driver == "llvmpipe" ? uint8_t{0} : widths_of(has.preserves_nan, kEach);
  return {widths_of(has.preserves_denormals, has.denormal_independence), specials,
          widths_of(has.rounds_to_nearest, has.rounding_independence)};
}

driver::Limits limits_of(const Abilities& has, driver::FeatureSet features) {
  constexpr uint32_t kMostThreads = 1024, kMostDeep = 64, kMostGrid = 65535;  // of the language
  const PhysicalDeviceLimits& from = has.properties.limits;
  driver::Limits l;
  l.block_threads = std::min(from.group_threads, kMostThreads);
  l.block = {std::min(from.group[0], kMostThreads), std::min(from.group[1], kMostThreads),
             std::min(from.group[2], kMostDeep)};
  l.grid = {std::min(from.groups[0], l.grid.x), std::min(from.groups[1], kMostGrid),
            std::min(from.groups[2], kMostGrid)};
  l.shared_bytes = from.shared_bytes;
  l.buffer_bytes = std::min(has.maintenance.allocation_bytes, has.maintenance4.buffer_bytes);
  if (!features.has(Feature::kAddresses)) {
    l.buffer_bytes = std::min<uint64_t>(l.buffer_bytes, from.storage_range);
    l.buffers = std::min(from.stage_storage_buffers, has.maintenance.set_descriptors);
  }
  l.warp = has.fixes_warps() ? kWarp : has.subgroup.size;
  if (has.fixes_warps() && has.sets_subgroups())
    l.block_threads = std::min(l.block_threads, has.subgroup_size.group_subgroups * kWarp);
  return l;
}

}  // namespace

bool Abilities::sets_subgroups() const {
  return has(kSubgroupSize, 0) && (subgroup_size.stages & kStageCompute) != 0;
}

bool Abilities::fixes_warps() const {
  constexpr uint32_t kNeeded = kSubgroupBasic | kSubgroupBallot | kSubgroupShuffle;
  if ((subgroup.stages & kStageCompute) == 0 || (subgroup.operations & kNeeded) != kNeeded) return false;
  if (sets_subgroups()) return subgroup_size.smallest <= kWarp && subgroup_size.largest >= kWarp;
  return subgroup.size == kWarp &&
         (!offered[kSubgroupSize] || subgroup_size.smallest == subgroup_size.largest);
}

void* Abilities::chain() {
  void* first = nullptr;
  for (uint8_t i = 0; i < kFeatureGroups; ++i) {
    if (!offered[i]) continue;
    groups[i].next = first;
    first = &groups[i];
  }
  return first;
}

Result<Abilities> Abilities::of(const InstanceApi& api, PhysicalDevice device) {
  Abilities out;
  QUERN_TRY(Query(api, device, out).run());
  return out;
}

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
  info.native = native_of(has, info.features);
  info.floats = floats_of(has.floats, has.driver.name);
  info.matrices = has.matrices;
  info.limits = limits_of(has, info.features);
  info.limits.buffer_bytes = std::min(info.limits.buffer_bytes, info.memory_bytes);
  info.code = {driver::CodeKind::kSpirv};
  info.details = {
      {"driver", has.driver.name},
      {"subgroups", has.warps_meet()    ? "warps of 32"
                    : has.fixes_warps() ? "fixed to 32"
                                        : "of " + std::to_string(has.subgroup.size)},
      {"float atomics", info.native.has(Feature::kAtomicsFloat32) ? "add of float" : "compare-and-swap"},
      {"floats", std::string((info.floats.subnormals & 32) != 0 ? "subnormal numbers kept"
                                                                : "subnormal numbers may become 0") +
                     ((info.floats.specials & 32) != 0 ? ", NaN and signed zeros kept" : "")},
      {"memory", info.features.has(Feature::kAddresses)
                     ? "by addresses"
                     : "buffers of up to " + base::format_bytes(p.limits.storage_range) + ", bound"},
      {"matrices", has.matrices.empty() ? "as plain code"
                                        : std::to_string(has.matrices.size()) + " kinds by units of its own"},
      {"copies", has.copies_apart ? "a queue of their own" : "on the queues that compute"}};
  if (std::string_view(has.driver.name) == "llvmpipe")
    info.details.emplace_back("loops", "left after 65,535 rounds, without a word");
  return info;
}

}  // namespace quern::vulkan
