#include <algorithm>
#include <cstring>
#include <vector>

#include "driver/opengl/device.hpp"
#include "driver/opengl/messages.hpp"
#include "driver/support/messages.hpp"

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

using Work = std::function<Result<>(Gl&)>;
constexpr uint64_t kSmall = 64 << 10;

Work upload_work(BufferId to, uint64_t at, const void* from, uint64_t bytes) {
  if (bytes <= kSmall) {
    const auto* const first = static_cast<const std::byte*>(from);
    return [to, at, data = std::vector(first, first + bytes)](Gl& gl) {
      return write_now(gl, to, at, data.data(), data.size());
    };
  }
  return [to, at, from, bytes](Gl& gl) -> Result<> {
    // Some drivers wait for launches in this call; the host memory may be freed when it returns.
    QUERN_TRY(gl.settle());
    QUERN_TRY(gl.loss->alive());
    return write_now(gl, to, at, from, bytes);
  };
}

Result<> copy_now(Gl& gl, BufferId to, uint64_t to_offset, BufferId from, uint64_t from_offset,
                  uint64_t bytes) {
  gl->glBindBuffer(kCopyRead, from);
  gl->glBindBuffer(kCopyWrite, to);
  gl->glCopyBufferSubData(kCopyRead, kCopyWrite, whole(from_offset), whole(to_offset), whole(bytes));
  return gl.check("glCopyBufferSubData");
}

// OpenGL ES has no fill: writes one stretch of the pattern, and copies it repeatedly.
Work fill_work(BufferId to, const driver::Command& c) {
  std::vector<std::byte> pattern(std::min(c.bytes, kSmall));
  for (uint64_t i = 0; i < pattern.size(); i += c.width) std::memcpy(pattern.data() + i, &c.value, c.width);
  return [to, at = c.to.offset, bytes = c.bytes, pattern = std::move(pattern)](Gl& gl) -> Result<> {
    QUERN_TRY(write_now(gl, to, at, pattern.data(), pattern.size()));
    for (uint64_t done = pattern.size(); done < bytes; done *= 2)
      QUERN_TRY(copy_now(gl, to, at + done, to, at, std::min(done, bytes - done)));
    return {};
  };
}

Result<> read_now(Gl& gl, void* to, BufferId from, uint64_t offset, uint64_t bytes) {
  QUERN_TRY(gl.settle());  // the call below would wait forever
  gl->glBindBuffer(kCopyRead, from);
  const void* mapped = gl->glMapBufferRange(kCopyRead, whole(offset), whole(bytes), kMapRead);
  if (mapped == nullptr) {
    QUERN_TRY(gl.check("glMapBufferRange"));
    return Error(ErrorKind::internal, message::kMapFailed());
  }
  const Result<> copied = gl.copy(to, mapped, bytes);
  (void)gl->glUnmapBuffer(kCopyRead);
  QUERN_TRY(copied);
  return gl.check("glUnmapBuffer");
}

}  // namespace

Buffer::~Buffer() {
  if (id == 0 || is_adopted) return;
  context_->post([which = id](Gl& gl) { gl->glDeleteBuffers(1, &which); });
}

Result<std::unique_ptr<driver::Buffer>> Device::allocate(uint64_t bytes, driver::MemoryKind kind) {
  QUERN_TRY(alive());
  if (kind == driver::MemoryKind::shared)
    return Error(ErrorKind::unsupported, driver::message::kNoSharedMemory(info_.name));
  auto buffer = std::make_unique<Buffer>(context_);
  const uint64_t size = (bytes + 7) / 4 * 4;  // kernels access whole words
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

Result<Device::Work> Device::work_for(driver::Stream& stream, const driver::Command& c) {
  using Kind = driver::Command::Kind;
  switch (c.kind) {
    case Kind::kLaunch: return launch_work(stream, c);
    case Kind::kUpload: return upload_work(id(c.to), c.to.offset, c.source, c.bytes);
    case Kind::kDownload:
      return Work([to = c.target, from = id(c.from), at = c.from.offset, bytes = c.bytes](Gl& gl) {
        return read_now(gl, to, from, at, bytes);
      });
    case Kind::kCopy:
      return Work([c, to = id(c.to), from = id(c.from)](Gl& gl) {
        return copy_now(gl, to, c.to.offset, from, c.from.offset, c.bytes);
      });
    case Kind::kFill: return fill_work(id(c.to), c);
  }
  return Error(ErrorKind::internal, driver::message::kUnknownCommand());
}

}  // namespace quern::opengl
