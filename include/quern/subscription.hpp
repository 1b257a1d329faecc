/// @file
/// Subscriptions: callbacks that apply until an object is destroyed.
#pragma once

#include <memory>
#include <utility>

namespace quern {

/// A registered callback. It may be called until this object is destroyed. The subscription of a callback of
/// a device keeps the device open. Movable. Different subscriptions may be destroyed on different threads.
class [[nodiscard]] Subscription {
 public:
  Subscription() = default;  ///< Of no callback.
  /// Owns a registration, which ends when `registration` is destroyed.
  explicit Subscription(std::shared_ptr<void> registration) : registration_(std::move(registration)) {}
  Subscription(Subscription&&) noexcept = default;             ///< Takes over the registration.
  Subscription& operator=(Subscription&&) noexcept = default;  ///< Ends this one, takes over the other.
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;
  ~Subscription() = default;  ///< Ends the registration.

  /// Ends the registration now.
  void reset() { registration_.reset(); }
  /// Whether it holds a registration.
  explicit operator bool() const { return registration_.use_count() != 0; }

 private:
  std::shared_ptr<void> registration_;
};

}  // namespace quern
