// <limits>.

namespace std {

// The common members, with the values for types that are not numbers.
struct __limits {
  static constexpr bool is_specialized = false, is_signed = false, is_integer = false, is_exact = false;
  static constexpr bool has_infinity = false, has_quiet_NaN = false, has_signaling_NaN = false;
  static constexpr bool has_denorm_loss = false, is_iec559 = false, is_bounded = false, is_modulo = false;
  static constexpr bool traps = false, tinyness_before = false;
  static constexpr int has_denorm = 0, round_style = 0, digits = 0, digits10 = 0, max_digits10 = 0, radix = 0;
  static constexpr int min_exponent = 0, min_exponent10 = 0, max_exponent = 0, max_exponent10 = 0;
};

template <class T>
struct __integer_limits : __limits {
  static constexpr bool is_specialized = true, is_integer = true, is_exact = true, is_bounded = true;
  static constexpr bool is_signed = T(-1) < T(0), is_modulo = !is_signed;
  static constexpr int radix = 2, digits = int(sizeof(T)) * 8 - (is_signed ? 1 : 0);
  static constexpr int digits10 = digits * 301 / 1000;
  __device__ static constexpr T max() { return T(~0ull >> (64 - digits)); }
  __device__ static constexpr T min() { return T(~max()); }
  __device__ static constexpr T lowest() { return min(); }
  __device__ static constexpr T epsilon() { return T(0); }
  __device__ static constexpr T round_error() { return T(0); }
  __device__ static constexpr T infinity() { return T(0); }
  __device__ static constexpr T quiet_NaN() { return T(0); }
  __device__ static constexpr T signaling_NaN() { return T(0); }
  __device__ static constexpr T denorm_min() { return T(0); }
};

struct __float_limits : __limits {
  static constexpr bool is_specialized = true, is_signed = true, is_bounded = true, is_iec559 = true;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true;
  static constexpr int radix = 2, has_denorm = 1, round_style = 1;
};

template <class T>
struct numeric_limits : __limits {
  __device__ static constexpr T max() { return T(); }
  __device__ static constexpr T min() { return T(); }
  __device__ static constexpr T lowest() { return T(); }
};
template <class T> struct numeric_limits<const T> : numeric_limits<T> {};
template <class T> struct numeric_limits<volatile T> : numeric_limits<T> {};
template <> struct numeric_limits<char> : __integer_limits<char> {};
template <> struct numeric_limits<signed char> : __integer_limits<signed char> {};
template <> struct numeric_limits<unsigned char> : __integer_limits<unsigned char> {};
template <> struct numeric_limits<short> : __integer_limits<short> {};
template <> struct numeric_limits<unsigned short> : __integer_limits<unsigned short> {};
template <> struct numeric_limits<int> : __integer_limits<int> {};
template <> struct numeric_limits<unsigned> : __integer_limits<unsigned> {};
template <> struct numeric_limits<long> : __integer_limits<long> {};
template <> struct numeric_limits<unsigned long> : __integer_limits<unsigned long> {};
template <> struct numeric_limits<long long> : __integer_limits<long long> {};
template <> struct numeric_limits<unsigned long long> : __integer_limits<unsigned long long> {};
template <>
struct numeric_limits<bool> : __limits {
  static constexpr bool is_specialized = true, is_integer = true, is_exact = true, is_bounded = true;
  static constexpr int radix = 2, digits = 1;
  __device__ static constexpr bool max() { return true; }
  __device__ static constexpr bool min() { return false; }
  __device__ static constexpr bool lowest() { return false; }
};
template <>
struct numeric_limits<float> : __float_limits {
  static constexpr int digits = 24, digits10 = 6, max_digits10 = 9;
  static constexpr int min_exponent = -125, min_exponent10 = -37, max_exponent = 128, max_exponent10 = 38;
  __device__ static constexpr float max() { return 3.402823466e+38f; }
  __device__ static constexpr float min() { return 1.175494351e-38f; }
  __device__ static constexpr float lowest() { return -3.402823466e+38f; }
  __device__ static constexpr float epsilon() { return 1.192092896e-07f; }
  __device__ static constexpr float round_error() { return 0.5f; }
  __device__ static constexpr float infinity() { return __quern_bitcast<float>(0x7f800000u); }
  __device__ static constexpr float quiet_NaN() { return __quern_bitcast<float>(0x7fc00000u); }
  __device__ static constexpr float signaling_NaN() { return __quern_bitcast<float>(0x7fa00000u); }
  __device__ static constexpr float denorm_min() { return 1.401298464e-45f; }
};
template <>
struct numeric_limits<double> : __float_limits {
  static constexpr int digits = 53, digits10 = 15, max_digits10 = 17;
  static constexpr int min_exponent = -1021, min_exponent10 = -307, max_exponent = 1024, max_exponent10 = 308;
  __device__ static constexpr double max() { return 1.7976931348623157e+308; }
  __device__ static constexpr double min() { return 2.2250738585072014e-308; }
  __device__ static constexpr double lowest() { return -1.7976931348623157e+308; }
  __device__ static constexpr double epsilon() { return 2.2204460492503131e-16; }
  __device__ static constexpr double round_error() { return 0.5; }
  __device__ static constexpr double infinity() { return __quern_bitcast<double>(0x7ff0000000000000ull); }
  __device__ static constexpr double quiet_NaN() { return __quern_bitcast<double>(0x7ff8000000000000ull); }
  __device__ static constexpr double signaling_NaN() { return __quern_bitcast<double>(0x7ff4ull << 48); }
  __device__ static constexpr double denorm_min() { return 4.9406564584124654e-324; }
};
template <>
struct numeric_limits<__half> : __float_limits {
  static constexpr int digits = 11, digits10 = 3, max_digits10 = 5;
  static constexpr int min_exponent = -13, min_exponent10 = -4, max_exponent = 16, max_exponent10 = 4;
  __device__ static constexpr __half max() { return __ushort_as_half(0x7bff); }
  __device__ static constexpr __half min() { return __ushort_as_half(0x0400); }
  __device__ static constexpr __half lowest() { return __ushort_as_half(0xfbff); }
  __device__ static constexpr __half epsilon() { return __ushort_as_half(0x1400); }
  __device__ static constexpr __half round_error() { return __ushort_as_half(0x3800); }
  __device__ static constexpr __half infinity() { return __ushort_as_half(0x7c00); }
  __device__ static constexpr __half quiet_NaN() { return __ushort_as_half(0x7e00); }
  __device__ static constexpr __half signaling_NaN() { return __ushort_as_half(0x7d00); }
  __device__ static constexpr __half denorm_min() { return __ushort_as_half(0x0001); }
};
template <>
struct numeric_limits<__nv_bfloat16> : __float_limits {
  static constexpr int digits = 8, digits10 = 2, max_digits10 = 4;
  static constexpr int min_exponent = -125, min_exponent10 = -37, max_exponent = 128, max_exponent10 = 38;
  __device__ static constexpr __nv_bfloat16 max() { return __ushort_as_bfloat16(0x7f7f); }
  __device__ static constexpr __nv_bfloat16 min() { return __ushort_as_bfloat16(0x0080); }
  __device__ static constexpr __nv_bfloat16 lowest() { return __ushort_as_bfloat16(0xff7f); }
  __device__ static constexpr __nv_bfloat16 epsilon() { return __ushort_as_bfloat16(0x3c00); }
  __device__ static constexpr __nv_bfloat16 round_error() { return __ushort_as_bfloat16(0x3f00); }
  __device__ static constexpr __nv_bfloat16 infinity() { return __ushort_as_bfloat16(0x7f80); }
  __device__ static constexpr __nv_bfloat16 quiet_NaN() { return __ushort_as_bfloat16(0x7fc0); }
  __device__ static constexpr __nv_bfloat16 signaling_NaN() { return __ushort_as_bfloat16(0x7fa0); }
  __device__ static constexpr __nv_bfloat16 denorm_min() { return __ushort_as_bfloat16(0x0001); }
};
}  // namespace std
