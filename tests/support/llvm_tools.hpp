// Debian and Ubuntu install LLVM's tools by version, and each release has other versions.
#pragma once

#include <string>

#include "support/command.hpp"

namespace quern::test {

inline bool runs(const std::string& tool) { return run_command(tool + " --version").code == 0; }

// The first installed version of LLVM that has all of these tools: "-15". Empty: there is none.
template <typename... Tools>
std::string llvm_suffix(const Tools&... tools) {
  for (const char* version : {"-15", "-14", "-16", "-17", "-18", "-19", "-20"}) {
    if ((runs(tools + std::string(version)) && ...)) return version;
  }
  return {};
}

}  // namespace quern::test
