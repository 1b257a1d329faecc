// Work that a stream recorded, to be run again and again. It keeps the memory and the kernels that it uses.
// Any thread may call.
#pragma once

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
    std::vector<std::shared_ptr<Memory>> memories;
    std::vector<driver::Argument> arguments;
    std::vector<std::byte> values;  // of the arguments
  };
  void point_to_kernels();  // as they are loaded now

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
  Result<> run(driver::Queue& queue);
  Result<> make();
  bool has_form_of(const Recording& other) const;

  std::shared_ptr<Device> device_;
  mutable std::mutex mutex_;
  Recording recording_;
  std::unique_ptr<driver::Graph> native_;
};

}  // namespace quern::runtime
