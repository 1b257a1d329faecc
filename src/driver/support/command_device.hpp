// What devices share that take work as lists of commands: a call is a list of one, and a graph is its list.
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
  // One after the other. The device is alive, and copies and fills have bytes.
  virtual Result<> run(Stream& stream, std::span<const Command> commands) = 0;
  // How much of a copy from or to the host goes in one command.
  virtual uint64_t piece_bytes(const Command& copy) { return copy.bytes; }
  // Where the host may touch the place now, in order with the stream; null: it may not.
  virtual Result<std::byte*> touch(Stream& stream, Place place);

  // A graph whose commands go to run() together.
  Result<std::unique_ptr<Graph>> make_submitted_graph(std::span<const Command> commands);

  // A fill that the native interface does not have: from the host, and it waits.
  Result<> fill_from_host(Stream& stream, const Command& c) {
    return MarkingDevice::fill(stream, c.to, c.value, c.width, c.bytes);
  }

 private:
  Result<> run_one(Stream& stream, const Command& command);
  Result<> run_in_pieces(Stream& stream, const Command& copy);
};

}  // namespace quern::driver
