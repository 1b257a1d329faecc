// Stream::launch: checks arguments against parameters and sizes against limits, then calls the driver.
#include <chrono>
#include <optional>

#include "runtime/argument_binder.hpp"
#include "runtime/device_launches.hpp"
#include "runtime/graph.hpp"
#include "runtime/messages.hpp"
#include "runtime/module.hpp"
#include "runtime/profile/on.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;
using driver::Dim3;

// The driver's kernel is read for a message only: it may be replaced while no lock is held.
Result<> check_size(const Kernel& kernel, const driver::Launch& launch) {
  const bool is_too_large = launch.block.count() > kernel.max_threads();
  return check_launch_size({kernel.info(), kernel.device().info(), kernel.max_threads(),
                            is_too_large ? kernel.native().registers : 0},
                           launch);
}

// The cluster size of the launch, otherwise of the kernel. Ignored if the device has no clusters and the
// launch requests none.
Result<Dim3> cluster_of(const Kernel& kernel, const LaunchConfig& config, const Dim3& grid) {
  const driver::DeviceInfo& device = kernel.device().info();
  const std::optional<Dim3>& own = kernel.info().cluster;
  const bool is_asked = config.cluster_size != Dim3{0, 0, 0};
  const Dim3 c = is_asked ? config.cluster_size : own.value_or(Dim3{});
  const auto wrong = [&](const base::MessageText& what) {
    return Error(ErrorKind::invalid_use, message::kClusterFailed(kernel.info().name, spell(c), what.text));
  };
  if (c == Dim3{}) return c;
  if (c.count() == 0) return wrong(message::kClusterOfZero());
  if (is_asked && own && *own != c) return wrong(message::kCompiledClusterSize(spell(*own)));
  if (!device.features.has(driver::Feature::clusters)) {
    if (!is_asked) return Dim3{};
    return wrong(message::kClustersNotSupported(kernel.device().label()));
  }
  if (c.count() > device.limits.cluster_blocks)
    return wrong(
        message::kClusterTooLarge(kernel.device().label(), std::to_string(device.limits.cluster_blocks)));
  if (grid.x % c.x != 0 || grid.y % c.y != 0 || grid.z % c.z != 0)
    return wrong(message::kGridNotMultipleOfCluster(spell(grid)));
  return c;
}

uint32_t blocks_for(uint32_t threads, uint32_t block) {
  return static_cast<uint32_t>((uint64_t{threads} + block - 1) / block);
}

// Chooses a block size: rows of whole warps in one dimension, 16 by 16 in two, 8 by 8 by 4 in three.
void choose(const Kernel& kernel, const Dim3& threads, Dim3& grid, Dim3& block) {
  const uint32_t most = kernel.max_threads();
  if (kernel.info().block) {
    block = *kernel.info().block;
    grid = {blocks_for(threads.x, block.x), blocks_for(threads.y, block.y), blocks_for(threads.z, block.z)};
    return;
  }
  if (threads.z > 1) {
    block = {8, 8, 4};
  } else if (threads.y > 1) {
    block = {16, 16, 1};
  } else {
    block = {256, 1, 1};
  }
  const Dim3& limit = kernel.device().info().limits.block;
  block = {std::min(block.x, limit.x), std::min(block.y, limit.y), std::min(block.z, limit.z)};
  while (block.count() > most) {
    uint32_t& widest = block.z > 1 ? block.z : block.y > block.x ? block.y : block.x;
    widest = std::max(1u, widest / 2);
  }
  block.x = std::min(block.x, std::max(1u, threads.x));
  grid = {blocks_for(threads.x, block.x), blocks_for(threads.y, block.y), blocks_for(threads.z, block.z)};
}

}  // namespace

Result<> Stream::prepare(Kernel& kernel, const LaunchConfig& config) {
  if (recording_ != nullptr) return {};
  QUERN_TRY(device_.check_caller());
  driver::Launch launch;
  launch.grid = config.grid_size;
  launch.block = config.block_size;
  if (config.total != Dim3{0, 0, 0}) choose(kernel, config.total, launch.grid, launch.block);
  launch.shared_bytes = config.shared_bytes;
  // Errors are reported in full by the launch.
  if (&kernel.device() != &device_ || !check_size(kernel, launch).ok()) return {};
  const auto start = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  QUERN_TRY_ASSIGN(const bool has_compiled,
                   device_.native().prepare(kernel.native(), launch.block, launch.shared_bytes));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (has_compiled) kernel.add_compile_seconds(took.count());
  return {};
}

Result<> Stream::launch_once(Kernel& kernel, const driver::Launch& launch,
                             std::span<const HostArgument> arguments) {
  if (profile::is_on()) [[unlikely]]
    return launch_profiled(kernel, launch, arguments);
  return device_.native().launch(*driver_stream_, kernel.native(), launch);
}

