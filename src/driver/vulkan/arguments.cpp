// Passing arguments: a block in C layout with an address for each pointer, as push constants or in memory;
// descriptors if the device has no addresses, and for the user's own code.
#include "driver/interface/arguments.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.hpp"
#include "driver/vulkan/device.hpp"
#include "driver/vulkan/messages.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;

namespace {

template <typename Bytes>
Bytes whole_words(Bytes bytes) {
  return (bytes + 3) / 4 * 4;
}

uint32_t descriptor_of(const driver::Binding& b) {
  return b.is_uniform ? kDescriptorUniform : kDescriptorStorage;
}

// An entry point of the user's code as a kernel: buffers by set and binding, then the push constants as one
// struct.
driver::KernelInfo describe(const RawEntry& entry) {
  driver::KernelInfo info;
  info.name = info.entry = entry.name;
  info.block = driver::Dim3{entry.block.x, entry.block.y, entry.block.z};
  info.shared_bytes = entry.shared_bytes;
  for (const spirv::RawBuffer& b : entry.buffers) {
    for (uint32_t element = 0; element < b.count; ++element) {
      driver::ParamInfo& p = info.params.emplace_back();
      p.name = b.count == 1 ? b.name : b.name + "." + std::to_string(element);
      p.spelling = b.is_uniform ? "uniform buffer" : "buffer";
      p.type = ir::TypeKind::kPtr;
      p.is_pointer = true;
      p.is_written = b.is_written;
      p.bytes = p.align = 8;
    }
  }
  if (entry.push_bytes != 0) {
    driver::ParamInfo& p = info.params.emplace_back();
    p.name = entry.push_name;
    p.spelling = "struct of " + base::format_plural(entry.push_bytes, "byte");
    p.bytes = entry.push_bytes;
    p.align = 4;
  }
  return info;
}

}  // namespace

// The argument block ends with pointers to variables and the report. Without addresses all of these are
// bound, as described in target/target.hpp.
Result<> Device::lay_out(Kernel& kernel) {
  const driver::KernelInfo& info = kernel.info;
  const Module& program = *kernel.program;
  if (driver::reports(info) && program.report == nullptr)
    return Error(ErrorKind::internal, message::kNoReportSites(info.name));
  const bool is_bound = info.block_by_address && !has_addresses();
  kernel.push_bytes = is_bound ? 0 : info.block_by_address ? 8 : whole_words(info.block_bytes);
  if (kernel.push_bytes > kMostPushed) return Error(ErrorKind::internal, message::kPushesTooMuch(info.name));
  if (!has_addresses()) kernel.bound.add_parameters(info);
  const auto add = [&](driver::Buffer* own, uint32_t set) {
    if (has_addresses()) {
      kernel.hidden.push_back(own->address);
    } else {
      kernel.bound.add_own(own, set);
    }
  };
  for (const auto& v : program.variables) add(v.get(), 0);
  if (driver::reports(info)) add(program.report->buffer.get(), 1);
  if (is_bound) kernel.bound.add({.set = 1, .number = 1});  // the argument block
  QUERN_TRY(kernel.bound.check(info, info_, info_.limits.buffers));
  return make_layout(kernel);
}

// The buffers are the first parameters, in order; the push constants are the last one.
Result<> Device::lay_out_raw(Kernel& kernel) {
  const RawEntry& raw = *kernel.raw;
  kernel.info = describe(raw);
  int32_t param = 0;
  for (const spirv::RawBuffer& b : raw.buffers) {
    for (uint32_t element = 0; element < b.count; ++element)
      kernel.bound.add({b.set, b.binding, element, b.is_uniform, param++, nullptr});
  }
  kernel.push_bytes = raw.push_bytes;
  const uint32_t most = std::min(has_.properties.limits.push_bytes, kMostRawPushed);
  if (raw.push_bytes > most)
    return Error(ErrorKind::unsupported, message::kPushLimit(raw.name, std::to_string(raw.push_bytes),
                                                             info_.name, std::to_string(most)));
  return make_layout(kernel);
}

Result<> Device::make_layout(Kernel& kernel) {
  const uint32_t set_count = kernel.bound.sets();
  if (set_count > has_.properties.limits.bound_sets)
    return Error(ErrorKind::unsupported, message::kTooManySets(kernel.info.name, info_.name));
  for (uint32_t set = 0; set < set_count; ++set) {
    std::vector<DescriptorBinding> bindings;
    for (const driver::Binding& b : kernel.bound.all()) {
      if (b.set != set) continue;
      if (b.element > 0) {
        ++bindings.back().count;
      } else {
        bindings.push_back({.binding = b.number, .descriptor = descriptor_of(b)});
      }
    }
    const DescriptorSetLayoutCreateInfo info{.count = static_cast<uint32_t>(bindings.size()),
                                             .bindings = bindings.data()};
    QUERN_TRY_ASSIGN(kernel.owned_layouts.emplace_back(), QUERN_VK_MAKE(DescriptorSetLayout, info));
    kernel.set_layouts.push_back(kernel.owned_layouts.back().get());
  }
  const PushConstantRange range{kStageCompute, 0, whole_words(kernel.push_bytes)};
  const PipelineLayoutCreateInfo info{.set_count = set_count,
                                      .sets = kernel.set_layouts.data(),
                                      .range_count = range.bytes == 0 ? 0u : 1u,
                                      .ranges = &range};
  QUERN_TRY_ASSIGN(kernel.layout, QUERN_VK_MAKE(PipelineLayout, info));
  return {};
}

