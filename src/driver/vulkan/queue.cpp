#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

using driver::Feature;

namespace {

constexpr size_t kMostSlots = 1024;  // in flight; then a queue waits for its oldest command
constexpr uint32_t kQueriesPerPool = 256;
constexpr uint64_t kLargeCopy = 1 << 20;  // worth going to another queue for

Queue& as_queue(driver::Queue& queue) { return static_cast<Queue&>(queue); }
Event& as_event(driver::Event& event) { return static_cast<Event&>(event); }

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
  for (const Lane* lane : {&work, &copies}) {
    for (const auto& slot : lane->slots) device_.release(*slot);
    if (lane->pool != CommandPool{}) device_.api_.vkDestroyCommandPool(device_.device_, lane->pool, nullptr);
  }
}

void Queue::add_wait(const std::shared_ptr<Timeline>& on, uint64_t value) {
  waits.push_back(on);
  wait_semaphores.push_back(on->semaphore);
  wait_values.push_back(value);
  wait_stages.push_back(kPipeAll);
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
  const size_t computing = queues_.size() - (copy_queue_ != nullptr && queues_.size() > 1 ? 1 : 0);
  QUERN_TRY(make_lane(queue->work, queues_[next_queue_++ % computing], has_.family));
  if (copy_queue_ != nullptr) QUERN_TRY(make_lane(queue->copies, *copy_queue_, has_.copy_family));
  queue->copies.only_copies = true;
  return queue;
}

Result<> Device::make_lane(Lane& lane, NativeQueue& native, uint32_t family) {
  CommandPoolCreateInfo pool;
  pool.family = family;
  QUERN_VK(api_, vkCreateCommandPool(device_, &pool, nullptr, &lane.pool));
  lane.native = &native;
  return {};
}

Result<std::unique_ptr<Slot>> Device::make_slot(Lane& lane) {
  auto slot = std::make_unique<Slot>();
  slot->lane = &lane;
  CommandBufferAllocateInfo info;
  info.pool = lane.pool;
  QUERN_VK(api_, vkAllocateCommandBuffers(device_, &info, &slot->commands));
  return slot;
}

void Device::recycle(Slot& slot) {
  for (const Piece& piece : slot.staging) host_pool_->give(piece);
  slot.staging.clear();
  slot.waits.clear();
  slot.mark.reset();
  slot.graph.reset();
}

void Device::release(Slot& slot) {
  recycle(slot);
  host_pool_->give(slot.arguments);
  if (slot.pool != DescriptorPool{}) api_.vkDestroyDescriptorPool(device_, slot.pool, nullptr);
}

// The oldest command's slot when that is done; else one more.
Result<Slot*> Device::begin(Queue& queue, uint64_t copied_bytes) {
  Lane& lane = copied_bytes >= kLargeCopy && copy_queue_ != nullptr ? queue.copies : queue.work;
  bool is_free = false;
  if (!lane.slots.empty()) {
    const uint64_t value = lane.slots[lane.oldest]->value;
    QUERN_TRY_ASSIGN(is_free, queue.timeline->has_reached(value));
    if (!is_free && lane.slots.size() >= kMostSlots) {
      QUERN_TRY(queue.timeline->wait(value));
      is_free = true;
    }
  }
  if (!is_free) {
    QUERN_TRY_ASSIGN(auto made, make_slot(lane));
    lane.slots.insert(lane.slots.begin() + static_cast<ptrdiff_t>(lane.oldest), std::move(made));
  }
  Slot& slot = *lane.slots[lane.oldest];
  recycle(slot);
  if (slot.is_open) QUERN_VK(api_, vkResetCommandBuffer(slot.commands, 0));  // an error left it so
  const CommandBufferBeginInfo info;
  QUERN_VK(api_, vkBeginCommandBuffer(slot.commands, &info));
  slot.is_open = true;
  lane.oldest = (lane.oldest + 1) % lane.slots.size();
  return &slot;
}

