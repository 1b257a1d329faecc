#include "driver/decorators/forward/call.hpp"

namespace quern::forward {

namespace {

constexpr std::string_view kNames[] = {
#define X(id, text) text,
    QUERN_CALLS(X)
#undef X
};

}  // namespace

std::string_view name(Call call) { return kNames[static_cast<size_t>(call)]; }

std::optional<Call> find_call(std::string_view name) {
  for (size_t i = 0; i < kCallCount; ++i) {
    if (kNames[i] == name) return static_cast<Call>(i);
  }
  return std::nullopt;
}

}  // namespace quern::forward
