#include "driver/interface/residents.hpp"

#include <utility>

namespace quern::driver {

Residents& Residents::of_process() {
  static auto* const residents = new Residents;  // devices may go after the statics
  return *residents;
}

std::shared_ptr<void> Residents::add(std::function<void()> leave, std::function<void()> come_back) {
  const std::lock_guard lock(mutex_);
  const uint64_t number = next_++;
  if (away_ != 0) leave();
  all_.emplace(number, Resident{std::move(leave), std::move(come_back)});
  ++count_;
  return {this, [number](void* self) {
            auto* const residents = static_cast<Residents*>(self);
            const std::lock_guard guard(residents->mutex_);
            residents->all_.erase(number);
            --residents->count_;
          }};
}

void Residents::send_away() {
  const std::lock_guard lock(mutex_);
  if (away_++ != 0) return;
  for (const auto& [number, resident] : all_) resident.leave();
}

void Residents::call_back() {
  const std::lock_guard lock(mutex_);
  if (--away_ != 0) return;
  for (const auto& [number, resident] : all_) resident.come_back();
}

}  // namespace quern::driver
