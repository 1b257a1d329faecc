#include <chrono>

#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

using driver::Feature;

namespace {

constexpr size_t kMostSlots = 1024;  // in flight; then a queue waits for its oldest command
constexpr uint32_t kQueriesPerPool = 256;

Queue& as_queue(driver::Queue& queue) { return static_cast<Queue&>(queue); }
Event& as_event(driver::Event& event) { return static_cast<Event&>(event); }

uint64_t now() {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

}  // namespace

Result<bool> Timeline::has_reached(uint64_t value) {
  if (known_.load(std::memory_order_acquire) >= value) return true;
  uint64_t reached = 0;
  QUERN_VK(api_, vkGetSemaphoreCounterValue(device_, semaphore, &reached));
  uint64_t before = known_.load();
  while (before < reached && !known_.compare_exchange_weak(before, reached)) {
  }
  return reached >= value;
}

Result<> Timeline::wait(uint64_t value) {
  if (known_.load(std::memory_order_acquire) >= value) return {};
  SemaphoreWaitInfo info;
  info.semaphores = &semaphore;
  info.values = &value;
  QUERN_VK(api_, vkWaitSemaphores(device_, &info, UINT64_MAX));
  QUERN_TRY(has_reached(value));
  return {};
}

Queue::~Queue() {
  if (timeline != nullptr) (void)timeline->wait(last).ok();  // a lost device has nothing in flight
  for (const auto& slot : slots) device_.release(*slot);
  if (pool != CommandPool{}) device_.api_.vkDestroyCommandPool(device_.device_, pool, nullptr);
}

void Queue::forget_waits() {
  waits.clear();
  wait_semaphores.clear();
  wait_values.clear();
  wait_stages.clear();
}

Mark::~Mark() {
  const std::lock_guard lock(device.queries_mutex_);
  device.free_queries_.push_back(query);
}

Result<std::unique_ptr<driver::Queue>> Device::create_queue(const driver::QueueOptions&) {
  QUERN_TRY(alive());
  auto queue = std::make_unique<Queue>(*this);
  SemaphoreTypeCreateInfo kind;
  SemaphoreCreateInfo info;
  info.next = &kind;
  Semaphore semaphore = {};
  QUERN_VK(api_, vkCreateSemaphore(device_, &info, nullptr, &semaphore));
  queue->timeline = std::make_shared<Timeline>(api_, device_, semaphore);
  CommandPoolCreateInfo pool;
  pool.family = has_.family;
  QUERN_VK(api_, vkCreateCommandPool(device_, &pool, nullptr, &queue->pool));
  queue->native = &queues_[next_queue_++ % queues_.size()];
  return queue;
}

Result<std::unique_ptr<Slot>> Device::make_slot(Queue& queue) {
  auto slot = std::make_unique<Slot>();
  CommandBufferAllocateInfo info;
  info.pool = queue.pool;
  QUERN_VK(api_, vkAllocateCommandBuffers(device_, &info, &slot->commands));
  return slot;
}

void Device::recycle(Slot& slot) {
  for (const Piece& piece : slot.staging) host_pool_->give(piece);
  slot.staging.clear();
  slot.waits.clear();
  slot.mark.reset();
}

void Device::release(Slot& slot) {
  recycle(slot);
  host_pool_->give(slot.arguments);
  if (slot.pool != DescriptorPool{}) api_.vkDestroyDescriptorPool(device_, slot.pool, nullptr);
}

// The oldest command's slot when that is done; else one more.
Result<Slot*> Device::begin(Queue& queue) {
  bool is_free = false;
  if (!queue.slots.empty()) {
    const uint64_t value = queue.slots[queue.oldest]->value;
    auto done = queue.timeline->has_reached(value);
    if (done.ok() && !*done && queue.slots.size() >= kMostSlots) {
      auto waited = queue.timeline->wait(value);
      done = waited.ok() ? Result<bool>(true) : Result<bool>(std::move(waited).error());
    }
    if (!done.ok()) return note(std::move(done).error()).error();
    is_free = *done;
  }
  if (!is_free) {
    QUERN_TRY_ASSIGN(auto made, make_slot(queue));
    queue.slots.insert(queue.slots.begin() + static_cast<ptrdiff_t>(queue.oldest), std::move(made));
  }
  Slot& slot = *queue.slots[queue.oldest];
  recycle(slot);
  if (slot.is_open) QUERN_VK(api_, vkResetCommandBuffer(slot.commands, 0));  // an error left it so
  const CommandBufferBeginInfo info;
  QUERN_VK(api_, vkBeginCommandBuffer(slot.commands, &info));
  slot.is_open = true;
  queue.oldest = (queue.oldest + 1) % queue.slots.size();
  return &slot;
}

Result<> Device::submit(Queue& queue, Slot& slot, bool for_host) {
  constexpr uint32_t kStages = kPipeCompute | kPipeTransfer;
  const bool host = for_host || host_looks_.load(std::memory_order_relaxed);
  MemoryBarrier barrier;
  barrier.from = kWriteShader | kWriteTransfer;
  barrier.to =
      kReadShader | kWriteShader | kReadTransfer | kWriteTransfer | (host ? kReadHost | kWriteHost : 0u);
  api_.vkCmdPipelineBarrier(slot.commands, kStages, kStages | (host ? kPipeHost : 0u), 0, 1, &barrier, 0,
                            nullptr, 0, nullptr);
  QUERN_VK(api_, vkEndCommandBuffer(slot.commands));
  slot.is_open = false;
  const uint64_t value = queue.last + 1;
  TimelineSubmitInfo values;
  values.wait_count = static_cast<uint32_t>(queue.waits.size());
  values.wait_values = queue.wait_values.data();
  values.signal_count = 1;
  values.signal_values = &value;
  SubmitInfo info;
  info.next = &values;
  info.wait_count = values.wait_count;
  info.waits = queue.wait_semaphores.data();
  info.wait_stages = queue.wait_stages.data();
  info.command_count = 1;
  info.commands = &slot.commands;
  info.signal_count = 1;
  info.signals = &queue.timeline->semaphore;
  {
    const std::lock_guard lock(queue.native->mutex);
    if (const int32_t code = api_.vkQueueSubmit(queue.native->handle, 1, &info, Fence{}); code < 0)
      return note(failed("vkQueueSubmit", code));
  }
  slot.value = queue.last = value;
  if (!queue.waits.empty()) {
    slot.waits.swap(queue.waits);
    queue.forget_waits();
  }
  return {};
}

Result<std::unique_ptr<driver::Event>> Device::create_event() {
  QUERN_TRY(alive());
  return std::make_unique<Event>();
}

Result<std::shared_ptr<Mark>> Device::take_mark() {
  const std::lock_guard lock(queries_mutex_);
  if (free_queries_.empty()) {
    QueryPoolCreateInfo info;
    info.count = kQueriesPerPool;
    QueryPool pool = {};
    if (const int32_t code = api_.vkCreateQueryPool(device_, &info, nullptr, &pool); code < 0)
      return failed("vkCreateQueryPool", code);
    const auto first = static_cast<uint32_t>(query_pools_.size()) * kQueriesPerPool;
    query_pools_.push_back(pool);
    for (uint32_t i = kQueriesPerPool; i > 0; --i) free_queries_.push_back(first + i - 1);
  }
  auto mark = std::make_shared<Mark>(*this, free_queries_.back());
  free_queries_.pop_back();
  return mark;
}

Result<> Device::record(driver::Queue& queue, driver::Event& event) {
  QUERN_TRY(alive());
  Queue& q = as_queue(queue);
  Event& e = as_event(event);
  const std::lock_guard lock(e.mutex);
  if (info_.features.has(Feature::kTimestamps)) {
    if (e.mark == nullptr || e.mark.use_count() > 1) {
      QUERN_TRY_ASSIGN(e.mark, take_mark());
    }
    QUERN_TRY_ASSIGN(Slot* const slot, begin(q));
    slot->mark = e.mark;
    const uint32_t index = e.mark->query % kQueriesPerPool;
    const QueryPool pool = [&] {
      const std::lock_guard pools(queries_mutex_);
      return query_pools_[e.mark->query / kQueriesPerPool];
    }();
    api_.vkCmdResetQueryPool(slot->commands, pool, index, 1);
    api_.vkCmdWriteTimestamp(slot->commands, kPipeBottom, pool, index);
    QUERN_TRY(submit(q, *slot));
  } else if (!q.waits.empty()) {
    QUERN_TRY_ASSIGN(Slot* const slot, begin(q));
    QUERN_TRY(submit(q, *slot));
  }
  e.timeline = q.timeline;
  e.value = q.last;
  e.heard = q.heard;
  return {};
}

Result<> Device::wait(driver::Queue& queue, driver::Event& event) {
  QUERN_TRY(alive());
  Queue& q = as_queue(queue);
  Event& e = as_event(event);
  const std::lock_guard lock(e.mutex);
  if (e.timeline == nullptr || e.timeline == q.timeline) return {};
  q.waits.push_back(e.timeline);
  q.wait_semaphores.push_back(e.timeline->semaphore);
  q.wait_values.push_back(e.value);
  q.wait_stages.push_back(kPipeAll);
  return {};
}

Result<bool> Device::reached(driver::Event& event) {
  QUERN_TRY(alive());
  Event& e = as_event(event);
  const std::lock_guard lock(e.mutex);
  if (e.timeline == nullptr) return true;
  auto reached = e.timeline->has_reached(e.value);
  if (!reached.ok()) return note(std::move(reached).error()).error();
  if (*reached) QUERN_TRY(finish_host_copies());
  return reached;
}

Result<> Device::wait(driver::Event& event) {
  QUERN_TRY(alive());
  Event& e = as_event(event);
  std::unique_lock lock(e.mutex);
  const std::shared_ptr<Timeline> timeline = e.timeline;
  const uint64_t value = e.value;
  const std::shared_ptr<driver::Heard> heard = e.heard.lock();
  lock.unlock();
  if (timeline == nullptr) return {};
  QUERN_TRY(note(timeline->wait(value)));
  QUERN_TRY(note(finish_host_copies()));
  return heard != nullptr ? note(read_reports(*heard)) : Result<>();
}

Result<> Device::synchronize(driver::Queue& queue) {
  QUERN_TRY(alive());
  Queue& q = as_queue(queue);
  for (size_t i = 0; i < q.waits.size(); ++i) QUERN_TRY(note(q.waits[i]->wait(q.wait_values[i])));
  q.forget_waits();
  QUERN_TRY(note(q.timeline->wait(q.last)));
  QUERN_TRY(note(finish_host_copies()));
  return note(read_reports(*q.heard));
}

Result<uint64_t> Device::ticks(const Mark& mark) {
  const std::lock_guard lock(queries_mutex_);
  uint64_t value = 0;
  QUERN_VK(api_, vkGetQueryPoolResults(device_, query_pools_[mark.query / kQueriesPerPool],
                                       mark.query % kQueriesPerPool, 1, sizeof value, &value, sizeof value,
                                       kQuery64));
  return value;
}

// Host and device looked at together: by the driver where it can, else around an event.
Result<> Device::calibrate() {
  if (has_.can_calibrate && api_.vkGetCalibratedTimestamps != nullptr) {
    CalibratedTimestampInfo clocks[2];
    clocks[0].domain = kDomainMonotonic;
    clocks[1].domain = kDomainDevice;
    uint64_t both[2] = {}, deviation = 0;
    QUERN_VK(api_, vkGetCalibratedTimestamps(device_, 2, clocks, both, &deviation));
    clock_host_ = both[0];
    clock_device_ = both[1];
    return {};
  }
  if (clock_host_ != 0) return {};
  Event event;
  uint64_t best = UINT64_MAX;
  for (int i = 0; i < 3; ++i) {
    const uint64_t before = now();
    QUERN_TRY(record(*own_queue_, event));
    QUERN_TRY(wait(event));
    const uint64_t after = now();
    QUERN_TRY_ASSIGN(const uint64_t at, ticks(*event.mark));
    if (after - before >= best) continue;
    best = after - before;
    clock_host_ = before + best / 2;
    clock_device_ = at;
  }
  return {};
}

Result<uint64_t> Device::time(driver::Event& event) {
  QUERN_TRY(alive());
  Event& e = as_event(event);
  const std::lock_guard lock(e.mutex);
  if (e.mark == nullptr || e.timeline == nullptr) return driver::Device::time(event);
  auto waited = note(e.timeline->wait(e.value));
  if (!waited.ok()) return std::move(waited).error();
  QUERN_TRY_ASSIGN(const uint64_t at, ticks(*e.mark));
  constexpr uint64_t kSecond = 1'000'000'000;
  const std::lock_guard clocks(clock_mutex_);
  if (now() - clock_host_ > kSecond) QUERN_TRY(calibrate());  // clocks drift
  const uint32_t unused_bits = 64 - has_.timestamp_bits;      // a shorter clock begins anew
  const auto since = static_cast<int64_t>((at - clock_device_) << unused_bits) >> unused_bits;
  const double nanoseconds = static_cast<double>(since) * has_.properties.limits.timestamp_period;
  return clock_host_ + static_cast<uint64_t>(static_cast<int64_t>(nanoseconds));
}

}  // namespace quern::vulkan
