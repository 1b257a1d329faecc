// wgmma: products of matrices by a warpgroup. Each kernel fills shared memory by the layout that PTX defines, and
// compares each element of the result with a plain loop.
#include <cuda_fp16.h>

__device__ int a_at(int i, int k) { return (i * 3 + k * 5) % 7 - 3; }
__device__ int b_at(int k, int n) { return (k * 2 + n * 3) % 5 - 2; }
__device__ int c_at(int i, int n) { return i % 8 - n % 4; }

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

// Mode: 0 none, 1: 128 bytes, 2: 64, 3: 32.
__device__ unsigned long descriptor(const void* matrix, unsigned leading, unsigned stride, unsigned long mode) {
  const unsigned long at = (shared_address(matrix) & 0x3ffff) >> 4;
  return at | (unsigned long)(leading >> 4) << 16 | (unsigned long)(stride >> 4) << 32 | mode << 62;
}

// Where a byte of a row is, if rows of `Width` bytes are swizzled; 0: core matrices of 8 rows of 16 bytes.
template <int Width> __device__ unsigned place(unsigned row, unsigned byte) {
  if (Width == 0) return row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16;
  const unsigned at = row * Width + byte;
  return at ^ ((at >> 7) & (Width / 16 - 1)) << 4;
}
struct F16 {
  static constexpr int kBytes = 2;
  __device__ static unsigned bits(int v) { return __half_as_ushort(__float2half((float)v)); }
};
struct BF16 {
  static constexpr int kBytes = 2;
  __device__ static unsigned bits(int v) { return __float_as_uint((float)v) >> 16; }
};
struct TF32 {
  static constexpr int kBytes = 4;
  __device__ static unsigned bits(int v) { return __float_as_uint((float)v); }
};
struct Int8 {
  static constexpr int kBytes = 1;
  __device__ static unsigned bits(int v) { return v & 255; }
};
struct E4m3 {
  static constexpr int kBytes = 1;
  __device__ static unsigned bits(int v) {
    const int n = v < 0 ? -v : v;
    return (v < 0 ? 128 : 0) | (n == 0 ? 0 : n == 1 ? 0x38 : n == 2 ? 0x40 : 0x44);
  }
};
struct E5m2 {
  static constexpr int kBytes = 1;
  __device__ static unsigned bits(int v) {
    const int n = v < 0 ? -v : v;
    return (v < 0 ? 128 : 0) | (n == 0 ? 0 : n == 1 ? 0x3c : n == 2 ? 0x40 : 0x42);
  }
};

template <class T> __device__ void put(unsigned char* at, int v) {
  const unsigned bits = T::bits(v);
  for (int i = 0; i < T::kBytes; ++i) at[i] = bits >> (8 * i);
}

// Fills the operands, 64 x k and k x n, by rows along k, and makes them visible to wgmma.
template <class A, class B, int Width> __device__ void fill(unsigned char* a, unsigned char* b, int n, int k) {
  for (int i = threadIdx.x; i < 64 * k; i += 128) put<A>(a + place<Width>(i / k, i % k * A::kBytes), a_at(i / k, i % k));
  for (int i = threadIdx.x; i < n * k; i += 128) put<B>(b + place<Width>(i / k, i % k * B::kBytes), b_at(i % k, i / k));
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

__device__ int row_of(int i) { return threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8; }
__device__ int column_of(int i) { return i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2; }

// out[0]: how many elements differ; out[1]: a sum that depends on all of them.
__device__ void compare(int i, int got, int k, int sign, bool adds, int* out) {
  int right = adds ? c_at(row_of(i), column_of(i)) : 0;
  for (int s = 0; s < k; ++s) right += sign * a_at(row_of(i), s) * b_at(s, column_of(i));
  if (got != right) atomicAdd(&out[0], 1);
  atomicAdd(&out[1], got * (row_of(i) % 5 + column_of(i) % 3));
}

__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
__device__ void wait() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }

//! run f16_plain(i32[2]=0) block 128
//! out = 0 2969
__global__ void f16_plain(int* out) {
  __shared__ alignas(1024) unsigned char a[64 * 32], b[8 * 32];
  fill<F16, F16, 0>(a, b, 8, 16);
  float d[4];
  for (int i = 0; i < 4; ++i) d[i] = c_at(row_of(i), column_of(i));
  fence();
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(descriptor(a, 128, 256, 0)), "l"(descriptor(b, 128, 256, 0)), "r"(1));
  commit();
  wait();
  for (int i = 0; i < 4; ++i) compare(i, (int)d[i], 16, 1, true, out);
}

