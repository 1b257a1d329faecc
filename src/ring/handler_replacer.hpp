// Replaces the handler of running actors: their kernel leaves between two messages, and one with the new text
// is launched. Rings and states stay in place; new messages wait in the rings.
#pragma once

#include <mutex>
#include <string_view>

#include "ring/lifecycle.hpp"

namespace quern::ring {

// Owns `mutex_`, which allows one replacement at a time; a replacement also holds the `order_mutex` of every
// actor. May be called from any thread except in callbacks of the group, where it throws.
class HandlerReplacer {
 public:
  HandlerReplacer(ActorKernel& kernel, ServiceThread& thread, KernelControl& control, Lifecycle& lifecycle,
                  Termination& termination)
      : kernel_(kernel),
        thread_(thread),
        control_(control),
        lifecycle_(lifecycle),
        termination_(termination) {}

  // `source`: a handler for the same types.
  void replace(std::string_view source);

 private:
  void stop_kernel();
  void start_kernel();

  ActorKernel& kernel_;
  ServiceThread& thread_;
  KernelControl& control_;
  Lifecycle& lifecycle_;
  Termination& termination_;
  std::mutex mutex_;
};

}  // namespace quern::ring
