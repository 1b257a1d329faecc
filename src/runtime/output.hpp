// Destination of the output of kernel printf: the standard output of the process, or a callback.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace quern::runtime {

class Device;

using OutputCallback = std::function<void(std::string_view text)>;

// Thread-safe.
class Output {
 public:
  // Passes all text to the callback until remove() is called with the returned number. Of several callbacks,
  // the latest gets the text. An empty one: standard output.
  uint64_t add(OutputCallback callback);
  void remove(uint64_t number);
  // Writes the text, or passes it to the callback. Fails if the callback throws an exception.
  base::Result<> write(const Device& device, std::string_view text);

 private:
  std::mutex mutex_;  // texts do not overlap
  uint64_t added_ = 0;
  std::vector<std::pair<uint64_t, OutputCallback>> callbacks_;
};

}  // namespace quern::runtime
