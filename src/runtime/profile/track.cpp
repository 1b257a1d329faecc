#include "runtime/profile/track.hpp"

#include <algorithm>
#include <utility>

#include "base/environment.hpp"
#include "runtime/profile/recorder.hpp"

namespace quern::profile {

namespace {

constexpr uint32_t kMostMarks = 4096;      // in flight on one stream; more are dropped
constexpr uint64_t kLongAgo = 50'000'000;  // nanoseconds

}  // namespace

const char* name(Kind kind) {
  constexpr const char* kNames[] = {"kernel", "upload", "download", "copy", "fill", "graph"};
  return kNames[static_cast<size_t>(kind)];
}

uint32_t number_thread() {
  static std::atomic<uint32_t> count{0};
  return ++count;
}

void Chunk::reset() {
  count.store(0);
  next.store(nullptr);
  for (driver::Stamp& stamp : stamps) {
    stamp.begin.store(0, std::memory_order_relaxed);
    stamp.end.store(0, std::memory_order_relaxed);
  }
}

Track::Track(Recorder& recorder, driver::Device& device, uint32_t process, uint32_t number)
    : recorder_(recorder),
      device_(&device),
      process_(process),
      number_(number),
      takes_stamps_(device.takes_stamps()),
      has_clock_(device.info().features.has(driver::Feature::timestamps)),
      samples_short_((takes_stamps_ || has_clock_) &&
                     !base::env_flag("QUERN_PROFILE_ALL", false).value_or(false)) {}

Track::~Track() = default;

SiteId Track::remember(const SiteKey& key, Site site) {
  site.bytes = key.bytes;
  site.grid = key.grid;
  site.block = key.block;
  site.shared_bytes = key.shared_bytes;
  return recorder_.remember(process_, std::move(site));
}

bool Track::hang_new_chunk() {
  Chunk* const chunk = recorder_.take_chunk();
  if (chunk == nullptr) return false;
  if (filled_ == nullptr) {
    const std::lock_guard lock(reading_);
    read_ = chunk;
  } else {
    filled_->next.store(chunk, std::memory_order_release);
  }
  filled_ = chunk;
  used_ = 0;
  return true;
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

// A failure of the profile must not fail the command.
driver::Result<> Track::run_marked(driver::Stream& driver_stream, const SiteId& site,
                                   const std::function<driver::Result<>()>& submit) {
  std::unique_ptr<Marks> marks;
  if (has_clock_) {
    auto had = take_marks();
    if (had.ok() && *had != nullptr && device_->record(driver_stream, *(*had)->begin).ok())
      marks = std::move(*had);
    if (marks == nullptr) {
      recorder_.drop();
      return submit();
    }
  }
  const uint64_t begin = base::ticks();
  auto result = submit();
  const uint64_t end = base::ticks();
  if (!result.ok() || (has_clock_ && !device_->record(driver_stream, *marks->end).ok())) {
    const std::lock_guard lock(marks_mutex_);
    if (marks != nullptr) free_marks_.push_back(std::move(marks));
    return result;
  }
  if (has_clock_) {
    filled_->marks[used_] = std::move(marks);
  } else {
    QUERN_TRY(device_->synchronize(driver_stream));
    driver::Stamp& stamp = filled_->stamps[used_];
    stamp.begin.store(end, std::memory_order_relaxed);
    stamp.end.store(base::ticks(), std::memory_order_relaxed);
  }
  publish(begin, end, site, has_clock_ ? TimedBy::kDevice : TimedBy::kHost);
  return {};
}

// Whether the entry is complete, successfully or not; `to.end` is 0 if its times are unknown.
bool Track::finish(Chunk& chunk, uint32_t at, const ClockLine& clock, Finished& to) {
  const Entry& entry = chunk.entries[at];
  const driver::Stamp& stamp = chunk.stamps[at];
  std::unique_ptr<Marks>& marks = chunk.marks[at];
  to.entry = &entry;
  if (entry.host_begin != 0 && entry.host_begin + entry.host_ticks > clock.last()) return false;
  if (marks == nullptr) {
    const uint64_t end = stamp.end.load(std::memory_order_acquire);
    if (end == 0 || end > clock.last()) return false;
    to.begin = clock.nanoseconds(stamp.begin.load(std::memory_order_relaxed));
    to.end = clock.nanoseconds(end);
    return true;
  }
  if (device_ == nullptr) return true;
  const auto reached = device_->reached(*marks->end);
  if (reached.ok() && !*reached) return false;
  if (reached.ok()) {
    const auto begin = device_->time(*marks->begin), end = device_->time(*marks->end);
    if (begin.ok() && end.ok()) {
      to.begin = *begin;
      to.end = std::max(*begin, *end);
    }
  }
  const std::lock_guard lock(marks_mutex_);
  free_marks_.push_back(std::move(marks));
  return true;
}

// The mapping of a device's clock to the host's has some error: a command must not begin before its launch or
// before the end of the previous one. So it is shifted, and keeps its duration.
void Track::take_measured(Finished& done, const ClockLine& clock) {
  const uint64_t length = done.end - done.begin;
  const uint64_t call = done.entry->host_begin;
  done.begin = std::max({done.begin, last_end_, call != 0 ? clock.nanoseconds(call) : 0});
  done.end = last_end_ = done.begin + length;
}

// Commands that were not measured are placed in sequence between those that were.
void Track::take_unmeasured(uint64_t until, const ClockLine& clock, const Take& take) {
  uint64_t left = unmeasured_.size();
  for (const Entry& entry : unmeasured_) {
    const uint64_t begin = std::max(last_end_, clock.nanoseconds(entry.host_begin + entry.host_ticks));
    const uint64_t mean = entry.timing->mean();
    const uint64_t room = until > begin ? (until - begin) / left : 0;
    last_end_ = begin + std::clamp(room, mean / 4, mean);
    --left;
    take({&entry, begin, last_end_});
  }
  unmeasured_.clear();
}

void Track::drain(const ClockLine& clock, bool is_last, const Take& take) {
  const std::lock_guard lock(reading_);
  for (;;) {
    if (read_ != nullptr && at_ == Chunk::kEntries) {
      Chunk* const next = read_->next.load(std::memory_order_acquire);
      if (next != nullptr) recorder_.give_chunk(std::exchange(read_, next)), at_ = 0;
    }
    if (read_ == nullptr || at_ == read_->count.load(std::memory_order_acquire)) break;
    const Entry& entry = read_->entries[at_];
    if (entry.timed_by == TimedBy::kMean) {
      if (entry.host_begin + entry.host_ticks > clock.last()) return;
      unmeasured_.push_back(entry);
      ++at_;
      continue;
    }
    Finished done{&entry, 0, 0};
    if (!finish(*read_, at_, clock, done)) return;
    ++at_;
    if (done.end == 0) {
      recorder_.drop();
      continue;
    }
    entry.timing->add(done.end - done.begin);
    take_unmeasured(done.begin, clock, take);
    take_measured(done, clock);
    take(done);
  }
  if (unmeasured_.empty()) return;
  // No commands follow, or none came for a while.
  const uint64_t age = clock.nanoseconds(clock.last()) - clock.nanoseconds(unmeasured_.back().host_begin);
  if (is_last || age > kLongAgo) take_unmeasured(UINT64_MAX, clock, take);
}

bool Track::is_empty() {
  const std::lock_guard lock(reading_);
  const Chunk* chunk = read_;
  if (!unmeasured_.empty()) return false;
  if (chunk == nullptr) return true;
  return at_ == chunk->count.load(std::memory_order_acquire) &&
         chunk->next.load(std::memory_order_acquire) == nullptr;
}

void Track::close(const std::function<void()>& drain_all) {
  drain_all();
  const std::lock_guard lock(reading_);
  const std::lock_guard marks_lock(marks_mutex_);
  while (read_ != nullptr) {  // the rest was lost with its device
    const uint32_t count = read_->count.load(std::memory_order_acquire);
    for (; at_ < count; ++at_) {
      recorder_.drop();
      if (read_->marks[at_] != nullptr) free_marks_.push_back(std::move(read_->marks[at_]));
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
