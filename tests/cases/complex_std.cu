// Complex numbers and the parts of the C++ library that kernels use.
#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <climits>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cuComplex.h>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

//! run cuda_complex(f32[10])
//! out = 4 1 -2 3 5 5 0.1 0.7 1 -2
__global__ void cuda_complex(float* out) {
  cuFloatComplex a = make_cuFloatComplex(1, 2), b = make_cuFloatComplex(3, -1);
  cuFloatComplex sum = cuCaddf(a, b), difference = cuCsubf(a, b), product = cuCmulf(a, b);
  cuFloatComplex quotient = cuCdivf(a, b), mirrored = cuConjf(a);
  out[0] = cuCrealf(sum);
  out[1] = cuCimagf(sum);
  out[2] = difference.x;
  out[3] = difference.y;
  out[4] = product.x;
  out[5] = product.y;
  out[6] = quotient.x;
  out[7] = quotient.y;
  out[8] = mirrored.x;
  out[9] = mirrored.y;
}

//! run cuda_complex_double(f64[4])
//! out = 5 -5 10 5
__global__ void cuda_complex_double(double* out) {
  cuDoubleComplex z = make_cuDoubleComplex(3, 4), i = make_cuDoubleComplex(0, 1);
  out[0] = cuCabs(z);
  cuDoubleComplex r = cuCfma(z, i, make_cuDoubleComplex(-1, 2));
  out[1] = cuCreal(r);
  out[2] = cuCimag(cuCadd(r, make_cuDoubleComplex(0, 5)));
  out[3] = cuCabsf(cuComplexDoubleToFloat(z));
}

//! run complex_squares(f32x2[2]=iota, f32x2[2]) block 2
//! out = {-1, 0} {-5, 12}
__global__ void complex_squares(const cuComplex* in, cuComplex* out) {
  cuComplex z = in[threadIdx.x];
  out[threadIdx.x] = cuCmulf(z, z);
}

//! run std_complex_functions(f64[6])
//! out ~1e-11 = -1 0.00000001 1.57079632679 2 0 1
__global__ void std_complex_functions(double* out) {
  std::complex<double> i(0, 1);
  std::complex<double> e = std::exp(i * 3.14159265358979323846);
  out[0] = e.real();
  out[1] = e.imag() < 1e-15 ? 1e-8 : 0;
  out[2] = std::arg(i);
  out[3] = std::sqrt(std::complex<double>(-4, 0)).imag();
  out[4] = std::sqrt(std::complex<double>(-4, 0)).real();
  out[5] = std::polar(1.0, 0.0).real();
}

//! run minimum_and_maximum(i32[4], f32[2])
//! out = 2 9 -4 5
//! reals = 1.5 2.5
__global__ void minimum_and_maximum(int* out, float* reals) {
  out[0] = std::min(2, 9);
  out[1] = std::max(2, 9);
  out[2] = std::min<int>(-4, (short)3);
  out[3] = std::max(3, 5, [](int a, int b) { return a < b; });
  reals[0] = std::min(1.5f, 2.5f);
  reals[1] = std::max(1.5f, 2.5f);
}

//! run clamped(i32[3])
//! out = 0 10 7
__global__ void clamped(int* out) {
  int values[] = {-5, 50, 7};
  for (int i = 0; i < 3; ++i) out[i] = std::clamp(values[i], 0, 10);
}

struct Pair {
  int a;
  float b;
};
//! run swapped(i32[4])
//! out = 2 1 4 3
__global__ void swapped(int* out) {
  int a = 1, b = 2;
  std::swap(a, b);
  out[0] = a;
  out[1] = b;
  Pair p = {3, 0.5f}, q = {4, 1.5f};
  std::swap(p, q);
  out[2] = p.a;
  out[3] = q.a;
}

//! run exchanged(i32[2])
//! out = 5 8
__global__ void exchanged(int* out) {
  int a = 5;
  out[0] = std::exchange(a, 8);
  out[1] = a;
}

//! run arrays(i32[6])
//! out = 10 4 1 4 100 7
__global__ void arrays(int* out) {
  std::array<int, 4> a = {1, 2, 3, 4};
  int sum = 0;
  for (int v : a) sum += v;
  out[0] = sum;
  out[1] = a.size();
  out[2] = a.front();
  out[3] = a.back();
  a[2] = 100;
  out[4] = a.data()[2];
  std::array<int, 3> b;
  b.fill(7);
  out[5] = b[1];
}

//! run arrays_compare(i32[2])
//! out = 1 1
__global__ void arrays_compare(int* out) {
  std::array<float, 2> a{1, 2}, b{1, 2}, c{1, 3};
  out[0] = a == b;
  out[1] = a != c;
}

//! run pairs(f32[5])
//! out = 3 0.5 4 0.25 1
__global__ void pairs(float* out) {
  std::pair<int, float> p(3, 0.5f);
  out[0] = p.first;
  out[1] = p.second;
  auto q = std::make_pair(4, 0.25f);
  auto [n, x] = q;
  out[2] = n;
  out[3] = x;
  out[4] = p < q;
}

