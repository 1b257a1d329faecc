// The code of kernels: vector accesses where possible, masks where necessary, loops over bundles around
// barriers. If LLVM is available, it parses all of it.
#include "target/llvm/emit.hpp"

#include <gtest/gtest.h>

#include "driver/cpu/compiler.hpp"
#include "lang/compile.hpp"

namespace quern::llvm {
namespace {

size_t count(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

std::string emitted(const std::string& source, const Options& options = {}) {
  lang::Compilation compiled = lang::compile("test.cu", source);
  EXPECT_TRUE(compiled.ok) << compiled.rendered;
  if (!compiled.ok) return {};
  auto code = emit(compiled.module, *compiled.module.functions.at(0), options);
  EXPECT_TRUE(code.ok()) << code.error().to_string();
  if (!code.ok()) return {};
  if (auto wrong = cpu::check_text(code->text); wrong.ok()) {
    EXPECT_EQ(*wrong, "") << code->text;
  } else {
    GTEST_LOG_(WARNING) << "not checked by LLVM: " << wrong.error().to_string();
  }
  return code->text;
}

TEST(LlvmEmit, SaxpyIsVectorsWithoutGathers) {
  const std::string text = emitted(
      "__global__ void saxpy(int n, float a, const float* x, float* y) {"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }");
  EXPECT_EQ(count(text, "load <4 x float>"), 2u);
  EXPECT_EQ(count(text, "store <4 x float>"), 1u);
  EXPECT_EQ(count(text, "masked.gather"), 0u);
  EXPECT_GE(count(text, "call <4 x float> @llvm.masked.load"), 2u);  // the last bundle, lane by lane
}

TEST(LlvmEmit, GridStrideLoopsAreContiguous) {
  for (const std::string type : {"int", "unsigned", "size_t", "long long"}) {
    const std::string text = emitted(
        "__global__ void copy(int n, const float* x, float* y) {  for (" + type +
        " i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i]; }");
    // Twice for iterations that the whole block executes, if few blocks do (with prefetching) and if many do,
    // and once for bundles whose lanes all continue.
    EXPECT_EQ(count(text, "load <4 x float>"), 3u) << type;
    EXPECT_EQ(count(text, "masked.gather"), 0u) << type;
  }
}

TEST(LlvmEmit, WhatIsDoneLaneByLaneIsWrittenOnce) {
  const std::string text = emitted(
      "__global__ void sum(const int* at, const float* x, float* y) { int i = threadIdx.x; float s = 0;"
      "  s += x[at[i]]; s += x[at[i + 16]]; s += x[at[i + 32]]; y[i] = s; }",
      {.width = 16});
  EXPECT_EQ(count(text, "define internal"), 1u);
  EXPECT_EQ(count(text, "call void @lanes0("), 3u);
}

TEST(LlvmEmit, WhatLanesShareIsScalar) {
  const std::string text = emitted(
      "__global__ void scale(const float* factor, float* y) { y[threadIdx.x] = factor[blockIdx.x] * 2.0f; }");
  EXPECT_EQ(count(text, "fmul float"), 1u);
  EXPECT_EQ(count(text, "fmul <4 x float>"), 0u);
}

TEST(LlvmEmit, RowsShareTheirY) {
  const char* source =
      "__global__ void rows(int n, const float* x, float* y) { y[threadIdx.y * n + threadIdx.x] = "
      "x[threadIdx.y]; }";
  EXPECT_EQ(count(emitted(source, {.shape = Shape::kRows}), "store <4 x float>"), 1u);
  EXPECT_EQ(count(emitted(source, {.shape = Shape::kGeneral}), "store <4 x float>"), 0u);
}

TEST(LlvmEmit, IndirectAccessesAreLaneByLane) {
  const std::string text = emitted(
      "__global__ void pick(const int* at, const float* x, float* y) { y[threadIdx.x] = x[at[threadIdx.x]]; "
      "}");
  EXPECT_EQ(count(text, "load <4 x i32>"), 1u);
  EXPECT_EQ(count(text, "load float"), 4u);
}

TEST(LlvmEmit, ABarrierEndsALoopOverBundles) {
  const char* with =
      "__global__ void k(int* out) { __shared__ int t[64]; t[threadIdx.x] = threadIdx.x; __syncthreads();"
      "  out[threadIdx.x] = t[63 - threadIdx.x]; }";
  const char* without = "__global__ void k(int* out) { out[threadIdx.x] = 63 - threadIdx.x; }";
  const auto loops = [](const std::string& text) { return count(text, "\nbundle"); };
  EXPECT_EQ(loops(emitted(without)), 1u);
  EXPECT_EQ(loops(emitted(with)), 2u);
}

TEST(LlvmEmit, ArraysOfALaneAreInterleaved) {
  const std::string text = emitted(
      "__global__ void k(int n, const float* x, float* y) { float a[8];"
      "  for (int i = 0; i < n; ++i) a[i] = x[threadIdx.x + i]; float s = 0;"
      "  for (int i = 0; i < n; ++i) s += a[i]; y[threadIdx.x] = s; }");
  EXPECT_EQ(count(text, "masked"), 0u);
  EXPECT_EQ(count(text, "insertelement <4 x float> %"), 0u);  // nothing is assembled lane by lane
}

TEST(LlvmEmit, OneLaneIsPlainCode) {
  const std::string text = emitted(
      "__global__ void k(int n, int* y) { int i = threadIdx.x; while (i < n) { if (i == 7) break; y[i] = i; "
      "i += 3; } }",
      {.width = 1});
  EXPECT_EQ(count(text, " x i1>"), 0u);
  EXPECT_EQ(count(text, " x i32>"), 0u);
}

TEST(LlvmEmit, DivisionNeverMeetsZero) {
  const char* const source =
      "__global__ void k(int* y) { y[threadIdx.x] = y[threadIdx.x] / y[threadIdx.x + 64]; }";
  const std::string text = emitted(source);
  EXPECT_GE(count(text, "select <4 x i1>"), 2u);
  EXPECT_EQ(count(text, "sdiv <4 x i32>"), 0u);
  EXPECT_EQ(count(text, "fdiv <4 x double>"), 1u);
  const std::string other = emitted(source, {.width = 4, .is_aarch64 = true});
  EXPECT_GE(count(other, "select <4 x i1>"), 2u);
  EXPECT_EQ(count(other, "sdiv <4 x i32>"), 1u);
}

TEST(LlvmEmit, LanesFindTheSharedMemoryOfOtherBlocks) {
  const std::string source =
      "#include <cooperative_groups.h>\n"
      "__global__ void __cluster_dims__(4) k(int* y) { __shared__ int part[2]; part[threadIdx.x % 2] = 0;"
      "  auto cluster = cooperative_groups::this_cluster(); cluster.sync();"
      "  atomicAdd(cluster.map_shared_rank(part, y[threadIdx.x]), 1); cluster.sync(); }";
  for (const uint32_t width : {1u, 4u, 16u, 32u})
    EXPECT_GE(count(emitted(source, {.width = width}), "call ptr @qn_map_shared("), 1u) << width;
}

TEST(LlvmEmit, MatricesMustBeLegalized) {
  lang::Compilation compiled = lang::compile(
      "test.cu",
      "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k(const half* x, float* y) {"
      "  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;"
      "  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;"
      "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c; wmma::fill_fragment(c, 0.0f);"
      "  wmma::load_matrix_sync(a, x, 16); wmma::load_matrix_sync(b, x, 16); wmma::mma_sync(c, a, b, c);"
      "  wmma::store_matrix_sync(y, c, 16, wmma::mem_row_major); }");
  ASSERT_TRUE(compiled.ok) << compiled.rendered;
  const auto code = emit(compiled.module, *compiled.module.functions.at(0), {.width = 32});
  ASSERT_FALSE(code.ok());
  EXPECT_NE(code.error().to_string().find("matrices, barriers or copies were not legalized"),
            std::string::npos);
}

TEST(LlvmDemand, IsWhatTheKernelHas) {
  const auto of = [](const std::string& source) {
    lang::Compilation compiled = lang::compile("test.cu", source);
    EXPECT_TRUE(compiled.ok) << compiled.rendered;
    return demand(*compiled.module.functions.at(0));
  };
  const Demand plain = of("__global__ void k(int* y) { y[0] = 1; }");
  EXPECT_FALSE(plain.warp || plain.waits || plain.grid_barrier);
  EXPECT_TRUE(of("__global__ void k(int* y) { y[0] = __ballot_sync(~0u, y[1]); }").warp);
  EXPECT_TRUE(of("__global__ void k(int* y) { while (atomicCAS(y, 0, 1) != 0) {} }").waits);
  EXPECT_TRUE(of("__global__ void k(volatile int* y) { while (*y == 0) {} }").waits);
  // A loop that changes the memory itself does not wait for other threads.
  EXPECT_FALSE(of("__global__ void k(int* y) { int old = *y, seen; do { seen = old; old = atomicCAS(y, seen, "
                  "seen * 2); }"
                  " while (old != seen); }")
                   .waits);
}

}  // namespace
}  // namespace quern::llvm
