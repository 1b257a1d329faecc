// Shuffles, votes, match and reductions of a warp. half and the pairs are passed as 32 bits.

__device__ int __shfl_sync(unsigned mask, int v, int lane, int width = 32) {
  return __quern_shuffle_index(mask, v, lane, width);
}
__device__ int __shfl_up_sync(unsigned mask, int v, unsigned delta, int width = 32) {
  return __quern_shuffle_up(mask, v, delta, width);
}
__device__ int __shfl_down_sync(unsigned mask, int v, unsigned delta, int width = 32) {
  return __quern_shuffle_down(mask, v, delta, width);
}
__device__ int __shfl_xor_sync(unsigned mask, int v, int lanes, int width = 32) {
  return __quern_shuffle_xor(mask, v, lanes, width);
}
__device__ unsigned __shfl_sync(unsigned mask, unsigned v, int lane, int width = 32) {
  return __quern_shuffle_index(mask, v, lane, width);
}
__device__ unsigned __shfl_up_sync(unsigned mask, unsigned v, unsigned delta, int width = 32) {
  return __quern_shuffle_up(mask, v, delta, width);
}
__device__ unsigned __shfl_down_sync(unsigned mask, unsigned v, unsigned delta, int width = 32) {
  return __quern_shuffle_down(mask, v, delta, width);
}
__device__ unsigned __shfl_xor_sync(unsigned mask, unsigned v, int lanes, int width = 32) {
  return __quern_shuffle_xor(mask, v, lanes, width);
}
__device__ long __shfl_sync(unsigned mask, long v, int lane, int width = 32) {
  return __quern_shuffle_index(mask, v, lane, width);
}
__device__ long __shfl_up_sync(unsigned mask, long v, unsigned delta, int width = 32) {
  return __quern_shuffle_up(mask, v, delta, width);
}
__device__ long __shfl_down_sync(unsigned mask, long v, unsigned delta, int width = 32) {
  return __quern_shuffle_down(mask, v, delta, width);
}
__device__ long __shfl_xor_sync(unsigned mask, long v, int lanes, int width = 32) {
  return __quern_shuffle_xor(mask, v, lanes, width);
}
__device__ unsigned long __shfl_sync(unsigned mask, unsigned long v, int lane, int width = 32) {
  return __quern_shuffle_index(mask, v, lane, width);
}
__device__ unsigned long __shfl_up_sync(unsigned mask, unsigned long v, unsigned delta, int width = 32) {
  return __quern_shuffle_up(mask, v, delta, width);
}
__device__ unsigned long __shfl_down_sync(unsigned mask, unsigned long v, unsigned delta, int width = 32) {
  return __quern_shuffle_down(mask, v, delta, width);
}
__device__ unsigned long __shfl_xor_sync(unsigned mask, unsigned long v, int lanes, int width = 32) {
  return __quern_shuffle_xor(mask, v, lanes, width);
}
__device__ long long __shfl_sync(unsigned mask, long long v, int lane, int width = 32) {
  return __quern_shuffle_index(mask, v, lane, width);
}
__device__ long long __shfl_up_sync(unsigned mask, long long v, unsigned delta, int width = 32) {
  return __quern_shuffle_up(mask, v, delta, width);
}
__device__ long long __shfl_down_sync(unsigned mask, long long v, unsigned delta, int width = 32) {
  return __quern_shuffle_down(mask, v, delta, width);
}
__device__ long long __shfl_xor_sync(unsigned mask, long long v, int lanes, int width = 32) {
  return __quern_shuffle_xor(mask, v, lanes, width);
}
__device__ unsigned long long __shfl_sync(unsigned mask, unsigned long long v, int lane, int width = 32) {
  return __quern_shuffle_index(mask, v, lane, width);
}
__device__ unsigned long long __shfl_up_sync(unsigned mask, unsigned long long v, unsigned delta,
    int width = 32) {
  return __quern_shuffle_up(mask, v, delta, width);
}
__device__ unsigned long long __shfl_down_sync(unsigned mask, unsigned long long v, unsigned delta,
    int width = 32) {
  return __quern_shuffle_down(mask, v, delta, width);
}
__device__ unsigned long long __shfl_xor_sync(unsigned mask, unsigned long long v, int lanes,
    int width = 32) {
  return __quern_shuffle_xor(mask, v, lanes, width);
}
__device__ float __shfl_sync(unsigned mask, float v, int lane, int width = 32) {
  return __quern_shuffle_index(mask, v, lane, width);
}
__device__ float __shfl_up_sync(unsigned mask, float v, unsigned delta, int width = 32) {
  return __quern_shuffle_up(mask, v, delta, width);
}
__device__ float __shfl_down_sync(unsigned mask, float v, unsigned delta, int width = 32) {
  return __quern_shuffle_down(mask, v, delta, width);
}
__device__ float __shfl_xor_sync(unsigned mask, float v, int lanes, int width = 32) {
  return __quern_shuffle_xor(mask, v, lanes, width);
}
__device__ double __shfl_sync(unsigned mask, double v, int lane, int width = 32) {
  return __quern_shuffle_index(mask, v, lane, width);
}
__device__ double __shfl_up_sync(unsigned mask, double v, unsigned delta, int width = 32) {
  return __quern_shuffle_up(mask, v, delta, width);
}
__device__ double __shfl_down_sync(unsigned mask, double v, unsigned delta, int width = 32) {
  return __quern_shuffle_down(mask, v, delta, width);
}
__device__ double __shfl_xor_sync(unsigned mask, double v, int lanes, int width = 32) {
  return __quern_shuffle_xor(mask, v, lanes, width);
}
__device__ __half __shfl_sync(unsigned mask, __half v, int lane, int width = 32) {
  return __lib_unpack_half(__quern_shuffle_index(mask, __lib_pack(v), lane, width));
}
__device__ __half __shfl_up_sync(unsigned mask, __half v, unsigned delta, int width = 32) {
  return __lib_unpack_half(__quern_shuffle_up(mask, __lib_pack(v), delta, width));
}
__device__ __half __shfl_down_sync(unsigned mask, __half v, unsigned delta, int width = 32) {
  return __lib_unpack_half(__quern_shuffle_down(mask, __lib_pack(v), delta, width));
}
__device__ __half __shfl_xor_sync(unsigned mask, __half v, int lanes, int width = 32) {
  return __lib_unpack_half(__quern_shuffle_xor(mask, __lib_pack(v), lanes, width));
}
__device__ __nv_bfloat16 __shfl_sync(unsigned mask, __nv_bfloat16 v, int lane, int width = 32) {
  return __lib_unpack_bfloat16(__quern_shuffle_index(mask, __lib_pack(v), lane, width));
}
__device__ __nv_bfloat16 __shfl_up_sync(unsigned mask, __nv_bfloat16 v, unsigned delta, int width = 32) {
  return __lib_unpack_bfloat16(__quern_shuffle_up(mask, __lib_pack(v), delta, width));
}
__device__ __nv_bfloat16 __shfl_down_sync(unsigned mask, __nv_bfloat16 v, unsigned delta, int width = 32) {
  return __lib_unpack_bfloat16(__quern_shuffle_down(mask, __lib_pack(v), delta, width));
}
__device__ __nv_bfloat16 __shfl_xor_sync(unsigned mask, __nv_bfloat16 v, int lanes, int width = 32) {
  return __lib_unpack_bfloat16(__quern_shuffle_xor(mask, __lib_pack(v), lanes, width));
}
__device__ __half2 __shfl_sync(unsigned mask, __half2 v, int lane, int width = 32) {
  return __lib_unpack_half2(__quern_shuffle_index(mask, __lib_pack(v), lane, width));
}
__device__ __half2 __shfl_up_sync(unsigned mask, __half2 v, unsigned delta, int width = 32) {
  return __lib_unpack_half2(__quern_shuffle_up(mask, __lib_pack(v), delta, width));
}
__device__ __half2 __shfl_down_sync(unsigned mask, __half2 v, unsigned delta, int width = 32) {
  return __lib_unpack_half2(__quern_shuffle_down(mask, __lib_pack(v), delta, width));
}
__device__ __half2 __shfl_xor_sync(unsigned mask, __half2 v, int lanes, int width = 32) {
  return __lib_unpack_half2(__quern_shuffle_xor(mask, __lib_pack(v), lanes, width));
}
__device__ __nv_bfloat162 __shfl_sync(unsigned mask, __nv_bfloat162 v, int lane, int width = 32) {
  return __lib_unpack_bfloat162(__quern_shuffle_index(mask, __lib_pack(v), lane, width));
}
__device__ __nv_bfloat162 __shfl_up_sync(unsigned mask, __nv_bfloat162 v, unsigned delta, int width = 32) {
  return __lib_unpack_bfloat162(__quern_shuffle_up(mask, __lib_pack(v), delta, width));
}
__device__ __nv_bfloat162 __shfl_down_sync(unsigned mask, __nv_bfloat162 v, unsigned delta, int width = 32) {
  return __lib_unpack_bfloat162(__quern_shuffle_down(mask, __lib_pack(v), delta, width));
}
__device__ __nv_bfloat162 __shfl_xor_sync(unsigned mask, __nv_bfloat162 v, int lanes, int width = 32) {
  return __lib_unpack_bfloat162(__quern_shuffle_xor(mask, __lib_pack(v), lanes, width));
}

