// Brings the names of the kernel language into a namespace. Written by scripts/kernel_names.py.
//
// A using-directive alone would put our names next to those of the host's global namespace, so that
// `sinpif(x)` is ambiguous where the C library has a sinpif too. Using-declarations hide everything in the
// namespaces outside, whatever the host declares there, now or in its next release.
#pragma once

#include <string_view>

#include "quern/kernel/functions.hpp"
#include "quern/kernel/print.hpp"
#include "quern/kernel/words.hpp"

// clang-format off
#define QUERN_KERNEL_NAMES_ \
  using namespace ::quern::kernel; namespace quern_names_ = ::quern::kernel; \
  using quern_names_::CUevent_st, quern_names_::CUstream_st, quern_names_::__activemask, \
  quern_names_::__all, quern_names_::__all_sync, quern_names_::__any, quern_names_::__any_sync, \
  quern_names_::__assert_fail, quern_names_::__assume, quern_names_::__ballot, \
  quern_names_::__ballot_sync, quern_names_::__bfloat1622float2, quern_names_::__bfloat162bfloat162, \
  quern_names_::__bfloat162char_rz, quern_names_::__bfloat162float, quern_names_::__bfloat162int_rd, \
  quern_names_::__bfloat162int_rn, quern_names_::__bfloat162int_ru, quern_names_::__bfloat162int_rz, \
  quern_names_::__bfloat162ll_rd, quern_names_::__bfloat162ll_rn, quern_names_::__bfloat162ll_ru, \
  quern_names_::__bfloat162ll_rz, quern_names_::__bfloat162short_rd, quern_names_::__bfloat162short_rn, \
  quern_names_::__bfloat162short_ru, quern_names_::__bfloat162short_rz, quern_names_::__bfloat162uchar_rz, \
  quern_names_::__bfloat162uint_rd, quern_names_::__bfloat162uint_rn, quern_names_::__bfloat162uint_ru, \
  quern_names_::__bfloat162uint_rz, quern_names_::__bfloat162ull_rd, quern_names_::__bfloat162ull_rn, \
  quern_names_::__bfloat162ull_ru, quern_names_::__bfloat162ull_rz, quern_names_::__bfloat162ushort_rd, \
  quern_names_::__bfloat162ushort_rn, quern_names_::__bfloat162ushort_ru, \
  quern_names_::__bfloat162ushort_rz, quern_names_::__bfloat16_as_short, \
  quern_names_::__bfloat16_as_ushort, quern_names_::__brev, quern_names_::__brevll, quern_names_::__brkpt, \
  quern_names_::__byte_perm, quern_names_::__clock, quern_names_::__clock64, quern_names_::__clz, \
  quern_names_::__clzll, quern_names_::__cosf, quern_names_::__cvta_constant_to_generic, \
  quern_names_::__cvta_generic_to_constant, quern_names_::__cvta_generic_to_global, \
  quern_names_::__cvta_generic_to_local, quern_names_::__cvta_generic_to_shared, \
  quern_names_::__cvta_global_to_generic, quern_names_::__cvta_local_to_generic, \
  quern_names_::__cvta_shared_to_generic, quern_names_::__dadd_rd, quern_names_::__dadd_rn, \
  quern_names_::__dadd_ru, quern_names_::__dadd_rz, quern_names_::__ddiv_rd, quern_names_::__ddiv_rn, \
  quern_names_::__ddiv_ru, quern_names_::__ddiv_rz, quern_names_::__dmul_rd, quern_names_::__dmul_rn, \
  quern_names_::__dmul_ru, quern_names_::__dmul_rz, quern_names_::__double2bfloat16, \
  quern_names_::__double2float_rd, quern_names_::__double2float_rn, quern_names_::__double2float_ru, \
  quern_names_::__double2float_rz, quern_names_::__double2half, quern_names_::__double2hiint, \
  quern_names_::__double2int_rd, quern_names_::__double2int_rn, quern_names_::__double2int_ru, \
  quern_names_::__double2int_rz, quern_names_::__double2ll_rd, quern_names_::__double2ll_rn, \
  quern_names_::__double2ll_ru, quern_names_::__double2ll_rz, quern_names_::__double2loint, \
  quern_names_::__double2uint_rd, quern_names_::__double2uint_rn, quern_names_::__double2uint_ru, \
  quern_names_::__double2uint_rz, quern_names_::__double2ull_rd, quern_names_::__double2ull_rn, \
  quern_names_::__double2ull_ru, quern_names_::__double2ull_rz, quern_names_::__double_as_longlong, \
  quern_names_::__dp2a_hi, quern_names_::__dp2a_lo, quern_names_::__dp4a, quern_names_::__drcp_rd, \
  quern_names_::__drcp_rn, quern_names_::__drcp_ru, quern_names_::__drcp_rz, quern_names_::__dsqrt_rd, \
  quern_names_::__dsqrt_rn, quern_names_::__dsqrt_ru, quern_names_::__dsqrt_rz, quern_names_::__dsub_rd, \
  quern_names_::__dsub_rn, quern_names_::__dsub_ru, quern_names_::__dsub_rz, quern_names_::__exp10f, \
  quern_names_::__expf, quern_names_::__fadd_rd, quern_names_::__fadd_rn, quern_names_::__fadd_ru, \
  quern_names_::__fadd_rz, quern_names_::__fdiv_rd, quern_names_::__fdiv_rn, quern_names_::__fdiv_ru, \
  quern_names_::__fdiv_rz, quern_names_::__fdividef, quern_names_::__ffs, quern_names_::__ffsll, \
  quern_names_::__finite, quern_names_::__finitef, quern_names_::__float22bfloat162_rn, \
  quern_names_::__float22half2_rn, quern_names_::__float2bfloat16, quern_names_::__float2bfloat162_rn, \
  quern_names_::__float2bfloat16_rd, quern_names_::__float2bfloat16_rn, quern_names_::__float2bfloat16_ru, \
  quern_names_::__float2bfloat16_rz, quern_names_::__float2half, quern_names_::__float2half2_rn, \
  quern_names_::__float2half_rd, quern_names_::__float2half_rn, quern_names_::__float2half_ru, \
  quern_names_::__float2half_rz, quern_names_::__float2int_rd, quern_names_::__float2int_rn, \
  quern_names_::__float2int_ru, quern_names_::__float2int_rz, quern_names_::__float2ll_rd, \
  quern_names_::__float2ll_rn, quern_names_::__float2ll_ru, quern_names_::__float2ll_rz, \
  quern_names_::__float2uint_rd, quern_names_::__float2uint_rn, quern_names_::__float2uint_ru, \
  quern_names_::__float2uint_rz, quern_names_::__float2ull_rd, quern_names_::__float2ull_rn, \
  quern_names_::__float2ull_ru, quern_names_::__float2ull_rz, quern_names_::__float_as_int, \
  quern_names_::__float_as_uint, quern_names_::__floats2bfloat162_rn, quern_names_::__floats2half2_rn, \
  quern_names_::__fma_rd, quern_names_::__fma_rn, quern_names_::__fma_ru, quern_names_::__fma_rz, \
  quern_names_::__fmaf_ieee_rd, quern_names_::__fmaf_ieee_rn, quern_names_::__fmaf_ieee_ru, \
  quern_names_::__fmaf_ieee_rz, quern_names_::__fmaf_rd, quern_names_::__fmaf_rn, quern_names_::__fmaf_ru, \
  quern_names_::__fmaf_rz, quern_names_::__fmul_rd, quern_names_::__fmul_rn, quern_names_::__fmul_ru, \
  quern_names_::__fmul_rz, quern_names_::__fns, quern_names_::__frcp_rd, quern_names_::__frcp_rn, \
  quern_names_::__frcp_ru, quern_names_::__frcp_rz, quern_names_::__frsqrt_rn, quern_names_::__fsqrt_rd, \
  quern_names_::__fsqrt_rn, quern_names_::__fsqrt_ru, quern_names_::__fsqrt_rz, quern_names_::__fsub_rd, \
  quern_names_::__fsub_rn, quern_names_::__fsub_ru, quern_names_::__fsub_rz, \
  quern_names_::__funnelshift_l, quern_names_::__funnelshift_lc, quern_names_::__funnelshift_r, \
  quern_names_::__funnelshift_rc, quern_names_::__globaltimer, quern_names_::__h2div, \
  quern_names_::__habs, quern_names_::__habs2, quern_names_::__hadd, quern_names_::__hadd2, \
  quern_names_::__hadd2_rn, quern_names_::__hadd2_sat, quern_names_::__hadd_rn, quern_names_::__hadd_sat, \
  quern_names_::__half, quern_names_::__half2, quern_names_::__half22float2, quern_names_::__half2char_rz, \
  quern_names_::__half2float, quern_names_::__half2half2, quern_names_::__half2int_rd, \
  quern_names_::__half2int_rn, quern_names_::__half2int_ru, quern_names_::__half2int_rz, \
  quern_names_::__half2ll_rd, quern_names_::__half2ll_rn, quern_names_::__half2ll_ru, \
  quern_names_::__half2ll_rz, quern_names_::__half2short_rd, quern_names_::__half2short_rn, \
  quern_names_::__half2short_ru, quern_names_::__half2short_rz, quern_names_::__half2uchar_rz, \
  quern_names_::__half2uint_rd, quern_names_::__half2uint_rn, quern_names_::__half2uint_ru, \
  quern_names_::__half2uint_rz, quern_names_::__half2ull_rd, quern_names_::__half2ull_rn, \
  quern_names_::__half2ull_ru, quern_names_::__half2ull_rz, quern_names_::__half2ushort_rd, \
  quern_names_::__half2ushort_rn, quern_names_::__half2ushort_ru, quern_names_::__half2ushort_rz, \
  quern_names_::__half_as_short, quern_names_::__half_as_ushort, quern_names_::__halves2bfloat162, \
  quern_names_::__halves2half2, quern_names_::__hbeq2, quern_names_::__hbequ2, quern_names_::__hbge2, \
  quern_names_::__hbgeu2, quern_names_::__hbgt2, quern_names_::__hbgtu2, quern_names_::__hble2, \
  quern_names_::__hbleu2, quern_names_::__hblt2, quern_names_::__hbltu2, quern_names_::__hbne2, \
  quern_names_::__hbneu2, quern_names_::__hcmadd, quern_names_::__hdiv, quern_names_::__heq, \
  quern_names_::__heq2, quern_names_::__heq2_mask, quern_names_::__hequ, quern_names_::__hequ2, \
  quern_names_::__hequ2_mask, quern_names_::__hfma, quern_names_::__hfma2, quern_names_::__hfma2_relu, \
  quern_names_::__hfma2_sat, quern_names_::__hfma_relu, quern_names_::__hfma_sat, quern_names_::__hge, \
  quern_names_::__hge2, quern_names_::__hge2_mask, quern_names_::__hgeu, quern_names_::__hgeu2, \
  quern_names_::__hgeu2_mask, quern_names_::__hgt, quern_names_::__hgt2, quern_names_::__hgt2_mask, \
  quern_names_::__hgtu, quern_names_::__hgtu2, quern_names_::__hgtu2_mask, quern_names_::__high2bfloat16, \
  quern_names_::__high2bfloat162, quern_names_::__high2float, quern_names_::__high2half, \
  quern_names_::__high2half2, quern_names_::__highs2bfloat162, quern_names_::__highs2half2, \
  quern_names_::__hiloint2double, quern_names_::__hisinf, quern_names_::__hisnan, quern_names_::__hisnan2, \
  quern_names_::__hle, quern_names_::__hle2, quern_names_::__hle2_mask, quern_names_::__hleu, \
  quern_names_::__hleu2, quern_names_::__hleu2_mask, quern_names_::__hlt, quern_names_::__hlt2, \
  quern_names_::__hlt2_mask, quern_names_::__hltu, quern_names_::__hltu2, quern_names_::__hltu2_mask, \
  quern_names_::__hmax, quern_names_::__hmax2, quern_names_::__hmax2_nan, quern_names_::__hmax_nan, \
  quern_names_::__hmin, quern_names_::__hmin2, quern_names_::__hmin2_nan, quern_names_::__hmin_nan, \
  quern_names_::__hmul, quern_names_::__hmul2, quern_names_::__hmul2_rn, quern_names_::__hmul2_sat, \
  quern_names_::__hmul_rn, quern_names_::__hmul_sat, quern_names_::__hne, quern_names_::__hne2, \
  quern_names_::__hne2_mask, quern_names_::__hneg, quern_names_::__hneg2, quern_names_::__hneu, \
  quern_names_::__hneu2, quern_names_::__hneu2_mask, quern_names_::__hsub, quern_names_::__hsub2, \
  quern_names_::__hsub2_rn, quern_names_::__hsub2_sat, quern_names_::__hsub_rn, quern_names_::__hsub_sat, \
  quern_names_::__int2bfloat16_rd, quern_names_::__int2bfloat16_rn, quern_names_::__int2bfloat16_ru, \
  quern_names_::__int2bfloat16_rz, quern_names_::__int2double_rn, quern_names_::__int2float_rd, \
  quern_names_::__int2float_rn, quern_names_::__int2float_ru, quern_names_::__int2float_rz, \
  quern_names_::__int2half_rd, quern_names_::__int2half_rn, quern_names_::__int2half_ru, \
  quern_names_::__int2half_rz, quern_names_::__int_as_float, quern_names_::__isConstant, \
  quern_names_::__isGlobal, quern_names_::__isGridConstant, quern_names_::__isLocal, \
  quern_names_::__isShared, quern_names_::__isinf, quern_names_::__isinff, quern_names_::__isnan, \
  quern_names_::__isnanf, quern_names_::__lane_id, quern_names_::__ldca, quern_names_::__ldcg, \
  quern_names_::__ldcs, quern_names_::__ldcv, quern_names_::__ldg, quern_names_::__ldlu, \
  quern_names_::__ll2bfloat16_rd, quern_names_::__ll2bfloat16_rn, quern_names_::__ll2bfloat16_ru, \
  quern_names_::__ll2bfloat16_rz, quern_names_::__ll2double_rd, quern_names_::__ll2double_rn, \
  quern_names_::__ll2double_ru, quern_names_::__ll2double_rz, quern_names_::__ll2float_rd, \
  quern_names_::__ll2float_rn, quern_names_::__ll2float_ru, quern_names_::__ll2float_rz, \
  quern_names_::__ll2half_rd, quern_names_::__ll2half_rn, quern_names_::__ll2half_ru, \
  quern_names_::__ll2half_rz, quern_names_::__log10f, quern_names_::__log2f, quern_names_::__logf, \
  quern_names_::__longlong_as_double, quern_names_::__low2bfloat16, quern_names_::__low2bfloat162, \
  quern_names_::__low2float, quern_names_::__low2half, quern_names_::__low2half2, \
  quern_names_::__lowhigh2highlow, quern_names_::__lows2bfloat162, quern_names_::__lows2half2, \
  quern_names_::__match_all_sync, quern_names_::__match_any_sync, quern_names_::__mul24, \
  quern_names_::__mul64hi, quern_names_::__mulhi, quern_names_::__nanosleep, quern_names_::__nv_bfloat16, \
  quern_names_::__nv_bfloat162, quern_names_::__pm0, quern_names_::__pm1, quern_names_::__pm2, \
  quern_names_::__pm3, quern_names_::__popc, quern_names_::__popcll, quern_names_::__powf, \
  quern_names_::__prof_trigger, quern_names_::__reduce_add_sync, quern_names_::__reduce_and_sync, \
  quern_names_::__reduce_max_sync, quern_names_::__reduce_min_sync, quern_names_::__reduce_or_sync, \
  quern_names_::__reduce_xor_sync, quern_names_::__rhadd, quern_names_::__sad, quern_names_::__saturatef, \
  quern_names_::__shfl, quern_names_::__shfl_down, quern_names_::__shfl_down_sync, \
  quern_names_::__shfl_sync, quern_names_::__shfl_up, quern_names_::__shfl_up_sync, \
  quern_names_::__shfl_xor, quern_names_::__shfl_xor_sync, quern_names_::__short2bfloat16_rd, \
  quern_names_::__short2bfloat16_rn, quern_names_::__short2bfloat16_ru, quern_names_::__short2bfloat16_rz, \
  quern_names_::__short2half_rd, quern_names_::__short2half_rn, quern_names_::__short2half_ru, \
  quern_names_::__short2half_rz, quern_names_::__short_as_bfloat16, quern_names_::__short_as_half, \
  quern_names_::__signbit, quern_names_::__signbitd, quern_names_::__signbitf, quern_names_::__sincosf, \
  quern_names_::__sinf, quern_names_::__stcg, quern_names_::__stcs, quern_names_::__stwb, \
  quern_names_::__stwt, quern_names_::__syncthreads, quern_names_::__syncthreads_and, \
  quern_names_::__syncthreads_count, quern_names_::__syncthreads_or, quern_names_::__syncwarp, \
  quern_names_::__tanf, quern_names_::__tanhf, quern_names_::__threadfence, \
  quern_names_::__threadfence_block, quern_names_::__threadfence_system, quern_names_::__trap, \
  quern_names_::__uhadd, quern_names_::__uint2bfloat16_rd, quern_names_::__uint2bfloat16_rn, \
  quern_names_::__uint2bfloat16_ru, quern_names_::__uint2bfloat16_rz, quern_names_::__uint2double_rn, \
  quern_names_::__uint2float_rd, quern_names_::__uint2float_rn, quern_names_::__uint2float_ru, \
  quern_names_::__uint2float_rz, quern_names_::__uint2half_rd, quern_names_::__uint2half_rn, \
  quern_names_::__uint2half_ru, quern_names_::__uint2half_rz, quern_names_::__uint_as_float, \
  quern_names_::__ull2bfloat16_rd, quern_names_::__ull2bfloat16_rn, quern_names_::__ull2bfloat16_ru, \
  quern_names_::__ull2bfloat16_rz, quern_names_::__ull2double_rd, quern_names_::__ull2double_rn, \
  quern_names_::__ull2double_ru, quern_names_::__ull2double_rz, quern_names_::__ull2float_rd, \
  quern_names_::__ull2float_rn, quern_names_::__ull2float_ru, quern_names_::__ull2float_rz, \
  quern_names_::__ull2half_rd, quern_names_::__ull2half_rn, quern_names_::__ull2half_ru, \
  quern_names_::__ull2half_rz, quern_names_::__umul24, quern_names_::__umul64hi, quern_names_::__umulhi, \
  quern_names_::__uni_sync, quern_names_::__urhadd, quern_names_::__usad, \
  quern_names_::__ushort2bfloat16_rd, quern_names_::__ushort2bfloat16_rn, \
  quern_names_::__ushort2bfloat16_ru, quern_names_::__ushort2bfloat16_rz, quern_names_::__ushort2half_rd, \
  quern_names_::__ushort2half_rn, quern_names_::__ushort2half_ru, quern_names_::__ushort2half_rz, \
  quern_names_::__ushort_as_bfloat16, quern_names_::__ushort_as_half, quern_names_::__vabs2, \
  quern_names_::__vabs4, quern_names_::__vabsdiffs2, quern_names_::__vabsdiffs4, \
  quern_names_::__vabsdiffu2, quern_names_::__vabsdiffu4, quern_names_::__vabsss2, \
  quern_names_::__vabsss4, quern_names_::__vadd2, quern_names_::__vadd4, quern_names_::__vaddss2, \
  quern_names_::__vaddss4, quern_names_::__vaddus2, quern_names_::__vaddus4, quern_names_::__vavgs2, \
  quern_names_::__vavgs4, quern_names_::__vavgu2, quern_names_::__vavgu4, quern_names_::__vcmpeq2, \
  quern_names_::__vcmpeq4, quern_names_::__vcmpges2, quern_names_::__vcmpges4, quern_names_::__vcmpgeu2, \
  quern_names_::__vcmpgeu4, quern_names_::__vcmpgts2, quern_names_::__vcmpgts4, quern_names_::__vcmpgtu2, \
  quern_names_::__vcmpgtu4, quern_names_::__vcmples2, quern_names_::__vcmples4, quern_names_::__vcmpleu2, \
  quern_names_::__vcmpleu4, quern_names_::__vcmplts2, quern_names_::__vcmplts4, quern_names_::__vcmpltu2, \
  quern_names_::__vcmpltu4, quern_names_::__vcmpne2, quern_names_::__vcmpne4, quern_names_::__vhaddu2, \
  quern_names_::__vhaddu4, quern_names_::__viaddmax_s16x2, quern_names_::__viaddmax_s16x2_relu, \
  quern_names_::__viaddmax_s32, quern_names_::__viaddmax_s32_relu, quern_names_::__viaddmax_u16x2, \
  quern_names_::__viaddmax_u32, quern_names_::__viaddmin_s16x2, quern_names_::__viaddmin_s16x2_relu, \
  quern_names_::__viaddmin_s32, quern_names_::__viaddmin_s32_relu, quern_names_::__viaddmin_u16x2, \
  quern_names_::__viaddmin_u32, quern_names_::__vibmax_s16x2, quern_names_::__vibmax_s32, \
  quern_names_::__vibmax_u16x2, quern_names_::__vibmax_u32, quern_names_::__vibmin_s16x2, \
  quern_names_::__vibmin_s32, quern_names_::__vibmin_u16x2, quern_names_::__vibmin_u32, \
  quern_names_::__vimax3_s16x2, quern_names_::__vimax3_s16x2_relu, quern_names_::__vimax3_s32, \
  quern_names_::__vimax3_s32_relu, quern_names_::__vimax3_u16x2, quern_names_::__vimax3_u32, \
  quern_names_::__vimax_s16x2_relu, quern_names_::__vimax_s32_relu, quern_names_::__vimin3_s16x2, \
  quern_names_::__vimin3_s16x2_relu, quern_names_::__vimin3_s32, quern_names_::__vimin3_s32_relu, \
  quern_names_::__vimin3_u16x2, quern_names_::__vimin3_u32, quern_names_::__vimin_s16x2_relu, \
  quern_names_::__vimin_s32_relu, quern_names_::__vmaxs2, quern_names_::__vmaxs4, quern_names_::__vmaxu2, \
  quern_names_::__vmaxu4, quern_names_::__vmins2, quern_names_::__vmins4, quern_names_::__vminu2, \
  quern_names_::__vminu4, quern_names_::__vneg2, quern_names_::__vneg4, quern_names_::__vnegss2, \
  quern_names_::__vnegss4, quern_names_::__vsads2, quern_names_::__vsads4, quern_names_::__vsadu2, \
  quern_names_::__vsadu4, quern_names_::__vseteq2, quern_names_::__vseteq4, quern_names_::__vsetges2, \
  quern_names_::__vsetges4, quern_names_::__vsetgeu2, quern_names_::__vsetgeu4, quern_names_::__vsetgts2, \
  quern_names_::__vsetgts4, quern_names_::__vsetgtu2, quern_names_::__vsetgtu4, quern_names_::__vsetles2, \
  quern_names_::__vsetles4, quern_names_::__vsetleu2, quern_names_::__vsetleu4, quern_names_::__vsetlts2, \
  quern_names_::__vsetlts4, quern_names_::__vsetltu2, quern_names_::__vsetltu4, quern_names_::__vsetne2, \
  quern_names_::__vsetne4, quern_names_::__vsub2, quern_names_::__vsub4, quern_names_::__vsubss2, \
  quern_names_::__vsubss4, quern_names_::__vsubus2, quern_names_::__vsubus4, quern_names_::abort, \
  quern_names_::abs, quern_names_::acos, quern_names_::acosf, quern_names_::acosh, quern_names_::acoshf, \
  quern_names_::asin, quern_names_::asinf, quern_names_::asinh, quern_names_::asinhf, \
  quern_names_::assert, quern_names_::atan, quern_names_::atan2, quern_names_::atan2f, \
  quern_names_::atanf, quern_names_::atanh, quern_names_::atanhf, quern_names_::atomicAdd, \
  quern_names_::atomicAdd_block, quern_names_::atomicAdd_system, quern_names_::atomicAnd, \
  quern_names_::atomicAnd_block, quern_names_::atomicAnd_system, quern_names_::atomicCAS, \
  quern_names_::atomicCAS_block, quern_names_::atomicCAS_system, quern_names_::atomicDec, \
  quern_names_::atomicDec_block, quern_names_::atomicDec_system, quern_names_::atomicExch, \
  quern_names_::atomicExch_block, quern_names_::atomicExch_system, quern_names_::atomicInc, \
  quern_names_::atomicInc_block, quern_names_::atomicInc_system, quern_names_::atomicMax, \
  quern_names_::atomicMax_block, quern_names_::atomicMax_system, quern_names_::atomicMin, \
  quern_names_::atomicMin_block, quern_names_::atomicMin_system, quern_names_::atomicOr, \
  quern_names_::atomicOr_block, quern_names_::atomicOr_system, quern_names_::atomicSub, \
  quern_names_::atomicSub_block, quern_names_::atomicSub_system, quern_names_::atomicXor, \
  quern_names_::atomicXor_block, quern_names_::atomicXor_system, quern_names_::blockDim, \
  quern_names_::blockIdx, quern_names_::cbrt, quern_names_::cbrtf, quern_names_::ceil, \
  quern_names_::ceilf, quern_names_::char1, quern_names_::char2, quern_names_::char3, quern_names_::char4, \
  quern_names_::clock, quern_names_::clock64, quern_names_::clock_t, quern_names_::copysign, \
  quern_names_::copysignf, quern_names_::cos, quern_names_::cosf, quern_names_::cosh, quern_names_::coshf, \
  quern_names_::cospi, quern_names_::cospif, quern_names_::cudaEvent_t, quern_names_::cudaExtent, \
  quern_names_::cudaPitchedPtr, quern_names_::cudaPos, quern_names_::cudaStream_t, \
  quern_names_::cyl_bessel_i0, quern_names_::cyl_bessel_i0f, quern_names_::cyl_bessel_i1, \
  quern_names_::cyl_bessel_i1f, quern_names_::dim3, quern_names_::div, quern_names_::div_t, \
  quern_names_::double1, quern_names_::double2, quern_names_::double3, quern_names_::double4, \
  quern_names_::double4_16a, quern_names_::double4_32a, quern_names_::erf, quern_names_::erfc, \
  quern_names_::erfcf, quern_names_::erfcinv, quern_names_::erfcinvf, quern_names_::erfcx, \
  quern_names_::erfcxf, quern_names_::erff, quern_names_::erfinv, quern_names_::erfinvf, \
  quern_names_::exp, quern_names_::exp10, quern_names_::exp10f, quern_names_::exp2, quern_names_::exp2f, \
  quern_names_::expf, quern_names_::expm1, quern_names_::expm1f, quern_names_::fabs, quern_names_::fabsf, \
  quern_names_::fdim, quern_names_::fdimf, quern_names_::fdivide, quern_names_::fdividef, \
  quern_names_::finite, quern_names_::finitef, quern_names_::float1, quern_names_::float2, \
  quern_names_::float3, quern_names_::float4, quern_names_::float_as_int, quern_names_::float_as_uint, \
  quern_names_::floor, quern_names_::floorf, quern_names_::fma, quern_names_::fmaf, quern_names_::fmax, \
  quern_names_::fmaxf, quern_names_::fmin, quern_names_::fminf, quern_names_::fmod, quern_names_::fmodf, \
  quern_names_::fpclassify, quern_names_::frexp, quern_names_::frexpf, quern_names_::gridDim, \
  quern_names_::h2ceil, quern_names_::h2cos, quern_names_::h2exp, quern_names_::h2exp10, \
  quern_names_::h2exp2, quern_names_::h2floor, quern_names_::h2log, quern_names_::h2log10, \
  quern_names_::h2log2, quern_names_::h2rcp, quern_names_::h2rint, quern_names_::h2rsqrt, \
  quern_names_::h2sin, quern_names_::h2sqrt, quern_names_::h2tanh, quern_names_::h2tanh_approx, \
  quern_names_::h2trunc, quern_names_::half, quern_names_::half2, quern_names_::hceil, quern_names_::hcos, \
  quern_names_::hexp, quern_names_::hexp10, quern_names_::hexp2, quern_names_::hfloor, quern_names_::hlog, \
  quern_names_::hlog10, quern_names_::hlog2, quern_names_::hrcp, quern_names_::hrint, \
  quern_names_::hrsqrt, quern_names_::hsin, quern_names_::hsqrt, quern_names_::htanh, \
  quern_names_::htanh_approx, quern_names_::htrunc, quern_names_::hypot, quern_names_::hypotf, \
  quern_names_::ilogb, quern_names_::ilogbf, quern_names_::int1, quern_names_::int2, quern_names_::int3, \
  quern_names_::int4, quern_names_::int_as_float, quern_names_::isfinite, quern_names_::isgreater, \
  quern_names_::isgreaterequal, quern_names_::isinf, quern_names_::isinff, quern_names_::isless, \
  quern_names_::islessequal, quern_names_::islessgreater, quern_names_::isnan, quern_names_::isnanf, \
  quern_names_::isnormal, quern_names_::isunordered, quern_names_::j0, quern_names_::j0f, \
  quern_names_::j1, quern_names_::j1f, quern_names_::jn, quern_names_::jnf, quern_names_::labs, \
  quern_names_::ldexp, quern_names_::ldexpf, quern_names_::ldiv_t, quern_names_::lgamma, \
  quern_names_::lgammaf, quern_names_::llabs, quern_names_::lldiv_t, quern_names_::llmax, \
  quern_names_::llmin, quern_names_::llrint, quern_names_::llrintf, quern_names_::llround, \
  quern_names_::llroundf, quern_names_::log, quern_names_::log10, quern_names_::log10f, \
  quern_names_::log1p, quern_names_::log1pf, quern_names_::log2, quern_names_::log2f, quern_names_::logb, \
  quern_names_::logbf, quern_names_::logf, quern_names_::long1, quern_names_::long2, quern_names_::long3, \
  quern_names_::long4, quern_names_::long4_16a, quern_names_::long4_32a, quern_names_::longlong1, \
  quern_names_::longlong2, quern_names_::longlong3, quern_names_::longlong4, quern_names_::longlong4_16a, \
  quern_names_::longlong4_32a, quern_names_::lrint, quern_names_::lrintf, quern_names_::lround, \
  quern_names_::lroundf, quern_names_::make_bfloat162, quern_names_::make_char1, quern_names_::make_char2, \
  quern_names_::make_char3, quern_names_::make_char4, quern_names_::make_cudaExtent, \
  quern_names_::make_cudaPitchedPtr, quern_names_::make_cudaPos, quern_names_::make_double1, \
  quern_names_::make_double2, quern_names_::make_double3, quern_names_::make_double4, \
  quern_names_::make_double4_16a, quern_names_::make_double4_32a, quern_names_::make_float1, \
  quern_names_::make_float2, quern_names_::make_float3, quern_names_::make_float4, \
  quern_names_::make_half2, quern_names_::make_int1, quern_names_::make_int2, quern_names_::make_int3, \
  quern_names_::make_int4, quern_names_::make_long1, quern_names_::make_long2, quern_names_::make_long3, \
  quern_names_::make_long4, quern_names_::make_long4_16a, quern_names_::make_long4_32a, \
  quern_names_::make_longlong1, quern_names_::make_longlong2, quern_names_::make_longlong3, \
  quern_names_::make_longlong4, quern_names_::make_longlong4_16a, quern_names_::make_longlong4_32a, \
  quern_names_::make_short1, quern_names_::make_short2, quern_names_::make_short3, \
  quern_names_::make_short4, quern_names_::make_uchar1, quern_names_::make_uchar2, \
  quern_names_::make_uchar3, quern_names_::make_uchar4, quern_names_::make_uint1, \
  quern_names_::make_uint2, quern_names_::make_uint3, quern_names_::make_uint4, quern_names_::make_ulong1, \
  quern_names_::make_ulong2, quern_names_::make_ulong3, quern_names_::make_ulong4, \
  quern_names_::make_ulong4_16a, quern_names_::make_ulong4_32a, quern_names_::make_ulonglong1, \
  quern_names_::make_ulonglong2, quern_names_::make_ulonglong3, quern_names_::make_ulonglong4, \
  quern_names_::make_ulonglong4_16a, quern_names_::make_ulonglong4_32a, quern_names_::make_ushort1, \
  quern_names_::make_ushort2, quern_names_::make_ushort3, quern_names_::make_ushort4, quern_names_::max, \
  quern_names_::memcmp, quern_names_::memcpy, quern_names_::memmove, quern_names_::memset, \
  quern_names_::min, quern_names_::modf, quern_names_::modff, quern_names_::mul24, quern_names_::mul64hi, \
  quern_names_::mulhi, quern_names_::nan, quern_names_::nanf, quern_names_::nearbyint, \
  quern_names_::nearbyintf, quern_names_::nextafter, quern_names_::nextafterf, quern_names_::norm, \
  quern_names_::norm3d, quern_names_::norm3df, quern_names_::norm4d, quern_names_::norm4df, \
  quern_names_::normcdf, quern_names_::normcdff, quern_names_::normcdfinv, quern_names_::normcdfinvf, \
  quern_names_::normf, quern_names_::nv_bfloat16, quern_names_::nv_bfloat162, quern_names_::pow, \
  quern_names_::powf, quern_names_::printf, quern_names_::rcbrt, quern_names_::rcbrtf, \
  quern_names_::remainder, quern_names_::remainderf, quern_names_::remquo, quern_names_::remquof, \
  quern_names_::rhypot, quern_names_::rhypotf, quern_names_::rint, quern_names_::rintf, \
  quern_names_::rnorm, quern_names_::rnorm3d, quern_names_::rnorm3df, quern_names_::rnorm4d, \
  quern_names_::rnorm4df, quern_names_::rnormf, quern_names_::round, quern_names_::roundf, \
  quern_names_::rsqrt, quern_names_::rsqrtf, quern_names_::saturate, quern_names_::scalbln, \
  quern_names_::scalblnf, quern_names_::scalbn, quern_names_::scalbnf, quern_names_::short1, \
  quern_names_::short2, quern_names_::short3, quern_names_::short4, quern_names_::signbit, \
  quern_names_::sin, quern_names_::sincos, quern_names_::sincosf, quern_names_::sincospi, \
  quern_names_::sincospif, quern_names_::sinf, quern_names_::sinh, quern_names_::sinhf, \
  quern_names_::sinpi, quern_names_::sinpif, quern_names_::sqrt, quern_names_::sqrtf, \
  quern_names_::strcmp, quern_names_::strlen, quern_names_::tan, quern_names_::tanf, quern_names_::tanh, \
  quern_names_::tanhf, quern_names_::tgamma, quern_names_::tgammaf, quern_names_::threadIdx, \
  quern_names_::trunc, quern_names_::truncf, quern_names_::uchar1, quern_names_::uchar2, \
  quern_names_::uchar3, quern_names_::uchar4, quern_names_::uint1, quern_names_::uint2, \
  quern_names_::uint3, quern_names_::uint4, quern_names_::uint_as_float, quern_names_::ullmax, \
  quern_names_::ullmin, quern_names_::ulong1, quern_names_::ulong2, quern_names_::ulong3, \
  quern_names_::ulong4, quern_names_::ulong4_16a, quern_names_::ulong4_32a, quern_names_::ulonglong1, \
  quern_names_::ulonglong2, quern_names_::ulonglong3, quern_names_::ulonglong4, \
  quern_names_::ulonglong4_16a, quern_names_::ulonglong4_32a, quern_names_::umax, quern_names_::umin, \
  quern_names_::umul24, quern_names_::ushort1, quern_names_::ushort2, quern_names_::ushort3, \
  quern_names_::ushort4, quern_names_::warpSize, quern_names_::y0, quern_names_::y0f, quern_names_::y1, \
  quern_names_::y1f, quern_names_::yn, quern_names_::ynf;