Result<> Device::add_launch(Slot& slot, Kernel& kernel, const driver::Launch& launch) {
  QUERN_TRY_ASSIGN(const auto found, pipeline(kernel, launch.block, launch.shared_bytes));
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
                            whole_words(kernel.push_bytes), pushed.data());
  api_.vkCmdBindPipeline(slot.commands, kBindCompute, found.made->get());
  api_.vkCmdDispatch(slot.commands, launch.grid.x, launch.grid.y, launch.grid.z);
  return {};
}

void Device::pack(const Kernel& kernel, const driver::Launch& launch, std::span<std::byte> block) const {
  if (kernel.raw != nullptr) {
    std::memcpy(block.data(), launch.arguments.back().value, kernel.raw->push_bytes);
    return;
  }
  const auto pointer = [&](driver::Place place) {
    if (!has_addresses()) return kernel.bound.pointer(launch, place);
    return place.buffer != nullptr ? place.buffer->address + place.offset : 0;
  };
  driver::pack_addresses(kernel.info, launch.arguments, pointer, kernel.hidden, block);
}

Result<std::shared_ptr<Sets>> Device::take_sets(Kernel& kernel) {
  const std::lock_guard lock(kernel.sets_mutex);
  if (!kernel.sets.empty() && kernel.sets.front().use_count() == 1) {
    kernel.sets.push_back(std::move(kernel.sets.front()));
    kernel.sets.pop_front();
    return kernel.sets.back();
  }
  const uint32_t count = kernel.bound.size();
  const DescriptorPoolSize sizes[] = {{kDescriptorStorage, count}, {kDescriptorUniform, count}};
  auto made = std::make_shared<Sets>();
  made->handles.resize(kernel.set_layouts.size());
  const auto sets = static_cast<uint32_t>(made->handles.size());
  const DescriptorPoolCreateInfo pool{.sets = sets, .size_count = 2, .sizes = sizes};
  QUERN_TRY_ASSIGN(made->pool, QUERN_VK_MAKE(DescriptorPool, pool));
  const DescriptorSetAllocateInfo allocate{
      .pool = made->pool.get(), .count = sets, .layouts = kernel.set_layouts.data()};
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
    const driver::Binding& b = kernel.bound.all()[i];
    if (b.is_block()) {
      buffers[i] = {handle_of(block), block.offset, block.bytes};
    } else {
      QUERN_TRY_ASSIGN(buffers[i], descriptor(kernel, b, launch));
    }
    writes[i] = {.set = sets->handles[b.set],
                 .binding = b.number,
                 .element = b.element,
                 .descriptor = descriptor_of(b),
                 .buffers = &buffers[i]};
  }
  api_.vkUpdateDescriptorSets(device_, static_cast<uint32_t>(count), writes.data(), 0, nullptr);
  api_.vkCmdBindDescriptorSets(slot.commands, kBindCompute, kernel.layout.get(), 0,
                               static_cast<uint32_t>(sets->handles.size()), sets->handles.data(), 0, nullptr);
  return {};
}

// The user's own code gets a buffer that begins at the argument's offset; emitted code gets the offset.
Result<DescriptorBufferInfo> Device::descriptor(const Kernel& kernel, const driver::Binding& bound,
                                                const driver::Launch& launch) {
  driver::Place place = bound.place(launch);
  if (place.buffer == nullptr) place = {nothing_.get(), 0};
  if (kernel.raw == nullptr) place.offset = 0;
  const PhysicalDeviceLimits& limits = has_.properties.limits;
  const uint64_t alignment = bound.is_uniform ? limits.uniform_alignment : limits.storage_alignment;
  const uint64_t most = bound.is_uniform ? limits.uniform_range : limits.storage_range;
  const Piece& piece = piece_of(place);
  const uint64_t bytes =
      std::max<uint64_t>(place.buffer->bytes, 4) - std::min(place.offset, place.buffer->bytes);
  const std::string number = std::to_string(bound.parameter + 1);
  if (place.offset % alignment != 0)
    return Error(ErrorKind::unsupported,
                 message::kArgumentAlignment(kernel.info.name, number, std::to_string(place.offset),
                                             info_.name, std::to_string(alignment)));
  if (bytes > most)
    return Error(ErrorKind::unsupported,
                 message::kArgumentSize(kernel.info.name, number, base::format_bytes(bytes), info_.name,
                                        base::format_bytes(most)));
  // Emitted code may access 8-bit and 16-bit values through the words that contain them.
  const uint64_t range = kernel.raw == nullptr ? whole_words(bytes) : bytes;
  return DescriptorBufferInfo{handle_of(piece), piece.offset + place.offset, std::max<uint64_t>(range, 4)};
}

}  // namespace quern::vulkan
