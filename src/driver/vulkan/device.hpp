// One Vulkan device. Arguments are addresses in push constants; without addresses, and for the user's own
// code, buffers are bound by descriptors. Every command, and every graph, is one submission that signals the
// next value of its queue's timeline semaphore. A barrier follows each command.
#pragma once

#include <atomic>
#include <deque>

#include "base/store.hpp"
#include "driver/interface/interop.hpp"
#include "driver/support/bindings.hpp"
#include "driver/support/chunks.hpp"
#include "driver/support/command_device.hpp"
#include "driver/support/owned.hpp"
#include "driver/support/query_pools.hpp"
#include "driver/support/staging_copier.hpp"
#include "driver/support/variants.hpp"
#include "driver/vulkan/api/abilities.hpp"
#include "spirv/reflect/reflect.hpp"

namespace quern::vulkan {

using driver::Command;
using driver::OwnedPiece;
using driver::Piece;
using spirv::RawEntry;

template <typename Handle, typename Info>
using Create = int32_t (*)(DeviceHandle, const Info*, const void*, Handle*);
template <typename Handle>
struct Destroy {
  void operator()(Handle handle) const {
    if (call != nullptr && is_callable()) call(device, handle, nullptr);
  }
  DeviceHandle device = nullptr;
  void (*call)(DeviceHandle, Handle, const void*) = nullptr;  // null: the handle is another library's
};
template <typename Handle>
using Owned = driver::Owned<Handle, Destroy<Handle>>;

struct Memory final : driver::Chunk {
  Owned<DeviceMemory> memory;
  Owned<BufferHandle> buffer;
};

inline BufferHandle handle_of(const Piece& piece) { return static_cast<Memory*>(piece.chunk)->buffer.get(); }

class Buffer final : public driver::Buffer {
 public:
  driver::KeepAlive keep_alive;
  std::unique_ptr<Memory> outside;  // of the pools: adopted or shared memory
  OwnedPiece piece;
};

// How memory is shared with other processes.
struct Sharing {
  bool is_shared = false;
  int descriptor = -1;  // of memory to import; -1: it is new, and may be exported
};

inline const Piece& piece_of(driver::Place place) { return static_cast<Buffer&>(*place.buffer).piece.get(); }

class Module final : public driver::ReportingModule {
 public:
  Owned<ShaderModule> module;
  spirv::RawModule raw;  // of the user's own code
};

// The descriptor sets of one launch. The kernel reuses them when no work in flight uses them.
struct Sets {
  Owned<DescriptorPool> pool;
  std::vector<DescriptorSet> handles;
};

class Kernel final : public driver::Kernel {
 public:
  Module* program = nullptr;
  const RawEntry* raw = nullptr;
  driver::Bindings bound;
  std::vector<uint64_t> hidden;  // pointers after the user's arguments: to variables and the report
  uint32_t push_bytes = 0;
  std::vector<Owned<DescriptorSetLayout>> owned_layouts;
  std::vector<DescriptorSetLayout> set_layouts;  // their handles
  Owned<PipelineLayout> layout;
  driver::Variants<Owned<Pipeline>> pipelines;
  std::mutex sets_mutex;
  std::deque<std::shared_ptr<Sets>> sets;  // least recently used first
};

// The progress of a queue. Shared with events and commands of other queues, which may outlive the queue.
class Timeline {
 public:
  Timeline(const DeviceApi& api, DeviceHandle device, Owned<Semaphore> s)
      : semaphore(std::move(s)), api_(api), device_(device) {}

  Result<bool> has_reached(uint64_t value);
  Result<> wait(uint64_t value);
  uint64_t known() const { return known_.load(); }

  const Owned<Semaphore> semaphore;

 private:
  const DeviceApi& api_;
  DeviceHandle device_;
  std::atomic<uint64_t> known_{0};  // known to be reached
};

// A value of a timeline.
struct Point {
  std::shared_ptr<Timeline> timeline;
  uint64_t value = 0;
};

// Where the device writes a mark's timestamp.
using Queries = driver::QueryPools<Owned<QueryPool>>;

struct Mark final : driver::Mark {
  Point point;
  std::shared_ptr<const Queries::Query> query;  // null: no timestamps. Also held by commands in flight.
};

// A copy to host memory, made when the queue has reached `value`.
struct HostCopy {
  std::byte* to = nullptr;
  OwnedPiece from;
  uint64_t bytes = 0;
  Point when;
};

// A command buffer and everything it needs until it completes.
struct Slot {
  CommandBuffer commands = nullptr;
  uint64_t value = 0;  // of the timeline, on completion
  std::vector<OwnedPiece> staging;
  std::vector<HostCopy> arrivals;                 // until it is submitted
  std::vector<std::shared_ptr<const void>> held;  // timelines, queries and descriptors that it uses
  bool is_open = false;                           // commands are being recorded
};

// One VkQueue, shared by several queues.
struct NativeQueue {
  QueueHandle handle = nullptr;
  std::mutex own_mutex;
  std::mutex* mutex = &own_mutex;  // held for each submission; another library's where it uses the queue too
};

// The part of a queue that runs on one VkQueue. The lanes of a queue are ordered by its timeline.
struct Lane {
  NativeQueue* native = nullptr;
  bool only_copies = false;
  Owned<CommandPool> pool;
  std::deque<std::unique_ptr<Slot>> slots;  // least recently used first
};

class Stream final : public driver::ReportingStream {
 public:
  ~Stream() override;

