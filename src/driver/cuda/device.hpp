// One CUDA (or HIP) device. Everything runs in the device's primary context, which other libraries of the
// process share. Each call makes it current, so any thread may call.
#pragma once

#include <atomic>
#include <mutex>
#include <set>

#include "base/store.hpp"
#include "driver/cuda/compiler.hpp"
#include "driver/cuda/staging.hpp"
#include "driver/interface/allocation_sharing.hpp"
#include "driver/interface/driver.hpp"
#include "driver/interface/interop.hpp"
#include "driver/support/persistent_kernels.hpp"

namespace quern::cuda {

class Device;

class Buffer final : public driver::Buffer {
 public:
  explicit Buffer(Device& device) : device_(device) {}
  ~Buffer() override;

  enum class Owner : uint8_t { kNobody, kPool, kDevice, kHost, kCaller, kShared };
  Owner owner = Owner::kNobody;
  driver::KeepAlive keep_alive;

  // Of memory that other processes use too (kShared, or kDevice with cuda_ipc).
  driver::SharedMemory::Description shared;
  uint64_t physical = 0;          // with cuda_fd: what is mapped at `address`
  ExternalId external = nullptr;  // with vulkan_fd

  // Of kDevice that share_range() has returned: frees the memory when it is released. Guarded by the device's
  // shares_mutex_.
  driver::KeepAlive hold;
  uint64_t share_number = 0;

 private:
  Device& device_;
};

class Module final : public driver::Module {
 public:
  explicit Module(Device& device) : device_(device) {}
  ~Module() override;

  ModuleId id = nullptr;
  driver::Code code;    // as the device takes it; kernels of raw code are described if possible
  bool is_ptx = false;  // compiled by the driver: there is no binary
  std::vector<std::pair<std::string, std::unique_ptr<Buffer>>> variables;

 private:
  Device& device_;
};

class Kernel final : public driver::Kernel {
 public:
  FunctionId id = nullptr;
  const std::string* label =
      nullptr;  // its name, owned by the device: for messages after the kernel is destroyed
};

class Stream final : public driver::Stream {
 public:
  explicit Stream(Device& device);
  ~Stream() override;

  StreamId id = nullptr;
  bool is_adopted = false;  // another library destroys the stream
  driver::KeepAlive keep_alive;
  Calls calls;
  Staging staging;
  std::atomic<const std::string*> last{nullptr};  // most recently launched kernel
  std::atomic<uint64_t> launches{0};              // since the last wait

 private:
  Device& device_;
};

class Event final : public driver::Event {
 public:
  explicit Event(Device& device) : device_(device) {}
  ~Event() override;

  EventId id = nullptr;
  bool is_recorded = false;

 private:
  Device& device_;
};

class Graph final : public driver::Graph {
 public:
  explicit Graph(Device& device) : device_(device) {}
  ~Graph() override;

  RunnableId id = nullptr;
  const std::string* last = nullptr;  // last kernel in it

 private:
  Device& device_;
};

class Device final : public driver::Device, public driver::Interop, public driver::AllocationSharing {
 public:
  // `native`: a context that another library created; null: the primary one.
  static Result<std::unique_ptr<driver::Device>> open(std::shared_ptr<const Api> api, DeviceId id,
                                                      driver::DeviceInfo info,
                                                      std::shared_ptr<Compiler> compiler,
                                                      Context native = nullptr,
                                                      driver::KeepAlive keep_alive = {});
  ~Device() override;

  const driver::DeviceInfo& info() const override { return info_; }

  // memory.cpp
  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override;
  Result<std::unique_ptr<driver::Buffer>> import_host_memory(std::byte* host, uint64_t bytes) override;
  Result<> upload(driver::Stream& stream, driver::Place to, const void* from, uint64_t bytes) override;
  Result<> download(driver::Stream& stream, void* to, driver::Place from, uint64_t bytes) override;
  Result<> copy(driver::Stream& stream, driver::Place to, driver::Place from, uint64_t bytes) override;
  Result<> copy_from(driver::Stream& stream, driver::Place to, driver::Device& other, driver::Place from,
                     uint64_t bytes) override;
  Result<> fill(driver::Stream& stream, driver::Place to, uint64_t value, uint32_t width,
                uint64_t bytes) override;
  uint64_t free_memory() override;
  Result<driver::EncodedTensorMap> encode_tensor_map(driver::Place tensor,
                                                     const driver::TensorMapOptions& options) override;

  // module.cpp
  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override;
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& program, std::string_view name) override;
  Result<driver::Place> variable(driver::Module& program, std::string_view name) override;
  Result<driver::Code> binary(driver::Module& program) override;
  std::vector<std::string> kernel_names(driver::Module& program) override;
  driver::Occupancy occupancy(driver::Kernel& kernel, uint32_t threads, uint64_t shared_bytes) override;

