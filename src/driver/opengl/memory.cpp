#include <vector>

#include "driver/opengl/device.hpp"

namespace quern::opengl {

using base::Error;
using base::ErrorKind;

namespace {

BufferId id(driver::Place p) { return static_cast<Buffer&>(*p.buffer).id; }

intptr_t whole(uint64_t n) { return static_cast<intptr_t>(n); }

Result<> write_now(Gl& gl, BufferId to, uint64_t offset, const void* from, uint64_t bytes) {
  gl->glBindBuffer(kCopyWrite, to);
  gl->glBufferSubData(kCopyWrite, whole(offset), whole(bytes), from);
  return gl.check("glBufferSubData");
}

Result<> read_now(Gl& gl, void* to, BufferId from, uint64_t offset, uint64_t bytes) {
  QUERN_TRY(gl.settle());  // what follows would wait without end
  gl->glBindBuffer(kCopyRead, from);
  const void* mapped = gl->glMapBufferRange(kCopyRead, whole(offset), whole(bytes), kMapRead);
  if (mapped == nullptr) {
    QUERN_TRY(gl.check("glMapBufferRange"));
    return Error(ErrorKind::kInternal, "glMapBufferRange gives no memory");
  }
  const Result<> copied = gl.copy(to, mapped, bytes);
  (void)gl->glUnmapBuffer(kCopyRead);
  QUERN_TRY(copied);
  return gl.check("glUnmapBuffer");
}

}  // namespace

Buffer::~Buffer() {
  if (id == 0) return;
  context_->post([which = id](Gl& gl) { gl->glDeleteBuffers(1, &which); });
}

Result<std::unique_ptr<driver::Buffer>> Device::allocate(uint64_t bytes, driver::MemoryKind kind) {
  QUERN_TRY(alive());
  if (kind == driver::MemoryKind::kShared)
    return Error(ErrorKind::kUnsupported, info_.name + " shares no memory with the host");
  auto buffer = std::make_unique<Buffer>(context_);
  const uint64_t size = (bytes + 7) / 4 * 4;  // kernels see whole words
  QUERN_TRY_ASSIGN(buffer->id, context_->run<BufferId>([size](Gl& gl) -> Result<BufferId> {
    BufferId made = 0;
    gl->glGenBuffers(1, &made);
    gl->glBindBuffer(kCopyWrite, made);
    gl->glBufferData(kCopyWrite, whole(size), nullptr, kDynamicCopy);
    if (auto done = gl.check("glBufferData"); !done.ok()) {
      gl->glDeleteBuffers(1, &made);
      return std::move(done).error();
    }
    return made;
  }));
  buffer->bytes = bytes;
  buffer->kind = kind;
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

Result<> Device::upload(driver::Queue& queue, driver::Place to, const void* from, uint64_t bytes) {
  if (bytes == 0) return {};
  constexpr uint64_t kSmall = 64 << 10;
  if (bytes <= kSmall) {
    const auto* const first = static_cast<const std::byte*>(from);
    return hand_over(queue, [to = id(to), at = to.offset, data = std::vector(first, first + bytes)](Gl& gl) {
      return write_now(gl, to, at, data.data(), data.size());
    });
  }
  return hand_over(queue, [to = id(to), at = to.offset, from, bytes](Gl& gl) -> Result<> {
    // Some drivers wait in it for launches; the host's memory may be gone when that ends.
    QUERN_TRY(gl.settle());
    QUERN_TRY(gl.loss->alive());
    return write_now(gl, to, at, from, bytes);
  });
}

Result<> Device::download(driver::Queue& queue, void* to, driver::Place from, uint64_t bytes) {
  if (bytes == 0) return {};
  return hand_over(queue, [to, from = id(from), at = from.offset, bytes](Gl& gl) {
    return read_now(gl, to, from, at, bytes);
  });
}

Result<> Device::copy(driver::Queue& queue, driver::Place to, driver::Place from, uint64_t bytes) {
  if (bytes == 0) return {};
  return hand_over(queue, [=, to_id = id(to), from_id = id(from)](Gl& gl) -> Result<> {
    gl->glBindBuffer(kCopyRead, from_id);
    gl->glBindBuffer(kCopyWrite, to_id);
    gl->glCopyBufferSubData(kCopyRead, kCopyWrite, whole(from.offset), whole(to.offset), whole(bytes));
    return gl.check("glCopyBufferSubData");
  });
}

}  // namespace quern::opengl
