// The commands of one stream in a profile. The stream writes an entry for each under its own lock, the device
// completes it, and the recorder's thread reads it. Nothing here writes to a file.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/ticks.hpp"
#include "driver/interface/driver.hpp"
#include "runtime/profile/clock_line.hpp"
#include "runtime/profile/site.hpp"

namespace quern::profile {

class Recorder;

// Number of the calling thread in the trace.
uint32_t number_thread();
inline uint32_t this_thread() {
  static thread_local constinit uint32_t number = 0;
  if (number == 0) [[unlikely]]
    number = number_thread();
  return number;
}

// Events before and after a command, for devices without timestamps.
struct Marks {
  std::unique_ptr<driver::Event> begin, end;
};

// The stream's part of a command. The device's part is separate: a cache line that both write would cost the
// stream more than everything else.
struct Entry {
  uint64_t host_begin = 0;  // ticks; 0: the submission was not timed
  Timing* timing = nullptr;
  uint32_t host_ticks = 0;  // this and the thread are valid only with a begin
  uint32_t site = 0;
  uint32_t thread = 0;
  TimedBy timed_by = TimedBy::kDevice;
};

// A block of entries, so that an entry needs no allocation. The stream fills it, then links the next one.
struct Chunk {
  static constexpr uint32_t kEntries = 1000;
  std::array<Entry, kEntries> entries;
  alignas(64) std::array<driver::Stamp, kEntries> stamps;  // 0 until the device writes them
  std::array<std::unique_ptr<Marks>, kEntries> marks;      // where the device writes no timestamps
  alignas(64) std::atomic<uint32_t> count{0};
  std::atomic<Chunk*> next{nullptr};

  void reset();  // to the initial state
};

// A completed command, in nanoseconds of the host's clock.
struct Finished {
  const Entry* entry;
  uint64_t begin, end;
};

class Track {
 public:
  Track(Recorder& recorder, driver::Device& device, uint32_t process, uint32_t number);
  ~Track();
  Track(const Track&) = delete;
  Track& operator=(const Track&) = delete;

  uint32_t process() const { return process_; }  // of the device in the trace
  uint32_t number() const { return number_; }    // of the stream

  // The site of the key; `describe` describes a new one. The stream's lock is held.
  template <typename Describe>
  const SiteId& site(const SiteKey& key, const Describe& describe) {
    Known& known = known_[(key.what ^ key.bytes ^ key.grid.x ^ key.block.x) % kKnown];
    if (known.site.id != 0 && known.key == key) [[likely]]
      return known.site;
    known = {key, remember(key, describe())};
    return known.site;
  }

  // Runs `submit`, which submits one command to the queue. The stream's lock is held.
  template <typename Submit>
  driver::Result<> run(driver::Stream& driver_stream, const SiteId& site, bool is_one_command,
                       const Submit& submit) {
    if (!has_room()) [[unlikely]]
      return submit();  // it is counted as dropped
    const bool is_stamped = takes_stamps_ && is_one_command, is_looked_at = is_measured(site);
    if (!is_stamped && is_looked_at) return run_marked(driver_stream, site, submit);
    if (is_stamped) driver_stream.stamp = &filled_->stamps[used_];
    const bool has_call = !is_stamped || is_looked_at;  // reading the clock costs a fifth of a launch
    const uint64_t begin = has_call ? base::ticks() : 0;
    auto result = submit();
    const uint64_t end = has_call ? base::ticks() : 0;
    if (!result.ok()) [[unlikely]] {
      driver_stream.stamp = nullptr;
      filled_->stamps[used_].end.store(0, std::memory_order_relaxed);  // the next command uses it
      return result;
    }
    publish(begin, end, site, is_stamped ? TimedBy::kDevice : TimedBy::kMean);
    return result;
  }

  // Called by the recorder: reports commands that were complete at the last clock sample, in order.
  // `is_last`: no more commands follow.
  using Take = std::function<void(const Finished&)>;
  void drain(const ClockLine& clock, bool is_last, const Take& take);
  bool is_empty();
  // The stream is being destroyed and has waited for its work. Commands that are incomplete now will never
  // complete.
  void close(const std::function<void()>& drain_all);

 private:
  static constexpr size_t kKnown = 64;
  struct Known {
    SiteKey key;
    SiteId site;
  };

  SiteId remember(const SiteKey& key, Site site);
  bool has_room() { return used_ < Chunk::kEntries || hang_new_chunk(); }  // for one more entry
  bool hang_new_chunk();
  // The recorder may read the entry from now on.
  void publish(uint64_t begin, uint64_t end, const SiteId& site, TimedBy timed_by) {
    Entry& entry = filled_->entries[used_];
    entry.host_begin = begin;
    entry.timing = site.timing;
    entry.site = site.id;
    entry.timed_by = timed_by;
    if (begin != 0) {
      entry.host_ticks = static_cast<uint32_t>(std::min<uint64_t>(end - begin, UINT32_MAX));
      entry.thread = this_thread();
    }
    filled_->count.store(++used_, std::memory_order_release);
  }
  // Of commands that are known to be short, one in sixteen is measured, at random: events around a command
  // cost as much as the command. The first few and all long ones are measured.
  bool is_measured(const SiteId& site) {
    constexpr uint32_t kFirst = 8;
    constexpr uint64_t kShort = 25'000;  // nanoseconds
    if (until_measured_ != 0 && samples_short_ && site.timing->samples() >= kFirst &&
        site.timing->mean() < kShort) [[likely]] {
      --until_measured_;
      return false;
    }
    random_ = random_ * 1664525 + 1013904223;
    until_measured_ = 8 + (random_ >> 28);  // to 23
    return true;
  }
  driver::Result<> run_marked(driver::Stream& driver_stream, const SiteId& site,
                              const std::function<driver::Result<>()>& submit);
  driver::Result<std::unique_ptr<Marks>> take_marks();
  bool finish(Chunk& chunk, uint32_t at, const ClockLine& clock, Finished& to);
  void take_measured(Finished& done, const ClockLine& clock);
  void take_unmeasured(uint64_t until, const ClockLine& clock, const Take& take);

  Recorder& recorder_;
  driver::Device* device_;  // null: the stream was destroyed
  const uint32_t process_, number_;
  const bool takes_stamps_;
  const bool has_clock_;
  const bool samples_short_;  // not with QUERN_PROFILE_ALL, nor if each command is waited for

  // State of the stream's side.
  std::array<Known, kKnown> known_;
  Chunk* filled_ = nullptr;
  uint32_t used_ = Chunk::kEntries;
  uint32_t until_measured_ = 0;  // short commands that are not measured
  uint32_t random_ = 0x9e3779b9;

  // State of the recorder's side.
  std::mutex reading_;
  Chunk* read_ = nullptr;
  uint32_t at_ = 0;
  uint64_t last_end_ = 0;
  std::vector<Entry> unmeasured_;  // whose position is known once the next measured one is complete

  std::mutex marks_mutex_;
  std::vector<std::unique_ptr<Marks>> free_marks_;
  uint32_t marks_made_ = 0;
};

}  // namespace quern::profile
