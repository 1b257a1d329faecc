#include "ring/group.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "ring/failure.hpp"
#include "ring/misfit.hpp"
#include "ring/words.hpp"

namespace quern::ring {
namespace {

constexpr std::uint32_t kMostActors = 4096, kMostSlots = 1 << 20, kMostReplies = 1 << 16;
constexpr std::size_t kMostBuffers = 4;
constexpr std::uint32_t kMostMessage = 4096, kMostTimers = 1024, kMostProcessorBlocks = 1024;

std::uint32_t power_of_two(std::uint32_t n, std::uint32_t most, const char* what) {
  if (n == 0 || n > most)
    fail(ErrorKind::invalid_use, std::string("spawn failed: ") + std::to_string(n) + " " + what +
                                     " requested; the allowed range is 1 to " + std::to_string(most));
  return std::bit_ceil(std::max<std::uint32_t>(n, 2));
}

}  // namespace

Group::Group(const Options& options, std::span<const Member> members) : options_(options) {
  if (members.empty() || members.size() > kMostActors)
    fail(ErrorKind::invalid_use, "spawn failed: a group of " + std::to_string(members.size()) +
                                     " actors requested; the allowed range is 1 to 4096");
  if (options.buffers.size() > kMostBuffers)
    fail(ErrorKind::invalid_use,
         "spawn failed: " + std::to_string(options.buffers.size()) + " buffers given; the limit is 4");
  if (options.shape == Shape::grid && members.size() != 1)
    fail(ErrorKind::invalid_use,
         "spawn failed: a group of shape 'grid' has one actor, got " + std::to_string(members.size()));
  if (options.shape == Shape::parallel && options.restart.limit != 0)
    fail(ErrorKind::invalid_use,
         "spawn failed: a group of shape 'parallel' cannot be restarted, because it handles many messages "
         "concurrently");
  if (options.batch == 0) fail(ErrorKind::invalid_use, "spawn failed: Options::batch is 0");
  for (const Member& m : members) {
    const auto found = std::find(plan_.kinds.begin(), plan_.kinds.end(), m.kind);
    plan_.kind_of.push_back(static_cast<std::uint32_t>(found - plan_.kinds.begin()));
    if (found == plan_.kinds.end()) plan_.kinds.push_back(m.kind);
  }
  plan_.shape = options.shape;
  plan_.slots = power_of_two(options.slots, kMostSlots, "slots");
  plan_.replies = power_of_two(options.replies, kMostReplies, "reply slots");
  plan_.events = power_of_two(options.events, kMostSlots, "events");
  plan_.peer_slots = power_of_two(options.peer_slots, kMostSlots, "slots for peers");
  plan_.is_careful = options.restart.limit != 0;
  plan_.is_watched = options.watchdog.count() != 0;
  if (options.urgent != 0)
    plan_.urgent_slots = power_of_two(options.urgent, kMostSlots, "slots for urgent messages");
  if (options.timers > kMostTimers)
    fail(ErrorKind::invalid_use, "spawn failed: " + std::to_string(options.timers) +
                                     " timers requested; the limit is " + std::to_string(kMostTimers));
  if (options.shape == Shape::parallel && (options.timers != 0 || options.stamps))
    fail(ErrorKind::invalid_use, std::string("spawn failed: a group of shape 'parallel' does not support ") +
                                     (options.timers != 0 ? "timers" : "stamps") +
                                     ": its messages are not ordered");
  plan_.timers = options.timers;
  plan_.has_stamps = options.stamps;
  plan_.has_deadlines = options.deadlines;
}

std::shared_ptr<Group> Group::create(const Device& device, std::string_view source, const Options& options,
                                     std::span<const Member> members) {
  // The last handle may be released on the group's own thread, in a callback: another thread must then end
  // the group.
  std::shared_ptr<Group> group(new Group(options, members), [](Group* g) {
    if (g->is_on_own_thread()) {
      std::thread([g] { delete g; }).detach();
    } else {
      delete g;
    }
  });
  try {
    group->compile(device, source);
    group->start_actors(members);
    group->launch();
  } catch (const Error& error) {
    group->explain_failure(error, source);
    throw;
  }
  return group;
}

Module Group::compile_text(std::string_view source) const {
  return device_.compile(make_text(plan_, source, options_.module.name), options_.module);
}

// If a source lacks a part of an actor or does not match, this error is reported instead of the diagnostics
// of our surrounding text.
void Group::explain_failure(const Error& error, std::string_view source) const {
  if (error.kind() != ErrorKind::compile) return;
  const std::string lack = lack_of(plan_, source, options_.module.name);
  if (!lack.empty()) fail(ErrorKind::compile, lack, kActorHint);
  const std::string misfit = misfit_of(error.message());
  if (misfit.empty()) return;
  fail(ErrorKind::compile, "the actor in " + options_.module.name + " is invalid: " + misfit, kHandlerHint);
}

void Group::compile(const Device& device, std::string_view source) {
  device_ = device;
  source_ = source;
  has_idle_ = has_idle_hook(source);
  plan_for(device.info());
  if (plan_.survives_device_loss) check_recoverable();
  EngineParts parts;
  parts.device = device;
  parts.plan = plan_;
  parts.options = options_;
  parts.module = compile_text(source);
  parts.workers = plan_.workers;
  if (plan_.kinds.size() > 16)
    fail(ErrorKind::invalid_use, "spawn failed: a group allows at most 16 kinds of actors");
  check_residency(parts.module);
  const std::vector<Sizes> sizes = verify(parts.module, layout_);
  if (layout_.message_bytes > kMostMessage)
    fail(ErrorKind::invalid_use,
         "spawn failed: a Message has " + std::to_string(layout_.message_bytes - layout_.header_bytes) +
             " bytes; the limit is " + std::to_string(kMostMessage),
         "pass larger data in one of the actor's buffers");
  parts.layout = layout_;
  for (std::uint32_t a = 0; a < plan_.actors(); ++a) {
    auto actor = std::make_unique<ActorState>();
    actor->group = this;
    actor->index = a;
    actor->sizes = sizes[plan_.kind_of[a]];
    actors_.push_back(std::move(actor));
  }
  adopt(plan_.is_driven ? make_driven(std::move(parts)) : make_persistent(std::move(parts)));
  to_device_ = engine().to_device();
  to_host_ = engine().to_host();
}

namespace {

// Whether threads can copy to shared memory asynchronously: NVIDIA GPUs of compute capability 8 and later.
bool copies_beside(const DeviceInfo& info) {
  constexpr std::uint64_t kFirst = 8;
  if (info.driver != "cuda") return false;
  for (const auto& [name, value] : info.details) {
    if (name == "compute capability") return std::strtoull(value.c_str(), nullptr, 10) >= kFirst;
  }
  return false;
}

}  // namespace

// Whether many long consecutive messages are read by asynchronous copies. A recoverable group may be driven
// after a loss, from a ring of the usual layout; a restartable one reports each message.
void Group::plan_flow(const DeviceInfo& info) {
  constexpr std::uint32_t kWarp = 32;
  if (!plan_.copies_beside || plan_.is_careful || plan_.is_watched || plan_.survives_device_loss) return;
  if (plan_.shape == Shape::grid || plan_.threads < kWarp) return;
  // A single actor may use most of a compute unit's shared memory; with many of them there would be none
  // left.
  constexpr std::uint64_t kMostAlone = 160 << 10, kMostOfMany = 48 << 10;
  const std::uint64_t most = plan_.actors() == 1 ? kMostAlone : kMostOfMany;
  plan_.flow_bytes =
      static_cast<std::uint32_t>(std::min(most, info.limits.shared_bytes * 3 / 4 / 1024 * 1024));
  plan_.is_marked = options_.one_producer;
}

void Group::plan_for(const DeviceInfo& info) {
  const bool is_cpu = info.kind == DeviceKind::cpu;
  plan_.survives_device_loss =
      options_.engine == Engine::persistent && extension::survives_device_loss(device_);
  const bool persists = plan_.survives_device_loss || can_persist(info);
  if (options_.engine == Engine::persistent && !persists)
    fail(ErrorKind::unsupported, info.name + " (" + info.driver +
                                     ") does not support persistent kernels; its actors use Engine::driven");
  plan_.is_driven = options_.engine == Engine::driven || !persists;
  is_on_card_ = !is_cpu;
  plan_.is_over_bus = is_on_card_ && !plan_.is_driven;
  plan_.has_clock = !plan_.is_driven && info.has(Feature::clock);
  plan_.threads = options_.threads;
  if (plan_.threads == 0) {
    const bool is_one = plan_.shape == Shape::thread || plan_.shape == Shape::parallel;
    plan_.threads = is_cpu && is_one               ? 1
                    : plan_.shape == Shape::thread ? 32
                    : plan_.shape == Shape::block  ? 64
                                                   : 128;
  }
  if (plan_.threads > info.limits.block_threads)
    fail(ErrorKind::invalid_use, "spawn failed: blocks of " + std::to_string(plan_.threads) +
                                     " threads requested; " + info.name + " allows at most " +
                                     std::to_string(info.limits.block_threads));
  if (plan_.shape == Shape::grid && options_.blocks == 0)
    options_.blocks = info.has(Feature::grid_barrier) ? std::max<std::uint32_t>(1, info.compute_units) : 1;
  plan_.blocks = plan_.shape == Shape::grid ? options_.blocks : 1;
  plan_.spins = is_cpu ? patient_looks() : 4096;
  plan_.longest_sleep = 50'000;
  plan_.stage_bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(32 << 10, info.limits.shared_bytes / 2));
  plan_.copies_beside = !plan_.is_driven && copies_beside(info);
  plan_flow(info);

