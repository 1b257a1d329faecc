// The state behind the public classes, and the conversion of Results of the runtime to exceptions.
#pragma once

#include <atomic>
#include <forward_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "quern/error.hpp"
#include "quern/stream.hpp"
#include "runtime/graph.hpp"
#include "runtime/module.hpp"
#include "runtime/stream.hpp"
#include "telemetry/monitor.hpp"

namespace quern::detail {

struct DeviceState {
  DeviceState() = default;
  ~DeviceState();  // logs buffers that outlive every handle of the device
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  const DeviceInfo& info();

  std::shared_ptr<runtime::Device> device;
  Stream stream;  // the default stream
  std::mutex mutex;
  std::vector<std::shared_ptr<runtime::Kernel>> inline_kernels;  // by KernelText::slot
  std::unique_ptr<telemetry::Monitor> monitor;                   // opened by the first call of telemetry()
  std::map<const void*, std::shared_ptr<void>> data;             // of libraries, by their keys

  // Public properties of the driver's device, which a session may replace.
  struct Described {
    const driver::DeviceInfo* native;
    DeviceInfo info;
  };
  std::atomic<const Described*> described{nullptr};
  std::forward_list<Described> all_described;
};

// A stream keeps its device open; the default stream must not, or the device would never close.
struct StreamState {
  std::shared_ptr<DeviceState> device;
  std::weak_ptr<DeviceState> owner;         // of the default stream
  std::unique_ptr<runtime::Stream> native;  // null: the default stream

  StreamState() = default;
  ~StreamState();  // Stream::close
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;

  static Stream of_device(const std::shared_ptr<DeviceState>& device) {
    auto state = std::make_shared<StreamState>();
    state->owner = device;
    return Stream(std::move(state));
  }

  static Stream recorder(const std::shared_ptr<DeviceState>& device) {
    auto state = std::make_shared<StreamState>();
    state->device = device;
    state->native = runtime::Stream::recorder(*device->device);
    return Stream(std::move(state));
  }
  static runtime::Recording end(const Stream& recorder) { return recorder.state_->native->take_recording(); }
};

// The device, kernel and stream of an error.
struct Where {
  Where(const runtime::Device* on = nullptr) : device(on) {}
  Where(const runtime::Stream* on) : device(&on->device()), stream(on->number()) {}
  const runtime::Device* device;
  uint32_t stream = 0;
};

[[noreturn]] void raise(const base::Error& error, const Where& where = {}, const std::string& kernel = {});

// The state of a device; throws if it is not open.
const std::shared_ptr<DeviceState>& require_open(const std::shared_ptr<DeviceState>& state);

template <typename T>
T unwrap(base::Result<T>&& result, const Where& where = {}, const std::string& kernel = {}) {
  if (!result.ok()) raise(result.error(), where, kernel);
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

// The runtime's view of a range of a live buffer.
runtime::Slice range(const Bytes& b);

// The kernel of an inline text on this device, compiled on first use.
std::shared_ptr<runtime::Kernel> inline_kernel(DeviceState& state, const KernelText& text);

}  // namespace quern::detail
