// Where the output of kernel printf goes: to the standard output of the process, or to a callback.
#pragma once

#include <functional>
#include <mutex>
#include <string_view>

#include "base/result.hpp"

namespace quern::runtime {

class Device;

using OutputCallback = std::function<void(std::string_view text)>;

// Any thread may call.
class Output {
 public:
  void set_callback(OutputCallback callback);  // empty: standard output
  // Writes the text, or hands it to the callback. Fails if the callback throws an exception.
  base::Result<> write(const Device& device, std::string_view text);

 private:
  std::mutex mutex_;  // texts do not overlap
  OutputCallback callback_;
};

}  // namespace quern::runtime
