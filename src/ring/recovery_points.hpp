// Takes recovery points of persistent actors on the device of a session. A point is taken while the kernel is
// not running; the kernel is suspended for it when enough messages have accumulated. Slots of the rings are
// free only after the next point, so all messages since then are still there.
#pragma once

#include <atomic>
#include <cstdint>

#include "ring/actor_buffers.hpp"
#include "ring/device_losses.hpp"
#include "ring/kernel_control.hpp"
#include "ring/recovery_point.hpp"
#include "ring/termination.hpp"

namespace quern::ring {

// Owns the last point. No lock: the service thread takes points and reads them. request() may be called from
// any other thread; after it, and while all actors rest, last() may be read there too.
class RecoveryPoints {
 public:
  RecoveryPoints(const ActorKernel& kernel, ServiceThread& thread, KernelControl& control,
                 const ActorBuffers& buffers, DeviceLosses& losses, Termination& termination)
      : kernel_(kernel),
        thread_(thread),
        control_(control),
        buffers_(buffers),
        losses_(losses),
        termination_(termination) {}

  // The first point, before the kernel is launched.
  void start();
  // Takes a point if one is due. Returns whether there was something to do.
  bool step();
  // Takes a point soon, and waits for it.
  void request();
  // Ends the suspension of the kernel for a point.
  void end_suspension();
  Point& last() { return point_; }

 private:
  bool is_due() const;
  bool take();

  const ActorKernel& kernel_;
  ServiceThread& thread_;
  KernelControl& control_;
  const ActorBuffers& buffers_;
  DeviceLosses& losses_;
  Termination& termination_;
  Point point_;
  bool is_suspending_ = false;  // the kernel was suspended for a point
  Clock::time_point suspended_since_;
  bool was_final_ = false;  // the last point was taken when all actors had ended
  std::atomic<std::uint64_t> requested_{0}, taken_{0};
};

}  // namespace quern::ring
