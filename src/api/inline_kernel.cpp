#include <atomic>
#include <mutex>

#include "api/inline_source.hpp"
#include "api/state.hpp"
#include "quern/inline.hpp"

namespace quern::detail {

namespace {

// A kernel's index in the lists of all devices, assigned at its first launch.
std::uint32_t slot_of(const KernelText& text) {
  static std::atomic<std::uint32_t> last{0};
  std::uint32_t slot = text.slot;
  if (slot != 0) return slot;
  const std::uint32_t next = ++last;
  return text.slot.compare_exchange_strong(slot, next) ? next : slot;
}

}  // namespace

std::shared_ptr<runtime::Kernel> inline_kernel(DeviceState& state, const KernelText& text) {
  const std::uint32_t slot = slot_of(text);
  const std::lock_guard lock(state.mutex);
  if (slot >= state.inline_kernels.size()) state.inline_kernels.resize(slot + 1);
  std::shared_ptr<runtime::Kernel>& kernel = state.inline_kernels[slot];
  if (kernel != nullptr) return kernel;
  auto program =
      unwrap(runtime::Module::load(state.device, inline_source(text)), state.device.get(), text.name);
  kernel = unwrap(program->kernel(instance_name(text)), state.device.get(), text.name);
  return kernel;
}

}  // namespace quern::detail
