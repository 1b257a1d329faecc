#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

Result<bool> Timeline::has_reached(uint64_t value) {
  if (known_.load(std::memory_order_acquire) >= value) return true;
  uint64_t reached = 0;
  QUERN_VK(api_, vkGetSemaphoreCounterValue(device_, semaphore.get(), &reached));
  uint64_t before = known_.load();
  while (before < reached && !known_.compare_exchange_weak(before, reached)) {
  }
  return reached >= value;
}

Result<> Timeline::wait(uint64_t value) {
  if (known_.load(std::memory_order_acquire) >= value) return {};
  const SemaphoreWaitInfo info{.semaphores = &semaphore.get(), .values = &value};
  QUERN_VK(api_, vkWaitSemaphores(device_, &info, UINT64_MAX));
  QUERN_TRY(has_reached(value));
  return {};
}

Stream::~Stream() {
  if (timeline != nullptr && is_callable())
    (void)timeline->wait(last).ok();  // a lost device has nothing in flight
}

Result<std::unique_ptr<driver::Stream>> Device::create_stream(const driver::StreamOptions&) {
  QUERN_TRY(alive());
  auto stream = std::make_unique<Stream>();
  QUERN_TRY_ASSIGN(stream->timeline, take_timeline());
  stream->last = stream->timeline->known();
  const size_t computing = queues_.size() - (copy_queue_ != nullptr && queues_.size() > 1 ? 1 : 0);
  QUERN_TRY(make_lane(stream->work, queues_[next_queue_++ % computing], has_.family));
  if (copy_queue_ != nullptr) QUERN_TRY(make_lane(stream->copies, *copy_queue_, has_.copy_family));
  stream->copies.only_copies = true;
  return stream;
}

// An unused timeline continues from its current value. Semaphores live as long as the device: Mesa accesses
// semaphores that a submission waited for even after its completion is visible.
Result<std::shared_ptr<Timeline>> Device::take_timeline() {
  const std::lock_guard lock(timelines_mutex_);
  if (free_timelines_.empty()) {
    const SemaphoreTypeCreateInfo kind;
    const SemaphoreCreateInfo info{.next = &kind};
    QUERN_TRY_ASSIGN(auto semaphore, QUERN_VK_MAKE(Semaphore, info));
    free_timelines_.push_back(std::make_unique<Timeline>(api_, device_, std::move(semaphore)));
  }
  Timeline* const timeline = free_timelines_.back().release();
  free_timelines_.pop_back();
  return std::shared_ptr<Timeline>(timeline, [this](Timeline* free) {
    const std::lock_guard timelines(timelines_mutex_);
    free_timelines_.emplace_back(free);
  });
}

Result<> Device::make_lane(Lane& lane, NativeQueue& native, uint32_t family) {
  const CommandPoolCreateInfo pool{.family = family};
  QUERN_TRY_ASSIGN(lane.pool, QUERN_VK_MAKE(CommandPool, pool));
  lane.native = &native;
  return {};
}

// The slot of the oldest command if that is done; else a new one.
Result<Slot*> Device::begin(Stream& stream, Lane& lane) {
  constexpr size_t kMostSlots = 1024;  // in flight; then the queue waits for its oldest command
  bool is_free = false;
  if (!lane.slots.empty()) {
    const uint64_t value = lane.slots.front()->value;
    if (lane.slots.size() >= kMostSlots) QUERN_TRY(stream.timeline->wait(value));
    QUERN_TRY_ASSIGN(is_free, stream.timeline->has_reached(value));
  }
  if (is_free) {
    lane.slots.push_back(std::move(lane.slots.front()));
    lane.slots.pop_front();
  } else {
    auto made = std::make_unique<Slot>();
    const CommandBufferAllocateInfo info{.pool = lane.pool.get()};
    QUERN_VK(api_, vkAllocateCommandBuffers(device_, &info, &made->commands));
    lane.slots.push_back(std::move(made));
  }
  Slot& slot = *lane.slots.back();
  slot.staging.clear();
  slot.arrivals.clear();  // left by an error
  slot.held.clear();
  if (slot.is_open) QUERN_VK(api_, vkResetCommandBuffer(slot.commands, 0));  // left open by an error
  const CommandBufferBeginInfo info;
  QUERN_VK(api_, vkBeginCommandBuffer(slot.commands, &info));
  slot.is_open = true;
  return &slot;
}

Result<> Device::submit(Stream& stream, const Lane& lane, Slot& slot) {
  if (stream.at != nullptr && stream.at != &lane) stream.waits.push_back({stream.timeline, stream.last});
  QUERN_VK(api_, vkEndCommandBuffer(slot.commands));
  slot.is_open = false;
  std::vector<Semaphore> semaphores;
  std::vector<uint64_t> wait_values;
  for (const Point& wait : stream.waits) {
    semaphores.push_back(wait.timeline->semaphore.get());
    wait_values.push_back(wait.value);
    slot.held.push_back(wait.timeline);
  }
  const std::vector<uint32_t> stages(stream.waits.size(), kPipeAll);
  const uint64_t value = stream.last + 1;
  const auto wait_count = static_cast<uint32_t>(wait_values.size());
  const TimelineSubmitInfo values{.wait_count = wait_count,
                                  .wait_values = wait_values.data(),
                                  .signal_count = 1,
                                  .signal_values = &value};
  const SubmitInfo info{.next = &values,
                        .wait_count = wait_count,
                        .waits = semaphores.data(),
                        .wait_stages = stages.data(),
                        .command_count = 1,
                        .commands = &slot.commands,
                        .signal_count = 1,
                        .signals = &stream.timeline->semaphore.get()};
  {
    const std::lock_guard lock(*lane.native->mutex);
    QUERN_VK(api_, vkQueueSubmit(lane.native->handle, 1, &info, Fence{}));
  }
  slot.value = stream.last = value;
  stream.at = &lane;
  stream.waits.clear();
  return {};
}

}  // namespace quern::vulkan
