// Division of Fourier transforms into passes, and the tables that the passes read.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "ops/engine.hpp"

namespace quern::ops {

// Twiddle factors after a pass, as positions in the tables.
struct FftTwiddles {
  std::int64_t low = -1, high = -1;
  int low_bits = 0;
};

// A transform of `count` elements. Its passes transform `size` elements: more than `count` for the algorithm
// of Bluestein, which computes a transform as a cyclic convolution with a chirp.
struct FftPlan {
  std::int64_t count = 0, size = 0;
  std::vector<std::int64_t> factors;      // of size: the elements of a line, for each pass
  std::vector<std::int64_t> roots;        // for each pass, as positions in the tables
  std::vector<FftTwiddles> twiddles;      // for each pass
  std::int64_t chirp = -1, product = -1;  // of Bluestein's algorithm, as positions in the tables
  Buffer<std::byte> tables;

  bool has_chirp() const { return chirp >= 0; }
};

// The radices of a line, 4 bits for each.
std::int64_t fft_stages(std::int64_t count);
// Most elements of a line on a device.
std::int64_t fft_points(const DeviceInfo& info, Element element);

// The plan for a number of elements. Plans are kept with the device. `element`: c64 or c128.
std::shared_ptr<const FftPlan> fft_plan(const Device& device, Element element, std::int64_t count);

}  // namespace quern::ops
