// An error of a running kernel, detected by the simulator, by check mode, or by an assert.
#pragma once

#include <cstdint>
#include <string>

#include "driver/interface/info.hpp"

namespace quern::driver {

struct Finding {
  std::string kind;     // "out of bounds", "race", "assert", …
  std::string message;  // one sentence, without a full stop
  std::string kernel;
  std::string file;
  uint32_t line = 0;  // 0: not known
  uint32_t column = 0;
  Dim3 thread{0, 0, 0};
  Dim3 block{0, 0, 0};
  std::string place;  // "bins[3]"; empty if no memory is involved
  uint64_t extent = 0;
  std::string hint;
  uint64_t count = 1;
  std::string rendered;  // multi-line text for people, without a final newline
};

}  // namespace quern::driver
