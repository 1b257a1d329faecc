/// @file
/// Processing of data that may not fit into device memory.
#pragma once

#include <algorithm>
#include <cstddef>

#include "quern/error.hpp"

namespace quern {

/// Calls `work(first, count)` for consecutive ranges that cover `count` elements.
///
/// @code
/// quern::run_in_batches(n, [&](std::size_t first, std::size_t count) {
///   const auto x = gpu.upload(std::span(data).subspan(first, count));
///   ...
/// });
/// @endcode
///
/// The first range is the whole. If `work` throws Error with kind `out_of_memory`, it is called again with
/// half of the range, and later ranges have that size. The error is rethrown if a range of `least` elements
/// fails. `work` must be able to process a range again. Returns the number of ranges.
template <typename Work>
std::size_t run_in_batches(std::size_t count, const Work& work, std::size_t least = 1) {
  std::size_t batches = 0, size = count;
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
      ++batches;
    } else {
      size = std::max(least, (now + 1) / 2);
    }
  }
  return batches;
}

}  // namespace quern
