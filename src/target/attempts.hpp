// Emits in several attempts: each finds kernels that cannot be expressed, and the next one omits them.
#pragma once

#include <map>
#include <string>

#include "base/result.hpp"
#include "driver/interface/code.hpp"

namespace quern::target {

using Refused = std::map<std::string, std::string>;  // kernels, and why

// `attempt` adds to `refused` and returns whether it succeeded. If no kernel is left, returns the error of
// the first one.
template <typename Attempt>
base::Result<void> emit_by_attempts(driver::Code& code, const Attempt& attempt) {
  Refused refused;
  for (;;) {
    if (!code.kernels.empty() && refused.size() == code.kernels.size())
      return base::Error(base::ErrorKind::unsupported, refused.at(code.kernels.front().name));
    QUERN_TRY_ASSIGN(const bool done, attempt(refused));
    if (done) break;
  }
  for (driver::KernelInfo& k : code.kernels) {
    if (const auto why = refused.find(k.name); why != refused.end()) k.refused = why->second;
  }
  return {};
}

}  // namespace quern::target
