// Arithmetic, comparisons and functions of bfloat16 numbers and their pairs.

__device__ __nv_bfloat16 __lib_saturate(__nv_bfloat16 x) {
  return __quern_min(__quern_max(x, __nv_bfloat16(0.0f)), __nv_bfloat16(1.0f));
}
__device__ __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return __quern_min(a, b); }
__device__ __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return __quern_max(a, b); }
__device__ __nv_bfloat16 __hmin_nan(__nv_bfloat16 a, __nv_bfloat16 b) {
  return a != a || b != b ? __ushort_as_bfloat16(0x7fff) : __quern_min(a, b);
}
__device__ __nv_bfloat16 __hmax_nan(__nv_bfloat16 a, __nv_bfloat16 b) {
  return a != a || b != b ? __ushort_as_bfloat16(0x7fff) : __quern_max(a, b);
}
__device__ __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
__device__ __nv_bfloat16 __hadd_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
__device__ __nv_bfloat16 __hadd_sat(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __lib_saturate(__nv_bfloat16(a + b));
}
__device__ __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
__device__ __nv_bfloat16 __hsub_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
__device__ __nv_bfloat16 __hsub_sat(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __lib_saturate(__nv_bfloat16(a - b));
}
__device__ __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
__device__ __nv_bfloat16 __hmul_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
__device__ __nv_bfloat16 __hmul_sat(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __lib_saturate(__nv_bfloat16(a * b));
}
__device__ __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return a / b; }
__device__ __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __quern_fma(a, b, c);
}
__device__ __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __lib_saturate(__quern_fma(a, b, c));
}
__device__ __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __hmax_nan(__quern_fma(a, b, c), __nv_bfloat16(0.0f));
}
__device__ __nv_bfloat16 __hneg(__nv_bfloat16 a) { return -a; }
__device__ __nv_bfloat16 __habs(__nv_bfloat16 a) { return __quern_abs(a); }
__device__ bool __hisnan(__nv_bfloat16 a) { return __quern_isnan(a); }
__device__ int __hisinf(__nv_bfloat16 a) { return !__quern_isinf(a) ? 0 : __quern_signbit(a) ? -1 : 1; }
__device__ bool isnan(__nv_bfloat16 a) { return __quern_isnan(a); }
__device__ bool isinf(__nv_bfloat16 a) { return __quern_isinf(a); }

// Comparisons are false if an operand is NaN; those with the suffix u are true then.
__device__ bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { return a == b; }
__device__ bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { return a < b || a > b; }
__device__ bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return a < b; }
__device__ bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) { return a <= b; }
__device__ bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return a > b; }
__device__ bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) { return a >= b; }
__device__ bool __hequ(__nv_bfloat16 a, __nv_bfloat16 b) { return !(a < b || a > b); }
__device__ bool __hneu(__nv_bfloat16 a, __nv_bfloat16 b) { return !(a == b); }
__device__ bool __hltu(__nv_bfloat16 a, __nv_bfloat16 b) { return !(a >= b); }
__device__ bool __hleu(__nv_bfloat16 a, __nv_bfloat16 b) { return !(a > b); }
__device__ bool __hgtu(__nv_bfloat16 a, __nv_bfloat16 b) { return !(a <= b); }
__device__ bool __hgeu(__nv_bfloat16 a, __nv_bfloat16 b) { return !(a < b); }

// Functions.
__device__ __nv_bfloat16 hsqrt(__nv_bfloat16 x) { return __quern_sqrt(x); }
__device__ __nv_bfloat16 hrsqrt(__nv_bfloat16 x) { return __quern_rsqrt(x); }
__device__ __nv_bfloat16 hlog(__nv_bfloat16 x) { return __quern_log(x); }
__device__ __nv_bfloat16 hlog2(__nv_bfloat16 x) { return __quern_log2(x); }
__device__ __nv_bfloat16 hlog10(__nv_bfloat16 x) { return __quern_log10(x); }
__device__ __nv_bfloat16 hexp(__nv_bfloat16 x) { return __quern_exp(x); }
__device__ __nv_bfloat16 hexp2(__nv_bfloat16 x) { return __quern_exp2(x); }
__device__ __nv_bfloat16 hexp10(__nv_bfloat16 x) { return __quern_exp10(x); }
__device__ __nv_bfloat16 hsin(__nv_bfloat16 x) { return __quern_sin(x); }
__device__ __nv_bfloat16 hcos(__nv_bfloat16 x) { return __quern_cos(x); }
__device__ __nv_bfloat16 htanh(__nv_bfloat16 x) { return __quern_tanh(x); }
__device__ __nv_bfloat16 hfloor(__nv_bfloat16 x) { return __quern_floor(x); }
__device__ __nv_bfloat16 hceil(__nv_bfloat16 x) { return __quern_ceil(x); }
__device__ __nv_bfloat16 htrunc(__nv_bfloat16 x) { return __quern_trunc(x); }
__device__ __nv_bfloat16 hrint(__nv_bfloat16 x) { return __quern_rint(x); }
__device__ __nv_bfloat16 hrcp(__nv_bfloat16 x) { return __nv_bfloat16(1.0f) / x; }
__device__ __nv_bfloat16 htanh_approx(__nv_bfloat16 x) { return __quern_fast_tanh(x); }

