// The piece size of staged copies between host memory and a device.
#pragma once

#include <cstddef>

namespace quern::driver {

inline constexpr size_t kStagedPiece = 8 << 20;  // long compared with the 10 us of a submission

}  // namespace quern::driver
