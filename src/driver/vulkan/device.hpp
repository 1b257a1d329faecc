// One Vulkan device behind the driver interface. Arguments are addresses in push constants; where the device
// has none they name buffers that descriptors bind, as the user's own code has them. Every command is one
// submission that signals the next number of its queue's timeline, and ends with a barrier, so that what
// follows sees it.
#pragma once

#include <atomic>
#include <deque>

#include "driver/support/chunks.hpp"
#include "driver/support/clock_pair.hpp"
#include "driver/support/packers.hpp"
#include "driver/support/reporting_device.hpp"
#include "driver/vulkan/abilities.hpp"
#include "target/spirv/reflect.hpp"

namespace quern::vulkan {

class Device;
using driver::Piece;
using target::spirv::RawEntry;
using target::spirv::RawModule;

struct Memory final : driver::Chunk {
  Memory(const DeviceApi& a, DeviceHandle d) : api(a), device(d) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() override;

  const DeviceApi& api;
  const DeviceHandle device;
  DeviceMemory memory = {};
  BufferHandle buffer = {};
};

inline BufferHandle handle_of(const Piece& piece) { return static_cast<Memory*>(piece.chunk)->buffer; }

class Buffer final : public driver::Buffer {
 public:
  Buffer(driver::Chunks& pool, const Piece& p) : piece(p), pool_(pool) {}
  ~Buffer() override { pool_.give(piece); }

  Piece piece;

 private:
  driver::Chunks& pool_;
};

inline const Piece& piece_of(driver::Place place) { return static_cast<Buffer&>(*place.buffer).piece; }

class Program final : public driver::ReportingProgram {
 public:
  explicit Program(Device& device) : device_(device) {}
  ~Program() override;

  ShaderModule module = {};
  RawModule raw;  // of the user's own code

 private:
  Device& device_;
};

class Kernel final : public driver::Kernel {
 public:
  explicit Kernel(Device& device) : device_(device) {}
  ~Kernel() override;

  struct Variant {
    driver::Dim3 block;
    uint64_t shared_bytes = 0;
    Pipeline pipeline = {};
  };
  // A descriptor: the buffer of a parameter, one that the program has itself, or the block of arguments.
  struct Bound {
    uint32_t set = 0;
    uint32_t binding = 0;
    uint32_t element = 0;
    uint32_t descriptor = kDescriptorStorage;
    int32_t param = -1;
    driver::Buffer* own = nullptr;
  };

  Program* program = nullptr;
  const RawEntry* raw = nullptr;
  PipelineLayout layout = {};
  std::vector<DescriptorSetLayout> sets;
  std::vector<Bound> bound;
  std::vector<uint64_t> hidden;  // pointers behind the user's arguments: to variables and the report
  uint32_t push_bytes = 0;
  bool has_report = false;
  std::mutex mutex;
  std::vector<Variant> variants;

 private:
  Device& device_;
};

// How far a queue has come. Events and the commands of other queues share it: they may outlive the queue.
class Timeline {
 public:
  Timeline(const DeviceApi& api, DeviceHandle device, Semaphore s)
      : semaphore(s), api_(api), device_(device) {}
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;
  ~Timeline() { api_.vkDestroySemaphore(device_, semaphore, nullptr); }

  Result<bool> has_reached(uint64_t value);
  Result<> wait(uint64_t value);

  const Semaphore semaphore;

 private:
  const DeviceApi& api_;
  DeviceHandle device_;
  std::atomic<uint64_t> known_{0};  // reached for sure
};

// A point of a timeline with the time it was reached, if the device has a clock. Commands in flight hold it.
struct Mark {
  Mark(Device& d, uint32_t q) : device(d), query(q) {}
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  ~Mark();

  Device& device;
  const uint32_t query;
};

struct Lane;
struct Recorded;

// A command buffer and all that it needs until it is done.
struct Slot {
  Lane* lane = nullptr;
  CommandBuffer commands = nullptr;
  uint64_t value = 0;  // of the timeline, when it is done
  Piece arguments;     // kept from use to use
  std::vector<Piece> staging;
  DescriptorPool pool = {};
  uint32_t pool_sets = 0, pool_descriptors = 0;  // that it has room for
  std::vector<std::shared_ptr<Timeline>> waits;
  std::shared_ptr<Mark> mark;
  std::shared_ptr<Recorded> graph;  // whose commands these run
  bool is_open = false;             // commands are being recorded
};

// One VkQueue, which several of our queues may share.
struct NativeQueue {
  QueueHandle handle = nullptr;
  std::mutex mutex;
};

// What one of our queues has on one VkQueue. Lanes of a queue follow each other by its timeline.
struct Lane {
  NativeQueue* native = nullptr;
  bool only_copies = false;
  CommandPool pool = {};
  std::vector<std::unique_ptr<Slot>> slots;  // a ring
  size_t oldest = 0;
};

class Queue final : public driver::ReportingQueue {
 public:
  explicit Queue(Device& device) : device_(device) {}
  ~Queue() override;

