// Work that is recorded once and run many times: what it costs to check and submit each part is paid once.
//
//   quern::Graph graph = device.record([&](const quern::Stream& s) {
//     s.launch(step, quern::threads(n), a, b);
//     s.launch(step, quern::threads(n), b, a);
//   });
//   for (int i = 0; i < 1000; ++i) stream.run(graph);
//
// A graph holds launches, copies and fills, in order; it keeps the buffers and kernels that it uses. The
// host's memory of uploads and downloads must stay where it is: it is read and written at every run. Copies
// of a Graph are the same graph. Any thread may use it.
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

class QUERN_API Graph {
 public:
  Graph() = default;

  std::size_t size() const;  // steps
  bool is_native() const;    // the device has it as a whole; else its steps are submitted one after the other

  // Records again: from the next run on it is this work. Where only arguments, sizes and buffers differ, the
  // device changes the graph that it has, which is much cheaper than to make one.
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
