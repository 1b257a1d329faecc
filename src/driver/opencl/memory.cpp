#include "driver/opencl/device.hpp"
#include "driver/opencl/messages.hpp"
#include "driver/support/messages.hpp"

namespace quern::opencl {

using base::Error;
using base::ErrorKind;

namespace {

constexpr uint32_t kAlignment = 256;  // of new memory: as cudaMalloc guarantees

Buffer& as_buffer(driver::Place p) { return static_cast<Buffer&>(*p.buffer); }

char* address(driver::Place p) { return static_cast<char*>(as_buffer(p).at) + p.offset; }

CommandQueue id(driver::Stream& stream) { return static_cast<Stream&>(stream).id.get(); }

}  // namespace

Buffer::~Buffer() {
  if (at != nullptr && device_.is_unified_) {
    if (!is_adopted) (void)device_.api_->clMemFreeINTEL(device_.context_.get(), at);
  } else if (at != nullptr) {
    const std::lock_guard lock(device_.live_mutex_);
    device_.live_.erase(at);
    if (!is_adopted) device_.api_->clSVMFree(device_.context_.get(), at);
  }
  if (mem != nullptr && adopted.whole.get() == nullptr) (void)device_.api_->clReleaseMemObject(mem);
}

Result<void*> Device::allocate_at(uint64_t bytes, driver::MemoryKind kind) {
  const Context context = context_.get();
  if (is_unified_) {
    int32_t code = 0;
    // Memory that both access concurrently is host memory: managed memory belongs to one of them at a time.
    void* at = kind != driver::MemoryKind::device
                   ? api_->clHostMemAllocINTEL(context, nullptr, bytes, kAlignment, &code)
                   : api_->clDeviceMemAllocINTEL(context, id_, nullptr, bytes, kAlignment, &code);
    if (code != 0) return failed("allocating " + std::to_string(bytes) + " bytes", code);
    return at;
  }
  const uint64_t flags = kMemReadWrite | (is_fine() ? uint64_t{kSvmFineGrain} : 0);
  void* at = api_->clSVMAlloc(context, flags, bytes, kAlignment);
  if (at == nullptr) at = api_->clSVMAlloc(context, flags, bytes, 0);
  if (at == nullptr) return Error(ErrorKind::out_of_memory, message::kSvmFailed(std::to_string(bytes)));
  const std::lock_guard lock(live_mutex_);
  live_.insert(at);
  return at;
}

Result<std::unique_ptr<driver::Buffer>> Device::allocate(uint64_t bytes, driver::MemoryKind kind) {
  QUERN_TRY(alive());
  if (kind == driver::MemoryKind::shared && !is_fine())
    return Error(ErrorKind::unsupported, driver::message::kNoSharedMemory(info_.name));
  auto buffer = std::make_unique<Buffer>(*this);
  const uint64_t size = bytes == 0 ? 1 : bytes;
  if (has_addresses()) {
    QUERN_TRY_ASSIGN(buffer->at, allocate_at(size, kind));
    buffer->address = reinterpret_cast<uint64_t>(buffer->at);
    if ((is_unified_ || is_fine()) && kind != driver::MemoryKind::device)
      buffer->host = static_cast<std::byte*>(buffer->at);
    if (is_fine() && !is_unified_) buffer->host_view = static_cast<std::byte*>(buffer->at);
  } else {
    int32_t code = 0;
    buffer->mem = api_->clCreateBuffer(context_.get(), kMemReadWrite, size, nullptr, &code);
    if (code != 0) return failed("clCreateBuffer", code);
  }
  buffer->bytes = bytes;
  buffer->kind = kind;
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

Result<> Device::transfer(driver::Stream& stream, void* to, const void* from, uint64_t bytes) {
  const auto call = is_unified_ ? api_->clEnqueueMemcpyINTEL : api_->clEnqueueSVMMemcpy;
  if (const int32_t code = call(id(stream), 0, to, from, bytes, 0, nullptr, nullptr); code != 0)
    return failed("a copy of " + std::to_string(bytes) + " bytes", code);
  return {};
}

Result<> Device::enqueue(driver::Stream& stream, const driver::Command& c) {
  using Kind = driver::Command::Kind;
  const uint64_t bytes = c.bytes;
  switch (c.kind) {
    case Kind::kLaunch: return enqueue_launch(stream, static_cast<Kernel&>(*c.kernel), c.launch);
    case Kind::kUpload:
      if (as_buffer(c.to).at != nullptr) return transfer(stream, address(c.to), c.source, bytes);
      QUERN_CL(*api_, clEnqueueWriteBuffer(id(stream), as_buffer(c.to).mem, 0, c.to.offset, bytes, c.source,
                                           0, nullptr, nullptr));
      return {};
    case Kind::kDownload:
      if (as_buffer(c.from).at != nullptr) return transfer(stream, c.target, address(c.from), bytes);
      QUERN_CL(*api_, clEnqueueReadBuffer(id(stream), as_buffer(c.from).mem, 0, c.from.offset, bytes,
                                          c.target, 0, nullptr, nullptr));
      return {};
    case Kind::kCopy:
      if ((as_buffer(c.to).at == nullptr) != (as_buffer(c.from).at == nullptr)) return copy_mixed(stream, c);
      if (as_buffer(c.to).at != nullptr) return transfer(stream, address(c.to), address(c.from), bytes);
      QUERN_CL(*api_, clEnqueueCopyBuffer(id(stream), as_buffer(c.from).mem, as_buffer(c.to).mem,
                                          c.from.offset, c.to.offset, bytes, 0, nullptr, nullptr));
      return {};
    case Kind::kFill: return enqueue_fill(stream, c);
  }
  return Error(ErrorKind::internal, driver::message::kUnknownCommand());
}

Result<> Device::enqueue_fill(driver::Stream& stream, const driver::Command& c) {
  // Both calls require the offset to be a multiple of the pattern's size.
  if (c.to.offset % c.width != 0) return fill_from_host(stream, c);
  if (as_buffer(c.to).at != nullptr) {
    const auto call = is_unified_ ? api_->clEnqueueMemFillINTEL : api_->clEnqueueSVMMemFill;
    const int32_t code = call(id(stream), address(c.to), &c.value, c.width, c.bytes, 0, nullptr, nullptr);
    if (code != 0) return failed("filling " + std::to_string(c.bytes) + " bytes", code);
  } else {
    QUERN_CL(*api_, clEnqueueFillBuffer(id(stream), as_buffer(c.to).mem, &c.value, c.width, c.to.offset,
                                        c.bytes, 0, nullptr, nullptr));
  }
  return {};
}

}  // namespace quern::opencl
