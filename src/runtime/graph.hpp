// Work that a stream recorded, to be run again and again. It keeps the memory and the kernels that it uses.
// Any thread may call.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/stream.hpp"

namespace quern::runtime {

// What calls on a recording stream leave: the commands, and all that they point to.
class Recording {
 public:
  void add_launch(Kernel& kernel, const driver::Launch& launch, std::span<const HostArgument> arguments);
  // A copy of any kind; the memories are kept.
  void add(const driver::Command& command, std::initializer_list<Memory*> memories);

 private:
  friend class Graph;

  // What a command points to.
  struct Step {
    std::shared_ptr<Kernel> kernel;
    driver::Kernel* native = nullptr;  // as it was loaded when the device last saw the graph
    std::vector<MemoryPtr> memories;
    std::vector<driver::Argument> arguments;
    std::vector<std::byte> values;  // of the arguments
  };
  uint64_t bytes_of(size_t step) const;
  bool point_to_kernels();  // as they are loaded now; whether one was loaded anew

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
  bool is_native() const;  // the device has it as a whole

  // From the next run on it is this work. Where only arguments, shapes and places differ, the device changes
  // what it has.
  Result<> update(Recording recording);

 private:
  friend class Stream;
  Graph(Device& device, Recording recording);
  // What the device has becomes what was recorded, and is run. Both under the turn of a stream: no kernel is
  // loaded anew meanwhile.
  Result<> prepare();
  Result<> run(driver::Stream& driver_stream);
  // For a profile: the commands one by one, with the kernels of launches and the bytes that they are given.
  Result<> run_each(
      const std::function<Result<>(const driver::Command&, const Kernel* kernel, uint64_t bytes)>& submit);
  uint64_t moved_bytes() const;  // by copies, and what launches are given
  bool prints() const;           // one of its kernels calls printf
  bool uses_host_memory() const;
  Result<> prepare_locked();
  bool has_form_of(const Recording& other) const;
  void retire_replaced();  // under no lock

  std::shared_ptr<Device> device_;
  mutable std::mutex mutex_;  // taken behind a stream's
  Recording recording_;
  bool is_changed_ = false;  // since the device has seen it, but not in its form
  std::unique_ptr<driver::Graph> native_;
  std::vector<std::unique_ptr<driver::Graph>> replaced_;
};

}  // namespace quern::runtime
