#include "driver/level_zero/events.hpp"

#include <iterator>

namespace quern::level_zero {

Result<> Events::add_pool() {
  constexpr uint32_t kCount = 128;
  EventPoolDesc desc;
  desc.count = kCount;
  ZeEventPool pool = nullptr;
  QUERN_ZE(zeEventPoolCreate(context_->id.get(), &desc, 0, nullptr, &pool));
  pools_.emplace_back(pool, api_->zeEventPoolDestroy);
  for (uint32_t i = 0; i < kCount; ++i) {
    EventDesc one;
    one.index = i;
    ZeEvent event = nullptr;
    QUERN_ZE(zeEventCreate(pool, &one, &event));
    all_.emplace_back(event, api_->zeEventDestroy);
    free_.push_back(event);
  }
  return {};
}

Held Events::collect() {
  Held released;
  std::erase_if(pending_, [&](Pending& p) {
    if (api_->zeEventQueryStatus(p.event) != kSuccess || api_->zeEventHostReset(p.event) != kSuccess)
      return false;
    released.insert(released.end(), std::make_move_iterator(p.held.begin()),
                    std::make_move_iterator(p.held.end()));
    free_.push_back(p.event);
    return true;
  });
  return released;
}

Result<ZeEvent> Events::take() {
  Held released;  // may hold marks, whose destructors call give_back()
  const std::lock_guard lock(mutex_);
  constexpr size_t kMany = 32;
  if (free_.empty() || pending_.size() >= kMany) released = collect();
  if (free_.empty()) QUERN_TRY(add_pool());
  const ZeEvent event = free_.back();
  free_.pop_back();
  return event;
}

void Events::close() {
  std::vector<Pending> pending;  // holds marks, whose destructors call give_back()
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  pending.swap(pending_);
}

void Events::give_back(ZeEvent event, Held held, bool is_submitted) {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return;
  if (is_submitted) {
    pending_.push_back({event, std::move(held)});
  } else {
    free_.push_back(event);
  }
}

}  // namespace quern::level_zero
