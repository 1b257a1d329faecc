// The default implementations, which work on any driver.
#include "driver/interface/driver.hpp"

#include <algorithm>
#include <cstring>

#include "driver/interface/messages.hpp"

namespace quern::driver {

using base::Error;
using base::ErrorKind;

Result<bool> Device::prepare(Kernel&, const Dim3&, uint64_t) { return false; }

Result<uint64_t> Device::time(Event&) {
  return Error(ErrorKind::unsupported, message::kNoTimestamps(info().driver));
}

Result<> Device::fill(Stream& stream, Place to, uint64_t value, uint32_t width, uint64_t bytes) {
  constexpr uint64_t kChunk = 1 << 20;
  std::vector<std::byte> pattern(std::min(bytes, kChunk));
  for (uint64_t i = 0; i + width <= pattern.size(); i += width)
    std::memcpy(pattern.data() + i, &value, width);
  for (uint64_t done = 0; done < bytes; done += kChunk) {
    QUERN_TRY(upload(stream, {to.buffer, to.offset + done}, pattern.data(), std::min(bytes - done, kChunk)));
  }
  return synchronize(stream);  // the pattern is a local variable
}

Result<> Device::copy_from(Stream& stream, Place to, Device&, Place from, uint64_t bytes) {
  const std::byte* const seen = from.buffer->host != nullptr ? from.buffer->host : from.buffer->host_view;
  if (seen != nullptr) return upload(stream, to, seen + from.offset, bytes);
  return Error(ErrorKind::unsupported, message::kNoPeerCopies(info().driver));
}

Result<Place> Device::variable(Module&, std::string_view name) {
  return Error(ErrorKind::not_found, message::kUnknownVariable(name));
}

Result<Code> Device::binary(Module&) {
  return Error(ErrorKind::unsupported, message::kNoBinary(info().driver));
}

Result<std::unique_ptr<Buffer>> Device::import_host_memory(std::byte*, uint64_t) {
  return Error(ErrorKind::unsupported, message::kNoHostAccess(info().driver));
}

Result<EncodedTensorMap> Device::encode_tensor_map(Place, const TensorMapOptions&) {
  return Error(ErrorKind::unsupported, message::kNoTensorMaps(info().name, info().driver));
}

Result<> Device::call(Stream& stream, std::function<void()> function) {
  QUERN_TRY(synchronize(stream));
  const std::function<void()> now = std::move(function);
  now();
  return {};
}

Result<std::unique_ptr<Graph>> Device::make_graph(std::span<const Command> commands) {
  auto graph = std::make_unique<Graph>();
  graph->commands = commands;
  return graph;
}

Result<> Device::update_graph(Graph&) { return {}; }  // run_graph() reads the commands each time

Result<> Device::run_graph(Stream& stream, Graph& graph) {
  for (const Command& c : graph.commands) QUERN_TRY(submit(stream, c));
  return {};
}

Result<> Device::submit(Stream& stream, const Command& c) {
  switch (c.kind) {
    case Command::Kind::kLaunch: return launch(stream, *c.kernel, c.launch);
    case Command::Kind::kUpload: return upload(stream, c.to, c.source, c.bytes);
    case Command::Kind::kDownload: return download(stream, c.target, c.from, c.bytes);
    case Command::Kind::kCopy: return copy(stream, c.to, c.from, c.bytes);
    case Command::Kind::kFill: return fill(stream, c.to, c.value, c.width, c.bytes);
  }
  return Error(ErrorKind::internal, message::kUnknownCommand());
}

Occupancy Device::occupancy(Kernel&, uint32_t, uint64_t) { return {}; }

std::vector<std::string> Device::kernel_names(Module&) { return {}; }

std::string Device::take_output(Stream&) { return {}; }

std::vector<Finding> Device::take_findings(Stream&) { return {}; }

}  // namespace quern::driver
