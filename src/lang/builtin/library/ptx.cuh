// Inline PTX: the semantics of each instruction. The front end writes `add.u32 a, b, c` as __ptx_put(a,
// __ptx_add<unsigned>(b, c)): the name without its types, which become template arguments. A register holds
// bits; a number represents itself.

struct __ptx_r16 {
  unsigned short bits;
};
struct __ptx_r32 {
  unsigned bits;
};
struct __ptx_r64 {
  unsigned long bits;
};

template <class T, class R> __device__ T __ptx_get(R r) {
  if constexpr (std::is_arithmetic_v<R>) {
    return T(r);
  } else if constexpr (sizeof(T) == sizeof(R)) {
    return std::bit_cast<T>(r.bits);
  } else if constexpr (std::is_integral_v<T>) {
    return T(r.bits);
  } else {
    return std::bit_cast<T>((unsigned short)r.bits);
  }
}
template <class B, class V> __device__ B __ptx_bits(V v) {
  if constexpr (std::is_integral_v<V> || std::is_enum_v<V> || std::is_pointer_v<V>) {
    return B(v);
  } else if constexpr (sizeof(V) == sizeof(B)) {
    return std::bit_cast<B>(v);
  } else {
    return B(std::bit_cast<unsigned short>(v));
  }
}
template <class V> __device__ void __ptx_put(__ptx_r16& to, V v) { to.bits = __ptx_bits<unsigned short>(v); }
template <class V> __device__ void __ptx_put(__ptx_r32& to, V v) { to.bits = __ptx_bits<unsigned>(v); }
template <class V> __device__ void __ptx_put(__ptx_r64& to, V v) { to.bits = __ptx_bits<unsigned long>(v); }
__device__ void __ptx_put(bool& to, bool v) { to = v; }
template <class R, class X> __device__ void __ptx_in(R& to, X x) { __ptx_put(to, x); }
template <class X, class R> __device__ void __ptx_out(X& to, R r) {
  if constexpr (std::is_integral_v<X> || std::is_enum_v<X> || std::is_pointer_v<X>) {
    to = (X)r.bits;
  } else {
    to = std::bit_cast<X>(r.bits);
  }
}

template <class T> __device__ const char* __ptx_at(const T* p, long offset) {
  return (const char*)p + offset;
}
__device__ const char* __ptx_at(unsigned long p, long offset) { return (const char*)p + offset; }
__device__ const char* __ptx_at(__ptx_r64 p, long offset) { return (const char*)p.bits + offset; }
template <class T> __device__ std::remove_cv_t<T> __ptx_load(const char* at, int i) {
  return ((const T*)at)[i];
}
template <class T> __device__ void __ptx_store(const char* at, int i, std::remove_cv_t<T> v) {
  ((T*)at)[i] = v;
}
__device__ void __ptx_pack(__ptx_r32& to, __ptx_r16 low, __ptx_r16 high) {
  to.bits = low.bits | (unsigned)high.bits << 16;
}
__device__ void __ptx_pack(__ptx_r64& to, __ptx_r32 low, __ptx_r32 high) {
  to.bits = low.bits | (unsigned long)high.bits << 32;
}
__device__ void __ptx_unpack(__ptx_r16& low, __ptx_r16& high, __ptx_r32 from) {
  low.bits = (unsigned short)from.bits;
  high.bits = (unsigned short)(from.bits >> 16);
}
__device__ void __ptx_unpack(__ptx_r32& low, __ptx_r32& high, __ptx_r64 from) {
  low.bits = (unsigned)from.bits;
  high.bits = (unsigned)(from.bits >> 32);
}

