// Graphs as closed command lists. A list is executed by the command stream of a stream; it is not changed
// while it is in flight, so an update makes another one.
#include <algorithm>

#include "driver/level_zero/device.hpp"
#include "driver/level_zero/messages.hpp"

namespace quern::level_zero {

using driver::Command;

Result<std::shared_ptr<const Owned<ZeList>>> Device::make_list(
    const std::function<Result<>(ZeList)>& append) {
  ListDesc desc;
  desc.group = compute_.ordinal;
  ZeList made = nullptr;
  QUERN_ZE(zeCommandListCreate(context_->id.get(), found_.id, &desc, &made));
  auto list = std::make_shared<const Owned<ZeList>>(made, api_->zeCommandListDestroy);
  QUERN_TRY(append(made));
  QUERN_ZE(zeCommandListClose(made));
  return list;
}

Result<> Device::execute(Stream& stream, const std::shared_ptr<const Owned<ZeList>>& list) {
  if (stream.graphs.get() == nullptr) {
    const QueueDesc desc = queue_desc(compute_, stream.priority);
    ZeQueue made = nullptr;
    QUERN_ZE(zeCommandQueueCreate(context_->id.get(), found_.id, &desc, &made));
    stream.graphs = Owned<ZeQueue>(made, api_->zeCommandQueueDestroy);
  }
  ZeList id = list->get();
  stream.held.push_back(list);
  QUERN_ZE(zeCommandQueueExecuteCommandLists(stream.graphs.get(), 1, &id, nullptr));
  return {};
}

Result<std::unique_ptr<driver::Graph>> Device::make_graph(std::span<const Command> commands) {
  QUERN_TRY(alive());
  const bool can_record = std::all_of(commands.begin(), commands.end(), [&](const Command& c) {
    return c.kind != Command::Kind::kFill || can_fill(c);
  });
  if (commands.empty() || !can_record) return driver::Device::make_graph(commands);
  auto graph = std::make_unique<Graph>();
  graph->commands = commands;
  graph->is_native = true;
  QUERN_TRY(update_graph(*graph));
  return std::unique_ptr<driver::Graph>(std::move(graph));
}

Result<> Device::update_graph(driver::Graph& graph) {
  if (!graph.is_native) return {};
  QUERN_TRY(alive());
  auto& g = static_cast<Graph&>(graph);
  std::vector<std::shared_ptr<driver::Report>> reports;
  const auto append_all = [&](ZeList list) -> Result<> {
    for (const Command& c : g.commands) {
      if (c.kind != Command::Kind::kLaunch && c.bytes == 0) continue;
      if (c.kind == Command::Kind::kFill && !can_fill(c))
        return base::Error(base::ErrorKind::unsupported, message::kGraphFill());
      if (c.kind == Command::Kind::kLaunch && driver::reports(c.kernel->info))
        reports.push_back(static_cast<Kernel&>(*c.kernel).program->report);
      QUERN_ZE(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
      QUERN_TRY(append(list, c));
    }
    QUERN_ZE(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    return {};
  };
  auto list = make_list(append_all);
  if (!list.ok()) return check(std::move(list).error());
  g.list = std::move(*list);
  g.reports = std::move(reports);
  return {};
}

Result<> Device::run_graph(driver::Stream& stream, driver::Graph& graph) {
  if (!graph.is_native) return CommandDevice::run_graph(stream, graph);
  QUERN_TRY(alive());
  auto& g = static_cast<Graph&>(graph);
  auto& q = static_cast<Stream&>(stream);
  QUERN_TRY(check(switch_to(q, Engine::kGraph)));
  QUERN_TRY(check(order(q)));
  for (const auto& report : g.reports) q.device_log->expect(report);
  return check(execute(q, g.list));
}

}  // namespace quern::level_zero
