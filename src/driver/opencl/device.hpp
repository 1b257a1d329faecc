// One OpenCL device. Memory is Intel's unified shared memory or shared virtual memory if the device has it,
// so that pointers are addresses and may be stored in memory; else buffer objects, with an offset for each
// pointer parameter.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <set>

#include "base/store.hpp"
#include "driver/interface/interop.hpp"
#include "driver/opencl/api.hpp"
#include "driver/support/command_device.hpp"
#include "driver/support/owned.hpp"
#include "driver/support/variants.hpp"

namespace quern::opencl {

class Device;

template <typename Handle>
using Owned = driver::Owned<Handle, int32_t (*)(Handle)>;

class Buffer final : public driver::Buffer {
 public:
  explicit Buffer(Device& device) : device_(device) {}
  ~Buffer() override;

  void* at = nullptr;  // either this or `mem`
  Mem mem = nullptr;
  driver::KeepAlive keep_alive;
  bool is_adopted = false;  // `at` is another library's

  // Of a buffer object that another library created; `mem` is a part of it, or itself.
  struct Part {
    Owned<Mem> whole, part;
    uint64_t offset = 0;  // of the part
    std::vector<std::pair<uint64_t, Owned<Mem>>>
        tails;  // of the part, by offset: for kernels without offsets
  };
  Part adopted;

 private:
  Device& device_;
};

class Module final : public driver::ReportingModule {  // keeps its code's bytes only if they are our text
 public:
  Owned<ProgramId> id;
  driver::Code tried;  // the code itself, if the compiler is tried in a child process
};

class Kernel final : public driver::Kernel {
 public:
  // Compiled for one block size only: some devices allow larger blocks if the size is known.
  struct Sized {
    Owned<ProgramId> program;
    Owned<KernelId> id;
  };

  Owned<KernelId> id;            // for any block size
  uint64_t general_threads = 0;  // its maximum block size
  driver::Variants<Sized> sized;
  Module* program = nullptr;
  std::set<std::string> tried;  // work-groups for which the compiler was tried in a child process
  std::mutex mutex;  // guards `tried` and the arguments, which are part of the kernel until it is enqueued
};

class Stream final : public driver::ReportingStream {
 public:
  Owned<CommandQueue> id;
  driver::KeepAlive keep_alive;
  bool is_adopted = false;  // its properties may differ
};

class Graph final : public driver::Graph {
 public:
  std::vector<Owned<KernelId>> kernels;  // one per launch
  Owned<CommandBuffer> id;
  std::vector<std::shared_ptr<driver::Report>> reports;
};

struct Mark final : driver::Mark {
  Owned<EventId> id;
};

// The NDRange of a launch.
struct Range {
  explicit Range(const driver::Launch& launch)
      : local{launch.block.x, launch.block.y, launch.block.z},
        global{launch.grid.x * local[0], launch.grid.y * local[1], launch.grid.z * local[2]} {}
  size_t local[3], global[3];
};

class Device final : public driver::CommandDevice, public driver::Interop {
 public:
  // `native`: a context that another library created; null: a new one.
  static Result<std::unique_ptr<driver::Device>> open(std::shared_ptr<const Api> api, DeviceId id,
                                                      driver::DeviceInfo info, Context native = nullptr,
                                                      driver::KeepAlive keep_alive = {});
  ~Device() override = default;

  const driver::DeviceInfo& info() const override { return info_; }

  // memory.cpp
  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override;

