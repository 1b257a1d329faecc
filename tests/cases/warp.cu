// Warps: shuffles, votes, match, reductions, partial warps.
#include <cuda_fp16.h>

//! run broadcast(i32[32]) block 32
//! out = 70*32
__global__ void broadcast(int* out) {
  out[threadIdx.x] = __shfl_sync(0xffffffff, (int)threadIdx.x * 10, 7);
}

//! run rotate(i32[32]) block 32
//! out = 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 0 1 2 3 4
__global__ void rotate(int* out) {
  int lane = threadIdx.x;
  out[lane] = __shfl_sync(0xffffffff, lane, (lane + 5) % 32);
}

//! run lane_beyond_the_width(i32[32]) block 32
//! out = 3 3 3 3 3 3 3 3 11 11 11 11 11 11 11 11 19 19 19 19 19 19 19 19 27 27 27 27 27 27 27 27
__global__ void lane_beyond_the_width(int* out) {
  // Lanes are relative to the segment, modulo its width.
  out[threadIdx.x] = __shfl_sync(0xffffffff, (int)threadIdx.x, 11, 8);
}

//! run shift_up(i32[32]) block 32
//! out = 0 1 2 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28
__global__ void shift_up(int* out) { out[threadIdx.x] = __shfl_up_sync(0xffffffff, (int)threadIdx.x, 3); }

//! run shift_up_in_segments(i32[32]) block 32
//! out = 0 0 1 2 4 4 5 6 8 8 9 10 12 12 13 14 16 16 17 18 20 20 21 22 24 24 25 26 28 28 29 30
__global__ void shift_up_in_segments(int* out) {
  out[threadIdx.x] = __shfl_up_sync(0xffffffff, (int)threadIdx.x, 1, 4);
}

//! run shift_down(f32[32]) block 32
//! out[0:16] = 1 1.5 2 2.5 3 3.5 4 4.5 5 5.5 6 6.5 7 7.5 8 8.5
//! out[16:32] = 9 9.5 10 10.5 11 11.5 12 12.5 13 13.5 14 14.5 15 15.5 15 15.5
__global__ void shift_down(float* out) {
  out[threadIdx.x] = __shfl_down_sync(0xffffffff, threadIdx.x * 0.5f, 2);
}

//! run shift_down_in_segments(i32[32]) block 32
//! out = 5 6 7 8 9 10 11 12 13 14 15 11 12 13 14 15 21 22 23 24 25 26 27 28 29 30 31 27 28 29 30 31
__global__ void shift_down_in_segments(int* out) {
  out[threadIdx.x] = __shfl_down_sync(0xffffffff, (int)threadIdx.x, 5, 16);
}

//! run butterfly(i32[32]) block 32
//! out = 9 8 11 10 13 12 15 14 1 0 3 2 5 4 7 6 25 24 27 26 29 28 31 30 17 16 19 18 21 20 23 22
__global__ void butterfly(int* out) { out[threadIdx.x] = __shfl_xor_sync(0xffffffff, (int)threadIdx.x, 9); }

//! run butterfly_in_segments(i32[32]) block 32
//! out = 3 2 1 0 7 6 5 4 11 10 9 8 15 14 13 12 19 18 17 16 23 22 21 20 27 26 25 24 31 30 29 28
__global__ void butterfly_in_segments(int* out) {
  out[threadIdx.x] = __shfl_xor_sync(0xffffffff, (int)threadIdx.x, 3, 4);
}

//! run shuffled_doubles(f64[32]) block 32
//! out[0:16] = 3.875 3.75 3.625 3.5 3.375 3.25 3.125 3 2.875 2.75 2.625 2.5 2.375 2.25 2.125 2
//! out[16:32] = 1.875 1.75 1.625 1.5 1.375 1.25 1.125 1 0.875 0.75 0.625 0.5 0.375 0.25 0.125 0
__global__ void shuffled_doubles(double* out) {
  out[threadIdx.x] = __shfl_sync(0xffffffff, threadIdx.x * 0.125, 31 - threadIdx.x);
}

