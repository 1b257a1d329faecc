#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.hpp"
#include "driver/interface/arguments.hpp"
#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;
using driver::Feature;

namespace {

// Ids of specialisation constants in emitted modules.
enum : uint32_t { kBlockX, kBlockY, kBlockZ, kDynamicShared };

}  // namespace

Result<Pipeline> Device::pipeline(Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes) {
  const std::lock_guard lock(kernel.mutex);
  const bool is_dynamic = kernel.info.needs.has(Feature::kDynamicShared);
  const uint64_t shared = is_dynamic ? shared_bytes : 0;
  for (const Kernel::Variant& v : kernel.variants) {
    if (v.block == block && v.shared_bytes == shared) return v.pipeline;
  }
  std::vector<SpecializationEntry> entries;
  std::vector<uint64_t> data;
  const auto set = [&](uint32_t id, uint64_t value, size_t bytes) {
    entries.push_back({id, static_cast<uint32_t>(data.size() * 8), bytes});
    data.push_back(value);  // little-endian: the low bytes
  };
  if (kernel.raw == nullptr) {
    set(kBlockX, block.x, 4);
    set(kBlockY, block.y, 4);
    set(kBlockZ, block.z, 4);
    if (is_dynamic) set(kDynamicShared, shared, 4);
  } else {
    for (const target::spirv::RawConstant& c : kernel.program->raw.constants) set(c.id, c.bits, c.bytes);
  }
  SpecializationInfo constants;
  constants.count = static_cast<uint32_t>(entries.size());
  constants.entries = entries.data();
  constants.bytes = data.size() * 8;
  constants.data = data.data();
  RequiredSubgroupSize warps;
  warps.size = kWarp;
  ComputePipelineCreateInfo info;
  info.stage.module = kernel.program->module;
  info.stage.entry = kernel.info.entry.c_str();
  info.stage.constants = &constants;
  info.layout = kernel.layout;
  if (kernel.raw == nullptr && kernel.info.needs.has(Feature::kWarps) && has_.fixes_warps()) {
    if (has_.sets_subgroups()) info.stage.next = &warps;
    if (has_.full_subgroups() && block.x % warps.size == 0) info.stage.flags = kFullSubgroups;
  }
  Kernel::Variant made{block, shared, {}};
  const int32_t code = api_.vkCreateComputePipelines(device_, cache_, 1, &info, nullptr, &made.pipeline);
  if (code < 0 || made.pipeline == Pipeline{}) {
    return refused("kernel '" + kernel.info.name + "'", code);
  }
  kernel.variants.push_back(made);
  return made.pipeline;
}

Result<bool> Device::prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes) {
  QUERN_TRY(alive());
  auto& k = static_cast<Kernel&>(kernel);
  const size_t before = k.variants.size();
  QUERN_TRY(pipeline(k, block, shared_bytes));
  return k.variants.size() != before;
}

// An address; where buffers are bound, the number of one and the place in it. One buffer has one number, so
// that pointers into it can be compared.
uint64_t Device::pointer(const Kernel& kernel, const driver::Launch& launch, driver::Place place) const {
  if (place.buffer == nullptr) return 0;
  if (has_addresses()) return place.buffer->address + place.offset;
  uint64_t number = 0;
  for (const Kernel::Bound& b : kernel.bound) {
    const bool is_own = b.param < 0;
    const driver::Buffer* bound =
        is_own ? b.own : launch.arguments[static_cast<size_t>(b.param)].place.buffer;
    if (b.set == 0 && bound == place.buffer && (number == 0 || is_own)) number = b.binding + 1;
  }
  return number << driver::kBufferShift | place.offset;
}

void Device::pack(Kernel& kernel, const driver::Launch& launch, std::span<std::byte> block) {
  if (kernel.raw != nullptr) {
    std::memcpy(block.data(), launch.arguments.back().value, kernel.raw->push_bytes);
    return;
  }
  driver::pack_addresses(
      kernel.info, launch.arguments, [&](driver::Place place) { return pointer(kernel, launch, place); },
      kernel.hidden, block);
}

Result<> Device::bind_arguments(Slot& slot, Kernel& kernel, const driver::Launch& launch) {
  std::array<std::byte, kMostRawPushed> pushed{};
  if (kernel.info.block_by_address) {
    const uint32_t bytes = kernel.info.block_bytes;
    if (slot.arguments.bytes < bytes) {
      host_pool_->give(std::exchange(slot.arguments, {}));
      QUERN_TRY_ASSIGN(slot.arguments, host_pool_->take(std::max(bytes, 4096u)));
    }
    pack(kernel, launch, {slot.arguments.host(), bytes});
    const uint64_t address = slot.arguments.address();
    std::memcpy(pushed.data(), &address, sizeof address);
  } else if (kernel.push_bytes != 0) {
    pack(kernel, launch, pushed);
  }
  if (!kernel.bound.empty()) QUERN_TRY(bind_buffers(slot, kernel, launch));
  if (kernel.push_bytes == 0) return {};
  const uint32_t bytes = (kernel.push_bytes + 3) / 4 * 4;
  api_.vkCmdPushConstants(slot.commands, kernel.layout, kStageCompute, 0, bytes, pushed.data());
  return {};
}

