#include "ring/spawn_plan.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <string>

#include "quern/extension.hpp"
#include "ring/engine.hpp"
#include "ring/failure.hpp"
#include "ring/words.hpp"

namespace quern::ring {
namespace {

constexpr std::uint32_t kMostActors = 4096, kMostSlots = 1 << 20, kMostReplies = 1 << 16;
constexpr std::size_t kMostBuffers = 4;
constexpr std::uint32_t kMostTimers = 1024;

std::uint32_t power_of_two(std::uint32_t n, std::uint32_t most, const char* what) {
  if (n == 0 || n > most)
    fail(ErrorKind::invalid_use, message::kOptionRange(std::to_string(n), what, std::to_string(most)));
  return std::bit_ceil(std::max<std::uint32_t>(n, 2));
}

// Whether threads can copy to shared memory asynchronously: NVIDIA GPUs of compute capability 8 and later.
bool copies_beside(const DeviceInfo& info) {
  constexpr std::uint64_t kFirst = 8;
  if (info.driver != "cuda") return false;
  for (const auto& [name, value] : info.details) {
    if (name == "compute capability") return std::strtoull(value.c_str(), nullptr, 10) >= kFirst;
  }
  return false;
}

// Whether many long consecutive messages are read by asynchronous copies. A recoverable group may be driven
// after a loss, from a ring of the usual layout; a restartable one reports each message.
void plan_flow(Plan& plan, const Options& options, const DeviceInfo& info) {
  constexpr std::uint32_t kWarp = 32;
  if (!plan.copies_beside || plan.is_careful || plan.is_watched || plan.survives_device_loss) return;
  if (plan.shape == Shape::grid || plan.threads < kWarp) return;
  // A single actor may use most of a compute unit's shared memory; with many of them there would be none
  // left.
  constexpr std::uint64_t kMostAlone = 160 << 10, kMostOfMany = 48 << 10;
  const std::uint64_t most = plan.actors() == 1 ? kMostAlone : kMostOfMany;
  plan.flow_bytes =
      static_cast<std::uint32_t>(std::min(most, info.limits.shared_bytes * 3 / 4 / 1024 * 1024));
  plan.is_marked = options.one_producer;
}

}  // namespace

Plan plan_members(const Options& options, std::span<const Member> members) {
  Plan plan;
  if (members.empty() || members.size() > kMostActors)
    fail(ErrorKind::invalid_use, message::kGroupSize(std::to_string(members.size())));
  if (options.buffers.size() > kMostBuffers)
    fail(ErrorKind::invalid_use, message::kTooManyBuffers(std::to_string(options.buffers.size())));
  if (options.shape == Shape::grid && members.size() != 1)
    fail(ErrorKind::invalid_use, message::kGridGroup(std::to_string(members.size())));
  if (options.shape == Shape::parallel && options.restart.limit != 0)
    fail(ErrorKind::invalid_use, message::kParallelRestart());
  if (options.batch == 0) fail(ErrorKind::invalid_use, message::kZeroBatch());
  for (const Member& m : members) {
    const auto found = std::find(plan.kinds.begin(), plan.kinds.end(), m.kind);
    plan.kind_of.push_back(static_cast<std::uint32_t>(found - plan.kinds.begin()));
    if (found == plan.kinds.end()) plan.kinds.push_back(m.kind);
  }
  plan.shape = options.shape;
  plan.slots = power_of_two(options.slots, kMostSlots, "slots");
  plan.replies = power_of_two(options.replies, kMostReplies, "reply slots");
  plan.events = power_of_two(options.events, kMostSlots, "events");
  plan.peer_slots = power_of_two(options.peer_slots, kMostSlots, "slots for peers");
  plan.is_careful = options.restart.limit != 0;
  plan.is_watched = options.watchdog.count() != 0;
  if (options.urgent != 0)
    plan.urgent_slots = power_of_two(options.urgent, kMostSlots, "slots for urgent messages");
  if (options.timers > kMostTimers)
    fail(ErrorKind::invalid_use,
         message::kTooManyTimers(std::to_string(options.timers), std::to_string(kMostTimers)));
  if (options.shape == Shape::parallel && (options.timers != 0 || options.stamps))
    fail(ErrorKind::invalid_use, message::kParallelOption(options.timers != 0 ? "timers" : "stamps"));
  plan.timers = options.timers;
  plan.has_stamps = options.stamps;
  plan.has_deadlines = options.deadlines;
  return plan;
}

void plan_for_device(Plan& plan, Options& options, const Device& device) {
  const DeviceInfo& info = device.info();
  const bool is_cpu = info.kind == DeviceKind::cpu;
  plan.survives_device_loss = options.engine == Engine::persistent && extension::survives_device_loss(device);
  const bool persists = plan.survives_device_loss || can_persist(info);
  if (options.engine == Engine::persistent && !persists)
    fail(ErrorKind::unsupported, message::kNotPersistent(info.name, info.driver));
  plan.is_driven = options.engine == Engine::driven || !persists;
  plan.is_over_bus = !is_cpu && !plan.is_driven;
  plan.has_clock = !plan.is_driven && info.has(Feature::clock);
  plan.threads = options.threads;
  if (plan.threads == 0) {
    const bool is_one = plan.shape == Shape::thread || plan.shape == Shape::parallel;
    plan.threads = is_cpu && is_one              ? 1
                   : plan.shape == Shape::thread ? 32
                   : plan.shape == Shape::block  ? 64
                                                 : 128;
  }
  if (plan.threads > info.limits.block_threads)
    fail(ErrorKind::invalid_use, message::kLargeBlock(std::to_string(plan.threads), info.name,
                                                      std::to_string(info.limits.block_threads)));
  if (plan.shape == Shape::grid && options.blocks == 0)
    options.blocks = info.has(Feature::grid_barrier) ? std::max<std::uint32_t>(1, info.compute_units) : 1;
  plan.blocks = plan.shape == Shape::grid ? options.blocks : 1;
  plan.spins = is_cpu ? patient_looks() : 4096;
  plan.longest_sleep = 50'000;
  plan.stage_bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(32 << 10, info.limits.shared_bytes / 2));
  plan.copies_beside = !plan.is_driven && copies_beside(info);
  plan_flow(plan, options, info);