//! run shuffled_longs(u64[32]) block 32
//! out[0:4] = 8589934592 0 25769803776 17179869184
//! out[4:8] = 42949672960 34359738368 60129542144 51539607552
//! out[8:12] = 77309411328 68719476736 94489280512 85899345920
//! out[12:16] = 111669149696 103079215104 128849018880 120259084288
//! out[16:20] = 146028888064 137438953472 163208757248 154618822656
//! out[20:24] = 180388626432 171798691840 197568495616 188978561024
//! out[24:28] = 214748364800 206158430208 231928233984 223338299392
//! out[28:32] = 249108103168 240518168576 266287972352 257698037760
__global__ void shuffled_longs(unsigned long long* out) {
  out[threadIdx.x] = __shfl_xor_sync(0xffffffff, (unsigned long long)threadIdx.x << 33, 1);
}

//! run shuffled_halves(f32[32]) block 32
//! out = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 31
__global__ void shuffled_halves(float* out) {
  out[threadIdx.x] = __half2float(__shfl_down_sync(0xffffffff, __int2half_rn(threadIdx.x), 1));
}

//! run votes(i32[3]) block 32
//! out = 1 0 1
__global__ void votes(int* out) {
  int any = __any_sync(0xffffffff, threadIdx.x == 31);
  int all = __all_sync(0xffffffff, threadIdx.x != 31);
  int really_all = __all_sync(0xffffffff, threadIdx.x < 32);
  if (threadIdx.x == 5) {
    out[0] = any;
    out[1] = all;
    out[2] = really_all;
  }
}

//! run ballot(u32[32]) block 32
//! out = 2863311530*32
__global__ void ballot(unsigned* out) { out[threadIdx.x] = __ballot_sync(0xffffffff, threadIdx.x & 1); }

//! run match_any(u32[32]) block 32
//! out[0:8] = 31 31 31 31 31 992 992 992
//! out[8:16] = 992 992 31744 31744 31744 31744 31744 1015808
//! out[16:24] = 1015808 1015808 1015808 1015808 32505856 32505856 32505856 32505856
//! out[24:32] = 32505856 1040187392 1040187392 1040187392 1040187392 1040187392 3221225472 3221225472
__global__ void match_any(unsigned* out) {
  out[threadIdx.x] = __match_any_sync(0xffffffff, (int)threadIdx.x / 5);
}

//! run match_any_of_floats(u32[32]) block 32
//! out[0:8] = 1227133513 2454267026 613566756 1227133513 2454267026 613566756 1227133513 2454267026
//! out[8:16] = 613566756 1227133513 2454267026 613566756 1227133513 2454267026 613566756 1227133513
//! out[16:24] = 2454267026 613566756 1227133513 2454267026 613566756 1227133513 2454267026 613566756
//! out[24:32] = 1227133513 2454267026 613566756 1227133513 2454267026 613566756 1227133513 2454267026
__global__ void match_any_of_floats(unsigned* out) {
  out[threadIdx.x] = __match_any_sync(0xffffffff, (threadIdx.x % 3) * 1.5f);
}

//! run match_all(u32[4]) block 32
//! out = 4294967295 1 0 0
__global__ void match_all(unsigned* out) {
  int same, different;
  unsigned a = __match_all_sync(0xffffffff, 42, &same);
  unsigned b = __match_all_sync(0xffffffff, (int)threadIdx.x / 31, &different);
  if (threadIdx.x == 0) {
    out[0] = a;
    out[1] = same;
    out[2] = b;
    out[3] = different;
  }
}

//! run hardware_reductions(i32[4], u32[3]) block 32
//! out = -16 -16 15 496
//! bits = 0 31 0
__global__ void hardware_reductions(int* out, unsigned* bits) {
  int v = (int)threadIdx.x - 16;
  int sum = __reduce_add_sync(0xffffffff, v);
  int least = __reduce_min_sync(0xffffffff, v);
  int most = __reduce_max_sync(0xffffffff, v);
  unsigned ranks = __reduce_add_sync(0xffffffff, threadIdx.x);
  unsigned all = __reduce_and_sync(0xffffffff, threadIdx.x);
  unsigned some = __reduce_or_sync(0xffffffff, threadIdx.x);
  unsigned odd = __reduce_xor_sync(0xffffffff, threadIdx.x);
  if (threadIdx.x != 0) return;
  out[0] = sum;
  out[1] = least;
  out[2] = most;
  out[3] = ranks;
  bits[0] = all;
  bits[1] = some;
  bits[2] = odd;
}

