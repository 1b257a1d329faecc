// The matrices of wgmma.mma_async: descriptors of those in shared memory, which thread holds which element of
// those in registers, and their number formats.
#pragma once

#include <cstdint>

#include "driver/sim/ptx_info.hpp"

namespace quern::sim {

inline constexpr uint32_t kWgmmaRows = 64;
inline constexpr uint32_t kWarpgroup = 128;  // threads

// A 64-bit matrix descriptor, in bytes.
struct MatrixDescriptor {
  uint32_t start = 0;
  uint32_t leading = 0;  // leading dimension byte offset
  uint32_t stride = 0;   // stride dimension byte offset
  uint32_t base = 0;     // base offset: which row of the swizzle pattern the start is in
  uint32_t swizzle = 0;  // bytes of a row of the pattern: 0, 32, 64 or 128
  bool has_reserved_bits = false;

  explicit MatrixDescriptor(uint64_t bits);
  // Bytes after which the swizzle pattern repeats.
  uint32_t pattern() const { return swizzle == 0 ? 16 : swizzle * 8; }
  // Whether the base offset is the one of the start address.
  bool is_aligned() const;
};

// The byte address in the shared window of an element: `row` along M or N, `k` along K.
uint32_t element_address(const MatrixDescriptor& matrix, bool is_transposed, uint32_t element_bytes,
                         uint32_t row, uint32_t k);

uint32_t element_bytes(WgmmaType type);

// The value of an element's bits; integers are exact.
float element_value(WgmmaType type, uint32_t bits);

// The place in the matrix of element `i` of a thread of the warpgroup.
struct MatrixPlace {
  uint32_t row = 0, column = 0;
};
MatrixPlace accumulator_place(uint32_t thread, uint32_t i);
// A in registers: `i` counts the elements of all four registers.
MatrixPlace a_register_place(WgmmaType type, uint32_t thread, uint32_t i);

}  // namespace quern::sim
