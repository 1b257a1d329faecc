// Events of a device, reused: a command list signals an event once, and an event is reset and used again
// when it is signaled and nothing refers to it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "driver/level_zero/api.hpp"
#include "driver/support/marking_device.hpp"
#include "driver/support/owned.hpp"

namespace quern::level_zero {

template <typename Handle>
using Owned = driver::Owned<Handle, ZeResult (*)(Handle)>;

/// A context, shared by everything that is created in it.
struct Context {
  std::shared_ptr<const Api> api;
  ZeDriver driver = nullptr;
  ZeDevice device = nullptr;
  Owned<ZeContext> id;
};

/// Objects that commands in flight use; released when an event that is signaled after them is signaled.
using Held = std::vector<std::shared_ptr<const void>>;

/// Hands out events. Thread-safe. Marks share it, so that they may outlive their device.
class Events {
 public:
  explicit Events(std::shared_ptr<const Context> context)
      : api_(context->api.get()), context_(std::move(context)) {}

  /// An event that is not signaled.
  Result<ZeEvent> take();
  /// Reuses the event when it is signaled, and releases `held` then. `is_submitted`: a list will signal it.
  void give_back(ZeEvent event, Held held, bool is_submitted);
  /// Nothing is in flight any more: releases what is held, now and later.
  void close();

 private:
  struct Pending {
    ZeEvent event;
    Held held;
  };
  Result<> add_pool();
  Held collect();  // moves signaled events to free_; the caller releases the result without the lock

  const Api* api_;
  std::shared_ptr<const Context> context_;
  std::mutex mutex_;
  std::vector<Owned<ZeEventPool>> pools_;
  std::vector<Owned<ZeEvent>> all_;  // destroyed before their pools
  std::vector<ZeEvent> free_;
  std::vector<Pending> pending_;
  bool is_closed_ = false;
};

/// A point of a stream's work.
struct Mark final : driver::Mark, std::enable_shared_from_this<Mark> {
  Mark(std::shared_ptr<Events> from, ZeEvent taken) : events(std::move(from)), event(taken) {}
  ~Mark() override { events->give_back(event, std::move(held), is_submitted); }

  std::shared_ptr<Events> events;
  ZeEvent event;
  Held held;  // used by the commands before it
  bool is_submitted = false;
};

}  // namespace quern::level_zero
