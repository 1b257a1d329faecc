// Float arithmetic on bits, with one rounding in a given mode. Integer methods only: no floating-point
// environment, the same result on every host. NaN results are the positive quiet NaN without payload.
#pragma once

#include <cstdint>

#include "lang/ir/float_bits.hpp"
#include "lang/ir/op.hpp"

namespace quern::ir {

uint64_t add_rounded(FloatFormat format, uint64_t a, uint64_t b, Rounding mode);
uint64_t mul_rounded(FloatFormat format, uint64_t a, uint64_t b, Rounding mode);
uint64_t div_rounded(FloatFormat format, uint64_t a, uint64_t b, Rounding mode);
uint64_t fma_rounded(FloatFormat format, uint64_t a, uint64_t b, uint64_t c, Rounding mode);
uint64_t sqrt_rounded(FloatFormat format, uint64_t a, Rounding mode);
// a * 2^power, for a finite a.
uint64_t scale_rounded(FloatFormat format, uint64_t a, int power, Rounding mode);

// Between formats; widening is exact.
uint64_t convert_rounded(FloatFormat to, FloatFormat from, uint64_t bits, Rounding mode);
// An integer given by sign and magnitude.
uint64_t int_to_float(FloatFormat to, bool negative, uint64_t magnitude, Rounding mode);
// To an integer of `width` bits: saturates, NaN is 0. The result is cut to the width.
uint64_t float_to_int(FloatFormat from, uint64_t bits, uint32_t width, bool is_signed, Rounding mode);

}  // namespace quern::ir
