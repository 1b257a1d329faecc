// Optional extensions of the driver interface for interoperability with other APIs. A Device that shares its
// native handles also derives from Interop, and its Driver from InteropDriver where it can use a native
// device that somebody else created; the layer above finds both by dynamic_cast.
//
// The rules of driver.hpp hold. Each call has a default that returns ErrorKind::unsupported, so a driver
// implements what its API has. The layer above has checked ranges and owners, and `keep_alive` may be null.
// Objects that these calls return hold `keep_alive` until they are destroyed and do not free what they did
// not allocate.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"
#include "quern/interop/handles.hpp"

namespace quern::driver {

using interop::KeepAlive;
using interop::SharedMemory;
using interop::ShareKind;
using interop::detail::AnyBuffer;
using interop::detail::AnyDevice;
using interop::detail::AnyEvent;
using interop::detail::AnyStream;

class Interop {
 public:
  virtual ~Interop() = default;
  Interop(const Interop&) = delete;
  Interop& operator=(const Interop&) = delete;

  // Handles out: they stay the driver's.
  virtual Result<AnyDevice> native_device();
  virtual Result<AnyBuffer> native_buffer(Place place);
  virtual Result<AnyStream> native_stream(Stream& stream);
  virtual Result<AnyEvent> native_event(Event& event);  // it was recorded

  // Handles in. A handle of another API, or that the driver can see to be of another device, is
  // ErrorKind::invalid_use.
  virtual Result<std::unique_ptr<Buffer>> adopt_buffer(const AnyBuffer& handle, uint64_t bytes,
                                                       KeepAlive keep_alive);
  virtual Result<std::unique_ptr<Stream>> adopt_stream(const AnyStream& handle, KeepAlive keep_alive);
  virtual Result<> wait_native(Stream& stream, const AnyEvent& event);  // as Device::wait

  // Memory shared between processes. `bytes` is not 0.
  virtual Result<std::unique_ptr<Buffer>> allocate_shared(uint64_t bytes, ShareKind kind);
  virtual Result<SharedMemory> export_memory(Buffer& buffer);  // one of allocate_shared
  virtual Result<std::unique_ptr<Buffer>> import_memory(const SharedMemory& memory);

 protected:
  Interop() = default;
};

class InteropDriver {
 public:
  virtual ~InteropDriver() = default;
  InteropDriver(const InteropDriver&) = delete;
  InteropDriver& operator=(const InteropDriver&) = delete;

  // The driver was started. The device keeps `keep_alive` until it is destroyed.
  virtual Result<std::unique_ptr<Device>> open_native(const AnyDevice& handle, KeepAlive keep_alive) = 0;

 protected:
  InteropDriver() = default;
};

// "<what> failed: the driver does not support it", ErrorKind::unsupported.
base::Error no_interop(std::string_view what);
// "<what> failed: the handle belongs to <its API>, and the device to <api>", ErrorKind::invalid_use.
base::Error wrong_api(std::string_view what, std::string_view api);
// The kind of memory cannot be shared by this driver: ErrorKind::unsupported.
base::Error wrong_share_kind(ShareKind kind, std::string_view supported);
std::string_view name(ShareKind kind);

}  // namespace quern::driver
