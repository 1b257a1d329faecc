// Destination of the output of kernel printf: the standard output of the process, or a callback.
#pragma once

#include <functional>
#include <mutex>
#include <string_view>

#include "base/result.hpp"

namespace quern::runtime {

class Device;

using OutputCallback = std::function<void(std::string_view text)>;

// Thread-safe.
class Output {
 public:
  void set_callback(OutputCallback callback);  // empty: standard output
  // Writes the text, or passes it to the callback. Fails if the callback throws an exception.
  base::Result<> write(const Device& device, std::string_view text);

 private:
  std::mutex mutex_;  // texts do not overlap
  OutputCallback callback_;
};

}  // namespace quern::runtime
