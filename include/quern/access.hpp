// The state of the public classes, for interop.hpp and extension.hpp. Internal.
#pragma once

#include <memory>
#include <utility>

#include "quern/buffer.hpp"

namespace quern {

class Event;
class Receipt;

namespace runtime {
class Event;
class Kernel;
class Stream;
}  // namespace runtime

namespace detail {

struct DeviceState;
struct StreamState;

struct Access {
  template <typename T>
  static Buffer<T> buffer(OwnedMemory memory, const Bytes& bytes) {
    return Buffer<T>(std::move(memory), bytes);
  }
  static Stream stream(std::shared_ptr<StreamState> state);
  static Device device(std::shared_ptr<DeviceState> state);
  static const std::shared_ptr<DeviceState>& state(const Device& device);  // null: not open
  static runtime::Stream& state(const Stream& stream);
  static runtime::Event* state(const Event& event);  // null: an event that is reached
  static Receipt receipt(std::shared_ptr<const runtime::Kernel> kernel);
};

}  // namespace detail
}  // namespace quern
