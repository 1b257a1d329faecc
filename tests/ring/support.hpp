// Helpers of the tests of ring kernels.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "quern/inline.hpp"
#include "quern/ring.hpp"

namespace quern::ring {

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