__device__ float warp_sum(float v) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
  return v;
}
//! run sum_by_shifting(f32[64]=iota, f32[2]) block 64
//! out = 496 1520
__global__ void sum_by_shifting(const float* in, float* out) {
  float v = warp_sum(in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
}

//! run sum_by_butterfly(f32[32]=iota, f32[32]) block 32
//! out = 496*32
__global__ void sum_by_butterfly(const float* in, float* out) {
  float v = in[threadIdx.x];
#pragma unroll
  for (int mask = 16; mask >= 1; mask >>= 1) v += __shfl_xor_sync(0xffffffffu, v, mask);
  out[threadIdx.x] = v;
}

//! run inclusive_scan(i32[32]=iota, i32[32]) block 32
//! out[0:16] = 0 1 3 6 10 15 21 28 36 45 55 66 78 91 105 120
//! out[16:32] = 136 153 171 190 210 231 253 276 300 325 351 378 406 435 465 496
__global__ void inclusive_scan(const int* in, int* out) {
  int lane = threadIdx.x & 31;
  int v = in[threadIdx.x];
  for (int d = 1; d < 32; d <<= 1) {
    int below = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d) v += below;
  }
  out[threadIdx.x] = v;
}

//! run largest_with_its_lane(i32[2]) block 32
//! out = 961 31
__global__ void largest_with_its_lane(int* out) {
  int value = ((int)threadIdx.x * 31) % 1000, lane = threadIdx.x;
  for (int d = 16; d > 0; d /= 2) {
    int other = __shfl_xor_sync(0xffffffff, value, d), other_lane = __shfl_xor_sync(0xffffffff, lane, d);
    if (other > value || (other == value && other_lane < lane)) {
      value = other;
      lane = other_lane;
    }
  }
  if (threadIdx.x == 0) {
    out[0] = value;
    out[1] = lane;
  }
}

//! run compaction(i32[32]=iota, i32[11]) block 32
//! out = 0 3 6 9 12 15 18 21 24 27 30
__global__ void compaction(const int* in, int* out) {
  int v = in[threadIdx.x];
  bool keep = v % 3 == 0;
  unsigned kept = __ballot_sync(0xffffffff, keep);
  unsigned below = (1u << (threadIdx.x & 31)) - 1;
  if (keep) out[__popc(kept & below)] = v;
}

//! run half_of_a_warp(i32[32]=-1) block 32
//! out[0:16] = 120 120 120 120 120 120 120 120 120 120 120 120 120 120 120 120
//! out[16:32] = -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
__global__ void half_of_a_warp(int* out) {
  if (threadIdx.x >= 16) return;
  int v = threadIdx.x;
  for (int d = 8; d > 0; d /= 2) v += __shfl_xor_sync(0x0000ffff, v, d);
  out[threadIdx.x] = v;
}

//! run both_sides_of_a_branch(i32[32]) block 32
//! out = 30 1 30 1 30 1 30 1 30 1 30 1 30 1 30 1 30 1 30 1 30 1 30 1 30 1 30 1 30 1 30 1
__global__ void both_sides_of_a_branch(int* out) {
  int lane = threadIdx.x;
  if (lane % 2 == 0) {
    out[lane] = __shfl_sync(0x55555555, lane, 30);
  } else {
    out[lane] = __shfl_sync(0xaaaaaaaa, lane, 1);
  }
}

//! run partial_last_warp(i32[48]) block 48
//! out[0:24] = 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31
//! out[24:48] = 31 31 31 31 31 31 31 31 47 47 47 47 47 47 47 47 47 47 47 47 47 47 47 47
__global__ void partial_last_warp(int* out) {
  unsigned mask = threadIdx.x < 32 ? 0xffffffffu : 0x0000ffffu;
  int v = threadIdx.x;
  out[threadIdx.x] = __reduce_max_sync(mask, v);
}

