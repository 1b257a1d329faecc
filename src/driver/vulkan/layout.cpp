// Where a kernel's arguments are: what is pushed, and what descriptors bind.
#include <algorithm>

#include "base/text.hpp"
#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;

namespace {

uint32_t whole_words(uint32_t bytes) { return (bytes + 3) / 4 * 4; }

}  // namespace

// The block of arguments has pointers to variables and to the report behind the user's own. Where there are
// no addresses all of these are bound, as target/target.hpp has it.
Result<> Device::lay_out(Kernel& kernel) {
  const driver::KernelInfo& info = kernel.info;
  const Program& program = *kernel.program;
  kernel.has_report = driver::reports(info);
  if (kernel.has_report && program.report == nullptr)
    return Error(ErrorKind::kInternal, "kernel '" + info.name + "' reports, and its code has no sites");
  const bool is_bound = info.block_by_address && !has_addresses();
  kernel.push_bytes = is_bound ? 0 : info.block_by_address ? 8 : whole_words(info.block_bytes);
  if (kernel.push_bytes > kMostPushed)
    return Error(ErrorKind::kInternal, "the code of kernel '" + info.name + "' pushes too many arguments");
  uint32_t number = 0;
  for (size_t i = 0; i < info.params.size() && !has_addresses(); ++i) {
    if (info.params[i].is_pointer)
      kernel.bound.push_back({0, number++, 0, kDescriptorStorage, static_cast<int32_t>(i), nullptr});
  }
  const auto hide = [&](driver::Buffer* b, uint32_t set, uint32_t binding) {
    if (has_addresses()) {
      kernel.hidden.push_back(b->address);
    } else {
      kernel.bound.push_back({set, binding, 0, kDescriptorStorage, -1, b});
    }
  };
  for (const auto& v : program.variables) hide(v.get(), 0, number++);
  if (kernel.has_report) hide(program.report->buffer.get(), 1, 0);
  if (is_bound) kernel.bound.push_back({1, 1, 0, kDescriptorStorage, -1, nullptr});
  const uint32_t most =
      std::min(has_.properties.limits.stage_storage_buffers, has_.maintenance.set_descriptors);
  if (kernel.bound.size() > most)
    return Error(ErrorKind::kUnsupported,
                 base::format("kernel '%s' needs %zu buffers with its variables, and %s binds up to %u",
                              info.name.c_str(), kernel.bound.size(), info_.name.c_str(), most));
  return make_layout(kernel);
}

// The buffers are the first parameters, in their order; the push constants are the last one.
Result<> Device::lay_out_raw(Kernel& kernel) {
  const RawEntry& raw = *kernel.raw;
  kernel.info = target::spirv::describe(raw);
  int32_t param = 0;
  for (const target::spirv::RawBuffer& b : raw.buffers) {
    const uint32_t descriptor = b.is_uniform ? kDescriptorUniform : kDescriptorStorage;
    for (uint32_t element = 0; element < b.count; ++element)
      kernel.bound.push_back({b.set, b.binding, element, descriptor, param++, nullptr});
  }
  kernel.push_bytes = raw.push_bytes;
  const uint32_t most = std::min(has_.properties.limits.push_bytes, kMostRawPushed);
  if (raw.push_bytes > most)
    return Error(ErrorKind::kUnsupported,
                 base::format("kernel '%s' takes %u bytes of push constants, and the limit of %s is %u",
                              raw.name.c_str(), raw.push_bytes, info_.name.c_str(), most));
  return make_layout(kernel);
}

Result<> Device::make_layout(Kernel& kernel) {
  uint32_t set_count = 0;
  for (const Kernel::Bound& b : kernel.bound) set_count = std::max(set_count, b.set + 1);
  if (set_count > has_.properties.limits.bound_sets)
    return Error(ErrorKind::kUnsupported,
                 "kernel '" + kernel.info.name + "' has too many descriptor sets for " + info_.name);
  for (uint32_t set = 0; set < set_count; ++set) {
    std::vector<DescriptorBinding> bindings;
    for (const Kernel::Bound& b : kernel.bound) {
      if (b.set != set) continue;
      if (b.element > 0) {
        ++bindings.back().count;
        continue;
      }
      DescriptorBinding& to = bindings.emplace_back();
      to.binding = b.binding;
      to.descriptor = b.descriptor;
    }
    DescriptorSetLayoutCreateInfo info;
    info.count = static_cast<uint32_t>(bindings.size());
    info.bindings = bindings.data();
    QUERN_TRY_ASSIGN(kernel.owned_layouts.emplace_back(), QUERN_VK_MAKE(DescriptorSetLayout, info));
    kernel.set_layouts.push_back(kernel.owned_layouts.back().get());
  }
  const PushConstantRange range{kStageCompute, 0, whole_words(kernel.push_bytes)};
  PipelineLayoutCreateInfo info;
  info.set_count = set_count;
  info.sets = kernel.set_layouts.data();
  info.range_count = range.bytes == 0 ? 0 : 1;
  info.ranges = &range;
  QUERN_TRY_ASSIGN(kernel.layout, QUERN_VK_MAKE(PipelineLayout, info));
  return {};
}

}  // namespace quern::vulkan
