// The code of single operations where the semantics of PTX differ from the IR's.
#include <gtest/gtest.h>

#include "target_ptx/emitted.hpp"

namespace quern::test {
namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// A kernel that stores one expression of a and b.
std::string of(const std::string& type, const std::string& expression, const std::string& architecture = "") {
  return ptx_of(
      "__global__ void k(" + type + "* out, " + type + " a, " + type + " b) { *out = " + expression + "; }",
      ptx_options(architecture));
}

TEST(PtxText, HeadSaysTheArchitecture) {
  const std::string program = "__global__ void k(int* out) { *out = 1; }";
  EXPECT_TRUE(ptx_of(program).starts_with(".version 7.0\n.target sm_75\n.address_size 64\n"));
  EXPECT_TRUE(ptx_of(program, ptx_options("sm_86")).starts_with(".version 7.1\n.target sm_86\n"));
  // Newer architectures use the code for the newest known one.
  EXPECT_TRUE(ptx_of(program, ptx_options("sm_120")).starts_with(".version 7.8\n.target sm_90\n"));
  EXPECT_EQ(emit_ptx(program, ptx_options("gfx90a")).error().message(),
            "'gfx90a' is not an architecture that PTX can be generated for");
}

TEST(PtxText, ShiftsCountModuloTheWidth) {
  EXPECT_TRUE(has(of("unsigned", "a << b"), ", 31;\n\tshl.b32"));
  EXPECT_TRUE(has(of("long long", "a >> (b & 255)"), ", 63;"));
  EXPECT_TRUE(has(of("unsigned", "a << 3"), "shl.b32 %r2, %r1, 3;"));
}

TEST(PtxText, DivisionKnowsZeroAndMinusOne) {
  const std::string text = of("int", "a / b");
  EXPECT_TRUE(has(text, "setp.eq.s32 %p1, %r2, -1;")) << text;
  EXPECT_TRUE(has(text, "setp.eq.s32 %p2, %r2, 0;")) << text;
  const std::string plain = of("int", "a / 7");
  EXPECT_FALSE(has(plain, "setp")) << plain;
  EXPECT_FALSE(has(of("unsigned", "a % b"), "-1")) << "only signed numbers overflow";
}

TEST(PtxText, NarrowNumbersAreExtended) {
  EXPECT_TRUE(has(of("signed char", "(signed char)(a + b)"), "cvt.s32.s8"));
  EXPECT_TRUE(has(of("unsigned char", "(unsigned char)(a + b)"), ", 255;"));
  EXPECT_TRUE(has(of("short", "a"), "st.global.s16"));
}

TEST(PtxText, FloatsSayTheirRounding) {
  const std::string exact = of("float", "a * b + a");
  EXPECT_TRUE(has(exact, "mul.rn.f32")) << exact;
  EXPECT_TRUE(has(exact, "add.rn.f32")) << exact;
  target::Options options = ptx_options();
  options.math = driver::Math::fused;
  const std::string program = "__global__ void k(float* out, float a, float b) { *out = a * b + a / b; }";
  const std::string fused = ptx_of(program, options);
  EXPECT_TRUE(has(fused, "mul.f32")) << fused;
  EXPECT_TRUE(has(fused, "div.rn.f32")) << fused;
  options.math = driver::Math::fast;
  const std::string fast = ptx_of(program, options);
  EXPECT_TRUE(has(fast, "mul.ftz.f32")) << fast;
  EXPECT_TRUE(has(fast, "div.full.ftz.f32")) << fast;
}

// Library functions rely on exact sums, whatever the kernel allows.
TEST(PtxText, TheLibraryIsNeverFused) {
  target::Options options = ptx_options();
  options.math = driver::Math::fused;
  const std::string text = ptx_of("__global__ void k(double* x) { *x = exp(*x); }", options);
  EXPECT_TRUE(has(text, "mul.rn.f64")) << text;
  EXPECT_FALSE(has(text, "mul.f64")) << text;
  EXPECT_FALSE(has(text, "add.f64")) << text;
}

TEST(PtxText, ComparisonsWithNan) {
  EXPECT_TRUE(has(of("float", "a != b ? a : b"), "setp.neu.f32"));
  EXPECT_TRUE(has(of("float", "a == b ? a : b"), "setp.eq.f32"));
}

// PTX returns 0 for a NaN only from float to 32 bits.
TEST(PtxText, NanBecomesZero) {
  const std::string narrow = ptx_of("__global__ void k(int* out, float a) { *out = (int)a; }");
  EXPECT_TRUE(has(narrow, "cvt.rzi.s32.f32")) << narrow;
  EXPECT_FALSE(has(narrow, "setp.nan")) << narrow;
  EXPECT_TRUE(
      has(ptx_of("__global__ void k(long long* out, float a) { *out = (long long)a; }"), "setp.nan.f32"));
  EXPECT_TRUE(has(ptx_of("__global__ void k(int* out, double a) { *out = (int)a; }"), "setp.nan.f64"));
  const std::string byte =
      ptx_of("__global__ void k(unsigned char* out, float a) { *out = (unsigned char)a; }");
  EXPECT_TRUE(has(byte, "min.u32")) << byte;
}

TEST(PtxText, TheSignComesFirst) {
  const std::string text = of("float", "copysignf(a, b)");
  EXPECT_TRUE(has(text, "copysign.f32 %r3, %r2, %r1;")) << text;
}

TEST(PtxText, IndicesThatOnlyChangeSignStaySigned) {
  const std::string text = ptx_of(R"(
    __global__ void k(float* out, unsigned n) { int i = (int)n; out[i] = 1.0f; })");
  EXPECT_TRUE(has(text, "mul.wide.s32")) << text;
}

TEST(PtxText, ConstantStepsStandInTheAccess) {
  const std::string text = ptx_of("__global__ void k(float* out, int i) { out[i] = out[3]; }");
  EXPECT_TRUE(has(text, "[%d1+12]")) << text;
}

TEST(PtxText, VectorsAndReadOnlyMemory) {
  const std::string text = ptx_of(R"(
    __global__ void k(const float4* __restrict__ in, float4* out) { out[threadIdx.x] = in[threadIdx.x]; })");
  EXPECT_TRUE(has(text, "ld.global.nc.v4.b32")) << text;
  EXPECT_TRUE(has(text, "st.global.v4.b32")) << text;
  const std::string plain = ptx_of("__global__ void k(const int* in, int* out) { *out = *in; }");
  EXPECT_FALSE(has(plain, ".nc")) << plain;
}

// Shared memory begins at 0, so null is another number there.
TEST(PtxText, NullInSharedMemory) {
  const std::string text = ptx_of(R"(
    __global__ void k(int* out, int n) {
      __shared__ int s[4];
      int* p = n > 1 ? s : nullptr;
      *out = p == nullptr ? 1 : 2;
    })");
  EXPECT_TRUE(has(text, "0xffffffff")) << text;
}

TEST(PtxText, AtomicsHaveScopes) {
  const std::string text = ptx_of(R"(
    __global__ void k(int* a, double* d, float* f) {
      __shared__ int s;
      atomicAdd(&s, 1);
      atomicAdd_system(a, 1);
      atomicAdd_block(a, 1);
      atomicAdd(d, 1.0);
      atomicExch(f, 1.0f);
      atomicSub(a, 5);
    })");
  for (const char* part : {"atom.gpu.shared.add.u32", "atom.sys.global.add.u32", "atom.cta.global.add.u32",
                           "atom.gpu.global.add.f64", "atom.gpu.global.exch.b32", "neg.s32"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
}

TEST(PtxText, WarpsAreTheHardwares) {
  const std::string program = R"(
    __global__ void k(unsigned* a) {
      unsigned v = a[threadIdx.x];
      v += __shfl_up_sync(0xffffffffu, v, 1, 16);
      v += __shfl_xor_sync(0xffffffffu, v, 2);
      v += __ballot_sync(0xffffffffu, v > 3);
      v += __match_any_sync(0xffffffffu, v);
      a[threadIdx.x] = __reduce_add_sync(0xffffffffu, v);
    })";
  const std::string text = ptx_of(program, ptx_options("sm_80"));
  for (const char* part : {"shfl.sync.up.b32 %r3, %r2, 1, 4096, 4294967295", "shfl.sync.bfly.b32",
                           ", 2, 31, ", "vote.sync.ballot.b32", "match.any.sync.b32", "redux.sync.add.u32"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  EXPECT_FALSE(has(ptx_of(program, ptx_options("sm_75")), "redux"));
  EXPECT_FALSE(has(ptx_of(program, ptx_options("sm_60")), "match."));
}

TEST(PtxText, BarriersInSharedMemoryAreObjects) {
  const std::string program = R"(
    #include <cuda/barrier>
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __global__ void k(int n) {
      __shared__ Barrier bar;
      if (threadIdx.x == 0) init(&bar, blockDim.x);
      __syncthreads();
      bar.wait(bar.arrive(n));
      bar.arrive_and_drop();
      bar.wait_parity(true);
    }
    __device__ Barrier elsewhere;
    __global__ void global() { elsewhere.arrive_and_wait(); })";
  const std::string hopper = ptx_of(program, ptx_options("sm_90"));
  for (const char* part :
       {"mbarrier.init.shared.b64", "mbarrier.arrive.shared.b64", "mbarrier.arrive_drop.shared.b64",
        "mbarrier.try_wait.shared.b64", "mbarrier.try_wait.parity.shared.b64", "atom.cta.global.add"})
    EXPECT_TRUE(has(hopper, part)) << part << "\n" << hopper;
  EXPECT_FALSE(has(hopper, "atom.cta.shared"));
  const std::string ampere = ptx_of(program, ptx_options("sm_80"));
  for (const char* part : {"mbarrier.arrive.noComplete.shared.b64", "mbarrier.test_wait.parity.shared.b64"})
    EXPECT_TRUE(has(ampere, part)) << part << "\n" << ampere;
  const std::string turing = ptx_of(program, ptx_options("sm_75"));
  EXPECT_FALSE(has(turing, "mbarrier"));
  EXPECT_TRUE(has(turing, "atom.cta.shared"));
}

TEST(PtxText, CopiesToSharedMemoryAreAsynchronous) {
  const std::string program = R"(
    #include <cooperative_groups.h>
    #include <cooperative_groups/memcpy_async.h>
    #include <cuda/barrier>
    #include <cuda/pipeline>
    #include <cuda_pipeline.h>
    __global__ void k(const float* in, float* out, unsigned long zeros) {
      __shared__ float4 tile[64];
      __pipeline_memcpy_async(&tile[threadIdx.x], in + 4 * threadIdx.x, 16);
      __pipeline_memcpy_async(&tile[32 + threadIdx.x], in, 8, zeros);
      __pipeline_memcpy_async((char*)&tile[32 + threadIdx.x] + 12, in, 4);
      __pipeline_commit();
      __pipeline_wait_prior(2);
      out[threadIdx.x] = tile[threadIdx.x].x;
    }
    __global__ void by_barrier(const float* in, float* out) {
      __shared__ cuda::barrier<cuda::thread_scope_block> bar;
      __shared__ float tile[64];
      auto block = cooperative_groups::this_thread_block();
      if (threadIdx.x == 0) init(&bar, blockDim.x);
      __syncthreads();
      cuda::memcpy_async(block, tile, in, 256, bar);
      bar.arrive_and_wait();
      out[threadIdx.x] = tile[threadIdx.x];
    }
    __global__ void from_nowhere_else(float* out) {
      float own[4] = {1, 2, 3, 4};
      __pipeline_memcpy_async(own + 1, out, 4);
      __pipeline_memcpy_async(out, own, 16);
      __pipeline_wait_prior(0);
    })";
  const std::string text = ptx_of(program, ptx_options("sm_90"));
  for (const char* part :
       {"cp.async.cg.shared.global [", ", 16;", "cp.async.ca.shared.global [", ", 8, %", ", 4;",
        "cp.async.commit_group;", "cp.async.wait_group 2;", "cp.async.mbarrier.arrive.shared.b64 ["})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  EXPECT_FALSE(has(text.substr(text.find("from_nowhere_else")), "cp.async.c"));
  EXPECT_FALSE(has(ptx_of(program, ptx_options("sm_75")), "cp.async"));
}

TEST(PtxText, BarriersThatNotAllReachAreNotAligned) {
  EXPECT_TRUE(has(ptx_of("__global__ void k(int* a) { __syncthreads(); *a = 1; }"), "bar.sync 0;"));
  EXPECT_TRUE(has(ptx_of("__global__ void k(int* a) { if (a[threadIdx.x]) __syncthreads(); *a = 1; }"),
                  "barrier.sync 0;"));
}

TEST(PtxText, SmallArraysAreRegisters) {
  const std::string text = ptx_of(R"(
    __global__ void k(float* out, const float* in) {
      float sum[8] = {};
      for (int r = 0; r < 100; ++r) {
    #pragma unroll
        for (int i = 0; i < 8; ++i) {
          if (in[r] < 0) continue;
          sum[i] += in[r * 8 + i];
        }
      }
    #pragma unroll
      for (int i = 0; i < 8; ++i) out[i] = sum[i];
    })");
  EXPECT_FALSE(has(text, ".local")) << text;
}

TEST(PtxText, LaunchBoundsLinesAndReports) {
  const std::string text = ptx_of(R"(
    __global__ void __launch_bounds__(128, 2) k(int* a, float f) {
      printf("%d %f %hhd %s\n", *a, f, 300, "x");
      assert(*a > 0);
    })");
  for (const char* part :
       {".maxntid 128, 1, 1", ".minnctapersm 2", ".loc 1 3", ".file 1 \"test.cu\"",
        "call.uni (result), vprintf, (argument_0, argument_1)", "__assertfail", "cvta.local"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
}

TEST(PtxText, ShortOperandsOfInlinePtxHaveRegistersOf16Bits) {
  const std::string text = ptx_of(R"(
    __global__ void k(const float* in, unsigned short mask) {
      __shared__ __align__(128) float tile[32];
      __shared__ unsigned long long done;
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                   "[%0], [%1], 128, [%2], %3;"
                   :: "r"((unsigned)__cvta_generic_to_shared(tile)), "l"(in),
                      "r"((unsigned)__cvta_generic_to_shared(&done)), "h"(mask) : "memory");
    })",
                                  ptx_options("sm_90"));
  const size_t at = text.find("multicast::cluster [");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_TRUE(has(text.substr(at, text.find(';', at) - at), ", %h")) << text;
}

TEST(PtxText, HalvesAreTheHardwares) {
  const std::string program = R"(
    #include <cuda_fp16.h>
    __global__ void k(__half* a) { a[0] = a[1] * a[2] + a[3]; })";
  const std::string text = ptx_of(program);
  EXPECT_TRUE(has(text, "mul.rn.f16")) << text;
  EXPECT_TRUE(has(text, "add.rn.f16")) << text;
  EXPECT_FALSE(has(ptx_of(program, ptx_options("sm_52")), "add.rn.f16"));
}

}  // namespace
}  // namespace quern::test