// The same on pairs, member by member.
__device__ __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hadd(a.x, b.x), __hadd(a.y, b.y));
}
__device__ __nv_bfloat162 __hadd2_rn(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hadd_rn(a.x, b.x), __hadd_rn(a.y, b.y));
}
__device__ __nv_bfloat162 __hadd2_sat(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y));
}
__device__ __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hsub(a.x, b.x), __hsub(a.y, b.y));
}
__device__ __nv_bfloat162 __hsub2_rn(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hsub_rn(a.x, b.x), __hsub_rn(a.y, b.y));
}
__device__ __nv_bfloat162 __hsub2_sat(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y));
}
__device__ __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hmul(a.x, b.x), __hmul(a.y, b.y));
}
__device__ __nv_bfloat162 __hmul2_rn(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hmul_rn(a.x, b.x), __hmul_rn(a.y, b.y));
}
__device__ __nv_bfloat162 __hmul2_sat(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y));
}
__device__ __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.x / b.x, a.y / b.y);
}
__device__ __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
__device__ __nv_bfloat162 __hfma2_sat(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __nv_bfloat162(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
__device__ __nv_bfloat162 __hfma2_relu(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __nv_bfloat162(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
__device__ __nv_bfloat162 __hcmadd(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  __nv_bfloat16 re = __quern_fma(-a.y, b.y, __quern_fma(a.x, b.x, c.x));
  __nv_bfloat16 im = __quern_fma(a.y, b.x, __quern_fma(a.x, b.y, c.y));
  return __nv_bfloat162(re, im);
}
__device__ __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return __nv_bfloat162(-a.x, -a.y); }
__device__ __nv_bfloat162 __habs2(__nv_bfloat162 a) {
  return __nv_bfloat162(__quern_abs(a.x), __quern_abs(a.y));
}
__device__ __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__quern_min(a.x, b.x), __quern_min(a.y, b.y));
}
__device__ __nv_bfloat162 __hmin2_nan(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y));
}
__device__ __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__quern_max(a.x, b.x), __quern_max(a.y, b.y));
}
__device__ __nv_bfloat162 __hmax2_nan(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y));
}
__device__ __nv_bfloat162 __hisnan2(__nv_bfloat162 a) {
  return __nv_bfloat162(__nv_bfloat16(float(__hisnan(a.x))), __nv_bfloat16(float(__hisnan(a.y))));
}