// The functions from before Volta: among the active threads.
__device__ int __shfl(int v, int lane, int width = 32) {
  return __quern_shuffle_index(__quern_active_mask(), v, lane, width);
}
__device__ int __shfl_up(int v, unsigned delta, int width = 32) {
  return __quern_shuffle_up(__quern_active_mask(), v, delta, width);
}
__device__ int __shfl_down(int v, unsigned delta, int width = 32) {
  return __quern_shuffle_down(__quern_active_mask(), v, delta, width);
}
__device__ int __shfl_xor(int v, int lanes, int width = 32) {
  return __quern_shuffle_xor(__quern_active_mask(), v, lanes, width);
}
__device__ unsigned __shfl(unsigned v, int lane, int width = 32) {
  return __quern_shuffle_index(__quern_active_mask(), v, lane, width);
}
__device__ unsigned __shfl_up(unsigned v, unsigned delta, int width = 32) {
  return __quern_shuffle_up(__quern_active_mask(), v, delta, width);
}
__device__ unsigned __shfl_down(unsigned v, unsigned delta, int width = 32) {
  return __quern_shuffle_down(__quern_active_mask(), v, delta, width);
}
__device__ unsigned __shfl_xor(unsigned v, int lanes, int width = 32) {
  return __quern_shuffle_xor(__quern_active_mask(), v, lanes, width);
}
__device__ long __shfl(long v, int lane, int width = 32) {
  return __quern_shuffle_index(__quern_active_mask(), v, lane, width);
}
__device__ long __shfl_up(long v, unsigned delta, int width = 32) {
  return __quern_shuffle_up(__quern_active_mask(), v, delta, width);
}
__device__ long __shfl_down(long v, unsigned delta, int width = 32) {
  return __quern_shuffle_down(__quern_active_mask(), v, delta, width);
}
__device__ long __shfl_xor(long v, int lanes, int width = 32) {
  return __quern_shuffle_xor(__quern_active_mask(), v, lanes, width);
}
__device__ unsigned long __shfl(unsigned long v, int lane, int width = 32) {
  return __quern_shuffle_index(__quern_active_mask(), v, lane, width);
}
__device__ unsigned long __shfl_up(unsigned long v, unsigned delta, int width = 32) {
  return __quern_shuffle_up(__quern_active_mask(), v, delta, width);
}
__device__ unsigned long __shfl_down(unsigned long v, unsigned delta, int width = 32) {
  return __quern_shuffle_down(__quern_active_mask(), v, delta, width);
}
__device__ unsigned long __shfl_xor(unsigned long v, int lanes, int width = 32) {
  return __quern_shuffle_xor(__quern_active_mask(), v, lanes, width);
}
__device__ long long __shfl(long long v, int lane, int width = 32) {
  return __quern_shuffle_index(__quern_active_mask(), v, lane, width);
}
__device__ long long __shfl_up(long long v, unsigned delta, int width = 32) {
  return __quern_shuffle_up(__quern_active_mask(), v, delta, width);
}
__device__ long long __shfl_down(long long v, unsigned delta, int width = 32) {
  return __quern_shuffle_down(__quern_active_mask(), v, delta, width);
}
__device__ long long __shfl_xor(long long v, int lanes, int width = 32) {
  return __quern_shuffle_xor(__quern_active_mask(), v, lanes, width);
}
__device__ unsigned long long __shfl(unsigned long long v, int lane, int width = 32) {
  return __quern_shuffle_index(__quern_active_mask(), v, lane, width);
}
__device__ unsigned long long __shfl_up(unsigned long long v, unsigned delta, int width = 32) {
  return __quern_shuffle_up(__quern_active_mask(), v, delta, width);
}
__device__ unsigned long long __shfl_down(unsigned long long v, unsigned delta, int width = 32) {
  return __quern_shuffle_down(__quern_active_mask(), v, delta, width);
}
__device__ unsigned long long __shfl_xor(unsigned long long v, int lanes, int width = 32) {
  return __quern_shuffle_xor(__quern_active_mask(), v, lanes, width);
}
__device__ float __shfl(float v, int lane, int width = 32) {
  return __quern_shuffle_index(__quern_active_mask(), v, lane, width);
}
__device__ float __shfl_up(float v, unsigned delta, int width = 32) {
  return __quern_shuffle_up(__quern_active_mask(), v, delta, width);
}
__device__ float __shfl_down(float v, unsigned delta, int width = 32) {
  return __quern_shuffle_down(__quern_active_mask(), v, delta, width);
}
__device__ float __shfl_xor(float v, int lanes, int width = 32) {
  return __quern_shuffle_xor(__quern_active_mask(), v, lanes, width);
}
__device__ double __shfl(double v, int lane, int width = 32) {
  return __quern_shuffle_index(__quern_active_mask(), v, lane, width);
}
__device__ double __shfl_up(double v, unsigned delta, int width = 32) {
  return __quern_shuffle_up(__quern_active_mask(), v, delta, width);
}
__device__ double __shfl_down(double v, unsigned delta, int width = 32) {
  return __quern_shuffle_down(__quern_active_mask(), v, delta, width);
}
__device__ double __shfl_xor(double v, int lanes, int width = 32) {
  return __quern_shuffle_xor(__quern_active_mask(), v, lanes, width);
}
__device__ int __any(int predicate) { return __quern_vote_any(__quern_active_mask(), predicate != 0); }
__device__ int __all(int predicate) { return __quern_vote_all(__quern_active_mask(), predicate != 0); }
__device__ unsigned __ballot(int predicate) { return __quern_ballot(__quern_active_mask(), predicate != 0); }