  plan.workers =
      is_cpu || plan.is_driven ? 1 : std::min<std::uint32_t>(plan.actors(), std::max(1u, info.compute_units));
  plan.waits_by_flag = !is_cpu && !plan.is_driven && plan.blocks > 1;
  constexpr std::chrono::milliseconds kCpuIdleTimeout(50), kGpuIdleTimeout(500);
  const std::chrono::nanoseconds idle_timeout = options.idle_timeout.count() >= 0 ? options.idle_timeout
                                                : is_cpu ? std::chrono::nanoseconds(kCpuIdleTimeout)
                                                         : std::chrono::nanoseconds(kGpuIdleTimeout);
  if (plan.is_driven || idle_timeout.count() == 0) return;
  const std::int64_t microseconds = std::clamp<std::int64_t>(idle_timeout.count() / 1000, 1, 1 << 30);
  plan.idle_microseconds = static_cast<std::uint32_t>(microseconds);
  plan.idle_polls = plan.spins + 256 + static_cast<std::uint32_t>(microseconds * 1000 / plan.longest_sleep);
}

void plan_as_driven(Plan& plan, Options& options, const DeviceInfo& info) {
  plan.is_driven = true;
  plan.has_clock = plan.waits_by_flag = plan.copies_beside = plan.is_over_bus = false;
  plan.workers = 1;
  plan.idle_polls = plan.idle_microseconds = 0;
  plan.threads = std::min(plan.threads, info.limits.block_threads);
  if (plan.shape == Shape::grid && !info.has(Feature::grid_barrier)) plan.blocks = options.blocks = 1;
  plan.stage_bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.stage_bytes, info.limits.shared_bytes / 2));
}

// Messages that are handled again from the last point must give the same result.
void check_recoverable(const Options& options, bool has_idle_hook) {
  const auto refuse = [](const std::string& what) {
    fail(ErrorKind::unsupported, message::kNotRepeatable(what));
  };
  if (options.shape == Shape::parallel) refuse("shape 'parallel'");
  if (options.urgent != 0) refuse("urgent messages");
  if (options.deadlines) refuse("deadlines");
  if (options.timers != 0) refuse("timers");
  if (options.restart.limit != 0) refuse("restarts");
  if (has_idle_hook) refuse("on_idle");
}

}  // namespace quern::ring
