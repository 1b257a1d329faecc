// Typical inline kernels: each runs on the simulator, which compiles its text, and as compiled by the host
// compiler; both must give the same bits.
#undef NDEBUG  // assertions in kernels are tested
#include <cassert>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "api/api_case.hpp"

using namespace std;  // as in many programs; it must not affect kernels

// Names of the program that kernels use too.
int min(int, int) { return -1; }
struct float4 {
  char other;
};

QUERN_CODE(
    struct Particle {
      float x, y;
      __device__ float energy() const { return 0.5f * (x * x + y * y); }
    };
    enum Mode{kAdd = 1, kTimes = 2}; constexpr int kCount = 3;
    template <typename T> __device__ T square(T v) {
      return v * v;
    } __device__ inline float apply(Mode m, float a, float b) { return m == kAdd ? a + b : a * b; })

QUERN_KERNEL(indices, (unsigned* out), {
  unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned* at = out + 8 * (block * blockDim.x * blockDim.y * blockDim.z + thread);
  at[0] = threadIdx.x;
  at[1] = threadIdx.y;
  at[2] = threadIdx.z;
  at[3] = blockIdx.x;
  at[4] = blockIdx.y;
  at[5] = blockIdx.z;
  at[6] = blockDim.x * 100 + gridDim.z;
  at[7] = warpSize;
})

QUERN_KERNEL(shared_code, (const Particle* in, float* out), {
  int i = threadIdx.x;
  out[i] = in[i].energy() + square(2) + square(0.5f) + apply(kTimes, 3.0f, 4.0f) + kCount;
})

QUERN_KERNEL(vectors, (const float4* in, float4* out, int2* pairs, dim3 size), {
  int i = threadIdx.x;
  float4 v = in[i];
  out[i] = make_float4(v.w, v.z, v.y, v.x + static_cast<float>(size.y));
  uchar4 c = make_uchar4(1, 2, 3, 250);
  double2 d = make_double2(0.5, 2.5);
  pairs[i] = make_int2(c.w + static_cast<int>(d.y), static_cast<int>(sizeof(float3) + alignof(float4)));
})

QUERN_KERNEL(float_math, (const float* in, float* out), {
  float x = in[threadIdx.x];
  float* at = out + 40 * threadIdx.x;
  at[0] = sqrtf(x);
  at[1] = expf(x);
  at[2] = logf(x);
  at[3] = sinf(x);
  at[4] = cosf(x);
  at[5] = tanf(x);
  at[6] = powf(x, 1.5f);
  at[7] = fmodf(x, 0.7f);
  at[8] = floorf(x);
  at[9] = ceilf(x);
  at[10] = roundf(x);
  at[11] = rsqrtf(x);
  at[12] = cbrtf(x);
  at[13] = exp2f(x);
  at[14] = log2f(x);
  at[15] = log10f(x);
  at[16] = atan2f(x, 2.0f);
  at[17] = hypotf(x, 3.0f);
  at[18] = fmaf(x, x, 1.0f);
  at[19] = fabs(x) + abs(-x);
  at[20] = erff(x);
  at[21] = tgammaf(x);
  at[22] = lgammaf(x);
  at[23] = normcdff(x);
  at[24] = sinpif(x);
  at[25] = __expf(x);
  at[26] = __logf(x);
  at[27] = __sinf(x);
  at[28] = __powf(x, 2.0f);
  at[29] = __fdividef(x, 3.0f);
  at[30] = sqrt(x);
  at[31] = max(x, 1.0f) + min(x, 2.0f);
  at[32] = fminf(x, 1.0f);
  at[33] = copysignf(x, -1.0f);
  at[34] = trunc(x);
  at[35] = rintf(x);
  at[36] = norm3df(x, 1.0f, 2.0f);
  at[37] = erfinvf(x / 100.0f);
  at[38] = saturate(x);
  at[39] = ldexpf(x, 3);
})

QUERN_KERNEL(double_math, (const double* in, double* out), {
  double x = in[threadIdx.x];
  double* at = out + 16 * threadIdx.x;
  double s;
  double c;
  sincos(x, &s, &c);
  int e;
  at[0] = sqrt(x);
  at[1] = exp(x);
  at[2] = log(x);
  at[3] = s;
  at[4] = c;
  at[5] = pow(x, 0.3);
  at[6] = frexp(x, &e);
  at[7] = e;
  at[8] = fma(x, x, -1.0);
  at[9] = max(x, 2.0f) + min(1.0f, x);
  at[10] = isnan(x) + 2 * isinf(x);
  at[11] = rcbrt(x);
  at[12] = j0(x);
  at[13] = fmod(x, 0.3);
  at[14] = nextafter(x, 9.0);
  at[15] = round(x);
})

