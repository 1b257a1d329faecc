#include "driver/vulkan/api/abilities.hpp"

#include <algorithm>

#include "base/environment.hpp"
#include "driver/vulkan/messages.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;

namespace {

constexpr const char* kCalibration = "VK_EXT_calibrated_timestamps";

std::optional<ir::MatrixType> matrix_type(const CooperativeMatrixProperties& p, bool is_half_sum) {
  enum : int32_t { kHalf = 0, kFloat = 1, kDouble = 2, kI8 = 3, kI32 = 5, kU8 = 7, kBfloat = 1000141000 };
  const auto is = [&](int32_t a, int32_t sum) {
    return p.a_type == a && p.b_type == a && p.c_type == sum && p.result_type == sum;
  };
  if (is(kHalf, is_half_sum ? kHalf : kFloat)) return ir::MatrixType::kHalf;
  if (is(kBfloat, kFloat)) return ir::MatrixType::kBfloat;
  if (is(kI8, kI32)) return ir::MatrixType::kI8;
  if (is(kU8, kI32)) return ir::MatrixType::kU8;
  if (is(kDouble, kDouble)) return ir::MatrixType::kDouble;
  return {};
}

// Converts a matrix shape of the device to the language's.
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
    return ir::matrix_of(ir::pack(out));  // nothing if the language lacks this type and shape
  }
  return {};
}

class Query {
 public:
  Query(const InstanceApi& api, PhysicalDevice device, Abilities& to) : api_(api), device_(device), to_(to) {}

  Result<> run() {
    api_.vkGetPhysicalDeviceProperties2(device_, &to_.properties);
    if (to_.properties.api_version < version(1, 1)) return refuse(message::kOldDevice);
    QUERN_TRY(extensions());
    properties();
    QUERN_TRY(features());
    if (!to_.has(kTimeline, 0)) return refuse(message::kNoTimeline);
    api_.vkGetPhysicalDeviceMemoryProperties(device_, &to_.memory);
    return queues();
  }

 private:
  Error refuse(const base::Message<1>& why) const {
    return Error(ErrorKind::unsupported, why(to_.properties.name));
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
    QUERN_TRY_ASSIGN(const bool has_words_only, base::env_flag("QUERN_VULKAN_WORDS", false));
    if (has_words_only) to_.groups[kStorage8].flags[0] = to_.groups[kStorage16].flags[0] = 0;
    return matrices();
  }

  // Matrix shapes that kernels may use; they require subgroups as warps, and Vulkan's memory model.
  Result<> matrices() {
    const bool has_model = to_.has(kMemoryModel, 0) && to_.has(kMemoryModel, 1);
    if (!to_.has(kMatrices, 0) || !has_model || !to_.has(kSmallTypes, 0) || !to_.fixes_warps() ||
        api_.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR == nullptr)
      return {};
    const bool has_bfloat = to_.has(kBfloat, 0) && to_.has(kBfloat, 2);
    uint32_t count = 0;
    QUERN_VK(api_, vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(device_, &count, nullptr));
    std::vector<CooperativeMatrixProperties> all(count);
    QUERN_VK(api_, vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(device_, &count, all.data()));
    for (const CooperativeMatrixProperties& one : all) {
      const auto matrix = matrix_of(one);
      if (matrix && (matrix->type != ir::MatrixType::kBfloat || has_bfloat)) to_.matrices.push_back(*matrix);
    }
    return {};
  }

  // A compute family without graphics is not affected by the desktop.
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
    return refuse(message::kNoComputeQueue);
  }

  // A transfer-only family runs concurrently with compute; else a second queue of the compute family.
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

}  // namespace quern::vulkan
