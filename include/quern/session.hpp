// A session: a device that outlives its own loss. When the device is lost (a driver that resets, a kernel
// that faults and takes the context with it, a card that falls off the bus), the session opens it anew, or
// the next best one, makes modules, buffers and streams again, gives buffers back what they held at the last
// checkpoint, and repeats the work since then. The program goes on with the objects it has and sees every
// effect once; what it cannot see, `on_recovery` tells.
//
// The price: uploads are kept by the host until the next checkpoint, and now and then what kernels wrote is
// copied to the host, which takes at most about a twentieth of the time. Memory that host and device touch in
// place (Memory::shared) and addresses that kernels store in memory cannot be brought back. Memory::pinned is
// the host's own memory here: copies go through it, kernels cannot use it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "quern/buffer.hpp"
#include "quern/device.hpp"
#include "quern/export.hpp"

namespace quern {

namespace runtime {
struct Session;
}
class Session;
namespace detail {
Session public_session(runtime::Session session);
}

struct Recovery {
  std::uint64_t losses = 0;    // so far
  std::string cause;           // one sentence
  std::string from, to;        // devices: "cuda:0", "cpu:0"
  std::uint64_t repeated = 0;  // launches, copies and the like that were done again
  std::uint64_t restored_bytes = 0;
  double seconds = 0;
};

struct SessionOptions {
  std::string device = {};                                // as for open()
  std::function<bool(const DeviceInfo&)> accepts = {};    // as for open()
  Policy policy = Policy::require;                        // as for open()
  bool may_move = true;                                   // to another device, when the same cannot be had
  std::function<void(const Recovery&)> on_recovery = {};  // must not use the device
};

class QUERN_API Session {
 public:
  explicit Session(const SessionOptions& options = {});

  const Device& device() const { return device_; }
  std::uint64_t losses() const;

  // Copies to the host what was written since the last one, so that no more than that need be repeated. Made
  // by itself when enough work has gathered.
  void checkpoint() const;

  // Buffers that save() writes to a file and restore() reads, under names of the program's choice.
  template <typename T>
  void keep(const std::string& name, const Buffer<T>& buffer) {
    keep_bytes(name, buffer.bytes());
  }
  // The file is there whole or not at all, whenever the process ends.
  void save(const std::string& path) const;
  // On this machine or another one: every kept buffer must be in the file, with the same size.
  void restore(const std::string& path) const;

 private:
  friend Session detail::public_session(runtime::Session session);
  struct State;
  Session(Device device, std::shared_ptr<State> state);
  State& state() const;
  void keep_bytes(const std::string& name, const detail::Bytes& bytes);
  Device device_;
  std::shared_ptr<State> state_;
};

}  // namespace quern