template <class T, class A> __device__ T __ptx_mov(A a) { return __ptx_get<T>(a); }
template <class T, class A> __device__ T __ptx_not(A a) { return T(~__ptx_get<T>(a)); }
template <class T, class A> __device__ T __ptx_neg(A a) { return T(-__ptx_get<T>(a)); }
template <class T, class A> __device__ T __ptx_abs(A a) {
  if constexpr (std::is_integral_v<T>) {
    return __ptx_get<T>(a) < 0 ? T(-__ptx_get<T>(a)) : __ptx_get<T>(a);
  } else {
    return __quern_abs(__ptx_get<T>(a));
  }
}
template <class T, class A, class B> __device__ T __ptx_add(A a, B b) {
  return T(__ptx_get<T>(a) + __ptx_get<T>(b));
}
template <class T, class A, class B> __device__ T __ptx_sub(A a, B b) {
  return T(__ptx_get<T>(a) - __ptx_get<T>(b));
}
template <class T, class A, class B> __device__ T __ptx_mul(A a, B b) {
  static_assert(!std::is_integral_v<T>,
                "inline PTX with these types is not supported; write the operation in CUDA C++");
  return __ptx_get<T>(a) * __ptx_get<T>(b);
}
template <class T, class A, class B> __device__ T __ptx_add_rn(A a, B b) { return __ptx_add<T>(a, b); }
template <class T, class A, class B> __device__ T __ptx_sub_rn(A a, B b) { return __ptx_sub<T>(a, b); }
template <class T, class A, class B> __device__ T __ptx_mul_rn(A a, B b) { return __ptx_mul<T>(a, b); }
template <class T, class A, class B> __device__ T __ptx_and(A a, B b) {
  return T(__ptx_get<T>(a) & __ptx_get<T>(b));
}
template <class T, class A, class B> __device__ T __ptx_or(A a, B b) {
  return T(__ptx_get<T>(a) | __ptx_get<T>(b));
}
template <class T, class A, class B> __device__ T __ptx_xor(A a, B b) {
  return T(__ptx_get<T>(a) ^ __ptx_get<T>(b));
}
template <class T, class A, class B> __device__ T __ptx_min(A a, B b) {
  const T x = __ptx_get<T>(a), y = __ptx_get<T>(b);
  if constexpr (std::is_integral_v<T>) {
    return x < y ? x : y;
  } else if constexpr (sizeof(T) == 4 && !std::is_floating_point_v<T>) {
    return __hmin2(x, y);
  } else {
    return __quern_min(x, y);
  }
}
template <class T, class A, class B> __device__ T __ptx_max(A a, B b) {
  const T x = __ptx_get<T>(a), y = __ptx_get<T>(b);
  if constexpr (std::is_integral_v<T>) {
    return x > y ? x : y;
  } else if constexpr (sizeof(T) == 4 && !std::is_floating_point_v<T>) {
    return __hmax2(x, y);
  } else {
    return __quern_max(x, y);
  }
}

template <class T, class A, class B> __device__ T __ptx_mul_lo(A a, B b) {
  return T(__ptx_get<T>(a) * __ptx_get<T>(b));
}
template <class T, class A, class B> __device__ T __ptx_mul_hi(A a, B b) {
  return __quern_mulhi(__ptx_get<T>(a), __ptx_get<T>(b));
}
template <class T, class A, class B> __device__ auto __ptx_mul_wide(A a, B b) {
  static_assert(sizeof(T) == 4,
                "inline PTX with these types is not supported; write the operation in CUDA C++");
  if constexpr (std::is_signed_v<T>) {
    return (long)__ptx_get<T>(a) * __ptx_get<T>(b);
  } else {
    return (unsigned long)__ptx_get<T>(a) * __ptx_get<T>(b);
  }
}
template <class T, class A, class B, class C> __device__ T __ptx_mad_lo(A a, B b, C c) {
  return T(__ptx_mul_lo<T>(a, b) + __ptx_get<T>(c));
}
template <class T, class A, class B, class C> __device__ T __ptx_mad_hi(A a, B b, C c) {
  return T(__ptx_mul_hi<T>(a, b) + __ptx_get<T>(c));
}
template <class T, class A, class B, class C> __device__ auto __ptx_mad_wide(A a, B b, C c) {
  const auto product = __ptx_mul_wide<T>(a, b);
  return decltype(product + 0)(product + __ptx_get<decltype(product + 0)>(c));
}
template <class T, class A, class B, class C> __device__ T __ptx_fma_rn(A a, B b, C c) {
  if constexpr (sizeof(T) == 4 && !std::is_floating_point_v<T>) {
    return __hfma2(__ptx_get<T>(a), __ptx_get<T>(b), __ptx_get<T>(c));
  } else {
    return __quern_fma(__ptx_get<T>(a), __ptx_get<T>(b), __ptx_get<T>(c));
  }
}

