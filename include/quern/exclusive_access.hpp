/// @file
/// Exclusive access to buffers that a persistent kernel of a session's device uses.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "quern/export.hpp"

namespace quern {

namespace driver {
struct ExclusiveAccess;
}

/// Exclusive access to buffers. Returned by Device::exclusive_access; ends when it is destroyed. Thread-safe.
class QUERN_API ExclusiveAccess {
 public:
  ExclusiveAccess(std::shared_ptr<driver::ExclusiveAccess> native, std::function<void()> release)
      : native_(std::move(native)), release_(std::move(release)) {}
  ~ExclusiveAccess();
  ExclusiveAccess(const ExclusiveAccess&) = delete;
  ExclusiveAccess& operator=(const ExclusiveAccess&) = delete;

  /// While open (the kernel does not run), everybody may use the buffers.
  void open(bool is_open) const;
  /// Whether anybody used the buffers since the last call.
  bool take_touched() const;
  /// Runs `work`; the calling thread may use the buffers in it.
  void keep(const std::function<void()>& work) const;

 private:
  std::shared_ptr<driver::ExclusiveAccess> native_;
  std::function<void()> release_;
};

}  // namespace quern
