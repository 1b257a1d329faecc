// What the tests of ring kernels share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "quern/inline.hpp"
#include "quern/ring.hpp"

namespace quern::ring {

// A device of the driver; empty: there is none here.
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
