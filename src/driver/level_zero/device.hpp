// One Level Zero device behind the driver interface. Memory is USM: addresses are pointers. A stream is a
// pair of immediate command lists (compute, and copies where the device has a copy engine); graphs are closed
// command lists, which a command stream executes. Events order these three.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/store.hpp"
#include "driver/level_zero/api.hpp"
#include "driver/level_zero/events.hpp"
#include "driver/support/command_device.hpp"

namespace quern::level_zero {

class Device;

class Buffer final : public driver::Buffer {
 public:
  Buffer(std::shared_ptr<const Context> context, void* at) : context_(std::move(context)), at_(at) {}
  ~Buffer() override { (void)context_->api->zeMemFree(context_->id.get(), at_); }

 private:
  std::shared_ptr<const Context> context_;
  void* at_;
};

class Module final : public driver::ReportingModule {  // without the code's bytes
 public:
  Owned<ZeModule> id;
};

class Kernel final : public driver::Kernel {
 public:
  Owned<ZeKernel> id;
  Module* program = nullptr;
  uint32_t preferred_multiple = 0;  // of threads in a block; 0: unknown
  std::mutex mutex;                 // of arguments, which belong to the kernel until it is appended
};

// Where the commands of a stream go.
enum class Engine : uint8_t { kCompute, kCopy, kGraph };

class Stream final : public driver::ReportingStream {
 public:
  explicit Stream(Device& device) : device_(device) {}
  ~Stream() override;

  Owned<ZeList> compute, copy;  // immediate lists; `copy` is null where there is no copy engine
  Owned<ZeQueue> graphs;        // created with the first graph
  int priority = 0;
  Engine last = Engine::kCompute;  // has the stream's last command
  bool needs_barrier = false;      // before the next command there
  Held held;                       // of commands after the last mark

 private:
  Device& device_;
};

class Graph final : public driver::Graph {
 public:
  std::shared_ptr<const Owned<ZeList>> list;
  std::vector<std::shared_ptr<driver::Report>> reports;
};

struct Options {
  uint32_t subgroup_size = 0;  // 0: by need
  bool has_large_registers = false;
};

// A device as the driver found it.
struct Found {
  std::shared_ptr<const Api> api;
  ZeDriver driver = nullptr;
  ZeDevice id = nullptr;
  ZeDevice sysman = nullptr;          // null: there is none
  std::optional<uint32_t> subdevice;  // its number, if it is a tile of that Sysman device
  driver::DeviceInfo info;
  std::vector<uint32_t> subgroup_sizes;
  uint64_t max_allocation = 0;     // without the extension for larger ones
  bool has_large_buffers = false;  // that extension
  uint32_t shared_access = 0;      // flags of zeMemAllocShared's memory
  double tick_nanoseconds = 0;     // of event timestamps; 0: there are none
  uint32_t timestamp_bits = 0;
};

/// Everything the device reports about its properties.
Found describe(const std::shared_ptr<const Api>& api, ZeDriver driver, ZeDevice id, ZeDevice sysman);

/// A Sysman device: a whole card, with the UUID of its root device.
struct SysmanDevice {
  ZeDevice id = nullptr;
  std::string uuid, pci;
};
/// Empty: Sysman is not there.
std::vector<SysmanDevice> sysman_devices(const Api& api);
/// The Sysman device of a card that has this device, which may be one of its tiles; null: there is none.
ZeDevice find_sysman(const Api& api, std::span<const SysmanDevice> all, ZeDevice id,
                     const DeviceProperties& p);

/// The SPIR-V module with every entry point compiled for subgroups of `size` threads.
std::string with_subgroup_size(std::string_view module, uint32_t size);

class Device final : public driver::CommandDevice {
 public:
  static Result<std::unique_ptr<driver::Device>> open(const Found& found, Options options);
  ~Device() override;

  const driver::DeviceInfo& info() const override { return found_.info; }

  // memory.cpp
  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override;
  Result<> copy_from(driver::Stream& stream, driver::Place to, driver::Device& other, driver::Place from,
                     uint64_t bytes) override;
  uint64_t free_memory() override;

