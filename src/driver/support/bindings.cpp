#include "driver/support/bindings.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "driver/interface/arguments.hpp"
#include "driver/support/messages.hpp"

namespace quern::driver {

void Bindings::add_parameters(const KernelInfo& kernel) {
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    if (kernel.params[i].is_pointer) add({0, size(), 0, false, static_cast<int32_t>(i), nullptr});
  }
}

void Bindings::add_own(Buffer* own, uint32_t set) {
  const auto number = std::count_if(all_.begin(), all_.end(), [&](const Binding& b) { return b.set == set; });
  add({set, static_cast<uint32_t>(number), 0, false, -1, own});
}

Result<> Bindings::check(const KernelInfo& kernel, const DeviceInfo& device, uint32_t most) const {
  if (size() <= most) return {};
  return base::Error(
      base::ErrorKind::unsupported,
      message::kTooManyBindings(kernel.name, std::to_string(size()), device.name, std::to_string(most)));
}

uint64_t Bindings::pointer(const Launch& launch, Place place) const {
  if (place.buffer == nullptr) return 0;
  uint64_t number = 0;
  for (const Binding& b : all_) {
    const bool is_first = number == 0 || b.parameter < 0;
    if (b.set == 0 && is_first && b.place(launch).buffer == place.buffer) number = b.number + 1;
  }
  return number << kBufferShift | place.offset;
}

uint32_t Bindings::sets() const {
  uint32_t count = 0;
  for (const Binding& b : all_) count = std::max(count, b.set + 1);
  return count;
}

}  // namespace quern::driver
