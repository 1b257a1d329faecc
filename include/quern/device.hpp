/// @file
/// Devices: list them, open one, allocate memory, run kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/argument.hpp"
#include "quern/buffer.hpp"
#include "quern/export.hpp"
#include "quern/feature.hpp"
#include "quern/graph.hpp"
#include "quern/module.hpp"
#include "quern/stream.hpp"
#include "quern/subscription.hpp"
#include "quern/types/device.hpp"
#include "quern/types/memory.hpp"
#include "quern/types/telemetry.hpp"

namespace quern {

namespace runtime {
class Device;
}

class Device;

namespace detail {
Device public_device(std::shared_ptr<runtime::Device> device);
}

/// An allocation or a deallocation.
struct MemoryEvent {
  bool is_new = false;  ///< True: allocated. False: freed.
  /// The buffer.
  MemoryUse buffer;
};

/// An open device.
///
/// A cheap handle: copies refer to the same device, which closes when the last handle, buffer, stream and
/// module is destroyed. All member functions are thread-safe. Errors are reported by throwing Error.
class QUERN_API Device {
 public:
  /// Not open.
  Device() = default;
  /// Whether it is open.
  explicit operator bool() const { return state_ != nullptr; }

  /// Name, for example "NVIDIA H200".
  std::string name() const;
  /// Driver, for example "cuda".
  std::string driver() const;
  /// All properties. The reference is valid as long as a handle of the device, or anything created on it,
  /// exists. A device of a Session has other properties after it was replaced.
  const DeviceInfo& info() const&;
  /// The same for a temporary handle.
  DeviceInfo info() && { return std::as_const(*this).info(); }

  /// Allocates `count` uninitialized elements. `label` appears in error messages and in buffers().
  /// Throws Error with kind `out_of_memory`; the pool has been trimmed and the allocation retried before
  /// that.
  template <detail::Plain T>
  [[nodiscard]] Buffer<T> allocate(std::size_t count, MemoryKind kind = MemoryKind::device,
                                   std::string_view label = {}) const {
    detail::Bytes bytes;
    auto memory = allocate_bytes(count, sizeof(T), kind, label, bytes);
    return Buffer<T>(std::move(memory), bytes);
  }
  /// Copies a contiguous range to a new buffer. Blocking.
  template <std::ranges::contiguous_range R>
  [[nodiscard]] Buffer<std::ranges::range_value_t<R>> upload(const R& from,
                                                             std::string_view label = {}) const {
    using T = std::ranges::range_value_t<R>;
    Buffer<T> buffer = allocate<T>(std::ranges::size(from), MemoryKind::device, label);
    buffer.upload(std::span<const T>(std::ranges::data(from), std::ranges::size(from)));
    return buffer;
  }

  /// Loads a module from a source file.
  Module load(const std::string& path, const ModuleOptions& options = {}) const;
  /// Loads a module from source text.
  Module compile(std::string text, const ModuleOptions& options = {}) const;

  /// Enqueues a kernel on the default stream and returns immediately. See Stream::launch.
  template <typename K, typename... A>
  Receipt launch(const K& kernel, const LaunchConfig& config, A&&... arguments) const {
    return stream().launch(kernel, config, std::forward<A>(arguments)...);
  }
  /// Why this is not the requested device (Policy); empty if it is.
  std::string fallback_reason() const;
  /// The default stream. It does not synchronize with other streams.
  const Stream& stream() const;
  /// Creates a stream. Drivers without priorities ignore `priority`.
  [[nodiscard]] Stream create_stream(int priority = 0) const;
  /// Blocks until all streams except persistent ones are idle. Throws errors of their work.
  void synchronize() const;

