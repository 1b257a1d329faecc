#include "driver/durable/core.hpp"

namespace quern::durable {

Result<std::shared_ptr<Core>> Core::open(Options options) {
  std::shared_ptr<Core> core(new Core(std::move(options)));
  QUERN_TRY_ASSIGN(auto device, core->options_.reopen(0));
  core->adopt(std::move(device));
  return core;
}

Core::~Core() { close(); }

// Memory that the host touches in place cannot be brought back.
void Core::adopt(std::unique_ptr<driver::Device> device) {
  device_ = std::move(device);
  infos_.push_back(device_->info());
  infos_.back().features.remove(driver::Feature::kSharedMemory);
  infos_.back().features.remove(
      driver::Feature::kPersistent);  // a kernel without end is never in the log whole
  info_.store(&infos_.back(), std::memory_order_release);
}

// Who keeps addresses in memory may write anywhere.
void Core::add(LoggedCall call) {
  const bool may_write_all =
      call.kernel != nullptr && call.kernel->info.needs.has(driver::Feature::kAddresses);
  const std::lock_guard lock(mutex_);
  log_.add(std::move(call));
  if (!may_write_all) return;
  for (const auto& buffer : living(buffers_)) buffer->is_written = true;
}

void Core::keep(const std::shared_ptr<BufferState>& state) {
  const std::lock_guard lock(mutex_);
  buffers_.push_back(state);
}

void Core::keep(const std::shared_ptr<ProgramState>& state) {
  const std::lock_guard lock(mutex_);
  programs_.push_back(state);
  for (const auto& [name, variable] : state->variables) buffers_.push_back(variable);
}

void Core::keep(const std::shared_ptr<KernelState>& state) {
  const std::lock_guard lock(mutex_);
  kernels_.push_back(state);
}

void Core::keep(const std::shared_ptr<QueueState>& state) {
  const std::lock_guard lock(mutex_);
  state->id = next_id_++;
  log_.add_queue(state->id);
  queues_.push_back(state);
}

void Core::keep(const std::shared_ptr<EventState>& state) {
  const std::lock_guard lock(mutex_);
  state->id = next_id_++;
  events_.push_back(state);
}

void Core::forget(BufferState& state) {
  state.at = {};
  if (state.owned != nullptr && device_ != nullptr) device_->destroy(std::move(state.owned));
  state.owned.reset();
}

void Core::forget(ProgramState& state) {
  for (const auto& [name, variable] : state.variables) variable->at = {};
  drop(state);
}

void Core::forget(KernelState& state) { drop(state); }

// What was put on it is over: the layer above waits before it gives a queue up.
void Core::forget(QueueState& state) {
  log_.reach_queue(state.id);
  drop(state);
}

void Core::forget(EventState& state) { drop(state); }

}  // namespace quern::durable
