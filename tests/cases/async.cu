// <cuda/barrier>, <cuda/pipeline>, <cuda_pipeline.h>, cooperative_groups::memcpy_async.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

//! run barrier_in_place_of_syncthreads(i32[64]) block 64
//! out = 63 62 61 60 59 58 57 56 55 54 53 52 51 50 49 48 47 46 45 44 43 42 41 40 39 38 37 36 35 34 33 32 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
//! run barrier_in_place_of_syncthreads(i32[64]) block 64 seed 7
//! out[60:64] = 3 2 1 0
__global__ void barrier_in_place_of_syncthreads(int* out) {
  __shared__ Barrier bar;
  __shared__ int values[64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  values[threadIdx.x] = threadIdx.x;
  bar.arrive_and_wait();
  out[threadIdx.x] = values[63 - threadIdx.x];
}

//! run arrive_then_wait_many_phases(i32[40]) block 40
//! out = 780*40
//! run arrive_then_wait_many_phases(i32[40]) block 40 seed 3
//! out = 780*40
__global__ void arrive_then_wait_many_phases(int* out) {
  __shared__ Barrier bar;
  __shared__ int values[40];
  if (threadIdx.x == 0) init(&bar, 40);
  __syncthreads();
  int sum = 0;
  for (unsigned i = 0; i < 40; ++i) {
    values[threadIdx.x] = (threadIdx.x + i) % 40;
    Barrier::arrival_token token = bar.arrive();
    int own = i;
    bar.wait(std::move(token));
    sum += values[(80 - threadIdx.x - i + own) % 40] + own - i;
    bar.arrive_and_wait();
  }
  out[threadIdx.x] = sum == 780 ? sum : sum;
}

//! run threads_that_drop_out(i32[1]=0) block 8
//! out = 37
__global__ void threads_that_drop_out(int* out) {
  __shared__ Barrier bar;
  __shared__ int total;
  if (threadIdx.x == 0) {
    total = 0;
    init(&bar, blockDim.x);
  }
  __syncthreads();
  for (unsigned i = 0; i < 8; ++i) {
    if (threadIdx.x == i && i < 7) {
      bar.arrive_and_drop();
      return;
    }
    atomicAdd(&total, 1);
    bar.arrive_and_wait();
  }
  out[0] = total + 8;
}

//! run one_group_waits_for_another(i32[32]) block 64
//! out = 64*32
__global__ void one_group_waits_for_another(int* out) {
  __shared__ Barrier filled;
  __shared__ int values[32];
  if (threadIdx.x == 0) init(&filled, 64);
  __syncthreads();
  if (threadIdx.x < 32) {
    values[threadIdx.x] = 32 + threadIdx.x;
    filled.arrive();  // goes on at once
  } else {
    filled.wait(filled.arrive());
    out[threadIdx.x - 32] = values[threadIdx.x - 32] + 32 - (threadIdx.x - 32);
  }
}

struct Count {
  int* n;
  __device__ void operator()() { ++*n; }
};
//! run completion_runs_once_per_phase(i32[1]=0) block 16
//! out = 5
__global__ void completion_runs_once_per_phase(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block, Count> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x, Count{out});
  __syncthreads();
  for (int i = 0; i < 5; ++i) bar.arrive_and_wait();
}

struct Sum {
  const int* values;
  int* out;
  __device__ void operator()() {
    for (unsigned i = 0; i < 32; ++i) *out += values[i];
  }
};
//! run completion_sees_what_came_before(i32[1]=0) block 32
//! out = 192
__global__ void completion_sees_what_came_before(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block, Sum> bar;
  __shared__ int values[32];
  if (threadIdx.x == 0) init(&bar, 32, Sum{values, out});
  __syncthreads();
  for (int phase = 1; phase <= 3; ++phase) {
    values[threadIdx.x] = phase;
    auto token = bar.arrive();
    bar.wait(std::move(token));
  }
}

//! run completion_after_a_drop(i32[1]=0) block 16
//! out = 4
__global__ void completion_after_a_drop(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block, Count> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x, Count{out});
  __syncthreads();
  if (threadIdx.x % 2 == 0) {
    bar.arrive_and_drop();
    return;
  }
  for (int phase = 0; phase < 4; ++phase) {
    (void)bar.arrive();
    bar.wait_parity(phase & 1);
  }
}