template <class T> __device__ T __ptx_carry_add(T a, T b, bool in, bool& out) {
  const T sum = T(a + b), all = T(sum + T(in));
  out = sum < a || all < sum;
  return all;
}
template <class T> __device__ T __ptx_carry_sub(T a, T b, bool in, bool& out) {
  const T difference = T(a - b), all = T(difference - T(in));
  out = a < b || difference < all;
  return all;
}
template <class T, class A, class B> __device__ T __ptx_add_cc(A a, B b, bool& cc) {
  using U = std::make_unsigned_t<T>;
  return T(__ptx_carry_add<U>(__ptx_get<U>(a), __ptx_get<U>(b), false, cc));
}
template <class T, class A, class B> __device__ T __ptx_addc_cc(A a, B b, bool& cc) {
  using U = std::make_unsigned_t<T>;
  return T(__ptx_carry_add<U>(__ptx_get<U>(a), __ptx_get<U>(b), cc, cc));
}
template <class T, class A, class B> __device__ T __ptx_addc(A a, B b, bool& cc) {
  return T(__ptx_get<T>(a) + __ptx_get<T>(b) + T(cc));
}
template <class T, class A, class B> __device__ T __ptx_sub_cc(A a, B b, bool& cc) {
  using U = std::make_unsigned_t<T>;
  return T(__ptx_carry_sub<U>(__ptx_get<U>(a), __ptx_get<U>(b), false, cc));
}
template <class T, class A, class B> __device__ T __ptx_subc_cc(A a, B b, bool& cc) {
  using U = std::make_unsigned_t<T>;
  return T(__ptx_carry_sub<U>(__ptx_get<U>(a), __ptx_get<U>(b), cc, cc));
}
template <class T, class A, class B> __device__ T __ptx_subc(A a, B b, bool& cc) {
  return T(__ptx_get<T>(a) - __ptx_get<T>(b) - T(cc));
}
template <class T, class A, class B, class C> __device__ T __ptx_mad_lo_cc(A a, B b, C c, bool& cc) {
  return __ptx_add_cc<T>(__ptx_mul_lo<T>(a, b), c, cc);
}
template <class T, class A, class B, class C> __device__ T __ptx_mad_hi_cc(A a, B b, C c, bool& cc) {
  return __ptx_add_cc<T>(__ptx_mul_hi<T>(a, b), c, cc);
}
template <class T, class A, class B, class C> __device__ T __ptx_madc_lo_cc(A a, B b, C c, bool& cc) {
  return __ptx_addc_cc<T>(__ptx_mul_lo<T>(a, b), c, cc);
}
template <class T, class A, class B, class C> __device__ T __ptx_madc_hi_cc(A a, B b, C c, bool& cc) {
  return __ptx_addc_cc<T>(__ptx_mul_hi<T>(a, b), c, cc);
}
template <class T, class A, class B, class C> __device__ T __ptx_madc_lo(A a, B b, C c, bool& cc) {
  return __ptx_addc<T>(__ptx_mul_lo<T>(a, b), c, cc);
}
template <class T, class A, class B, class C> __device__ T __ptx_madc_hi(A a, B b, C c, bool& cc) {
  return __ptx_addc<T>(__ptx_mul_hi<T>(a, b), c, cc);
}

