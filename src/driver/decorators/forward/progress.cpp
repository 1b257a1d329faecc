#include "driver/decorators/forward/progress.hpp"

#include <algorithm>

namespace quern::forward {

Point Progress::submit(uint64_t stream) { return {stream, ++streams_[stream].submitted}; }

Point Progress::last(uint64_t stream) const {
  const auto found = streams_.find(stream);
  return {stream, found == streams_.end() ? 0 : found->second.submitted};
}

void Progress::record(uint64_t stream, uint64_t event) { events_[event] = submit(stream); }

void Progress::wait(uint64_t stream, uint64_t event) {
  const auto target = recorded(event);
  const Point here = submit(stream);
  if (target && !is_done(*target)) streams_[stream].waits.emplace_back(here.at, *target);
}

std::optional<Point> Progress::recorded(uint64_t event) const {
  const auto found = events_.find(event);
  if (found == events_.end()) return std::nullopt;
  return found->second;
}

void Progress::reach(const Point& point) {
  const auto found = streams_.find(point.stream);
  if (found == streams_.end() || found->second.done >= point.at) return;
  Timeline& t = found->second;
  t.done = point.at;
  std::vector<Point> passed;
  std::erase_if(t.waits, [&](const auto& w) {
    if (w.first > point.at) return false;
    passed.push_back(w.second);
    return true;
  });
  for (const Point& p : passed) reach(p);
}

bool Progress::is_done(const Point& point) const {
  if (is_lost_) return true;
  const auto found = streams_.find(point.stream);
  return found == streams_.end() || point.at <= found->second.done;
}

void Progress::forget(uint64_t id) {
  streams_.erase(id);
  events_.erase(id);
}

}  // namespace quern::forward