  std::shared_ptr<Timeline> timeline;
  Lane work, copies;                             // the latter where there is a queue for them
  const Lane* at = nullptr;                      // where the last submission went
  uint64_t last = 0;                             // its value
  std::vector<std::shared_ptr<Timeline>> waits;  // for the next submission, with their values
  std::vector<Semaphore> wait_semaphores;
  std::vector<uint64_t> wait_values;
  std::vector<uint32_t> wait_stages;

  void add_wait(const std::shared_ptr<Timeline>& on, uint64_t value);
  void forget_waits();

 private:
  Device& device_;
};

// The commands of a graph, which those of a slot run. A graph that changes is recorded anew.
struct Recorded {
  explicit Recorded(Device& d) : device(d) {}
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;
  ~Recorded();

  Device& device;
  Lane lane;
  std::deque<Slot> slots;  // of its launches, for their arguments; all with the one command buffer
  std::vector<std::shared_ptr<driver::Report>> reports;
};

struct Graph final : driver::Graph {
  std::shared_ptr<Recorded> recorded;
};

class Event final : public driver::Event {
 public:
  std::mutex mutex;  // it may be asked while it is recorded anew
  std::shared_ptr<Timeline> timeline;
  uint64_t value = 0;
  std::shared_ptr<Mark> mark;
  std::weak_ptr<driver::Heard> heard;  // of the queue it was recorded on
};

class Device final : public driver::ReportingDevice {
 public:
  static Result<std::unique_ptr<driver::Device>> open(std::shared_ptr<InstanceApi> instance,
                                                      PhysicalDevice physical, Abilities abilities,
                                                      driver::DeviceInfo info);
  ~Device() override;

  const driver::DeviceInfo& info() const override { return info_; }

  // memory.cpp, transfer.cpp
  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override;
  Result<> upload(driver::Queue& queue, driver::Place to, const void* from, uint64_t bytes) override;
  Result<> download(driver::Queue& queue, void* to, driver::Place from, uint64_t bytes) override;
  Result<> copy(driver::Queue& queue, driver::Place to, driver::Place from, uint64_t bytes) override;
  Result<> fill(driver::Queue& queue, driver::Place to, uint64_t value, uint32_t width,
                uint64_t bytes) override;

  // program.cpp
  Result<std::unique_ptr<driver::Program>> load(const driver::Code& code) override;
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Program& program, std::string_view name) override;
  std::vector<std::string> kernel_names(driver::Program& program) override;

