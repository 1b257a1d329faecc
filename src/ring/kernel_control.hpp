// Launches the kernel of a group, and lets it leave: when it has no work, or when a driver call needs the
// device.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "ring/actor_kernel.hpp"
#include "ring/device_clock.hpp"
#include "ring/service_thread.hpp"

namespace quern::ring {

// Owns the requests to suspend the kernel, and whether it has left. `mutex_` guards the requests and the hold
// bits of the commands. suspend(), resume(), is_idle() and is_suspended() may be called from any thread; the
// others from the service thread, or before it runs.
class KernelControl {
 public:
  KernelControl(const ActorKernel& kernel, const DeviceClock& clock, ServiceThread& thread)
      : kernel_(kernel), clock_(clock), thread_(thread) {}

  // The device suspends the kernel for driver calls that wait for all kernels, until release().
  void register_with_device();
  void release() { registration_.reset(); }

  // The kernel leaves between two messages. Neither function waits: the driver call that follows does.
  void suspend();
  void resume();
  bool is_suspended() const { return requests_ != 0; }
  bool was_suspended() const { return was_suspended_; }

  // Launches the kernel, unless somebody has suspended it: then it leaves immediately.
  void launch();
  // The idle kernel has ended, and is launched again when there is work.
  void set_idle();
  bool is_idle() const { return is_idle_.load(std::memory_order_relaxed); }
  // Launches an idle kernel if there is work; returns whether it did.
  bool launch_if_needed();
  bool has_work() const;

  // The control lines of a kernel that replays messages and is suspended too; null: none.
  void set_replay(std::uint64_t* lines);

 private:
  void allow();
  bool has_work(const ActorState& actor) const;
  void look_for_peers();

  const ActorKernel& kernel_;
  const DeviceClock& clock_;
  ServiceThread& thread_;
  Subscription registration_;  // while it may be suspended
  std::mutex mutex_;
  std::atomic<std::uint32_t> requests_{0};
  std::atomic<bool> was_suspended_{false};  // since its last launch
  std::uint64_t* replay_ = nullptr;
  std::atomic<bool> is_idle_{false};
  bool knows_peers_ = false;  // has_peers_waiting is valid since the kernel left
};

}  // namespace quern::ring