  driver::KeepAlive keep_alive;
  std::unique_ptr<NativeQueue> adopted;  // null: one of the device's
  std::shared_ptr<Timeline> timeline;
  Lane work, copies;         // `copies` only if there is a transfer queue
  const Lane* at = nullptr;  // lane of the last submission
  uint64_t last = 0;         // its value
  std::vector<Point> waits;  // for the next submission
};

inline Stream& as_stream(driver::Stream& stream) { return static_cast<Stream&>(stream); }

class Device final : public driver::CommandDevice, public driver::Interop {
 public:
  // On a device that another library created; `abilities` has what is enabled there.
  static Result<std::unique_ptr<driver::Device>> open_native(std::shared_ptr<InstanceApi> instance,
                                                             Abilities abilities, driver::DeviceInfo info,
                                                             const interop::vulkan::Device& handle,
                                                             driver::KeepAlive keep_alive);
  static Result<std::unique_ptr<driver::Device>> open(std::shared_ptr<InstanceApi> instance,
                                                      PhysicalDevice physical, Abilities abilities,
                                                      driver::DeviceInfo info);
  ~Device() override;

  const driver::DeviceInfo& info() const override { return info_; }

  // memory.cpp
  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override;

  // module.cpp
  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override;
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& program, std::string_view name) override;
  std::vector<std::string> kernel_names(driver::Module& program) override;
  Result<bool> prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes) override;

  // commands.cpp
  Result<std::unique_ptr<driver::Graph>> make_graph(std::span<const Command> commands) override;

  // stream.cpp
  Result<std::unique_ptr<driver::Stream>> create_stream(const driver::StreamOptions& options) override;

  // interop.cpp
  Result<driver::AnyDevice> native_device() override;
  Result<driver::AnyBuffer> native_buffer(driver::Place place) override;
  Result<driver::AnyStream> native_stream(driver::Stream& stream) override;
  Result<driver::AnyEvent> native_event(driver::Event& event) override;
  Result<std::unique_ptr<driver::Buffer>> adopt_buffer(const driver::AnyBuffer& handle, uint64_t bytes,
                                                       driver::KeepAlive keep_alive) override;
  Result<std::unique_ptr<driver::Stream>> adopt_stream(const driver::AnyStream& handle,
                                                       driver::KeepAlive keep_alive) override;
  Result<> wait_native(driver::Stream& stream, const driver::AnyEvent& event) override;
  Result<std::unique_ptr<driver::Buffer>> allocate_shared(uint64_t bytes, driver::ShareKind kind) override;
  Result<driver::SharedMemory> export_memory(driver::Buffer& buffer) override;
  Result<std::unique_ptr<driver::Buffer>> import_memory(const driver::SharedMemory& memory) override;

 private:
  Device(std::shared_ptr<InstanceApi> instance, Abilities abilities, driver::DeviceInfo info)
      : instance_(std::move(instance)), has_(std::move(abilities)), info_(std::move(info)) {}

  // device.cpp
  Result<> create(PhysicalDevice physical);
  Result<> load_functions();
  Result<> start();
  void open_cache();
  void keep_cache();
  std::string cache_key() const;
  bool has_addresses() const { return info_.features.has(driver::Feature::addresses); }
  template <typename Handle, typename Info>
  Result<Owned<Handle>> make(const char* call, Create<Handle, Info> how,
                             void (*end)(DeviceHandle, Handle, const void*), const Info& info) {
    Handle made = {};
    if (const int32_t code = how(device_, &info, nullptr, &made); code < 0) return failed(api_, call, code);
    return Owned<Handle>(made, {device_, end});
  }

  // memory.cpp
  void choose_memory();
  Result<std::unique_ptr<Memory>> make_chunk(uint64_t bytes, uint32_t type, bool is_mapped,
                                             const Sharing& sharing = {});

  // interop.cpp
  Result<std::unique_ptr<driver::Buffer>> make_shared_buffer(uint64_t bytes, const Sharing& sharing);
  static std::unique_ptr<Buffer> outside_buffer(std::unique_ptr<Memory> memory, uint64_t offset,
                                                uint64_t bytes);

  // stream.cpp
  Result<std::shared_ptr<Timeline>> take_timeline();
  Result<> make_lane(Lane& lane, NativeQueue& native, uint32_t family);
  Result<Slot*> begin(Stream& stream, Lane& lane);
  Result<> submit(Stream& stream, const Lane& lane, Slot& slot);

  // commands.cpp
  Result<> run(driver::Stream& stream, std::span<const Command> commands) override;  // in one submission
  uint64_t piece_bytes(const Command& copy) override;
  Result<std::byte*> touch(driver::Stream& stream, driver::Place place) override;
  Result<> add(Stream& stream, Slot& slot, const Command& command);
  void add_copy(const Slot& slot, const Piece& to, uint64_t to_offset, const Piece& from,
                uint64_t from_offset, uint64_t bytes);
  Result<> add_fill(Slot& slot, const Command& c);
  // Makes earlier writes visible to later commands of the lane; with `for_host`, also to the host.
  void add_barrier(const Lane& lane, const Slot& slot, bool for_host);
  Result<Piece> stage(Slot& slot, uint64_t bytes);
  Result<> finish_host_copies();
  Result<> wait_copying(const Point& until);

  // module.cpp
  using Pipelines = driver::Variants<Owned<Pipeline>>;
  Result<Pipelines::Found> pipeline(Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes);
  Result<Owned<Pipeline>> make_pipeline(const Kernel& kernel, const driver::BlockConfig& shape);
  base::Error refused(const std::string& what, int32_t code);

  // arguments.cpp
  Result<> lay_out(Kernel& kernel);
  Result<> lay_out_raw(Kernel& kernel);
  Result<> make_layout(Kernel& kernel);
  Result<> add_launch(Slot& slot, Kernel& kernel, const driver::Launch& launch);
  void pack(const Kernel& kernel, const driver::Launch& launch, std::span<std::byte> block) const;
  Result<std::shared_ptr<Sets>> take_sets(Kernel& kernel);
  Result<> bind_buffers(Slot& slot, Kernel& kernel, const driver::Launch& launch, const Piece& block);
  Result<DescriptorBufferInfo> descriptor(const Kernel& kernel, const driver::Binding& bound,
                                          const driver::Launch& launch);

  // event.cpp
  Result<std::shared_ptr<driver::Mark>> set_mark(driver::Stream& stream) override;
  Result<> follow(driver::Stream& stream, driver::Mark& mark) override;
  Result<bool> is_passed(driver::Mark& mark) override;
  Result<> wait_for(driver::Mark& mark) override;
  Result<> finish(driver::Stream& stream) override;
  Result<uint64_t> ticks(const driver::Mark& mark) override;
  Result<> listen(driver::DeviceLog& device_log) override;  // also reads the validation layer's messages
  bool can_calibrate() const { return has_.can_calibrate && api_.vkGetCalibratedTimestamps != nullptr; }
  Result<driver::ClockPair> calibrate();

  driver::KeepAlive keep_alive_;
  bool is_foreign_ = false;  // another library destroys the VkDevice
  std::shared_ptr<InstanceApi> instance_;
  PhysicalDevice physical_ = nullptr;
  uint32_t device_type_ = 0;  // of memory, for device_pool_
  Abilities has_;
  driver::DeviceInfo info_;
  DeviceApi api_;
  DeviceHandle device_ = nullptr;
  std::unique_ptr<driver::Chunks> device_pool_, host_pool_;
  bool is_direct_ = false;               // all device memory is host-visible
  std::atomic<bool> host_looks_{false};  // the host may access memory that kernels write
  base::Store store_;
  Owned<PipelineCache> cache_;
  size_t cache_bytes_ = 0;  // size when loaded
  std::deque<NativeQueue> queues_;
  NativeQueue* copy_queue_ = nullptr;
  std::atomic<uint32_t> next_queue_{0};

  std::mutex timelines_mutex_;
  std::vector<std::unique_ptr<Timeline>> free_timelines_;

  driver::StagingCopier staging_copier_;
  std::mutex copies_mutex_;
  std::deque<HostCopy> copies_;

  Queries queries_;

  std::unique_ptr<driver::Buffer> nothing_;  // bound for null
};

}  // namespace quern::vulkan

// QUERN_VK_MAKE(Semaphore, info): creates a handle by vkCreateSemaphore, destroyed by vkDestroySemaphore.
#define QUERN_VK_MAKE(noun, info) make("vkCreate" #noun, api_.vkCreate##noun, api_.vkDestroy##noun, info)
