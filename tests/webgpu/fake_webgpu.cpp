// A library that exports all of webgpu.h and finds no adapter. QUERN_FAKE_WEBGPU_MODE=no-instance: it creates
// no instance either.
#include <cstdlib>
#include <string_view>
#include <type_traits>

#include "driver/webgpu/api.hpp"

namespace {

using quern::webgpu::Handle;

template <typename T>
T answer(std::string_view name) {
  if constexpr (std::is_same_v<T, Handle>) {
    static char object = 0;
    const char* const mode = std::getenv("QUERN_FAKE_WEBGPU_MODE");
    const bool has_none = mode != nullptr && std::string_view(mode) == "no-instance";
    return name == "CreateInstance" && !has_none ? reinterpret_cast<Handle>(&object) : nullptr;
  } else {
    return T();
  }
}

}  // namespace

using namespace quern::webgpu;  // NOLINT(google-build-using-namespace): the types of its functions

#define X(name, result, parameters)                                                \
  extern "C" __attribute__((visibility("default"))) result wgpu##name parameters { \
    return answer<result>(#name);                                                  \
  }
QUERN_WEBGPU_FUNCTIONS(X, X, X)
#undef X
