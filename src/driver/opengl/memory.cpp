#include <cstring>

#include "driver/opengl/device.hpp"

namespace quern::opengl {

using base::Error;
using base::ErrorKind;

namespace {

BufferId id(driver::Place p) { return static_cast<Buffer&>(*p.buffer).id; }

intptr_t whole(uint64_t n) { return static_cast<intptr_t>(n); }

}  // namespace

Buffer::~Buffer() {
  if (id == 0) return;
  context_->post([context = context_.get(), which = id] { context->gl().glDeleteBuffers(1, &which); });
}

Result<std::unique_ptr<driver::Buffer>> Device::allocate(uint64_t bytes, driver::MemoryKind kind) {
  QUERN_TRY(alive());
  if (kind == driver::MemoryKind::kShared)
    return Error(ErrorKind::kUnsupported, info_.name + " shares no memory with the host");
  auto buffer = std::make_unique<Buffer>(context_);
  const uint64_t size = (bytes + 7) / 4 * 4;  // kernels see whole words
  QUERN_TRY(context_->run<void>([&]() -> Result<> {
    const Api& gl = context_->gl();
    gl.glGenBuffers(1, &buffer->id);
    gl.glBindBuffer(kCopyWrite, buffer->id);
    gl.glBufferData(kCopyWrite, whole(size), nullptr, kDynamicCopy);
    return context_->check("glBufferData");
  }));
  buffer->bytes = bytes;
  buffer->kind = kind;
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

Result<> Device::write_now(BufferId to, uint64_t offset, const void* from, uint64_t bytes) const {
  const Api& gl = context_->gl();
  gl.glBindBuffer(kCopyWrite, to);
  gl.glBufferSubData(kCopyWrite, whole(offset), whole(bytes), from);
  return context_->check("glBufferSubData");
}

Result<> Device::read_now(void* to, BufferId from, uint64_t offset, uint64_t bytes) const {
  const Api& gl = context_->gl();
  gl.glBindBuffer(kCopyRead, from);
  const void* mapped = gl.glMapBufferRange(kCopyRead, whole(offset), whole(bytes), kMapRead);
  if (mapped == nullptr) {
    QUERN_TRY(context_->check("glMapBufferRange"));
    return Error(ErrorKind::kInternal, "glMapBufferRange gives no memory");
  }
  std::memcpy(to, mapped, bytes);
  (void)gl.glUnmapBuffer(kCopyRead);
  return context_->check("glUnmapBuffer");
}

Result<> Device::upload(driver::Queue& queue, driver::Place to, const void* from, uint64_t bytes) {
  if (bytes == 0) return {};
  return hand_over(queue, [this, to, from, bytes] { return write_now(id(to), to.offset, from, bytes); });
}

Result<> Device::download(driver::Queue& queue, void* to, driver::Place from, uint64_t bytes) {
  if (bytes == 0) return {};
  return hand_over(queue, [this, to, from, bytes] { return read_now(to, id(from), from.offset, bytes); });
}

Result<> Device::copy(driver::Queue& queue, driver::Place to, driver::Place from, uint64_t bytes) {
  if (bytes == 0) return {};
  return hand_over(queue, [this, to, from, bytes]() -> Result<> {
    const Api& gl = context_->gl();
    gl.glBindBuffer(kCopyRead, id(from));
    gl.glBindBuffer(kCopyWrite, id(to));
    gl.glCopyBufferSubData(kCopyRead, kCopyWrite, whole(from.offset), whole(to.offset), whole(bytes));
    return context_->check("glCopyBufferSubData");
  });
}

}  // namespace quern::opengl
