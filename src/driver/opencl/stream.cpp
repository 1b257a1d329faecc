#include <algorithm>
#include <cstring>

#include "driver/opencl/device.hpp"
#include "driver/opencl/messages.hpp"

namespace quern::opencl {

using driver::Feature;

namespace {

Stream& as_stream(driver::Stream& stream) { return static_cast<Stream&>(stream); }
const EventId& id_of(const driver::Mark& mark) { return static_cast<const Mark&>(mark).id.get(); }

}  // namespace

Result<std::unique_ptr<driver::Stream>> Device::create_stream(const driver::StreamOptions&) {
  auto stream = std::make_unique<Stream>();
  QUERN_TRY_ASSIGN(stream->id, QUERN_CL_MAKE(clCreateCommandQueue, clReleaseCommandQueue, context_.get(), id_,
                                             kQueueProfiling));
  return std::unique_ptr<driver::Stream>(std::move(stream));
}

Result<> Device::set_place(KernelId id, uint32_t index, driver::Place place) {
  auto* buffer = static_cast<Buffer*>(place.buffer);
  const bool is_object = buffer != nullptr && buffer->mem != nullptr;
  if (has_addresses() && !is_object && (buffer != nullptr || has_null_)) {
    const void* address = buffer != nullptr ? static_cast<char*>(buffer->at) + place.offset : nullptr;
    const auto call = is_unified_ ? api_->clSetKernelArgMemPointerINTEL : api_->clSetKernelArgSVMPointer;
    const int32_t code = call(id, index, address);
    if (code == 0) return {};
    if (buffer != nullptr) return failed("setting a pointer", code);
  }
  Mem mem = buffer != nullptr ? buffer->mem : nullptr;
  if (is_object && has_addresses() && place.offset != 0) {
    QUERN_TRY_ASSIGN(mem, tail_of(*buffer, place.offset));
  }
  QUERN_CL(*api_, clSetKernelArg(id, index, sizeof(void*), &mem));
  return {};
}

// The user's arguments, then the hidden ones in the order of target/target.hpp.
Result<> Device::set_arguments(const Kernel& kernel, KernelId id, const driver::Launch& launch) {
  const driver::KernelInfo& info = kernel.info;
  uint32_t next = 0;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const driver::Argument& a = launch.arguments[i];
    if (info.params[i].is_pointer) {
      QUERN_TRY(set_place(id, next++, a.place));
    } else {
      QUERN_CL(*api_, clSetKernelArg(id, next++, a.bytes, a.value));
    }
  }
  if (kernel.program->code.is_raw) return {};
  if (!has_addresses()) {
    for (size_t i = 0; i < launch.arguments.size(); ++i) {
      if (!info.params[i].is_pointer) continue;
      const uint64_t offset = launch.arguments[i].place.offset;
      QUERN_CL(*api_, clSetKernelArg(id, next++, sizeof offset, &offset));
    }
  }
  for (const auto& v : kernel.program->variables) QUERN_TRY(set_place(id, next++, {v.get(), 0}));
  if (info.needs.has(Feature::dynamic_shared)) {
    const auto bytes = static_cast<uint32_t>(launch.shared_bytes);
    QUERN_CL(*api_, clSetKernelArg(id, next++, std::max<size_t>(launch.shared_bytes, 16), nullptr));
    QUERN_CL(*api_, clSetKernelArg(id, next++, sizeof bytes, &bytes));
  }
  if (reports(info)) QUERN_TRY(set_place(id, next++, {kernel.program->report->buffer.get(), 0}));
  if (has_addresses() && info.needs.has(Feature::addresses)) return declare_indirect_access(id);
  return {};
}

// Memory that a kernel may access through pointers that are not arguments.
Result<> Device::declare_indirect_access(KernelId id) {
  if (is_unified_) {
    const uint32_t yes = 1;
    for (const uint32_t what : {kExecIndirectHost, kExecIndirectDevice, kExecIndirectShared})
      QUERN_CL(*api_, clSetKernelExecInfo(id, what, sizeof yes, &yes));
    return {};
  }
  const std::lock_guard lock(live_mutex_);
  const std::vector<void*> all(live_.begin(), live_.end());
  QUERN_CL(*api_, clSetKernelExecInfo(id, kExecSvmPointers, all.size() * sizeof(void*), all.data()));
  return {};
}

Result<> Device::enqueue_launch(driver::Stream& stream, Kernel& kernel, const driver::Launch& launch) {
  const Range range(launch);
  const std::lock_guard lock(kernel.mutex);
  QUERN_TRY_ASSIGN(const KernelId id, for_block(kernel, launch.block));
  QUERN_TRY(try_work_group(kernel, launch));
  QUERN_TRY(set_arguments(kernel, id, launch));
  if (reports(kernel.info)) as_stream(stream).device_log->expect(kernel.program->report);
  QUERN_CL(*api_, clEnqueueNDRangeKernel(as_stream(stream).id.get(), id, 3, nullptr, range.global,
                                         range.local, 0, nullptr, nullptr));
  return {};
}

Result<> Device::run(driver::Stream& stream, std::span<const driver::Command> commands) {
  for (const driver::Command& c : commands) {
    if (auto done = enqueue(stream, c); !done.ok()) return check(std::move(done));
  }
  QUERN_CL(*api_, clFlush(as_stream(stream).id.get()));
  return {};
}

Result<std::shared_ptr<driver::Mark>> Device::set_mark(driver::Stream& stream) {
  auto mark = std::make_shared<Mark>();
  EventId id = nullptr;
  QUERN_CL(*api_, clEnqueueMarkerWithWaitList(as_stream(stream).id.get(), 0, nullptr, &id));
  mark->id = Owned<EventId>(id, api_->clReleaseEvent);
  QUERN_CL(*api_, clFlush(as_stream(stream).id.get()));
  return mark;
}

Result<> Device::follow(driver::Stream& stream, driver::Mark& mark) {
  QUERN_CL(*api_, clEnqueueBarrierWithWaitList(as_stream(stream).id.get(), 1, &id_of(mark), nullptr));
  return {};
}

Result<bool> Device::is_passed(driver::Mark& mark) {
  int32_t status = 0;
  QUERN_CL(*api_, clGetEventInfo(id_of(mark), kEventStatus, sizeof status, &status, nullptr));
  if (status < 0) return failed("a command", status);
  return status == 0;
}

Result<> Device::wait_for(driver::Mark& mark) {
  if (const int32_t code = api_->clWaitForEvents(1, &id_of(mark)); code != 0)
    return check(failed("clWaitForEvents", code));
  return {};
}

Result<> Device::finish(driver::Stream& stream) {
  if (const int32_t code = api_->clFinish(as_stream(stream).id.get()); code != 0)
    return check(failed("clFinish", code));
  return {};
}

Result<uint64_t> Device::ticks(const driver::Mark& mark) {
  uint64_t end = 0;
  const int32_t code = api_->clGetEventProfilingInfo(id_of(mark), kProfilingEnd, sizeof end, &end, nullptr);
  if (code != 0 || end == 0)
    return base::Error(base::ErrorKind::unsupported, message::kNoTimestamps(info_.name));
  return end;
}

}  // namespace quern::opencl
