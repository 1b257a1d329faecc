/// @file
/// Graphs: commands that are recorded once and run many times.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "quern/export.hpp"

namespace quern {

class Stream;

namespace detail {
struct DeviceState;
}
namespace runtime {
class Graph;
}

/// A recorded sequence of launches, copies and fills. Created by Device::record.
///
/// @code
/// quern::Graph graph = device.record([&](const quern::Stream& s) {
///   s.launch(step, quern::threads(n), a, b);
///   s.launch(step, quern::threads(n), b, a);
/// });
/// for (int i = 0; i < 1000; ++i) stream.run(graph);
/// @endcode
///
/// The graph keeps the buffers and kernels that it uses. Host memory of uploads and downloads must stay
/// valid: it is accessed at every run. Copies refer to the same graph. Thread-safe.
class QUERN_API Graph {
 public:
  Graph() = default;

  /// Number of steps.
  std::size_t size() const;
  /// Whether the device holds the graph as a whole. Otherwise its steps are submitted in sequence.
  bool is_native() const;

  /// Records again; later runs use the new commands. If only arguments, sizes and buffers differ, the device
  /// modifies its graph, which is much cheaper than creating one.
  void update(const std::function<void(const Stream&)>& work) const;

 private:
  friend class Device;
  friend class Stream;
  Graph(std::shared_ptr<runtime::Graph> state, std::shared_ptr<detail::DeviceState> owner)
      : state_(std::move(state)), owner_(std::move(owner)) {}
  runtime::Graph& native() const;

  std::shared_ptr<runtime::Graph> state_;
  std::shared_ptr<detail::DeviceState> owner_;
};

}  // namespace quern
