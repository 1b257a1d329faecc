#include <algorithm>

#include "driver/level_zero/device.hpp"

namespace quern::level_zero {

using driver::Command;
using driver::Feature;

namespace {

constexpr uint64_t kWorthCopyEngine = 256
                                      << 10;  // bytes; smaller copies cost less than the change of engines
constexpr size_t kMostHeld = 256;             // objects after which a stream marks its end without a request

Stream& as_stream(driver::Stream& stream) { return static_cast<Stream&>(stream); }
ZeEvent event_of(const driver::Mark& mark) { return static_cast<const Mark&>(mark).event; }

}  // namespace

Stream::~Stream() { device_.drain(*this); }

void Device::drain(Stream& stream) {
  if (loss_->is_lost() || stream.compute.get() == nullptr) return;
  if (const auto mark = mark_end(stream); mark.ok()) (void)wait_for(**mark).ok();
}

// Streams share the hardware streams of a group in turn.
QueueDesc Device::queue_desc(const QueueGroup& group, int priority) {
  QueueDesc desc;
  desc.group = group.ordinal;
  desc.index = next_queue_.fetch_add(1, std::memory_order_relaxed) % group.streams;
  if (priority != 0) desc.priority = priority > 0 ? kPriorityHigh : kPriorityLow;
  return desc;
}

Result<std::unique_ptr<driver::Stream>> Device::create_stream(const driver::StreamOptions& options) {
  QUERN_TRY(alive());
  auto stream = std::make_unique<Stream>(*this);
  stream->priority = options.priority;
  const auto make = [&](const QueueGroup& group, Owned<ZeList>& to) -> Result<> {
    const QueueDesc desc = queue_desc(group, options.priority);
    ZeList list = nullptr;
    QUERN_ZE(zeCommandListCreateImmediate(context_->id.get(), found_.id, &desc, &list));
    to = Owned<ZeList>(list, api_->zeCommandListDestroy);
    return {};
  };
  QUERN_TRY(check(make(compute_, stream->compute)));
  if (copy_.streams != 0) QUERN_TRY(check(make(copy_, stream->copy)));
  return std::unique_ptr<driver::Stream>(std::move(stream));
}

ZeList Device::list_for(const Stream& stream, Engine engine) {
  return engine == Engine::kCopy ? stream.copy.get() : stream.compute.get();
}

// A barrier that follows all commands so far, waits for one event and signals another; both may be null.
Result<> Device::append_barrier(Stream& stream, Engine engine, ZeEvent signal, ZeEvent wait) {
  const auto append = [&](ZeList list) -> Result<> {
    QUERN_ZE(
        zeCommandListAppendBarrier(list, signal, wait != nullptr ? 1 : 0, wait != nullptr ? &wait : nullptr));
    return {};
  };
  if (engine != Engine::kGraph) return append(list_for(stream, engine));
  QUERN_TRY_ASSIGN(const auto list, make_list(append));
  return execute(stream, list);
}

Result<std::shared_ptr<Mark>> Device::mark_end(Stream& stream) {
  QUERN_TRY_ASSIGN(const ZeEvent event, events_->take());
  auto mark = std::make_shared<Mark>(events_, event);
  QUERN_TRY(append_barrier(stream, stream.last, event, nullptr));
  mark->is_submitted = true;
  mark->held.swap(stream.held);
  stream.needs_barrier = false;
  return mark;
}

Result<> Device::wait_on(Stream& stream, Engine engine, Mark& mark) {
  stream.held.push_back(mark.shared_from_this());
  return append_barrier(stream, engine, nullptr, mark.event);
}

Result<> Device::switch_to(Stream& stream, Engine engine) {
  if (stream.last == engine) return {};
  QUERN_TRY_ASSIGN(const auto mark, mark_end(stream));
  QUERN_TRY(wait_on(stream, engine, *mark));
  stream.last = engine;
  return {};
}

// Commands of a list may overlap: a barrier keeps the next one from starting early.
Result<> Device::order(Stream& stream) {
  if (stream.held.size() >= kMostHeld) QUERN_TRY(mark_end(stream));
  if (!stream.needs_barrier) return {};
  QUERN_TRY(append_barrier(stream, stream.last, nullptr, nullptr));
  stream.needs_barrier = false;
  return {};
}

Engine Device::engine_for(const Stream& stream, const Command& c) const {
  using Kind = Command::Kind;
  if (stream.copy.get() == nullptr || c.kind == Kind::kLaunch || c.kind == Kind::kFill)
    return Engine::kCompute;
  const bool is_large = c.kind != Kind::kCopy && c.bytes >= kWorthCopyEngine;
  return is_large || stream.last == Engine::kCopy ? Engine::kCopy : Engine::kCompute;
}

Result<> Device::enqueue(Stream& stream, const Command& c) {
  if (c.kind == Command::Kind::kFill && !can_fill(c)) return fill_from_host(stream, c);
  const Engine engine = engine_for(stream, c);
  QUERN_TRY(switch_to(stream, engine));
  QUERN_TRY(order(stream));
  stream.needs_barrier = true;
  if (c.kind == Command::Kind::kLaunch && driver::reports(c.kernel->info))
    stream.device_log->expect(static_cast<Kernel&>(*c.kernel).program->report);
  return append(list_for(stream, engine), c);
}

Result<> Device::run(driver::Stream& stream, std::span<const Command> commands) {
  for (const Command& c : commands) {
    if (auto done = enqueue(as_stream(stream), c); !done.ok()) return check(std::move(done));
  }
  return {};
}

Result<std::shared_ptr<driver::Mark>> Device::set_mark(driver::Stream& stream) {
  auto mark = mark_end(as_stream(stream));
  if (!mark.ok()) return check(std::move(mark).error()).error();
  return std::shared_ptr<driver::Mark>(std::move(*mark));
}

Result<> Device::follow(driver::Stream& stream, driver::Mark& mark) {
  auto& q = as_stream(stream);
  if (q.held.size() >= kMostHeld) QUERN_TRY(check(order(q)));
  return check(wait_on(q, q.last, static_cast<Mark&>(mark)));
}

Result<bool> Device::is_passed(driver::Mark& mark) {
  const ZeResult code = api_->zeEventQueryStatus(event_of(mark));
  if (code == kSuccess || code == kNotReady) return code == kSuccess;
  return check(failed("zeEventQueryStatus", code)).error();
}

Result<> Device::wait_for(driver::Mark& mark) {
  const ZeResult code = api_->zeEventHostSynchronize(event_of(mark), kForever);
  return code == kSuccess ? Result<>() : check(failed("zeEventHostSynchronize", code));
}

Result<> Device::finish(driver::Stream& stream) {
  QUERN_TRY_ASSIGN(const auto mark, set_mark(stream));
  return wait_for(*mark);
}

Result<uint64_t> Device::ticks(const driver::Mark& mark) {
  Timestamps times;
  const ZeResult code = api_->zeEventQueryKernelTimestamp(event_of(mark), &times);
  if (code != kSuccess) return check(failed("zeEventQueryKernelTimestamp", code)).error();
  return times.global_end;
}

Result<> Device::set_argument(const Kernel& kernel, uint32_t index, uint64_t bytes, const void* value) {
  const ZeResult code = api_->zeKernelSetArgumentValue(kernel.id.get(), index, bytes, value);
  if (code == kSuccess) return {};
  return failed(
      "zeKernelSetArgumentValue for argument " + std::to_string(index) + " of '" + kernel.info.name + "'",
      code);
}

// The user's arguments, then the hidden ones in the order of target/target.hpp.
Result<> Device::set_arguments(const Kernel& kernel, const driver::Launch& launch) {
  const auto set_address = [&](uint32_t index, driver::Place place) {
    const uint64_t address = place.buffer != nullptr ? place.buffer->address + place.offset : 0;
    return set_argument(kernel, index, sizeof address, &address);
  };
  uint32_t next = 0;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const driver::Argument& a = launch.arguments[i];
    QUERN_TRY(kernel.info.params[i].is_pointer ? set_address(next, a.place)
                                               : set_argument(kernel, next, a.bytes, a.value));
    ++next;
  }
  for (const auto& v : kernel.program->variables) QUERN_TRY(set_address(next++, {v.get(), 0}));
  if (kernel.info.needs.has(Feature::dynamic_shared)) {
    const auto bytes = static_cast<uint32_t>(launch.shared_bytes);
    QUERN_TRY(set_argument(kernel, next++, std::max<uint64_t>(bytes, 16), nullptr));
    QUERN_TRY(set_argument(kernel, next++, sizeof bytes, &bytes));
  }
  if (driver::reports(kernel.info)) QUERN_TRY(set_address(next++, {kernel.program->report->buffer.get(), 0}));
  return {};
}

// A list takes the kernel's block size and arguments when the launch is appended.
Result<> Device::append_launch(ZeList list, Kernel& kernel, const driver::Launch& launch) {
  const std::lock_guard lock(kernel.mutex);
  QUERN_ZE(zeKernelSetGroupSize(kernel.id.get(), launch.block.x, launch.block.y, launch.block.z));
  QUERN_TRY(set_arguments(kernel, launch));
  const GroupCount groups{launch.grid.x, launch.grid.y, launch.grid.z};
  QUERN_ZE(zeCommandListAppendLaunchKernel(list, kernel.id.get(), &groups, nullptr, 0, nullptr));
  return {};
}

}  // namespace quern::level_zero
