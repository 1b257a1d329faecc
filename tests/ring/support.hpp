// What the tests of ring kernels share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "quern/quern.hpp"
#include "quern/ring.hpp"

namespace quern::ring {

// Drivers of which a device can be opened here.
inline std::vector<std::string> drivers_here() {
  std::vector<std::string> out;
  for (const char* driver : {"cpu", "cuda", "hip", "opencl", "vulkan", "opengl", "gles", "sim", "std.gpu"}) {
    try {
      (void)open(driver);
      out.emplace_back(driver);
    } catch (const Error& e) { fprintf(stderr, "%s: %s\n", driver, e.what()); // it is not here
    }
  }
  return out;
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
