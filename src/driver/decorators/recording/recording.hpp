// A parsed recording: its device, and its calls in order.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "driver/decorators/forward/call.hpp"

namespace quern::recording {

using forward::Call;

struct Recording {
  struct Failure {
    std::string_view kind;  // as base::to_string names it
    std::string_view message;
  };
  struct Entry {  // calls[i] has the number i + 1
    Call call = Call::kAllocate;
    std::string_view arguments;
    std::optional<Failure> failure;
    std::optional<std::string_view> data;  // its result
  };

  std::string device;  // "cuda:0"
  std::string device_name;
  std::string driver_version;
  std::vector<Entry> calls;
  bool is_complete = false;  // false: the program ended without closing the device

  std::shared_ptr<const std::string> bytes;  // storage of the views
};

// Any input is safe to read. The error says whether the file is not a recording, truncated or corrupted.
base::Result<Recording> read(const std::string& path);
base::Result<Recording> parse(std::string bytes, const std::string& name);

}  // namespace quern::recording
