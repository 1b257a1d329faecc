// What devices share that take work as lists of commands: a call is a list of one, and a graph is its list.
#pragma once

#include "driver/support/marking_device.hpp"

namespace quern::driver {

class CommandDevice : public MarkingDevice {
 public:
  Result<> upload(Queue& queue, Place to, const void* from, uint64_t bytes) final;
  Result<> download(Queue& queue, void* to, Place from, uint64_t bytes) final;
  Result<> copy(Queue& queue, Place to, Place from, uint64_t bytes) final;
  Result<> fill(Queue& queue, Place to, uint64_t value, uint32_t width, uint64_t bytes) final;
  Result<> launch(Queue& queue, Kernel& kernel, const Launch& launch) final;
  Result<> run_graph(Queue& queue, Graph& graph) override;

 protected:
  // One after the other. The device is alive, and copies and fills have bytes.
  virtual Result<> run(Queue& queue, std::span<const Command> commands) = 0;
  // How much of a copy from or to the host goes in one command.
  virtual uint64_t piece_bytes(const Command& copy) { return copy.bytes; }
  // Where the host may touch the place now, in order with the queue; null: it may not.
  virtual Result<std::byte*> touch(Queue& queue, Place place);

  // A fill that the native interface does not have: from the host, and it waits.
  Result<> fill_from_host(Queue& queue, const Command& c) {
    return MarkingDevice::fill(queue, c.to, c.value, c.width, c.bytes);
  }

 private:
  Result<> run_one(Queue& queue, const Command& command);
  Result<> run_in_pieces(Queue& queue, const Command& copy);
};

}  // namespace quern::driver
