// What the tests of ring kernels share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "quern/quern.hpp"
#include "quern/ring.hpp"

namespace quern::ring {

// One device of each driver that is here.
inline std::vector<std::string> drivers_here() {
  std::vector<std::string> out;
  for (const DeviceInfo& d : devices()) {
    if (d.driver == "null" || d.driver == "native") continue;
    if (std::find(out.begin(), out.end(), d.driver) == out.end()) out.push_back(d.driver);
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
