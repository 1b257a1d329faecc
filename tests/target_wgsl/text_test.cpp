// The appearance of the text, and refusals.
#include <gtest/gtest.h>

#include "lang/compile.hpp"
#include "lang/expand/messages.hpp"
#include "target/messages.hpp"
#include "target/target.hpp"
#include "target_wgsl/webgpu_device.hpp"

namespace quern::test {
namespace {

namespace message = target::message;

std::string refused(int line, const base::MessageText& why) {
  return message::kRefused("k", why.str(), " (test.cu:" + std::to_string(line) + ")").text;
}

base::Result<driver::Code> emit(const std::string& program, driver::Math math = driver::Math::exact,
                                driver::FeatureSet native = {}, const std::string& bindings = {}) {
  lang::Compilation compiled = lang::compile("test.cu", program, {});
  if (!compiled.ok) return base::Error(base::ErrorKind::compile, compiled.rendered);
  target::Options options;
  options.kind = driver::CodeKind::kWgsl;
  options.math = math;
  options.native = native;
  options.version = bindings;
  return target::emit(std::make_shared<const ir::Module>(std::move(compiled.module)), "test.cu", options);
}

std::string text_of(const std::string& program, driver::Math math = driver::Math::exact) {
  const auto code = emit(program, math);
  EXPECT_TRUE(code.ok()) << code.error().to_string();
  return code.ok() ? code->bytes : std::string();
}

std::string refusal_of(const std::string& program) {
  const auto code = emit(program);
  EXPECT_FALSE(code.ok()) << code->bytes;
  return code.ok() ? std::string() : code.error().message();
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(WgslText, ConstElementsAreReadOnly) {
  const std::string text =
      text_of("__global__ void k(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }");
  EXPECT_TRUE(has(text, "@group(0) @binding(0) var<storage, read> x: array<f32>;")) << text;
  EXPECT_TRUE(has(text, "@group(0) @binding(1) var<storage, read_write> y: array<f32>;")) << text;
}

// For arguments that are in one buffer, which WebGPU does not bind twice.
TEST(WgslText, BuffersWithOneBindingShareAnArray) {
  const std::string program =
      "__device__ int v;\n__global__ void k(const float* x, int* y, const float* z, const int* w) {\n"
      "  y[threadIdx.x] = (int)(x[threadIdx.x] + z[0]) + w[1] + v; }";
  const auto shared = emit(program, driver::Math::exact, {}, "0,0,1,1,2");
  ASSERT_TRUE(shared.ok()) << shared.error().to_string();
  const std::string& text = shared->bytes;
  EXPECT_TRUE(has(text, "@group(0) @binding(0) var<storage, read_write> quern_memory_0: array<u32>;"))
      << text;
  EXPECT_TRUE(has(text, "@group(0) @binding(1) var<storage, read> quern_memory_1: array<u32>;")) << text;
  EXPECT_TRUE(has(text, "@group(0) @binding(2) var<storage, read_write> v: array<i32>;")) << text;
  std::string why;
  if (WebgpuDevice* device = WebgpuDevice::get(why)) {
    EXPECT_EQ(device->validate(text), "") << text;
  }
  const auto atomic = emit("__global__ void k(int* bins, const float* x) { atomicAdd(bins, (int)x[1]); }",
                           driver::Math::exact, {}, "0,0");
  ASSERT_TRUE(atomic.ok()) << atomic.error().to_string();
  EXPECT_TRUE(has(atomic->bytes, "quern_memory_0: array<atomic<u32>>;")) << atomic->bytes;
  EXPECT_TRUE(has(atomic->bytes, "atomicLoad(&quern_memory_0[")) << atomic->bytes;
}

// For grids with more blocks than a dispatch has: indices begin where the arguments say.
TEST(WgslText, WideGridsFindTheirIndicesInTheArguments) {
  const std::string program =
      "__device__ __noinline__ int where() { return blockIdx.x; }\n"
      "__global__ void k(int* y) { y[where()] = gridDim.x + blockIdx.y; }\n"
      "__global__ void j(int* y) { __syncthreads(); y[threadIdx.x] = gridDim.x; }";
  const auto wide = emit(program, driver::Math::exact, {}, "0 wide");
  ASSERT_TRUE(wide.ok()) << wide.error().to_string();
  const std::string& text = wide->bytes;
  EXPECT_TRUE(has(text, "let quern_block = quern_dispatch_block + vec3<u32>(quern_arguments[quern_zero].y,"))
      << text;
  EXPECT_TRUE(has(text, "let quern_grid_2 = vec3<u32>(quern_arguments_2[quern_zero_2].z,")) << text;
  EXPECT_FALSE(has(text_of(program), "quern_dispatch_"));
  std::string why;
  if (WebgpuDevice* device = WebgpuDevice::get(why)) {
    EXPECT_EQ(device->validate(text), "") << text;
  }
}

// inf - inf is a NaN; compilers that find both operands to be one number take it for 0.
TEST(WgslText, DifferencesOfOneNumberAreHidden) {
  const std::string text = text_of("__global__ void k(float x, float* y) { *y = x * x - x * x; }");
  EXPECT_TRUE(has(text, " - quern_keep(quern_keep(")) << text;
}

TEST(WgslText, WhatIsTouchedAtomicallyIsAtomicEverywhere) {
  const std::string text = text_of(
      "__global__ void k(int* bins) { atomicAdd(&bins[threadIdx.x & 7], 1); if (bins[9] == 3) bins[8] = 4; "
      "}");
  EXPECT_TRUE(has(text, "bins: array<atomic<i32>>;")) << text;
  EXPECT_TRUE(has(text, "atomicLoad(&bins[")) << text;
  EXPECT_TRUE(has(text, "atomicStore(&bins[")) << text;
}

TEST(WgslText, ProductsAreKeptFromFusingUnlessMathIsFast) {
  const std::string program = "__global__ void k(float a, float* y) { y[0] = a * y[1] + y[2]; }";
  EXPECT_TRUE(has(text_of(program), "quern_keep("));
  EXPECT_FALSE(has(text_of(program, driver::Math::fused), "quern_keep("));
  EXPECT_FALSE(has(text_of(program, driver::Math::fast), "quern_keep("));
}

// A thread reads the values of others before it decides whether to use them.
TEST(WgslText, AShuffleStaysWhereAllThreadsCome) {
  const std::string text = text_of(
      "__global__ void k(int* y) { int x = y[threadIdx.x]; int t = __shfl_up_sync(~0u, x, 1); "
      "if (threadIdx.x > 0) x += t; y[threadIdx.x] = x; }");
  const size_t main = text.find("fn k(");
  EXPECT_LT(text.find("quern_shuffle_up_u32(", main), text.find("if (", main)) << text;
}

TEST(WgslText, OnlyTheVariablesThatAKernelUsesAreBound) {
  const std::string text = text_of(
      "__device__ int a, b, c; __global__ void k(int* y) { y[0] = c; } __global__ void j(int* y) { y[0] = a "
      "+ "
      "b; printf(\"%d\", y[1]); }");
  EXPECT_TRUE(has(text, "@group(0) @binding(1) var<storage, read_write> c")) << text;
  EXPECT_TRUE(has(text, "@binding(3) var<storage, read_write> quern_report")) << text;
}

TEST(WgslText, AVoteOfTheBlockIsUniform) {
  const std::string text = text_of(
      "__global__ void k(int* y) { while (__syncthreads_or(y[threadIdx.x] > 0)) { --y[threadIdx.x]; "
      "__syncthreads(); } }");
  EXPECT_TRUE(has(text, "workgroupUniformLoad(")) << text;
}

TEST(WgslText, WordsOfTheLanguageAreNoNames) {
  const std::string text =
      text_of("__global__ void loop(int* let, int fn) { int target = fn + 1; let[target] = fn * target; }");
  EXPECT_TRUE(has(text, "fn loop_1(")) << text;
  EXPECT_TRUE(has(text, " let_1: array<i32>")) << text;
}

TEST(WgslText, KernelsOfOneTextHaveTheirOwnNames) {
  const std::string text = text_of(
      "__global__ void a(float x, float* y) { y[0] = x / y[1]; }\n"
      "__global__ void b(float x, float* y) { y[0] = x / y[2]; }");
  EXPECT_TRUE(has(text, "fn quern_div_f32(")) << text;
  EXPECT_TRUE(has(text, "fn quern_div_f32_2(")) << text;
  EXPECT_TRUE(has(text, "quern_arguments_2: array")) << text;
}

TEST(WgslText, DoublesAreComputedByFunctionsOnTheirBits) {
  const std::string text = text_of("__global__ void k(double* y) { y[0] = y[1] * 2.0 + y[2]; }");
  EXPECT_TRUE(has(text, "fn quern_soft_mul(")) << text;
  EXPECT_TRUE(has(text, "fn quern_soft_add(")) << text;
  EXPECT_FALSE(has(text, "f64")) << text;
}

TEST(WgslText, RefusalsSayWhyAndWhere) {
  EXPECT_EQ(refusal_of("__global__ void k(double* y) {\n  atomicAdd(y, 2.0);\n}"),
            refused(2, expand::message::kWideAtomicUnsupported()));
  EXPECT_EQ(refusal_of("__global__ void k(int* y) {\n  y[0] = 1;\n  __threadfence();\n  y[1] = 2;\n}"),
            refused(3, message::kDeviceFenceInWgsl()));
  EXPECT_EQ(refusal_of("__global__ void k(const int* y) {\n  const_cast<int*>(y)[0] = 1;\n}"),
            refused(2, message::kWritesConst()));
}

// If the device reports that subgroups are warps, and all threads arrive.
TEST(WgslText, WarpsAreSubgroupsWhereTheDeviceHasThem) {
  const driver::FeatureSet warps = {driver::Feature::warps};
  const std::string together = R"(
    __global__ void k(int* y, long long* z) {
      int v = __shfl_down_sync(~0u, y[threadIdx.x], 1);
      v += __any_sync(~0u, v > 3) + __reduce_add_sync(~0u, v);
      __syncwarp();
      y[threadIdx.x] = v + __match_any_sync(~0u, v) + __ballot_sync(~0u, v == 2);
      z[threadIdx.x] = __shfl_xor_sync(~0u, z[threadIdx.x], 4);
    })";
  const auto code = emit(together, driver::Math::exact, warps);
  ASSERT_TRUE(code.ok()) << code.error().to_string();
  const std::string& text = code->bytes;
  EXPECT_TRUE(text.starts_with("enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n")) << text;
  EXPECT_TRUE(has(text, "subgroupShuffle(")) << text;
  EXPECT_TRUE(has(text, "subgroupBallot(")) << text;
  EXPECT_FALSE(has(text, "var<workgroup>")) << text;
  EXPECT_TRUE(has(text_of(together), "var<workgroup>"));
  const auto apart = emit(
      "__global__ void k(int* y) { if (y[threadIdx.x] > 2) y[threadIdx.x] = __shfl_sync(__activemask(), 1, "
      "0); }",
      driver::Math::exact, warps);
  ASSERT_TRUE(apart.ok()) << apart.error().to_string();
  EXPECT_FALSE(has(apart->bytes, "subgroup")) << apart->bytes;
  std::string why;
  WebgpuDevice* const device = WebgpuDevice::get(why);
  if (device == nullptr || !device->has_subgroups())
    GTEST_SKIP() << "naga is not here, or its device: " << why;
  EXPECT_EQ(device->validate(text), "") << text;
}

}  // namespace
}  // namespace quern::test
