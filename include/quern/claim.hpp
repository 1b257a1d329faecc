/// @file
/// Exclusive access to buffers that a persistent kernel of a session's device uses.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "quern/export.hpp"

namespace quern {

namespace driver {
struct Claim;
}

/// Exclusive access to buffers. Returned by Device::claim; ends when it is destroyed. Thread-safe.
class QUERN_API Claim {
 public:
  Claim(std::shared_ptr<driver::Claim> native, std::function<void()> release)
      : native_(std::move(native)), release_(std::move(release)) {}
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  /// While open (the kernel does not run), everybody may use the buffers.
  void open(bool is_open) const;
  /// Whether anybody used the buffers since the last call.
  bool take_touched() const;
  /// Runs `work`; the calling thread may use the buffers in it.
  void keep(const std::function<void()>& work) const;

 private:
  std::shared_ptr<driver::Claim> native_;
  std::function<void()> release_;
};

}  // namespace quern