//! run bf16_swizzled_by_32(i32[2]=0) block 128
//! out = 0 9206
__global__ void bf16_swizzled_by_32(int* out) {
  __shared__ alignas(1024) unsigned char a[64 * 32], b[24 * 32];
  fill<BF16, BF16, 32>(a, b, 24, 16);
  float d[12];
  for (int i = 0; i < 12; ++i) d[i] = c_at(row_of(i), column_of(i));
  fence();
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %14, 0; wgmma.mma_async.sync.aligned.m64n24k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11}, %12, %13, p, 1, 1, 0, 0; }"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11])
               : "l"(descriptor(a, 16, 256, 3)), "l"(descriptor(b, 16, 256, 3)), "r"(1));
  commit();
  wait();
  for (int i = 0; i < 12; ++i) compare(i, (int)d[i], 16, 1, true, out);
}

//! run f16_without_sum(i32[2]=0) block 128
//! out = 0 17
__global__ void f16_without_sum(int* out) {
  __shared__ alignas(1024) unsigned char a[64 * 32], b[8 * 32];
  fill<F16, F16, 32>(a, b, 8, 16);
  float d[4];
  for (int i = 0; i < 4; ++i) d[i] = c_at(row_of(i), column_of(i));
  fence();
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(descriptor(a, 16, 256, 3)), "l"(descriptor(b, 16, 256, 3)), "r"(0));
  commit();
  wait();
  for (int i = 0; i < 4; ++i) compare(i, (int)d[i], 16, 1, false, out);
}

//! run f16_negated(i32[2]=0) block 128
//! out = 0 2935
__global__ void f16_negated(int* out) {
  __shared__ alignas(1024) unsigned char a[64 * 32], b[8 * 32];
  fill<F16, F16, 0>(a, b, 8, 16);
  float d[4];
  for (int i = 0; i < 4; ++i) d[i] = c_at(row_of(i), column_of(i));
  fence();
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, -1, 1, 0, 0; }"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(descriptor(a, 128, 256, 0)), "l"(descriptor(b, 128, 256, 0)), "r"(1));
  commit();
  wait();
  for (int i = 0; i < 4; ++i) compare(i, (int)d[i], 16, -1, true, out);
}

//! run tf32_plain(i32[2]=0) block 128
//! out = 0 2985
__global__ void tf32_plain(int* out) {
  __shared__ alignas(1024) unsigned char a[64 * 32], b[8 * 32];
  fill<TF32, TF32, 0>(a, b, 8, 8);
  float d[4];
  for (int i = 0; i < 4; ++i) d[i] = c_at(row_of(i), column_of(i));
  fence();
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0, %1, %2, %3}, %4, %5, p, 1, 1; }"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(descriptor(a, 128, 256, 0)), "l"(descriptor(b, 128, 256, 0)), "r"(1));
  commit();
  wait();
  for (int i = 0; i < 4; ++i) compare(i, (int)d[i], 8, 1, true, out);
}

//! run tf32_swizzled_by_32(i32[2]=0) block 128
//! out = 0 5936
__global__ void tf32_swizzled_by_32(int* out) {
  __shared__ alignas(1024) unsigned char a[64 * 32], b[16 * 32];
  fill<TF32, TF32, 32>(a, b, 16, 8);
  float d[8];
  for (int i = 0; i < 8; ++i) d[i] = c_at(row_of(i), column_of(i));
  fence();
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, -1; }"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
               : "l"(descriptor(a, 16, 256, 3)), "l"(descriptor(b, 16, 256, 3)), "r"(1));
  commit();
  wait();
  for (int i = 0; i < 8; ++i) compare(i, (int)d[i], 8, -1, true, out);
}

//! run s8_plain(i32[2]=0) block 128
//! out = 0 5938
__global__ void s8_plain(int* out) {
  __shared__ alignas(1024) unsigned char a[64 * 32], b[16 * 32];
  fill<Int8, Int8, 0>(a, b, 16, 32);
  int d[8];
  for (int i = 0; i < 8; ++i) d[i] = c_at(row_of(i), column_of(i));
  fence();
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p; }"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7])
               : "l"(descriptor(a, 128, 256, 0)), "l"(descriptor(b, 128, 256, 0)), "r"(1));
  commit();
  wait();
  for (int i = 0; i < 8; ++i) compare(i, (int)d[i], 32, 1, true, out);
}

