// Barriers of some of a block's threads.

// Each half of the block reverses its values, the second one twice, with a barrier of its own.
//! run halves(i32[128]) block 128
//! out[0:3] = 63 62 61
//! out[64:67] = 64 65 66
__global__ void halves(int* out) {
  __shared__ int values[128];
  const int half = threadIdx.x / 64, lane = threadIdx.x % 64;
  values[threadIdx.x] = threadIdx.x;
  for (int i = 0; i < 1 + half; ++i) {
    asm volatile("bar.sync %0, %1;" ::"r"(half + 1), "r"(64) : "memory");
    const int other = values[half * 64 + 63 - lane];
    asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
    values[threadIdx.x] = other;
  }
  out[threadIdx.x] = values[threadIdx.x];
}

// The first warp produces a value that the second one waits for.
//! run producer(i32[32]) block 64
//! out[0:4] = 0 10 20 30
__global__ void producer(int* out) {
  __shared__ int values[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    values[lane] = lane * 10;
    asm volatile("bar.arrive 3, 64;" ::: "memory");
  } else {
    asm volatile("barrier.sync 3, 64;" ::: "memory");
    out[lane] = values[lane];
  }
}

// Two buffers: full and empty barriers for each.
//! run pipeline(i32[256]=iota, i32[8]) block 64
//! out = 496 1520 2544 3568 4592 5616 6640 7664
__global__ void pipeline(const int* in, int* out) {
  __shared__ int stage[2][32];
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < 8; ++i) {
    const int full = 1 + i % 2, empty = 3 + i % 2;
    if (threadIdx.x < 32) {
      if (i >= 2) asm volatile("barrier.cta.sync.aligned %0, 64;" ::"r"(empty) : "memory");
      stage[i % 2][lane] = in[i * 32 + lane];
      asm volatile("barrier.cta.arrive.aligned %0, 64;" ::"r"(full) : "memory");
    } else {
      asm volatile("barrier.cta.sync.aligned %0, 64;" ::"r"(full) : "memory");
      int sum = 0;
      for (int k = 0; k < 32; ++k) sum += stage[i % 2][k];
      if (i < 6) asm volatile("barrier.cta.arrive.aligned %0, 64;" ::"r"(empty) : "memory");
      if (lane == 0) out[i] = sum;
    }
  }
}

//! run reductions(u32[3]) block 96
//! out = 40 1 0
__global__ void reductions(unsigned* out) {
  unsigned count = 0, any = 0, all = 0;
  if (threadIdx.x >= 32) {
    asm volatile(
        "{ .reg .pred p; setp.lt.u32 p, %1, 72; bar.red.popc.u32 %0, 2, 64, p; }"
        : "=r"(count)
        : "r"(threadIdx.x)
        : "memory");
    asm volatile(
        "{ .reg .pred p, q; setp.eq.u32 p, %1, 50; bar.red.or.pred q, 2, 64, p; selp.u32 %0, 1, 0, q; }"
        : "=r"(any)
        : "r"(threadIdx.x)
        : "memory");
    asm volatile(
        "{ .reg .pred p, q; setp.eq.u32 p, %1, 50; bar.red.and.pred q, 2, 64, !p; selp.u32 %0, 1, 0, q; }"
        : "=r"(all)
        : "r"(threadIdx.x)
        : "memory");
  }
  if (threadIdx.x == 95) {
    out[0] = count;
    out[1] = any;
    out[2] = all;
  }
}

//! run whole_block(i32[64]) block 64
//! out[0:3] = 63 62 61
__global__ void whole_block(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = threadIdx.x;
  asm volatile("barrier.cta.sync 0;" ::: "memory");
  asm volatile("bar.sync 5;" ::: "memory");
  out[threadIdx.x] = values[63 - threadIdx.x];
}

// Barrier 0 is that of __syncthreads(), also if its number is not a constant.
//! run number_zero(i32[64], 0) block 64
//! out[0:3] = 63 62 61
__global__ void number_zero(int* out, int id) {
  __shared__ int values[64];
  values[threadIdx.x] = threadIdx.x;
  asm volatile("bar.sync %0;" ::"r"(id) : "memory");
  const int other = values[63 - threadIdx.x];
  asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory");
  values[threadIdx.x] = other;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}
