// The error codes of a native interface: what they are called there, and what they mean here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace quern::driver {

struct NativeCode {
  int64_t code;
  std::string_view name;
  base::ErrorKind kind;
};

inline base::Error failed(std::span<const NativeCode> codes, std::string_view call, int64_t code) {
  const auto known =
      std::find_if(codes.begin(), codes.end(), [&](const NativeCode& c) { return c.code == code; });
  const bool is_known = known != codes.end();
  return {is_known ? known->kind : base::ErrorKind::kInternal,
          std::string(call) + " fails with " +
              (is_known ? std::string(known->name) : "error " + std::to_string(code))};
}

}  // namespace quern::driver