Result<> Stream::launch_split(Kernel& kernel, const driver::Launch& launch,
                              std::span<const HostArgument> arguments, const SplitMemory& memory) {
  driver::Device& native = device_.native();
  SplitRun run(*kernel.split(), memory);
  for (const driver::Command& c : run.first()) QUERN_TRY(native.submit(*driver_stream_, c));
  QUERN_TRY(launch_once(kernel, launch, arguments));
  const auto relaunch = [&]() -> Result<> {
    QUERN_TRY(native.submit(*driver_stream_, run.next()));
    return launch_once(kernel, launch, arguments);
  };
  for (run.launches = 1; run.launches < run.kernel.segments; ++run.launches) QUERN_TRY(relaunch());
  return repeat_until_done(native, *driver_stream_, run, relaunch);
}

Result<driver::Launch> Stream::launch(Kernel& kernel, const LaunchConfig& config,
                                      std::span<const HostArgument> arguments) {
  QUERN_TRY(device_.check_caller());
  const driver::KernelInfo& info = kernel.info();
  if (&kernel.device() != &device_) {
    return Error(ErrorKind::invalid_use,
                 message::kKernelOfOtherDevice(info.name, kernel.device().label(),
                                               device_.label_beside(kernel.device())));
  }
  QUERN_TRY(check_argument_count(info, arguments.size(), kernel.hidden().size()));
  ArgumentBinder binder(kernel, device_);
  for (size_t i = 0; i < arguments.size(); ++i) QUERN_TRY(binder.bind(i, arguments[i]));
  if (!kernel.launches_kernels()) return launch_bound(kernel, config, binder, arguments);
  if (recording_ != nullptr) return no_part_of_graphs("a kernel that launches kernels").error();
  const std::shared_ptr<LaunchTable> table = kernel.launch_table();
  if (table == nullptr) return Error(ErrorKind::invalid_use, message::kModuleOfLaunches(info.name));
  const std::lock_guard queue(table->mutex);
  DeviceLaunches launches(*this, *table);
  QUERN_TRY(launches.clear(kernel));
  QUERN_TRY_ASSIGN(const driver::Launch launched, launch_bound(kernel, config, binder, arguments));
  QUERN_TRY(launches.run(kernel, binder));
  kernel.child_launches_ = launches.count();
  return launched;
}

Result<driver::Launch> Stream::launch_bound(Kernel& kernel, const LaunchConfig& config,
                                            ArgumentBinder& binder, std::span<const HostArgument> arguments) {
  const driver::KernelInfo& info = kernel.info();
  driver::Launch launch;
  launch.grid = config.grid_size;
  launch.block = config.block_size;
  if (config.total != Dim3{0, 0, 0}) {
    if (config.total.count() == 0) return launch;  // no threads: nothing to run
    choose(kernel, config.total, launch.grid, launch.block);
  }
  launch.shared_bytes = config.shared_bytes;
  launch.cooperative = info.needs_cooperative;
  QUERN_TRY_ASSIGN(launch.cluster, cluster_of(kernel, config, launch.grid));
  QUERN_TRY(check_size(kernel, launch));
  SplitMemory split;  // released after the lock, and freed after the launches
  if (kernel.split()) {
    QUERN_TRY_ASSIGN(split, allocate_frames(device_, *kernel.split(), launch));
  }
  const std::lock_guard lock(mutex_);
  driver::Place checks;
  if (kernel.is_checked()) {
    if (recording_ != nullptr) return no_part_of_graphs("a kernel in check mode").error();
    QUERN_TRY_ASSIGN(checks, device_.checks().place(*driver_stream_));
  }
  if (recording_ != nullptr && kernel.has_texture_references())
    return no_part_of_graphs("a kernel with texture references").error();
  QUERN_TRY(binder.bind_hidden(checks, split));
  launch.arguments = binder.arguments();
  if (recording_ != nullptr) {
    QUERN_TRY(check_recording());
    if (kernel.split()) {
      recording_->add_split(kernel, launch, arguments, split);
    } else {
      recording_->add_launch(kernel, launch, arguments);
    }
  } else {
    busy_ = true;
    if (device_.runs_in_process()) running_.begin(info.name, device_);
    if (info.needs.has(driver::Feature::print)) {
      QUERN_TRY(write_output());  // of earlier launches: the device's buffer is bounded
      prints_ = device_.prints_ = true;
    }
    if (kernel.split()) {
      QUERN_TRY(launch_split(kernel, launch, arguments, split));
    } else {
      QUERN_TRY(launch_once(kernel, launch, arguments));
    }
    if (kernel.is_checked()) QUERN_TRY(report_checks());
  }
  launch.arguments = {};
  return launch;
}

}  // namespace quern::runtime
