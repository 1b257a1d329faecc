/// @file
/// Fourier transforms. See docs/ops_fft.md.
///
/// Complex elements are std::complex<float> or std::complex<double>. Results have the order of FFTW and
/// NumPy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quern/export.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

/// The sign of the exponent: -1 for `forward`, 1 for `inverse`.
enum class FftDirection : std::uint8_t { forward, inverse };

/// Options of fft().
struct FftOptions {
  FftDirection direction = FftDirection::forward;  ///< The sign of the exponent.
  std::vector<std::size_t> axes = {};  ///< The transformed axes, all different. None: the last axis.
  /// Factor of the result. Default: 1 for forward transforms, 1 / (number of elements of a transform) for
  /// inverse ones.
  std::optional<double> scale = {};
};

/// Options of rfft() and irfft().
struct RealFftOptions {
  /// The transformed axes, all different. None: the last axis. The last one in this list is halved.
  std::vector<std::size_t> axes = {};
  /// Factor of the result. Default: 1 for rfft(), 1 / (number of elements of a transform) for irfft().
  std::optional<double> scale = {};
};

namespace detail {
enum class FftKind : std::uint8_t { complex, from_real, to_real };
QUERN_API Receipt fft(const On& on, const View& in, const View& out, FftKind kind, FftDirection direction,
                      std::span<const std::size_t> axes, std::optional<double> scale);
}  // namespace detail

/// The discrete Fourier transform along one or several axes; the others are batches. `in` and `out` are
/// complex, have the same type and shape and any strides, and may be the same tensor.
template <Operand In, Operand Out>
Receipt fft(const On& on, In&& in, Out&& out, const FftOptions& options = {}) {
  return detail::fft(on, detail::view_of(in), detail::view_of(out), detail::FftKind::complex,
                     options.direction, options.axes, options.scale);
}

/// The forward transform of real numbers. `out` is complex. Its extent along the last transformed axis is n /
/// 2 + 1 if that of `in` is n: the other half of the transform is its conjugate. `in` and `out` do not
/// overlap.
template <Operand In, Operand Out>
Receipt rfft(const On& on, In&& in, Out&& out, const RealFftOptions& options = {}) {
  return detail::fft(on, detail::view_of(in), detail::view_of(out), detail::FftKind::from_real,
                     FftDirection::forward, options.axes, options.scale);
}

/// The inverse of rfft(). `out` is real. The extent of `in` along the last transformed axis is n / 2 + 1 if
/// that of `out` is n. `in` and `out` do not overlap.
template <Operand In, Operand Out>
Receipt irfft(const On& on, In&& in, Out&& out, const RealFftOptions& options = {}) {
  return detail::fft(on, detail::view_of(in), detail::view_of(out), detail::FftKind::to_real,
                     FftDirection::inverse, options.axes, options.scale);
}

}  // namespace quern::ops
