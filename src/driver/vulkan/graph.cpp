// Graphs as secondary command buffers: recorded once, and run by a primary one of the queue. Copies of memory
// that the device does not see go through staging memory at each run: graphs with such are of the driver
// interface's own kind, whose commands are submitted one after the other.
#include <algorithm>

#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

using driver::Command;

Recorded::~Recorded() {
  for (Slot& slot : slots) device.release(slot);
  if (lane.pool != CommandPool{}) device.api_.vkDestroyCommandPool(device.device_, lane.pool, nullptr);
}

bool Device::can_record(const Command& c) {
  switch (c.kind) {
    case Command::Kind::kUpload: return host_pool_->find(c.source, c.bytes).chunk != nullptr;
    case Command::Kind::kDownload: return host_pool_->find(c.target, c.bytes).chunk != nullptr;
    case Command::Kind::kFill: return fill_word(c.to, c.value, c.width, c.bytes).has_value();
    default: return true;
  }
}

Result<> Device::add_command(Recorded& to, const Command& c) {
  if (c.kind != Command::Kind::kLaunch && c.bytes == 0) return {};
  Slot& slot = to.slots.emplace_back();
  slot.lane = &to.lane;
  slot.commands = to.slots.front().commands;
  switch (c.kind) {
    case Command::Kind::kLaunch: {
      auto& kernel = static_cast<Kernel&>(*c.kernel);
      QUERN_TRY(add_launch(slot, kernel, c.launch));
      if (kernel.has_report) to.reports.push_back(kernel.program->report);
      break;
    }
    case Command::Kind::kUpload:
      add_copy(slot, piece_of(c.to), c.to.offset, host_pool_->find(c.source, c.bytes), 0, c.bytes);
      break;
    case Command::Kind::kDownload:
      add_copy(slot, host_pool_->find(c.target, c.bytes), 0, piece_of(c.from), c.from.offset, c.bytes);
      break;
    case Command::Kind::kCopy:
      add_copy(slot, piece_of(c.to), c.to.offset, piece_of(c.from), c.from.offset, c.bytes);
      break;
    case Command::Kind::kFill:
      api_.vkCmdFillBuffer(slot.commands, handle_of(piece_of(c.to)), piece_of(c.to).offset + c.to.offset,
                           c.bytes, *fill_word(c.to, c.value, c.width, c.bytes));
      break;
  }
  add_barrier(slot, c.kind == Command::Kind::kDownload);
  return {};
}

Result<std::shared_ptr<Recorded>> Device::record(std::span<const Command> commands) {
  constexpr int32_t kSecondary = 1;
  auto out = std::make_shared<Recorded>(*this);
  QUERN_TRY(make_lane(out->lane, queues_.front(), has_.family));
  CommandBufferAllocateInfo info;
  info.pool = out->lane.pool;
  info.level = kSecondary;
  QUERN_VK(api_, vkAllocateCommandBuffers(device_, &info, &out->slots.emplace_back().commands));
  const CommandBufferInheritanceInfo inheritance;
  CommandBufferBeginInfo begin;
  begin.flags = kBeginForSeveral;
  begin.inheritance = &inheritance;
  const CommandBuffer own = out->slots.front().commands;
  QUERN_VK(api_, vkBeginCommandBuffer(own, &begin));
  for (const Command& c : commands) QUERN_TRY(add_command(*out, c));
  QUERN_VK(api_, vkEndCommandBuffer(own));
  return out;
}

Result<std::unique_ptr<driver::Graph>> Device::make_graph(std::span<const Command> commands) {
  QUERN_TRY(alive());
  auto graph = std::make_unique<Graph>();
  graph->commands = commands;
  graph->is_native = !commands.empty();
  QUERN_TRY(update_graph(*graph));
  return std::unique_ptr<driver::Graph>(std::move(graph));
}

Result<> Device::update_graph(driver::Graph& graph) {
  auto& g = static_cast<Graph&>(graph);
  g.is_native = g.is_native && std::all_of(g.commands.begin(), g.commands.end(),
                                           [this](const Command& c) { return can_record(c); });
  if (!g.is_native) return {};
  QUERN_TRY_ASSIGN(g.recorded, record(g.commands));
  return {};
}

Result<> Device::run_graph(driver::Queue& queue, driver::Graph& graph) {
  if (!graph.is_native) return driver::Device::run_graph(queue, graph);
  QUERN_TRY(alive());
  auto& q = static_cast<Queue&>(queue);
  QUERN_TRY_ASSIGN(Slot* const slot, begin(q));
  slot->graph = static_cast<Graph&>(graph).recorded;
  api_.vkCmdExecuteCommands(slot->commands, 1, &slot->graph->slots.front().commands);
  for (const auto& report : slot->graph->reports) q.heard->expect(report);
  return submit(q, *slot, true);
}

}  // namespace quern::vulkan
