// The error codes of a native API: their names, and the corresponding ErrorKind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "driver/support/messages.hpp"

namespace quern::driver {

struct NativeCode {
  int64_t code;
  std::string_view name;
  base::ErrorKind kind;
  std::string_view hint = {};  // an imperative, where the user can act
};

inline const NativeCode* find_code(std::span<const NativeCode> codes, int64_t code) {
  const auto known =
      std::find_if(codes.begin(), codes.end(), [&](const NativeCode& c) { return c.code == code; });
  return known == codes.end() ? nullptr : &*known;
}

inline bool is_known(std::span<const NativeCode> codes, int64_t code) {
  return find_code(codes, code) != nullptr;
}

inline std::string name_of(std::span<const NativeCode> codes, int64_t code) {
  const NativeCode* const known = find_code(codes, code);
  return known != nullptr ? std::string(known->name) : "error " + std::to_string(code);
}

inline base::Error failed(std::span<const NativeCode> codes, std::string_view call, int64_t code) {
  const NativeCode* const known = find_code(codes, code);
  base::Error error(known != nullptr ? known->kind : base::ErrorKind::internal,
                    message::kCallFailed(call, name_of(codes, code)));
  if (known != nullptr && !known->hint.empty()) error.add_hint(std::string(known->hint));
  return error;
}

}  // namespace quern::driver
