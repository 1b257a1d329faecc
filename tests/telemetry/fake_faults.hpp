// Settings of the stand-in libraries: an environment variable with words "name=number". A function's name
// with a number makes that function return it; other names are values. "crash=1" aborts in the first call.
#pragma once

#include <cstdlib>
#include <string>

namespace quern::test {

inline long long setting(const char* variable, const std::string& name, long long otherwise) {
  const char* const text = std::getenv(variable);
  const std::string all = std::string(" ") + (text == nullptr ? "" : text);
  const size_t at = all.find(" " + name + "=");
  if (at == std::string::npos) return otherwise;
  return std::strtoll(all.c_str() + at + name.size() + 2, nullptr, 0);
}

}  // namespace quern::test
