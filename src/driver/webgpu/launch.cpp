// Launches: which buffer has which binding, and what is encoded.
#include <algorithm>
#include <cstring>

#include "base/round_up.hpp"
#include "base/text.hpp"
#include "driver/interface/arguments.hpp"
#include "driver/webgpu/device.hpp"
#include "driver/webgpu/messages.hpp"

namespace quern::webgpu {

using base::Error;
using base::ErrorKind;

namespace {

constexpr uint64_t kAlignment = 256;  // of parts of a buffer, and of blocks of arguments
constexpr size_t kKeptGroups = 8;     // of a kernel

// Fills `buffers` with each different buffer once, and returns the binding of each of the kernel's.
BindingList bindings_of(const std::vector<const Buffer*>& all, std::vector<const Buffer*>& buffers) {
  BindingList out;
  for (const Buffer* buffer : all) {
    const auto known = std::find(buffers.begin(), buffers.end(), buffer);
    out.push_back(static_cast<uint32_t>(known - buffers.begin()));
    if (known == buffers.end()) buffers.push_back(buffer);
  }
  return out;
}

}  // namespace

// WebGPU rejects a launch that binds a written buffer twice, or more buffers than its limit. Arguments in
// one buffer share a binding. If there are too many different buffers, the arguments are copied to one.
Result<Ready> Device::make_ready(const Command& command) {
  auto& kernel = static_cast<Kernel&>(*command.kernel);
  const driver::Launch& launch = command.launch;
  std::vector<driver::Argument> arguments(launch.arguments.begin(), launch.arguments.end());
  Ready ready;
  ready.grid = launch.grid;
  ready.uses_immediates = kernel.owner->uses_immediates;
  std::vector<const Buffer*> all;
  for (const driver::Binding& bound : kernel.bound.all()) {
    const auto* const buffer = static_cast<Buffer*>(bound.place(launch).buffer);
    all.push_back(buffer != nullptr ? buffer : nothing_.get());
  }
  BindingList bindings = bindings_of(all, ready.buffers);
  if (ready.buffers.size() > limits_.storage_buffers) {
    QUERN_TRY(gather(kernel, arguments, ready));
    bindings.clear();
    for (const driver::Binding& bound : kernel.bound.all()) {
      if (bound.parameter < 0) ready.buffers.push_back(static_cast<const Buffer*>(bound.own));
      bindings.push_back(static_cast<uint32_t>(ready.buffers.size() - 1));
    }
  }
  QUERN_TRY_ASSIGN(ready.form, form(kernel, {bindings, launch.grid.x > limits_.workgroups}));
  QUERN_TRY_ASSIGN(const auto found, pipeline(kernel, *ready.form, {launch.block, launch.shared_bytes}));
  ready.pipeline = found.made->get();
  ready.block.resize(argument_block_bytes(kernel.info));
  driver::pack_block(kernel.info, arguments, std::span(ready.block).first(driver::block_bytes(kernel.info)));
  return ready;
}

// Gives each buffer of a parameter a place in the gathering buffer, which is the first of `ready.buffers`.
Result<> Device::gather(const Kernel& kernel, std::vector<driver::Argument>& arguments, Ready& ready) {
  const auto own = std::count_if(kernel.bound.all().begin(), kernel.bound.all().end(),
                                 [](const driver::Binding& b) { return b.parameter < 0; });
  if (static_cast<uint32_t>(own) + 1 > limits_.storage_buffers) {
    return Error(ErrorKind::unsupported,
                 message::kTooManyVariables(kernel.info.name, std::to_string(own), info_.name,
                                            std::to_string(limits_.storage_buffers)));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    driver::Place& place = arguments[i].place;
    if (!kernel.info.params[i].is_pointer || place.buffer == nullptr) continue;
    const Buffer* const buffer = &buffer_of(place);
    auto known = std::find_if(ready.gathered.begin(), ready.gathered.end(),
                              [&](const Ready::Gathered& g) { return g.buffer == buffer; });
    if (known == ready.gathered.end()) {
      known = ready.gathered.insert(known, {buffer, ready.gathered_bytes, false});
      ready.gathered_bytes += base::round_up(buffer->size, kAlignment);
    }
    known->is_written = known->is_written || kernel.info.params[i].is_written;
    place.offset += known->offset;
  }
  const uint64_t most = info_.limits.buffer_bytes;
  if (ready.gathered_bytes > most) {
    return Error(ErrorKind::unsupported,
                 message::kTooManyBuffers(kernel.info.name, std::to_string(ready.gathered.size()),
                                          base::format_bytes(ready.gathered_bytes), info_.name,
                                          std::to_string(limits_.storage_buffers), base::format_bytes(most)));
  }
  const std::lock_guard lock(gpu_->mutex);
  if (gathering_ == nullptr || gathering_->size < ready.gathered_bytes) {
    QUERN_TRY_ASSIGN(gathering_, make_buffer(ready.gathered_bytes));
  }
  ready.gathering = gathering_;
  ready.buffers = {gathering_.get()};
  return {};
}

Result<> Device::add_launch(Batch& batch, const Ready& ready) {
  if (ready.gathered.empty()) return add_dispatches(batch, ready);
  const Handle together = ready.buffers.front()->handle.get();
  for (const Ready::Gathered& g : ready.gathered)
    QUERN_TRY(add_word_copy(batch, together, g.offset, g.buffer->handle.get(), 0, g.buffer->size));
  QUERN_TRY(add_dispatches(batch, ready));
  for (const Ready::Gathered& g : ready.gathered) {
    if (g.is_written)
      QUERN_TRY(add_word_copy(batch, g.buffer->handle.get(), 0, together, g.offset, g.buffer->size));
  }
  return {};
}

// A grid that is wider than WebGPU allows runs in several dispatches. Their code finds the first block of its
// dispatch and the width of the grid in the last row of the arguments (docs/targets.md).
Result<> Device::add_dispatches(Batch& batch, const Ready& ready) {
  const uint32_t most = limits_.workgroups, width = ready.grid.x;
  if (width <= most) return add_dispatch(batch, ready, ready.block, width);
  std::vector<std::byte> block = ready.block;
  for (uint32_t first = 0; first < width; first += std::min(most, width - first)) {
    const uint32_t last_row[] = {0, first, width, 0};
    std::memcpy(block.data() + block.size() - sizeof last_row, last_row, sizeof last_row);
    QUERN_TRY(add_dispatch(batch, ready, block, std::min(most, width - first)));
  }
  return {};
}

Result<> Device::add_dispatch(Batch& batch, const Ready& ready, std::span<const std::byte> block,
                              uint32_t width) {
  const Api& api = **gpu_;
  QUERN_TRY_ASSIGN(const Handle group, group_of(ready));
  if (!ready.uses_immediates &&
      batch.argument_bytes + base::round_up(block.size(), kAlignment) > kArgumentBytes)
    QUERN_TRY(submit(batch));
  QUERN_TRY_ASSIGN(const Handle pass, this->pass(batch));
  api.ComputePassEncoderSetPipeline(pass, ready.pipeline);
  api.ComputePassEncoderSetBindGroup(pass, 0, group, 0, nullptr);
  if (ready.uses_immediates) {
    api.ComputePassEncoderSetImmediates(pass, 0, block.data(), block.size());
  } else {
    QUERN_TRY(add_arguments(batch, block));
  }
  api.ComputePassEncoderDispatchWorkgroups(pass, width, ready.grid.y, ready.grid.z);
  return {};
}

// Each launch of the batch has its own range; the next batch starts at offset 0 again, since its writes come
// after the work of this one.
Result<> Device::add_arguments(Batch& batch, std::span<const std::byte> block) {
  const auto offset = static_cast<uint32_t>(batch.argument_bytes);
  QUERN_TRY(gpu_->write(arguments_.get(), offset, block.data(), block.size()));
  batch.argument_bytes += base::round_up(block.size(), kAlignment);
  Owned& group = argument_groups_[block.size()];
  if (group.get() == nullptr) {
    const GroupEntry entry{nullptr, 0, arguments_.get(), 0, block.size()};
    QUERN_TRY_ASSIGN(group, gpu_->create_group(arguments_layout_.get(), {&entry, 1}));
  }
  (*gpu_)->ComputePassEncoderSetBindGroup(batch.pass.get(), 1, group.get(), 1, &offset);
  return {};
}

Result<Handle> Device::group_of(const Ready& ready) {
  std::deque<Form::Group>& groups = ready.form->groups;
  const auto is_wanted = [&](const Form::Group& g) {
    return std::equal(g.buffers.begin(), g.buffers.end(), ready.buffers.begin(), ready.buffers.end(),
                      [](uint64_t id, const Buffer* b) { return id == b->id; });
  };
  if (const auto known = std::find_if(groups.begin(), groups.end(), is_wanted); known != groups.end())
    return known->handle.get();
  Form::Group made;
  std::vector<GroupEntry> entries;
  for (uint32_t b = 0; b < ready.buffers.size(); ++b) {
    made.buffers.push_back(ready.buffers[b]->id);
    entries.push_back({nullptr, b, ready.buffers[b]->handle.get(), 0, ready.buffers[b]->size});
  }
  QUERN_TRY_ASSIGN(made.handle, gpu_->create_group(ready.form->group_layout.get(), entries));
  if (groups.size() == kKeptGroups) groups.pop_front();
  return groups.emplace_back(std::move(made)).handle.get();
}

}  // namespace quern::webgpu
