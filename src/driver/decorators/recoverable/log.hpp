// The calls since the last checkpoint, in the order in which they were made: whoever makes them again in that
// order, on one device after the other, gets the same memory.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "driver/decorators/forward/progress.hpp"
#include "driver/decorators/recoverable/state.hpp"

namespace quern::recoverable {

struct LoggedPlace {
  std::shared_ptr<BufferState> buffer;  // null: no place
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
    kHostWait,  // for the event, or the whole stream: what comes behind it began later, on whatever stream
  };

  Kind kind = Kind::kLaunch;
  std::shared_ptr<StreamState> stream;  // kHostWait: null where it is for an event
  forward::Point point;                 // where it stands on its stream

  std::shared_ptr<KernelState> kernel;  // kLaunch
  driver::Launch launch;                // kLaunch, without its arguments
  std::vector<LoggedArgument> arguments;
  LoggedPlace to, from;
  std::vector<std::byte> data;  // kUpload
  void* target = nullptr;       // kDownload: null when it is known to be over
  uint64_t bytes = 0;
  uint64_t value = 0;                 // kFill
  uint32_t width = 0;                 // kFill
  std::shared_ptr<EventState> event;  // kRecord, kWait, kHostWait
  std::function<void()> function;     // kFunction: runs once, however often it is called

  uint64_t weight() const;  // bytes of the host's memory that it keeps
};

class Log {
 public:
  void add_stream(uint64_t id) { progress_.add_stream(id); }
  void add(LoggedCall call);
  // The host knows that everything before is over: what it was to get, it has.
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
  std::vector<size_t> pending_;  // downloads that may not be over
  uint64_t bytes_ = 0;
  forward::Progress progress_;
};

// Marks what the call may write; of a kernel, its variables too.
void mark_written(const LoggedCall& call);

}  // namespace quern::recoverable