QUERN_KERNEL(integers, (const unsigned* in, unsigned* out), {
  unsigned x = in[threadIdx.x];
  unsigned* at = out + 24 * threadIdx.x;
  at[0] = __popc(x);
  at[1] = __clz(static_cast<int>(x));
  at[2] = __brev(x);
  at[3] = __ffs(static_cast<int>(x));
  at[4] = __byte_perm(x, 0x12345678u, 0x7531u);
  at[5] = __umulhi(x, 0xdeadbeefu);
  at[6] = __mul24(static_cast<int>(x), 77);
  at[7] = __funnelshift_l(x, 0x80000001u, 7);
  at[8] = __funnelshift_r(x, 0x80000001u, 37);
  at[9] = __sad(3, -4, x);
  at[10] = __hadd(5, 8);
  at[11] = __vadd2(x, 0x00010001u);
  at[12] = __vabsdiffu4(x, 0x40404040u);
  at[13] = __vcmpgts4(x, 0u);
  at[14] = __dp4a(static_cast<int>(x), 0x01020304, 5);
  at[15] = __float_as_uint(static_cast<float>(x & 0xffffu));
  at[16] = static_cast<unsigned>(__float_as_int(__int_as_float(static_cast<int>(x & 0x7fffffu))));
  at[17] = min(x, 1000u) + max(7, 9u);
  at[18] = __fns(x, 0, 2);
  at[19] = static_cast<unsigned>(__umul64hi(x * 0x100000001ull, 0xfedcba9876543210ull));
  at[20] = static_cast<unsigned>(__double_as_longlong(static_cast<double>(x)) >> 32);
  at[21] = __popcll(x * 0x10001ull);
  at[22] = static_cast<unsigned>(__mulhi(static_cast<int>(x), -3));
  at[23] = __vmaxu2(x, 0x7fff0001u);
})

QUERN_KERNEL(roundings, (const float* in, float* out), {
  float x = in[threadIdx.x];
  float* at = out + 16 * threadIdx.x;
  at[0] = __fadd_rn(x, 1e-8f);
  at[1] = __fadd_ru(x, 1e-8f);
  at[2] = __fmul_rz(x, 1.1f);
  at[3] = __fmaf_rd(x, x, 1e-9f);
  at[4] = __frcp_ru(x);
  at[5] = __fsqrt_rd(x);
  at[6] = static_cast<float>(__float2int_rn(x));
  at[7] = static_cast<float>(__float2uint_ru(x));
  at[8] = __int2float_rz(16777217);
  at[9] = __double2float_ru(0.1);
  at[10] = static_cast<float>(__double2int_rd(-2.5));
  at[11] = __ull2float_rd(0xffffffffffffffffull);
  at[12] = static_cast<float>(__dadd_ru(1.0, 1e-17) - 1.0);
  at[13] = __fdiv_rn(x, 3.0f);
  at[14] = __frsqrt_rn(x);
  at[15] = static_cast<float>(__float2ll_rz(x * 1e6f));
})

QUERN_KERNEL(halves, (const __half* in, __half* out, __nv_bfloat16* b), {
  int i = threadIdx.x;
  __half h = in[i];
  __half2 pair = __halves2half2(h, h + 1);
  out[4 * i] = h * h + __float2half(0.3f);
  out[4 * i + 1] = __hfma(h, h, h);
  out[4 * i + 2] = __high2half(pair * pair) / h;
  out[4 * i + 3] = h > __half(2) ? hsqrt(h) : -h;
  b[i] = __float2bfloat16(__half2float(h) * 1.01f) + __nv_bfloat16(1);
})

