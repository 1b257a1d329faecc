// Graphs as command buffers (cl_khr_command_buffer) if all commands are launches: that part of the
// provisional extension is the same in all of its versions. The commands of other graphs are submitted one by
// one.
#include <algorithm>

#include "driver/opencl/device.hpp"

namespace quern::opencl {

using driver::Command;

// Each launch waits for the previous one and has its own kernel object: PoCL reads the kernel's arguments
// when it runs.
Result<> Device::add_launch(Graph& graph, Kernel& kernel, const driver::Launch& launch, uint32_t& point) {
  const Range range(launch);
  const std::lock_guard lock(kernel.mutex);
  QUERN_TRY_ASSIGN(const KernelId id, for_block(kernel, launch.block));
  QUERN_TRY(try_work_group(kernel, launch));
  ProgramId program = nullptr;
  QUERN_CL(*api_, clGetKernelInfo(id, kKernelProgram, sizeof(void*), &program, nullptr));
  QUERN_TRY_ASSIGN(graph.kernels.emplace_back(),
                   QUERN_CL_MAKE(clCreateKernel, clReleaseKernel, program, kernel.info.entry.c_str()));
  const KernelId own = graph.kernels.back().get();
  QUERN_TRY(set_arguments(kernel, own, launch));
  if (driver::reports(kernel.info)) graph.reports.push_back(kernel.program->report);
  const uint32_t before = point, waits = before == 0 ? 0 : 1;
  QUERN_CL(*api_,
           clCommandNDRangeKernelKHR(graph.id.get(), nullptr, nullptr, own, 3, nullptr, range.global,
                                     range.local, waits, waits == 0 ? nullptr : &before, &point, nullptr));
  return {};
}

Result<std::unique_ptr<driver::Graph>> Device::make_graph(std::span<const Command> commands) {
  const bool is_launches = std::all_of(commands.begin(), commands.end(),
                                       [](const Command& c) { return c.kind == Command::Kind::kLaunch; });
  if (!can_record_ || commands.empty() || !is_launches) return driver::Device::make_graph(commands);
  auto graph = std::make_unique<Graph>();
  graph->commands = commands;
  graph->is_native = true;
  QUERN_TRY(update_graph(*graph));
  return std::unique_ptr<driver::Graph>(std::move(graph));
}

Result<> Device::update_graph(driver::Graph& graph) {
  if (!graph.is_native) return {};
  auto& g = static_cast<Graph&>(graph);
  const uint64_t properties[] = {kCommandBufferFlags, kForSeveral, 0};
  const CommandQueue stream = static_cast<Stream&>(own_stream()).id.get();
  QUERN_TRY_ASSIGN(
      g.id, QUERN_CL_MAKE(clCreateCommandBufferKHR, clReleaseCommandBufferKHR, 1, &stream, properties));
  g.kernels.clear();
  g.reports.clear();
  uint32_t point = 0;
  for (const Command& c : g.commands)
    QUERN_TRY(add_launch(g, static_cast<Kernel&>(*c.kernel), c.launch, point));
  QUERN_CL(*api_, clFinalizeCommandBufferKHR(g.id.get()));
  return {};
}

Result<> Device::run_graph(driver::Stream& stream, driver::Graph& graph) {
  auto& q = static_cast<Stream&>(stream);
  if (!graph.is_native || q.is_adopted) return CommandDevice::run_graph(stream, graph);
  auto& g = static_cast<Graph&>(graph);
  for (const auto& report : g.reports) q.device_log->expect(report);
  CommandQueue own = q.id.get();
  const int32_t code = api_->clEnqueueCommandBufferKHR(1, &own, g.id.get(), 0, nullptr, nullptr);
  if (code != 0) return check(failed("clEnqueueCommandBufferKHR", code));
  QUERN_CL(*api_, clFlush(q.id.get()));
  return {};
}

}  // namespace quern::opencl
