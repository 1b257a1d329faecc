// Inline PTX as public kernels write it.
#include <cuda_fp16.h>

typedef unsigned long long u64;

__device__ unsigned to_shared(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void init_barrier(u64* bar, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(to_shared(bar)), "r"(count));
}
__device__ void expect_bytes(u64* bar, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;\n" ::"r"(to_shared(bar)), "r"(bytes));
}
__device__ void wait(u64* bar, int parity) {
  asm volatile(
      "{\n"
      ".reg .pred                P1;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1                       bra.uni DONE;\n"
      "bra.uni                   LAB_WAIT;\n"
      "DONE:\n"
      "}\n" ::"r"(to_shared(bar)),
      "r"(parity));
}
__device__ void arrive_cluster(u64* bar, unsigned rank) {
  asm volatile(
      "{\n"
      ".reg .b32 remAddr32;\n"
      "mapa.shared::cluster.u32  remAddr32, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64  _, [remAddr32], %2;\n"
      "}\n" ::"r"(to_shared(bar)),
      "r"(rank), "r"(1));
}

// Every block of a cluster arrives at the barriers of all.
//! run all_arrive(i32[4]=0) grid 4 block 32
//! out = 2 2 2 2
__global__ void __cluster_dims__(4, 1, 1) all_arrive(int* out) {
  __shared__ u64 bar;
  unsigned rank, blocks, cluster, clusters;
  asm volatile("mov.u32 %0, %cluster_ctarank;\n" : "=r"(rank) :);
  asm volatile("mov.u32 %0, %%cluster_nctarank;\n" : "=r"(blocks) :);
  asm volatile("mov.u32 %0, %%clusterid.x;\n" : "=r"(cluster) :);
  asm volatile("mov.u32 %0, %%nclusterid.x;\n" : "=r"(clusters) :);
  if (threadIdx.x == 0) {
    init_barrier(&bar, blocks);
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\n" ::);
  asm volatile("barrier.cluster.wait.acquire.aligned;\n" ::);
  if (threadIdx.x < blocks) arrive_cluster(&bar, threadIdx.x);
  wait(&bar, 0);
  if (threadIdx.x == 0) out[rank] = 1 + (cluster == 0) * clusters;
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n" : :);
}

template <int ScaleD, int ScaleA, int ScaleB, int TransA, int TransB>
__device__ void multiply(float d[4], u64 a, u64 b) {
  asm volatile(
      "{\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
      "{%0,   %1,   %2,   %3}, "
      " %4,"
      " %5,"
      " %6,   %7,   %8,  %9,  %10;\n"
      "}\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(a), "l"(b), "n"(int(ScaleD)), "n"(int(ScaleA)), "n"(int(ScaleB)), "n"(int(TransA)), "n"(int(TransB)));
}

__device__ u64 encode(u64 x) { return (x & 0x3FFFF) >> 4; }

// A row of ones times the copied matrix: sums of its columns, once with each sign.
//! run copied_operand(f16[128]=1, f32[256]) block 128
//! out[0:3] = -14 -14 -14
//! out[255:256] = -14
__global__ void copied_operand(const __half* in, float* out) {
  __shared__ __align__(128) __half a[64 * 16], b[8 * 16];
  __shared__ __align__(8) u64 bar;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    asm volatile("fence.mbarrier_init.release.cluster;\n");
  }
  for (int i = threadIdx.x; i < 64 * 16; i += 128) a[i] = __float2half(1.0f);
  asm volatile("fence.proxy.async.shared::cta;\n");
  __syncthreads();
  if (threadIdx.x == 0) {
    expect_bytes(&bar, sizeof b);
    const u64 policy = 0x1000000000000000ull;
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;\n" ::"r"(to_shared(b)),
        "l"((u64)in), "r"((int)sizeof b), "r"(to_shared(&bar)), "l"(policy)
        : "memory");
  }
  wait(&bar, 0);
  const u64 da = encode(to_shared(a)) | encode(128) << 16 | encode(256) << 32;
  const u64 db = encode(to_shared(b)) | encode(128) << 16 | encode(256) << 32;
  float d[2][4];
  for (int i = 0; i < 4; ++i) d[0][i] = 2;
  asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
  multiply<1, -1, 1, 0, 0>(d[0], da, db);
  multiply<0, 1, -1, 0, 0>(d[1], da, db);
  asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(0) : "memory");
  out[threadIdx.x] = d[0][0];
  out[128 + threadIdx.x] = d[1][3] + 2;
}