QUERN_KERNEL(atomics, (int* i, unsigned* u, unsigned long long* l, float* f, double* d), {
  int t = threadIdx.x;
  atomicAdd(&i[0], t);
  atomicSub(&i[1], t);
  atomicMax(&i[2], t * 7 % 50);
  atomicMin(&i[3], -t * 3 % 40);
  atomicAnd(&i[4], ~(1 << (t % 8)));
  atomicOr(&i[5], 1 << (t % 20));
  atomicXor(&i[6], t);
  atomicInc(&u[0], 9u);
  atomicDec(&u[1], 5u);
  atomicAdd(&u[2], 3u);
  atomicAdd(&l[0], 1ull << 33);
  atomicMax(&l[1], 5ull * t);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  atomicAdd_block(&i[7], 1);
  atomicAdd_system(&i[8], 2);
  int old = atomicAdd(&i[9], 0);
  int seen = old;
  do {
    seen = old;
    old = atomicCAS(&i[9], seen, seen + 2);
  } while (old != seen);
  if (t == 3) atomicExch(&i[10], 77);
  __threadfence();
})

QUERN_KERNEL(sums, (int* i, float* f), {
  atomicAdd(i, static_cast<int>(threadIdx.x));
  atomicAdd(f, 0.5f);
})

QUERN_KERNEL(warps, (int* out), {
  int t = threadIdx.x;
  int lane = t % 32;
  const unsigned all = 0xffffffffu;
  int* at = out + 20 * t;
  at[0] = __shfl_sync(all, t * 3, 5);
  at[1] = __shfl_up_sync(all, t, 3);
  at[2] = __shfl_down_sync(all, t, 7, 16);
  at[3] = __shfl_xor_sync(all, t, 9, 8);
  at[4] = __any_sync(all, t == 40);
  at[5] = __all_sync(all, t < 40);
  at[6] = static_cast<int>(__ballot_sync(all, lane % 3 == 0));
  at[7] = static_cast<int>(__match_any_sync(all, lane / 5));
  int same = 0;
  at[8] = static_cast<int>(__match_all_sync(all, t / 32, &same));
  at[9] = same;
  at[10] = __reduce_add_sync(all, t);
  at[11] = static_cast<int>(__reduce_max_sync(all, static_cast<unsigned>(t * 7 % 31)));
  at[12] = static_cast<int>(__shfl_sync(all, t * 0.5, lane + 1) * 2);
  if (lane < 16) {
    at[13] = __shfl_xor_sync(0xffffu, t, 1);
  } else {
    at[13] = __shfl_down_sync(0xffff0000u, t, 2);
  }
  __syncwarp();
  at[14] = static_cast<int>(__shfl_sync(all, static_cast<unsigned long long>(t) << 40, 2) >> 40);
  at[15] = __reduce_min_sync(all, t);
  at[16] = static_cast<int>(__reduce_xor_sync(all, static_cast<unsigned>(t)));
  at[17] = static_cast<int>(__match_any_sync(all, static_cast<float>(lane % 2)));
  at[18] = at[19] = 0;
})

QUERN_KERNEL(active, (int* out), {
  int t = threadIdx.x;
  if (t % 4 == 1) {
    unsigned m = __activemask();
    out[t] = __popc(m);
    out[t] += 100 * __shfl_sync(m, t, 5);
  } else {
    out[t] = -1;
  }
})

QUERN_KERNEL(barriers, (const int* in, int* out), {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 5; ++round) {
    int next = tile[(t + 1) % 64];
    __syncthreads();
    tile[t] += next;
    __syncthreads();
    sum += tile[63 - t];
    __syncthreads();
  }
  int count = __syncthreads_count(sum % 2);
  int both = __syncthreads_and(t < 64) + 2 * __syncthreads_and(t < 63) + 4 * __syncthreads_or(t == 9);
  out[blockIdx.x * 64 + t] = sum * 1000 + count * 10 + both;
})

QUERN_KERNEL(early_returns, (int* out), {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  if (threadIdx.x % 3 == 0) return;
  atomicAdd(&total, 1);
  __syncthreads();
  out[threadIdx.x] = total;
})

QUERN_KERNEL(dynamic, (int* out), {
  QUERN_DYNAMIC_SHARED(int, box);
  box[threadIdx.x] = threadIdx.x * threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = box[blockDim.x - 1 - threadIdx.x];
})

