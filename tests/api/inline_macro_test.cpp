// The program's macros in inline kernels, kernel templates, unrolled loops.
#undef NDEBUG  // an assertion is tested
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "api/api_case.hpp"
#include "api/inline_source.hpp"

// Typical macros of programs.
#define TILE 4
#define REAL float
#define SQUARE(x) ((x) * (x))
#define FOR_EACH(i, n) for (int i = 0; i < (n); ++i)
#define NEGATIVE -1
#define NOTHING
#define CHECKED_SUM(a, b) ((a) + (b))
#define JOINED(a, b) a##b
#define DECLARE_KERNEL(NAME, TYPE) \
  QUERN_KERNEL(NAME, (TYPE * out), { out[threadIdx.x] = static_cast<TYPE>(threadIdx.x * TILE); })

QUERN_CODE(
    struct MacroBody { REAL x[TILE]; }; __constant__ REAL macro_table[TILE] = {1, 2, 3, 4};
    __device__ inline int wrap(int a, int b) {
      return a + b;
    } __device__ __forceinline__ REAL macro_square(REAL v) { return SQUARE(v); })

#define wrap(x) wrap(x, 10)  // with the same name

QUERN_KERNEL(with_macros, (REAL * out, const MacroBody* in), {
  __shared__ REAL tile[TILE];
  int thread = threadIdx.x;
  NOTHING FOR_EACH(i, TILE) tile[i] = SQUARE(in->x[i] + 1);
  __syncthreads();
  out[0] = tile[1];
  out[1] = CHECKED_SUM(tile[2], REAL(NEGATIVE)) - NEGATIVE;
  out[2] = static_cast<REAL>(wrap(thread) + JOINED(thr, ead));
  out[3] = macro_square(macro_table[TILE - 1]);
  out[4] = INFINITY;
  out[5] = FLT_MAX;
  out[6] = static_cast<REAL>(INT_MAX / 65536 + CHAR_BIT + (in != NULL) + static_cast<int>(sizeof(MacroBody)));
  out[7] = static_cast<REAL>(M_PI * DBL_EPSILON + isnan(NAN) + static_cast<double>(UINT64_C(5)));
  out[8] = static_cast<REAL>(offsetof(MacroBody, x)) + HUGE_VALF;
  assert(out[0] >= TILE);
})

QUERN_KERNEL(macro_assertion, (int* data), { assert(data[threadIdx.x] < TILE); })

QUERN_KERNEL(macro_shared, (REAL * out), {
  QUERN_DYNAMIC_SHARED(REAL, box);
  box[threadIdx.x] = static_cast<REAL>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = box[TILE - 1 - threadIdx.x];
})

QUERN_KERNEL(macro_fault, (int* data), {
  int unused = SQUARE(TILE);
  data[unused + 1000] = 1;  // here
})

DECLARE_KERNEL(made_by_macro, int)

QUERN_CODE(struct Scaled { float value; };)
namespace app {
QUERN_CODE(struct Inner { int value; };)
}

QUERN_TEMPLATE_KERNEL(scale_all, (typename T, int N), (T a, T* x), {
  QUERN_UNROLL(TILE)
  for (int i = 0; i < N; ++i) x[threadIdx.x * N + i] *= a;
})
QUERN_TEMPLATE_KERNEL(copy_all, (class T), (const T* in, T* out), { out[threadIdx.x] = in[threadIdx.x]; })
QUERN_TEMPLATE_KERNEL(choose, (bool Up, unsigned Step), (unsigned* x), {
  if (Up) {
    x[threadIdx.x] += Step;
  } else {
    x[threadIdx.x] -= Step;
  }
})

QUERN_KERNEL(unrolled, (int* out), {
  int sum = 0;
  QUERN_UNROLL() for (int i = 0; i < 5; ++i) sum += i;
  QUERN_UNROLL(2)
  for (int i = 0; i < 5; ++i) {
    QUERN_UNROLL(1) for (int k = 0; k < 3; ++k) sum += k;
  }
  out[threadIdx.x] = sum;
})