//! run warp_of_one_thread(u32[33]) block 33
//! out[31:33] = 4294967295 1
__global__ void warp_of_one_thread(unsigned* out) {
  unsigned mask = threadIdx.x < 32 ? 0xffffffffu : 1u;
  out[threadIdx.x] = __ballot_sync(mask, 1);
}

//! run mask_from_ballot(i32[48]=iota, i32[1]=0) block 48
//! sum = 780
__global__ void mask_from_ballot(const int* in, int* sum) {
  unsigned full = threadIdx.x < 32 ? 0xffffffffu : 0x0000ffffu;
  bool inside = threadIdx.x < 40;
  unsigned mask = __ballot_sync(full, inside);
  if (inside) {
    int total = __reduce_add_sync(mask, in[threadIdx.x]);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, total);
  }
}

//! run active_threads(i32[2]=0) block 32
//! out = 32 10
__global__ void active_threads(int* out) {
  unsigned all = __activemask();
  atomicAdd(&out[0], (int)(all >> threadIdx.x & 1));
  if (threadIdx.x < 10) {
    unsigned some = __activemask();
    if ((some & ~0x3ffu) == 0) atomicAdd(&out[1], 1);
  }
}

//! run warp_barrier(i32[32]) block 32
//! out = 1 0 3 2 5 4 7 6 9 8 11 10 13 12 15 14 17 16 19 18 21 20 23 22 25 24 27 26 29 28 31 30
__global__ void warp_barrier(int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = threadIdx.x;
  __syncwarp();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

//! run barrier_of_a_part(i32[8]) block 32
//! out = 7 6 5 4 3 2 1 0
__global__ void barrier_of_a_part(int* out) {
  __shared__ volatile int tile[8];
  if (threadIdx.x < 8) {
    tile[threadIdx.x] = threadIdx.x;
    __syncwarp(0xff);
    out[threadIdx.x] = tile[7 - threadIdx.x];
  }
}

//! run warps_of_a_plane(i32[64]) block 8,8
//! out[0:16] = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
//! out[16:32] = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
//! out[32:48] = 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32
//! out[48:64] = 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32
__global__ void warps_of_a_plane(int* out) {
  int linear = threadIdx.y * blockDim.x + threadIdx.x;
  out[linear] = __shfl_sync(0xffffffff, linear, 0);
}

//! run leader_adds_for_all(i32[1]=0, i32[20]=0) block 40
//! counter = 20
//! taken = 1*20
__global__ void leader_adds_for_all(int* counter, int* taken) {
  if (threadIdx.x % 2) return;
  unsigned mask = threadIdx.x < 32 ? 0x55555555u : 0x55u;
  int leader = __ffs(mask) - 1, lane = threadIdx.x & 31;
  int first = 0;
  if (lane == leader) first = atomicAdd(counter, __popc(mask));
  first = __shfl_sync(mask, first, leader);
  taken[first + __popc(mask & ((1u << lane) - 1))] += 1;
}

//! run uniform_vote(i32[2]) block 32
//! out = 1 0
__global__ void uniform_vote(int* out) {
  int same = __all_sync(~0u, 1) || !__any_sync(~0u, 1);
  int mixed = __ballot_sync(~0u, threadIdx.x == 0) == ~0u;
  if (threadIdx.x == 9) {
    out[0] = same;
    out[1] = mixed;
  }
}

//! run one_bit_per_thread(u32[2]) block 64
//! out = 3772834016 3772834016
__global__ void one_bit_per_thread(unsigned* out) {
  unsigned word = __ballot_sync(0xffffffff, threadIdx.x % 8 >= 5);
  if ((threadIdx.x & 31) == 0) out[threadIdx.x >> 5] = word;
}

//! run lane_number(u32[40]) block 40
//! out[0:20] = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
//! out[20:40] = 20 21 22 23 24 25 26 27 28 29 30 31 0 1 2 3 4 5 6 7
__global__ void lane_number(unsigned* out) { out[threadIdx.x] = threadIdx.x & (warpSize - 1); }
