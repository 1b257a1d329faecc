// Arithmetic, comparisons and functions of half numbers and their pairs.

__device__ __half __lib_saturate(__half x) { return __quern_min(__quern_max(x, __half(0.0f)), __half(1.0f)); }
__device__ __half __hmin(__half a, __half b) { return __quern_min(a, b); }
__device__ __half __hmax(__half a, __half b) { return __quern_max(a, b); }
__device__ __half __hmin_nan(__half a, __half b) {
  return a != a || b != b ? __ushort_as_half(0x7fff) : __quern_min(a, b);
}
__device__ __half __hmax_nan(__half a, __half b) {
  return a != a || b != b ? __ushort_as_half(0x7fff) : __quern_max(a, b);
}
__device__ __half __hadd(__half a, __half b) { return a + b; }
__device__ __half __hadd_rn(__half a, __half b) { return a + b; }
__device__ __half __hadd_sat(__half a, __half b) { return __lib_saturate(__half(a + b)); }
__device__ __half __hsub(__half a, __half b) { return a - b; }
__device__ __half __hsub_rn(__half a, __half b) { return a - b; }
__device__ __half __hsub_sat(__half a, __half b) { return __lib_saturate(__half(a - b)); }
__device__ __half __hmul(__half a, __half b) { return a * b; }
__device__ __half __hmul_rn(__half a, __half b) { return a * b; }
__device__ __half __hmul_sat(__half a, __half b) { return __lib_saturate(__half(a * b)); }
__device__ __half __hdiv(__half a, __half b) { return a / b; }
__device__ __half __hfma(__half a, __half b, __half c) { return __quern_fma(a, b, c); }
__device__ __half __hfma_sat(__half a, __half b, __half c) { return __lib_saturate(__quern_fma(a, b, c)); }
__device__ __half __hfma_relu(__half a, __half b, __half c) {
  return __hmax_nan(__quern_fma(a, b, c), __half(0.0f));
}
__device__ __half __hneg(__half a) { return -a; }
__device__ __half __habs(__half a) { return __quern_abs(a); }
__device__ bool __hisnan(__half a) { return __quern_isnan(a); }
__device__ int __hisinf(__half a) { return !__quern_isinf(a) ? 0 : __quern_signbit(a) ? -1 : 1; }
__device__ bool isnan(__half a) { return __quern_isnan(a); }
__device__ bool isinf(__half a) { return __quern_isinf(a); }

// Comparisons are false if an operand is NaN; those with the suffix u are true then.
__device__ bool __heq(__half a, __half b) { return a == b; }
__device__ bool __hne(__half a, __half b) { return a < b || a > b; }
__device__ bool __hlt(__half a, __half b) { return a < b; }
__device__ bool __hle(__half a, __half b) { return a <= b; }
__device__ bool __hgt(__half a, __half b) { return a > b; }
__device__ bool __hge(__half a, __half b) { return a >= b; }
__device__ bool __hequ(__half a, __half b) { return !(a < b || a > b); }
__device__ bool __hneu(__half a, __half b) { return !(a == b); }
__device__ bool __hltu(__half a, __half b) { return !(a >= b); }
__device__ bool __hleu(__half a, __half b) { return !(a > b); }
__device__ bool __hgtu(__half a, __half b) { return !(a <= b); }
__device__ bool __hgeu(__half a, __half b) { return !(a < b); }

// Functions.
__device__ __half hsqrt(__half x) { return __quern_sqrt(x); }
__device__ __half hrsqrt(__half x) { return __quern_rsqrt(x); }
__device__ __half hlog(__half x) { return __quern_log(x); }
__device__ __half hlog2(__half x) { return __quern_log2(x); }
__device__ __half hlog10(__half x) { return __quern_log10(x); }
__device__ __half hexp(__half x) { return __quern_exp(x); }
__device__ __half hexp2(__half x) { return __quern_exp2(x); }
__device__ __half hexp10(__half x) { return __quern_exp10(x); }
__device__ __half hsin(__half x) { return __quern_sin(x); }
__device__ __half hcos(__half x) { return __quern_cos(x); }
__device__ __half htanh(__half x) { return __quern_tanh(x); }
__device__ __half hfloor(__half x) { return __quern_floor(x); }
__device__ __half hceil(__half x) { return __quern_ceil(x); }
__device__ __half htrunc(__half x) { return __quern_trunc(x); }
__device__ __half hrint(__half x) { return __quern_rint(x); }
__device__ __half hrcp(__half x) { return __half(1.0f) / x; }
__device__ __half htanh_approx(__half x) { return __quern_fast_tanh(x); }

