// Debian and Ubuntu install LLVM's tools with a version suffix, which depends on the release.
#pragma once

#include <string>

#include "support/command.hpp"

namespace quern::test {

inline bool runs(const std::string& tool) { return run_command(tool + " --version").code == 0; }

// The suffix of the first installed version of LLVM that has all of these tools: "-15". Empty: none.
template <typename... Tools>
std::string llvm_suffix(const Tools&... tools) {
  for (const char* version : {"-15", "-14", "-16", "-17", "-18", "-19", "-20"}) {
    if ((runs(tools + std::string(version)) && ...)) return version;
  }
  return {};
}

}  // namespace quern::test