  plan_.workers = is_cpu || plan_.is_driven
                      ? 1
                      : std::min<std::uint32_t>(plan_.actors(), std::max(1u, info.compute_units));
  plan_.waits_by_flag = !is_cpu && !plan_.is_driven && plan_.blocks > 1;
  constexpr std::chrono::milliseconds kCpuIdleTimeout(50), kGpuIdleTimeout(500);
  const std::chrono::nanoseconds idle_timeout = options_.idle_timeout.count() >= 0 ? options_.idle_timeout
                                                : is_cpu ? std::chrono::nanoseconds(kCpuIdleTimeout)
                                                         : std::chrono::nanoseconds(kGpuIdleTimeout);
  if (plan_.is_driven || idle_timeout.count() == 0) return;
  const std::int64_t microseconds = std::clamp<std::int64_t>(idle_timeout.count() / 1000, 1, 1 << 30);
  plan_.idle_microseconds = static_cast<std::uint32_t>(microseconds);
  plan_.idle_polls =
      plan_.spins + 256 + static_cast<std::uint32_t>(microseconds * 1000 / plan_.longest_sleep);
}

// Blocks that wait for each other must all be resident at the same time.
void Group::check_residency(const Module& module) const {
  if (plan_.shape != Shape::grid || plan_.blocks == 1) return;
  const DeviceInfo info = device_.info();
  const std::uint64_t each = module.kernel(kRunKernel).occupancy(plan_.threads).max_blocks_per_unit;
  // A CPU runs them in turn; each needs stacks for its threads.
  const std::uint64_t most = info.kind == DeviceKind::cpu ? kMostProcessorBlocks : each * info.compute_units;
  if (most == 0 || plan_.blocks <= most) return;
  fail(ErrorKind::invalid_use,
       "spawn failed: a grid of " + std::to_string(plan_.blocks) + " blocks of " +
           std::to_string(plan_.threads) + " threads requested; " + info.name + " runs at most " +
           std::to_string(most) + " of them concurrently",
       "set Options::blocks = 0 to use the number that suits the device");
}