  /// Passes the output of kernel `printf` on this device to `callback` until the returned object is
  /// destroyed. Of several callbacks, the latest gets the output; without one, or if it is empty, the output
  /// goes to the standard output. Output is delivered when:
  ///  - the host synchronizes with a stream, an event or the device, also through a blocking copy;
  ///  - a stream or the device is closed;
  ///  - a kernel that prints is launched (only the output that is already available).
  /// Synchronize before the returned object is destroyed. A process that ends without any of these prints
  /// nothing. A device buffers a limited amount (about 1 MiB) between two of these points: further calls are
  /// dropped, and a last line says how many.
  ///
  /// Calls do not overlap; any thread that uses the device may make them. The function must not use the
  /// device: such calls throw ErrorKind::invalid_use. On `cuda` and `hip` it has no effect: their drivers
  /// write to the standard output themselves, at the same points.
  [[nodiscard]] Subscription on_output(std::function<void(std::string_view text)> callback) const;

  /// Reads the device's sensors: temperature, power, clocks, utilization, memory, reasons for throttling.
  /// Values of the whole device, not only of this process. `Telemetry::missing` says why a value is absent;
  /// this function throws only if the device is not open. It takes up to a few milliseconds, and the first
  /// calls up to 100 ms where utilization or power are computed from counters: they refer to the time since
  /// the previous call. See docs/telemetry.md.
  Telemetry telemetry() const;

  /// Free device memory in bytes; 0 if unknown.
  std::uint64_t free_bytes() const;
  /// Statistics of memory and pool.
  MemoryStatistics memory() const;
  /// All live buffers of this device, largest first.
  std::vector<MemoryUse> buffers() const;
  /// Returns unused memory of the pool to the driver.
  void trim() const;
  /// Limits the memory that may be allocated from the driver, in bytes (0: unlimited). Returns the previous
  /// limit. QUERN_MEMORY_LIMIT sets the initial one. MemoryLimit restores it automatically.
  std::uint64_t limit_memory(std::uint64_t bytes) const;
  /// Calls `callback` for every allocation and deallocation until the returned object is destroyed. The
  /// callback may run on any thread and must not use the device. See also memory.hpp.
  [[nodiscard]] Subscription watch_memory(std::function<void(const MemoryEvent&)> callback) const;

  /// Spawns an inline actor: gpu.spawn(Counter{}). Needs quern/ring.hpp.
  template <typename A, typename... Options>
  auto spawn(const A& actor, const Options&... options) const {
    return spawn_actor(*this, actor, options...);
  }

  /// Records the commands that `work` submits to the given stream. Nothing runs during recording.
  [[nodiscard]] Graph record(const std::function<void(const Stream&)>& work) const;

 private:
  friend Device detail::public_device(std::shared_ptr<runtime::Device>);
  friend class Stream;
  friend struct detail::Access;
  explicit Device(std::shared_ptr<detail::DeviceState> state) : state_(std::move(state)) {}
  detail::OwnedMemory allocate_bytes(std::size_t count, std::size_t element, MemoryKind kind,
                                     std::string_view label, detail::Bytes& bytes) const;
  std::shared_ptr<detail::DeviceState> state_;
};

/// A request for a device.
struct DeviceRequest {
  std::string device = {};                              ///< As for open().
  std::function<bool(const DeviceInfo&)> accepts = {};  ///< Rejects candidates by returning false.
  /// What happens if no device matches.
  Policy policy = Policy::require;
};

/// Opens a device.
///
/// `which` is empty for the best device (or the one that QUERN_DEVICE names), or one of:
///  - a driver: "cuda"
///  - one device of a driver: "cuda:1"
///  - a number in `quern devices`: "2"
///  - a kind: "gpu", "discrete", "integrated", "virtual"
///  - part of a name: "H200"
///  - the simulator with options: "sim,seed=7"
/// Options follow after commas: "gpu,has=fp64+warps" for required features, "cuda,policy=prefer", and
/// "cuda,time_limit=5": a call that takes longer than 5 seconds fails with kind `timeout`, and the device is
/// lost (QUERN_TIME_LIMIT=5 for all devices). `accepts` rejects candidates by returning false. Throws Error
/// with kind `not_found` if no device matches.
[[nodiscard]] QUERN_API Device open(const DeviceRequest& request);
/// The same, as text and condition.
[[nodiscard]] QUERN_API Device open(std::string_view which = {},
                                    const std::function<bool(const DeviceInfo&)>& accepts = {});

/// All devices of this machine, best first.
QUERN_API std::vector<DeviceInfo> devices();

}  // namespace quern
