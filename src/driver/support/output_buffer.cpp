#include "driver/support/output_buffer.hpp"

#include <utility>

#include "base/text.hpp"

namespace quern::driver {

std::string OutputBuffer::take() {
  std::string text = std::exchange(text_, {});
  if (const uint64_t dropped = std::exchange(dropped_calls_, 0); dropped != 0) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += "(" + base::format_count(dropped) + (dropped == 1 ? " call" : " calls") +
            " of printf dropped: the output buffer is full; synchronize more often)\n";
  }
  return text;
}

}  // namespace quern::driver
