// What a command is: the same for all of its runs with the same kernel, shape and bytes.
#pragma once

#include <cstdint>
#include <string>

#include "driver/interface/driver.hpp"

namespace quern::profile {

enum class Kind : uint8_t { kKernel, kUpload, kDownload, kCopy, kFill, kGraph };
const char* name(Kind kind);

struct Site {
  Kind kind = Kind::kKernel;
  std::string name;
  driver::Dim3 grid, block;  // kKernel
  uint64_t shared_bytes = 0;
  uint64_t bytes = 0;    // that are moved; kKernel: of the buffers that it is given, each once
  float occupancy = -1;  // of a compute unit's threads, 0 to 1; below 0: not known
};

// By what a stream finds a site again.
struct SiteKey {
  uint64_t what = 0;  // a kernel's hash, or the kind
  driver::Dim3 grid, block;
  uint64_t shared_bytes = 0;
  uint64_t bytes = 0;
  bool operator==(const SiteKey&) const = default;
};

}  // namespace quern::profile
