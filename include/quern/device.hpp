// Devices: find them, open one, put data on it, run kernels.
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
#include "quern/claim.hpp"
#include "quern/export.hpp"
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

enum class DeviceKind { discrete, integrated, virtual_gpu, cpu, simulated, other };

// Where memory lives. automatic: the device's own. pinned: the host's, which is copied at full speed; the
// device's own, whose host() is empty, where its interface has no such memory. shared: host and device read
// and write it in place, in the best way that the device has; managed: where that moves to who uses it;
// mapped: where it stays with the host; lasting: the same, and it outlives the device of a session
// (Device::outlasts). What a device has not it refuses.
enum class Memory { automatic, device, pinned, shared, managed, mapped, lasting };

struct DeviceInfo {
  std::string name;    // "NVIDIA H200"
  std::string driver;  // "cuda"
  std::uint32_t index = 0;
  DeviceKind kind = DeviceKind::other;
  std::string vendor;
  std::string driver_version;
  std::string api_version;  // "CUDA 13.0"
  std::string uuid;         // both empty where not known
  std::string pci;
  std::uint64_t memory_bytes = 0;
  std::uint32_t compute_units = 0;
  std::uint32_t clock_mhz = 0;
  std::uint32_t warp_size = 0;
  std::uint32_t max_block_threads = 0;
  Dim3 max_block, max_grid;
  std::uint32_t max_cluster_blocks = 0;  // 0: it has no clusters
  std::uint64_t shared_bytes = 0;        // of a block
  std::vector<std::string> features;     // "fp64", "atomics64", …
  std::vector<std::pair<std::string, std::string>> details;
  int score = 0;
  std::string same_as;               // the id of the driver that is preferred for this hardware; empty: it is
  std::vector<std::string> also_as;  // ids under which other drivers have the same hardware

  std::string id() const { return driver + ":" + std::to_string(index); }
  QUERN_API bool has(std::string_view feature) const;
};

struct MemoryStatistics {
  std::uint64_t in_use = 0, peak = 0;          // bytes that the program asked for
  std::uint64_t buffers = 0, allocations = 0;  // that are there; that were ever made
  std::uint64_t reserved = 0;                  // bytes of the driver's: the pool, and large buffers
  std::uint64_t pool = 0, pool_idle = 0;       // of these: the pool's, and those of it that nobody has
  std::uint64_t largest_free = 0;              // in one piece of the pool
  std::uint64_t limit = 0;                     // 0: none
  double fragmentation = 0;                    // share of the pool that was not in use even at its peak
};

struct MemoryUse {
  std::uint64_t number = 0;  // no other buffer of the program ever has it
  std::uint64_t bytes = 0;
  std::string label;  // as given to allocate() or upload()
};

struct MemoryEvent {
  bool is_new = false;  // else the buffer goes
  MemoryUse buffer;
};

// An open device. Copies refer to the same one; it closes when the last copy, buffer, stream and module is
// gone.
class QUERN_API Device {
 public:
  Device() = default;
  explicit operator bool() const { return state_ != nullptr; }

  std::string name() const;    // "NVIDIA H200"
  std::string driver() const;  // "cuda"
  DeviceInfo info() const;

  template <detail::Plain T>
  Buffer<T> allocate(std::size_t count, Memory kind = Memory::automatic, std::string_view label = {}) const {
    detail::Bytes bytes;
    auto memory = allocate_bytes(count, sizeof(T), kind, label, bytes);
    return Buffer<T>(std::move(memory), bytes);
  }
  // A new buffer with a copy of the elements.
  template <std::ranges::contiguous_range R>
  Buffer<std::ranges::range_value_t<R>> upload(const R& from, std::string_view label = {}) const {
    using T = std::ranges::range_value_t<R>;
    Buffer<T> buffer = allocate<T>(std::ranges::size(from), Memory::automatic, label);
    buffer.upload(std::span<const T>(std::ranges::data(from), std::ranges::size(from)));
    return buffer;
  }

  Module load(const std::string& path, const ModuleOptions& options = {}) const;  // from a file
  Module compile(std::string text, const ModuleOptions& options = {}) const;      // from a text

  // On the device's own stream, in order with its other work.
  template <typename K, typename... A>
  void launch(const K& kernel, const Shape& shape, const A&... arguments) const {
    stream().launch(kernel, shape, arguments...);
  }
  // Why it is not the device that was asked for (Policy); empty: it is.
  std::string instead() const;
  const Stream& stream() const;
  Stream create_stream(int priority = 0) const;
  // For a kernel that does not return by itself: synchronize() and the freeing of buffers do not wait for it,
  // so what it uses must be kept until it has ended.
  Stream create_endless_stream() const;
  // Such a kernel is in the way of calls that wait for all kernels, as compiling is on CUDA: `leave` is
  // called before these and must make it end soon, `come_back` when it may be launched again. By any thread;
  // they must not wait. For as long as what this yields lives.
  std::shared_ptr<void> be_resident(std::function<void()> leave, std::function<void()> come_back) const;
  void synchronize() const;  // all streams but endless ones

