// Output of kernels' printf that the host has not taken yet. Its size is bounded: calls that do not fit are
// dropped and counted. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quern::driver {

class OutputBuffer {
 public:
  static constexpr uint64_t kMaxBytes = uint64_t{8} << 20;

  // Appends the output of `calls` printf calls, or drops it if it does not fit.
  void append(std::string_view text, uint64_t calls = 1) {
    if (text.size() > kMaxBytes - text_.size()) {
      drop(calls);
    } else {
      text_ += text;
    }
  }
  void drop(uint64_t calls) { dropped_calls_ += calls; }

  // Returns the text and empties the buffer. If calls were dropped, the last line says how many.
  std::string take();

 private:
  std::string text_;
  uint64_t dropped_calls_ = 0;
};

}  // namespace quern::driver
