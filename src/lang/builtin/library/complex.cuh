// cuComplex.h: complex numbers as float2 and double2.

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = float2;

__device__ constexpr float cuCrealf(cuFloatComplex z) { return z.x; }
__device__ constexpr float cuCimagf(cuFloatComplex z) { return z.y; }
__device__ constexpr cuFloatComplex make_cuFloatComplex(float re, float im) { return float2{re, im}; }
__device__ constexpr cuComplex make_cuComplex(float re, float im) { return float2{re, im}; }
__device__ constexpr cuFloatComplex cuConjf(cuFloatComplex z) { return float2{z.x, -z.y}; }
__device__ cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) { return float2{a.x + b.x, a.y + b.y}; }
__device__ cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b) { return float2{a.x - b.x, a.y - b.y}; }
__device__ cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) {
  return float2{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
__device__ cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b) {
  float scale = 1.0f / (__quern_abs(b.x) + __quern_abs(b.y));
  float ax = a.x * scale;
  float ay = a.y * scale;
  float bx = b.x * scale;
  float by = b.y * scale;
  float inverse = 1.0f / (bx * bx + by * by);
  return float2{(ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse};
}
__device__ float cuCabsf(cuFloatComplex z) {
  float x = __quern_abs(z.x);
  float y = __quern_abs(z.y);
  float most = x > y ? x : y;
  float least = x > y ? y : x;
  if (most == 0.0f || most > 3.402823466e38f || least > 3.402823466e38f) return most + least;
  float ratio = least / most;
  return most * __quern_sqrt(1.0f + ratio * ratio);
}
__device__ cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) {
  float re = a.x * b.x + c.x;
  float im = a.x * b.y + c.y;
  return float2{-(a.y * b.y) + re, a.y * b.x + im};
}

__device__ constexpr double cuCreal(cuDoubleComplex z) { return z.x; }
__device__ constexpr double cuCimag(cuDoubleComplex z) { return z.y; }
__device__ constexpr cuDoubleComplex make_cuDoubleComplex(double re, double im) { return double2{re, im}; }
__device__ constexpr cuDoubleComplex cuConj(cuDoubleComplex z) { return double2{z.x, -z.y}; }
__device__ cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b) {
  return double2{a.x + b.x, a.y + b.y};
}
__device__ cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b) {
  return double2{a.x - b.x, a.y - b.y};
}
__device__ cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b) {
  return double2{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
__device__ cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b) {
  double scale = 1.0 / (__quern_abs(b.x) + __quern_abs(b.y));
  double ax = a.x * scale;
  double ay = a.y * scale;
  double bx = b.x * scale;
  double by = b.y * scale;
  double inverse = 1.0 / (bx * bx + by * by);
  return double2{(ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse};
}
__device__ double cuCabs(cuDoubleComplex z) {
  double x = __quern_abs(z.x);
  double y = __quern_abs(z.y);
  double most = x > y ? x : y;
  double least = x > y ? y : x;
  if (most == 0.0 || most > 1.79769313486231570e+308 || least > 1.79769313486231570e+308) return most + least;
  double ratio = least / most;
  return most * __quern_sqrt(1.0 + ratio * ratio);
}
__device__ cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) {
  double re = a.x * b.x + c.x;
  double im = a.x * b.y + c.y;
  return double2{-(a.y * b.y) + re, a.y * b.x + im};
}

__device__ constexpr cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return double2{double(z.x), double(z.y)};
}
__device__ constexpr cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return float2{float(z.x), float(z.y)};
}
