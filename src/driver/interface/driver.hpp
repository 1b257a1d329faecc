// The driver interface: what one native API must do so that everything above works. A Driver finds and opens
// devices; a Device allocates, loads programs, and runs them on streams. About fifteen calls are required;
// each of the others has a default here that works on any driver.
//
// Rules for drivers:
//  - The layer above validates once for all: handles belong to this device, sizes and places are in range,
//  launches
//    respect DeviceInfo::limits. A driver translates and never guesses.
//  - A call returns Result; it never throws, aborts, or logs an error that it also returns. Not possible is
//    kUnsupported, a device that is gone is kDeviceLost (and stays so).
//  - Any thread may call; calls that name the same Stream never overlap (the layer above sees to it).
//  - Work on one stream runs in order. Nothing waits except wait(Event*), synchronize, and the destruction of
//  a device.
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

namespace quern::ir {
struct Function;
}

namespace quern::driver {

template <typename T = void>
using Result = base::Result<T>;

// Everything a device hands out. Drivers derive from those below; destroying the object releases what it
// holds.
class Object {
 public:
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

 protected:
  Object() = default;
};

enum class MemoryKind : uint8_t {
  kDevice,      // the device's own
  kPinned,      // the host's, which the device copies from and to at full speed
  kShared,      // host and device read and write it in place (Feature::kSharedMemory)
  kManaged,     // the same, in memory that moves to who uses it (Feature::kManagedMemory)
  kMapped,      // the same, in the host's memory, over the bus (Feature::kMappedMemory)
  kHostBacked,  // the same, and it outlives the device; for kernels that stay (driver/decorators/recoverable)
};

class Buffer : public Object {
 public:
  uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  uint64_t address = 0;       // on the device; 0 where it has no addresses
  std::byte* host = nullptr;  // where the host may touch it directly; else null
  // Where it lies in the host's memory for all that, and may be looked at while nothing writes it; else null.
  const std::byte* host_view = nullptr;
};

class Kernel : public Object {
 public:
  KernelInfo info;
  uint32_t max_threads = 0;  // a block may have, given what the code uses; 0: the device's limit
  uint32_t registers = 0;    // per thread; 0: not known
  uint64_t local_bytes = 0;  // per thread
  const ir::Function* function =
      nullptr;  // raw code that the driver understood: as long as the program lives
};

class Module : public Object {};
class Stream : public Object {
 public:
  // Where Device::takes_stamps(): the next command that is submitted takes it and fills it. It stays until
  // then.
  Stamp* stamp = nullptr;
  Stamp* take_stamp() { return std::exchange(stamp, nullptr); }
};
class Event : public Object {};

// A place in a buffer.
struct Place {
  Buffer* buffer = nullptr;
  uint64_t offset = 0;
};

// One kernel argument: for a pointer parameter a place (or null), else the value's bytes.
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
  bool cooperative = false;             // all blocks at once, so that they can wait for each other
  Dim3 cluster{1, 1, 1};                // blocks that run at once next to each other; 1: none
};

// How much of a device's units a kernel can fill; 0: not known.
struct Occupancy {
  uint32_t max_blocks_per_unit = 0;   // blocks of the given size that a compute unit holds at once
  uint32_t max_threads_per_unit = 0;  // threads that it can hold
  uint32_t best_block = 0;            // threads in the blocks that fill it best
};

// One step of a graph.
struct Command {
  enum class Kind : uint8_t { kLaunch, kUpload, kDownload, kCopy, kFill };
  Kind kind = Kind::kLaunch;
  Kernel* kernel = nullptr;      // kLaunch
  Launch launch{};               // kLaunch
  Place to{};                    // kUpload, kCopy, kFill
  Place from{};                  // kDownload, kCopy
  const void* source = nullptr;  // kUpload: read whenever the graph runs
  void* target = nullptr;        // kDownload
  uint64_t bytes = 0;            // all but kLaunch
  uint64_t value = 0;            // kFill
  uint32_t width = 0;            // kFill
};

// Work that runs again and again.
class Graph : public Object {
 public:
  std::span<const Command> commands;
  bool is_native = false;  // the device has it as a whole; else its commands are submitted one by one
};

// Wishes of the user that only one driver knows, as `key=value`: "seed=7" for sim. A driver refuses what it
// does not know.
using OpenOptions = std::vector<std::pair<std::string, std::string>>;

struct StreamOptions {
  int priority = 0;            // higher goes first where the device knows priorities
  bool is_persistent = false;  // for a kernel that does not return by itself
};

