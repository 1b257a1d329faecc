// The interface of a module: the argument block, capabilities, names, refusals.
#include <sstream>

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
  EXPECT_EQ(code->kernels[1].refused,
            "kernel 'bad' waits in a loop for another thread, and Vulkan does not guarantee forward progress "
            "of other threads (test.cu:3)");
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

// Mesa 22.3 computes `i64(x) < 0` incorrectly; 32 bits are enough for it.
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

// NVIDIA flushes subnormal numbers to 0 unless a module requests them.
TEST(SpirvModule, FloatModesAreAskedForWhereTheyMayBe) {
  if (!has_validator()) GTEST_SKIP() << "spirv-dis is not installed";
  constexpr std::string_view kProgram =
      "__global__ void k(float* a, double* b) { a[0] *= a[1]; b[0] += b[1]; }";
  const auto plain = emit_spirv(kProgram);
  ASSERT_TRUE(plain.ok()) << plain.error().message();
  EXPECT_EQ(disassembled(plain->bytes).find("Denorm"), std::string::npos);

  target::Options options = spirv_options();
  options.floats = {16 | 32 | 64, 32 | 64, 32};
  const auto asked = emit_spirv(kProgram, options);
  ASSERT_TRUE(asked.ok()) << asked.error().message();
  EXPECT_EQ(validate(asked->bytes), std::nullopt);
  const std::string text = disassembled(asked->bytes);
  for (const char* const mode :
       {"DenormPreserve 16", "DenormPreserve 32", "DenormPreserve 64", "SignedZeroInfNanPreserve 32",
        "SignedZeroInfNanPreserve 64", "RoundingModeRTE 32", "OpExtension \"SPV_KHR_float_controls\""})
    EXPECT_NE(text.find(mode), std::string::npos) << mode;
  EXPECT_EQ(text.find("RoundingModeRTE 64"), std::string::npos);

  options.math = driver::Math::fast;
  const auto fast = emit_spirv(kProgram, options);
  ASSERT_TRUE(fast.ok()) << fast.error().message();
  EXPECT_EQ(disassembled(fast->bytes).find("Denorm"), std::string::npos);
}

// Where fma rounds once, it is the instruction; elsewhere our library computes it.
TEST(SpirvModule, FmaIsAnInstructionWhereItRoundsOnce) {
  if (!has_validator()) GTEST_SKIP() << "spirv-dis is not installed";
  const auto text_with = [](uint8_t fused) {
    target::Options options = spirv_options();
    options.floats.fused = fused;
    const auto code = emit_spirv(
        "__global__ void k(float* a, double* b) { a[0] = fmaf(a[1], a[2], a[3]); b[0] = fma(b[1], b[2], "
        "b[3]); }",
        options);
    return code.ok() ? disassembled(code->bytes) : "refused: " + code.error().message();
  };
  const auto count = [](const std::string& text, const std::string& type) {
    size_t found = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      found += line.find("OpExtInst " + type + " ") != std::string::npos &&
               line.find(" Fma ") != std::string::npos;
    return found;
  };
  const std::string without = text_with(0), single = text_with(32), both = text_with(32 | 64);
  EXPECT_EQ(count(without, "%float"), 0u) << without;
  EXPECT_EQ(count(without, "%double"), 0u) << without;
  EXPECT_EQ(count(single, "%float"), 1u) << single;
  EXPECT_EQ(count(single, "%double"), 0u) << single;
  EXPECT_EQ(count(both, "%float"), 1u) << both;
  EXPECT_EQ(count(both, "%double"), 1u) << both;
}

// NVIDIA's 64-bit division is sometimes wrong: it is never used.
TEST(SpirvModule, NoDivisionOf64Bits) {
  if (!has_validator()) GTEST_SKIP() << "spirv-dis is not installed";
  const auto code = emit_spirv(R"(
    struct Row { float x, y, z; };
    __global__ void k(long long* a, unsigned long long* b, const Row* from, const Row* to, double* d) {
      a[0] = a[1] / a[2] + a[3] % a[4] + a[5] / 10 + (to - from);
      b[0] = b[1] / b[2] + b[3] % b[4] + b[5] % 1000;
      d[0] = fmod(d[1], d[2]);
    })");
  ASSERT_TRUE(code.ok()) << code.error().message();
  EXPECT_EQ(validate(code->bytes), std::nullopt);
  std::istringstream lines(disassembled(code->bytes));
  size_t narrow = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool divides = line.find("OpSDiv") != std::string::npos ||
                         line.find("OpUDiv") != std::string::npos ||
                         line.find("OpUMod") != std::string::npos || line.find("OpSRem") != std::string::npos;
    if (!divides) continue;
    ++narrow;
    EXPECT_EQ(line.find("%ulong"), std::string::npos) << line;
  }
  EXPECT_NE(narrow, 0u);  // words are divided
}

