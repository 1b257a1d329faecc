// Buffer names of contexts that share their objects with ours.
#include "driver/interface/interop.hpp"

#include "base/text.hpp"
#include "driver/opengl/device.hpp"
#include "driver/opengl/messages.hpp"

namespace quern::opengl {

using base::Error;
using base::ErrorKind;

Result<driver::AnyDevice> Device::native_device() {
  return context_->run<driver::AnyDevice>([](Gl& gl) -> Result<driver::AnyDevice> {
    return driver::AnyDevice(
        interop::opengl::Device{gl->display, gl.native(), gl.is_es, gl.loses_on_reset()});
  });
}

Result<driver::AnyBuffer> Device::native_buffer(driver::Place place) {
  return driver::AnyBuffer(
      interop::opengl::Buffer{static_cast<const Buffer&>(*place.buffer).id, place.offset});
}

Result<std::unique_ptr<driver::Buffer>> Device::adopt_buffer(const driver::AnyBuffer& handle, uint64_t bytes,
                                                             driver::KeepAlive keep_alive) {
  QUERN_TRY(alive());
  const auto* const native = std::get_if<interop::opengl::Buffer>(&handle);
  if (native == nullptr) return driver::wrong_api("adopting memory", "opengl");
  if (native->offset != 0) return Error(ErrorKind::unsupported, message::kAdoptOffset());
  const uint64_t whole = (bytes + 3) / 4 * 4;  // kernels see whole words
  QUERN_TRY(context_->run<void>([name = native->name, whole](Gl& gl) -> Result<> {
    if (gl->get_buffer == nullptr) return driver::no_interop("adopting memory");
    int64_t size = 0;
    gl->glBindBuffer(kCopyRead, name);
    gl->get_buffer(kCopyRead, kBufferSize, &size);
    if (!gl.check("glGetBufferParameteri64v").ok()) size = 0;
    if (size >= 0 && static_cast<uint64_t>(size) >= whole) return {};
    return Error(ErrorKind::invalid_use,
                 message::kAdoptSize(std::to_string(name), std::to_string(size), std::to_string(whole)));
  }));
  auto buffer = std::make_unique<Buffer>(context_);
  buffer->id = native->name;
  buffer->is_adopted = true;
  buffer->bytes = bytes;
  buffer->keep_alive = std::move(keep_alive);
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

}  // namespace quern::opengl
