#include "driver/decorators/recoverable/log.hpp"

namespace quern::recoverable {

using Kind = LoggedCall::Kind;

uint64_t LoggedCall::weight() const {
  uint64_t bytes_kept = sizeof *this + data.size();
  for (const LoggedArgument& a : arguments) bytes_kept += sizeof a + a.value.size();
  return bytes_kept;
}

void Log::add(LoggedCall call) {
  const uint64_t stream = call.stream->id;
  switch (call.kind) {
    case Kind::kRecord:
      progress_.record(stream, call.event->id);
      call.point = progress_.last(stream);
      break;
    case Kind::kWait:
      progress_.wait(stream, call.event->id);
      call.point = progress_.last(stream);
      break;
    default: call.point = progress_.submit(stream); break;
  }
  mark_written(call);
  bytes_ += call.weight();
  if (call.kind == Kind::kDownload) pending_.push_back(calls_.size());
  calls_.push_back(std::move(call));
}

void Log::reach(const forward::Point& point) {
  progress_.reach(point);
  std::erase_if(pending_, [&](size_t index) {
    if (!is_over(calls_[index])) return false;
    calls_[index].target = nullptr;
    return true;
  });
}

void Log::wait_for(const std::shared_ptr<StreamState>& stream) {
  reach_stream(stream->id);
  LoggedCall call;
  call.kind = Kind::kHostWait;
  call.stream = stream;
  call.point = progress_.last(stream->id);
  if (!calls_.empty()) calls_.push_back(std::move(call));
}

void Log::wait_for(const std::shared_ptr<EventState>& event) {
  const auto point = progress_.recorded(event->id);
  if (!point) return;
  reach(*point);
  LoggedCall call;
  call.kind = Kind::kHostWait;
  call.event = event;
  call.point = *point;
  if (!calls_.empty()) calls_.push_back(std::move(call));
}

void Log::clear() {
  calls_.clear();
  pending_.clear();
  bytes_ = 0;
}

void mark_written(const LoggedCall& call) {
  if (call.to.buffer != nullptr) call.to.buffer->is_written = true;
  if (call.kind != Kind::kLaunch) return;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const bool may_write = i >= call.kernel->info.params.size() || call.kernel->info.params[i].is_written;
    if (call.arguments[i].place.buffer != nullptr && may_write)
      call.arguments[i].place.buffer->is_written = true;
  }
  for (const auto& [name, variable] : call.kernel->module->variables) variable->is_written = true;
}

}  // namespace quern::recoverable
