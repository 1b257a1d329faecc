// Brings the names of the kernel language into a namespace. A using-directive brings all; those that the C
// library or a program may well have too are declared one by one, so that inside of a kernel they hide the
// others.
#pragma once

#include "quern/kernel/functions.hpp"
#include "quern/kernel/print.hpp"
#include "quern/kernel/words.hpp"

// clang-format off
#define QUERN_KERNEL_NAMES_ \
  using namespace ::quern::kernel; using ::quern::kernel::__assert_fail; using ::quern::kernel::__cosf; \
  using ::quern::kernel::__exp10f; using ::quern::kernel::__expf; using ::quern::kernel::__finite; \
  using ::quern::kernel::__finitef; using ::quern::kernel::__isinf; using ::quern::kernel::__isinff; \
  using ::quern::kernel::__isnan; using ::quern::kernel::__isnanf; using ::quern::kernel::__log10f; \
  using ::quern::kernel::__log2f; using ::quern::kernel::__logf; using ::quern::kernel::__powf; \
  using ::quern::kernel::__signbit; using ::quern::kernel::__signbitf; using ::quern::kernel::__sincosf; \
  using ::quern::kernel::__sinf; using ::quern::kernel::__tanf; using ::quern::kernel::__tanhf; \
  using ::quern::kernel::abort; using ::quern::kernel::abs; using ::quern::kernel::acos; \
  using ::quern::kernel::acosf; using ::quern::kernel::acosh; using ::quern::kernel::acoshf; \
  using ::quern::kernel::asin; using ::quern::kernel::asinf; using ::quern::kernel::asinh; \
  using ::quern::kernel::asinhf; using ::quern::kernel::assert; using ::quern::kernel::atan; \
  using ::quern::kernel::atan2; using ::quern::kernel::atan2f; using ::quern::kernel::atanf; \
  using ::quern::kernel::atanh; using ::quern::kernel::atanhf; using ::quern::kernel::atomicAdd; \
  using ::quern::kernel::atomicAnd; using ::quern::kernel::atomicCAS; using ::quern::kernel::atomicExch; \
  using ::quern::kernel::atomicMax; using ::quern::kernel::atomicMin; using ::quern::kernel::atomicOr; \
  using ::quern::kernel::atomicSub; using ::quern::kernel::atomicXor; using ::quern::kernel::blockDim; \
  using ::quern::kernel::blockIdx; using ::quern::kernel::cbrt; using ::quern::kernel::cbrtf; \
  using ::quern::kernel::ceil; using ::quern::kernel::ceilf; using ::quern::kernel::char4; \
  using ::quern::kernel::clock; using ::quern::kernel::copysign; using ::quern::kernel::copysignf; \
  using ::quern::kernel::cos; using ::quern::kernel::cosf; using ::quern::kernel::cosh; \
  using ::quern::kernel::coshf; using ::quern::kernel::dim3; using ::quern::kernel::double2; \
  using ::quern::kernel::double3; using ::quern::kernel::double4; using ::quern::kernel::erf; \
  using ::quern::kernel::erfc; using ::quern::kernel::erfcf; using ::quern::kernel::erff; \
  using ::quern::kernel::exp; using ::quern::kernel::exp10; using ::quern::kernel::exp10f; \
  using ::quern::kernel::exp2; using ::quern::kernel::exp2f; using ::quern::kernel::expf; \
  using ::quern::kernel::expm1; using ::quern::kernel::expm1f; using ::quern::kernel::fabs; \
  using ::quern::kernel::fabsf; using ::quern::kernel::fdim; using ::quern::kernel::fdimf; \
  using ::quern::kernel::finite; using ::quern::kernel::finitef; using ::quern::kernel::float2; \
  using ::quern::kernel::float3; using ::quern::kernel::float4; using ::quern::kernel::floor; \
  using ::quern::kernel::floorf; using ::quern::kernel::fma; using ::quern::kernel::fmaf; \
  using ::quern::kernel::fmax; using ::quern::kernel::fmaxf; using ::quern::kernel::fmin; \
  using ::quern::kernel::fminf; using ::quern::kernel::fmod; using ::quern::kernel::fmodf; \
  using ::quern::kernel::fpclassify; using ::quern::kernel::frexp; using ::quern::kernel::frexpf; \
  using ::quern::kernel::gridDim; using ::quern::kernel::half; using ::quern::kernel::half2; \
  using ::quern::kernel::hypot; using ::quern::kernel::hypotf; using ::quern::kernel::ilogb; \
  using ::quern::kernel::ilogbf; using ::quern::kernel::int2; using ::quern::kernel::int3; \
  using ::quern::kernel::int4; using ::quern::kernel::isfinite; using ::quern::kernel::isgreater; \
  using ::quern::kernel::isgreaterequal; using ::quern::kernel::isinf; using ::quern::kernel::isinff; \
  using ::quern::kernel::isless; using ::quern::kernel::islessequal; using ::quern::kernel::islessgreater; \
  using ::quern::kernel::isnan; using ::quern::kernel::isnanf; using ::quern::kernel::isnormal; \
  using ::quern::kernel::isunordered; using ::quern::kernel::j0; using ::quern::kernel::j0f; \
  using ::quern::kernel::j1; using ::quern::kernel::j1f; using ::quern::kernel::jn; \
  using ::quern::kernel::jnf; using ::quern::kernel::labs; using ::quern::kernel::ldexp; \
  using ::quern::kernel::ldexpf; using ::quern::kernel::lgamma; using ::quern::kernel::lgammaf; \
  using ::quern::kernel::llabs; using ::quern::kernel::llrint; using ::quern::kernel::llrintf; \
  using ::quern::kernel::llround; using ::quern::kernel::llroundf; using ::quern::kernel::log; \
  using ::quern::kernel::log10; using ::quern::kernel::log10f; using ::quern::kernel::log1p; \
  using ::quern::kernel::log1pf; using ::quern::kernel::log2; using ::quern::kernel::log2f; \
  using ::quern::kernel::logb; using ::quern::kernel::logbf; using ::quern::kernel::logf; \
  using ::quern::kernel::longlong2; using ::quern::kernel::lrint; using ::quern::kernel::lrintf; \
  using ::quern::kernel::lround; using ::quern::kernel::lroundf; using ::quern::kernel::make_double2; \
  using ::quern::kernel::make_double3; using ::quern::kernel::make_double4; \
  using ::quern::kernel::make_float2; using ::quern::kernel::make_float3; \
  using ::quern::kernel::make_float4; using ::quern::kernel::make_int2; using ::quern::kernel::make_int3; \
  using ::quern::kernel::make_int4; using ::quern::kernel::make_uchar4; using ::quern::kernel::make_uint2; \
  using ::quern::kernel::make_uint3; using ::quern::kernel::make_uint4; using ::quern::kernel::max; \
  using ::quern::kernel::memcmp; using ::quern::kernel::memcpy; using ::quern::kernel::memmove; \
  using ::quern::kernel::memset; using ::quern::kernel::min; using ::quern::kernel::modf; \
  using ::quern::kernel::modff; using ::quern::kernel::nan; using ::quern::kernel::nanf; \
  using ::quern::kernel::nearbyint; using ::quern::kernel::nearbyintf; using ::quern::kernel::nextafter; \
  using ::quern::kernel::nextafterf; using ::quern::kernel::pow; using ::quern::kernel::powf; \
  using ::quern::kernel::printf; using ::quern::kernel::remainder; using ::quern::kernel::remainderf; \
  using ::quern::kernel::remquo; using ::quern::kernel::remquof; using ::quern::kernel::rint; \
  using ::quern::kernel::rintf; using ::quern::kernel::round; using ::quern::kernel::roundf; \
  using ::quern::kernel::rsqrt; using ::quern::kernel::rsqrtf; using ::quern::kernel::saturate; \
  using ::quern::kernel::scalbln; using ::quern::kernel::scalblnf; using ::quern::kernel::scalbn; \
  using ::quern::kernel::scalbnf; using ::quern::kernel::short2; using ::quern::kernel::signbit; \
  using ::quern::kernel::sin; using ::quern::kernel::sincos; using ::quern::kernel::sincosf; \
  using ::quern::kernel::sinf; using ::quern::kernel::sinh; using ::quern::kernel::sinhf; \
  using ::quern::kernel::sqrt; using ::quern::kernel::sqrtf; using ::quern::kernel::strcmp; \
  using ::quern::kernel::strlen; using ::quern::kernel::tan; using ::quern::kernel::tanf; \
  using ::quern::kernel::tanh; using ::quern::kernel::tanhf; using ::quern::kernel::tgamma; \
  using ::quern::kernel::tgammaf; using ::quern::kernel::threadIdx; using ::quern::kernel::trunc; \
  using ::quern::kernel::truncf; using ::quern::kernel::uchar2; using ::quern::kernel::uchar3; \
  using ::quern::kernel::uchar4; using ::quern::kernel::uint2; using ::quern::kernel::uint3; \
  using ::quern::kernel::uint4; using ::quern::kernel::ushort2; using ::quern::kernel::warpSize; \
  using ::quern::kernel::y0; using ::quern::kernel::y0f; using ::quern::kernel::y1; \
  using ::quern::kernel::y1f; using ::quern::kernel::yn; using ::quern::kernel::ynf;
// clang-format on