template <class T, class A, class B> __device__ T __ptx_shl(A a, B b) {
  const unsigned n = __ptx_get<unsigned>(b);
  return n < sizeof(T) * 8 ? T(__ptx_get<T>(a) << n) : T(0);
}
template <class T, class A, class B> __device__ T __ptx_shr(A a, B b) {
  const unsigned n = __ptx_get<unsigned>(b);
  const T x = __ptx_get<T>(a);
  return n < sizeof(T) * 8 ? T(x >> n) : x < T(0) ? T(-1) : T(0);
}
template <class T, class A, class B, class C> __device__ T __ptx_shf_l_wrap(A a, B b, C c) {
  return __funnelshift_l(__ptx_get<T>(a), __ptx_get<T>(b), __ptx_get<unsigned>(c));
}
template <class T, class A, class B, class C> __device__ T __ptx_shf_r_wrap(A a, B b, C c) {
  return __funnelshift_r(__ptx_get<T>(a), __ptx_get<T>(b), __ptx_get<unsigned>(c));
}
template <class T, class A, class B, class C> __device__ T __ptx_shf_l_clamp(A a, B b, C c) {
  return __funnelshift_lc(__ptx_get<T>(a), __ptx_get<T>(b), __ptx_get<unsigned>(c));
}
template <class T, class A, class B, class C> __device__ T __ptx_shf_r_clamp(A a, B b, C c) {
  return __funnelshift_rc(__ptx_get<T>(a), __ptx_get<T>(b), __ptx_get<unsigned>(c));
}
template <class T, class A, class B, class C, class D> __device__ T __ptx_lop3(A a, B b, C c, D table) {
  const unsigned x = __ptx_get<T>(a), y = __ptx_get<T>(b), z = __ptx_get<T>(c);
  const unsigned t = __ptx_get<unsigned>(table);
  unsigned out = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if (t >> i & 1) out |= (i & 4 ? x : ~x) & (i & 2 ? y : ~y) & (i & 1 ? z : ~z);
  }
  return out;
}
template <class T, class A, class B, class C> __device__ T __ptx_prmt(A a, B b, C c) {
  const unsigned selector = __ptx_get<unsigned>(c);
  const unsigned bytes = __byte_perm(__ptx_get<T>(a), __ptx_get<T>(b), selector);
  const unsigned signs = (bytes >> 7 & 0x01010101u) * 0xffu;
  unsigned spread = 0;
  for (int i = 0; i < 4; ++i) spread |= selector >> (4 * i + 3) & 1 ? 0xffu << 8 * i : 0u;
  return (bytes & ~spread) | (signs & spread);
}
template <class T, class A, class B, class C> __device__ T __ptx_bfe(A a, B b, C c) {
  using U = std::make_unsigned_t<T>;
  const unsigned width = sizeof(T) * 8;
  const unsigned from = __ptx_get<unsigned>(b) & 255, count = __ptx_get<unsigned>(c) & 255;
  if (count == 0) return 0;
  const T x = __ptx_get<T>(a);
  const T shifted = from < width ? T(x >> from) : x < T(0) ? T(-1) : T(0);
  if (from + count >= width || count >= width) return shifted;
  const unsigned rest = width - count;
  return T(T(U(shifted) << rest) >> rest);
}
template <class T, class A, class B, class C, class D> __device__ T __ptx_bfi(A a, B b, C c, D d) {
  const unsigned width = sizeof(T) * 8;
  const unsigned from = __ptx_get<unsigned>(c) & 255, count = __ptx_get<unsigned>(d) & 255;
  if (from >= width) return __ptx_get<T>(b);
  const T mask = T((count >= width ? T(-1) : T((T(1) << count) - 1)) << from);
  return T((__ptx_get<T>(b) & ~mask) | (T(__ptx_get<T>(a) << from) & mask));
}
template <class T, class A> __device__ T __ptx_brev(A a) { return __quern_brev(__ptx_get<T>(a)); }
template <class T, class A> __device__ unsigned __ptx_popc(A a) { return __quern_popc(__ptx_get<T>(a)); }
template <class T, class A> __device__ unsigned __ptx_clz(A a) { return __quern_clz(__ptx_get<T>(a)); }
template <class T, class A> __device__ unsigned __ptx_bfind(A a) {
  const T x = __ptx_get<T>(a);
  const std::make_unsigned_t<T> y = x < T(0) ? ~x : x;
  return sizeof(T) * 8 - 1 - __quern_clz(y);
}

template <class T, class A, class B, class P> __device__ T __ptx_selp(A a, B b, P p) {
  return bool(p) ? __ptx_get<T>(a) : __ptx_get<T>(b);
}
template <class T, class A, class B> __device__ bool __ptx_setp_eq(A a, B b) {
  return __ptx_get<T>(a) == __ptx_get<T>(b);
}
template <class T, class A, class B> __device__ bool __ptx_setp_ne(A a, B b) {
  return __ptx_get<T>(a) < __ptx_get<T>(b) || __ptx_get<T>(a) > __ptx_get<T>(b);
}
template <class T, class A, class B> __device__ bool __ptx_setp_lt(A a, B b) {
  return __ptx_get<T>(a) < __ptx_get<T>(b);
}
template <class T, class A, class B> __device__ bool __ptx_setp_le(A a, B b) {
  return __ptx_get<T>(a) <= __ptx_get<T>(b);
}
template <class T, class A, class B> __device__ bool __ptx_setp_gt(A a, B b) {
  return __ptx_get<T>(a) > __ptx_get<T>(b);
}
template <class T, class A, class B> __device__ bool __ptx_setp_ge(A a, B b) {
  return __ptx_get<T>(a) >= __ptx_get<T>(b);
}