  // stream.cpp
  Result<std::unique_ptr<driver::Stream>> create_stream(const driver::StreamOptions& options) override;
  Result<> launch(driver::Stream& stream, driver::Kernel& kernel, const driver::Launch& launch) override;
  Result<std::unique_ptr<driver::Event>> create_event() override;
  Result<> record(driver::Stream& stream, driver::Event& event) override;
  Result<> wait(driver::Stream& stream, driver::Event& event) override;
  Result<bool> reached(driver::Event& event) override;
  Result<> wait(driver::Event& event) override;
  Result<> synchronize(driver::Stream& stream) override;
  Result<uint64_t> time(driver::Event& event) override;
  Result<> call(driver::Stream& stream, std::function<void()> function) override;

  // graph.cpp
  Result<std::unique_ptr<driver::Graph>> make_graph(std::span<const driver::Command> commands) override;
  Result<> update_graph(driver::Graph& graph) override;
  Result<> run_graph(driver::Stream& stream, driver::Graph& graph) override;

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

  // sharing.cpp
  Result<interop::SharedRange> share_range(driver::Place place) override;

 private:
  friend class Buffer;
  friend class Module;
  friend class Stream;
  friend class Event;
  friend class Graph;
  Device(std::shared_ptr<const Api> api, DeviceId id, driver::DeviceInfo info)
      : api_(std::move(api)), id_(id), info_(std::move(info)) {}

  // interop.cpp
  Result<> map_physical(Buffer& buffer);
  Result<> import_external(Buffer& buffer, const driver::SharedMemory& memory);
  void release_shared(Buffer& buffer) const;

  // sharing.cpp
  driver::KeepAlive hold_of(Address address);

  // device.cpp
  Result<> start(
      Context native);  // uses the context, or retains the primary one, and creates the objects in it
  bool is_lost() const { return is_lost_.load(std::memory_order_relaxed); }
  std::string in_flight(const Stream* stream);  // ", in kernel 'k'", for the message of a loss
  Result<> use();                               // makes the context current; fails if the device is lost
  int attribute(Attribute which) const;
  Result<> start_clock();
  base::Error fail(std::string_view call, int32_t code, const Stream* stream = nullptr);

  // memory.cpp
  int32_t take_device(Buffer& buffer, uint64_t bytes);
  int32_t allocate_device(Buffer& buffer, uint64_t bytes);
  int32_t allocate_host(Buffer& buffer, uint64_t bytes);
  bool is_pinned(const void* memory) const;
  void meet(const Device& other);  // enables peer access in both directions, if supported
  bool goes_directly(const void* memory, uint64_t bytes) const;

  // module.cpp
  Result<> compile(const driver::Code& code, Module& program);
  Result<Compiler::Output> compile_or_find(const driver::Code& code) const;
  Result<> check_shared(const driver::Code& code) const;
  Result<> load_image(Module& program);
  Result<> describe_raw(Kernel& kernel) const;
  Result<std::vector<std::string>> options_for(const driver::Code& code) const;

  // graph.cpp
  bool can_capture(std::span<const driver::Command> commands) const;
  GraphId capture(Graph& graph);

  // stream.cpp
  base::Error too_large(const Kernel& kernel, const driver::Launch& launch);
  Result<> launch_clusters(Stream& stream, const Kernel& kernel, const driver::Launch& launch,
                           void** arguments);

  driver::KeepAlive keep_alive_;
  std::shared_ptr<const Api> api_;
  DeviceId id_;
  driver::DeviceInfo info_;
  Context context_ = nullptr;
  PoolId pool_ = nullptr;
  StreamId own_stream_ = nullptr;  // allocates and frees memory of the pool
  bool is_synchronous_ = false;    // QUERN_SYNC=1
  StagingCopier staging_copier_;
  std::shared_ptr<Compiler> compiler_;  // null: not installed
  base::Store store_;
  std::atomic<bool> is_lost_{false};
  std::mutex lost_mutex_;
  std::string lost_;  // reason of the loss
  std::mutex streams_mutex_;
  std::vector<const Stream*> streams_;
  std::set<std::string> labels_;  // of all kernels so far
  std::mutex peers_mutex_;
  std::set<DeviceId> peers_;  // for which peer access was tried
  std::mutex shares_mutex_;
  uint64_t last_share_ = 0;  // number of the last allocation that was shared
  std::mutex clock_mutex_;
  EventId clock_ = nullptr;  // recorded at clock_ns_ of the host's steady clock
  double clock_ns_ = 0;
};

// Queries the device's properties; needs no context.
Result<driver::DeviceInfo> describe(const Api& api, DeviceId id, uint32_t index);
int read_attribute(const Api& api, DeviceId id, Attribute which);

}  // namespace quern::cuda

// QUERN_DO(stream, event_record(event, stream)): for member functions of Device; the stream may be null.
#define QUERN_DO(stream, call)                                                      \
  do {                                                                              \
    if (const int32_t quern_do_ = api_->call; quern_do_ != 0) [[unlikely]] {        \
      const std::string_view quern_text_ = #call;                                   \
      return fail(quern_text_.substr(0, quern_text_.find('(')), quern_do_, stream); \
    }                                                                               \
  } while (false)
