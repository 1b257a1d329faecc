#include "quern/access.hpp"

#include "quern/device.hpp"

namespace quern::detail {

Device Access::device(std::shared_ptr<DeviceState> state) { return Device(std::move(state)); }
Stream Access::stream(std::shared_ptr<StreamState> state) { return Stream(std::move(state)); }
const std::shared_ptr<DeviceState>& Access::state(const Device& device) { return device.state_; }
runtime::Stream& Access::state(const Stream& stream) { return stream.native(); }
runtime::Event* Access::state(const Event& event) { return event.state_.get(); }
Receipt Access::receipt(std::shared_ptr<const runtime::Kernel> kernel) {
  Receipt out;
  out.kernel_ = std::move(kernel);
  return out;
}

}  // namespace quern::detail