template <class To, class From, class A> __device__ To __ptx_cvt(A a) {
  static_assert(std::is_integral_v<To> == std::is_integral_v<From>,
                "inline PTX with these types is not supported; write the operation in CUDA C++");
  return To(__ptx_get<From>(a));
}
template <class To, class From, class A> __device__ To __ptx_cvt_sat(A a) {
  static_assert(std::is_integral_v<To> && std::is_integral_v<From> && sizeof(From) <= 4,
                "inline PTX with these types is not supported; write the operation in CUDA C++");
  const long x = (long)__ptx_get<From>(a), low = (long)std::numeric_limits<To>::min();
  const long high = (long)std::numeric_limits<To>::max();
  return To(x < low ? low : x > high ? high : x);
}
template <class To, class From, class A> __device__ To __ptx_cvt_rn(A a) {
  static_assert(!std::is_integral_v<To>,
                "inline PTX with these types is not supported; write the operation in CUDA C++");
  return To(__ptx_get<From>(a));
}
template <class To, class From, class A, class B> __device__ To __ptx_cvt_rn(A high, B low) {
  To pair;
  pair.x = __ptx_get<From>(low);
  pair.y = __ptx_get<From>(high);
  return pair;
}
template <class To, class From, class A> __device__ To __ptx_cvt_rni(A a) {
  static_assert(std::is_integral_v<To> && !std::is_integral_v<From>,
                "inline PTX with these types is not supported; write the operation in CUDA C++");
  if constexpr (sizeof(From) == 2) {
    return To(__quern_rint(float(__ptx_get<From>(a))));
  } else {
    return To(__quern_rint(__ptx_get<From>(a)));
  }
}
template <class To, class From, class A> __device__ To __ptx_cvt_rni_sat(A a) {
  return __ptx_cvt_rni<To, From>(a);
}
template <class To, class From, class A> __device__ To __ptx_cvt_rzi(A a) {
  static_assert(std::is_integral_v<To> && !std::is_integral_v<From>,
                "inline PTX with these types is not supported; write the operation in CUDA C++");
  return To(__ptx_get<From>(a));
}
template <class To, class From, class A> __device__ To __ptx_cvt_rmi(A a) {
  return __ptx_cvt_rzi<To, From>(__quern_floor(__ptx_get<From>(a)));
}
template <class To, class From, class A> __device__ To __ptx_cvt_rpi(A a) {
  return __ptx_cvt_rzi<To, From>(__quern_ceil(__ptx_get<From>(a)));
}
template <class To, class From, class A> __device__ To __ptx_cvt_rmi_sat(A a) {
  return __ptx_cvt_rmi<To, From>(a);
}
template <class To, class From, class A> __device__ To __ptx_cvt_rpi_sat(A a) {
  return __ptx_cvt_rpi<To, From>(a);
}
template <class To, class From, class A> __device__ To __ptx_cvt_rzi_sat(A a) {
  return __ptx_cvt_rzi<To, From>(a);
}
template <class To, class From, class Rest, class A, class B, class C>
__device__ Rest __ptx_cvt_pack_sat(A a, B b, C c) {
  static_assert(sizeof(To) == 1 && sizeof(From) == 4 && sizeof(Rest) == 4,
                "inline PTX with these types is not supported; write the operation in CUDA C++");
  const Rest high = (unsigned char)__ptx_cvt_sat<To, From>(a);
  const Rest low = (unsigned char)__ptx_cvt_sat<To, From>(b);
  return __ptx_get<Rest>(c) << 16 | high << 8 | low;
}