//! run parity(i32[4]=0) block 4
//! out = 6 6 6 6
__global__ void parity(int* out) {
  __shared__ Barrier bar;
  __shared__ int values[4];
  if (threadIdx.x == 0) init(&bar, 4);
  __syncthreads();
  values[threadIdx.x] = threadIdx.x;
  (void)bar.arrive();
  bar.wait_parity(false);
  for (int i = 0; i < 4; ++i) out[threadIdx.x] += values[i];
}

//! run latch(i32[2]=0) block 32
//! out = 496 1
__global__ void latch(int* out) {
  __shared__ cuda::latch<cuda::thread_scope_block> done;
  __shared__ int sum;
  if (threadIdx.x == 0) {
    sum = 0;
    init(&done, blockDim.x);
  }
  __syncthreads();
  atomicAdd(&sum, int(threadIdx.x));
  done.arrive_and_wait();
  if (threadIdx.x == 0) {
    out[0] = sum;
    out[1] = done.try_wait();
  }
}

//! run copy_with_a_barrier(i32[64]=iota, i32[64]) block 32
//! out[0:4] = 63 62 61 60
//! out[62:64] = 1 0
__global__ void copy_with_a_barrier(const int* in, int* out) {
  __shared__ Barrier bar;
  __shared__ alignas(16) int tile[64];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  cuda::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(sizeof(int) * 64), bar);
  bar.arrive_and_wait();
  out[threadIdx.x] = tile[63 - threadIdx.x];
  out[threadIdx.x + 32] = tile[31 - threadIdx.x];
}

//! run each_thread_copies(i32[32]=iota, i32[32]) block 32
//! out[0:3] = 31 30 29
__global__ void each_thread_copies(const int* in, int* out) {
  __shared__ Barrier bar;
  __shared__ int tile[32];
  if (threadIdx.x == 0) init(&bar, 32);
  __syncthreads();
  cuda::memcpy_async(tile + threadIdx.x, in + threadIdx.x, sizeof(int), bar);
  bar.arrive_and_wait();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}

