/// @file
/// Options of tensor maps: element types, layout in memory, boxes and swizzles.
#pragma once

#include <array>
#include <cstdint>

namespace quern {

/// The largest rank of a tensor map.
inline constexpr std::uint32_t kMaxTensorMapRank = 5;

/// The element type of a tensor map. The values are those of CUtensorMapDataType.
enum class TensorElement : std::uint8_t {
  uint8,                ///< 8-bit integers; also 8-bit floating-point numbers.
  uint16,               ///< 16-bit unsigned integers.
  uint32,               ///< 32-bit unsigned integers.
  int32,                ///< 32-bit signed integers.
  uint64,               ///< 64-bit unsigned integers.
  int64,                ///< 64-bit signed integers.
  float16,              ///< 16-bit floating-point numbers (`__half`).
  float32,              ///< 32-bit floating-point numbers.
  float64,              ///< 64-bit floating-point numbers.
  bfloat16,             ///< 16-bit floating-point numbers (`__nv_bfloat16`).
  float32_flush,        ///< As float32; subnormals become zero.
  tensor_float32,       ///< 32-bit floating-point numbers, rounded to TF32.
  tensor_float32_flush  ///< As tensor_float32; subnormals become zero.
};

/// The order of the elements in memory. The values are those of CUtensorMapInterleave.
enum class TensorInterleave : std::uint8_t {
  none,     ///< The innermost dimension is contiguous.
  bytes16,  ///< NC/8HWC8: slices of 16 bytes.
  bytes32,  ///< NC/16HWC16: slices of 32 bytes.
};

/// The order of 16-byte pieces of the box in shared memory, which avoids bank conflicts. The number of bytes
/// is the span within which pieces are exchanged. The values are those of CUtensorMapSwizzle.
enum class TensorSwizzle : std::uint8_t {
  none,      ///< In order.
  bytes32,   ///< Within 32 bytes.
  bytes64,   ///< Within 64 bytes.
  bytes128,  ///< Within 128 bytes.
};

/// The size of the pieces that the L2 cache reads from memory. The values are those of
/// CUtensorMapL2promotion.
enum class TensorPromotion : std::uint8_t {
  none,      ///< The default of the cache.
  bytes64,   ///< 64 bytes.
  bytes128,  ///< 128 bytes.
  bytes256,  ///< 256 bytes.
};

/// The value of elements outside of the tensor. The values are those of CUtensorMapFloatOOBfill.
enum class TensorFill : std::uint8_t {
  zero,  ///< Zero.
  nan,   ///< NaN, which multiplications of matrices treat as zero; for floating-point numbers only.
};

/// The options of a TensorMap. Dimension 0 is the innermost one: its elements are contiguous in memory.
///
///     // 64 x 128 pieces of a row-major matrix of `rows` x `columns` half-precision numbers.
///     quern::TensorMapOptions options{.element = quern::TensorElement::float16,
///                                     .rank = 2,
///                                     .sizes = {columns, rows},
///                                     .strides = {columns * 2},
///                                     .box = {64, 128},
///                                     .swizzle = quern::TensorSwizzle::bytes128};
struct TensorMapOptions {
  /// Type of the elements.
  TensorElement element = TensorElement::float32;
  /// Number of dimensions: 1 to 5, and 3 to 5 with an interleave.
  std::uint32_t rank = 2;
  /// Elements in each dimension: 1 to 2^32.
  std::array<std::uint64_t, 5> sizes{};
  /// Bytes from element to element of dimension 1, 2, …: multiples of 16 (32 with `bytes32` interleave)
  /// below 2^40. 0: without gaps after the dimension before.
  std::array<std::uint64_t, 4> strides{};
  /// Elements of the tensor in each dimension that one copy covers: 1 to 256. Bytes in dimension 0 are a
  /// multiple of 16, and at most the span of the swizzle.
  std::array<std::uint32_t, 5> box{1, 1, 1, 1, 1};
  /// A copy transfers every n-th element of the box: 1 to 8.
  std::array<std::uint32_t, 5> element_strides{1, 1, 1, 1, 1};
  /// Order of the elements in memory.
  TensorInterleave interleave = TensorInterleave::none;
  /// Order of the elements in shared memory. `bytes32` interleave needs `bytes32` swizzle.
  TensorSwizzle swizzle = TensorSwizzle::none;
  /// Size of the pieces that the L2 cache reads.
  TensorPromotion promotion = TensorPromotion::none;
  /// Value of elements outside of the tensor.
  TensorFill fill = TensorFill::zero;
};

namespace detail {

// An encoded tensor map: CUDA's CUtensorMap.
struct EncodedTensorMap {
  std::uint64_t opaque[16] = {};
};
static_assert(sizeof(EncodedTensorMap) == 128);

}  // namespace detail

}  // namespace quern
