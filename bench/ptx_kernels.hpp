// Matrix products with inline PTX, as public code writes them.
#pragma once

namespace quern::bench {

// c = a * b of n x n, n a multiple of 128, by blocks of 256 threads: each computes 128 x 128 of c, each of
// its eight warps 64 x 32. Three stages of dynamic shared memory.
inline constexpr unsigned kMmaShared = 3 * (128 * 40 + 32 * 136) * 2;
inline constexpr const char* kMmaKernel = R"(
#include <cuda_fp16.h>

__device__ __forceinline__ void cp_async(unsigned to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(from));
}
__device__ __forceinline__ void load_rows(unsigned* r, unsigned at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at));
}
__device__ __forceinline__ void load_columns(unsigned* r, unsigned at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at));
}
__device__ __forceinline__ void multiply(float* d, const unsigned* a, const unsigned* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

constexpr int kTile = 128, kDepth = 32, kLineA = 40, kLineB = 136, kStages = 3;
constexpr int kStage = (kTile * kLineA + kDepth * kLineB) * 2;

__device__ __forceinline__ void load_stage(unsigned to, int n, const half* a, const half* b, int k) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int at = threadIdx.x + i * 256;
    cp_async(to + (at / 4 * kLineA + at % 4 * 8) * 2, a + (size_t)(at / 4) * n + k + at % 4 * 8);
    cp_async(to + (kTile * kLineA + at / 16 * kLineB + at % 16 * 8) * 2, b + (size_t)(k + at / 16) * n + at % 16 * 8);
  }
}

extern "C" __global__ void __launch_bounds__(256) gemm_mma(int n, const half* a, const half* b, float* c) {
  extern __shared__ __align__(128) half tiles[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 4 * 64, column = warp % 4 * 32;
  a += (size_t)blockIdx.y * kTile * n;
  b += blockIdx.x * kTile;
  const unsigned base = (unsigned)__cvta_generic_to_shared(tiles);
  float sums[4][4][4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) sums[i][j][e] = 0.0f;
#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) {
    load_stage(base + s * kStage, n, a, b, s * kDepth);
    asm volatile("cp.async.commit_group;\n" ::);
  }
  const int steps = n / kDepth;
  for (int s = 0; s < steps; ++s) {
    asm volatile("cp.async.wait_group %0;\n" ::"n"(kStages - 2));
    __syncthreads();
    if (s + kStages - 1 < steps)
      load_stage(base + (s + kStages - 1) % kStages * kStage, n, a, b, (s + kStages - 1) * kDepth);
    asm volatile("cp.async.commit_group;\n" ::);
    const unsigned left = base + s % kStages * kStage, right = left + kTile * kLineA * 2;
#pragma unroll
    for (int k = 0; k < kDepth; k += 16) {
      unsigned fa[4][4], fb[2][4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        load_rows(fa[i], left + ((row + i * 16 + lane % 16) * kLineA + k + lane / 16 * 8) * 2);
#pragma unroll
      for (int j = 0; j < 2; ++j)
        load_columns(fb[j], right + ((k + lane % 16) * kLineB + column + j * 16 + lane / 16 * 8) * 2);
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) multiply(sums[i][j], fa[i], fb[j / 2] + j % 2 * 2);
    }
  }
  c += (size_t)(blockIdx.y * kTile + row + lane / 4) * n + blockIdx.x * kTile + column + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      *(float2*)(c + (size_t)(i * 16) * n + j * 8) = make_float2(sums[i][j][0], sums[i][j][1]);
      *(float2*)(c + (size_t)(i * 16 + 8) * n + j * 8) = make_float2(sums[i][j][2], sums[i][j][3]);
    }
  }
}
)";

// The same product with the matrix units of sm_90a. a and b (transposed) lie in tiles of 128 x 64 elements,
// whose squares of 8 rows and 16 bytes are consecutive along the rows: one bulk copy each. Four stages.
inline constexpr unsigned kWgmmaShared = 4 * 2 * 128 * 64 * 2 + 1024;
inline constexpr const char* kWgmmaKernel = R"(
#include <cuda_fp16.h>

constexpr int kTile = 128, kDepth = 64, kStages = 4, kBytes = kTile * kDepth * 2;

__device__ __forceinline__ unsigned long long descriptor(unsigned at) {
  const unsigned long long start = (at & 0x3ffff) >> 4, across = 2048 >> 4, along = 128 >> 4;
  return start | across << 16 | along << 32;
}
__device__ __forceinline__ void multiply(float* d, unsigned long long a, unsigned long long b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, 1, 1, 1, 0, 0;\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
          "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
          "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
          "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
          "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]),
          "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
          "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
          "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
      : "l"(a), "l"(b));
}
__device__ __forceinline__ void wait(unsigned bar, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra DONE;\n"
      "bra LAB_WAIT;\n"
      "DONE:\n"
      "}\n" ::"r"(bar),
      "r"(parity)
      : "memory");
}
__device__ __forceinline__ void load_stage(unsigned to, unsigned bar, const half* a, const half* b) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(bar), "r"(2 * kBytes) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n" ::"r"(to), "l"(a),
               "r"(kBytes), "r"(bar)
               : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n" ::"r"(to + kBytes),
               "l"(b), "r"(kBytes), "r"(bar)
               : "memory");
}

extern "C" __global__ void __launch_bounds__(256) gemm_wgmma(int n, const half* a, const half* b, float* c) {
  extern __shared__ __align__(128) char memory[];
  __shared__ __align__(8) unsigned long long bars[kStages];
  const unsigned tiles = (unsigned)__cvta_generic_to_shared(memory), bar = (unsigned)__cvta_generic_to_shared(bars);
  const int group = threadIdx.x / 128, steps = n / kDepth;
  a += (size_t)blockIdx.y * kTile * n;
  b += (size_t)blockIdx.x * kTile * n;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n" ::"r"(bar + 8 * s) : "memory");
    asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
    for (int s = 0; s < kStages - 1; ++s)
      load_stage(tiles + s * 2 * kBytes, bar + 8 * s, a + (size_t)s * kTile * kDepth, b + (size_t)s * kTile * kDepth);
  }
  __syncthreads();
  float d[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) d[i] = 0.0f;
  for (int s = 0; s < steps; ++s) {
    const int next = s + kStages - 1;
    if (threadIdx.x == 0 && next < steps)
      load_stage(tiles + next % kStages * 2 * kBytes, bar + 8 * (next % kStages), a + (size_t)next * kTile * kDepth,
                 b + (size_t)next * kTile * kDepth);
    wait(bar + 8 * (s % kStages), s / kStages & 1);
    const unsigned left = tiles + s % kStages * 2 * kBytes + group * 8 * 128, right = tiles + s % kStages * 2 * kBytes + kBytes;
    asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
#pragma unroll
    for (int k = 0; k < kDepth / 16; ++k) multiply(d, descriptor(left + k * 4096), descriptor(right + k * 4096));
    asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;\n" ::: "memory");
    __syncthreads();
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  c += (size_t)(blockIdx.y * kTile + group * 64 + warp * 16 + lane / 4) * n + blockIdx.x * kTile + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    *(float2*)(c + i * 8) = make_float2(d[4 * i], d[4 * i + 1]);
    *(float2*)(c + (size_t)8 * n + i * 8) = make_float2(d[4 * i + 2], d[4 * i + 3]);
  }
}
)";

}  // namespace quern::bench
