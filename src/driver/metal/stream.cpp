#include <algorithm>
#include <cstring>

#include "driver/metal/device.hpp"
#include "driver/metal/messages.hpp"

namespace quern::metal {

using base::ErrorKind;

Stream::~Stream() {
  if (line != nullptr) device_.drain(*this);
}

Result<std::unique_ptr<driver::Stream>> Device::create_stream(const driver::StreamOptions&) {
  QUERN_TRY(alive());
  const Pool pool(*api_);
  constexpr uint64_t kMostCommandBuffers = 1024;  // in flight; then the queue waits
  auto stream = std::make_unique<Stream>(*this);
  stream->queue = Ref(*api_, api_->send<Id>(id(), Sel::kNewQueue, kMostCommandBuffers));
  if (!stream->queue) return failed("making a command queue", nullptr, ErrorKind::out_of_memory);
  auto line = std::make_shared<Line>();
  line->event = Ref(*api_, api_->send<Id>(id(), Sel::kNewSharedEvent));
  if (!line->event) return failed("making a shared event", nullptr, ErrorKind::out_of_memory);
  stream->line = line;
  const std::lock_guard lock(lines_mutex_);
  std::erase_if(lines_, [](const auto& l) { return l.expired(); });
  lines_.push_back(line);
  return std::unique_ptr<driver::Stream>(std::move(stream));
}

void Device::drain(Stream& stream) {
  const Pool pool(*api_);
  if (!loss_->is_lost()) (void)wait_on({stream.line, stream.last}).ok();
  (void)retire(*stream.line).ok();
}

Result<Encoding> Device::begin(Stream& stream) {
  Encoding encoding;
  encoding.commands = api_->send<Id>(stream.queue.get(), Sel::kCommandBuffer);
  if (encoding.commands == nullptr)
    return failed("making a command buffer", nullptr, ErrorKind::out_of_memory);
  for (const Point& p : stream.waits)
    api_->send(encoding.commands, Sel::kEncodeWait, p.line->event.get(), p.value);
  return encoding;
}

Result<> Device::submit(Stream& stream, Encoding& encoding) {
  const uint64_t value = stream.last + 1;
  api_->send(encoding.commands, Sel::kEncodeSignal, stream.line->event.get(), value);
  {
    const std::lock_guard lock(stream.line->mutex);
    stream.line->in_flight.push_back(
        {Ref::retain(*api_, encoding.commands), value, std::move(encoding.copies)});
    api_->send(encoding.commands, Sel::kCommit);
  }
  stream.last = value;
  stream.last_commands = Ref::retain(*api_, encoding.commands);
  stream.waits.clear();
  return retire(*stream.line);
}

// Completes the copies to host memory of all submissions that are done. A command buffer that failed leaves
// memory in an unknown state, so the device counts as lost, unless there was no memory for it.
Result<> Device::retire(Line& line) {
  const std::lock_guard lock(line.mutex);
  if (line.in_flight.empty()) return {};
  const auto signaled = api_->send<uint64_t>(line.event.get(), Sel::kSignaledValue);
  while (!line.in_flight.empty()) {
    Submission& s = line.in_flight.front();
    const auto status = api_->send<uint64_t>(s.commands.get(), Sel::kStatus);
    if (status != kStatusError && status != kStatusCompleted && signaled < s.value) break;
    if (status == kStatusError) {
      const Id error = api_->send<Id>(s.commands.get(), Sel::kError);
      const bool is_memory = error != nullptr && api_->send<int64_t>(error, Sel::kCode) == kErrorOutOfMemory;
      base::Error failure = failed("a command buffer", error, ErrorKind::out_of_memory);
      // It did not signal its end, and other streams may wait for that.
      if (signaled < s.value) api_->send(line.event.get(), Sel::kSetSignaledValue, s.value);
      line.done = s.value;
      line.in_flight.pop_front();
      if (is_memory) return failure;
      return loss_->lose(failure.message());
    }
    for (const HostCopy& c : s.copies) std::memcpy(c.to, c.from, c.bytes);
    line.done = s.value;
    line.in_flight.pop_front();
  }
  return {};
}

// A thread that sees one stream reach a point may infer the progress of others.
Result<> Device::retire_all() {
  std::vector<std::shared_ptr<Line>> lines;
  {
    const std::lock_guard lock(lines_mutex_);
    for (const auto& weak : lines_) {
      if (auto line = weak.lock()) lines.push_back(std::move(line));
    }
  }
  for (const auto& line : lines) QUERN_TRY(retire(*line));
  return {};
}

// A submission may wait for another stream's that has failed: retire_all() lets it continue.
Result<> Device::wait_on(const Point& point) {
  constexpr uint64_t kLook = 100;  // milliseconds
  while (!api_->ask(point.line->event.get(), Sel::kWaitSignaled, point.value, kLook)) QUERN_TRY(retire_all());
  return retire_all();
}

Result<std::shared_ptr<driver::Mark>> Device::set_mark(driver::Stream& stream) {
  const Pool pool(*api_);
  Stream& q = as_stream(stream);
  QUERN_TRY_ASSIGN(Encoding encoding, begin(q));
  QUERN_TRY(submit(q, encoding));
  return std::make_shared<Mark>(api_, Point{q.line, q.last}, q.last_commands);
}

Result<> Device::follow(driver::Stream& stream, driver::Mark& mark) {
  const Point& point = static_cast<Mark&>(mark).point;
  Stream& q = as_stream(stream);
  if (point.line != q.line && point.line->done < point.value) q.waits.push_back(point);
  return {};
}

Result<bool> Device::is_passed(driver::Mark& mark) {
  const Pool pool(*api_);
  QUERN_TRY(retire_all());
  const Point& point = static_cast<Mark&>(mark).point;
  return point.line->done >= point.value;
}

Result<> Device::wait_for(driver::Mark& mark) {
  const Pool pool(*api_);
  QUERN_TRY(wait_on(static_cast<Mark&>(mark).point));
  return alive();
}

Result<> Device::finish(driver::Stream& stream) {
  const Pool pool(*api_);
  Stream& q = as_stream(stream);
  if (!q.waits.empty()) {
    QUERN_TRY_ASSIGN(Encoding encoding, begin(q));
    QUERN_TRY(submit(q, encoding));
  }
  QUERN_TRY(wait_on({q.line, q.last}));
  return alive();
}

Result<uint64_t> Device::ticks(const driver::Mark& mark) {
  const Pool pool(*api_);
  const Id commands = static_cast<const Mark&>(mark).commands.get();
  api_->send(commands, Sel::kWaitUntilCompleted);  // its last signal may precede its end
  const double seconds = api_->send<double>(commands, Sel::kGpuEndTime);
  if (seconds <= 0) return base::Error(ErrorKind::unsupported, message::kNoTime(found_.info.name));
  return static_cast<uint64_t>(seconds * 1e9);
}

}  // namespace quern::metal
