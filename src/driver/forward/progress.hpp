// How far the queues of a device have come, as far as the calls prove it: synchronize, an event that was
// reached, and a queue that waited for another. Objects are named by their ids. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace quern::forward {

// The end of one call on a queue.
struct Point {
  uint64_t queue = 0;
  uint64_t at = 0;
};

class Progress {
 public:
  void add_queue(uint64_t queue) { queues_[queue]; }
  Point submit(uint64_t queue);      // one more call was put on the queue
  Point last(uint64_t queue) const;  // of all that was put there so far
  void record(uint64_t queue, uint64_t event);
  void wait(uint64_t queue, uint64_t event);            // the queue for the event
  std::optional<Point> recorded(uint64_t event) const;  // where the event stands; nothing: never recorded

  void reach(const Point& point);          // it is done, and so is all that it waited for
  bool is_done(const Point& point) const;  // a queue that is gone has nothing in flight
  void lose() { is_lost_ = true; }         // after a loss nothing runs any more
  void forget(uint64_t id);                // a queue or event that goes

 private:
  struct Timeline {
    uint64_t submitted = 0;
    uint64_t done = 0;
    std::vector<std::pair<uint64_t, Point>> waits;  // behind which of its calls it waits for what
  };
  std::unordered_map<uint64_t, Timeline> queues_;
  std::unordered_map<uint64_t, Point> events_;
  bool is_lost_ = false;
};

}  // namespace quern::forward
