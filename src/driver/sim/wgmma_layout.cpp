#include "driver/sim/wgmma_layout.hpp"

#include <bit>
#include <cmath>

#include "lang/ir/float_bits.hpp"

namespace quern::sim {

namespace {

constexpr uint32_t kAtom = 8;        // rows of a core matrix
constexpr uint32_t kAtomBytes = 16;  // of a row of a core matrix

uint32_t field(uint64_t bits, uint32_t at) { return static_cast<uint32_t>(bits >> at & 0x3FFF) << 4; }

// Rows of the pattern that differ, as a mask of address bits above the 128 bytes.
uint32_t pattern_mask(uint32_t swizzle) { return swizzle == 0 ? 0 : swizzle / 16 - 1; }

// Floats of 8 bits: e4m3 has no infinity.
float small_float(uint32_t bits, int fraction, int bias, bool has_infinity) {
  const uint32_t mantissa = bits & ((1u << fraction) - 1), exponent = (bits & 0x7F) >> fraction;
  const uint32_t highest = 0x7Fu >> fraction;
  const float sign = (bits & 0x80) != 0 ? -1.0f : 1.0f;
  if (has_infinity && exponent == highest) return mantissa != 0 ? NAN : sign * INFINITY;
  if (!has_infinity && (bits & 0x7F) == 0x7F) return NAN;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), 1 - bias - fraction);
  return sign * std::ldexp(static_cast<float>(mantissa | 1u << fraction),
                           static_cast<int>(exponent) - bias - fraction);
}

}  // namespace

MatrixDescriptor::MatrixDescriptor(uint64_t bits)
    : start(field(bits, 0)),
      leading(field(bits, 16)),
      stride(field(bits, 32)),
      base(static_cast<uint32_t>(bits >> 49 & 7)) {
  constexpr uint32_t kSwizzles[4] = {0, 128, 64, 32};
  swizzle = kSwizzles[bits >> 62];
  // Bits 14-15, 30-31, 46-48 and 52-61.
  constexpr uint64_t kReserved =
      uint64_t{3} << 14 | uint64_t{3} << 30 | uint64_t{7} << 46 | uint64_t{0x3FF} << 52;
  has_reserved_bits = (bits & kReserved) != 0;
}

bool MatrixDescriptor::is_aligned() const {
  const uint32_t mask = pattern_mask(swizzle);
  return (start >> 7 & mask) == (base & mask);
}

uint32_t element_address(const MatrixDescriptor& m, bool is_transposed, uint32_t bytes, uint32_t row,
                         uint32_t k) {
  uint32_t at = 0;
  if (!is_transposed) {
    const uint32_t across = k * bytes;
    at = row / kAtom * m.stride;
    at += m.swizzle != 0 ? row % kAtom * m.swizzle + across
                         : across / kAtomBytes * m.leading + row % kAtom * kAtomBytes + across % kAtomBytes;
  } else {
    const uint32_t across = row * bytes, chunk = across / kAtomBytes;
    at = across % kAtomBytes;
    if (m.swizzle == 0) {
      at += chunk * m.stride + k % kAtom * kAtomBytes + k / kAtom * m.leading;
    } else {
      const uint32_t chunks = m.swizzle / kAtomBytes;
      at += chunk % chunks * kAtomBytes + chunk / chunks * m.leading + k % kAtom * m.swizzle +
            k / kAtom * m.stride;
    }
  }
  const uint32_t address = m.start + at;
  return address ^ (((address >> 7) - m.base) & pattern_mask(m.swizzle)) << 4;
}

uint32_t element_bytes(WgmmaType type) {
  switch (type) {
    case WgmmaType::kF16:
    case WgmmaType::kBF16: return 2;
    case WgmmaType::kTF32:
    case WgmmaType::kF32:
    case WgmmaType::kS32: return 4;
    default: return 1;
  }
}

float element_value(WgmmaType type, uint32_t bits) {
  switch (type) {
    case WgmmaType::kF16: return static_cast<float>(ir::float_from_bits(ir::TypeKind::kF16, bits));
    case WgmmaType::kBF16: return std::bit_cast<float>(bits << 16);
    case WgmmaType::kTF32: return std::bit_cast<float>(bits & ~0x1FFFu);
    case WgmmaType::kE4M3: return small_float(bits, 3, 7, false);
    case WgmmaType::kE5M2: return small_float(bits, 2, 15, true);
    case WgmmaType::kS8: return static_cast<float>(static_cast<int8_t>(bits));
    case WgmmaType::kU8: return static_cast<float>(static_cast<uint8_t>(bits));
    default: return std::bit_cast<float>(bits);
  }
}

MatrixPlace accumulator_place(uint32_t thread, uint32_t i) {
  const uint32_t warp = thread / 32, lane = thread % 32;
  return {warp * 16 + lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2 + i % 2};
}

MatrixPlace a_register_place(WgmmaType type, uint32_t thread, uint32_t i) {
  const uint32_t warp = thread / 32, lane = thread % 32, per = 4 / element_bytes(type);
  const uint32_t reg = i / per, within = i % per;
  return {warp * 16 + lane / 4 + reg % 2 * 8, reg / 2 * 4 * per + lane % 4 * per + within};
}

}  // namespace quern::sim
