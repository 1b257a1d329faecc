// What a module looks like from outside: the block of arguments, capabilities, names, refusals.
#include <gtest/gtest.h>

#include "target_spirv/emitted.hpp"

namespace quern::test {
namespace {

TEST(SpirvModule, ArgumentsLieAsInC) {
  const auto code = emit_spirv("__global__ void k(char a, double b, float* c, short d) { *c = a + b + d; }");
  ASSERT_TRUE(code.ok()) << code.error().message();
  EXPECT_EQ(code->kernels[0].block_bytes, 32u);  // 26, then a multiple of 8
  EXPECT_FALSE(code->kernels[0].block_by_address);
}

TEST(SpirvModule, VariablesAndTheReportFollow) {
  const auto code = emit_spirv(R"(
    __device__ int count;
    __constant__ float factor[4];
    __global__ void k(int n, float* to) { atomicAdd(&count, n); printf("%d\n", n); *to = factor[n & 3]; })");
  ASSERT_TRUE(code.ok()) << code.error().message();
  ASSERT_EQ(code->variables.size(), 2u);
  EXPECT_EQ(code->kernels[0].block_bytes, 16u + 16u + 8u);
  ASSERT_EQ(code->sites.size(), 1u);
  EXPECT_EQ(code->sites[0].text, "%d\n");
}

TEST(SpirvModule, LargeArgumentsGoByAddress) {
  const auto code = emit_spirv(R"(
    struct Many { float of[40]; };
    __global__ void k(Many m, float* to) { *to = m.of[3] + m.of[39]; })");
  ASSERT_TRUE(code.ok()) << code.error().message();
  EXPECT_TRUE(code->kernels[0].block_by_address);
  EXPECT_EQ(code->kernels[0].block_bytes, 168u);
}

TEST(SpirvModule, ARefusedKernelLeavesTheOthers) {
  const auto code = emit_spirv(R"(
    __global__ void good(int* a) { *a = 1; }
    __global__ void bad(int* a) { while (atomicCAS(a, 0, 1) != 0) {} *a = 2; })");
  ASSERT_TRUE(code.ok()) << code.error().message();
  EXPECT_TRUE(code->kernels[0].refused.empty());
  EXPECT_EQ(
      code->kernels[1].refused,
      "kernel 'bad' waits in a loop for what another thread does, and Vulkan does not promise that others "
      "run meanwhile (test.cu:3)");
}

TEST(SpirvModule, OnlyWhatIsUsedIsDeclared) {
  if (!has_validator()) GTEST_SKIP() << "spirv-dis is not installed";
  const auto code = emit_spirv("__global__ void k(int n, float* to) { if (n > 0) to[n] = n * 2.0f; }");
  ASSERT_TRUE(code.ok()) << code.error().message();
  const std::string text = disassembled(code->bytes);
  EXPECT_EQ(text.find("Float64"), std::string::npos);
  EXPECT_EQ(text.find("Int8"), std::string::npos);
  EXPECT_NE(text.find("NoContraction"), std::string::npos);
  EXPECT_NE(text.find("OpLine"), std::string::npos);
  EXPECT_NE(text.find("OpString \"test.cu\""), std::string::npos);
}

TEST(SpirvModule, SharedMemoryOfWarpsCounts) {
  const auto code = emit_spirv(R"(
    __global__ void k(int* a) {
      __shared__ int own[16];
      own[threadIdx.x & 15] = *a;
      __syncthreads();
      *a = __shfl_down_sync(~0u, own[3], 1);
    })");
  ASSERT_TRUE(code.ok()) << code.error().message();
  EXPECT_EQ(code->kernels[0].shared_bytes, 64u + 4096u);
}

// Mesa 22.3 computes `i64(x) < 0` wrong; 32 bits are enough for it.
TEST(SpirvModule, WidenedNumbersAreComparedNarrow) {
  if (!has_validator()) GTEST_SKIP() << "spirv-dis is not installed";
  const auto code = emit_spirv(R"(
    __global__ void k(const int* a, bool* o) { long long n = a[3]; o[0] = n < 0; o[1] = n < 5000000000; })");
  ASSERT_TRUE(code.ok()) << code.error().message();
  const std::string text = disassembled(code->bytes);
  const size_t at = text.find("OpSLessThan");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_EQ(text.substr(at, text.find('\n', at) - at).find("ulong"), std::string::npos) << text;
}

TEST(SpirvModule, AddressesAreNeeded) {
  target::Options options = spirv_options();
  options.features.remove(driver::Feature::kAddresses);
  const auto code = emit_spirv("__global__ void k(int* a) { *a = 1; }", options);
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().message(),
            "SPIR-V is written for devices with buffer addresses and 64-bit integers only");
}

}  // namespace
}  // namespace quern::test
