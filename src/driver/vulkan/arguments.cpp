// The arguments of a launch: a block in C layout with an address for each pointer, pushed or in memory; where
// there are no addresses, and for the user's own code, descriptors.
#include "driver/interface/arguments.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.hpp"
#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;

Result<> Device::add_launch(Slot& slot, Kernel& kernel, const driver::Launch& launch) {
  QUERN_TRY_ASSIGN(const Pipeline pipeline, this->pipeline(kernel, launch.block, launch.shared_bytes));
  std::array<std::byte, kMostRawPushed> pushed{};
  Piece block;
  if (kernel.info.block_by_address) {
    QUERN_TRY_ASSIGN(block, stage(slot, kernel.info.block_bytes));
    pack(kernel, launch, {block.host(), kernel.info.block_bytes});
    const uint64_t address = block.address();
    std::memcpy(pushed.data(), &address, sizeof address);
  } else if (kernel.push_bytes != 0) {
    pack(kernel, launch, pushed);
  }
  if (!kernel.bound.empty()) QUERN_TRY(bind_buffers(slot, kernel, launch, block));
  if (kernel.push_bytes != 0)
    api_.vkCmdPushConstants(slot.commands, kernel.layout.get(), kStageCompute, 0,
                            (kernel.push_bytes + 3) / 4 * 4, pushed.data());
  api_.vkCmdBindPipeline(slot.commands, kBindCompute, pipeline);
  api_.vkCmdDispatch(slot.commands, launch.grid.x, launch.grid.y, launch.grid.z);
  return {};
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

Result<std::shared_ptr<Sets>> Device::take_sets(Kernel& kernel) {
  const std::lock_guard lock(kernel.mutex);
  if (!kernel.sets.empty() && kernel.sets.front().use_count() == 1) {
    kernel.sets.push_back(std::move(kernel.sets.front()));
    kernel.sets.pop_front();
    return kernel.sets.back();
  }
  const auto count = static_cast<uint32_t>(kernel.bound.size());
  const DescriptorPoolSize sizes[] = {{kDescriptorStorage, count}, {kDescriptorUniform, count}};
  auto made = std::make_shared<Sets>();
  made->handles.resize(kernel.set_layouts.size());
  DescriptorPoolCreateInfo pool;
  pool.sets = static_cast<uint32_t>(made->handles.size());
  pool.size_count = 2;
  pool.sizes = sizes;
  QUERN_TRY_ASSIGN(made->pool, QUERN_VK_MAKE(DescriptorPool, pool));
  DescriptorSetAllocateInfo allocate;
  allocate.pool = made->pool.get();
  allocate.count = pool.sets;
  allocate.layouts = kernel.set_layouts.data();
  QUERN_VK(api_, vkAllocateDescriptorSets(device_, &allocate, made->handles.data()));
  kernel.sets.push_back(made);
  return made;
}

Result<> Device::bind_buffers(Slot& slot, Kernel& kernel, const driver::Launch& launch, const Piece& block) {
  QUERN_TRY_ASSIGN(const std::shared_ptr<Sets> sets, take_sets(kernel));
  slot.held.push_back(sets);
  const size_t count = kernel.bound.size();
  std::vector<DescriptorBufferInfo> buffers(count);
  std::vector<WriteDescriptorSet> writes(count);
  for (size_t i = 0; i < count; ++i) {
    const Kernel::Bound& b = kernel.bound[i];
    if (b.param < 0 && b.own == nullptr) {
      buffers[i] = {handle_of(block), block.offset, block.bytes};
    } else {
      QUERN_TRY_ASSIGN(buffers[i], descriptor(kernel, b, launch));
    }
    writes[i].set = sets->handles[b.set];
    writes[i].binding = b.binding;
    writes[i].element = b.element;
    writes[i].descriptor = b.descriptor;
    writes[i].buffers = &buffers[i];
  }
  api_.vkUpdateDescriptorSets(device_, static_cast<uint32_t>(count), writes.data(), 0, nullptr);
  api_.vkCmdBindDescriptorSets(slot.commands, kBindCompute, kernel.layout.get(), 0,
                               static_cast<uint32_t>(sets->handles.size()), sets->handles.data(), 0, nullptr);
  return {};
}

// The user's own code sees a buffer from the argument's place on; emitted code gets the offset beside it.
Result<DescriptorBufferInfo> Device::descriptor(const Kernel& kernel, const Kernel::Bound& bound,
                                                const driver::Launch& launch) {
  driver::Place place{bound.own, 0};
  if (bound.param >= 0) place = launch.arguments[static_cast<size_t>(bound.param)].place;
  if (place.buffer == nullptr) place = {nothing_.get(), 0};
  if (kernel.raw == nullptr) place.offset = 0;
  const PhysicalDeviceLimits& limits = has_.properties.limits;
  const bool is_uniform = bound.descriptor == kDescriptorUniform;
  const uint64_t alignment = is_uniform ? limits.uniform_alignment : limits.storage_alignment;
  const uint64_t most = is_uniform ? limits.uniform_range : limits.storage_range;
  const Piece& piece = piece_of(place);
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

}  // namespace quern::vulkan