//! run s8_swizzled_by_32(i32[2]=0) block 128
//! out = 0 2982
__global__ void s8_swizzled_by_32(int* out) {
  __shared__ alignas(1024) unsigned char a[64 * 32], b[8 * 32];
  fill<Int8, Int8, 32>(a, b, 8, 32);
  int d[4];
  for (int i = 0; i < 4; ++i) d[i] = c_at(row_of(i), column_of(i));
  fence();
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%0, %1, %2, %3}, %4, %5, p; }"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "l"(descriptor(a, 16, 256, 3)), "l"(descriptor(b, 16, 256, 3)), "r"(1));
  commit();
  wait();
  for (int i = 0; i < 4; ++i) compare(i, (int)d[i], 32, 1, true, out);
}

//! run e4m3_e5m2(i32[2]=0) block 128
//! out = 0 2982
__global__ void e4m3_e5m2(int* out) {
  __shared__ alignas(1024) unsigned char a[64 * 32], b[8 * 32];
  fill<E4m3, E5m2, 32>(a, b, 8, 32);
  float d[4];
  for (int i = 0; i < 4; ++i) d[i] = c_at(row_of(i), column_of(i));
  fence();
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {%0, %1, %2, %3}, %4, %5, p, 1, 1; }"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(descriptor(a, 16, 256, 3)), "l"(descriptor(b, 16, 256, 3)), "r"(1));
  commit();
  wait();
  for (int i = 0; i < 4; ++i) compare(i, (int)d[i], 32, 1, true, out);
}

// Four steps along k within rows of 128 bytes: the address advances within the swizzle pattern.
//! run steps_of_128_bytes(i32[2]=0) block 128
//! out = 0 5930
__global__ void steps_of_128_bytes(int* out) {
  __shared__ alignas(1024) unsigned char a[64 * 128], b[16 * 128];
  fill<F16, F16, 128>(a, b, 16, 64);
  float d[8];
  for (int i = 0; i < 8; ++i) d[i] = c_at(row_of(i), column_of(i));
  fence();
  for (int k = 0; k < 4; ++k) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                 : "l"(descriptor(a + k * 32, 16, 1024, 1)), "l"(descriptor(b + k * 32, 16, 1024, 1)));
  }
  commit();
  wait();
  for (int i = 0; i < 8; ++i) compare(i, (int)d[i], 64, 1, true, out);
}

//! run steps_of_64_bytes(i32[2]=0) block 256
//! out = 0 30
__global__ void steps_of_64_bytes(int* out) {
  __shared__ alignas(1024) unsigned char a[64 * 64], b[8 * 64];
  if (threadIdx.x >= 128) return;  // another warpgroup
  for (int i = threadIdx.x; i < 64 * 32; i += 128) put<BF16>(a + place<64>(i / 32, i % 32 * 2), a_at(i / 32, i % 32));
  for (int i = threadIdx.x; i < 8 * 32; i += 128) put<BF16>(b + place<64>(i / 32, i % 32 * 2), b_at(i % 32, i / 32));
  asm volatile("fence.proxy.async;" ::: "memory");
  asm volatile("bar.sync 1, 128;" ::: "memory");
  float d[4] = {};
  fence();
  for (int k = 0; k < 2; ++k) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(descriptor(a + k * 32, 16, 512, 2)), "l"(descriptor(b + k * 32, 16, 512, 2)));
    commit();
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 4; ++i) compare(i, (int)d[i], 32, 1, false, out);
}

// Both operands along m and n: rows of 128 bytes hold 64 elements of one k.
//! run transposed(i32[2]=0) block 128
//! out = 0 51
__global__ void transposed(int* out) {
  __shared__ alignas(1024) unsigned char a[16 * 128], b[16 * 128];
  for (int i = threadIdx.x; i < 64 * 16; i += 128) {
    put<F16>(a + place<128>(i / 64, i % 64 * 2), a_at(i % 64, i / 64));
    put<F16>(b + place<128>(i / 64, i % 64 * 2), b_at(i / 64, i % 64));
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[8] = {};
  fence();
  asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, 0, 1, 1, 1, 1;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
               : "l"(descriptor(a, 2048, 1024, 1)), "l"(descriptor(b, 2048, 1024, 1)));
  commit();
  wait();
  for (int i = 0; i < 8; ++i) compare(i, (int)d[i], 16, 1, false, out);
}