void Device::add_barrier(const Slot& slot, bool for_host) {
  const Lane& lane = *slot.lane;
  const uint32_t stages = lane.only_copies ? kPipeTransfer : kPipeCompute | kPipeTransfer;
  const bool host = for_host || host_looks_.load(std::memory_order_relaxed);
  MemoryBarrier barrier;
  barrier.from = kWriteTransfer | (lane.only_copies ? 0u : kWriteShader);
  barrier.to = kReadTransfer | kWriteTransfer | (lane.only_copies ? 0u : kReadShader | kWriteShader) |
               (host ? kReadHost | kWriteHost : 0u);
  api_.vkCmdPipelineBarrier(slot.commands, stages, stages | (host ? kPipeHost : 0u), 0, 1, &barrier, 0,
                            nullptr, 0, nullptr);
}

Result<> Device::submit(Queue& queue, Slot& slot, bool for_host) {
  const Lane& lane = *slot.lane;
  if (queue.at != nullptr && queue.at != &lane) queue.add_wait(queue.timeline, queue.last);
  add_barrier(slot, for_host);
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
    const std::lock_guard lock(lane.native->mutex);
    QUERN_VK(api_, vkQueueSubmit(lane.native->handle, 1, &info, Fence{}));
  }
  slot.value = queue.last = value;
  queue.at = &lane;
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
    QUERN_VK(api_, vkCreateQueryPool(device_, &info, nullptr, &pool));
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
  q.add_wait(e.timeline, e.value);
  return {};
}

Result<bool> Device::reached(driver::Event& event) {
  QUERN_TRY(alive());
  Event& e = as_event(event);
  const std::lock_guard lock(e.mutex);
  if (e.timeline == nullptr) return true;
  QUERN_TRY_ASSIGN(const bool reached, e.timeline->has_reached(e.value));
  if (reached) QUERN_TRY(finish_host_copies());
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
  QUERN_TRY(wait_copying(*timeline, value));
  return heard != nullptr ? listen(*heard) : Result<>();
}

Result<> Device::synchronize(driver::Queue& queue) {
  QUERN_TRY(alive());
  Queue& q = as_queue(queue);
  for (size_t i = 0; i < q.waits.size(); ++i) QUERN_TRY(q.waits[i]->wait(q.wait_values[i]));
  q.forget_waits();
  QUERN_TRY(wait_copying(*q.timeline, q.last));
  return listen(*q.heard);
}

Result<> Device::listen(driver::Heard& heard) {
  std::vector<driver::Finding> found;
  const bool is_own = &heard == &heard_of(own_queue());
  for (std::string& text :
       is_own || !instance_->is_validated ? std::vector<std::string>() : instance_->messages.take()) {
    driver::Finding f;
    f.kind = "validation";
    f.message = text;
    f.rendered = "the validation layer finds: " + std::move(text);
    found.push_back(std::move(f));
  }
  return read_reports(heard, std::move(found));
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
    clocks_ = {both[0], both[1]};
    return {};
  }
  if (clocks_.host != 0) return {};
  Event event;
  QUERN_TRY_ASSIGN(clocks_,
                   driver::align_clocks(*this, own_queue(), event, [&] { return ticks(*event.mark); }));
  return {};
}

Result<uint64_t> Device::time(driver::Event& event) {
  QUERN_TRY(alive());
  Event& e = as_event(event);
  const std::lock_guard lock(e.mutex);
  if (e.mark == nullptr || e.timeline == nullptr) return driver::Device::time(event);
  QUERN_TRY(e.timeline->wait(e.value));
  QUERN_TRY_ASSIGN(const uint64_t at, ticks(*e.mark));
  constexpr uint64_t kSecond = 1'000'000'000;
  const std::lock_guard clocks(clock_mutex_);
  if (driver::host_nanoseconds() - clocks_.host > kSecond) QUERN_TRY(calibrate());  // clocks drift
  const uint32_t unused_bits = 64 - has_.timestamp_bits;  // a shorter clock begins anew
  const auto since = static_cast<int64_t>((at - clocks_.device) << unused_bits) >> unused_bits;
  const double nanoseconds = static_cast<double>(since) * has_.properties.limits.timestamp_period;
  return clocks_.host + static_cast<uint64_t>(static_cast<int64_t>(nanoseconds));
}

}  // namespace quern::vulkan