  // launch.cpp
  Result<bool> prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes) override;
  Result<> launch(driver::Queue& queue, driver::Kernel& kernel, const driver::Launch& launch) override;

  // graph.cpp
  Result<std::unique_ptr<driver::Graph>> make_graph(std::span<const driver::Command> commands) override;
  Result<> update_graph(driver::Graph& graph) override;
  Result<> run_graph(driver::Queue& queue, driver::Graph& graph) override;

  // queue.cpp
  Result<std::unique_ptr<driver::Queue>> create_queue(const driver::QueueOptions& options) override;
  Result<std::unique_ptr<driver::Event>> create_event() override;
  Result<> record(driver::Queue& queue, driver::Event& event) override;
  Result<> wait(driver::Queue& queue, driver::Event& event) override;
  Result<bool> reached(driver::Event& event) override;
  Result<> wait(driver::Event& event) override;
  Result<> synchronize(driver::Queue& queue) override;
  Result<uint64_t> time(driver::Event& event) override;

 private:
  friend class Program;
  friend class Kernel;
  friend class Queue;
  friend struct Mark;
  friend struct Recorded;
  Device(std::shared_ptr<InstanceApi> instance, Abilities abilities, driver::DeviceInfo info)
      : instance_(std::move(instance)), has_(std::move(abilities)), info_(std::move(info)) {}

  // A copy into the host's memory that is made when its queue has come so far.
  struct HostCopy {
    std::shared_ptr<Timeline> timeline;
    uint64_t value = 0;
    std::byte* to = nullptr;
    Piece from;
    uint64_t bytes = 0;
  };

  bool has_addresses() const { return info_.features.has(driver::Feature::kAddresses); }
  Result<> create(PhysicalDevice physical);
  void choose_memory();
  Result<std::unique_ptr<driver::Chunk>> make_chunk(uint64_t bytes, uint32_t type, bool is_mapped);
  void open_cache();
  void keep_cache();
  Result<> calibrate();

  Result<> alive() const;  // a device that is lost stays so

  // Copies of so many bytes may have a queue of their own.
  Result<Slot*> begin(Queue& queue, uint64_t copied_bytes = 0);
  // The slot's commands with a barrier behind them.
  Result<> submit(Queue& queue, Slot& slot, bool for_host = false);
  // What follows in the lane sees what was done before; with `host`, so does the host.
  void add_barrier(const Slot& slot, bool for_host);
  Result<> make_lane(Lane& lane, NativeQueue& native, uint32_t family);
  Result<std::unique_ptr<Slot>> make_slot(Lane& lane);
  void recycle(Slot& slot);
  void release(Slot& slot);
  Result<bool> is_idle(Queue& queue);
  void add_copy(const Slot& slot, const Piece& to, uint64_t to_offset, const Piece& from,
                uint64_t from_offset, uint64_t bytes);
  Result<> add_launch(Slot& slot, Kernel& kernel, const driver::Launch& launch);
  // The word that fills do repeat; none where Vulkan has no such fill.
  static std::optional<uint32_t> fill_word(driver::Place to, uint64_t value, uint32_t width, uint64_t bytes);
  bool can_record(const driver::Command& command);
  Result<> add_command(Recorded& to, const driver::Command& command);
  Result<std::shared_ptr<Recorded>> record(std::span<const driver::Command> commands);
  Result<> upload_staged(Queue& queue, driver::Place to, const std::byte* from, uint64_t bytes);
  Result<> download_staged(Queue& queue, std::byte* to, driver::Place from, uint64_t bytes);
  Result<> finish_host_copies();
  Result<> wait_copying(Timeline& timeline, uint64_t value);
  Result<std::shared_ptr<Mark>> take_mark();
  Result<uint64_t> ticks(const Mark& mark);

  Result<Pipeline> pipeline(Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes);
  Result<> make_layout(Kernel& kernel);
  Result<> lay_out(Kernel& kernel);
  Result<> lay_out_raw(Kernel& kernel);
  Result<> bind_arguments(Slot& slot, Kernel& kernel, const driver::Launch& launch);
  Result<> bind_buffers(Slot& slot, Kernel& kernel, const driver::Launch& launch);
  Result<DescriptorBufferInfo> descriptor(const Slot& slot, const Kernel& kernel, const Kernel::Bound& bound,
                                          const driver::Launch& launch);
  void pack(Kernel& kernel, const driver::Launch& launch, std::span<std::byte> block);
  uint64_t pointer(const Kernel& kernel, const driver::Launch& launch, driver::Place place) const;
  base::Error refused(const std::string& what, int32_t code);

  Result<> listen(driver::Heard& heard);  // to reports and to the validation layer

  std::shared_ptr<InstanceApi> instance_;
  Abilities has_;
  driver::DeviceInfo info_;
  DeviceApi api_;
  DeviceHandle device_ = nullptr;
  std::unique_ptr<driver::Chunks> device_pool_, host_pool_;
  bool is_direct_ = false;               // the host sees all of the device's memory
  std::atomic<bool> host_looks_{false};  // the host may look into memory that kernels write
  PipelineCache cache_ = {};
  size_t cache_bytes_ = 0;  // as it was found
  std::deque<NativeQueue> queues_;
  NativeQueue* copy_queue_ = nullptr;
  std::atomic<uint32_t> next_queue_{0};

  driver::Packers packers_;
  std::mutex copies_mutex_;
  std::deque<HostCopy> copies_;
  std::atomic<size_t> copy_count_{0};

  std::mutex queries_mutex_;
  std::vector<QueryPool> query_pools_;
  std::vector<uint32_t> free_queries_;
  std::mutex clock_mutex_;
  driver::ClockPair clocks_;

  std::unique_ptr<driver::Buffer> nothing_;  // bound for null
};

}  // namespace quern::vulkan
