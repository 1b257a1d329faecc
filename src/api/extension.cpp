#include "quern/extension.hpp"

#include <thread>
#include <vector>

#include "api/state.hpp"
#include "driver/support/persistent_kernels.hpp"
#include "quern/access.hpp"

namespace quern::extension {

namespace {

const std::shared_ptr<detail::DeviceState>& state_of(const Device& device) {
  return detail::require_open(detail::Access::state(device));
}

recoverable::Device* recoverable_of(const Device& device) { return state_of(device)->device->recoverable(); }

}  // namespace

std::shared_ptr<void> device_data(const Device& device, const void* key,
                                  const std::function<std::shared_ptr<void>()>& make) {
  detail::DeviceState& state = *state_of(device);
  const std::lock_guard lock(state.mutex);
  std::shared_ptr<void>& data = state.data[key];
  if (data == nullptr) data = make();
  return data;
}

ExclusiveAccess::~ExclusiveAccess() { release_(); }
void ExclusiveAccess::open(bool is_open) const { native_->is_open.store(is_open); }
bool ExclusiveAccess::take_touched() const { return native_->was_touched.exchange(false); }

void ExclusiveAccess::keep(const std::function<void()>& work) const {
  native_->user.store(std::this_thread::get_id());
  try {
    work();
  } catch (...) {
    native_->user.store({});
    throw;
  }
  native_->user.store({});
}

Stream create_persistent_stream(const Device& device) {
  const auto& state = state_of(device);
  auto stream = std::make_shared<detail::StreamState>();
  stream->device = state;
  stream->native = detail::unwrap(runtime::Stream::create(*state->device, {}, true), state->device.get());
  return detail::Access::stream(std::move(stream));
}

Subscription register_persistent_kernel(const Device& device, std::function<void()> suspend,
                                        std::function<void()> resume) {
  (void)state_of(device);
  return Subscription(driver::PersistentKernels::of_process().add(std::move(suspend), std::move(resume)));
}

bool survives_device_loss(const Device& device) {
  const recoverable::Device* const recoverable = recoverable_of(device);
  return recoverable != nullptr && recoverable->survives_device_loss();
}

std::uint64_t losses(const Device& device) {
  const recoverable::Device* const recoverable = recoverable_of(device);
  return recoverable != nullptr ? recoverable->generation() : 0;
}

std::shared_ptr<ExclusiveAccess> exclusive_access(const Device& device, std::span<const Argument> buffers) {
  auto native = std::make_shared<driver::ExclusiveAccess>();
  std::vector<runtime::MemoryPtr> memories;
  for (const Argument& a : buffers) {
    if (a.has_memory() && a.memory().memory != nullptr)
      memories.push_back(runtime::MemoryPtr::share(*detail::range(a.memory()).memory));
  }
  recoverable::Device* const target = recoverable_of(device);
  if (target == nullptr) memories.clear();  // no kernel runs any more
  for (const auto& memory : memories) target->exclusive_access(*memory->place(0).buffer, native);
  return std::make_shared<ExclusiveAccess>(
      native, [keeps = state_of(device), target, memories = std::move(memories)] {
        for (const auto& memory : memories) target->exclusive_access(*memory->place(0).buffer, nullptr);
      });
}

}  // namespace quern::extension
