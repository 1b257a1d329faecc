#include "driver/support/command_device.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace quern::driver {

namespace {

bool is_empty(const Command& c) { return c.kind != Command::Kind::kLaunch && c.bytes == 0; }

}  // namespace

Result<std::byte*> CommandDevice::touch(Queue&, Place) { return nullptr; }

Result<> CommandDevice::run_one(Queue& queue, const Command& command) {
  QUERN_TRY(alive());
  return is_empty(command) ? Result<>() : run(queue, {&command, 1});
}

Result<> CommandDevice::run_in_pieces(Queue& queue, const Command& copy) {
  const uint64_t piece = piece_bytes(copy);
  for (uint64_t at = 0; at < copy.bytes; at += piece) {
    Command c = copy;
    c.bytes = std::min(piece, copy.bytes - at);
    c.to.offset += at;
    c.from.offset += at;
    if (copy.source != nullptr) c.source = static_cast<const std::byte*>(copy.source) + at;
    if (copy.target != nullptr) c.target = static_cast<std::byte*>(copy.target) + at;
    QUERN_TRY(run_one(queue, c));
  }
  return {};
}

Result<> CommandDevice::upload(Queue& queue, Place to, const void* from, uint64_t bytes) {
  QUERN_TRY(alive());
  if (bytes == 0) return {};
  QUERN_TRY_ASSIGN(std::byte* const here, touch(queue, to));
  if (here == nullptr)
    return run_in_pieces(queue, {.kind = Command::Kind::kUpload, .to = to, .source = from, .bytes = bytes});
  std::memcpy(here, from, bytes);
  return {};
}

Result<> CommandDevice::download(Queue& queue, void* to, Place from, uint64_t bytes) {
  QUERN_TRY(alive());
  if (bytes == 0) return {};
  QUERN_TRY_ASSIGN(const std::byte* const here, touch(queue, from));
  if (here == nullptr)
    return run_in_pieces(queue,
                         {.kind = Command::Kind::kDownload, .from = from, .target = to, .bytes = bytes});
  std::memcpy(to, here, bytes);
  return {};
}

Result<> CommandDevice::copy(Queue& queue, Place to, Place from, uint64_t bytes) {
  return run_one(queue, {.kind = Command::Kind::kCopy, .to = to, .from = from, .bytes = bytes});
}

Result<> CommandDevice::fill(Queue& queue, Place to, uint64_t value, uint32_t width, uint64_t bytes) {
  return run_one(queue,
                 {.kind = Command::Kind::kFill, .to = to, .bytes = bytes, .value = value, .width = width});
}

Result<> CommandDevice::launch(Queue& queue, Kernel& kernel, const Launch& launch) {
  return run_one(queue, {.kernel = &kernel, .launch = launch});
}

Result<> CommandDevice::run_graph(Queue& queue, Graph& graph) {
  QUERN_TRY(alive());
  if (std::none_of(graph.commands.begin(), graph.commands.end(), is_empty)) return run(queue, graph.commands);
  std::vector<Command> full;
  std::remove_copy_if(graph.commands.begin(), graph.commands.end(), std::back_inserter(full), is_empty);
  return run(queue, full);
}

}  // namespace quern::driver
