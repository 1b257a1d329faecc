/// @file
/// Quantized matrices: conversion, and products with few rows.
///
/// A quantized matrix is a tensor of bytes, rows × (columns * bits / 8), and a tensor of scales of type
/// float, rows × groups. Each scale applies to columns / groups consecutive columns. Elements are in words of
/// 32 bits, little-endian, which hold consecutive columns:
///
/// | Quantization | Bits | Columns of a word | Element e of a word | Value |
/// |---|---|---|---|---|
/// | int8 | 8 | 4 | byte e | scale * q, q from -127 to 127 |
/// | fp8 | 8 | 4 | byte e, E4M3 | scale * q |
/// | int4 | 4 | 8 | bits 8 * (e % 4) + 4 * (e / 4) on | scale * (q - 8), q from 1 to 15 |
/// | ternary | 2 | 16 | bits 8 * (e % 4) + 2 * (e / 4) on | scale * (q - 2), q from 1 to 3 |
#pragma once

#include <cstdint>

#include "quern/export.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

/// The format of quantized elements.
enum class Quantization : std::uint8_t { int8, fp8, int4, ternary };

/// Options of quantized_matmul().
struct QuantizedMatmulOptions {
  Quantization quantization = Quantization::int8;  ///< The format of the weights.
  /// Factors of the rows of activations of type int8_t: one axis. Without memory: 1.
  Tensor<const float> activation_scales = {};
};

namespace detail {
QUERN_API Receipt quantize(const On& on, const View& in, const View& packed, const View& scales,
                           Quantization quantization);
QUERN_API Receipt dequantize(const On& on, const View& packed, const View& scales, const View& out,
                             Quantization quantization);
/// `activation_scales`: null if there are none.
QUERN_API Receipt quantized_matmul(const On& on, const View& a, const View& packed, const View& scales,
                                   const View& c, Quantization quantization, const View* activation_scales);
}  // namespace detail

/// Number of bytes of a row of `columns` quantized elements.
constexpr std::int64_t packed_bytes(Quantization quantization, std::int64_t columns) {
  const std::int64_t bits = quantization == Quantization::ternary ? 2
                            : quantization == Quantization::int4  ? 4
                                                                  : 8;
  return columns * bits / 8;
}

/// Quantizes a matrix of float, half or bfloat16. Writes `packed`, of type uint8_t or int8_t, and `scales`,
/// whose second extent is the number of groups. The scale is the largest magnitude of a group divided by 127
/// (int8), 448 (fp8) or 7 (int4), and the mean magnitude for ternary (BitNet b1.58). Elements are rounded to
/// the nearest value; those beyond the range are clamped. A group is a multiple of the columns of a word.
template <Operand In, Operand Packed, Operand Scales>
Receipt quantize(const On& on, In&& in, Packed&& packed, Scales&& scales, Quantization quantization) {
  return detail::quantize(on, detail::view_of(in), detail::view_of(packed), detail::view_of(scales),
                          quantization);
}
/// The inverse of quantize(). `out` has elements of type float, half or bfloat16.
template <Operand Packed, Operand Scales, Operand Out>
Receipt dequantize(const On& on, Packed&& packed, Scales&& scales, Out&& out, Quantization quantization) {
  return detail::dequantize(on, detail::view_of(packed), detail::view_of(scales), detail::view_of(out),
                            quantization);
}

/// c = a * transpose(weights), with m×k activations `a`, n quantized rows of weights, and m×n results. Reads
/// the weights once for every eight rows of `a` on NVIDIA devices, and for every four rows on other GPUs: for
/// more than about 16 rows, dequantize the weights and use matmul(). Activations and results are float, half
/// or bfloat16, and sums are in float. Activations may also be int8_t, as quantize() writes them with one
/// scale for each row; not with fp8. Then the sums of a group are exact integers.
template <Operand A, Operand Packed, Operand Scales, Operand C>
Receipt quantized_matmul(const On& on, A&& a, Packed&& packed, Scales&& scales, C&& c,
                         const QuantizedMatmulOptions& options = {}) {
  const detail::View factors = detail::view_of(options.activation_scales);
  return detail::quantized_matmul(on, detail::view_of(a), detail::view_of(packed), detail::view_of(scales),
                                  detail::view_of(c), options.quantization,
                                  options.activation_scales.memory().empty() ? nullptr : &factors);
}

}  // namespace quern::ops
