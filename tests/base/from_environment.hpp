// Test parameters that an environment variable can override: KILLS=500 STRESS_SECONDS=600 ctest …
#pragma once

#include <cstdlib>

namespace quern::base {

inline int from_environment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  const int value = text == nullptr ? 0 : std::atoi(text);
  return value > 0 ? value : otherwise;
}

}  // namespace quern::base
