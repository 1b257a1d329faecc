// The actors of one kernel, and the thread that serves them: it runs batches of the driven engine, moves
// messages from the queues to the rings, delivers events to subscribers and replies to coroutines, and
// detects the end of the kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "ring/awaiters.hpp"
#include "ring/handler_replacer.hpp"
#include "ring/lifecycle.hpp"
#include "ring/supervisor.hpp"
#include "ring/timers.hpp"
#include "ring/watchdog.hpp"

namespace quern::ring {

// Owns the parts of a group and connects them; each part says which threads may call it. The service thread
// runs step() until the destructor stops it. The destructor runs on another thread: create() ensures it.
class Group final : private ServiceThread::Client {
 public:
  static std::shared_ptr<Group> create(const Device& device, std::string_view source, const Options& options,
                                       std::span<const Member> members);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  const ActorKernel& kernel() const { return kernel_; }
  const DeviceClock& clock() const { return clock_; }
  KernelControl& control() { return control_; }
  Mailbox& mailbox() { return mailbox_; }
  Awaiters& awaiters() { return awaiters_; }
  Timers& timers() { return timers_; }
  const ActorBuffers& buffers() const { return buffers_; }
  Recovery& recovery() { return recovery_; }
  Lifecycle& lifecycle() { return lifecycle_; }
  HandlerReplacer& replacer() { return replacer_; }

  // Thread-safe.
  Telemetry telemetry(const ActorState& actor) const;

 private:
  Group(const Options& options, std::span<const Member> members) : kernel_(options, members) {}
  void start_actors(std::span<const Member> members);
  void launch();

  bool step() override;
  ServiceThread::Pace pace() const override;
  bool is_quiet() const override;
  std::chrono::nanoseconds until_due() const override { return timers_.until_due(); }
  bool watch_kernel();
  bool see_end();

  ActorKernel kernel_;
  ServiceThread thread_;
  DeviceClock clock_{kernel_};
  KernelControl control_{kernel_, clock_, thread_};
  DeadLetters dead_letters_{kernel_};
  Mailbox mailbox_{kernel_, clock_, control_, thread_, dead_letters_};
  EventDelivery events_{kernel_};
  Awaiters awaiters_{mailbox_, thread_};
  Timers timers_{kernel_, clock_, thread_, mailbox_, dead_letters_};
  Termination termination_{kernel_, mailbox_, dead_letters_, thread_};
  ActorBuffers buffers_{kernel_};
  Recovery recovery_{kernel_, thread_, control_, mailbox_, events_, buffers_, termination_};
  Lifecycle lifecycle_{kernel_, thread_, mailbox_, termination_, recovery_};
  Supervisor supervisor_{kernel_, control_, mailbox_.replies(), dead_letters_};
  HandlerReplacer replacer_{kernel_, thread_, control_, lifecycle_, termination_};
  Watchdog watchdog_{kernel_, control_, termination_};
};

}  // namespace quern::ring
