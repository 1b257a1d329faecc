// Progress of a device's streams as far as the calls prove it: synchronize, a reached event, or a stream that
// waited for another. Objects are identified by their ids. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace quern::forward {

// The completion of one call on a stream.
struct Point {
  uint64_t stream = 0;
  uint64_t at = 0;
};

class Progress {
 public:
  void add_stream(uint64_t stream) { streams_[stream]; }
  Point submit(uint64_t stream);      // one more call was submitted to the stream
  Point last(uint64_t stream) const;  // the last call submitted to the stream
  void record(uint64_t stream, uint64_t event);
  void wait(uint64_t stream, uint64_t event);           // the stream waits for the event
  std::optional<Point> recorded(uint64_t event) const;  // where the event was recorded; nothing: never

  void reach(const Point& point);          // the call is complete, and so is everything it waited for
  bool is_done(const Point& point) const;  // a destroyed stream has nothing in flight
  void lose() { is_lost_ = true; }         // after a loss nothing runs
  void forget(uint64_t id);                // a stream or event that is destroyed

 private:
  struct Timeline {
    uint64_t submitted = 0;
    uint64_t done = 0;
    std::vector<std::pair<uint64_t, Point>> waits;  // which point it waits for, after which of its calls
  };
  std::unordered_map<uint64_t, Timeline> streams_;
  std::unordered_map<uint64_t, Point> events_;
  bool is_lost_ = false;
};

}  // namespace quern::forward
