#include "driver/opencl/device.hpp"

namespace quern::opencl {

using base::Error;
using base::ErrorKind;

namespace {

constexpr uint32_t kAlignment = 256;  // of new memory: what cudaMalloc promises

Buffer& as_buffer(driver::Place p) { return static_cast<Buffer&>(*p.buffer); }

char* address(driver::Place p) { return static_cast<char*>(as_buffer(p).svm) + p.offset; }

CommandQueue id(driver::Queue& queue) { return static_cast<Queue&>(queue).id.handle; }

}  // namespace

Buffer::~Buffer() {
  if (svm != nullptr) {
    const std::lock_guard lock(device_.live_mutex_);
    device_.live_.erase(svm);
    device_.api_->clSVMFree(device_.context_.handle, svm);
  }
  if (mem != nullptr) (void)device_.api_->clReleaseMemObject(mem);
}

Result<std::unique_ptr<driver::Buffer>> Device::allocate(uint64_t bytes, driver::MemoryKind kind) {
  if (kind == driver::MemoryKind::kShared && !is_fine())
    return Error(ErrorKind::kUnsupported, info_.name + " shares no memory with the host");
  auto buffer = std::make_unique<Buffer>(*this);
  const uint64_t size = bytes == 0 ? 1 : bytes;
  if (has_addresses()) {
    const bool fine = is_fine();
    const uint64_t flags = kMemReadWrite | (fine ? uint64_t{kSvmFineGrain} : 0);
    buffer->svm = api_->clSVMAlloc(context_.handle, flags, size, kAlignment);
    if (buffer->svm == nullptr) buffer->svm = api_->clSVMAlloc(context_.handle, flags, size, 0);
    if (buffer->svm == nullptr)
      return Error(ErrorKind::kOutOfMemory, "clSVMAlloc fails for " + std::to_string(bytes) + " bytes");
    buffer->address = reinterpret_cast<uint64_t>(buffer->svm);
    if (fine && kind != driver::MemoryKind::kDevice) buffer->host = static_cast<std::byte*>(buffer->svm);
    const std::lock_guard lock(live_mutex_);
    live_.insert(buffer->svm);
  } else {
    int32_t code = 0;
    buffer->mem = api_->clCreateBuffer(context_.handle, kMemReadWrite, size, nullptr, &code);
    if (code != 0) return failed("clCreateBuffer", code);
  }
  buffer->bytes = bytes;
  buffer->kind = kind;
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

Result<> Device::upload(driver::Queue& queue, driver::Place to, const void* from, uint64_t bytes) {
  if (bytes == 0) return {};
  if (has_addresses()) {
    QUERN_CL(*api_, clEnqueueSVMMemcpy(id(queue), 0, address(to), from, bytes, 0, nullptr, nullptr));
  } else {
    QUERN_CL(*api_, clEnqueueWriteBuffer(id(queue), as_buffer(to).mem, 0, to.offset, bytes, from, 0, nullptr,
                                         nullptr));
  }
  return {};
}

Result<> Device::download(driver::Queue& queue, void* to, driver::Place from, uint64_t bytes) {
  if (bytes == 0) return {};
  if (has_addresses()) {
    QUERN_CL(*api_, clEnqueueSVMMemcpy(id(queue), 0, to, address(from), bytes, 0, nullptr, nullptr));
  } else {
    QUERN_CL(*api_, clEnqueueReadBuffer(id(queue), as_buffer(from).mem, 0, from.offset, bytes, to, 0, nullptr,
                                        nullptr));
  }
  return {};
}

Result<> Device::copy(driver::Queue& queue, driver::Place to, driver::Place from, uint64_t bytes) {
  if (bytes == 0) return {};
  if (has_addresses()) {
    QUERN_CL(*api_, clEnqueueSVMMemcpy(id(queue), 0, address(to), address(from), bytes, 0, nullptr, nullptr));
  } else {
    QUERN_CL(*api_, clEnqueueCopyBuffer(id(queue), as_buffer(from).mem, as_buffer(to).mem, from.offset,
                                        to.offset, bytes, 0, nullptr, nullptr));
  }
  return {};
}

Result<> Device::fill(driver::Queue& queue, driver::Place to, uint64_t value, uint32_t width,
                      uint64_t bytes) {
  if (bytes == 0) return {};
  // Both calls want the place to be a multiple of the pattern.
  if (to.offset % width != 0) return driver::Device::fill(queue, to, value, width, bytes);
  if (has_addresses()) {
    QUERN_CL(*api_, clEnqueueSVMMemFill(id(queue), address(to), &value, width, bytes, 0, nullptr, nullptr));
  } else {
    QUERN_CL(*api_, clEnqueueFillBuffer(id(queue), as_buffer(to).mem, &value, width, to.offset, bytes, 0,
                                        nullptr, nullptr));
  }
  return {};
}

}  // namespace quern::opencl
