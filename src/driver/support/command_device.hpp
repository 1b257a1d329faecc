// Base of devices that execute lists of commands: a single call is a list of one command, a graph is a list.
#pragma once

#include "driver/support/marking_device.hpp"

namespace quern::driver {

class CommandDevice : public MarkingDevice {
 public:
  Result<> upload(Stream& stream, Place to, const void* from, uint64_t bytes) final;
  Result<> download(Stream& stream, void* to, Place from, uint64_t bytes) final;
  Result<> copy(Stream& stream, Place to, Place from, uint64_t bytes) final;
  Result<> fill(Stream& stream, Place to, uint64_t value, uint32_t width, uint64_t bytes) final;
  Result<> launch(Stream& stream, Kernel& kernel, const Launch& launch) final;
  Result<> run_graph(Stream& stream, Graph& graph) override;

 protected:
  // Runs the commands in order. The device is not lost, and copies and fills have a nonzero size.
  virtual Result<> run(Stream& stream, std::span<const Command> commands) = 0;
  // Maximum size of one command that copies from or to the host.
  virtual uint64_t piece_bytes(const Command& copy) { return copy.bytes; }
  // Host pointer if the host may access the place now, in order with the stream; else null.
  virtual Result<std::byte*> touch(Stream& stream, Place place);

  // A graph that passes all its commands to run() together.
  Result<std::unique_ptr<Graph>> make_submitted_graph(std::span<const Command> commands);

  // A fill that the native API does not support: uploads the pattern, and blocks.
  Result<> fill_from_host(Stream& stream, const Command& c) {
    return MarkingDevice::fill(stream, c.to, c.value, c.width, c.bytes);
  }

 private:
  Result<> run_one(Stream& stream, const Command& command);
  Result<> run_in_pieces(Stream& stream, const Command& copy);
};

}  // namespace quern::driver
