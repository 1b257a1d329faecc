#include "driver/decorators/recoverable/core.hpp"

#include "driver/decorators/messages.hpp"

namespace quern::recoverable {

Result<std::shared_ptr<Core>> Core::open(Options options) {
  std::shared_ptr<Core> core(new Core(std::move(options)));
  QUERN_TRY_ASSIGN(auto device, core->options_.reopen(0));
  core->adopt(std::move(device));
  return core;
}

Core::~Core() { close(); }

// Memory that the host modifies in place cannot be restored.
void Core::adopt(std::unique_ptr<driver::Device> device) {
  device_ = std::move(device);
  infos_.push_back(device_->info());
  driver::FeatureSet& features = infos_.back().features;
  const bool sees_host =
      features.has(driver::Feature::mapped_memory) || device_->info().kind == driver::DeviceKind::cpu;
  can_stay_ = sees_host && features.has(driver::Feature::persistent);
  features.remove(driver::Feature::shared_memory);
  features.remove(driver::Feature::mapped_memory);
  features.remove(driver::Feature::persistent);  // an endless kernel is never completely in the log
  info_.store(&infos_.back(), std::memory_order_release);
}

// Code that stores addresses in memory may write anywhere.
void Core::add(LoggedCall call) {
  const bool may_write_all =
      call.kernel != nullptr && call.kernel->info.needs.has(driver::Feature::addresses);
  const std::lock_guard lock(mutex_);
  log_.add(std::move(call));
  if (!may_write_all) return;
  for (const auto& buffer : living(buffers_)) buffer->is_written = true;
}

void Core::keep(const std::shared_ptr<BufferState>& state) {
  const std::lock_guard lock(mutex_);
  buffers_.push_back(state);
}

void Core::keep(const std::shared_ptr<ModuleState>& state) {
  const std::lock_guard lock(mutex_);
  programs_.push_back(state);
  for (const auto& [name, variable] : state->variables) buffers_.push_back(variable);
}

void Core::keep(const std::shared_ptr<KernelState>& state) {
  const std::lock_guard lock(mutex_);
  kernels_.push_back(state);
}

void Core::keep(const std::shared_ptr<StreamState>& state) {
  const std::lock_guard lock(mutex_);
  state->id = next_id_++;
  state->generation = generation_;
  log_.add_stream(state->id);
  streams_.push_back(state);
}

void Core::keep(const std::shared_ptr<EventState>& state) {
  const std::lock_guard lock(mutex_);
  state->id = next_id_++;
  events_.push_back(state);
}

Result<> Core::admit(const LoggedPlace& place) {
  if (place.buffer == nullptr || exclusive_accesses_.load(std::memory_order_acquire) == 0) return {};
  std::shared_ptr<driver::ExclusiveAccess> exclusive_access;
  {
    const std::lock_guard lock(mutex_);
    exclusive_access = place.buffer->exclusive_access;
  }
  if (exclusive_access == nullptr || exclusive_access->admit()) return {};
  return base::Error(base::ErrorKind::invalid_use, decorators::message::kActorsRun());
}

void Core::exclusive_access(BufferState& state, std::shared_ptr<driver::ExclusiveAccess> exclusive_access) {
  const std::lock_guard lock(mutex_);
  if ((state.exclusive_access == nullptr) != (exclusive_access == nullptr))
    exclusive_accesses_ += exclusive_access != nullptr ? 1 : -1;
  state.exclusive_access = std::move(exclusive_access);
}

void Core::forget(BufferState& state) {
  state.at = {};
  if (state.owned != nullptr && device_ != nullptr) device_->destroy(std::move(state.owned));
  state.owned.reset();
}

void Core::forget(ModuleState& state) {
  for (const auto& [name, variable] : state.variables) variable->at = {};
  drop(state);
}

void Core::forget(KernelState& state) { drop(state); }

// Its work is complete: the layer above waits before it destroys a stream.
void Core::forget(StreamState& state) {
  log_.reach_stream(state.id);
  drop(state);
}

void Core::forget(EventState& state) { drop(state); }

}  // namespace quern::recoverable