// The same on pairs, member by member.
__device__ __half2 __hadd2(__half2 a, __half2 b) { return __half2(__hadd(a.x, b.x), __hadd(a.y, b.y)); }
__device__ __half2 __hadd2_rn(__half2 a, __half2 b) {
  return __half2(__hadd_rn(a.x, b.x), __hadd_rn(a.y, b.y));
}
__device__ __half2 __hadd2_sat(__half2 a, __half2 b) {
  return __half2(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y));
}
__device__ __half2 __hsub2(__half2 a, __half2 b) { return __half2(__hsub(a.x, b.x), __hsub(a.y, b.y)); }
__device__ __half2 __hsub2_rn(__half2 a, __half2 b) {
  return __half2(__hsub_rn(a.x, b.x), __hsub_rn(a.y, b.y));
}
__device__ __half2 __hsub2_sat(__half2 a, __half2 b) {
  return __half2(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y));
}
__device__ __half2 __hmul2(__half2 a, __half2 b) { return __half2(__hmul(a.x, b.x), __hmul(a.y, b.y)); }
__device__ __half2 __hmul2_rn(__half2 a, __half2 b) {
  return __half2(__hmul_rn(a.x, b.x), __hmul_rn(a.y, b.y));
}
__device__ __half2 __hmul2_sat(__half2 a, __half2 b) {
  return __half2(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y));
}
__device__ __half2 __h2div(__half2 a, __half2 b) { return __half2(a.x / b.x, a.y / b.y); }
__device__ __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
__device__ __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
__device__ __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
__device__ __half2 __hcmadd(__half2 a, __half2 b, __half2 c) {
  __half re = __quern_fma(-a.y, b.y, __quern_fma(a.x, b.x, c.x));
  __half im = __quern_fma(a.y, b.x, __quern_fma(a.x, b.y, c.y));
  return __half2(re, im);
}
__device__ __half2 __hneg2(__half2 a) { return __half2(-a.x, -a.y); }
__device__ __half2 __habs2(__half2 a) { return __half2(__quern_abs(a.x), __quern_abs(a.y)); }
__device__ __half2 __hmin2(__half2 a, __half2 b) {
  return __half2(__quern_min(a.x, b.x), __quern_min(a.y, b.y));
}
__device__ __half2 __hmin2_nan(__half2 a, __half2 b) {
  return __half2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y));
}
__device__ __half2 __hmax2(__half2 a, __half2 b) {
  return __half2(__quern_max(a.x, b.x), __quern_max(a.y, b.y));
}
__device__ __half2 __hmax2_nan(__half2 a, __half2 b) {
  return __half2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y));
}
__device__ __half2 __hisnan2(__half2 a) {
  return __half2(__half(float(__hisnan(a.x))), __half(float(__hisnan(a.y))));
}

