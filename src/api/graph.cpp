#include "quern/graph.hpp"

#include "api/messages.hpp"
#include "api/state.hpp"
#include "quern/device.hpp"
#include "runtime/graph.hpp"

namespace quern {

namespace {

// The commands that `work` submits to a recording stream.
runtime::Recording recorded(const std::shared_ptr<detail::DeviceState>& device,
                            const std::function<void(const Stream&)>& work) {
  if (!work) {
    detail::raise(base::Error(base::ErrorKind::invalid_use, detail::message::kEmptyRecording()),
                  device->device.get());
  }
  const Stream recorder = detail::StreamState::recorder(device);
  work(recorder);
  return detail::StreamState::end(recorder);
}

}  // namespace

runtime::Graph& Graph::native() const {
  if (state_ == nullptr) {
    detail::raise(base::Error(base::ErrorKind::invalid_use, detail::message::kEmptyGraph()));
  }
  return *state_;
}

std::size_t Graph::size() const { return native().size(); }
bool Graph::is_native() const { return native().is_native(); }

void Graph::update(const std::function<void(const Stream&)>& work) const {
  runtime::Graph& graph = native();
  detail::unwrap(graph.update(recorded(owner_, work)), &graph.device());
}

Graph Device::record(const std::function<void(const Stream&)>& work) const {
  const Stream& own = stream();  // throws if the device is not open
  (void)own;
  runtime::Device& device = *state_->device;
  return Graph(detail::unwrap(runtime::Graph::create(device, recorded(state_, work)), &device), state_);
}

void Stream::run(const Graph& graph) const {
  detail::unwrap(native().run(graph.native()), &native().device());
}

}  // namespace quern
