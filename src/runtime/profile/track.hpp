// The commands of one stream while a profile is taken: an entry each, which the stream writes under its own
// lock, the device completes, and the recorder's thread reads. Nothing here is written to a file.
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

// Events on both sides of a command, where the device has no stamps.
struct Marks {
  std::unique_ptr<driver::Event> begin, end;
};

// A line of the cache each: the device writes one while the stream writes the next.
struct alignas(64) Entry {
  uint64_t host_begin = 0;  // ticks
  uint32_t host_ticks = 0;
  uint32_t site = 0;
  driver::Stamp stamp;
  std::unique_ptr<Marks> marks;
  uint32_t thread = 0;
  bool is_host_time = false;  // the stamp holds the host's clock around a wait: the device has none
};

// Many entries, so that making one allocates nothing. The stream fills it, then hangs the next one behind.
struct Chunk {
  static constexpr uint32_t kEntries = 1000;
  std::array<Entry, kEntries> entries;
  std::atomic<uint32_t> count{0};
  std::atomic<Chunk*> next{nullptr};
};

// A finished command, in nanoseconds of the host's clock.
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

  uint32_t process() const { return process_; }  // as the trace numbers devices
  uint32_t number() const { return number_; }    // of the stream

  // The site of the key, which `describe` describes when it is new. The stream's lock is held.
  template <typename Describe>
  uint32_t site(const SiteKey& key, const Describe& describe) {
    Known& known = known_[(key.what ^ key.bytes ^ key.grid.x ^ key.block.x) % kKnown];
    if (known.id != 0 && known.key == key) [[likely]]
      return known.id;
    known = {key, remember(key, describe())};
    return known.id;
  }

  // Runs `submit`, which puts one command on the queue. The stream's lock is held.
  template <typename Submit>
  driver::Result<> run(driver::Queue& queue, uint32_t site, bool is_one_command, const Submit& submit) {
    Entry* const entry = next_entry();
    if (entry == nullptr) [[unlikely]]
      return submit();  // no room: it is counted as dropped
    if (!takes_stamps_ || !is_one_command) [[unlikely]]
      return run_marked(queue, *entry, site, submit);
    entry->stamp.begin.store(0, std::memory_order_relaxed);
    entry->stamp.end.store(0, std::memory_order_relaxed);
    queue.stamp = &entry->stamp;
    entry->host_begin = base::ticks();
    auto result = submit();
    entry->host_ticks =
        static_cast<uint32_t>(std::min<uint64_t>(base::ticks() - entry->host_begin, UINT32_MAX));
    if (!result.ok()) [[unlikely]] {
      queue.stamp = nullptr;
      return result;
    }
    entry->site = site;
    publish(*entry);
    return result;
  }

  // Called by the recorder: hands over what had finished when `clock` was last looked at, in order.
  void drain(const ClockLine& clock, const std::function<void(const Finished&)>& take);
  bool is_empty();
  // The stream goes, and has waited for its work. What has not finished by now never will.
  void close(const std::function<void()>& drain_all);

 private:
  static constexpr size_t kKnown = 64;
  struct Known {
    SiteKey key;
    uint32_t id = 0;
  };

  uint32_t remember(const SiteKey& key, Site site);
  Entry* next_entry() {
    if (used_ < Chunk::kEntries) [[likely]]
      return &filled_->entries[used_];
    return entry_of_new_chunk();
  }
  Entry* entry_of_new_chunk();
  void publish(Entry& entry);
  driver::Result<> run_marked(driver::Queue& queue, Entry& entry, uint32_t site,
                              const std::function<driver::Result<>()>& submit);
  driver::Result<std::unique_ptr<Marks>> take_marks();
  bool finish(Entry& entry, const ClockLine& clock, Finished& to);

  Recorder& recorder_;
  driver::Device* device_;  // null: the stream is gone
  const uint32_t process_, number_;
  const bool takes_stamps_;
  bool has_clock_ = true;

  // The stream's side.
  std::array<Known, kKnown> known_;
  Chunk* filled_ = nullptr;
  uint32_t used_ = Chunk::kEntries;

  // The recorder's side.
  std::mutex reading_;
  Chunk* read_ = nullptr;
  uint32_t at_ = 0;
  uint64_t last_end_ = 0;

  std::mutex marks_mutex_;
  std::vector<std::unique_ptr<Marks>> free_marks_;
  uint32_t marks_made_ = 0;
};

}  // namespace quern::profile
