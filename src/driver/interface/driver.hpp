// The driver interface: what a native API must provide. A Driver finds and opens devices; a Device allocates
// memory, loads programs and runs them on streams. About fifteen calls are required; every other call has a
// default that works on any driver.
//
// Rules for drivers:
//  - The layer above validates everything: handles belong to this device, sizes and offsets are in range,
//    launches respect DeviceInfo::limits. A driver translates and never guesses.
//  - A call returns Result. It never throws, never aborts, and never logs an error that it also returns.
//    An unsupported operation returns ErrorKind::unsupported; a lost device returns ErrorKind::device_lost
//    from every later call.
//  - Any thread may call. The layer above serializes calls on the same Stream.
//  - Work on one stream runs in order. Only wait(Event&), synchronize and the destruction of a device block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "driver/interface/code.hpp"
#include "driver/interface/finding.hpp"
#include "driver/interface/info.hpp"
#include "driver/interface/stamp.hpp"
#include "quern/types/launch.hpp"
#include "quern/types/memory.hpp"
#include "quern/types/tensor_map.hpp"

namespace quern::ir {
struct Function;
}

namespace quern::driver {

template <typename T = void>
using Result = base::Result<T>;

// Base of all objects that a device creates. Drivers derive from the classes below; the destructor releases
// the native resources.
class Object {
 public:
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

 protected:
  Object() = default;
};

using quern::MemoryKind;
using quern::Occupancy;
using quern::TensorMapOptions;
using quern::detail::EncodedTensorMap;

class Buffer : public Object {
 public:
  uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  uint64_t address = 0;       // device address; 0 if the device has no addresses
  std::byte* host = nullptr;  // host pointer if the host may access the memory directly; else null
  // Host pointer for reading while nothing writes the buffer, even if `host` is null; null: not readable.
  const std::byte* host_view = nullptr;
};

class Kernel : public Object {
 public:
  KernelInfo info;
  uint32_t max_threads = 0;  // maximum block size given the code's resource use; 0: the device's limit
  uint32_t registers = 0;    // per thread; 0: not known
  uint64_t local_bytes = 0;  // per thread
  const ir::Function* function = nullptr;  // raw code that the driver parsed: valid while the program lives
};

class Module : public Object {};
class Stream : public Object {
 public:
  // If Device::takes_stamps(): the next submitted command takes the stamp and fills it. The stamp must
  // outlive the command.
  Stamp* stamp = nullptr;
  Stamp* take_stamp() { return std::exchange(stamp, nullptr); }
};
class Event : public Object {};

// An offset in a buffer.
struct Place {
  Buffer* buffer = nullptr;
  uint64_t offset = 0;
};

// One kernel argument: a place (possibly null) for a pointer parameter, else the bytes of the value.
struct Argument {
  Place place;
  const void* value = nullptr;
  uint32_t bytes = 0;
};

struct Launch {
  Dim3 grid;
  Dim3 block;
  uint64_t shared_bytes = 0;            // dynamic
  std::span<const Argument> arguments;  // one per parameter, in order; copied before launch() returns
  bool cooperative = false;  // all blocks are resident at the same time, so that they can synchronize
  Dim3 cluster{1, 1, 1};     // blocks per cluster; 1: no clusters
};

// One step of a graph.
struct Command {
  enum class Kind : uint8_t { kLaunch, kUpload, kDownload, kCopy, kFill };
  Kind kind = Kind::kLaunch;
  Kernel* kernel = nullptr;      // kLaunch
  Launch launch{};               // kLaunch
  Place to{};                    // kUpload, kCopy, kFill
  Place from{};                  // kDownload, kCopy
  const void* source = nullptr;  // kUpload: read each time the graph runs
  void* target = nullptr;        // kDownload
  uint64_t bytes = 0;            // all but kLaunch
  uint64_t value = 0;            // kFill
  uint32_t width = 0;            // kFill
};

// A sequence of commands that is instantiated once and run many times.
class Graph : public Object {
 public:
  std::span<const Command> commands;
  bool is_native = false;  // instantiated by the native API; else its commands are submitted one by one
};

// Driver-specific options as `key=value`, for example "seed=7" for sim. A driver rejects unknown keys.
using OpenOptions = std::vector<std::pair<std::string, std::string>>;

struct StreamOptions {
  int priority = 0;            // higher runs first, if the device supports priorities
  bool is_persistent = false;  // for a persistent kernel
};

class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  virtual const DeviceInfo& info() const = 0;

