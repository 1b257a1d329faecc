// Runs a shell command and captures both of its outputs.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace quern::test {

struct CommandAnswer {
  int code = 0;  // as from pclose: 0 on success
  std::string text;
};

inline CommandAnswer run_command(const std::string& command) {
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {127, "cannot run " + command};
  CommandAnswer out;
  std::array<char, 4096> part;
  while (const size_t n = std::fread(part.data(), 1, part.size(), pipe)) out.text.append(part.data(), n);
  out.code = ::pclose(pipe);
  return out;
}

}  // namespace quern::test
