// How far the streams of a device have come, as far as the calls prove it: synchronize, an event that was
// reached, and a stream that waited for another. Objects are named by their ids. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace quern::forward {

// The end of one call on a stream.
struct Point {
  uint64_t stream = 0;
  uint64_t at = 0;
};

class Progress {
 public:
  void add_stream(uint64_t stream) { streams_[stream]; }
  Point submit(uint64_t stream);      // one more call was put on the stream
  Point last(uint64_t stream) const;  // of all that was put there so far
  void record(uint64_t stream, uint64_t event);
  void wait(uint64_t stream, uint64_t event);           // the stream for the event
  std::optional<Point> recorded(uint64_t event) const;  // where the event stands; nothing: never recorded

  void reach(const Point& point);          // it is done, and so is all that it waited for
  bool is_done(const Point& point) const;  // a stream that is gone has nothing in flight
  void lose() { is_lost_ = true; }         // after a loss nothing runs any more
  void forget(uint64_t id);                // a stream or event that goes

 private:
  struct Timeline {
    uint64_t submitted = 0;
    uint64_t done = 0;
    std::vector<std::pair<uint64_t, Point>> waits;  // behind which of its calls it waits for what
  };
  std::unordered_map<uint64_t, Timeline> streams_;
  std::unordered_map<uint64_t, Point> events_;
  bool is_lost_ = false;
};

}  // namespace quern::forward