// Comparisons of pairs: 1 or 0 in each member; as masks; of both members.
__device__ __nv_bfloat162 __heq2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__nv_bfloat16(float(__heq(a.x, b.x))), __nv_bfloat16(float(__heq(a.y, b.y))));
}
__device__ __nv_bfloat162 __hne2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__nv_bfloat16(float(__hne(a.x, b.x))), __nv_bfloat16(float(__hne(a.y, b.y))));
}
__device__ __nv_bfloat162 __hlt2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__nv_bfloat16(float(__hlt(a.x, b.x))), __nv_bfloat16(float(__hlt(a.y, b.y))));
}
__device__ __nv_bfloat162 __hle2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__nv_bfloat16(float(__hle(a.x, b.x))), __nv_bfloat16(float(__hle(a.y, b.y))));
}
__device__ __nv_bfloat162 __hgt2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__nv_bfloat16(float(__hgt(a.x, b.x))), __nv_bfloat16(float(__hgt(a.y, b.y))));
}
__device__ __nv_bfloat162 __hge2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__nv_bfloat16(float(__hge(a.x, b.x))), __nv_bfloat16(float(__hge(a.y, b.y))));
}
__device__ __nv_bfloat162 __hequ2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__nv_bfloat16(float(__hequ(a.x, b.x))), __nv_bfloat16(float(__hequ(a.y, b.y))));
}
__device__ __nv_bfloat162 __hneu2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__nv_bfloat16(float(__hneu(a.x, b.x))), __nv_bfloat16(float(__hneu(a.y, b.y))));
}
__device__ __nv_bfloat162 __hltu2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__nv_bfloat16(float(__hltu(a.x, b.x))), __nv_bfloat16(float(__hltu(a.y, b.y))));
}
__device__ __nv_bfloat162 __hleu2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__nv_bfloat16(float(__hleu(a.x, b.x))), __nv_bfloat16(float(__hleu(a.y, b.y))));
}
__device__ __nv_bfloat162 __hgtu2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__nv_bfloat16(float(__hgtu(a.x, b.x))), __nv_bfloat16(float(__hgtu(a.y, b.y))));
}
__device__ __nv_bfloat162 __hgeu2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__nv_bfloat16(float(__hgeu(a.x, b.x))), __nv_bfloat16(float(__hgeu(a.y, b.y))));
}
__device__ unsigned __heq2_mask(__nv_bfloat162 a, __nv_bfloat162 b) {
  return (__heq(a.x, b.x) ? 0xffffu : 0u) | (__heq(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hne2_mask(__nv_bfloat162 a, __nv_bfloat162 b) {
  return (__hne(a.x, b.x) ? 0xffffu : 0u) | (__hne(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hlt2_mask(__nv_bfloat162 a, __nv_bfloat162 b) {
  return (__hlt(a.x, b.x) ? 0xffffu : 0u) | (__hlt(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hle2_mask(__nv_bfloat162 a, __nv_bfloat162 b) {
  return (__hle(a.x, b.x) ? 0xffffu : 0u) | (__hle(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hgt2_mask(__nv_bfloat162 a, __nv_bfloat162 b) {
  return (__hgt(a.x, b.x) ? 0xffffu : 0u) | (__hgt(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hge2_mask(__nv_bfloat162 a, __nv_bfloat162 b) {
  return (__hge(a.x, b.x) ? 0xffffu : 0u) | (__hge(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hequ2_mask(__nv_bfloat162 a, __nv_bfloat162 b) {
  return (__hequ(a.x, b.x) ? 0xffffu : 0u) | (__hequ(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hneu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) {
  return (__hneu(a.x, b.x) ? 0xffffu : 0u) | (__hneu(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hltu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) {
  return (__hltu(a.x, b.x) ? 0xffffu : 0u) | (__hltu(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hleu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) {
  return (__hleu(a.x, b.x) ? 0xffffu : 0u) | (__hleu(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hgtu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) {
  return (__hgtu(a.x, b.x) ? 0xffffu : 0u) | (__hgtu(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ unsigned __hgeu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) {
  return (__hgeu(a.x, b.x) ? 0xffffu : 0u) | (__hgeu(a.y, b.y) ? 0xffff0000u : 0u);
}
__device__ bool __hbeq2(__nv_bfloat162 a, __nv_bfloat162 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
__device__ bool __hbne2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
__device__ bool __hblt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
__device__ bool __hble2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
__device__ bool __hbgt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
__device__ bool __hbge2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
__device__ bool __hbequ2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hequ(a.x, b.x) && __hequ(a.y, b.y); }
__device__ bool __hbneu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }
__device__ bool __hbltu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hltu(a.x, b.x) && __hltu(a.y, b.y); }
__device__ bool __hbleu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hleu(a.x, b.x) && __hleu(a.y, b.y); }
__device__ bool __hbgtu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgtu(a.x, b.x) && __hgtu(a.y, b.y); }
__device__ bool __hbgeu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgeu(a.x, b.x) && __hgeu(a.y, b.y); }

__device__ __nv_bfloat162 h2sqrt(__nv_bfloat162 v) { return __nv_bfloat162(hsqrt(v.x), hsqrt(v.y)); }
__device__ __nv_bfloat162 h2rsqrt(__nv_bfloat162 v) { return __nv_bfloat162(hrsqrt(v.x), hrsqrt(v.y)); }
__device__ __nv_bfloat162 h2rcp(__nv_bfloat162 v) { return __nv_bfloat162(hrcp(v.x), hrcp(v.y)); }
__device__ __nv_bfloat162 h2log(__nv_bfloat162 v) { return __nv_bfloat162(hlog(v.x), hlog(v.y)); }
__device__ __nv_bfloat162 h2log2(__nv_bfloat162 v) { return __nv_bfloat162(hlog2(v.x), hlog2(v.y)); }
__device__ __nv_bfloat162 h2log10(__nv_bfloat162 v) { return __nv_bfloat162(hlog10(v.x), hlog10(v.y)); }
__device__ __nv_bfloat162 h2exp(__nv_bfloat162 v) { return __nv_bfloat162(hexp(v.x), hexp(v.y)); }
__device__ __nv_bfloat162 h2exp2(__nv_bfloat162 v) { return __nv_bfloat162(hexp2(v.x), hexp2(v.y)); }
__device__ __nv_bfloat162 h2exp10(__nv_bfloat162 v) { return __nv_bfloat162(hexp10(v.x), hexp10(v.y)); }
__device__ __nv_bfloat162 h2sin(__nv_bfloat162 v) { return __nv_bfloat162(hsin(v.x), hsin(v.y)); }
__device__ __nv_bfloat162 h2cos(__nv_bfloat162 v) { return __nv_bfloat162(hcos(v.x), hcos(v.y)); }
__device__ __nv_bfloat162 h2tanh(__nv_bfloat162 v) { return __nv_bfloat162(htanh(v.x), htanh(v.y)); }
__device__ __nv_bfloat162 h2tanh_approx(__nv_bfloat162 v) {
  return __nv_bfloat162(htanh_approx(v.x), htanh_approx(v.y));
}
__device__ __nv_bfloat162 h2floor(__nv_bfloat162 v) { return __nv_bfloat162(hfloor(v.x), hfloor(v.y)); }
__device__ __nv_bfloat162 h2ceil(__nv_bfloat162 v) { return __nv_bfloat162(hceil(v.x), hceil(v.y)); }
__device__ __nv_bfloat162 h2trunc(__nv_bfloat162 v) { return __nv_bfloat162(htrunc(v.x), htrunc(v.y)); }
__device__ __nv_bfloat162 h2rint(__nv_bfloat162 v) { return __nv_bfloat162(hrint(v.x), hrint(v.y)); }

__device__ __nv_bfloat162 operator+(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.x + b.x, a.y + b.y);
}
__device__ __nv_bfloat162 operator-(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.x - b.x, a.y - b.y);
}
__device__ __nv_bfloat162 operator*(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.x * b.x, a.y * b.y);
}
__device__ __nv_bfloat162 operator/(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.x / b.x, a.y / b.y);
}
__device__ __nv_bfloat162& operator+=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a + b; }
__device__ __nv_bfloat162& operator-=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a - b; }
__device__ __nv_bfloat162& operator*=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a * b; }
__device__ __nv_bfloat162& operator/=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a / b; }
__device__ __nv_bfloat162 operator+(__nv_bfloat162 a) { return a; }
__device__ __nv_bfloat162 operator-(__nv_bfloat162 a) { return __nv_bfloat162(-a.x, -a.y); }
__device__ __nv_bfloat162& operator++(__nv_bfloat162& a) {
  return a = a + __nv_bfloat162(__nv_bfloat16(1.0f), __nv_bfloat16(1.0f));
}
__device__ __nv_bfloat162 operator++(__nv_bfloat162& a, int) {
  __nv_bfloat162 old = a;
  ++a;
  return old;
}
__device__ __nv_bfloat162& operator--(__nv_bfloat162& a) {
  return a = a - __nv_bfloat162(__nv_bfloat16(1.0f), __nv_bfloat16(1.0f));
}
__device__ __nv_bfloat162 operator--(__nv_bfloat162& a, int) {
  __nv_bfloat162 old = a;
  --a;
  return old;
}
__device__ bool operator==(__nv_bfloat162 a, __nv_bfloat162 b) { return __hbeq2(a, b); }
__device__ bool operator!=(__nv_bfloat162 a, __nv_bfloat162 b) { return __hbneu2(a, b); }
__device__ bool operator<(__nv_bfloat162 a, __nv_bfloat162 b) { return __hblt2(a, b); }
__device__ bool operator<=(__nv_bfloat162 a, __nv_bfloat162 b) { return __hble2(a, b); }
__device__ bool operator>(__nv_bfloat162 a, __nv_bfloat162 b) { return __hbgt2(a, b); }
__device__ bool operator>=(__nv_bfloat162 a, __nv_bfloat162 b) { return __hbge2(a, b); }
