// Work recorded by a stream that can run many times. Keeps the memory and the kernels that it uses.
// Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/split_launch.hpp"
#include "runtime/stream.hpp"

namespace quern::runtime {

// The result of recording: the commands, and the objects that they refer to.
class Recording {
 public:
  void add_launch(Kernel& kernel, const driver::Launch& launch, std::span<const HostArgument> arguments);
  // All launches of a split kernel.
  void add_split(Kernel& kernel, const driver::Launch& launch, std::span<const HostArgument> arguments,
                 const SplitMemory& memory);
  // A copy of any kind; keeps the memories.
  void add(const driver::Command& command, std::initializer_list<Memory*> memories);

 private:
  friend class Graph;

  // The objects that a command refers to.
  struct Step {
    std::shared_ptr<Kernel> kernel;
    driver::Kernel* native = nullptr;  // as loaded when the device graph was last updated
    std::vector<MemoryPtr> memories;
    std::vector<driver::Argument> arguments;
    std::vector<std::byte> values;    // of the arguments
    std::optional<SplitRun> repeats;  // a split kernel: repeat this launch until the kernel is done
  };
  uint64_t bytes_of(size_t step) const;
  bool point_to_kernels();  // as loaded now; returns whether one was reloaded

  std::vector<driver::Command> commands_;
  std::vector<Step> steps_;
};

class Graph {
 public:
  static Result<std::shared_ptr<Graph>> create(Device& device, Recording recording);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Device& device() const { return *device_; }
  size_t size() const;
  bool is_native() const;  // the device executes it as a whole

  // Replaces the work from the next run on. If only arguments, launch sizes and buffers differ, the device
  // updates its graph.
  Result<> update(Recording recording);

 private:
  friend class Stream;
  Graph(Device& device, Recording recording);
  // Updates the device's graph to the recorded work, and runs it. Call both while holding a stream's lock, so
  // that no kernel is reloaded in between.
  Result<> prepare();
  Result<> run(driver::Stream& driver_stream);
  // For a profile: the individual commands, with the kernels of launches and the bytes of their arguments.
  Result<> run_each(
      driver::Stream& driver_stream,
      const std::function<Result<>(const driver::Command&, const Kernel* kernel, uint64_t bytes)>& submit);
  uint64_t moved_bytes() const;  // bytes of copies and of launch arguments
  bool prints() const;           // one of its kernels calls printf
  bool uses_host_memory() const;
  Result<> prepare_locked();
  bool has_form_of(const Recording& other) const;
  bool repeats() const;  // the host decides how often a split kernel is launched
  Result<> run_each_locked(
      driver::Stream& driver_stream,
      const std::function<Result<>(const driver::Command&, const Kernel* kernel, uint64_t bytes)>& submit);
  void retire_replaced();  // called without a lock

  std::shared_ptr<Device> device_;
  mutable std::mutex mutex_;  // locked after a stream's mutex
  Recording recording_;
  bool is_changed_ = false;  // since the device was updated; arguments only, not the structure
  std::unique_ptr<driver::Graph> native_;
  std::vector<std::unique_ptr<driver::Graph>> replaced_;
};

}  // namespace quern::runtime
