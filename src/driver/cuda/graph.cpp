// Graphs by stream capture: the calls of one run are made once on a capturing stream. If a command cannot be
// captured (copies of pageable memory go through staging slots), the graph's commands are submitted one by
// one.
#include "driver/cuda/device.hpp"

namespace quern::cuda {

using driver::Command;

Graph::~Graph() {
  if (id == nullptr || device_.is_lost()) return;
  (void)device_.api_->context_use(device_.context_);
  (void)device_.api_->graph_end(id);
}

bool Device::can_capture(std::span<const Command> commands) const {
  if (!api_->has_graphs() || is_synchronous_ || commands.empty()) return false;
  for (const Command& c : commands) {
    const void* host = c.kind == Command::Kind::kUpload ? c.source : c.target;
    if (c.kind != Command::Kind::kUpload && c.kind != Command::Kind::kDownload) continue;
    if (!goes_directly(host, c.bytes)) return false;
  }
  return true;
}

// Returns null if it cannot be captured.
GraphId Device::capture(Graph& graph) {
  auto stream = create_stream({});
  if (!stream.ok()) return nullptr;
  auto& q = static_cast<Stream&>(**stream);
  if (api_->capture_begin(q.id, kCaptureOfThread) != 0) return nullptr;
  const bool is_whole = driver::Device::run_graph(q, graph).ok();
  GraphId captured = nullptr;
  if (api_->capture_end(q.id, &captured) != 0) return nullptr;
  graph.last = q.last;
  if (is_whole) return captured;
  if (captured != nullptr) (void)api_->graph_destroy(captured);
  return nullptr;
}

Result<std::unique_ptr<driver::Graph>> Device::make_graph(std::span<const Command> commands) {
  QUERN_TRY(use());
  if (!can_capture(commands)) return driver::Device::make_graph(commands);
  auto graph = std::make_unique<Graph>(*this);
  graph->commands = commands;
  const GraphId captured = capture(*graph);
  if (captured == nullptr) return driver::Device::make_graph(commands);
  const int32_t code = api_->graph_make(&graph->id, captured, 0);
  (void)api_->graph_destroy(captured);
  if (code != 0) return fail("graph_make", code);
  graph->is_native = true;
  return std::unique_ptr<driver::Graph>(std::move(graph));
}

Result<> Device::update_graph(driver::Graph& graph) {
  if (!graph.is_native) return {};
  QUERN_TRY(use());
  auto& g = static_cast<Graph&>(graph);
  const GraphId captured = can_capture(g.commands) ? capture(g) : nullptr;
  g.is_native = captured != nullptr;
  if (captured == nullptr) return {};  // from now on its commands are submitted one by one
  void* node = nullptr;
  int result = 0;
  int32_t code = api_->graph_update(g.id, captured, &node, &result);
  if (code != 0) {  // the update changes more than is supported
    (void)api_->graph_end(std::exchange(g.id, nullptr));
    code = api_->graph_make(&g.id, captured, 0);
  }
  (void)api_->graph_destroy(captured);
  if (code != 0) return fail("graph_make", code);
  return {};
}

Result<> Device::run_graph(driver::Stream& stream, driver::Graph& graph) {
  if (!graph.is_native) return driver::Device::run_graph(stream, graph);
  QUERN_TRY(use());
  auto& g = static_cast<Graph&>(graph);
  auto& q = static_cast<Stream&>(stream);
  q.last.store(g.last, std::memory_order_relaxed);
  q.launches.fetch_add(g.commands.size(), std::memory_order_relaxed);
  QUERN_DO(&q, graph_run(g.id, q.id));
  return {};
}

}  // namespace quern::cuda
