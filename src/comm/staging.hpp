// Host memory for elements on their way between a device and another rank.
#pragma once

#include <cstddef>
#include <vector>

#include "quern/buffer.hpp"
#include "quern/device.hpp"

namespace quern::comm {

// Pinned if the device has such memory. It grows and never shrinks.
class HostMemory {
 public:
  // Memory of at least `bytes`; the previous contents are lost.
  std::byte* reserve(const Device& device, std::size_t bytes) {
    if (bytes <= size_) return data_;
    pinned_ = {};
    plain_ = {};
    size_ = 0;
    pinned_ = device.allocate<std::byte>(bytes, MemoryKind::pinned, "staging of comm");
    data_ = pinned_.host().data();
    if (data_ == nullptr) {
      pinned_ = {};
      plain_.resize(bytes);
      data_ = plain_.data();
    }
    size_ = bytes;
    return data_;
  }

 private:
  Buffer<std::byte> pinned_;
  std::vector<std::byte> plain_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

inline Slice<std::byte> bytes_of(const quern::detail::Bytes& bytes) { return Slice<std::byte>(bytes); }

inline void download(const Stream& stream, std::byte* to, const quern::detail::Bytes& from) {
  if (from.size != 0) stream.download({to, from.size}, bytes_of(from));
}
inline void upload(const Stream& stream, const quern::detail::Bytes& to, const std::byte* from) {
  if (to.size != 0) stream.upload(bytes_of(to), {from, to.size});
}

}  // namespace quern::comm