  /// Sets the function that receives the output of kernel `printf` on this device. Without one (the default,
  /// or after an empty function) the output goes to the standard output. It is delivered when the host
  /// synchronizes with a stream, an event or the device, by blocking copies, when a stream or the device is
  /// closed, and, as far as it is there, when a kernel that prints is launched. A process that ends without
  /// any of these prints nothing. A device buffers a limited amount (about 1 MiB) between two of these
  /// points: further calls are dropped, and a last line says how many.
  ///
  /// Calls do not overlap; any thread that uses the device may make them. The function must not use the
  /// device: such calls throw ErrorKind::invalid_use. On `cuda` and `hip` it has no effect: their drivers
  /// write to the standard output themselves, at the same points.
  void on_output(std::function<void(std::string_view text)> callback) const;

  // For whoever keeps a kernel on the device of a session. It sees Memory::lasting and is not brought back
  // after a loss: it has to be launched again when losses() has grown, on another endless stream.
  bool outlasts() const;  // whether such kernels are possible there now
  std::uint64_t losses() const;
  // Nobody but `Claim::keep` uses these buffers any more unless the claim is open, for as long as it lives.
  std::shared_ptr<Claim> claim(std::span<const Argument> buffers) const;

  std::uint64_t free_bytes() const;  // memory that is free now; 0: not known
  MemoryStatistics memory() const;
  std::vector<MemoryUse> buffers()
      const;          // those that are there, of all who use this device, the largest first
  void trim() const;  // gives memory that nobody uses back to the driver
  // Bytes that may be had of the driver, 0: no limit. Yields the one before. QUERN_MEMORY_LIMIT is the first.
  std::uint64_t limit_memory(std::uint64_t bytes) const;
  // Hears of every buffer that comes or goes, for as long as what this yields lives. It must not use the
  // device. memory.hpp has ready ones.
  std::shared_ptr<void> watch_memory(std::function<void(const MemoryEvent&)> told) const;

  // An actor of QUERN_ACTOR and its options: gpu.spawn(Counter{}). Declared by quern/ring.hpp.
  template <typename A, typename... Options>
  auto spawn(const A& actor, const Options&... options) const {
    return spawn_actor(*this, actor, options...);
  }

  // What `work` does on the stream that it is given, to be run as often as wanted.
  Graph record(const std::function<void(const Stream&)>& work) const;

 private:
  friend Device detail::public_device(std::shared_ptr<runtime::Device>);
  friend class Stream;
  explicit Device(std::shared_ptr<detail::DeviceState> state) : state_(std::move(state)) {}
  detail::OwnedMemory allocate_bytes(std::size_t count, std::size_t element, Memory kind,
                                     std::string_view label, detail::Bytes& bytes) const;
  std::shared_ptr<detail::DeviceState> state_;
};

// What becomes of a request that cannot be met. Another device than the one that was asked for is told in the
// log, by Device::instead and in every receipt. QUERN_STRICT=1 makes all of them `require`.
enum class Policy {
  require,  // an error
  prefer,   // the best other device that meets the conditions: `accepts` and has=…
  allow,    // then any device at all
};

struct DeviceRequest {
  std::string device = {};                              // as for open()
  std::function<bool(const DeviceInfo&)> accepts = {};  // refuses candidates
  Policy policy = Policy::require;
};

// The best device; or the best of a driver ("cuda"), one of them ("cuda:1"), the one with a number in `quern
// devices` ("2"), the best of a kind ("gpu", "discrete", "integrated", "virtual"), one by a part of its name
// ("H200"), or the simulator with options ("sim,seed=7"). Behind commas: "gpu,has=fp64+warps" for what it
// must have, "cuda,policy=prefer". `accepts` may refuse candidates. QUERN_DEVICE answers when nothing is
// asked for. "cuda,time_limit=5": a call that takes longer than 5 seconds fails with ErrorKind::timeout, and
// the device is given up; so does QUERN_TIME_LIMIT=5 for all devices.
QUERN_API Device open(const DeviceRequest& request);
QUERN_API Device open(std::string_view which = {},
                      const std::function<bool(const DeviceInfo&)>& accepts = {});

// All devices of this machine, the best first.
QUERN_API std::vector<DeviceInfo> devices();

}  // namespace quern