//! run pipeline_of_two_stages(i32[128]=iota, i32[32]) block 32
//! out[0:3] = 310 306 302
//! run pipeline_of_two_stages(i32[128]=iota, i32[32]) block 32 seed 5
//! out[0:3] = 310 306 302
__global__ void pipeline_of_two_stages(const int* in, int* out) {
  constexpr int kStages = 2;
  __shared__ int tile[kStages][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int batch = 0, fetch = 0; batch < 4; ++batch) {
    for (; fetch < 4 && fetch < batch + kStages; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[fetch % kStages], in + fetch * 32, sizeof(int) * 32, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += tile[batch % kStages][31 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum - 6;
}

//! run producers_and_consumers(i32[96]=iota, i32[32]=0) block 64
//! out[0:3] = 96 99 102
//! run producers_and_consumers(i32[96]=iota, i32[32]=0) block 64 seed 11
//! out[0:3] = 96 99 102
__global__ void producers_and_consumers(const int* in, int* out) {
  __shared__ int tile[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  const bool produces = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(
      block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  const int lane = threadIdx.x % 32;
  for (int batch = 0; batch < 3; ++batch) {
    if (produces) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[batch % 2][lane], in + batch * 32 + lane, sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      out[lane] += tile[batch % 2][lane];
      pipe.consumer_release();
    }
  }
}

//! run pipeline_of_one_thread(f32[8]=iota, f32[4]) block 4
//! out = 4 6 8 10
__global__ void pipeline_of_one_thread(const float* in, float* out) {
  __shared__ float tile[2][4];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  for (int i = 0; i < 2; ++i) {
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[i][threadIdx.x], in + 4 * i + threadIdx.x, sizeof(float), pipe);
    pipe.producer_commit();
  }
  cuda::pipeline_consumer_wait_prior<1>(pipe);
  float sum = tile[0][threadIdx.x];
  pipe.consumer_release();
  cuda::pipeline_consumer_wait_prior<0>(pipe);
  out[threadIdx.x] = sum + tile[1][threadIdx.x];
  pipe.consumer_release();
}

//! run primitives(f32[16]=iota, f32[4]) block 4
//! out = 6 22 38 0
__global__ void primitives(const float* in, float* out) {
  __shared__ float4 tile[4];
  __pipeline_memcpy_async(&tile[threadIdx.x], in + 4 * threadIdx.x, 16, threadIdx.x == 3 ? 16 : 0);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  float4 v = tile[threadIdx.x];
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

//! run two_tiles_in_turns(i32[256]=iota, i32[32]) block 32
//! out[0:3] = 1364 1356 1348
//! run two_tiles_in_turns(i32[256]=iota, i32[32]) block 32 seed 9
//! out[0:3] = 1364 1356 1348
__global__ void two_tiles_in_turns(const int* in, int* out) {
  __shared__ int tile[2][32];
  __pipeline_memcpy_async(&tile[0][threadIdx.x], in + threadIdx.x, 4);
  __pipeline_commit();
  int sum = 0;
  for (int i = 0; i < 8; ++i) {
    if (i < 7) __pipeline_memcpy_async(&tile[(i + 1) % 2][threadIdx.x], in + 32 * (i + 1) + threadIdx.x, 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += tile[i % 2][31 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum + 220;
}

struct __align__(16) Piece {
  unsigned long long first, second;
};
//! run pieces_of_all_sizes(u32[64]=iota, u32[16]) block 1
//! out = 0 1 2 3 8 9 0 0 13 0 0 0 20 21 22 0
__global__ void pieces_of_all_sizes(const unsigned* in, unsigned* out) {
  __shared__ Piece tile[4];
  __pipeline_memcpy_async(&tile[0], in, 16);
  __pipeline_memcpy_async(&tile[1], in + 8, 8);
  __pipeline_memcpy_async(&tile[1].second, in, 8, 8);
  __pipeline_memcpy_async(&tile[2], in + 13, 4);
  __pipeline_memcpy_async((unsigned*)&tile[2] + 1, in, 4, 4);
  __pipeline_memcpy_async(&tile[2].second, in, 8, 8);
  __pipeline_memcpy_async(&tile[3], in + 20, 16, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  const unsigned* words = (const unsigned*)tile;
  for (int i = 0; i < 16; ++i) out[i] = words[i];
}

//! run copies_that_may_go_anywhere(i32[8]=iota, i32[8]=0, 1) block 1
//! out = 0 1 2 3 0 1 2 3
//! run copies_that_may_go_anywhere(i32[8]=iota, i32[8]=0, 0) block 1
//! out = 7 7 7 7 0 1 2 3
__global__ void copies_that_may_go_anywhere(const int* in, int* out, int is_out) {
  __shared__ alignas(16) int tile[4];
  for (int i = 0; i < 4; ++i) tile[i] = 7;
  int* to = is_out ? out : tile;
  int own[4];
  __pipeline_memcpy_async(to, in, 16);
  __pipeline_memcpy_async(own, in, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  for (int i = 0; i < 4; ++i) {
    if (!is_out) out[i] = tile[i] - i + 7;
    out[4 + i] = own[i];
  }
}

//! run odd_bytes(u8[64]=iota, u8[16]) block 4
//! out = 3 4 5 6 7 8 9 10 11 12 13 0 0 0 0 0
__global__ void odd_bytes(const unsigned char* in, unsigned char* out) {
  __shared__ unsigned char tile[16];
  auto block = cg::this_thread_block();
  for (int i = threadIdx.x; i < 16; i += 4) tile[i] = 0;
  block.sync();
  cg::memcpy_async(block, tile, in + 3, 11);
  cg::wait(block);
  for (int i = threadIdx.x; i < 16; i += 4) out[i] = tile[i];
}

//! run three_stages_of_one_thread(f32[16]=iota, f32[2]) block 2
//! out = 56 64
__global__ void three_stages_of_one_thread(const float* in, float* out) {
  __shared__ float tile[3][2];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  float sum = 0;
  for (int i = 0, asked = 0; i < 8; ++i) {
    for (; asked < 8 && asked < i + 3; ++asked) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[asked % 3][threadIdx.x], in + 2 * asked + threadIdx.x, sizeof(float), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += tile[i % 3][threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

//! run groups_copy(f32[8]=iota, f32[8]) block 4
//! out = 7 6 5 4 3 2 1 0
__global__ void groups_copy(const float* in, float* out) {
  __shared__ float tile[2][4];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile[0], in, sizeof(float) * 4);
  cg::memcpy_async(block, tile[1], 4, in + 4, 4);
  cg::wait_prior<1>(block);
  out[7 - threadIdx.x] = tile[0][threadIdx.x];
  cg::wait(block);
  out[3 - threadIdx.x] = tile[1][threadIdx.x];
}

//! run sizes_are_cudas(i32[6])
//! out = 8 8 8 8 1048575 8
__global__ void sizes_are_cudas(int* out) {
  out[0] = sizeof(Barrier);
  out[1] = alignof(Barrier);
  out[2] = sizeof(cuda::barrier<cuda::thread_scope_device>);
  out[3] = alignof(cuda::barrier<cuda::thread_scope_device>);
  out[4] = int(Barrier::max());
  out[5] = sizeof(cuda::latch<cuda::thread_scope_block>);
}

//! run one_thread_arrives_for_many(i32[2]=0) block 96
//! out = 96 1
__global__ void one_thread_arrives_for_many(int* out) {
  __shared__ Barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  if (threadIdx.x % 32 == 0) (void)bar.arrive(32);
  bar.wait_parity(false);
  atomicAdd(&out[0], 1);
  if (threadIdx.x == 0) out[1] = bar.try_wait_parity(false);
}

//! run asks_until_it_is_over(i32[64]) block 64
//! out[0:3] = 63 62 61
__global__ void asks_until_it_is_over(int* out) {
  __shared__ Barrier bar;
  __shared__ int values[64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  values[threadIdx.x] = threadIdx.x;
  auto token = bar.arrive();
  while (!bar.try_wait(token)) __nanosleep(10);
  out[threadIdx.x] = values[63 - threadIdx.x];
}

//! run two_halves_with_barriers_of_their_own(i32[128]) block 128
//! out[0:2] = 63 62
//! out[64:66] = 127 126
__global__ void two_halves_with_barriers_of_their_own(int* out) {
  __shared__ Barrier bars[2];
  __shared__ int values[128];
  if (threadIdx.x < 2) init(bars + threadIdx.x, 64);
  __syncthreads();
  const int half = threadIdx.x / 64, place = threadIdx.x % 64;
  values[threadIdx.x] = threadIdx.x;
  for (int round = 0; round <= half; ++round) bars[half].arrive_and_wait();
  out[threadIdx.x] = values[half * 64 + 63 - place];
}

__device__ Barrier in_device_memory;
//! run a_barrier_in_device_memory(i32[64]) block 64
//! out[0:3] = 63 62 61
__global__ void a_barrier_in_device_memory(int* out) {
  if (threadIdx.x == 0) init(&in_device_memory, blockDim.x);
  __syncthreads();
  out[63 - threadIdx.x] = threadIdx.x;
  in_device_memory.arrive_and_wait();
  in_device_memory.wait(in_device_memory.arrive());
}

__device__ cuda::barrier<cuda::thread_scope_device> of_the_device;
//! run a_barrier_of_the_device(i32[1]=0) block 32
//! out = 32
__global__ void a_barrier_of_the_device(int* out) {
  auto& bar = of_the_device;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  atomicAdd(out, 1);
  bar.arrive_and_wait();
  if (threadIdx.x == 0 && *(volatile int*)out != 32) out[0] = -1;
}

//! run a_latch_for_nobody(i32[2]=0) block 32
//! out = 1 1
__global__ void a_latch_for_nobody(int* out) {
  __shared__ cuda::latch<cuda::thread_scope_block> none, some;
  if (threadIdx.x == 0) {
    init(&none, 0);
    init(&some, 8);
  }
  __syncthreads();
  none.wait();
  if (threadIdx.x == 0) some.count_down(8);
  some.wait();
  if (threadIdx.x == 0) {
    out[0] = none.try_wait();
    out[1] = some.try_wait();
  }
}
