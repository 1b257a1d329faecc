#include "driver/support/command_device.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace quern::driver {

namespace {

bool is_empty(const Command& c) { return c.kind != Command::Kind::kLaunch && c.bytes == 0; }

}  // namespace

Result<std::byte*> CommandDevice::touch(Stream&, Place) { return nullptr; }

Result<> CommandDevice::run_one(Stream& stream, const Command& command) {
  QUERN_TRY(alive());
  return is_empty(command) ? Result<>() : run(stream, {&command, 1});
}

Result<> CommandDevice::run_in_pieces(Stream& stream, const Command& copy) {
  const uint64_t piece = piece_bytes(copy);
  for (uint64_t at = 0; at < copy.bytes; at += piece) {
    Command c = copy;
    c.bytes = std::min(piece, copy.bytes - at);
    c.to.offset += at;
    c.from.offset += at;
    if (copy.source != nullptr) c.source = static_cast<const std::byte*>(copy.source) + at;
    if (copy.target != nullptr) c.target = static_cast<std::byte*>(copy.target) + at;
    QUERN_TRY(run_one(stream, c));
  }
  return {};
}

Result<> CommandDevice::upload(Stream& stream, Place to, const void* from, uint64_t bytes) {
  QUERN_TRY(alive());
  if (bytes == 0) return {};
  QUERN_TRY_ASSIGN(std::byte* const here, touch(stream, to));
  if (here == nullptr)
    return run_in_pieces(stream, {.kind = Command::Kind::kUpload, .to = to, .source = from, .bytes = bytes});
  std::memcpy(here, from, bytes);
  return {};
}

Result<> CommandDevice::download(Stream& stream, void* to, Place from, uint64_t bytes) {
  QUERN_TRY(alive());
  if (bytes == 0) return {};
  QUERN_TRY_ASSIGN(const std::byte* const here, touch(stream, from));
  if (here == nullptr)
    return run_in_pieces(stream,
                         {.kind = Command::Kind::kDownload, .from = from, .target = to, .bytes = bytes});
  std::memcpy(to, here, bytes);
  return {};
}

Result<> CommandDevice::copy(Stream& stream, Place to, Place from, uint64_t bytes) {
  return run_one(stream, {.kind = Command::Kind::kCopy, .to = to, .from = from, .bytes = bytes});
}

Result<> CommandDevice::fill(Stream& stream, Place to, uint64_t value, uint32_t width, uint64_t bytes) {
  return run_one(stream,
                 {.kind = Command::Kind::kFill, .to = to, .bytes = bytes, .value = value, .width = width});
}

Result<> CommandDevice::launch(Stream& stream, Kernel& kernel, const Launch& launch) {
  return run_one(stream, {.kernel = &kernel, .launch = launch});
}

Result<> CommandDevice::run_graph(Stream& stream, Graph& graph) {
  QUERN_TRY(alive());
  if (std::none_of(graph.commands.begin(), graph.commands.end(), is_empty))
    return run(stream, graph.commands);
  std::vector<Command> full;
  std::remove_copy_if(graph.commands.begin(), graph.commands.end(), std::back_inserter(full), is_empty);
  return run(stream, full);
}

// Encoding costs less than a submission, so a graph keeps nothing but its commands.
Result<std::unique_ptr<Graph>> CommandDevice::make_submitted_graph(std::span<const Command> commands) {
  QUERN_TRY(alive());
  QUERN_TRY_ASSIGN(auto graph, Device::make_graph(commands));
  graph->is_native = !commands.empty();
  return graph;
}

}  // namespace quern::driver
