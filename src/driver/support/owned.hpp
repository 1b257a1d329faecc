// A handle of a native API, released by the destructor. `Release` is called with the handle.
#pragma once

#include <utility>

namespace quern::driver {

template <typename Handle, typename Release>
class Owned {
 public:
  Owned() = default;
  Owned(Handle handle, Release release) : handle_(handle), release_(release) {}
  Owned(Owned&& o) noexcept : handle_(std::exchange(o.handle_, Handle{})), release_(o.release_) {}
  Owned& operator=(Owned&& o) noexcept {
    std::swap(handle_, o.handle_);
    std::swap(release_, o.release_);
    return *this;
  }
  ~Owned() {
    if (handle_ != Handle{}) (void)release_(handle_);
  }

  const Handle& get() const { return handle_; }

 private:
  Handle handle_ = {};
  Release release_ = {};
};

}  // namespace quern::driver