class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  virtual const DeviceInfo& info() const = 0;

  // ---- required
  // -----------------------------------------------------------------------------------------------------

  virtual Result<std::unique_ptr<Buffer>> allocate(uint64_t bytes, MemoryKind kind) = 0;

  virtual Result<std::unique_ptr<Module>> load(const Code& code) = 0;
  // The kernel uses the program, which must outlive it. An unknown name is kNotFound.
  virtual Result<std::unique_ptr<Kernel>> kernel(Module& module, std::string_view name) = 0;

  virtual Result<std::unique_ptr<Stream>> create_stream(const StreamOptions& options) = 0;
  // Host memory must stay as it is until the stream has passed the copy.
  virtual Result<> upload(Stream& stream, Place to, const void* from, uint64_t bytes) = 0;
  virtual Result<> download(Stream& stream, void* to, Place from, uint64_t bytes) = 0;
  virtual Result<> copy(Stream& stream, Place to, Place from, uint64_t bytes) = 0;
  virtual Result<> launch(Stream& stream, Kernel& kernel, const Launch& launch) = 0;

  virtual Result<std::unique_ptr<Event>> create_event() = 0;
  // An event stands for the point of its last record; it may be recorded again.
  virtual Result<> record(Stream& stream, Event& event) = 0;
  // The stream goes on when the event is reached; the record that counts is the one before this call.
  virtual Result<> wait(Stream& stream, Event& event) = 0;
  virtual Result<bool> reached(Event& event) = 0;    // an event never recorded is reached
  virtual Result<> wait(Event& event) = 0;           // the calling thread waits
  virtual Result<> synchronize(Stream& stream) = 0;  // until all work of the stream is done

  // ---- with defaults
  // ------------------------------------------------------------------------------------------------

  // Gives an object back; it may also simply be deleted. Nothing in flight may use it, but events may go at
  // any time, and may outlive the stream they were recorded on.
  virtual void destroy(std::unique_ptr<Object> object) { object.reset(); }

  // Makes the kernel ready for launches with such blocks and so much dynamic shared memory, where code is
  // made late: the next launch then only runs. Yields whether there was anything to do. Default: nothing.
  virtual Result<bool> prepare(Kernel& kernel, const Dim3& block, uint64_t shared_bytes);

  // When the event was reached, in nanoseconds of std::chrono::steady_clock. Default: kUnsupported; the layer
  // above then takes the host's clock, and says so.
  virtual Result<uint64_t> time(Event& event);

  // Whether Stream::stamp is heeded, which is cheaper than an event before and one behind each command.
  virtual bool takes_stamps() const { return false; }

  // `value` repeated: 1, 2, 4 or 8 bytes wide, `bytes` a multiple of that. Default: uploads.
  virtual Result<> fill(Stream& stream, Place to, uint64_t value, uint32_t width, uint64_t bytes);

  // A copy from a buffer of another device, in order on this device's stream; what writes the source is over.
  // Default: an upload where the host sees the source, else kUnsupported; the layer above then goes through
  // the host's memory.
  virtual Result<> copy_from(Stream& stream, Place to, Device& other, Place from, uint64_t bytes);

  // Where a variable of the program lives. Default: kNotFound.
  virtual Result<Place> variable(Module& module, std::string_view name);

  // The program as the device itself stores it, for the compile cache. Default: kUnsupported.
  virtual Result<Code> binary(Module& module);

  // Runs `function` on some thread when the stream comes to it. Default: waits for the stream, then calls it.
  virtual Result<> call(Stream& stream, std::function<void()> function);

  // Work that runs again and again, in order. The commands stay where they are while the graph lives.
  // Default: a graph that submits them one after the other.
  virtual Result<std::unique_ptr<Graph>> make_graph(std::span<const Command> commands);
  // Some commands have got other arguments, shapes or places; kinds and kernels are what they were.
  virtual Result<> update_graph(Graph& graph);
  virtual Result<> run_graph(Stream& stream, Graph& graph);
  Result<> submit(Stream& stream, const Command& command);  // by the call of its kind

  // The kernels of raw code, where the driver can tell. Default: none.
  virtual std::vector<std::string> kernel_names(Module& module);

  // Takes what kernels have printed since the last call. Default: nothing.
  virtual std::string take_output(Stream& stream);

  // Takes what kernels did wrong since the last call. A launch with findings also makes the next synchronize
  // or wait fail with kKernelFault. Default: nothing.
  virtual std::vector<Finding> take_findings(Stream& stream);

  // Of launches with blocks of so many threads and so much dynamic shared memory. Default: not known.
  virtual Occupancy occupancy(Kernel& kernel, uint32_t threads, uint64_t shared_bytes);

  // Memory that is free now; 0: not known.
  virtual uint64_t free_memory() { return 0; }

  // Memory of the host that kernels reach in place, for as long as the buffer lives; it stays the caller's.
  // Default: kUnsupported.
  virtual Result<std::unique_ptr<Buffer>> import_host_memory(std::byte* host, uint64_t bytes);

 protected:
  Device() = default;
};

class Driver {
 public:
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  virtual std::string_view name() const = 0;

  // Looks for the native library and loads it, once; yields what it says of itself ("driver 580.159,
  // NVRTC 13.0"). kNotFound: it is not installed. Any other error: it is, and does not work.
  virtual Result<std::string> start() = 0;
  virtual Result<std::vector<DeviceInfo>> devices() = 0;
  virtual Result<std::unique_ptr<Device>> open(uint32_t index, const OpenOptions& options) = 0;

 protected:
  Driver() = default;
};

}  // namespace quern::driver
