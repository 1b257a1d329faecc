// Native handles out and in. Where memory has addresses, kernels take pointers without offsets: a buffer
// object that another library created is then passed as a sub-buffer from the argument's offset on.
#include "driver/interface/interop.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "driver/opencl/device.hpp"
#include "driver/opencl/messages.hpp"

namespace quern::opencl {

namespace {

using base::Error;
using base::ErrorKind;

Buffer& as_buffer(driver::Place p) { return static_cast<Buffer&>(*p.buffer); }
Stream& as_stream(driver::Stream& stream) { return static_cast<Stream&>(stream); }

}  // namespace

Result<driver::AnyDevice> Device::native_device() {
  return driver::AnyDevice(interop::opencl::Device{reinterpret_cast<_cl_context*>(context_.get()),
                                                   reinterpret_cast<_cl_device_id*>(id_)});
}

Result<driver::AnyBuffer> Device::native_buffer(driver::Place place) {
  const Buffer& buffer = as_buffer(place);
  interop::opencl::Buffer out;
  if (buffer.at != nullptr) {
    out.svm = static_cast<char*>(buffer.at) + place.offset;
  } else {
    out.mem = reinterpret_cast<_cl_mem*>(buffer.mem);
    out.offset = place.offset;
  }
  return driver::AnyBuffer(out);
}

Result<driver::AnyStream> Device::native_stream(driver::Stream& stream) {
  return driver::AnyStream(
      interop::opencl::Stream{reinterpret_cast<_cl_command_queue*>(as_stream(stream).id.get())});
}

Result<driver::AnyEvent> Device::native_event(driver::Event& event) {
  const auto mark = mark_of(event);
  if (mark == nullptr) return Error(ErrorKind::invalid_use, message::kEventNotRecorded());
  return driver::AnyEvent(
      interop::opencl::Event{reinterpret_cast<_cl_event*>(static_cast<const Mark&>(*mark).id.get())});
}

Result<Owned<Mem>> Device::sub_buffer(Mem mem, uint64_t offset, uint64_t bytes) {
  const size_t region[] = {offset, bytes};  // cl_buffer_region
  constexpr int32_t kMisaligned = -13;
  int32_t code = 0;
  const Mem made = api_->clCreateSubBuffer(mem, 0, kRegion, region, &code);
  if (code == kMisaligned)
    return Error(ErrorKind::unsupported, message::kOffsetAlignment(std::to_string(offset)));
  if (code != 0) return failed("clCreateSubBuffer", code);
  return Owned<Mem>(made, api_->clReleaseMemObject);
}

// Kept with the buffer: work in flight uses it.
Result<Mem> Device::tail_of(Buffer& buffer, uint64_t offset) {
  const std::lock_guard lock(live_mutex_);
  Buffer::Part& own = buffer.adopted;
  for (const auto& [at, tail] : own.tails) {
    if (at == offset) return tail.get();
  }
  QUERN_TRY_ASSIGN(auto made, sub_buffer(own.whole.get(), own.offset + offset, buffer.bytes - offset));
  own.tails.emplace_back(offset, std::move(made));
  return own.tails.back().second.get();
}

// A sub-buffer has no sub-buffers, so parts are taken of the object it belongs to.
Result<> Device::adopt_mem(Buffer& buffer, const interop::opencl::Buffer& handle) {
  const std::string what = "adopting a cl_mem";
  if (api_->clGetMemObjectInfo == nullptr || api_->clRetainMemObject == nullptr ||
      api_->clCreateSubBuffer == nullptr)
    return driver::no_interop(what);
  const auto mem = reinterpret_cast<Mem>(handle.mem);
  uint32_t type = 0;
  size_t size = 0, parent_offset = 0;
  Context context = nullptr;
  Mem parent = nullptr;
  QUERN_CL(*api_, clGetMemObjectInfo(mem, kMemType, sizeof type, &type, nullptr));
  QUERN_CL(*api_, clGetMemObjectInfo(mem, kMemSize, sizeof size, &size, nullptr));
  QUERN_CL(*api_, clGetMemObjectInfo(mem, kMemContext, sizeof(void*), &context, nullptr));
  QUERN_CL(*api_, clGetMemObjectInfo(mem, kMemParent, sizeof(void*), &parent, nullptr));
  QUERN_CL(*api_, clGetMemObjectInfo(mem, kMemOffset, sizeof parent_offset, &parent_offset, nullptr));
  if (type != kMemObjectBuffer) return Error(ErrorKind::invalid_use, message::kAdoptImage());
  if (context != context_.get()) return Error(ErrorKind::invalid_use, message::kAdoptOtherContext());
  if (handle.offset > size || buffer.bytes > size - handle.offset)
    return Error(ErrorKind::invalid_use,
                 message::kAdoptRange(std::to_string(buffer.bytes), std::to_string(handle.offset),
                                      std::to_string(size)));
  Buffer::Part& own = buffer.adopted;
  const Mem whole = parent != nullptr ? parent : mem;
  QUERN_CL(*api_, clRetainMemObject(whole));
  own.whole = Owned<Mem>(whole, api_->clReleaseMemObject);
  own.offset = handle.offset + (parent != nullptr ? parent_offset : 0);
  if (handle.offset != 0) {
    QUERN_TRY_ASSIGN(own.part, sub_buffer(whole, own.offset, buffer.bytes));
  } else if (parent != nullptr) {
    QUERN_CL(*api_, clRetainMemObject(mem));
    own.part = Owned<Mem>(mem, api_->clReleaseMemObject);
  }
  buffer.mem = own.part.get() != nullptr ? own.part.get() : whole;
  return {};
}

Result<std::unique_ptr<driver::Buffer>> Device::adopt_buffer(const driver::AnyBuffer& handle, uint64_t bytes,
                                                             driver::KeepAlive keep_alive) {
  QUERN_TRY(alive());
  const auto* const native = std::get_if<interop::opencl::Buffer>(&handle);
  if (native == nullptr) return driver::wrong_api("adopting memory", "opencl");
  if ((native->mem == nullptr) == (native->svm == nullptr))
    return Error(ErrorKind::invalid_use, message::kAdoptOneHandle());
  auto buffer = std::make_unique<Buffer>(*this);
  buffer->bytes = bytes;
  if (native->mem != nullptr) {
    QUERN_TRY(adopt_mem(*buffer, *native));
  } else {
    if (!has_addresses()) return Error(ErrorKind::unsupported, message::kAdoptWithoutSvm(info_.name));
    buffer->at = native->svm;
    buffer->address = reinterpret_cast<uint64_t>(native->svm);
    buffer->is_adopted = true;
    const std::lock_guard lock(live_mutex_);
    if (!is_unified_) live_.insert(native->svm);
  }
  buffer->keep_alive = std::move(keep_alive);
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

// In the order of the queue; returns when the copy is complete.
Result<> Device::copy_through_host(driver::Stream& stream, const driver::Command& c) {
  constexpr uint64_t kPieceBytes = 8 << 20;
  std::vector<std::byte> host(std::min(c.bytes, kPieceBytes));
  for (uint64_t done = 0; done < c.bytes; done += host.size()) {
    driver::Command piece = c;
    piece.bytes = std::min<uint64_t>(host.size(), c.bytes - done);
    piece.from.offset += done;
    piece.to.offset += done;
    piece.source = piece.target = host.data();
    piece.kind = driver::Command::Kind::kDownload;
    QUERN_TRY(enqueue(stream, piece));
    // NVIDIA's driver may read the source of an upload early.
    QUERN_CL(*api_, clFinish(as_stream(stream).id.get()));
    piece.kind = driver::Command::Kind::kUpload;
    QUERN_TRY(enqueue(stream, piece));
    QUERN_CL(*api_, clFinish(as_stream(stream).id.get()));
  }
  return {};
}

// Between a buffer object and memory with an address.
Result<> Device::copy_mixed(driver::Stream& stream, const driver::Command& c) {
  if (!is_fine() || is_unified_) return copy_through_host(stream, c);
  const CommandQueue id = as_stream(stream).id.get();
  if (as_buffer(c.to).at != nullptr) {
    QUERN_CL(*api_,
             clEnqueueReadBuffer(id, as_buffer(c.from).mem, 0, c.from.offset, c.bytes,
                                 static_cast<char*>(as_buffer(c.to).at) + c.to.offset, 0, nullptr, nullptr));
  } else {
    QUERN_CL(*api_, clEnqueueWriteBuffer(id, as_buffer(c.to).mem, 0, c.to.offset, c.bytes,
                                         static_cast<char*>(as_buffer(c.from).at) + c.from.offset, 0, nullptr,
                                         nullptr));
  }
  return {};
}

Result<std::unique_ptr<driver::Stream>> Device::adopt_stream(const driver::AnyStream& handle,
                                                             driver::KeepAlive keep_alive) {
  QUERN_TRY(alive());
  const std::string what = "adopting a cl_command_queue";
  const auto* const native = std::get_if<interop::opencl::Stream>(&handle);
  if (native == nullptr) return driver::wrong_api("adopting a stream", "opencl");
  if (native->queue == nullptr) return Error(ErrorKind::invalid_use, message::kAdoptNullQueue());
  if (api_->clGetCommandQueueInfo == nullptr || api_->clRetainCommandQueue == nullptr)
    return driver::no_interop(what);
  const auto id = reinterpret_cast<CommandQueue>(native->queue);
  Context context = nullptr;
  DeviceId device = nullptr;
  uint64_t properties = 0;
  QUERN_CL(*api_, clGetCommandQueueInfo(id, kQueueContext, sizeof(void*), &context, nullptr));
  QUERN_CL(*api_, clGetCommandQueueInfo(id, kQueueDevice, sizeof(void*), &device, nullptr));
  QUERN_CL(*api_, clGetCommandQueueInfo(id, kQueueProperties, sizeof properties, &properties, nullptr));
  if (context != context_.get() || device != id_)
    return Error(ErrorKind::invalid_use, message::kAdoptOtherQueue());
  if ((properties & kQueueOutOfOrder) != 0) return Error(ErrorKind::invalid_use, message::kAdoptOutOfOrder());
  QUERN_CL(*api_, clRetainCommandQueue(id));
  auto stream = std::make_unique<Stream>();
  stream->id = Owned<CommandQueue>(id, api_->clReleaseCommandQueue);
  stream->keep_alive = std::move(keep_alive);
  stream->is_adopted = true;
  return std::unique_ptr<driver::Stream>(std::move(stream));
}

Result<> Device::wait_native(driver::Stream& stream, const driver::AnyEvent& event) {
  QUERN_TRY(alive());
  const auto* const native = std::get_if<interop::opencl::Event>(&event);
  if (native == nullptr) return driver::wrong_api("waiting for a native event", "opencl");
  const auto id = reinterpret_cast<EventId>(native->event);
  QUERN_CL(*api_, clEnqueueBarrierWithWaitList(as_stream(stream).id.get(), 1, &id, nullptr));
  return {};
}

}  // namespace quern::opencl
