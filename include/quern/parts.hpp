// Work on many elements in as few parts as memory allows.
//
//   quern::in_parts(n, [&](std::size_t first, std::size_t count) {
//     const auto x = gpu.upload(std::span(data).subspan(first, count));
//     ...
//   });
//
// The whole is tried first. A part that ends in out_of_memory is done again as two halves, and what comes
// behind it begins with that size; a single element that does not fit is the error. `work` must be able to do
// a part anew: what it allocated is gone when the error has left it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "quern/error.hpp"

namespace quern {

// Yields the number of parts. `least`: parts are not made smaller than that.
template <typename Work>
std::size_t in_parts(std::size_t count, const Work& work, std::size_t least = 1) {
  std::size_t parts = 0, size = count;
  for (std::size_t first = 0; first < count;) {
    const std::size_t now = std::min(size, count - first);
    bool fits = true;
    try {
      work(first, now);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::out_of_memory || now <= std::max<std::size_t>(least, 1)) throw;
      fits = false;
    }
    if (fits) {
      first += now;
      ++parts;
    } else {
      size = std::max(least, (now + 1) / 2);
    }
  }
  return parts;
}

}  // namespace quern
