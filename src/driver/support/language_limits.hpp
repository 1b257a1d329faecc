// Limits that the language defines, and features that its emitters emulate if a device lacks them.
#pragma once

#include <algorithm>

#include "driver/interface/info.hpp"

namespace quern::driver {

// Clamps a device's limits to those of the language.
inline Limits within_language(Limits device) {
  const Limits most;  // the language's
  const auto least = [](const Dim3& a, const Dim3& b) {
    return Dim3{std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
  };
  device.block_threads = std::min(device.block_threads, most.block_threads);
  device.block = least(device.block, most.block);
  device.grid = least(device.grid, most.grid);
  return device;
}

// Adds the emulated features: half by float, float atomics by compare-and-swap, warps through shared memory,
// printf and assert by reports, 64-bit and small integers by 32-bit words.
inline constexpr FeatureSet kMadeByEmitters = {Feature::fp16,        Feature::bf16,
                                               Feature::int8,        Feature::int16,
                                               Feature::int64,       Feature::atomics16,
                                               Feature::warps,       Feature::atomics_f16,
                                               Feature::atomics_f32, Feature::dynamic_shared,
                                               Feature::variables,   Feature::print,
                                               Feature::assert,      Feature::divergent_barriers};

}  // namespace quern::driver
