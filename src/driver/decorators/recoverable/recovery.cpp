// Recovery after a loss: all objects are created again on another device, and the log is replayed.
#include "base/text.hpp"
#include "driver/decorators/messages.hpp"
#include "driver/decorators/recoverable/core.hpp"

namespace quern::recoverable {

using base::Error;
using base::ErrorKind;
using Kind = LoggedCall::Kind;

Result<> Core::recover(uint64_t generation, const Error& cause) {
  const std::unique_lock gate(gate_);
  if (end_) return *end_;
  if (generation_ != generation) return {};  // another thread was faster
  const auto start = std::chrono::steady_clock::now();
  Recovery recovery;
  recovery.losses = ++generation_;
  recovery.cause = cause.message();
  recovery.from = info().id();
  Error last = cause;
  for (uint32_t attempt = 0; attempt < options_.most_attempts; ++attempt) {
    auto moved = move_over(recovery, attempt);
    if (moved.ok()) {
      recovery.to = info().id();
      recovery.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (options_.on_recovery) options_.on_recovery(recovery);
      return {};
    }
    last = moved.error();
  }
  close();
  end_ = Error(ErrorKind::device_lost,
               decorators::message::kNotRecovered(cause.message(), std::to_string(options_.most_attempts),
                                                  last.message()));
  return *end_;
}

Result<> Core::move_over(Recovery& recovery, uint32_t attempt) {
  close();
  recovery.repeated = recovery.restored_bytes = 0;
  QUERN_TRY_ASSIGN(auto device, options_.reopen(attempt));
  adopt(std::move(device));
  QUERN_TRY(rebuild());
  QUERN_TRY(restore(recovery));
  QUERN_TRY(repeat(recovery));
  drop_unwanted();
  return {};
}

// Streams first: a device that only exceeded its time limit still runs, using kernels and memory.
void Core::close() {
  const std::lock_guard lock(mutex_);
  for (const auto& q : living(streams_)) drop(*q);
  if (own_stream_ != nullptr) device_->destroy(std::move(own_stream_));
  for (const auto& e : living(events_)) forget(*e);
  for (const auto& k : living(kernels_)) forget(*k);
  for (const auto& p : living(programs_)) forget(*p);
  for (const auto& b : living(buffers_)) forget(*b);
  device_.reset();
  copies_.clear();
}

Result<> Core::rebuild() {
  const std::lock_guard lock(mutex_);
  for (const auto& q : living(streams_)) {
    if (q->options.is_persistent) continue;
    QUERN_TRY_ASSIGN(q->inner, device_->create_stream(q->options));
  }
  for (const auto& p : living(programs_)) {
    Result<> loaded = load(*p);
    if (!loaded.ok() && p->stays && loaded.error().kind() != ErrorKind::device_lost) continue;
    QUERN_TRY(std::move(loaded).while_doing("loading '" + p->code.name + "' again"));
  }
  for (const auto& k : living(kernels_)) {
    if (k->module->inner == nullptr) continue;
    QUERN_TRY_ASSIGN(k->inner, device_->kernel(*k->module->inner, k->name));
  }
  for (const auto& b : living(buffers_)) {
    if (b->module == nullptr) QUERN_TRY(rebuild(*b));
  }
  for (const auto& e : living(events_)) {
    QUERN_TRY_ASSIGN(e->inner, device_->create_event());
  }
  return {};
}

Result<> Core::rebuild(BufferState& state) {
  if (state.host_backed == nullptr) {
    QUERN_TRY_ASSIGN(state.owned, device_->allocate(state.bytes, state.kind));
  } else if (can_stay()) {  // else nothing uses it there
    QUERN_TRY_ASSIGN(state.owned,
                     device_->import_host_memory(state.host_backed->data(), state.host_backed->size()));
  }
  state.at = {state.owned.get(), 0};
  return {};
}

// If it was compiled for another device, it is compiled again.
Result<> Core::load(ModuleState& state) {
  const driver::DeviceInfo& here = info();
  if (here.driver != state.driver || here.code_version != state.code_version || here.name != state.device) {
    if (!state.code.remake)
      return Error(ErrorKind::unsupported,
                   decorators::message::kCodeForOther(state.code.name, state.device, here.name));
    auto remake = state.code.remake;
    QUERN_TRY_ASSIGN(state.code, remake(here));
    state.code.remake = std::move(remake);
    state.made_for(here);
  }
  QUERN_TRY_ASSIGN(state.inner, device_->load(state.code));
  for (const auto& [name, variable] : state.variables) {
    QUERN_TRY_ASSIGN(variable->at, device_->variable(*state.inner, name));
  }
  return {};
}

Result<driver::Stream*> Core::own_stream() {
  if (own_stream_ == nullptr) {
    QUERN_TRY_ASSIGN(own_stream_, device_->create_stream({}));
  }
  return own_stream_.get();
}

Result<> Core::restore(Recovery& recovery) {
  const std::lock_guard lock(mutex_);
  QUERN_TRY_ASSIGN(driver::Stream* const stream, own_stream());
  for (const auto& b : living(buffers_)) {
    if (b->shadow.empty() || b->at.buffer == nullptr || b->host_backed != nullptr) continue;
    QUERN_TRY(device_->upload(*stream, b->place(0), b->shadow.data(), b->shadow.size()));
    recovery.restored_bytes += b->shadow.size();
  }
  return device_->synchronize(*stream);
}

Result<> Core::repeat(Recovery& recovery) {
  bool was_over = true;
  for (const LoggedCall& call : log_.calls()) {
    if (was_over && !log_.is_over(call)) {
      QUERN_TRY(settle());
      be_silent();
      was_over = false;
    }
    QUERN_TRY(repeat(call));
    ++recovery.repeated;
  }
  QUERN_TRY(finish());
  if (was_over) be_silent();
  return {};
}

Result<> Core::repeat(const LoggedCall& call) {
  if (call.stream != nullptr && call.stream->options.is_persistent) return {};
  if (call.kind == Kind::kHostWait)
    return call.event != nullptr ? device_->wait(*call.event->inner) : finish(*call.stream);
  driver::Stream& stream = *call.stream->inner;
  switch (call.kind) {
    case Kind::kLaunch: {
      if (call.kernel->inner == nullptr) return {};  // persistent: nothing else needs it
      std::vector<driver::Argument> arguments;
      for (const LoggedArgument& a : call.arguments)
        arguments.push_back({a.place.now(), a.value.empty() ? nullptr : a.value.data(),
                             static_cast<uint32_t>(a.value.size())});
      driver::Launch launch = call.launch;
      launch.arguments = arguments;
      return device_->launch(stream, *call.kernel->inner, launch);
    }
    case Kind::kUpload: return device_->upload(stream, call.to.now(), call.data.data(), call.data.size());
    case Kind::kDownload:
      return call.target == nullptr ? Result<>()
                                    : device_->download(stream, call.target, call.from.now(), call.bytes);
    case Kind::kCopy: return device_->copy(stream, call.to.now(), call.from.now(), call.bytes);
    case Kind::kFill: return device_->fill(stream, call.to.now(), call.value, call.width, call.bytes);
    case Kind::kRecord: return device_->record(stream, *call.event->inner);
    case Kind::kWait: return device_->wait(stream, *call.event->inner);
    case Kind::kFunction: return device_->call(stream, call.function);
    case Kind::kHostWait: break;
  }
  return {};
}

Result<> Core::finish() {
  QUERN_TRY(settle());
  const std::lock_guard lock(mutex_);
  for (const auto& q : living(streams_)) {
    if (q->inner != nullptr && !q->options.is_persistent) log_.reach_stream(q->id);
  }
  return {};
}

Result<> Core::settle() {
  const std::lock_guard lock(mutex_);
  for (const auto& q : living(streams_)) {
    if (q->inner != nullptr && !q->options.is_persistent) QUERN_TRY(finish(*q));
  }
  return {};
}

Result<> Core::finish(StreamState& stream) {
  auto done = device_->synchronize(*stream.inner);
  if (!done.ok() && done.error().kind() != ErrorKind::kernel_fault) return done;
  if (!done.ok()) stream.fault = done.error();
  return {};
}

void Core::be_silent() {
  const std::lock_guard lock(mutex_);
  for (const auto& q : living(streams_)) {
    if (q->inner == nullptr) continue;
    (void)device_->take_output(*q->inner);
    (void)device_->take_findings(*q->inner);
  }
}

// States that only the log refers to were created for the replay, and are not needed before the next loss.
void Core::drop_unwanted() {
  const std::lock_guard lock(mutex_);
  const auto forget_unwanted = [&](auto& all) {
    for (const auto& state : living(all)) {
      if (!state->is_wanted) forget(*state);
    }
  };
  forget_unwanted(events_);
  forget_unwanted(kernels_);
  forget_unwanted(programs_);
  forget_unwanted(buffers_);
  forget_unwanted(streams_);
}

}  // namespace quern::recoverable