  // ---- required
  // -----------------------------------------------------------------------------------------------------

  // A buffer of exactly `bytes` bytes, with undefined contents. 0 bytes are valid: the buffer is usable in
  // copies of 0 bytes and as an argument. Device addresses are multiples of 16, and no two buffers overlap.
  //  - device: every device.
  //  - pinned: every device. Without page-locked memory it is device memory whose `host` is null.
  //  - shared: ErrorKind::unsupported without Feature::shared_memory. `host` is not null.
  //  - managed, mapped: the layer above asks only with managed_memory or mapped_memory. `host` is not null.
  //  - host_backed: never requested of a driver; the `recoverable` decorator implements it.
  // ErrorKind::out_of_memory if memory is exhausted or the size exceeds Limits::buffer_bytes; the device
  // stays usable.
  virtual Result<std::unique_ptr<Buffer>> allocate(uint64_t bytes, MemoryKind kind) = 0;

  virtual Result<std::unique_ptr<Module>> load(const Code& code) = 0;
  // The program must outlive the kernel. Returns ErrorKind::not_found for an unknown name.
  virtual Result<std::unique_ptr<Kernel>> kernel(Module& module, std::string_view name) = 0;

  virtual Result<std::unique_ptr<Stream>> create_stream(const StreamOptions& options) = 0;
  // Asynchronous. Host memory must stay valid and unchanged until the copy is complete. Offsets and sizes
  // are arbitrary numbers of bytes: a driver that copies words must keep the neighboring bytes. Copies of 0
  // bytes succeed, and the host pointer may then be null. Ranges of one copy() do not overlap.
  virtual Result<> upload(Stream& stream, Place to, const void* from, uint64_t bytes) = 0;
  virtual Result<> download(Stream& stream, void* to, Place from, uint64_t bytes) = 0;
  virtual Result<> copy(Stream& stream, Place to, Place from, uint64_t bytes) = 0;
  // No size of the grid, the block or the cluster is 0. The grid is a multiple of the cluster. `cooperative`
  // is set if the kernel requires it (KernelInfo::needs_cooperative); any kernel accepts it on a device with
  // Feature::grid_barrier. A kernel on a persistent stream may run until the host writes to memory that both
  // share; work on other streams proceeds meanwhile, if the device has Feature::persistent.
  virtual Result<> launch(Stream& stream, Kernel& kernel, const Launch& launch) = 0;

  virtual Result<std::unique_ptr<Event>> create_event() = 0;
  // Records the event after all work submitted so far. A later record replaces an earlier one.
  virtual Result<> record(Stream& stream, Event& event) = 0;
  // Work submitted to the stream after this call waits for the latest record of the event.
  virtual Result<> wait(Stream& stream, Event& event) = 0;
  virtual Result<bool> reached(Event& event) = 0;    // true for an event that was never recorded
  virtual Result<> wait(Event& event) = 0;           // blocks the calling thread
  virtual Result<> synchronize(Stream& stream) = 0;  // blocks until all work of the stream is done

  // ---- with defaults
  // ------------------------------------------------------------------------------------------------

  // Destroys an object; deleting it has the same effect. No work in flight may use it. Events may be
  // destroyed at any time and may outlive their stream.
  virtual void destroy(std::unique_ptr<Object> object) { object.reset(); }

  // Prepares the kernel for launches with this block size and this much dynamic shared memory, if code is
  // compiled lazily; the next launch then does not compile. Returns whether there was anything to do.
  // Default: false.
  virtual Result<bool> prepare(Kernel& kernel, const Dim3& block, uint64_t shared_bytes);

  // Time at which the event was reached, in nanoseconds of std::chrono::steady_clock. Default:
  // ErrorKind::unsupported; the layer above then uses the host's clock, and says so.
  virtual Result<uint64_t> time(Event& event);