// Votes.
__device__ int __any_sync(unsigned mask, int predicate) { return __quern_vote_any(mask, predicate != 0); }
__device__ int __all_sync(unsigned mask, int predicate) { return __quern_vote_all(mask, predicate != 0); }
__device__ int __uni_sync(unsigned mask, int predicate) {
  unsigned yes = __quern_ballot(mask, predicate != 0);
  return yes == 0 || yes == mask;
}
__device__ unsigned __ballot_sync(unsigned mask, int predicate) {
  return __quern_ballot(mask, predicate != 0);
}
__device__ unsigned __activemask() { return __quern_active_mask(); }
__device__ unsigned __lane_id() { return __quern_lane_id(); }

// Match compares bits.
__device__ unsigned __match_any_sync(unsigned mask, int v) { return __quern_match_any(mask, v); }
__device__ unsigned __match_any_sync(unsigned mask, unsigned v) { return __quern_match_any(mask, v); }
__device__ unsigned __match_any_sync(unsigned mask, long v) { return __quern_match_any(mask, v); }
__device__ unsigned __match_any_sync(unsigned mask, unsigned long v) { return __quern_match_any(mask, v); }
__device__ unsigned __match_any_sync(unsigned mask, long long v) { return __quern_match_any(mask, v); }
__device__ unsigned __match_any_sync(unsigned mask, unsigned long long v) {
  return __quern_match_any(mask, v);
}
__device__ unsigned __match_any_sync(unsigned mask, float v) {
  return __quern_match_any(mask, __quern_bitcast<unsigned>(v));
}
__device__ unsigned __match_any_sync(unsigned mask, double v) {
  return __quern_match_any(mask, __quern_bitcast<unsigned long long>(v));
}
__device__ unsigned __match_all_sync(unsigned mask, int v, int* all) {
  unsigned same = __quern_match_all(mask, v);
  *all = same != 0;
  return same;
}
__device__ unsigned __match_all_sync(unsigned mask, unsigned v, int* all) {
  unsigned same = __quern_match_all(mask, v);
  *all = same != 0;
  return same;
}
__device__ unsigned __match_all_sync(unsigned mask, long v, int* all) {
  unsigned same = __quern_match_all(mask, v);
  *all = same != 0;
  return same;
}
__device__ unsigned __match_all_sync(unsigned mask, unsigned long v, int* all) {
  unsigned same = __quern_match_all(mask, v);
  *all = same != 0;
  return same;
}
__device__ unsigned __match_all_sync(unsigned mask, long long v, int* all) {
  unsigned same = __quern_match_all(mask, v);
  *all = same != 0;
  return same;
}
__device__ unsigned __match_all_sync(unsigned mask, unsigned long long v, int* all) {
  unsigned same = __quern_match_all(mask, v);
  *all = same != 0;
  return same;
}
__device__ unsigned __match_all_sync(unsigned mask, float v, int* all) {
  unsigned same = __quern_match_all(mask, __quern_bitcast<unsigned>(v));
  *all = same != 0;
  return same;
}
__device__ unsigned __match_all_sync(unsigned mask, double v, int* all) {
  unsigned same = __quern_match_all(mask, __quern_bitcast<unsigned long long>(v));
  *all = same != 0;
  return same;
}

// Reductions over the threads of the mask.
__device__ unsigned __reduce_add_sync(unsigned mask, unsigned v) { return __quern_warp_reduce_add(mask, v); }
__device__ int __reduce_add_sync(unsigned mask, int v) { return __quern_warp_reduce_add(mask, v); }
__device__ unsigned __reduce_min_sync(unsigned mask, unsigned v) { return __quern_warp_reduce_min(mask, v); }
__device__ int __reduce_min_sync(unsigned mask, int v) { return __quern_warp_reduce_min(mask, v); }
__device__ unsigned __reduce_max_sync(unsigned mask, unsigned v) { return __quern_warp_reduce_max(mask, v); }
__device__ int __reduce_max_sync(unsigned mask, int v) { return __quern_warp_reduce_max(mask, v); }
__device__ unsigned __reduce_and_sync(unsigned mask, unsigned v) { return __quern_warp_reduce_and(mask, v); }
__device__ unsigned __reduce_or_sync(unsigned mask, unsigned v) { return __quern_warp_reduce_or(mask, v); }
__device__ unsigned __reduce_xor_sync(unsigned mask, unsigned v) { return __quern_warp_reduce_xor(mask, v); }