namespace quern::detail {
// The same names as text, in ASCII order.
inline constexpr std::string_view kKernelNames[] = {
  "CUevent_st", "CUstream_st", "__activemask", "__all", "__all_sync", "__any", "__any_sync",
  "__assert_fail", "__assume", "__ballot", "__ballot_sync", "__bfloat1622float2", "__bfloat162bfloat162",
  "__bfloat162char_rz", "__bfloat162float", "__bfloat162int_rd", "__bfloat162int_rn", "__bfloat162int_ru",
  "__bfloat162int_rz", "__bfloat162ll_rd", "__bfloat162ll_rn", "__bfloat162ll_ru", "__bfloat162ll_rz",
  "__bfloat162short_rd", "__bfloat162short_rn", "__bfloat162short_ru", "__bfloat162short_rz",
  "__bfloat162uchar_rz", "__bfloat162uint_rd", "__bfloat162uint_rn", "__bfloat162uint_ru",
  "__bfloat162uint_rz", "__bfloat162ull_rd", "__bfloat162ull_rn", "__bfloat162ull_ru", "__bfloat162ull_rz",
  "__bfloat162ushort_rd", "__bfloat162ushort_rn", "__bfloat162ushort_ru", "__bfloat162ushort_rz",
  "__bfloat16_as_short", "__bfloat16_as_ushort", "__brev", "__brevll", "__brkpt", "__byte_perm", "__clock",
  "__clock64", "__clz", "__clzll", "__cosf", "__cvta_constant_to_generic", "__cvta_generic_to_constant",
  "__cvta_generic_to_global", "__cvta_generic_to_local", "__cvta_generic_to_shared",
  "__cvta_global_to_generic", "__cvta_local_to_generic", "__cvta_shared_to_generic", "__dadd_rd",
  "__dadd_rn", "__dadd_ru", "__dadd_rz", "__ddiv_rd", "__ddiv_rn", "__ddiv_ru", "__ddiv_rz", "__dmul_rd",
  "__dmul_rn", "__dmul_ru", "__dmul_rz", "__double2bfloat16", "__double2float_rd", "__double2float_rn",
  "__double2float_ru", "__double2float_rz", "__double2half", "__double2hiint", "__double2int_rd",
  "__double2int_rn", "__double2int_ru", "__double2int_rz", "__double2ll_rd", "__double2ll_rn",
  "__double2ll_ru", "__double2ll_rz", "__double2loint", "__double2uint_rd", "__double2uint_rn",
  "__double2uint_ru", "__double2uint_rz", "__double2ull_rd", "__double2ull_rn", "__double2ull_ru",
  "__double2ull_rz", "__double_as_longlong", "__dp2a_hi", "__dp2a_lo", "__dp4a", "__drcp_rd", "__drcp_rn",
  "__drcp_ru", "__drcp_rz", "__dsqrt_rd", "__dsqrt_rn", "__dsqrt_ru", "__dsqrt_rz", "__dsub_rd",
  "__dsub_rn", "__dsub_ru", "__dsub_rz", "__exp10f", "__expf", "__fadd_rd", "__fadd_rn", "__fadd_ru",
  "__fadd_rz", "__fdiv_rd", "__fdiv_rn", "__fdiv_ru", "__fdiv_rz", "__fdividef", "__ffs", "__ffsll",
  "__finite", "__finitef", "__float22bfloat162_rn", "__float22half2_rn", "__float2bfloat16",
  "__float2bfloat162_rn", "__float2bfloat16_rd", "__float2bfloat16_rn", "__float2bfloat16_ru",
  "__float2bfloat16_rz", "__float2half", "__float2half2_rn", "__float2half_rd", "__float2half_rn",
  "__float2half_ru", "__float2half_rz", "__float2int_rd", "__float2int_rn", "__float2int_ru",
  "__float2int_rz", "__float2ll_rd", "__float2ll_rn", "__float2ll_ru", "__float2ll_rz", "__float2uint_rd",
  "__float2uint_rn", "__float2uint_ru", "__float2uint_rz", "__float2ull_rd", "__float2ull_rn",
  "__float2ull_ru", "__float2ull_rz", "__float_as_int", "__float_as_uint", "__floats2bfloat162_rn",
  "__floats2half2_rn", "__fma_rd", "__fma_rn", "__fma_ru", "__fma_rz", "__fmaf_ieee_rd", "__fmaf_ieee_rn",
  "__fmaf_ieee_ru", "__fmaf_ieee_rz", "__fmaf_rd", "__fmaf_rn", "__fmaf_ru", "__fmaf_rz", "__fmul_rd",
  "__fmul_rn", "__fmul_ru", "__fmul_rz", "__fns", "__frcp_rd", "__frcp_rn", "__frcp_ru", "__frcp_rz",
  "__frsqrt_rn", "__fsqrt_rd", "__fsqrt_rn", "__fsqrt_ru", "__fsqrt_rz", "__fsub_rd", "__fsub_rn",
  "__fsub_ru", "__fsub_rz", "__funnelshift_l", "__funnelshift_lc", "__funnelshift_r", "__funnelshift_rc",
  "__globaltimer", "__h2div", "__habs", "__habs2", "__hadd", "__hadd2", "__hadd2_rn", "__hadd2_sat",
  "__hadd_rn", "__hadd_sat", "__half", "__half2", "__half22float2", "__half2char_rz", "__half2float",
  "__half2half2", "__half2int_rd", "__half2int_rn", "__half2int_ru", "__half2int_rz", "__half2ll_rd",
  "__half2ll_rn", "__half2ll_ru", "__half2ll_rz", "__half2short_rd", "__half2short_rn", "__half2short_ru",
  "__half2short_rz", "__half2uchar_rz", "__half2uint_rd", "__half2uint_rn", "__half2uint_ru",
  "__half2uint_rz", "__half2ull_rd", "__half2ull_rn", "__half2ull_ru", "__half2ull_rz", "__half2ushort_rd",
  "__half2ushort_rn", "__half2ushort_ru", "__half2ushort_rz", "__half_as_short", "__half_as_ushort",
  "__halves2bfloat162", "__halves2half2", "__hbeq2", "__hbequ2", "__hbge2", "__hbgeu2", "__hbgt2",
  "__hbgtu2", "__hble2", "__hbleu2", "__hblt2", "__hbltu2", "__hbne2", "__hbneu2", "__hcmadd", "__hdiv",
  "__heq", "__heq2", "__heq2_mask", "__hequ", "__hequ2", "__hequ2_mask", "__hfma", "__hfma2",
  "__hfma2_relu", "__hfma2_sat", "__hfma_relu", "__hfma_sat", "__hge", "__hge2", "__hge2_mask", "__hgeu",
  "__hgeu2", "__hgeu2_mask", "__hgt", "__hgt2", "__hgt2_mask", "__hgtu", "__hgtu2", "__hgtu2_mask",
  "__high2bfloat16", "__high2bfloat162", "__high2float", "__high2half", "__high2half2", "__highs2bfloat162",
  "__highs2half2", "__hiloint2double", "__hisinf", "__hisnan", "__hisnan2", "__hle", "__hle2",
  "__hle2_mask", "__hleu", "__hleu2", "__hleu2_mask", "__hlt", "__hlt2", "__hlt2_mask", "__hltu", "__hltu2",
  "__hltu2_mask", "__hmax", "__hmax2", "__hmax2_nan", "__hmax_nan", "__hmin", "__hmin2", "__hmin2_nan",
  "__hmin_nan", "__hmul", "__hmul2", "__hmul2_rn", "__hmul2_sat", "__hmul_rn", "__hmul_sat", "__hne",
  "__hne2", "__hne2_mask", "__hneg", "__hneg2", "__hneu", "__hneu2", "__hneu2_mask", "__hsub", "__hsub2",
  "__hsub2_rn", "__hsub2_sat", "__hsub_rn", "__hsub_sat", "__int2bfloat16_rd", "__int2bfloat16_rn",
  "__int2bfloat16_ru", "__int2bfloat16_rz", "__int2double_rn", "__int2float_rd", "__int2float_rn",
  "__int2float_ru", "__int2float_rz", "__int2half_rd", "__int2half_rn", "__int2half_ru", "__int2half_rz",
  "__int_as_float", "__isConstant", "__isGlobal", "__isGridConstant", "__isLocal", "__isShared", "__isinf",
  "__isinff", "__isnan", "__isnanf", "__lane_id", "__ldca", "__ldcg", "__ldcs", "__ldcv", "__ldg", "__ldlu",
  "__ll2bfloat16_rd", "__ll2bfloat16_rn", "__ll2bfloat16_ru", "__ll2bfloat16_rz", "__ll2double_rd",
  "__ll2double_rn", "__ll2double_ru", "__ll2double_rz", "__ll2float_rd", "__ll2float_rn", "__ll2float_ru",
  "__ll2float_rz", "__ll2half_rd", "__ll2half_rn", "__ll2half_ru", "__ll2half_rz", "__log10f", "__log2f",
  "__logf", "__longlong_as_double", "__low2bfloat16", "__low2bfloat162", "__low2float", "__low2half",
  "__low2half2", "__lowhigh2highlow", "__lows2bfloat162", "__lows2half2", "__match_all_sync",
  "__match_any_sync", "__mul24", "__mul64hi", "__mulhi", "__nanosleep", "__nv_bfloat16", "__nv_bfloat162",
  "__pm0", "__pm1", "__pm2", "__pm3", "__popc", "__popcll", "__powf", "__prof_trigger", "__reduce_add_sync",
  "__reduce_and_sync", "__reduce_max_sync", "__reduce_min_sync", "__reduce_or_sync", "__reduce_xor_sync",
  "__rhadd", "__sad", "__saturatef", "__shfl", "__shfl_down", "__shfl_down_sync", "__shfl_sync",
  "__shfl_up", "__shfl_up_sync", "__shfl_xor", "__shfl_xor_sync", "__short2bfloat16_rd",
  "__short2bfloat16_rn", "__short2bfloat16_ru", "__short2bfloat16_rz", "__short2half_rd", "__short2half_rn",
  "__short2half_ru", "__short2half_rz", "__short_as_bfloat16", "__short_as_half", "__signbit", "__signbitd",
  "__signbitf", "__sincosf", "__sinf", "__stcg", "__stcs", "__stwb", "__stwt", "__syncthreads",
  "__syncthreads_and", "__syncthreads_count", "__syncthreads_or", "__syncwarp", "__tanf", "__tanhf",
  "__threadfence", "__threadfence_block", "__threadfence_system", "__trap", "__uhadd", "__uint2bfloat16_rd",
  "__uint2bfloat16_rn", "__uint2bfloat16_ru", "__uint2bfloat16_rz", "__uint2double_rn", "__uint2float_rd",
  "__uint2float_rn", "__uint2float_ru", "__uint2float_rz", "__uint2half_rd", "__uint2half_rn",
  "__uint2half_ru", "__uint2half_rz", "__uint_as_float", "__ull2bfloat16_rd", "__ull2bfloat16_rn",
  "__ull2bfloat16_ru", "__ull2bfloat16_rz", "__ull2double_rd", "__ull2double_rn", "__ull2double_ru",
  "__ull2double_rz", "__ull2float_rd", "__ull2float_rn", "__ull2float_ru", "__ull2float_rz",
  "__ull2half_rd", "__ull2half_rn", "__ull2half_ru", "__ull2half_rz", "__umul24", "__umul64hi", "__umulhi",
  "__uni_sync", "__urhadd", "__usad", "__ushort2bfloat16_rd", "__ushort2bfloat16_rn",
  "__ushort2bfloat16_ru", "__ushort2bfloat16_rz", "__ushort2half_rd", "__ushort2half_rn",
  "__ushort2half_ru", "__ushort2half_rz", "__ushort_as_bfloat16", "__ushort_as_half", "__vabs2", "__vabs4",
  "__vabsdiffs2", "__vabsdiffs4", "__vabsdiffu2", "__vabsdiffu4", "__vabsss2", "__vabsss4", "__vadd2",
  "__vadd4", "__vaddss2", "__vaddss4", "__vaddus2", "__vaddus4", "__vavgs2", "__vavgs4", "__vavgu2",
  "__vavgu4", "__vcmpeq2", "__vcmpeq4", "__vcmpges2", "__vcmpges4", "__vcmpgeu2", "__vcmpgeu4",
  "__vcmpgts2", "__vcmpgts4", "__vcmpgtu2", "__vcmpgtu4", "__vcmples2", "__vcmples4", "__vcmpleu2",
  "__vcmpleu4", "__vcmplts2", "__vcmplts4", "__vcmpltu2", "__vcmpltu4", "__vcmpne2", "__vcmpne4",
  "__vhaddu2", "__vhaddu4", "__viaddmax_s16x2", "__viaddmax_s16x2_relu", "__viaddmax_s32",
  "__viaddmax_s32_relu", "__viaddmax_u16x2", "__viaddmax_u32", "__viaddmin_s16x2", "__viaddmin_s16x2_relu",
  "__viaddmin_s32", "__viaddmin_s32_relu", "__viaddmin_u16x2", "__viaddmin_u32", "__vibmax_s16x2",
  "__vibmax_s32", "__vibmax_u16x2", "__vibmax_u32", "__vibmin_s16x2", "__vibmin_s32", "__vibmin_u16x2",
  "__vibmin_u32", "__vimax3_s16x2", "__vimax3_s16x2_relu", "__vimax3_s32", "__vimax3_s32_relu",
  "__vimax3_u16x2", "__vimax3_u32", "__vimax_s16x2_relu", "__vimax_s32_relu", "__vimin3_s16x2",
  "__vimin3_s16x2_relu", "__vimin3_s32", "__vimin3_s32_relu", "__vimin3_u16x2", "__vimin3_u32",
  "__vimin_s16x2_relu", "__vimin_s32_relu", "__vmaxs2", "__vmaxs4", "__vmaxu2", "__vmaxu4", "__vmins2",
  "__vmins4", "__vminu2", "__vminu4", "__vneg2", "__vneg4", "__vnegss2", "__vnegss4", "__vsads2",
  "__vsads4", "__vsadu2", "__vsadu4", "__vseteq2", "__vseteq4", "__vsetges2", "__vsetges4", "__vsetgeu2",
  "__vsetgeu4", "__vsetgts2", "__vsetgts4", "__vsetgtu2", "__vsetgtu4", "__vsetles2", "__vsetles4",
  "__vsetleu2", "__vsetleu4", "__vsetlts2", "__vsetlts4", "__vsetltu2", "__vsetltu4", "__vsetne2",
  "__vsetne4", "__vsub2", "__vsub4", "__vsubss2", "__vsubss4", "__vsubus2", "__vsubus4", "abort", "abs",
  "acos", "acosf", "acosh", "acoshf", "asin", "asinf", "asinh", "asinhf", "assert", "atan", "atan2",
  "atan2f", "atanf", "atanh", "atanhf", "atomicAdd", "atomicAdd_block", "atomicAdd_system", "atomicAnd",
  "atomicAnd_block", "atomicAnd_system", "atomicCAS", "atomicCAS_block", "atomicCAS_system", "atomicDec",
  "atomicDec_block", "atomicDec_system", "atomicExch", "atomicExch_block", "atomicExch_system", "atomicInc",
  "atomicInc_block", "atomicInc_system", "atomicMax", "atomicMax_block", "atomicMax_system", "atomicMin",
  "atomicMin_block", "atomicMin_system", "atomicOr", "atomicOr_block", "atomicOr_system", "atomicSub",
  "atomicSub_block", "atomicSub_system", "atomicXor", "atomicXor_block", "atomicXor_system", "blockDim",
  "blockIdx", "cbrt", "cbrtf", "ceil", "ceilf", "char1", "char2", "char3", "char4", "clock", "clock64",
  "clock_t", "copysign", "copysignf", "cos", "cosf", "cosh", "coshf", "cospi", "cospif", "cudaEvent_t",
  "cudaExtent", "cudaPitchedPtr", "cudaPos", "cudaStream_t", "cyl_bessel_i0", "cyl_bessel_i0f",
  "cyl_bessel_i1", "cyl_bessel_i1f", "dim3", "div", "div_t", "double1", "double2", "double3", "double4",
  "double4_16a", "double4_32a", "erf", "erfc", "erfcf", "erfcinv", "erfcinvf", "erfcx", "erfcxf", "erff",
  "erfinv", "erfinvf", "exp", "exp10", "exp10f", "exp2", "exp2f", "expf", "expm1", "expm1f", "fabs",
  "fabsf", "fdim", "fdimf", "fdivide", "fdividef", "finite", "finitef", "float1", "float2", "float3",
  "float4", "float_as_int", "float_as_uint", "floor", "floorf", "fma", "fmaf", "fmax", "fmaxf", "fmin",
  "fminf", "fmod", "fmodf", "fpclassify", "frexp", "frexpf", "gridDim", "h2ceil", "h2cos", "h2exp",
  "h2exp10", "h2exp2", "h2floor", "h2log", "h2log10", "h2log2", "h2rcp", "h2rint", "h2rsqrt", "h2sin",
  "h2sqrt", "h2tanh", "h2tanh_approx", "h2trunc", "half", "half2", "hceil", "hcos", "hexp", "hexp10",
  "hexp2", "hfloor", "hlog", "hlog10", "hlog2", "hrcp", "hrint", "hrsqrt", "hsin", "hsqrt", "htanh",
  "htanh_approx", "htrunc", "hypot", "hypotf", "ilogb", "ilogbf", "int1", "int2", "int3", "int4",
  "int_as_float", "isfinite", "isgreater", "isgreaterequal", "isinf", "isinff", "isless", "islessequal",
  "islessgreater", "isnan", "isnanf", "isnormal", "isunordered", "j0", "j0f", "j1", "j1f", "jn", "jnf",
  "labs", "ldexp", "ldexpf", "ldiv_t", "lgamma", "lgammaf", "llabs", "lldiv_t", "llmax", "llmin", "llrint",
  "llrintf", "llround", "llroundf", "log", "log10", "log10f", "log1p", "log1pf", "log2", "log2f", "logb",
  "logbf", "logf", "long1", "long2", "long3", "long4", "long4_16a", "long4_32a", "longlong1", "longlong2",
  "longlong3", "longlong4", "longlong4_16a", "longlong4_32a", "lrint", "lrintf", "lround", "lroundf",
  "make_bfloat162", "make_char1", "make_char2", "make_char3", "make_char4", "make_cudaExtent",
  "make_cudaPitchedPtr", "make_cudaPos", "make_double1", "make_double2", "make_double3", "make_double4",
  "make_double4_16a", "make_double4_32a", "make_float1", "make_float2", "make_float3", "make_float4",
  "make_half2", "make_int1", "make_int2", "make_int3", "make_int4", "make_long1", "make_long2",
  "make_long3", "make_long4", "make_long4_16a", "make_long4_32a", "make_longlong1", "make_longlong2",
  "make_longlong3", "make_longlong4", "make_longlong4_16a", "make_longlong4_32a", "make_short1",
  "make_short2", "make_short3", "make_short4", "make_uchar1", "make_uchar2", "make_uchar3", "make_uchar4",
  "make_uint1", "make_uint2", "make_uint3", "make_uint4", "make_ulong1", "make_ulong2", "make_ulong3",
  "make_ulong4", "make_ulong4_16a", "make_ulong4_32a", "make_ulonglong1", "make_ulonglong2",
  "make_ulonglong3", "make_ulonglong4", "make_ulonglong4_16a", "make_ulonglong4_32a", "make_ushort1",
  "make_ushort2", "make_ushort3", "make_ushort4", "max", "memcmp", "memcpy", "memmove", "memset", "min",
  "modf", "modff", "mul24", "mul64hi", "mulhi", "nan", "nanf", "nearbyint", "nearbyintf", "nextafter",
  "nextafterf", "norm", "norm3d", "norm3df", "norm4d", "norm4df", "normcdf", "normcdff", "normcdfinv",
  "normcdfinvf", "normf", "nv_bfloat16", "nv_bfloat162", "pow", "powf", "printf", "rcbrt", "rcbrtf",
  "remainder", "remainderf", "remquo", "remquof", "rhypot", "rhypotf", "rint", "rintf", "rnorm", "rnorm3d",
  "rnorm3df", "rnorm4d", "rnorm4df", "rnormf", "round", "roundf", "rsqrt", "rsqrtf", "saturate", "scalbln",
  "scalblnf", "scalbn", "scalbnf", "short1", "short2", "short3", "short4", "signbit", "sin", "sincos",
  "sincosf", "sincospi", "sincospif", "sinf", "sinh", "sinhf", "sinpi", "sinpif", "sqrt", "sqrtf", "strcmp",
  "strlen", "tan", "tanf", "tanh", "tanhf", "tgamma", "tgammaf", "threadIdx", "trunc", "truncf", "uchar1",
  "uchar2", "uchar3", "uchar4", "uint1", "uint2", "uint3", "uint4", "uint_as_float", "ullmax", "ullmin",
  "ulong1", "ulong2", "ulong3", "ulong4", "ulong4_16a", "ulong4_32a", "ulonglong1", "ulonglong2",
  "ulonglong3", "ulonglong4", "ulonglong4_16a", "ulonglong4_32a", "umax", "umin", "umul24", "ushort1",
  "ushort2", "ushort3", "ushort4", "warpSize", "y0", "y0f", "y1", "y1f", "yn", "ynf",
};
}  // namespace quern::detail
// clang-format on
