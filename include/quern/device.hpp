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
#include "quern/exclusive_access.hpp"
#include "quern/export.hpp"
#include "quern/feature.hpp"
#include "quern/graph.hpp"
#include "quern/module.hpp"
#include "quern/stream.hpp"

namespace quern {

namespace runtime {
class Device;
}

class Device;

namespace detail {
Device public_device(std::shared_ptr<runtime::Device> device);
}

/// The kind of a device.
enum class DeviceKind { discrete, integrated, virtual_gpu, cpu, simulated, other };

/// Where a buffer's memory is. Allocation throws Error with kind `unsupported` if the device does not support
/// the kind.
///  - `device`: device memory.
///  - `pinned`: page-locked host memory, the fastest source and destination of copies. On devices without it,
///    device memory with an empty host().
///  - `shared`: host and device access it in place; the best kind that the device has.
///  - `managed`: shared memory that migrates to the processor that uses it.
///  - `mapped`: host memory that kernels access.
///  - `host_backed`: as `mapped`; it survives the loss of a session's device (Device::survives_device_loss).
enum class MemoryKind { device, pinned, shared, managed, mapped, host_backed };

/// Properties of a device.
struct DeviceInfo {
  std::string name;         ///< "NVIDIA H200"
  std::string driver;       ///< "cuda"
  std::uint32_t index = 0;  ///< Among the devices of the driver.
  DeviceKind kind = DeviceKind::other;
  std::string vendor;
  std::string driver_version;
  std::string api_version;  ///< "CUDA 13.0"
  std::string uuid;         ///< Empty if unknown.
  std::string pci;          ///< Empty if unknown.
  std::uint64_t memory_bytes = 0;
  std::uint32_t compute_units = 0;
  std::uint32_t clock_mhz = 0;
  std::uint32_t warp_size = 0;
  std::uint32_t max_block_threads = 0;
  Dim3 max_block, max_grid;
  std::uint32_t max_cluster_blocks = 0;  ///< 0: no clusters.
  std::uint64_t shared_bytes = 0;        ///< Shared memory per block.
  std::vector<Feature> features;
  /// Further properties as name and text.
  std::vector<std::pair<std::string, std::string>> details;
  int score = 0;  ///< Used for selection; the highest score is the default.
  /// The id of the same hardware under the preferred driver; empty if this is the preferred one.
  std::string same_as;
  std::vector<std::string> also_as;  ///< Ids of the same hardware under other drivers.

  /// Driver and index, for example "cuda:0".
  std::string id() const { return driver + ":" + std::to_string(index); }
  /// Whether the device has a feature.
  QUERN_API bool has(Feature feature) const;
};

/// Memory of a device, in bytes.
struct MemoryStatistics {
  std::uint64_t in_use = 0, peak = 0;          ///< Allocated by the program: now, at most.
  std::uint64_t buffers = 0, allocations = 0;  ///< Live buffers; allocations so far.
  std::uint64_t reserved = 0;                  ///< Allocated from the driver: the pool and large buffers.
  std::uint64_t pool = 0, pool_idle = 0;       ///< Of these: the pool, and its unused part.
  std::uint64_t largest_free = 0;              ///< Largest contiguous free range of the pool.
  std::uint64_t limit = 0;                     ///< 0: unlimited.
  double fragmentation = 0;                    ///< Share of the pool that was unused even at its peak.
};

/// One buffer.
struct MemoryUse {
  std::uint64_t number = 0;  ///< Never used for another buffer of the program.
  std::uint64_t bytes = 0;
  std::string label;  ///< As passed to allocate() or upload().
};

/// An allocation or a deallocation.
struct MemoryEvent {
  bool is_new = false;  ///< True: allocated. False: freed.
  MemoryUse buffer;
};

/// An open device.
///
/// A cheap handle: copies refer to the same device, which closes when the last handle, buffer, stream and
/// module is destroyed. All member functions are thread-safe. Errors are reported by throwing Error.
class QUERN_API Device {
 public:
  Device() = default;
  explicit operator bool() const { return state_ != nullptr; }