Result<> Device::bind_buffers(Slot& slot, Kernel& kernel, const driver::Launch& launch) {
  const auto set_count = static_cast<uint32_t>(kernel.sets.size());
  const auto count = static_cast<uint32_t>(kernel.bound.size());
  if (slot.pool_sets < set_count || slot.pool_descriptors < count) {
    if (slot.pool != DescriptorPool{}) api_.vkDestroyDescriptorPool(device_, slot.pool, nullptr);
    slot.pool = {};
    slot.pool_sets = std::max(set_count, 4u);
    slot.pool_descriptors = std::max(count, 16u);
    const DescriptorPoolSize sizes[] = {{kDescriptorStorage, slot.pool_descriptors},
                                        {kDescriptorUniform, slot.pool_descriptors}};
    DescriptorPoolCreateInfo info;
    info.sets = slot.pool_sets;
    info.size_count = 2;
    info.sizes = sizes;
    if (const int32_t code = api_.vkCreateDescriptorPool(device_, &info, nullptr, &slot.pool); code < 0) {
      slot.pool_sets = 0;
      return failed(api_, "vkCreateDescriptorPool", code);
    }
  } else {
    QUERN_VK(api_, vkResetDescriptorPool(device_, slot.pool, 0));
  }
  std::vector<DescriptorSet> sets(set_count);
  DescriptorSetAllocateInfo allocate;
  allocate.pool = slot.pool;
  allocate.count = set_count;
  allocate.layouts = kernel.sets.data();
  QUERN_VK(api_, vkAllocateDescriptorSets(device_, &allocate, sets.data()));
  std::vector<DescriptorBufferInfo> buffers(count);
  std::vector<WriteDescriptorSet> writes(count);
  for (uint32_t i = 0; i < count; ++i) {
    const Kernel::Bound& b = kernel.bound[i];
    QUERN_TRY_ASSIGN(buffers[i], descriptor(slot, kernel, b, launch));
    writes[i].set = sets[b.set];
    writes[i].binding = b.binding;
    writes[i].element = b.element;
    writes[i].descriptor = b.descriptor;
    writes[i].buffers = &buffers[i];
  }
  api_.vkUpdateDescriptorSets(device_, count, writes.data(), 0, nullptr);
  api_.vkCmdBindDescriptorSets(slot.commands, kBindCompute, kernel.layout, 0, set_count, sets.data(), 0,
                               nullptr);
  return {};
}

// The user's own code sees a buffer from the argument's place on; emitted code gets the offset beside it.
Result<DescriptorBufferInfo> Device::descriptor(const Slot& slot, const Kernel& kernel,
                                                const Kernel::Bound& bound, const driver::Launch& launch) {
  if (bound.param < 0 && bound.own == nullptr)
    return DescriptorBufferInfo{handle_of(slot.arguments), slot.arguments.offset, slot.arguments.bytes};
  driver::Place place{bound.own, 0};
  if (bound.param >= 0) place = launch.arguments[static_cast<size_t>(bound.param)].place;
  if (place.buffer == nullptr) place = {nothing_.get(), 0};
  if (kernel.raw == nullptr) place.offset = 0;
  const PhysicalDeviceLimits& limits = has_.properties.limits;
  const bool is_uniform = bound.descriptor == kDescriptorUniform;
  const uint64_t alignment = is_uniform ? limits.uniform_alignment : limits.storage_alignment;
  const uint64_t most = is_uniform ? limits.uniform_range : limits.storage_range;
  const Piece& piece = static_cast<Buffer&>(*place.buffer).piece;
  const uint64_t bytes =
      std::max<uint64_t>(place.buffer->bytes, 4) - std::min(place.offset, place.buffer->bytes);
  const auto wrong = [&](const std::string& what) {
    return Error(ErrorKind::kUnsupported, "argument " + std::to_string(bound.param + 1) + " of kernel '" +
                                              kernel.info.name + "' " + what);
  };
  if (place.offset % alignment != 0)
    return wrong(base::format("begins at byte %llu of its buffer, and %s binds multiples of %llu",
                              static_cast<unsigned long long>(place.offset), info_.name.c_str(),
                              static_cast<unsigned long long>(alignment)));
  if (bytes > most)
    return wrong("has " + base::format_bytes(bytes) + ", and " + info_.name + " binds up to " +
                 base::format_bytes(most));
  return DescriptorBufferInfo{handle_of(piece), piece.offset + place.offset, std::max<uint64_t>(bytes, 4)};
}

Result<> Device::add_launch(Slot& slot, Kernel& kernel, const driver::Launch& launch) {
  QUERN_TRY_ASSIGN(const Pipeline pipeline, this->pipeline(kernel, launch.block, launch.shared_bytes));
  QUERN_TRY(bind_arguments(slot, kernel, launch));
  api_.vkCmdBindPipeline(slot.commands, kBindCompute, pipeline);
  api_.vkCmdDispatch(slot.commands, launch.grid.x, launch.grid.y, launch.grid.z);
  return {};
}

Result<> Device::launch(driver::Queue& queue, driver::Kernel& kernel, const driver::Launch& launch) {
  QUERN_TRY(alive());
  auto& k = static_cast<Kernel&>(kernel);
  auto& q = static_cast<Queue&>(queue);
  QUERN_TRY_ASSIGN(Slot* const slot, begin(q));
  QUERN_TRY(add_launch(*slot, k, launch));
  if (k.has_report) q.heard->expect(k.program->report);
  return submit(q, *slot);
}

}  // namespace quern::vulkan