//! run bits_cast(u32[1], f32[1], u64[1])
//! a = 1078530011
//! b = 1
//! c = 4614256656552045848
__global__ void bits_cast(unsigned* a, float* b, unsigned long long* c) {
  *a = std::bit_cast<unsigned>(3.14159274f);
  *b = std::bit_cast<float>(0x3f800000);
  *c = std::bit_cast<unsigned long long>(3.141592653589793);
}

//! run bit_functions(48, u32[8])
//! out = 2 26 4 6 32 64 0 196608
__global__ void bit_functions(unsigned x, unsigned* out) {
  out[0] = std::popcount(x);
  out[1] = std::countl_zero(x);
  out[2] = std::countr_zero(x);
  out[3] = std::bit_width(x);
  out[4] = std::bit_floor(x);
  out[5] = std::bit_ceil(x);
  out[6] = std::has_single_bit(x);
  out[7] = std::rotl(x, 12);
}

//! run limits_of_integers(i64[6])
//! out = 2147483647 -2147483648 255 -128 9223372036854775807 31
__global__ void limits_of_integers(long long* out) {
  out[0] = std::numeric_limits<int>::max();
  out[1] = std::numeric_limits<int>::min();
  out[2] = std::numeric_limits<unsigned char>::max();
  out[3] = std::numeric_limits<signed char>::lowest();
  out[4] = std::numeric_limits<long long>::max();
  out[5] = std::numeric_limits<int>::digits;
}

//! run limits_of_reals(f32[5])
//! out = 3.4028235e+38 1.1754944e-38 -3.4028235e+38 1.1920929e-07 inf
__global__ void limits_of_reals(float* out) {
  out[0] = std::numeric_limits<float>::max();
  out[1] = std::numeric_limits<float>::min();
  out[2] = std::numeric_limits<float>::lowest();
  out[3] = std::numeric_limits<float>::epsilon();
  out[4] = std::numeric_limits<float>::infinity();
}

//! run constants_of_c(f64[6])
//! out = 3.4028234663852886e+38 2.220446049250313e-16 2147483647 3.141592653589793 1 4294967295
__global__ void constants_of_c(double* out) {
  out[0] = FLT_MAX;
  out[1] = DBL_EPSILON;
  out[2] = INT_MAX;
  out[3] = M_PI;
  out[4] = INFINITY > DBL_MAX;
  out[5] = UINT_MAX;
}

//! run fixed_width_types(i64[6])
//! out = -1 255 -1 65535 4294967295 8
__global__ void fixed_width_types(long long* out) {
  out[0] = (int8_t)255;
  out[1] = (uint8_t)-1;
  out[2] = std::int16_t(65535);
  out[3] = std::uint16_t(-1);
  out[4] = (uint32_t)-1;
  out[5] = sizeof(std::size_t) + sizeof(int64_t) + sizeof(uintptr_t) - 16;
}

template <class F>
__device__ int twice(F&& f, int x) { return std::forward<F>(f)(std::forward<F>(f)(x)); }
//! run forwarded(i32[1])
//! out = 12
__global__ void forwarded(int* out) {
  out[0] = twice([](int x) { return 2 * x; }, 3);
}

//! run function_objects(i32[5])
//! out = 7 12 1 -3 1
__global__ void function_objects(int* out) {
  out[0] = std::plus<int>()(3, 4);
  out[1] = std::multiplies<>{}(3, 4);
  out[2] = std::less<float>()(1.0f, 2.0f);
  out[3] = std::negate<int>()(3);
  out[4] = std::logical_and<bool>()(true, true);
}

//! run searches(i32[8]=iota, i32[3])
//! out = 5 6 28
__global__ void searches(const int* in, int* out) {
  out[0] = std::lower_bound(in, in + 8, 5) - in;
  out[1] = std::upper_bound(in, in + 8, 5) - in;
  out[2] = std::accumulate(in, in + 8, 0);
}

//! run std_complex_arithmetic(f32[7])
//! out = -1 8 3 -4 5 25 -1
__global__ void std_complex_arithmetic(float* out) {
  std::complex<float> a(1, 2), b(3, 2);
  std::complex<float> p = a * b;
  out[0] = p.real();
  out[1] = p.imag();
  std::complex<float> c = std::conj(std::complex<float>(3, 4));
  out[2] = std::real(c);
  out[3] = c.imag();
  out[4] = std::abs(c);
  out[5] = std::norm(c);
  a = a / 2.0f - std::complex<float>(0, 2);
  out[6] = a.imag();
}

//! run std_complex(f32[8])
//! out = -1 8 3 -4 5 25 0.5 -1
__global__ void std_complex(float* out) {
  std::complex<float> a(1, 2), b(3, 2);
  std::complex<float> p = a * b;
  out[0] = p.real();
  out[1] = p.imag();
  std::complex<float> c = std::conj(std::complex<float>(3, 4));
  out[2] = std::real(c);
  out[3] = c.imag();
  out[4] = std::abs(c);
  out[5] = std::norm(c);
  a /= 2.0f;
  out[6] = a.real();
  a -= std::complex<float>(0, 2);
  out[7] = a.imag();
}

__device__ std::tuple<int, int> divide(int a, int b) { return std::make_tuple(a / b, a % b); }
//! run tied(i32[2])
//! out = 3 2
__global__ void tied(int* out) {
  int quotient, rest;
  std::tie(quotient, rest) = divide(17, 5);
  out[0] = quotient;
  out[1] = rest;
}
