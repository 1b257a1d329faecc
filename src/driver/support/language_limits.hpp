// What the language sets bounds to, and what its emitters make where a device has it not.
#pragma once

#include <algorithm>

#include "driver/interface/info.hpp"

namespace quern::driver {

// The limits of a device, which may have more than the language asks for.
inline Limits within_language(Limits device) {
  const Limits most;  // those of the language
  const auto least = [](const Dim3& a, const Dim3& b) {
    return Dim3{std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
  };
  device.block_threads = std::min(device.block_threads, most.block_threads);
  device.block = least(device.block, most.block);
  device.grid = least(device.grid, most.grid);
  return device;
}

// Half from floats, float atomics from compare-and-swap, warps through shared memory, printf and assert as
// reports, 64-bit integers and small ones from words.
inline constexpr FeatureSet kMadeByEmitters = {Feature::kFp16,           Feature::kBf16,
                                               Feature::kInt8,           Feature::kInt16,
                                               Feature::kInt64,          Feature::kAtomics16,
                                               Feature::kWarps,          Feature::kAtomicsFloat16,
                                               Feature::kAtomicsFloat32, Feature::kDynamicShared,
                                               Feature::kVariables,      Feature::kPrint,
                                               Feature::kAssert,         Feature::kDivergentBarriers};

}  // namespace quern::driver