std::vector<Sizes> Group::verify(const Module& module, Layout& layout) const {
  Buffer<std::uint64_t> report = device_.allocate<std::uint64_t>(kReportWords);
  report.fill(0);
  device_.launch(module.kernel(kReportKernel), quern::grid(1, 1), report);
  return verify_layout(plan_, report.download(), layout);
}

void Group::start_actors(std::span<const Member> members) {
  replies_.start(to_host_ + layout_.replies_at, plan_.replies, layout_.reply_words, layout_.stamp_at);
  for (const auto& actor : actors_) {
    const std::size_t i = actor->index;
    const bool sweeps = plan_.has_deadlines || plan_.survives_device_loss;
    start_inbox(actor->inbox, plan_, layout_, to_device_, i,
                sweeps ? &actor->swept[0] : status(*actor) + kHead, actor->sizes.message);
    if (plan_.urgent_slots != 0)
      actor->urgent.start(to_device_ + layout_.urgent_at + i * plan_.urgent_slots * layout_.slot_words,
                          sweeps ? &actor->swept[1] : status(*actor) + kUrgentHeadOut, plan_.urgent_slots,
                          layout_, actor->sizes.message);
    const std::vector<std::byte>& state = members[i].state;
    if (state.empty()) continue;
    if (state.size() != actor->sizes.state)
      fail(ErrorKind::invalid_use, "spawn failed: the initial state has " + std::to_string(state.size()) +
                                       " bytes, the actor's State has " + std::to_string(actor->sizes.state));
    std::vector<std::uint64_t> words((state.size() + 7) / 8);
    std::memcpy(words.data(), state.data(), state.size());
    engine().write_own(layout_.states_at + i * layout_.state_words, words);
  }
}

