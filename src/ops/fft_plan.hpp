// Division of Fourier transforms into passes, and the tables that the passes read.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "ops/choice.hpp"
#include "ops/engine.hpp"

namespace quern::ops {

// Twiddle factors after a pass, as positions in the tables.
struct FftTwiddles {
  std::int64_t low = -1, high = -1;  // of the kernel `fft`
  int low_bits = 0;
  std::int64_t turns = -1;  // of the kernel `fft_lines`
};

// The kernel of powers of two.
struct FftTuning {
  std::int64_t elements = 0;  // most elements of a thread of `fft_lines`; 0: the kernel `fft` is used
  std::int64_t columns = 0;   // lines of a tile, if neighboring lines are nearer than neighboring elements
};

// A tile of fft_lines.
struct FftTileSize {
  std::int64_t elements = 0, lines = 0;  // of a thread; of the tile
  std::int64_t threads = 0;
  std::uint64_t bytes = 0, shared_bytes = 0;  // of the elements; with padding

  bool fits(const DeviceInfo& info) const;
};

// A transform of `count` elements. Its passes transform `size` elements: more than `count` for the algorithm
// of Bluestein, which computes a transform as a cyclic convolution with a chirp.
struct FftPlan {
  std::int64_t count = 0, size = 0;
  FftTuning tuning;                       // its kernel is `fft` if the size is not a power of two
  std::vector<std::int64_t> factors;      // of size: the elements of a line, for each pass
  std::vector<std::int64_t> roots;        // for each pass, as positions in the tables
  std::vector<FftTwiddles> twiddles;      // for each pass
  std::int64_t chirp = -1, product = -1;  // of Bluestein's algorithm, as positions in the tables
  Buffer<std::byte> tables;
  DeviceInfo info;

  bool has_chirp() const { return chirp >= 0; }
  bool has_lines() const { return tuning.elements != 0; }  // whether the kernel is `fft_lines`
};

// The radices of a line, 4 bits for each.
std::int64_t fft_stages(std::int64_t count);
// Most elements of a line on a device.
std::int64_t fft_points(const DeviceInfo& info, Element element);

// The tile of lines of `count` elements.
FftTileSize fft_tile(const DeviceInfo& info, Element element, const FftTuning& tuning, std::int64_t count,
                     bool is_by_line);

// Temporary memory that is kept with the device. Transforms use it in sequence, on any streams.
struct FftMemory {
  std::mutex mutex;  // of all below
  Buffer<std::byte> bytes;
  Event last_use;
};
std::shared_ptr<FftMemory> fft_memory(const Device& device);
// Most bytes of temporary memory. Larger batches are transformed in parts.
std::int64_t fft_memory_bytes(const DeviceInfo& info);

// The plan for a number of elements. Plans are kept with the device. `element`: c64 or c128.
std::shared_ptr<const FftPlan> fft_plan(const Device& device, Element element, std::int64_t count,
                                        const FftTuning& tuning);

}  // namespace quern::ops