template <class T, class A> __device__ float __ptx_ex2_approx(A a) {
  static_assert(std::is_same_v<T, float>,
                "this inline PTX is supported for f32 only; write the operation in CUDA C++");
  return __quern_exp2(__ptx_get<float>(a));
}
template <class T, class A> __device__ float __ptx_lg2_approx(A a) {
  static_assert(std::is_same_v<T, float>,
                "this inline PTX is supported for f32 only; write the operation in CUDA C++");
  return __log2f(__ptx_get<float>(a));
}
template <class T, class A> __device__ float __ptx_sin_approx(A a) {
  static_assert(std::is_same_v<T, float>,
                "this inline PTX is supported for f32 only; write the operation in CUDA C++");
  return __sinf(__ptx_get<float>(a));
}
template <class T, class A> __device__ float __ptx_cos_approx(A a) {
  static_assert(std::is_same_v<T, float>,
                "this inline PTX is supported for f32 only; write the operation in CUDA C++");
  return __cosf(__ptx_get<float>(a));
}
template <class T, class A> __device__ float __ptx_tanh_approx(A a) {
  static_assert(std::is_same_v<T, float>,
                "this inline PTX is supported for f32 only; write the operation in CUDA C++");
  return __tanhf(__ptx_get<float>(a));
}
template <class T, class A> __device__ float __ptx_rcp_approx(A a) {
  static_assert(std::is_same_v<T, float>,
                "this inline PTX is supported for f32 only; write the operation in CUDA C++");
  return __fdividef(1.0f, __ptx_get<float>(a));
}
template <class T, class A> __device__ float __ptx_rsqrt_approx(A a) {
  static_assert(std::is_same_v<T, float>,
                "this inline PTX is supported for f32 only; write the operation in CUDA C++");
  return rsqrtf(__ptx_get<float>(a));
}
template <class T, class A> __device__ float __ptx_sqrt_approx(A a) {
  static_assert(std::is_same_v<T, float>,
                "this inline PTX is supported for f32 only; write the operation in CUDA C++");
  return sqrtf(__ptx_get<float>(a));
}
template <class T, class A, class B> __device__ float __ptx_div_approx(A a, B b) {
  static_assert(std::is_same_v<T, float>,
                "this inline PTX is supported for f32 only; write the operation in CUDA C++");
  return __fdividef(__ptx_get<float>(a), __ptx_get<float>(b));
}
template <class T, class A> __device__ float __ptx_ex2_approx_ftz(A a) { return __ptx_ex2_approx<T>(a); }
template <class T, class A> __device__ float __ptx_lg2_approx_ftz(A a) { return __ptx_lg2_approx<T>(a); }
template <class T, class A> __device__ float __ptx_sin_approx_ftz(A a) { return __ptx_sin_approx<T>(a); }
template <class T, class A> __device__ float __ptx_cos_approx_ftz(A a) { return __ptx_cos_approx<T>(a); }
template <class T, class A> __device__ float __ptx_rcp_approx_ftz(A a) { return __ptx_rcp_approx<T>(a); }
template <class T, class A> __device__ float __ptx_rsqrt_approx_ftz(A a) { return __ptx_rsqrt_approx<T>(a); }
template <class T, class A> __device__ float __ptx_sqrt_approx_ftz(A a) { return __ptx_sqrt_approx<T>(a); }

template <class T, class U, class A, class B, class C> __device__ T __ptx_dp4a(A a, B b, C c) {
  static_assert(sizeof(T) == 4 && std::is_same_v<T, U>,
                "inline PTX with these types is not supported; write the operation in CUDA C++");
  return __dp4a(__ptx_get<T>(a), __ptx_get<T>(b), __ptx_get<T>(c));
}
template <class T> __device__ T __ptx_activemask() { return __activemask(); }
template <class T, class A, class M> __device__ T __ptx_redux_sync_add(A a, M mask) {
  return __reduce_add_sync(__ptx_get<unsigned>(mask), __ptx_get<T>(a));
}
template <class T, class A, class M> __device__ T __ptx_redux_sync_min(A a, M mask) {
  return __reduce_min_sync(__ptx_get<unsigned>(mask), __ptx_get<T>(a));
}
template <class T, class A, class M> __device__ T __ptx_redux_sync_max(A a, M mask) {
  return __reduce_max_sync(__ptx_get<unsigned>(mask), __ptx_get<T>(a));
}