  // module.cpp
  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override;
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& program, std::string_view name) override;
  Result<bool> prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes) override;
  driver::Occupancy occupancy(driver::Kernel& kernel, uint32_t threads, uint64_t shared_bytes) override;
  Result<driver::Code> binary(driver::Module& program) override;
  std::vector<std::string> kernel_names(driver::Module& program) override;

  // graph.cpp
  Result<std::unique_ptr<driver::Graph>> make_graph(std::span<const driver::Command> commands) override;
  Result<> update_graph(driver::Graph& graph) override;
  Result<> run_graph(driver::Stream& stream, driver::Graph& graph) override;

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

 private:
  friend class Buffer;
  Device(std::shared_ptr<const Api> api, DeviceId id, driver::DeviceInfo info)
      : api_(std::move(api)), id_(id), info_(std::move(info)) {}

  bool has_addresses() const { return info_.features.has(driver::Feature::addresses); }
  bool is_fine() const { return info_.features.has(driver::Feature::shared_memory); }
  // QUERN_CL_MAKE: the handle created by a function that returns its error code through its last parameter.
  template <typename Handle, typename... Parameters, typename... Arguments>
  Result<Owned<Handle>> make(const char* call, Handle (*how)(Parameters...), int32_t (*release)(Handle),
                             Arguments... arguments) const {
    int32_t code = 0;
    const Handle made = how(arguments..., &code);
    if (code != 0) return failed(call, code);
    return Owned<Handle>(made, release);
  }

  // stream.cpp
  Result<> run(driver::Stream& stream, std::span<const driver::Command> commands) override;
  Result<std::shared_ptr<driver::Mark>> set_mark(driver::Stream& stream) override;
  Result<> follow(driver::Stream& stream, driver::Mark& mark) override;
  Result<bool> is_passed(driver::Mark& mark) override;
  Result<> wait_for(driver::Mark& mark) override;
  Result<> finish(driver::Stream& stream) override;
  Result<uint64_t> ticks(const driver::Mark& mark) override;
  Result<> listen(driver::DeviceLog& device_log) override { return check(read_reports(device_log)); }

  // interop.cpp
  Result<> adopt_mem(Buffer& buffer, const interop::opencl::Buffer& handle);
  Result<Owned<Mem>> sub_buffer(Mem mem, uint64_t offset, uint64_t bytes);
  Result<Mem> tail_of(Buffer& buffer, uint64_t offset);
  Result<> copy_mixed(driver::Stream& stream, const driver::Command& command);
  Result<> copy_through_host(driver::Stream& stream, const driver::Command& command);

  Result<> start(Context native);
  Result<> enqueue(driver::Stream& stream, const driver::Command& command);
  Result<> enqueue_launch(driver::Stream& stream, Kernel& kernel, const driver::Launch& launch);
  Result<> enqueue_fill(driver::Stream& stream, const driver::Command& command);
  Result<> add_launch(Graph& graph, Kernel& kernel, const driver::Launch& launch, uint32_t& point);
  Result<> set_arguments(const Kernel& kernel, KernelId id, const driver::Launch& launch);
  Result<> declare_indirect_access(KernelId id);
  Result<> set_place(KernelId id, uint32_t index, driver::Place place);
  Result<void*> allocate_at(uint64_t bytes, driver::MemoryKind kind);
  Result<> transfer(driver::Stream& stream, void* to, const void* from, uint64_t bytes);
  std::string cache_key(const driver::Code& code) const;
  Result<Owned<ProgramId>> compile(const driver::Code& code);
  Result<Owned<ProgramId>> make_program(const driver::Code& code);
  Result<std::string> binary_of(ProgramId program);
  Result<> build(ProgramId program, const driver::Code& code);
  Result<> try_compiler(const driver::Code& code, const std::string& work_group);
  Result<> try_work_group(Kernel& kernel, const driver::Launch& launch);
  Result<driver::Variants<Kernel::Sized>::Found> compile_sized(Kernel& kernel, const driver::Dim3& block);
  Result<KernelId> for_block(Kernel& kernel, const driver::Dim3& block);
  Result<> describe_raw(Kernel& kernel);
  void ask_limits(Kernel& kernel);
  std::string build_options(const driver::Code& code) const;
  Result<> check(Result<> result);  // marks the device lost if it was
  bool is_dead();                   // whether the context is unusable

  driver::KeepAlive keep_alive_;
  std::shared_ptr<const Api> api_;
  DeviceId id_;
  driver::DeviceInfo info_;
  Owned<Context> context_;
  base::Store store_;            // compiled code
  bool is_unified_ = false;      // Intel's unified shared memory
  bool has_null_ = true;         // null is a valid pointer argument; else only a null buffer object is
  bool tries_compiler_ = false;  // in a child process first: the driver's own may abort
  std::atomic<bool> has_warned_ = false;  // that no child process could be started
  bool can_record_ = false;               // command buffers with simultaneous use
  std::mutex live_mutex_;
  std::set<void*> live_;  // all shared virtual memory, for kernels that dereference stored pointers
};

// OpenCL C with a fixed block size for its kernels.
driver::Code sized_code(const driver::Code& general, const driver::Dim3& block);

// Queries the device's properties.
driver::DeviceInfo describe(const Api& api, DeviceId id);

}  // namespace quern::opencl

#define QUERN_CL_MAKE(create, release, ...) make(#create, api_->create, api_->release, __VA_ARGS__)