TEST(SpirvModule, BuffersAreBoundWhereThereAreNoAddresses) {
  if (!has_validator()) GTEST_SKIP() << "spirv-dis is not installed";
  target::Options options = spirv_options();
  options.features.remove(driver::Feature::addresses);
  const auto code = emit_spirv(R"(
    __device__ int count;
    __global__ void k(int n, float* a, float* b, unsigned char* c) {
      float* which = n > 3 ? a : b;
      which[n] = 1;
      atomicAdd(&count, 1);
      c[n] = 2;
      assert(n < 7);
    })",
                               options);
  ASSERT_TRUE(code.ok()) << code.error().message();
  EXPECT_EQ(validate(code->bytes), std::nullopt);
  const std::string text = disassembled(code->bytes);
  EXPECT_EQ(text.find("PhysicalStorageBuffer"), std::string::npos);
  for (const char* const bound : {"%buffer1 Binding 0", "%buffer2 Binding 1", "%buffer3 Binding 2",
                                  "%buffer4 Binding 3", "%report DescriptorSet 1"})
    EXPECT_NE(text.find(bound), std::string::npos) << bound << "\n" << text;
  EXPECT_EQ(code->kernels[0].block_bytes, 8u + 3 * 8);
}

// Subgroups of 32 in order: no memory is shared, and nothing is gathered.
TEST(SpirvModule, WarpsAreSubgroupsWhereTheyMayBe) {
  if (!has_validator()) GTEST_SKIP() << "spirv-dis is not installed";
  target::Options options = spirv_options();
  options.native.add(driver::Feature::warps);
  const auto code = emit_spirv(R"(
    __global__ void k(int* a) {
      if (threadIdx.x < 32) {
        int v = __shfl_down_sync(~0u, a[threadIdx.x], 1);
        v += __any_sync(~0u, v > 3) + __reduce_add_sync(~0u, v);
        __syncwarp();
        a[threadIdx.x] = v + __match_any_sync(~0u, v);
      }
    })",
                               options);
  ASSERT_TRUE(code.ok()) << code.error().message();
  EXPECT_EQ(validate(code->bytes), std::nullopt);
  EXPECT_EQ(code->kernels[0].shared_bytes, 0u);
  const std::string text = disassembled(code->bytes);
  EXPECT_NE(text.find("OpGroupNonUniformShuffle "), std::string::npos);
  EXPECT_NE(text.find("OpGroupNonUniformBallot "), std::string::npos);
  EXPECT_EQ(text.find("Workgroup %"), std::string::npos) << text;
  EXPECT_NE(code->bytes.find("SPV_KHR_maximal_reconvergence"), std::string::npos);
}

// A barrier for which threads are gathered breaks up warps: these exchange data through shared memory.
TEST(SpirvModule, GatheredWarpsShareMemory) {
  target::Options options = spirv_options();
  options.native.add(driver::Feature::warps);
  const auto code = emit_spirv(R"(
    __global__ void k(int* a, int n) {
      for (int i = 0; i < a[threadIdx.x]; ++i) {
        __syncthreads();
        a[n] = __shfl_down_sync(~0u, i, 1);
      }
    })",
                               options);
  ASSERT_TRUE(code.ok()) << code.error().message();
  EXPECT_NE(code->kernels[0].shared_bytes, 0u);
}

TEST(SpirvModule, WideIntegersAreNeeded) {
  target::Options options = spirv_options();
  options.features.remove(driver::Feature::int64);
  const auto code = emit_spirv("__global__ void k(int* a) { *a = 1; }", options);
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().message(), "SPIR-V can be generated only for devices with 64-bit integers");
}

}  // namespace
}  // namespace quern::test
