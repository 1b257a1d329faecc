/// @file
/// Extension interface of devices: functions for libraries on top of this one, such as ring kernels and
/// operations. Programs do not need it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "quern/argument.hpp"
#include "quern/device.hpp"
#include "quern/export.hpp"
#include "quern/stream.hpp"
#include "quern/subscription.hpp"

namespace quern {

namespace driver {
struct ExclusiveAccess;
}

/// Functions for libraries on top of this one. All are thread-safe and throw Error with kind `invalid_use` if
/// the device is not open.
namespace extension {

/// Data of a library that belongs to a device: made by the first call with this key, destroyed with the
/// device's last handle. It may hold modules, kernels and buffers, but no Device and no Stream, which would
/// keep the device open.
[[nodiscard]] QUERN_API std::shared_ptr<void> device_data(const Device& device, const void* key,
                                                          const std::function<std::shared_ptr<void>()>& make);

/// Exclusive access to buffers of a persistent kernel. Returned by exclusive_access(); ends when it is
/// destroyed. Thread-safe.
class QUERN_API ExclusiveAccess {
 public:
  /// Used by exclusive_access(). `release` ends the access.
  ExclusiveAccess(std::shared_ptr<driver::ExclusiveAccess> native, std::function<void()> release)
      : native_(std::move(native)), release_(std::move(release)) {}
  ~ExclusiveAccess();  ///< Ends the access.
  ExclusiveAccess(const ExclusiveAccess&) = delete;
  ExclusiveAccess& operator=(const ExclusiveAccess&) = delete;

  /// While open (the kernel does not run), everybody may use the buffers.
  void open(bool is_open) const;
  /// Whether anybody used the buffers since the last call.
  bool take_touched() const;
  /// Runs `work`; the calling thread may use the buffers in it.
  void keep(const std::function<void()>& work) const;

 private:
  std::shared_ptr<driver::ExclusiveAccess> native_;
  std::function<void()> release_;
};

/// Creates a stream for a persistent kernel. Device::synchronize and the release of buffers do not wait for
/// it, so keep everything that the kernel uses until it has ended.
[[nodiscard]] QUERN_API Stream create_persistent_stream(const Device& device);

/// Registers a persistent kernel, which would block driver calls that wait for all kernels (on CUDA, loading
/// code). `suspend` is called before such a call and must make the kernel end soon; `resume` is called when
/// it may be launched again. Both may be called on any thread and must not block.
[[nodiscard]] QUERN_API Subscription register_persistent_kernel(const Device& device,
                                                                std::function<void()> suspend,
                                                                std::function<void()> resume);

/// Whether persistent kernels are possible on a session's device now. Such a kernel can access
/// MemoryKind::host_backed. It is not recovered after a device loss: launch it again on a new persistent
/// stream when losses() has increased.
[[nodiscard]] QUERN_API bool survives_device_loss(const Device& device);

/// Number of losses of the device so far; 0 unless it belongs to a Session.
[[nodiscard]] QUERN_API std::uint64_t losses(const Device& device);

/// Exclusive access to the buffers among the arguments, until the returned object is destroyed: only
/// ExclusiveAccess::keep may use them, unless the access is open. Other uses wait.
[[nodiscard]] QUERN_API std::shared_ptr<ExclusiveAccess> exclusive_access(const Device& device,
                                                                          std::span<const Argument> buffers);

}  // namespace extension
}  // namespace quern