  // module.cpp
  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override;
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& program, std::string_view name) override;
  driver::Occupancy occupancy(driver::Kernel& kernel, uint32_t threads, uint64_t shared_bytes) override;

  // graph.cpp
  Result<std::unique_ptr<driver::Graph>> make_graph(std::span<const driver::Command> commands) override;
  Result<> update_graph(driver::Graph& graph) override;
  Result<> run_graph(driver::Stream& stream, driver::Graph& graph) override;

  // stream.cpp
  Result<std::unique_ptr<driver::Stream>> create_stream(const driver::StreamOptions& options) override;
  void drain(Stream& stream);  // waits for its work; does nothing where the device is lost

 private:
  // A group of hardware streams of one kind.
  struct QueueGroup {
    uint32_t ordinal = 0, streams = 0;
    size_t max_fill_pattern = 0;
  };

  Device(const Found& found, Options options) : found_(found), options_(options), api_(found.api) {}

  // stream.cpp
  Result<> run(driver::Stream& stream, std::span<const driver::Command> commands) override;
  Result<std::shared_ptr<driver::Mark>> set_mark(driver::Stream& stream) override;
  Result<> follow(driver::Stream& stream, driver::Mark& mark) override;
  Result<bool> is_passed(driver::Mark& mark) override;
  Result<> wait_for(driver::Mark& mark) override;
  Result<> finish(driver::Stream& stream) override;
  Result<uint64_t> ticks(const driver::Mark& mark) override;
  Result<> listen(driver::DeviceLog& device_log) override { return check(read_reports(device_log)); }

  Result<> start();
  Result<> find_queue_groups();
  QueueDesc queue_desc(const QueueGroup& group, int priority);
  Result<driver::ClockPair> align();

  Result<> enqueue(Stream& stream, const driver::Command& command);
  Result<std::shared_ptr<Mark>> mark_end(Stream& stream);
  Result<> wait_on(Stream& stream, Engine engine, Mark& mark);
  Result<> append_barrier(Stream& stream, Engine engine, ZeEvent signal, ZeEvent wait);
  Result<> switch_to(Stream& stream, Engine engine);
  Result<> order(Stream& stream);
  Engine engine_for(const Stream& stream, const driver::Command& command) const;
  static ZeList list_for(const Stream& stream, Engine engine);

  // Appends a command to any list.
  Result<> append(ZeList list, const driver::Command& command);
  Result<> append_launch(ZeList list, Kernel& kernel, const driver::Launch& launch);
  Result<> set_arguments(const Kernel& kernel, const driver::Launch& launch);
  Result<> set_argument(const Kernel& kernel, uint32_t index, uint64_t bytes, const void* value);
  bool can_fill(const driver::Command& command) const;

  // graph.cpp
  Result<std::shared_ptr<const Owned<ZeList>>> make_list(const std::function<Result<>(ZeList)>& append);
  Result<> execute(Stream& stream, const std::shared_ptr<const Owned<ZeList>>& list);

  // module.cpp
  std::string build_flags(const driver::Code& code) const;
  std::string cache_key(const driver::Code& code) const;
  Result<Owned<ZeModule>> compile(const driver::Code& code);
  Result<Owned<ZeModule>> compile_by_need(const driver::Code& code);
  Result<Owned<ZeModule>> make_module(const driver::Code& code, std::string_view bytes, uint32_t format);
  Result<Owned<ZeKernel>> make_kernel(ZeModule module, const std::string& entry);
  Result<uint64_t> spilled_bytes(ZeModule module, const driver::Code& code, uint32_t& subgroup_size);
  Result<std::string> binary_of(ZeModule module);

  bool is_own_memory(ZesMemory module) const;
  Result<void*> allocate_at(uint64_t bytes, driver::MemoryKind kind);
  Result<> check(Result<> result);  // notes a loss

  const Found found_;
  const Options options_;
  std::shared_ptr<const Api> api_;
  std::shared_ptr<const Context> context_;
  std::shared_ptr<Events> events_;
  base::Store store_;  // native binaries
  QueueGroup compute_;
  QueueGroup copy_;  // no streams: there is no copy engine
  std::atomic<uint32_t> next_queue_ = 0;
};

}  // namespace quern::level_zero