  /// Name, for example "NVIDIA H200".
  std::string name() const;
  /// Driver, for example "cuda".
  std::string driver() const;
  /// All properties.
  DeviceInfo info() const;

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
  void launch(const K& kernel, const LaunchConfig& config, A&&... arguments) const {
    stream().launch(kernel, config, std::forward<A>(arguments)...);
  }
  /// The same; returns the receipt of the launch.
  template <typename K, typename... A>
  [[nodiscard]] Receipt launch(const K& kernel, const LaunchWithReceipt& launched, A&&... arguments) const {
    return stream().launch(kernel, launched, std::forward<A>(arguments)...);
  }
  /// Why this is not the requested device (Policy); empty if it is.
  std::string fallback_reason() const;
  /// The default stream. It does not synchronize with other streams.
  const Stream& stream() const;
  /// Creates a stream. Drivers without priorities ignore `priority`.
  [[nodiscard]] Stream create_stream(int priority = 0) const;
  /// Creates a stream for a persistent kernel. synchronize() and the release of buffers do not wait for it,
  /// so keep everything that the kernel uses until it has ended.
  [[nodiscard]] Stream create_persistent_stream() const;
  /// Registers a persistent kernel, which would block driver calls that wait for all kernels (on CUDA,
  /// loading code). `suspend` is called before such a call and must make the kernel end soon; `resume` is
  /// called when it may be launched again. Both may be called on any thread and must not block. They apply
  /// until the returned object is destroyed.
  [[nodiscard]] std::shared_ptr<void> register_persistent_kernel(std::function<void()> suspend,
                                                                 std::function<void()> resume) const;
  /// Blocks until all streams except persistent ones are idle. Throws errors of their work.
  void synchronize() const;

  /// Sets the function that receives the output of kernel `printf` on this device. Without one (the default,
  /// or after an empty function) the output goes to the standard output. Output is delivered when:
  ///  - the host synchronizes with a stream, an event or the device, also through a blocking copy;
  ///  - a stream or the device is closed;
  ///  - a kernel that prints is launched (only the output that is already available).
  /// A process that ends without any of these prints nothing. A device buffers a limited amount (about 1 MiB)
  /// between two of these points: further calls are dropped, and a last line says how many.
  ///
  /// Calls do not overlap; any thread that uses the device may make them. The function must not use the
  /// device: such calls throw ErrorKind::invalid_use. On `cuda` and `hip` it has no effect: their drivers
  /// write to the standard output themselves, at the same points.
  void on_output(std::function<void(std::string_view text)> callback) const;

  /// Whether persistent kernels are possible on this session's device now. Such a kernel can access
  /// MemoryKind::host_backed. It is not recovered after a device loss: launch it again on a new persistent
  /// stream when losses() has increased.
  bool survives_device_loss() const;
  /// Number of device losses so far.
  std::uint64_t losses() const;
  /// Exclusive access to buffers, until the returned object is destroyed: only ExclusiveAccess::keep may use
  /// them, unless the access is open.
  [[nodiscard]] std::shared_ptr<ExclusiveAccess> exclusive_access(std::span<const Argument> buffers) const;

  /// Free device memory in bytes; 0 if unknown.
  std::uint64_t free_bytes() const;
  /// Statistics of memory and pool.
  MemoryStatistics memory() const;
  /// All live buffers of this device, largest first.
  std::vector<MemoryUse> buffers() const;
  /// Returns unused memory of the pool to the driver.
  void trim() const;
  /// Limits the memory that may be allocated from the driver, in bytes (0: unlimited). Returns the previous
  /// limit. QUERN_MEMORY_LIMIT sets the initial one.
  std::uint64_t limit_memory(std::uint64_t bytes) const;
  /// Calls `callback` for every allocation and deallocation until the returned object is destroyed. The
  /// callback may run on any thread and must not use the device. See also memory.hpp.
  [[nodiscard]] std::shared_ptr<void> watch_memory(std::function<void(const MemoryEvent&)> callback) const;

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
  friend struct interop::detail::Access;
  explicit Device(std::shared_ptr<detail::DeviceState> state) : state_(std::move(state)) {}
  detail::OwnedMemory allocate_bytes(std::size_t count, std::size_t element, MemoryKind kind,
                                     std::string_view label, detail::Bytes& bytes) const;
  std::shared_ptr<detail::DeviceState> state_;
};

/// What happens if no device matches a request. The use of another device is logged and reported by
/// Device::fallback_reason and in receipts. QUERN_STRICT=1 turns all policies into `require`.
enum class Policy {
  require,  ///< An error.
  prefer,   ///< The best other device that meets the conditions (`accepts` and has=…).
  allow,    ///< The same, otherwise any device.
};

/// A request for a device.
struct DeviceRequest {
  std::string device = {};                              ///< As for open().
  std::function<bool(const DeviceInfo&)> accepts = {};  ///< Rejects candidates by returning false.
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
[[nodiscard]] QUERN_API Device open(std::string_view which = {},
                                    const std::function<bool(const DeviceInfo&)>& accepts = {});

/// All devices of this machine, best first.
QUERN_API std::vector<DeviceInfo> devices();

}  // namespace quern
