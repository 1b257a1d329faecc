#include "runtime/profile/track.hpp"

#include <algorithm>
#include <utility>

#include "runtime/profile/recorder.hpp"

namespace quern::profile {

namespace {

constexpr uint32_t kMostMarks = 4096;  // in flight on one stream; more is dropped

}  // namespace

const char* name(Kind kind) {
  constexpr const char* kNames[] = {"kernel", "upload", "download", "copy", "fill", "graph"};
  return kNames[static_cast<size_t>(kind)];
}

Track::Track(Recorder& recorder, driver::Device& device, uint32_t process, uint32_t number)
    : recorder_(recorder),
      device_(&device),
      process_(process),
      number_(number),
      takes_stamps_(device.takes_stamps()),
      has_clock_(device.info().features.has(driver::Feature::kTimestamps)) {}

Track::~Track() = default;

uint32_t Track::remember(const SiteKey& key, Site site) {
  site.bytes = key.bytes;
  site.grid = key.grid;
  site.block = key.block;
  site.shared_bytes = key.shared_bytes;
  return recorder_.remember(process_, std::move(site));
}

Entry* Track::entry_of_new_chunk() {
  Chunk* const chunk = recorder_.take_chunk();
  if (chunk == nullptr) return nullptr;
  if (filled_ == nullptr) {
    const std::lock_guard lock(reading_);
    read_ = chunk;
  } else {
    filled_->next.store(chunk, std::memory_order_release);
  }
  filled_ = chunk;
  used_ = 0;
  return &chunk->entries[0];
}

void Track::publish(Entry& entry) {
  entry.thread = Recorder::this_thread();
  filled_->count.store(++used_, std::memory_order_release);
}

driver::Result<std::unique_ptr<Marks>> Track::take_marks() {
  for (int attempt = 0; attempt < 2; ++attempt) {
    {
      const std::lock_guard lock(marks_mutex_);
      if (!free_marks_.empty()) {
        auto marks = std::move(free_marks_.back());
        free_marks_.pop_back();
        return marks;
      }
    }
    if (attempt == 0 && marks_made_ > 0 && marks_made_ % 256 == 0) recorder_.drain();
  }
  auto marks = std::make_unique<Marks>();
  if (marks_made_ >= kMostMarks) return std::unique_ptr<Marks>();
  QUERN_TRY_ASSIGN(marks->begin, device_->create_event());
  QUERN_TRY_ASSIGN(marks->end, device_->create_event());
  ++marks_made_;
  return marks;
}

// What cannot be had for the profile is no reason for the command to fail.
driver::Result<> Track::run_marked(driver::Queue& queue, Entry& entry, uint32_t site,
                                   const std::function<driver::Result<>()>& submit) {
  entry.marks = nullptr;
  entry.is_host_time = !has_clock_;
  if (has_clock_) {
    auto marks = take_marks();
    if (marks.ok() && *marks != nullptr && device_->record(queue, *(*marks)->begin).ok())
      entry.marks = std::move(*marks);
    if (entry.marks == nullptr) {
      recorder_.drop();
      return submit();
    }
  }
  entry.host_begin = base::ticks();
  QUERN_TRY(submit());
  uint64_t end = base::ticks();
  entry.host_ticks = static_cast<uint32_t>(std::min<uint64_t>(end - entry.host_begin, UINT32_MAX));
  if (has_clock_) {
    if (!device_->record(queue, *entry.marks->end).ok()) return {};
  } else {
    QUERN_TRY(device_->synchronize(queue));
    entry.stamp.begin.store(end, std::memory_order_relaxed);
    entry.stamp.end.store(base::ticks(), std::memory_order_relaxed);
  }
  entry.site = site;
  publish(entry);
  return {};
}

// Whether the entry is over, one way or the other; `to.end` is 0 where its times cannot be had.
bool Track::finish(Entry& entry, const ClockLine& clock, Finished& to) {
  to.entry = &entry;
  if (entry.host_begin + entry.host_ticks > clock.last()) return false;
  if (entry.marks == nullptr) {
    const uint64_t end = entry.stamp.end.load(std::memory_order_acquire);
    if (end == 0 || end > clock.last()) return false;
    to.begin = clock.nanoseconds(entry.stamp.begin.load(std::memory_order_relaxed));
    to.end = clock.nanoseconds(end);
    return true;
  }
  if (device_ == nullptr) return true;
  const auto reached = device_->reached(*entry.marks->end);
  if (reached.ok() && !*reached) return false;
  if (reached.ok()) {
    const auto begin = device_->time(*entry.marks->begin), end = device_->time(*entry.marks->end);
    if (begin.ok() && end.ok()) {
      to.begin = *begin;
      to.end = std::max(*begin, *end);
    }
  }
  const std::lock_guard lock(marks_mutex_);
  free_marks_.push_back(std::move(entry.marks));
  return true;
}

// A device's clock is laid beside the host's with some error: no command may begin before its launch or
// before the end of the one before, so it is moved, and keeps its length.
void Track::drain(const ClockLine& clock, const std::function<void(const Finished&)>& take) {
  const std::lock_guard lock(reading_);
  while (read_ != nullptr) {
    if (at_ == Chunk::kEntries) {
      Chunk* const next = read_->next.load(std::memory_order_acquire);
      if (next == nullptr) return;
      recorder_.give_chunk(std::exchange(read_, next));
      at_ = 0;
    }
    if (at_ == read_->count.load(std::memory_order_acquire)) return;
    Entry& entry = read_->entries[at_];
    Finished done{&entry, 0, 0};
    if (!finish(entry, clock, done)) return;
    ++at_;
    if (done.end == 0) {
      recorder_.drop();
      continue;
    }
    const uint64_t length = done.end - done.begin;
    done.begin = std::max({done.begin, last_end_, clock.nanoseconds(entry.host_begin)});
    done.end = last_end_ = done.begin + length;
    take(done);
  }
}

bool Track::is_empty() {
  const std::lock_guard lock(reading_);
  const Chunk* chunk = read_;
  if (chunk == nullptr) return true;
  return at_ == chunk->count.load(std::memory_order_acquire) &&
         chunk->next.load(std::memory_order_acquire) == nullptr;
}

void Track::close(const std::function<void()>& drain_all) {
  drain_all();
  const std::lock_guard lock(reading_);
  const std::lock_guard marks_lock(marks_mutex_);
  while (read_ != nullptr) {  // what is left was lost with its device
    const uint32_t count = read_->count.load(std::memory_order_acquire);
    for (; at_ < count; ++at_) {
      recorder_.drop();
      if (read_->entries[at_].marks != nullptr) free_marks_.push_back(std::move(read_->entries[at_].marks));
    }
    at_ = 0;
    Chunk* const next = read_->next.load(std::memory_order_acquire);
    recorder_.give_chunk(std::exchange(read_, next));
  }
  filled_ = nullptr;
  used_ = Chunk::kEntries;
  for (auto& marks : free_marks_) {
    device_->destroy(std::move(marks->begin));
    device_->destroy(std::move(marks->end));
  }
  free_marks_.clear();
  device_ = nullptr;
}

}  // namespace quern::profile