// B along n without swizzle: core matrices of 8 k by 8 n.
//! run b_transposed_plain(i32[2]=0) block 128
//! out = 0 51
__global__ void b_transposed_plain(int* out) {
  __shared__ alignas(128) unsigned char a[64 * 32], b[16 * 16 * 2];
  for (int i = threadIdx.x; i < 64 * 16; i += 128) put<F16>(a + place<0>(i / 16, i % 16 * 2), a_at(i / 16, i % 16));
  for (int i = threadIdx.x; i < 16 * 16; i += 128) {
    const int k = i / 16, n = i % 16;
    put<F16>(b + n / 8 * 128 + k / 8 * 256 + k % 8 * 16 + n % 8 * 2, b_at(k, n));
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[8] = {};
  fence();
  asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, 0, 1, 1, 0, 1;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
               : "l"(descriptor(a, 128, 256, 0)), "l"(descriptor(b, 256, 128, 0)));
  commit();
  wait();
  for (int i = 0; i < 8; ++i) compare(i, (int)d[i], 16, 1, false, out);
}

// A in registers, sums in halves.
//! run a_in_registers(i32[2]=0) block 128
//! out = 0 17
__global__ void a_in_registers(int* out) {
  __shared__ alignas(1024) unsigned char a[64 * 32], b[8 * 32];
  fill<F16, F16, 32>(a, b, 8, 16);
  unsigned r[4], d[2] = {};
  for (int j = 0; j < 4; ++j) {
    r[j] = 0;
    for (int e = 0; e < 2; ++e)
      r[j] |= F16::bits(a_at(threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + j % 2 * 8, j / 2 * 8 + threadIdx.x % 4 * 2 + e)) << (16 * e);
  }
  fence();
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, %6, 0, 1, 1, 0;"
               : "+r"(d[0]), "+r"(d[1])
               : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(descriptor(b, 16, 256, 3)));
  commit();
  wait();
  for (int i = 0; i < 4; ++i)
    compare(i, (int)__half2float(__ushort_as_half((unsigned short)(d[i / 2] >> (16 * (i % 2))))), 16, 1, false, out);
}

// Two groups run at the same time, with accumulators of their own.
//! run two_groups(i32[2]=0) block 128
//! out = 0 34
__global__ void two_groups(int* out) {
  __shared__ alignas(1024) unsigned char a[64 * 32], b[8 * 32];
  fill<F16, F16, 32>(a, b, 8, 16);
  float d[2][4] = {};
  fence();
  for (int g = 0; g < 2; ++g) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[g][0]), "+f"(d[g][1]), "+f"(d[g][2]), "+f"(d[g][3])
                 : "l"(descriptor(a, 16, 256, 3)), "l"(descriptor(b, 16, 256, 3)));
    commit();
  }
  asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  for (int i = 0; i < 4; ++i) compare(i, (int)d[0][i], 16, 1, false, out);
  wait();
  for (int i = 0; i < 4; ++i) compare(i, (int)d[1][i], 16, 1, false, out);
}

// Several tiles: the accumulators are written again, and fenced, for each.
//! run tiles(i32[2]=0) block 128
//! out = 0 5938
__global__ void tiles(int* out) {
  __shared__ alignas(1024) unsigned char a[64 * 32], b[8 * 32];
  asm volatile("setmaxnreg.dec.sync.aligned.u32 96;");
  for (int tile = 0; tile < 2; ++tile) {
    fill<F16, F16, 0>(a, b, 8, 16);
    float d[4];
    for (int i = 0; i < 4; ++i) d[i] = c_at(row_of(i), column_of(i));
    fence();
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(descriptor(a, 128, 256, 0)), "l"(descriptor(b, 128, 256, 0)));
    commit();
    wait();
    for (int i = 0; i < 4; ++i) compare(i, (int)d[i], 16, 1, true, out);
    __syncthreads();
  }
}

// The widest product.
//! run widest(i32[2]=0) block 128
//! out = 0 51
__global__ void widest(int* out) {
  __shared__ alignas(1024) unsigned char a[64 * 32], b[256 * 32];
  fill<F16, F16, 32>(a, b, 256, 16);
  float d[128] = {};
  fence();
  asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, 1, 1, 1, 0, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
               : "l"(descriptor(a, 16, 256, 3)), "l"(descriptor(b, 16, 256, 3)));
  commit();
  wait();
  for (int i = 0; i < 128; ++i) compare(i, (int)d[i], 16, 1, false, out);
}