void Group::launch() {
  for (const auto& actor : actors_) {
    actor->epoch = 1;
    put(to_device_ + std::size_t{actor->index} * kLine, std::uint64_t{1} << 8);
    actor->phase = Phase::launched;
    actor->is_open = true;
  }
  if (plan_.survives_device_loss) begin_recoverable();
  if (!plan_.is_driven && (plan_.survives_device_loss || device_.info().kind != DeviceKind::cpu))
    persistent_kernel_ = extension::register_persistent_kernel(
        device_, [this] { suspend_kernel(); }, [this] { resume_kernel(); });
  started_ = Clock::now();
  write_time();
  try {
    engine().start(inboxes());
  } catch (const Error&) {
    if (!is_lost()) throw;  // otherwise the thread recovers it
  }
  thread_ = std::thread([this] { keep(); });
}

Group::~Group() {
  if (thread_.joinable()) {
    for (const auto& actor : actors_) {
      try {
        (void)stop(*actor, std::chrono::seconds(10));
      } catch (const Error&) {  // it failed before, and nobody is left to notify
      }
    }
    ends_ = true;
    wake();
    thread_.join();
  }
  persistent_kernel_.reset();
}

Telemetry Group::telemetry(const ActorState& actor) {
  const std::uint64_t* const s = status(actor);
  Telemetry t;
  t.phase = actor.phase;
  t.sent = actor.inbox.tail() + actor.urgent.tail();
  t.handled = look(s + kHandled);
  t.errors = look(s + kErrors);
  t.dropped = actor.dropped;
  t.expired = look(s + kExpired);
  t.fired = look(s + kFired);
  t.published = look(s + kPublished);
  t.unpublished = look(s + kUnpublished);
  t.peer_sent = look(s + kPeerSent);
  t.peer_refused = look(s + kPeerRefused);
  t.depth = actor.inbox.tail() - head(actor);
  t.peer_depth = look(s + kPeerDepth);
  if (plan_.urgent_slots != 0) t.depth += actor.urgent.tail() - actor.urgent.head();
  t.recoveries = recoveries_;
  t.heartbeat = look(s + kHeartbeat);
  t.launches = engine().launches();
  t.restarts = restarts_;
  const std::chrono::duration<double, std::nano> since = Clock::now() - started_;
  t.busy = static_cast<double>(look(s + kBusy)) / since.count();
  for (std::size_t i = 0; i < t.nanoseconds.size(); ++i) t.nanoseconds[i] = look(s + kHistogram + i);
  return t;
}

}  // namespace quern::ring
