// Buffers of a session's device that a kernel works on which stays there (Device::claim).
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "quern/export.hpp"

namespace quern {

namespace driver {
struct Claim;
}

class QUERN_API Claim {
 public:
  Claim(std::shared_ptr<driver::Claim> native, std::function<void()> release)
      : native_(std::move(native)), release_(std::move(release)) {}
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  void open(bool is_open) const;  // the kernel rests: anybody may use the buffers
  bool take_touched() const;      // whether anybody did since the last call
  // Lets the calling thread use them in `work`.
  void keep(const std::function<void()>& work) const;

 private:
  std::shared_ptr<driver::Claim> native_;
  std::function<void()> release_;
};

}  // namespace quern
