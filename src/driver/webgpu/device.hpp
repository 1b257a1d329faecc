// One WebGPU device behind the driver interface. WebGPU has one queue, which runs all work in the order of
// submission; so a stream that waits for an event has nothing to do. Commands are encoded and submitted under
// the lock of the Gpu. Pipelines are created before, since that takes time.
#pragma once

#include <deque>
#include <map>
#include <tuple>

#include "driver/support/bindings.hpp"
#include "driver/support/command_device.hpp"
#include "driver/support/query_pools.hpp"
#include "driver/support/variants.hpp"
#include "driver/webgpu/gpu.hpp"

namespace quern::webgpu {

using driver::Command;

/// WebGPU copies whole words.
inline uint64_t whole_words(uint64_t bytes) { return (bytes + 3) / 4 * 4; }

class Buffer final : public driver::Buffer {
 public:
  explicit Buffer(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}
  ~Buffer() override;

  Owned handle;
  uint64_t id = 0;    // never used again, unlike handles
  uint64_t size = 0;  // a multiple of 4

 private:
  std::shared_ptr<Gpu> gpu_;
};

class Module final : public driver::ReportingModule {
 public:
  Owned handle;  // of code.bytes
  bool uses_immediates = false;
};

/// The bindings of a kernel's buffers. Buffers that are bound twice share a binding.
using BindingList = std::vector<uint32_t>;

/// Selects one of a kernel's codes.
struct FormKey {
  BindingList bindings;
  bool is_wide = false;  // for grids that need several dispatches

  bool operator==(const FormKey&) const = default;
  bool operator<(const FormKey& o) const {
    return std::tie(bindings, is_wide) < std::tie(o.bindings, o.is_wide);
  }
};

/// A kernel's code for one key.
struct Form {
  std::string entry;
  Owned own_module;         // null: the module's is used
  Handle module = nullptr;  // either
  Owned group_layout, layout;
  driver::Variants<Owned> pipelines;
  struct Group {
    std::vector<uint64_t> buffers;  // their ids, by binding
    Owned handle;
  };
  std::deque<Group> groups;  // the last used ones; under the lock of the Gpu
};

class Kernel final : public driver::Kernel {
 public:
  Module* owner = nullptr;
  driver::Bindings bound;
  std::mutex forms_mutex;
  std::map<FormKey, std::unique_ptr<Form>> forms;
};

/// A launch whose pipeline exists.
struct Ready {
  Form* form = nullptr;
  Handle pipeline = nullptr;
  std::vector<const Buffer*> buffers;  // by binding
  std::vector<std::byte> block;        // of arguments
  bool uses_immediates = false;
  driver::Dim3 grid;
  struct Gathered {
    const Buffer* buffer = nullptr;
    uint64_t offset = 0;  // in the gathering buffer
    bool is_written = false;
  };
  std::vector<Gathered> gathered;  // copied to one buffer and back, since there are too many
  uint64_t gathered_bytes = 0;
  std::shared_ptr<Buffer> gathering;
};

struct Staging {
  Owned buffer;
  uint64_t bytes = 0;
};

/// A copy to host memory, done when somebody waits for it.
struct HostCopy {
  std::byte* to = nullptr;
  uint64_t skip = 0, bytes = 0;
  Staging from;
  std::shared_ptr<Signal> mapped;
  uint64_t sequence = 0;  // of the submission that fills `from`

  uint64_t staged_bytes() const { return whole_words(skip + bytes); }
};

/// Commands that are being encoded.
struct Batch {
  Owned encoder, pass;
  uint64_t argument_bytes = 0;
  std::vector<HostCopy> downloads;
};

using Queries = driver::QueryPools<Owned>;

struct Mark final : driver::Mark {
  std::shared_ptr<Signal> signal;
  uint64_t sequence = 0;
  std::shared_ptr<const Queries::Query> query;  // null: no clock
};

class Device final : public driver::CommandDevice {
 public:
  static Result<std::unique_ptr<driver::Device>> open(Adapter adapter);
  ~Device() override;

  const driver::DeviceInfo& info() const override { return info_; }

  // memory.cpp
  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override;

  // module.cpp
  Result<std::unique_ptr<driver::Module>> load(const driver::Code& code) override;
  Result<std::unique_ptr<driver::Kernel>> kernel(driver::Module& module, std::string_view name) override;
  Result<bool> prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes) override;

