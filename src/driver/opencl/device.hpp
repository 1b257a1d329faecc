// One OpenCL device behind the driver interface. Memory is Intel's unified shared memory or shared virtual
// memory where the device has it, so that addresses are addresses and pointers may stand in memory; elsewhere
// it is buffer objects, and kernels take an offset for each pointer.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <set>

#include "driver/opencl/api.hpp"
#include "driver/support/clock_pair.hpp"
#include "driver/support/owned.hpp"
#include "driver/support/reporting_device.hpp"

namespace quern::opencl {

class Device;

template <typename Handle>
using Owned = driver::Owned<Handle, int32_t (*)(Handle)>;

class Buffer final : public driver::Buffer {
 public:
  explicit Buffer(Device& device) : device_(device) {}
  ~Buffer() override;

  void* at = nullptr;  // one of the two
  Mem mem = nullptr;

 private:
  Device& device_;
};

class Program final : public driver::ReportingProgram {  // with its code's bytes only where they are our text
 public:
  Owned<ProgramId> id;
};

class Kernel final : public driver::Kernel {
 public:
  // Compiled for one shape of block only: some devices allow larger blocks when they know the size.
  struct Sized {
    driver::Dim3 block;
    Owned<ProgramId> program;
    Owned<KernelId> id;
  };

  Owned<KernelId> id;            // for blocks of any shape
  uint64_t general_threads = 0;  // at most that many in one
  std::vector<Sized> sized;
  Program* program = nullptr;
  std::mutex mutex;  // arguments belong to the kernel until it is enqueued
};

class Queue final : public driver::ReportingQueue {
 public:
  Owned<CommandQueue> id;
};

class Graph final : public driver::Graph {
 public:
  std::vector<Owned<KernelId>> kernels;  // one for each launch
  Owned<CommandBuffer> id;
  std::vector<std::shared_ptr<driver::Report>> reports;
};

class Event final : public driver::Event {
 public:
  Owned<EventId> id;
  std::weak_ptr<driver::Heard> heard;  // of the queue it was recorded on
};

// The threads of a launch as OpenCL counts them.
struct Range {
  explicit Range(const driver::Launch& launch)
      : local{launch.block.x, launch.block.y, launch.block.z},
        global{launch.grid.x * local[0], launch.grid.y * local[1], launch.grid.z * local[2]} {}
  size_t local[3], global[3];
};

class Device final : public driver::ReportingDevice {
 public:
  static Result<std::unique_ptr<driver::Device>> open(std::shared_ptr<const Api> api, DeviceId id,
                                                      driver::DeviceInfo info);
  ~Device() override = default;

  const driver::DeviceInfo& info() const override { return info_; }

  // memory.cpp
  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override;
  Result<> upload(driver::Queue& queue, driver::Place to, const void* from, uint64_t bytes) override;
  Result<> download(driver::Queue& queue, void* to, driver::Place from, uint64_t bytes) override;
  Result<> copy(driver::Queue& queue, driver::Place to, driver::Place from, uint64_t bytes) override;
  Result<> copy_from(driver::Queue& queue, driver::Place to, driver::Device& other, driver::Place from,
                     uint64_t bytes) override;
  Result<> fill(driver::Queue& queue, driver::Place to, uint64_t value, uint32_t width,
                uint64_t bytes) override;

  // program.cpp
  Result<std::unique_ptr<driver::Program>> load(const driver::Code& code) override;
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Program& program, std::string_view name) override;
  Result<bool> prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes) override;
  driver::Occupancy occupancy(driver::Kernel& kernel, uint32_t threads, uint64_t shared_bytes) override;
  Result<driver::Code> binary(driver::Program& program) override;
  std::vector<std::string> kernel_names(driver::Program& program) override;

  // graph.cpp
  Result<std::unique_ptr<driver::Graph>> make_graph(std::span<const driver::Command> commands) override;
  Result<> update_graph(driver::Graph& graph) override;
  Result<> run_graph(driver::Queue& queue, driver::Graph& graph) override;

  // queue.cpp
  Result<std::unique_ptr<driver::Queue>> create_queue(const driver::QueueOptions& options) override;
  Result<> launch(driver::Queue& queue, driver::Kernel& kernel, const driver::Launch& launch) override;
  Result<std::unique_ptr<driver::Event>> create_event() override;
  Result<> record(driver::Queue& queue, driver::Event& event) override;
  Result<> wait(driver::Queue& queue, driver::Event& event) override;
  Result<bool> reached(driver::Event& event) override;
  Result<> wait(driver::Event& event) override;
  Result<> synchronize(driver::Queue& queue) override;
  Result<uint64_t> time(driver::Event& event) override;

 private:
  friend class Buffer;
  Device(std::shared_ptr<const Api> api, DeviceId id, driver::DeviceInfo info)
      : api_(std::move(api)), id_(id), info_(std::move(info)) {}

  bool has_addresses() const { return info_.features.has(driver::Feature::kAddresses); }
  bool is_fine() const { return info_.features.has(driver::Feature::kSharedMemory); }
  Result<> calibrate();
  Result<> enqueue(Queue& queue, Kernel& kernel, const driver::Launch& launch);
  Result<> add_launch(Graph& graph, Kernel& kernel, const driver::Launch& launch, uint32_t& point);
  Result<> set_arguments(const Kernel& kernel, KernelId id, const driver::Launch& launch);
  Result<> tell_indirect(KernelId id);
  Result<> set_place(KernelId id, uint32_t index, driver::Place place);
  Result<void*> allocate_at(uint64_t bytes, driver::MemoryKind kind);
  Result<> transfer(driver::Queue& queue, void* to, const void* from, uint64_t bytes);
  Result<Owned<ProgramId>> create(const driver::Code& code);
  Result<Owned<ProgramId>> compile(const std::string& text, const driver::Code& code);
  Result<> build(ProgramId program, const driver::Code& code);
  Result<KernelId> for_block(Kernel& kernel, const driver::Dim3& block);
  Result<> describe_raw(Kernel& kernel);
  void ask_limits(Kernel& kernel);
  std::string build_options(const driver::Code& code) const;
  Result<> check(Result<> result);  // a loss stays
  bool is_dead();                   // nothing runs any more

  std::shared_ptr<const Api> api_;
  DeviceId id_;
  driver::DeviceInfo info_;
  Owned<Context> context_;
  std::atomic<bool> lost_{false};
  bool is_unified_ = false;   // Intel's unified shared memory
  bool can_record_ = false;   // command buffers that may be in flight several times
  driver::ClockPair clocks_;  // both in nanoseconds
  std::mutex live_mutex_;
  std::set<void*> live_;  // all shared virtual memory, for kernels that follow pointers
};

// What the device says of itself.
driver::DeviceInfo describe(const Api& api, DeviceId id);

}  // namespace quern::opencl