// Comparisons of pairs: 1 or 0 in each member; as masks; of both members.
__device__ __half2 __heq2(__half2 a, __half2 b) {
  return __half2(__half(float(__heq(a.x, b.x))), __half(float(__heq(a.y, b.y))));
}
__device__ __half2 __hne2(__half2 a, __half2 b) {
  return __half2(__half(float(__hne(a.x, b.x))), __half(float(__hne(a.y, b.y))));
}
__device__ __half2 __hlt2(__half2 a, __half2 b) {
  return __half2(__half(float(__hlt(a.x, b.x))), __half(float(__hlt(a.y, b.y))));
}
__device__ __half2 __hle2(__half2 a, __half2 b) {
  return __half2(__half(float(__hle(a.x, b.x))), __half(float(__hle(a.y, b.y))));
}
__device__ __half2 __hgt2(__half2 a, __half2 b) {
  return __half2(__half(float(__hgt(a.x, b.x))), __half(float(__hgt(a.y, b.y))));
}
__device__ __half2 __hge2(__half2 a, __half2 b) {
  return __half2(__half(float(__hge(a.x, b.x))), __half(float(__hge(a.y, b.y))));
}
__device__ __half2 __hequ2(__half2 a, __half2 b) {
  return __half2(__half(float(__hequ(a.x, b.x))), __half(float(__hequ(a.y, b.y))));
}
__device__ __half2 __hneu2(__half2 a, __half2 b) {
  return __half2(__half(float(__hneu(a.x, b.x))), __half(float(__hneu(a.y, b.y))));
}
__device__ __half2 __hltu2(__half2 a, __half2 b) {
  return __half2(__half(float(__hltu(a.x, b.x))), __half(float(__hltu(a.y, b.y))));
}
__device__ __half2 __hleu2(__half2 a, __half2 b) {
  return __half2(__half(float(__hleu(a.x, b.x))), __half(float(__hleu(a.y, b.y))));
}
__device__ __half2 __hgtu2(__half2 a, __half2 b) {
  return __half2(__half(float(__hgtu(a.x, b.x))), __half(float(__hgtu(a.y, b.y))));
}
__device__ __half2 __hgeu2(__half2 a, __half2 b) {
  return __half2(__half(float(__hgeu(a.x, b.x))), __half(float(__hgeu(a.y, b.y))));
}
__device__ unsigned __heq2_mask(__half2 a, __half2 b) {
  return (__heq(a.x, b.x) ? 0xffffu : 0u) | (__heq(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hne2_mask(__half2 a, __half2 b) {
  return (__hne(a.x, b.x) ? 0xffffu : 0u) | (__hne(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hlt2_mask(__half2 a, __half2 b) {
  return (__hlt(a.x, b.x) ? 0xffffu : 0u) | (__hlt(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hle2_mask(__half2 a, __half2 b) {
  return (__hle(a.x, b.x) ? 0xffffu : 0u) | (__hle(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hgt2_mask(__half2 a, __half2 b) {
  return (__hgt(a.x, b.x) ? 0xffffu : 0u) | (__hgt(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hge2_mask(__half2 a, __half2 b) {
  return (__hge(a.x, b.x) ? 0xffffu : 0u) | (__hge(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hequ2_mask(__half2 a, __half2 b) {
  return (__hequ(a.x, b.x) ? 0xffffu : 0u) | (__hequ(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hneu2_mask(__half2 a, __half2 b) {
  return (__hneu(a.x, b.x) ? 0xffffu : 0u) | (__hneu(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hltu2_mask(__half2 a, __half2 b) {
  return (__hltu(a.x, b.x) ? 0xffffu : 0u) | (__hltu(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hleu2_mask(__half2 a, __half2 b) {
  return (__hleu(a.x, b.x) ? 0xffffu : 0u) | (__hleu(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hgtu2_mask(__half2 a, __half2 b) {
  return (__hgtu(a.x, b.x) ? 0xffffu : 0u) | (__hgtu(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hgeu2_mask(__half2 a, __half2 b) {
  return (__hgeu(a.x, b.x) ? 0xffffu : 0u) | (__hgeu(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ bool __hbeq2(__half2 a, __half2 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
__device__ bool __hbne2(__half2 a, __half2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
__device__ bool __hblt2(__half2 a, __half2 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
__device__ bool __hble2(__half2 a, __half2 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
__device__ bool __hbgt2(__half2 a, __half2 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
__device__ bool __hbge2(__half2 a, __half2 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
__device__ bool __hbequ2(__half2 a, __half2 b) { return __hequ(a.x, b.x) && __hequ(a.y, b.y); }
__device__ bool __hbneu2(__half2 a, __half2 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }
__device__ bool __hbltu2(__half2 a, __half2 b) { return __hltu(a.x, b.x) && __hltu(a.y, b.y); }
__device__ bool __hbleu2(__half2 a, __half2 b) { return __hleu(a.x, b.x) && __hleu(a.y, b.y); }
__device__ bool __hbgtu2(__half2 a, __half2 b) { return __hgtu(a.x, b.x) && __hgtu(a.y, b.y); }
__device__ bool __hbgeu2(__half2 a, __half2 b) { return __hgeu(a.x, b.x) && __hgeu(a.y, b.y); }

__device__ __half2 h2sqrt(__half2 v) { return __half2(hsqrt(v.x), hsqrt(v.y)); }
__device__ __half2 h2rsqrt(__half2 v) { return __half2(hrsqrt(v.x), hrsqrt(v.y)); }
__device__ __half2 h2rcp(__half2 v) { return __half2(hrcp(v.x), hrcp(v.y)); }
__device__ __half2 h2log(__half2 v) { return __half2(hlog(v.x), hlog(v.y)); }
__device__ __half2 h2log2(__half2 v) { return __half2(hlog2(v.x), hlog2(v.y)); }
__device__ __half2 h2log10(__half2 v) { return __half2(hlog10(v.x), hlog10(v.y)); }
__device__ __half2 h2exp(__half2 v) { return __half2(hexp(v.x), hexp(v.y)); }
__device__ __half2 h2exp2(__half2 v) { return __half2(hexp2(v.x), hexp2(v.y)); }
__device__ __half2 h2exp10(__half2 v) { return __half2(hexp10(v.x), hexp10(v.y)); }
__device__ __half2 h2sin(__half2 v) { return __half2(hsin(v.x), hsin(v.y)); }
__device__ __half2 h2cos(__half2 v) { return __half2(hcos(v.x), hcos(v.y)); }
__device__ __half2 h2tanh(__half2 v) { return __half2(htanh(v.x), htanh(v.y)); }
__device__ __half2 h2tanh_approx(__half2 v) { return __half2(htanh_approx(v.x), htanh_approx(v.y)); }
__device__ __half2 h2floor(__half2 v) { return __half2(hfloor(v.x), hfloor(v.y)); }
__device__ __half2 h2ceil(__half2 v) { return __half2(hceil(v.x), hceil(v.y)); }
__device__ __half2 h2trunc(__half2 v) { return __half2(htrunc(v.x), htrunc(v.y)); }
__device__ __half2 h2rint(__half2 v) { return __half2(hrint(v.x), hrint(v.y)); }

__device__ __half2 operator+(__half2 a, __half2 b) { return __half2(a.x + b.x, a.y + b.y); }
__device__ __half2 operator-(__half2 a, __half2 b) { return __half2(a.x - b.x, a.y - b.y); }
__device__ __half2 operator*(__half2 a, __half2 b) { return __half2(a.x * b.x, a.y * b.y); }
__device__ __half2 operator/(__half2 a, __half2 b) { return __half2(a.x / b.x, a.y / b.y); }
__device__ __half2& operator+=(__half2& a, __half2 b) { return a = a + b; }
__device__ __half2& operator-=(__half2& a, __half2 b) { return a = a - b; }
__device__ __half2& operator*=(__half2& a, __half2 b) { return a = a * b; }
__device__ __half2& operator/=(__half2& a, __half2 b) { return a = a / b; }
__device__ __half2 operator+(__half2 a) { return a; }
__device__ __half2 operator-(__half2 a) { return __half2(-a.x, -a.y); }
__device__ __half2& operator++(__half2& a) { return a = a + __half2(__half(1.0f), __half(1.0f)); }
__device__ __half2 operator++(__half2& a, int) {
  __half2 old = a;
  ++a;
  return old;
}
__device__ __half2& operator--(__half2& a) { return a = a - __half2(__half(1.0f), __half(1.0f)); }
__device__ __half2 operator--(__half2& a, int) {
  __half2 old = a;
  --a;
  return old;
}
__device__ bool operator==(__half2 a, __half2 b) { return __hbeq2(a, b); }
__device__ bool operator!=(__half2 a, __half2 b) { return __hbneu2(a, b); }
__device__ bool operator<(__half2 a, __half2 b) { return __hblt2(a, b); }
__device__ bool operator<=(__half2 a, __half2 b) { return __hble2(a, b); }
__device__ bool operator>(__half2 a, __half2 b) { return __hbgt2(a, b); }
__device__ bool operator>=(__half2 a, __half2 b) { return __hbge2(a, b); }