  // Whether commands fill Stream::stamp. Cheaper than recording an event before and after each command.
  virtual bool takes_stamps() const { return false; }

  // Fills with the lowest `width` bytes of `value`: 1, 2, 4 or 8. `bytes` is a multiple of `width`, and may
  // be 0. Default: an upload.
  virtual Result<> fill(Stream& stream, Place to, uint64_t value, uint32_t width, uint64_t bytes);

  // Copies from a buffer of another device, in order on this device's stream. All writes to the source must
  // be complete. Default: an upload if the host can access the source, else ErrorKind::unsupported; the layer
  // above then copies through host memory.
  virtual Result<> copy_from(Stream& stream, Place to, Device& other, Place from, uint64_t bytes);

  // Place of a variable of the program. Default: ErrorKind::not_found.
  virtual Result<Place> variable(Module& module, std::string_view name);

  // The program in the device's binary format, for the compile cache. Default: ErrorKind::unsupported.
  virtual Result<Code> binary(Module& module);

  // Calls `function` on some thread after all work submitted so far. Default: waits for the stream, then
  // calls.
  virtual Result<> call(Stream& stream, std::function<void()> function);

  // Makes a graph of commands that run in order. `commands` must stay valid while the graph lives.
  // Default: a graph whose commands are submitted one by one.
  virtual Result<std::unique_ptr<Graph>> make_graph(std::span<const Command> commands);
  // Call after arguments, launch sizes or places of commands changed; kinds and kernels must not change.
  virtual Result<> update_graph(Graph& graph);
  virtual Result<> run_graph(Stream& stream, Graph& graph);
  Result<> submit(Stream& stream, const Command& command);  // calls the function for its kind

  // Names of the kernels of raw code, if the driver knows them. Default: empty.
  virtual std::vector<std::string> kernel_names(Module& module);

  // Returns and clears the output of printf since the last call. Default: empty, for
  // DeviceInfo::vendor_printf.
  virtual std::string take_output(Stream& stream);

  // Returns and clears the findings since the last call. A launch with findings also makes the next
  // synchronize or wait fail with ErrorKind::kernel_fault, once. Afterwards the device is usable, or it is
  // lost and every call returns ErrorKind::device_lost. Default: empty.
  virtual std::vector<Finding> take_findings(Stream& stream);

  // Occupancy for `threads` threads per block and `shared_bytes` of dynamic shared memory. Default: not
  // known.
  virtual Occupancy occupancy(Kernel& kernel, uint32_t threads, uint64_t shared_bytes);

  // Free memory in bytes, at most DeviceInfo::memory_bytes if that is known; 0: not known.
  virtual uint64_t free_memory() { return 0; }

  // Makes host memory accessible to kernels while the buffer lives. The caller keeps ownership of the memory.
  // Default: ErrorKind::unsupported.
  virtual Result<std::unique_ptr<Buffer>> import_host_memory(std::byte* host, uint64_t bytes);

  // Describes the tensor at the place for tensor copies. `options` has all strides; the layer above has
  // checked the limits that CUDA documents. Default: ErrorKind::unsupported.
  virtual Result<EncodedTensorMap> encode_tensor_map(Place tensor, const TensorMapOptions& options);

 protected:
  Device() = default;
};

class Driver {
 public:
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  virtual std::string_view name() const = 0;

  // Whether the program has loaded the native library itself (CUDA in a PyTorch program). The library then
  // does not work in a forked child, so the driver is not tried in one.
  virtual bool in_use() const { return false; }

  // Finds and loads the native library; called once. Returns its version ("driver 580.159, NVRTC 13.0").
  // ErrorKind::not_found: it is not installed. Any other error: it is installed and does not work.
  virtual Result<std::string> start() = 0;
  virtual Result<std::vector<DeviceInfo>> devices() = 0;
  virtual Result<std::unique_ptr<Device>> open(uint32_t index, const OpenOptions& options) = 0;

 protected:
  Driver() = default;
};

}  // namespace quern::driver
