// Helpers of the tests of ring kernels.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "quern/inline.hpp"
#include "quern/ring.hpp"
#include "support/devices.hpp"

namespace quern::ring {

// The drivers that these tests run on: all that compile kernels from text, but those on which a ring kernel
// takes minutes. Starts none of them.
inline std::vector<const char*> ring_drivers(std::initializer_list<std::string_view> except = {}) {
  std::vector<const char*> names =
      test::each_driver({"native", "opengl", "gles", "webgl2", "std.gpu", "webgpu"});
  std::erase_if(names, [&](std::string_view name) { return std::ranges::count(except, name) != 0; });
  return names;
}

// Those of this machine that have persistent kernels. Starts all of them.
inline std::vector<const char*> persistent_drivers() {
  std::vector<const char*> names = ring_drivers();
  std::erase_if(names, [](const char* name) {
    return !test::why_not(name, {.features = {Feature::persistent}}).empty();
  });
  return names;
}

// A device of the driver; empty: not available.
inline Device open_if_here(const std::string& driver) {
  try {
    return open(driver);
  } catch (const Error&) {
    return {};
  }
}

inline std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.message();
  }
  return "nothing is thrown";
}

}  // namespace quern::ring
