/// @file
/// Sessions: devices that recover from device loss. See docs/recovery.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "quern/buffer.hpp"
#include "quern/device.hpp"
#include "quern/export.hpp"
#include "quern/types/recovery.hpp"

namespace quern {

namespace runtime {
struct Session;
}
class Session;
namespace detail {
Session public_session(runtime::Session session);
}

/// Options of a session.
struct SessionOptions {
  std::string device = {};                                ///< As for open().
  std::function<bool(const DeviceInfo&)> accepts = {};    ///< As for open().
  Policy policy = Policy::require;                        ///< As for open().
  bool may_move = true;                                   ///< Allow recovery on another device.
  std::function<void(const Recovery&)> on_recovery = {};  ///< Must not use the device.
};

/// A device that recovers from device loss.
///
/// When the device is lost (a driver reset, a kernel that ends the context, a card that drops off the bus),
/// the session opens it again, or the next best one, recreates modules, buffers and streams, restores buffers
/// from the last checkpoint, and repeats the work since then. The program continues with its objects and sees
/// every effect once.
///
/// Cost: uploads are kept on the host until the next checkpoint, and checkpoints copy modified memory to the
/// host, at most about a twentieth of the time. MemoryKind::shared and addresses that kernels store in memory
/// are not recoverable. MemoryKind::pinned is ordinary host memory: copies work, kernels cannot use it.
/// Copies refer to the same session.
class QUERN_API Session {
 public:
  /// Opens a device. Throws like open().
  explicit Session(const SessionOptions& options = {});

  /// The device; use it like any other.
  const Device& device() const { return device_; }
  /// Device losses so far.
  std::uint64_t losses() const;

  /// Copies to the host all memory written since the last checkpoint, so that only later work must be
  /// repeated. Checkpoints are also taken automatically. Blocking.
  void checkpoint() const;

  /// Names a buffer for save() and restore().
  template <typename T>
  void keep(const std::string& name, Buffer<T>& buffer) {
    keep_bytes(name, buffer.bytes());
  }
  /// Writes all named buffers to a file. The file is written completely or not at all. Throws Error with kind
  /// `io`.
  void save(const std::string& path) const;
  /// Reads all named buffers from a file, also on another machine. Every named buffer must be in the file
  /// with the same size.
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