namespace quern::test {
namespace {

class InlineMacros : public OnDevice {};
QUERN_ON_DEVICES(InlineMacros);

TEST_P(InlineMacros, AreExpandedAsTheHostDoes) {
  auto in = device.upload(std::vector<MacroBody>{{{1, 2, 3, 4}}});
  auto out = device.allocate<float>(9);
  device.launch(with_macros, grid(1, 1), out, in);
  const float inf = INFINITY;
  EXPECT_EQ(out.download(), (std::vector<float>{9, 16, 10, 16, inf, FLT_MAX, 32767 + 8 + 1 + 16, 6, inf}));
}

TEST_P(InlineMacros, InAnAssertion) {
  device.launch(macro_assertion, grid(1, 2), device.upload(std::vector<int>{1, 5}));
  const std::string text = message_of([&] { device.synchronize(); });
  const std::string condition =
      device.driver() == "native" ? "data[threadIdx.x] < TILE" : "data[threadIdx.x] < 4";
  EXPECT_NE(text.find("assert: assertion '" + condition + "' fails"), std::string::npos) << text;
}

TEST_P(InlineMacros, ForDynamicSharedMemory) {
  auto out = device.allocate<float>(4);
  device.launch(macro_shared, grid(1, 4).shared(16), out);
  EXPECT_EQ(out.download(), (std::vector<float>{3, 2, 1, 0}));
}

TEST_P(InlineMacros, MayDeclareKernels) {
  auto out = device.allocate<int>(3);
  device.launch(made_by_macro, grid(1, 3), out);
  EXPECT_EQ(out.download(), (std::vector<int>{0, 4, 8}));
}

TEST(InlineMacroMistakes, AreShownInTheProgramsOwnLines) {
  const Device device = open("sim");
  device.launch(macro_fault, grid(1, 1), device.allocate<int>(8));
  const std::string text = message_of([&] { device.synchronize(); });
  EXPECT_NE(text.find("  data[unused + 1000] = 1;  // here"), std::string::npos) << text;
}

class InlineTemplates : public OnDevice {};
QUERN_ON_DEVICES(InlineTemplates);

TEST_P(InlineTemplates, RunForEachChoice) {
  auto floats = device.upload(std::vector<float>{1, 2, 3, 4});
  device.launch(scale_all<float, 2>, grid(1, 2), 2.5f, floats);
  EXPECT_EQ(floats.download(), (std::vector<float>{2.5f, 5, 7.5f, 10}));
  auto longs = device.upload(std::vector<long long>{1, 2, 3});
  device.launch(scale_all<long long, 3>, grid(1, 1), 1LL << 40, longs);
  EXPECT_EQ(longs.download(), (std::vector<long long>{1LL << 40, 2LL << 40, 3LL << 40}));
  auto numbers = device.upload(std::vector<unsigned>{10, 20});
  device.launch(choose<true, 3>, grid(1, 2), numbers);
  device.launch(choose<false, 1>, grid(1, 2), numbers);
  EXPECT_EQ(numbers.download(), (std::vector<unsigned>{12, 22}));
}

TEST_P(InlineTemplates, TakeStructsVectorsAndHalves) {
  auto out = device.allocate<Scaled>(1);
  device.launch(copy_all<Scaled>, grid(1, 1), device.upload(std::vector<Scaled>{{7}}), out);
  EXPECT_EQ(out.download()[0].value, 7);
  auto inner = device.allocate<app::Inner>(1);
  device.launch(copy_all<app::Inner>, grid(1, 1), device.upload(std::vector<app::Inner>{{8}}), inner);
  EXPECT_EQ(inner.download()[0].value, 8);
  auto vectors = device.allocate<kernel::float4>(1);
  device.launch(copy_all<kernel::float4>, grid(1, 1),
                device.upload(std::vector<kernel::float4>{{1, 2, 3, 4}}), vectors);
  EXPECT_EQ(vectors.download()[0].w, 4);
  auto halves = device.allocate<kernel::__half>(1);
  device.launch(copy_all<kernel::__half>, grid(1, 1),
                device.upload(std::vector<kernel::__half>{kernel::__half(1.5f)}), halves);
  EXPECT_EQ(float(halves.download()[0]), 1.5f);
}

TEST(InlineNames, OfInstancesAreTheDevices) {
  const auto name_of = [](std::string_view type) {
    return detail::instance_name({"QUERN_TEMPLATE_KERNEL", "k", "", "", "", 1, type, nullptr});
  };
  EXPECT_EQ(name_of("quern_code::{anonymous}::quern_kernel_k::quern_kernel_"), "k");
  EXPECT_EQ(name_of("quern_code::{anonymous}::quern_kernel_k::quern_kernel_<long unsigned int, 16>"),
            "k<long unsigned int, 16>");
  EXPECT_EQ(name_of("a::(anonymous namespace)::quern_kernel_k::quern_kernel_<(anonymous namespace)::S, "
                    "a::b::P<c::D> *>"),
            "k<S, P<D> *>");
  EXPECT_EQ(name_of("x::quern_kernel_<quern::kernel::host::SmallFloat<10, 5>, x::{anonymous}::Q>"),
            "k<__half, Q>");
}

class InlineUnroll : public OnDevice {};
QUERN_ON_DEVICES(InlineUnroll);

TEST_P(InlineUnroll, ComputesTheSame) {
  auto out = device.allocate<int>(1);
  device.launch(unrolled, grid(1, 1), out);
  EXPECT_EQ(out.download()[0], 10 + 15);
}

TEST(InlineUnrollText, ReachesTheDevice) {
  const runtime::Source source = detail::inline_source(scale_all<float, 2>.text());
  EXPECT_NE(source.text.find("QUERN_UNROLL(4)"), std::string::npos) << source.text;
}

}  // namespace
}  // namespace quern::test
