// Stream::launch: checks arguments against parameters and sizes against limits, then calls the driver.
#include <chrono>
#include <cstring>
#include <list>
#include <map>
#include <optional>

#include "runtime/graph.hpp"
#include "runtime/messages.hpp"
#include "runtime/module.hpp"
#include "runtime/profile/on.hpp"
#include "runtime/texture.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;
using driver::Dim3;
using driver::ParamInfo;

// The driver's kernel is read for a message only: it may be replaced while no lock is held.
Result<> check_size(const Kernel& kernel, const driver::Launch& launch) {
  const bool is_too_large = launch.block.count() > kernel.max_threads();
  return check_launch_size({kernel.info(), kernel.device().info(), kernel.max_threads(),
                            is_too_large ? kernel.native().registers : 0},
                           launch);
}

class Binder {
 public:
  Binder(const Kernel& kernel, Device& device) : kernel_(kernel), device_(device) {}

  Result<> bind(size_t index, const HostArgument& given) {
    const ParamInfo& p = kernel_.info().params[index];
    if (p.is_pointer) return bind_pointer(index, given);
    if (p.object != driver::ParamObject::kNone) return bind_texture(index, given);
    return bind_value(kernel_.info(), index, given, arguments_[index], numbers_[index]);
  }

  // Hidden arguments for check mode, after the regular arguments are bound; and pointers inside structs,
  // which must be null on devices without addresses.
  Result<> bind_hidden(std::span<const HostArgument> given, driver::Place checks, const SplitMemory& split) {
    size_t at = given.size();
    for (const ParamInfo& p : kernel_.hidden()) {
      driver::Argument& to = arguments_[at];
      if (p.role == driver::ParamRole::kChecks) {
        to.place = checks;
      } else if (p.role == driver::ParamRole::kResume) {
        to.place = split.resume->place(0);
      } else if (p.role == driver::ParamRole::kFrames) {
        to.place = split.frames->place(0);
      } else if (p.role == driver::ParamRole::kTexture) {
        QUERN_TRY(bind_reference(at, p));
      } else if (p.role == driver::ParamRole::kField && texels_.count(p.of) != 0) {
        to.place = texels_[p.of];
      } else if (p.role == driver::ParamRole::kField) {
        QUERN_TRY(check_pointer_in_struct(kernel_.info(), device_.info(), p, arguments_));
      } else {
        const HostArgument& a = given[p.of];
        numbers_[at] = a.kind == ArgumentKind::memory ? a.slice.bytes : 0;
        to.value = &numbers_[at];
        to.bytes = p.bytes;
      }
      ++at;
    }
    return {};
  }

  std::span<const driver::Argument> arguments() const {
    return {arguments_, kernel_.info().params.size() + kernel_.hidden().size()};
  }

 private:
  // Of a buffer, texture or surface.
  Result<> check_memory(size_t index, const HostArgument& given) const {
    const auto mismatch = [&](const base::MessageText& why) {
      return argument_mismatch(kernel_.info(), index, spell(given), why);
    };
    if (given.slice.memory == nullptr) return mismatch(message::kNoMemory("the buffer"));
    if (&given.slice.memory->device() != &device_)
      return mismatch(message::kBufferOfOtherDevice(given.slice.memory->device().label_beside(device_)));
    if (!given.slice.is_inside()) {
      return mismatch(message::kRangeOutside("the buffer", std::to_string(given.slice.memory->bytes()),
                                             std::to_string(given.slice.bytes),
                                             std::to_string(given.slice.offset)));
    }
    return {};
  }

  Result<> bind_pointer(size_t index, const HostArgument& given) {
    if (given.kind == ArgumentKind::null) return {};
    if (given.kind != ArgumentKind::memory) return argument_mismatch(kernel_.info(), index, spell(given));
    QUERN_TRY(check_memory(index, given));
    QUERN_TRY(check_elements(kernel_.info(), index, given));
    arguments_[index].place = given.slice.place();
    return {};
  }

  Result<> bind_texture(size_t index, const HostArgument& given) {
    const bool is_texture = kernel_.info().params[index].object == driver::ParamObject::kTexture;
    if (given.kind != (is_texture ? ArgumentKind::texture : ArgumentKind::surface))
      return argument_mismatch(kernel_.info(), index, spell(given));
    QUERN_TRY(check_memory(index, given));
    TextureDescriptor descriptor;
    std::memcpy(&descriptor, given.bytes, sizeof descriptor);
    set_texture(index, descriptor, given.slice.place());
    return {};
  }

  Result<> bind_reference(size_t index, const ParamInfo& p) {
    const std::optional<BoundTexture> bound = kernel_.texture(p.name);
    if (!bound)
      return Error(ErrorKind::invalid_use, message::kReferenceNotBound(kernel_.info().name, p.name));
    set_texture(index, bound->descriptor, bound->texels.place());
    return {};
  }

  // The descriptor with the address of the texels, if the device has addresses; otherwise bind_hidden binds
  // the memory.
  void set_texture(size_t index, const TextureDescriptor& given, const driver::Place& texels) {
    TextureDescriptor& descriptor = textures_.emplace_back(given);
    descriptor.address = texels.buffer->address != 0 ? texels.buffer->address + texels.offset : 0;
    texels_[index] = texels;
    arguments_[index].value = &descriptor;
    arguments_[index].bytes = sizeof descriptor;
  }

  const Kernel& kernel_;
  Device& device_;
  driver::Argument arguments_[kMaxArguments];
  uint64_t numbers_[kMaxArguments];
  std::list<TextureDescriptor> textures_;
  std::map<size_t, driver::Place> texels_;  // by parameter
};

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
  Binder binder(kernel, device_);
  for (size_t i = 0; i < arguments.size(); ++i) QUERN_TRY(binder.bind(i, arguments[i]));

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
  QUERN_TRY(binder.bind_hidden(arguments, checks, split));
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
