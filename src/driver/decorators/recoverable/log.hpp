// The calls since the last checkpoint, in the order in which they were made. Replaying them in that order on
// another device produces the same memory.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "driver/decorators/forward/progress.hpp"
#include "driver/decorators/recoverable/state.hpp"

namespace quern::recoverable {

struct LoggedPlace {
  std::shared_ptr<BufferState> buffer;  // null: no buffer
  uint64_t offset = 0;
  std::shared_ptr<ModuleState> module = nullptr;  // of a variable

  driver::Place now() const { return buffer == nullptr ? driver::Place{} : buffer->place(offset); }
};

struct LoggedArgument {
  LoggedPlace place;
  std::vector<std::byte> value;
};

struct LoggedCall {
  enum class Kind : uint8_t {
    kLaunch,
    kUpload,
    kDownload,
    kCopy,
    kFill,
    kRecord,
    kWait,
    kFunction,
    kHostWait,  // for the event or the whole stream: later calls began afterwards, on any stream
  };

  Kind kind = Kind::kLaunch;
  std::shared_ptr<StreamState> stream;  // kHostWait: null if it waits for an event
  forward::Point point;                 // its position on the stream

  std::shared_ptr<KernelState> kernel;  // kLaunch
  driver::Launch launch;                // kLaunch, without its arguments
  std::vector<LoggedArgument> arguments;
  LoggedPlace to, from;
  std::vector<std::byte> data;  // kUpload
  void* target = nullptr;       // kDownload: null once it is complete
  uint64_t bytes = 0;
  uint64_t value = 0;                 // kFill
  uint32_t width = 0;                 // kFill
  std::shared_ptr<EventState> event;  // kRecord, kWait, kHostWait
  std::function<void()> function;     // kFunction: runs once, however often it is called

  uint64_t weight() const;  // host memory that it holds, in bytes
};

class Log {
 public:
  void add_stream(uint64_t id) { progress_.add_stream(id); }
  void add(LoggedCall call);
  // The host knows that everything before `point` is complete, so its downloads need not be repeated.
  void wait_for(const std::shared_ptr<StreamState>& stream);
  void wait_for(const std::shared_ptr<EventState>& event);
  void reach_stream(uint64_t stream) { reach(progress_.last(stream)); }
  bool is_over(const LoggedCall& call) const { return progress_.is_done(call.point); }
  void forget(uint64_t id) { progress_.forget(id); }

  void clear();
  const std::deque<LoggedCall>& calls() const { return calls_; }
  uint64_t bytes() const { return bytes_; }

 private:
  void reach(const forward::Point& point);

  std::deque<LoggedCall> calls_;
  std::vector<size_t> pending_;  // downloads that may be incomplete
  uint64_t bytes_ = 0;
  forward::Progress progress_;
};

// Marks the buffers that the call may write; for a kernel, its variables too.
void mark_written(const LoggedCall& call);

}  // namespace quern::recoverable
