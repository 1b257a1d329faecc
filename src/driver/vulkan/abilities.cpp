#include "driver/vulkan/abilities.hpp"

#include <algorithm>

#include "base/environment.hpp"
#include "base/text.hpp"

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
struct ExtensionRow {
  const char* name;
  uint32_t since;
};
constexpr ExtensionRow kExtensions[] = {
    {"VK_KHR_shader_float_controls", version(1, 2)},
    {"VK_KHR_spirv_1_4", version(1, 2)},
    {"VK_KHR_shader_non_semantic_info", version(1, 3)},
};

constexpr const char* kCalibration = "VK_EXT_calibrated_timestamps";

// Of the features of Vulkan 1.0, by their place in VkPhysicalDeviceFeatures.
constexpr uint32_t kFloat64 = 39, kInt64 = 40, kInt16 = 41;
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
    for (const ExtensionRow& e : kExtensions) {
      if (!is_core(e.since) && has(e.name)) to_.extensions.push_back(e.name);
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

std::string vendor(uint32_t id) {
  constexpr std::pair<uint32_t, std::string_view> kVendors[] = {
      {0x10DE, "NVIDIA"},   {0x1002, "AMD"},       {0x8086, "Intel"},       {0x13B5, "Arm"},
      {0x5143, "Qualcomm"}, {0x106B, "Apple"},     {0x10005, "Mesa"},       {0x14E4, "Broadcom"},
      {0x1AE0, "Google"},   {0x1414, "Microsoft"}, {0x1010, "Imagination"},
  };
  for (const auto& [known, name] : kVendors) {
    if (known == id) return std::string(name);
  }
  return base::format("0x%x", id);
}

driver::DeviceKind kind_of(int32_t type) {
  switch (type) {
    case kTypeIntegrated: return driver::DeviceKind::kIntegrated;
    case kTypeDiscrete: return driver::DeviceKind::kDiscrete;
    case kTypeVirtual: return driver::DeviceKind::kVirtual;
    case kTypeCpu: return driver::DeviceKind::kCpu;
    default: return driver::DeviceKind::kOther;
  }
}

driver::FeatureSet features_of(const Abilities& has) {
  // What Vulkan has not is made by the emitter: half from floats, float atomics from compare-and-swap, warps
  // through shared memory where subgroups do not serve, printf and assert as reports.
  driver::FeatureSet f = {
      Feature::kDivergentBarriers, Feature::kWarps, Feature::kAtomicsFloat32, Feature::kDynamicShared,
      Feature::kVariables,         Feature::kPrint, Feature::kAssert,         Feature::kSharedMemory};
  if (has.core.flags[kFloat64] != 0) f.add(Feature::kFp64);
  if (has.core.flags[kInt64] != 0) f.add(Feature::kInt64);
  if (has.has(kStorage8, 0) && has.has(kSmallTypes, 1)) f.add(Feature::kInt8);
  if (has.has(kStorage16, 0) && has.core.flags[kInt16] != 0) {
    for (const Feature small :
         {Feature::kInt16, Feature::kFp16, Feature::kBf16, Feature::kAtomics16, Feature::kAtomicsFloat16})
      f.add(small);
  }
  if (has.has(kAtomics64, 0) && has.has(kAtomics64, 1)) {
    f.add(Feature::kAtomics64);
    if (f.has(Feature::kFp64)) f.add(Feature::kAtomicsFloat64);
  }
  if (f.has(Feature::kInt64)) f.add(Feature::kGenericPointers);
  if (has.has(kAddress, 0) && f.has(Feature::kInt64)) f.add(Feature::kAddresses);
  if (has.has(kClock, 0) && f.has(Feature::kInt64)) f.add(Feature::kClock);
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
  // Mesa compares 64-bit numbers that were 32-bit ones wrongly (target/spirv/emit_convert.cpp).
  if (std::string_view(has.driver.info).starts_with("Mesa")) f.remove(Feature::kInt64);
  constexpr uint32_t kBufferAdd = 1, kSharedAdd = 5, kBufferAdd64 = 3, kSharedAdd64 = 7;
  if (has.has(kSmallTypes, 0) && has.has(kStorage16, 0)) f.add(Feature::kFp16);
  // Mesa's llvmpipe loses additions of floats while the machine is busy (22.3: atomics.cu, add_float).
  const bool adds_floats = std::string_view(has.driver.name) != "llvmpipe";
  if (adds_floats && has.has(kAtomicFloats, kBufferAdd) && has.has(kAtomicFloats, kSharedAdd))
    f.add(Feature::kAtomicsFloat32);
  if (adds_floats && has.has(kAtomicFloats, kBufferAdd64) && has.has(kAtomicFloats, kSharedAdd64))
    f.add(Feature::kAtomicsFloat64);
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

std::string text_of(const uint8_t (&uuid)[16]) {
  std::string out;
  for (const uint8_t byte : uuid) out += base::format("%02x", byte);
  return out;
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
  info.vendor = vendor(p.vendor);
  info.driver_version = has.driver.info[0] != 0 ? has.driver.info : std::to_string(p.driver_version);
  info.api_version = base::format("Vulkan %u.%u.%u", p.api_version >> 22 & 0x7F, p.api_version >> 12 & 0x3FF,
                                  p.api_version & 0xFFF);
  info.uuid = text_of(has.id.device_uuid);
  if (has.pci)
    info.pci =
        base::format("%04x:%02x:%02x.%x", has.pci->domain, has.pci->bus, has.pci->device, has.pci->function);
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