  // stream.cpp
  Result<std::unique_ptr<driver::Stream>> create_stream(const driver::StreamOptions& options) override;
  Result<std::unique_ptr<driver::Graph>> make_graph(std::span<const Command> commands) override;

 private:
  Device(Adapter adapter, std::shared_ptr<Gpu> gpu);
  Result<> create();

  // memory.cpp; the lock of the Gpu is held
  Result<std::unique_ptr<Buffer>> make_buffer(uint64_t bytes);
  Result<Handle> scratch(uint64_t bytes);
  // Copies whole words between different buffers.
  Result<> add_word_copy(Batch& batch, Handle to, uint64_t to_offset, Handle from, uint64_t from_offset,
                         uint64_t bytes);
  Result<> add_upload(Batch& batch, const Command& c);
  Result<> add_download(Batch& batch, const Command& c);
  Result<> add_copy(Batch& batch, const Command& c);
  Result<> add_fill(Batch& batch, const Command& c);
  Result<> add_byte_copy(Batch& batch, driver::Place to, uint64_t scratch_offset, uint64_t bytes);
  Result<Staging> take_staging(uint64_t bytes);
  // Without the lock.
  Result<> finish_host_copies(uint64_t sequence);

  // module.cpp
  Result<Owned> make_module(const driver::Code& code, const std::string& text);
  std::string adapted(const driver::Code& code, bool uses_immediates) const;
  Result<Form*> form(Kernel& kernel, const FormKey& key);
  Result<std::unique_ptr<Form>> make_form(Kernel& kernel, const FormKey& key);
  Result<driver::Variants<Owned>::Found> pipeline(const Kernel& kernel, Form& form,
                                                  const driver::BlockConfig& shape);

  // launch.cpp
  Result<Ready> make_ready(const Command& command);
  Result<> gather(const Kernel& kernel, std::vector<driver::Argument>& arguments, Ready& ready);
  Result<> add_launch(Batch& batch, const Ready& ready);
  Result<> add_dispatches(Batch& batch, const Ready& ready);
  Result<> add_dispatch(Batch& batch, const Ready& ready, std::span<const std::byte> block, uint32_t width);
  Result<Handle> group_of(const Ready& ready);
  Result<> add_arguments(Batch& batch, std::span<const std::byte> block);

  // stream.cpp; the lock of the Gpu is held
  Result<Handle> encoder(Batch& batch);
  Result<Handle> pass(Batch& batch, const PassDescriptor& descriptor = {});
  void end_pass(Batch& batch);
  Result<> submit(Batch& batch);
  Result<> mark_end(Mark& mark);  // of all that was submitted

  Result<> run(driver::Stream& stream, std::span<const Command> commands) override;
  uint64_t piece_bytes(const Command& copy) override;
  Result<std::shared_ptr<driver::Mark>> set_mark(driver::Stream& stream) override;
  Result<> follow(driver::Stream& stream, driver::Mark& mark) override;
  Result<bool> is_passed(driver::Mark& mark) override;
  Result<> wait_for(driver::Mark& mark) override;
  Result<> finish(driver::Stream& stream) override;
  Result<uint64_t> ticks(const driver::Mark& mark) override;

  const Limits limits_;
  const Abilities has_;
  driver::DeviceInfo info_;
  const std::shared_ptr<Gpu> gpu_;

  // All of these: under the lock of the Gpu.
  uint64_t next_id_ = 1;
  uint64_t sequence_ = 0;  // of submissions
  Owned arguments_layout_, arguments_;
  std::map<uint64_t, Owned> argument_groups_;  // by the size of the block
  Staging scratch_;
  std::shared_ptr<Buffer> gathering_;
  struct ByteCopy {
    Owned group_layout, layout, module, pipeline;
  } byte_copy_;
  Owned resolved_;  // timestamps

  std::mutex copies_mutex_;
  std::deque<HostCopy> copies_;
  std::mutex staging_mutex_;
  std::vector<Staging> staging_;

  Queries queries_;

  std::unique_ptr<Buffer> nothing_;  // bound for null
};

inline const Buffer& buffer_of(const driver::Place& place) {
  return static_cast<const Buffer&>(*place.buffer);
}

/// Bytes of a kernel's block of arguments: whole rows of 16 bytes, and one more that is zero.
uint64_t argument_block_bytes(const driver::KernelInfo& kernel);

/// Bytes of the uniform buffer for the arguments of launches that are not submitted yet.
inline constexpr uint64_t kArgumentBytes = 256 << 10;

}  // namespace quern::webgpu