QUERN_KERNEL(extern_dynamic, (int* out), {
  extern __shared__ int box[];
  box[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = box[blockDim.x - 1 - threadIdx.x];
})

QUERN_KERNEL(prints, (int n), {
  if (threadIdx.x == 0) printf("block %d of %d: %s %5.2f|", int(blockIdx.x), n, "says", 1.5);
  if (threadIdx.x == 0) printf("\n");
})

QUERN_KERNEL(asserts, (const int* data), { assert(data[threadIdx.x] < 3); })

QUERN_KERNEL(traps, (int when), {
  if (static_cast<int>(threadIdx.x) == when) __trap();
})

QUERN_KERNEL(hangs, (int* out), {
  if (threadIdx.x < 16)
    __shfl_sync(0xffffffffu, 1, 0);
  else
    __syncthreads();
  out[0] = 1;
})

QUERN_KERNEL(loads, (const int* __restrict__ in, int* __restrict__ out), {
  int copy[4];
  memset(copy, 0, sizeof copy);
  memcpy(copy, in + 4 * threadIdx.x, sizeof copy);
  long long before = clock64();
  out[threadIdx.x] = __ldg(in) + copy[0] + copy[3] + (clock64() >= before ? 1 : 0);
})

// clang-format off
QUERN_KERNEL(out_of_bounds, (int n, int* data), {
  int i = threadIdx.x;

  // a comment, "with a quote and ( a parenthesis
  if (i < n) data[i] = i;
  if (i == 3) /* here */ data[i + 100] = 1;
})
// clang-format on

namespace quern::test {
namespace {

using Inline = OnDevice;
QUERN_ON_DEVICES(Inline);

// Runs the kernel on both devices and returns what it wrote, by device.
template <typename T, typename Run>
std::pair<std::vector<T>, std::vector<T>> on_both(std::size_t count, const Run& run) {
  std::vector<T> results[2];
  for (int i = 0; i < 2; ++i) {
    const Device device = open(i == 0 ? "sim" : "native");
    auto out = device.upload(std::vector<T>(count));
    run(device, out);
    results[i] = out.download();
  }
  return {results[0], results[1]};
}

template <typename T>
void expect_same_bits(const std::pair<std::vector<T>, std::vector<T>>& results) {
  ASSERT_EQ(results.first.size(), results.second.size());
  for (std::size_t i = 0; i < results.first.size(); ++i) {
    EXPECT_EQ(std::memcmp(&results.first[i], &results.second[i], sizeof(T)), 0)
        << "value " << i << ": the simulator says " << +results.first[i] << ", native " << +results.second[i];
  }
}

const std::vector<float> kFloats{0.25f, 1.0f, 1.5f, 2.75f, 10.0f, 33.3f};

TEST(InlineOnBoth, Indices) {
  const auto results = on_both<unsigned>(8 * 2 * 3 * 2 * 4 * 2 * 3, [](const Device& device, auto& out) {
    device.launch(indices, grid({2, 3, 2}, {4, 2, 3}), out);
  });
  expect_same_bits(results);
  EXPECT_EQ(results.second[8 * 23 + 2], 2u);
}

TEST(InlineOnBoth, FloatMath) {
  expect_same_bits(on_both<float>(40 * kFloats.size(), [](const Device& device, auto& out) {
    device.launch(float_math, grid(1, 6), device.upload(kFloats), out);
  }));
}

TEST(InlineOnBoth, DoubleMath) {
  const std::vector<double> in{0.1, 1.0, 2.5, 1e10};
  expect_same_bits(on_both<double>(16 * 4, [&](const Device& device, auto& out) {
    device.launch(double_math, grid(1, 4), device.upload(in), out);
  }));
}

TEST(InlineOnBoth, Integers) {
  const std::vector<unsigned> in{0, 1, 0x80000000u, 0xffffffffu, 0x12345678u, 0x00ff7f80u};
  const auto results = on_both<unsigned>(24 * in.size(), [&](const Device& device, auto& out) {
    device.launch(integers, grid(1, 6), device.upload(in), out);
  });
  expect_same_bits(results);
  EXPECT_EQ(results.second[24 * 3], 32u);
}

TEST(InlineOnBoth, Roundings) {
  expect_same_bits(on_both<float>(16 * kFloats.size(), [](const Device& device, auto& out) {
    device.launch(roundings, grid(1, 6), device.upload(kFloats), out);
  }));
}

TEST(InlineOnBoth, Warps) {
  expect_same_bits(
      on_both<int>(20 * 64, [](const Device& device, auto& out) { device.launch(warps, grid(1, 64), out); }));
}

TEST(InlineOnBoth, Barriers) {
  std::vector<int> in(256);
  std::iota(in.begin(), in.end(), 5);
  expect_same_bits(on_both<int>(256, [&](const Device& device, auto& out) {
    device.launch(barriers, grid(4, 64), device.upload(in), out);
  }));
}

TEST_P(Inline, SharedCode) {
  auto in = device.upload(std::vector<Particle>{{1, 2}, {3, 4}});
  auto out = device.allocate<float>(2);
  device.launch(shared_code, grid(1, 2), in, out);
  EXPECT_EQ(out.download(), (std::vector<float>{2.5f + 4 + 0.25f + 12 + 3, 12.5f + 4 + 0.25f + 12 + 3}));
}

TEST_P(Inline, Vectors) {
  using kernel::dim3;
  auto in = device.upload(std::vector<kernel::float4>{{1, 2, 3, 4}});
  auto out = device.allocate<kernel::float4>(1);
  auto pairs = device.allocate<kernel::int2>(1);
  device.launch(vectors, grid(1, 1), in, out, pairs, dim3(2, 7));
  const kernel::float4 v = out.download()[0];
  EXPECT_EQ(v.x, 4);
  EXPECT_EQ(v.w, 8);
  EXPECT_EQ(pairs.download()[0].x, 252);
  EXPECT_EQ(pairs.download()[0].y, 28);
}

TEST_P(Inline, Halves) {
  using kernel::__half;
  auto in = device.upload(std::vector<__half>{__half(1.5f), __half(3.0f)});
  auto out = device.allocate<__half>(8);
  auto wide = device.allocate<kernel::__nv_bfloat16>(2);
  device.launch(halves, grid(1, 2), in, out, wide);
  const std::vector<__half> got = out.download();
  EXPECT_EQ(float(got[0]), 2.55078125f);
  EXPECT_EQ(float(got[1]), 3.75f);
  EXPECT_EQ(float(got[2]), 4.16796875f);
  EXPECT_EQ(float(got[3]), -1.5f);
  EXPECT_EQ(float(got[7]), 1.732421875f);
  EXPECT_EQ(float(wide.download()[0]), 2.515625f);
}

TEST_P(Inline, Atomics) {
  std::vector<int> start(11, 0);
  start[4] = -1;
  auto i = device.upload(start);
  auto u = device.upload(std::vector<unsigned>(3, 0));
  auto l = device.upload(std::vector<unsigned long long>(2, 0));
  auto f = device.upload(std::vector<float>(1, 0));
  auto d = device.upload(std::vector<double>(1, 0));
  device.launch(atomics, grid(1, 64), i, u, l, f, d);
  EXPECT_EQ(i.download(), (std::vector<int>{2016, -2016, 49, -39, -256, 0xfffff, 0, 64, 128, 128, 77}));
  EXPECT_EQ(u.download(), (std::vector<unsigned>{4, 2, 192}));
  EXPECT_EQ(l.download(), (std::vector<unsigned long long>{64ull << 33, 315}));
  EXPECT_EQ(f.download()[0], 32);
  EXPECT_EQ(d.download()[0], 16);
}

TEST_P(Inline, AtomicsBetweenBlocks) {
  auto i = device.upload(std::vector<int>(1, 0));
  auto f = device.upload(std::vector<float>(1, 0));
  device.launch(sums, grid(50, 64), i, f);
  EXPECT_EQ(i.download()[0], 50 * 2016);
  EXPECT_EQ(f.download()[0], 1600);
}

TEST_P(Inline, ActiveMask) {
  auto out = device.allocate<int>(32);
  device.launch(active, grid(1, 32), out);
  const std::vector<int> got = out.download();
  EXPECT_EQ(got[0], -1);
  EXPECT_GE(got[1] % 100, 1);  // how many threads are grouped depends on the device
  if (device.driver() == "native") {
    EXPECT_EQ(got[1], 508);
    EXPECT_EQ(got[29], 508);
  }
}

TEST_P(Inline, ThreadsThatHaveReturnedAreNotWaitedFor) {
  auto out = device.upload(std::vector<int>(33, 0));
  device.launch(early_returns, grid(1, 33), out);
  EXPECT_EQ(out.download()[1], 22);
  EXPECT_EQ(out.download()[32], 22);
}

TEST_P(Inline, DynamicSharedMemory) {
  auto out = device.allocate<int>(10);
  device.launch(dynamic, grid(1, 10).shared(40), out);
  EXPECT_EQ(out.download()[0], 81);
  EXPECT_EQ(message_of([&] {
              device.launch(dynamic, grid(1, 10).shared(std::uint64_t{1} << 30), out);
            }).substr(0, 80),
            "launch of kernel 'dynamic' failed: 1.0 GiB of dynamic and 0 B of static shared m");
}

TEST(InlineWithExtern, RunsEverywhereButByTheHostsCompilation) {
  const Device sim = open("sim"), native = open("native");
  auto out = sim.allocate<int>(4);
  sim.launch(extern_dynamic, grid(1, 4).shared(16), out);
  EXPECT_EQ(out.download(), (std::vector<int>{3, 2, 1, 0}));
  const Error error =
      error_of([&] { native.launch(extern_dynamic, grid(1, 4).shared(16), native.allocate<int>(4)); });
  EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  EXPECT_EQ(error.message(),
            "loading an inline kernel failed: the host's compiler does not support `extern __shared__` "
            "inside a function");
  EXPECT_EQ(error.hint(), "write QUERN_DYNAMIC_SHARED(float, name), which works on every device");
}

TEST_P(Inline, Prints) {
  device.launch(prints, grid(1, 40), 1);
  EXPECT_EQ(device.stream().take_output(), "block 0 of 1: says  1.50|\n");
  EXPECT_EQ(device.stream().take_output(), "");
}

TEST_P(Inline, Loads) {
  std::vector<int> in(40);
  std::iota(in.begin(), in.end(), 1);
  auto out = device.allocate<int>(10);
  device.launch(loads, grid(1, 10), device.upload(in), out);
  EXPECT_EQ(out.download()[2], 1 + 9 + 12 + 1);
}

TEST_P(Inline, AFailedAssertionEndsTheLaunch) {
  device.launch(asserts, grid(1, 2), device.upload(std::vector<int>{1, 5}));
  const Error error = error_of([&] { device.synchronize(); });
  EXPECT_EQ(error.kind(), ErrorKind::kernel_fault);
  const std::string text = error.message();
  EXPECT_NE(text.find("inline_test.cpp:"), std::string::npos) << text;
  EXPECT_NE(text.find("assert: assertion 'data[threadIdx.x] < 3' fails"), std::string::npos) << text;
  EXPECT_NE(text.find("thread (1,0,0) of block (0,0,0)"), std::string::npos) << text;
  device.synchronize();  // reported once
}

TEST_P(Inline, TrapsAndDeadlocksAreFaults) {
  device.launch(traps, grid(2, 33), 32);
  EXPECT_EQ(error_of([&] { device.synchronize(); }).kind(), ErrorKind::kernel_fault);
  auto out = device.allocate<int>(1);
  device.launch(hangs, grid(1, 32), out);
  const Error error = error_of([&] { device.synchronize(); });
  EXPECT_EQ(error.kind(), ErrorKind::kernel_fault);
  if (device.driver() == "native") {
    EXPECT_EQ(error.message().find(
                  "kernel 'hangs': deadlock: threads of the block wait for threads that never arrive"),
              0u)
        << error.message();
  }
}

TEST(InlineMistakes, AreShownInTheProgramsOwnLines) {
  const Device device = open("sim");
  device.launch(out_of_bounds, grid(1, 8), 8, device.allocate<int>(8));
  const std::string text = message_of([&] { device.synchronize(); });
  const std::string line = "  if (i == 3) /* here */ data[i + 100] = 1;";
  EXPECT_NE(text.find(line), std::string::npos) << text;
  // The line number refers to this file.
  std::FILE* file = std::fopen(QUERN_SOURCE_DIR "/tests/api/inline_test.cpp", "r");
  ASSERT_NE(file, nullptr);
  char buffer[1000];
  int number = 1;
  while (std::fgets(buffer, sizeof buffer, file) != nullptr && std::string(buffer) != line + "\n") ++number;
  std::fclose(file);
  EXPECT_EQ(text.find(std::string(__FILE__) + ":" + std::to_string(number) + ":40: out of bounds: "), 0u)
      << text;
}

}  // namespace
}  // namespace quern::test
