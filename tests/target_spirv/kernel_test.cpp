// The Kernel model, for OpenCL and Level Zero: every kernel of tests/cases validated by spirv-val and
// llvm-spirv, and the interface of a module. The suite tests the results (quern_suite --on
// std.gpu,code=spirv-kernel, and on OpenCL devices that accept SPIR-V).
#include <algorithm>
#include <cstring>
#include <iterator>

#include <gtest/gtest.h>

#include "target_spirv/emitted.hpp"

namespace quern::test {
namespace {

struct Expected {
  std::string_view reason;
  size_t most;
};
constexpr Expected kKernelRefused[] = {
    {"does a warp operation that not all threads of the block are guaranteed to reach", 16},
    {"has a barrier that not all threads of a block are guaranteed to reach", 6},
    {"uses thread block clusters, which OpenCL does not support", 7},
    {"waits in a loop for another thread", 32},
    {"reads a clock", 2},
    {"prints a string that is not known at compile time", 2},
    {"whose initial value contains addresses", 8},
    {"for which the target has no function", 4},  // Bessel functions
};

// spirv-val has no OpenCL environment with 64-bit atomics; devices with cl_khr_int64_base_atomics have them.
std::string environment_of(const std::string& bytes) {
  constexpr uint32_t kHeader = 5, kCapability = 2 << 16 | 17, kInt64Atomics = 12;
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  for (size_t at = kHeader; at + 1 < words.size() && words[at] == kCapability; at += 2) {
    if (words[at + 1] == kInt64Atomics) return "spv1.0";
  }
  return "opencl2.2";
}

TEST(SpirvKernel, AllCasesAreValidated) {
  size_t counts[std::size(kKernelRefused)] = {};
  size_t emitted = 0, wrong = 0;
  for (const EmittedModule& m : emit_cases_as_spirv(kernel_options())) {
    if (m.bytes.empty()) {
      const auto* known =
          std::find_if(std::begin(kKernelRefused), std::end(kKernelRefused),
                       [&](const Expected& e) { return m.refused.find(e.reason) != std::string::npos; });
      EXPECT_NE(known, std::end(kKernelRefused)) << m.name << ": " << m.refused;
      if (known != std::end(kKernelRefused)) ++counts[known - std::begin(kKernelRefused)];
      continue;
    }
    ++emitted;
    if (wrong > 5) continue;
    std::optional<std::string> said;
    if (has_validator()) said = validate(m.bytes, environment_of(m.bytes));
    if (!said && has_translator()) said = translate(m.bytes);
    if (!said) continue;
    ++wrong;
    ADD_FAILURE() << m.name << "\n" << *said;
  }
  EXPECT_GE(emitted, 620u);
  for (size_t i = 0; i < std::size(kKernelRefused); ++i)
    EXPECT_LE(counts[i], kKernelRefused[i].most) << kKernelRefused[i].reason;
  if (!has_validator()) GTEST_SKIP() << "spirv-val is not installed: modules are not validated";
  if (!has_translator()) GTEST_SKIP() << "llvm-spirv is not installed: modules are not translated";
}

TEST(SpirvKernel, ArgumentsAreParameters) {
  if (!has_validator()) GTEST_SKIP() << "spirv-dis is not installed";
  const auto code = emit_spirv(R"(
    struct Pair { float a; double b; };
    __device__ int count;
    __global__ void k(float* to, char c, Pair p, const float* __restrict__ from) {
      extern __shared__ float s[];
      s[threadIdx.x] = from[c];
      __syncthreads();
      if (c == 3) printf("%d\n", c);
      to[0] = s[0] + p.a + (float)p.b + count;
    })",
                               kernel_options());
  ASSERT_TRUE(code.ok()) << code.error().message();
  EXPECT_EQ(validate(code->bytes, "opencl2.2"), std::nullopt);
  const std::string text = disassembled(code->bytes);
  // Four of the user's, the variable, dynamic shared memory and its size, the report.
  size_t parameters = 0;
  for (size_t at = text.find("OpFunctionParameter"); at != std::string::npos;
       at = text.find("OpFunctionParameter", at + 1))
    ++parameters;
  EXPECT_EQ(parameters, 8u) << text;
  EXPECT_NE(text.find("OpEntryPoint Kernel"), std::string::npos) << text;
  EXPECT_NE(text.find("FuncParamAttr ByVal"), std::string::npos) << text;
  EXPECT_NE(text.find("FuncParamAttr NoAlias"), std::string::npos) << text;
  EXPECT_NE(text.find("ContractionOff"), std::string::npos) << text;
}

// If memory is buffer objects, an argument is the buffer and a byte offset in it.
TEST(SpirvKernel, OffsetsFollowWithoutAddresses) {
  if (!has_validator()) GTEST_SKIP() << "spirv-dis is not installed";
  target::Options options = kernel_options();
  options.features.remove(driver::Feature::addresses);
  const auto code = emit_spirv("__global__ void k(int* a, int n, int* b) { *a = *b + n; }", options);
  ASSERT_TRUE(code.ok()) << code.error().message();
  const std::string text = disassembled(code->bytes);
  EXPECT_NE(text.find("%b_offset = OpFunctionParameter %ulong"), std::string::npos) << text;
  EXPECT_EQ(validate(code->bytes, "opencl2.2"), std::nullopt);
}

// Plain kernels are for every version of OpenCL that accepts SPIR-V.
TEST(SpirvKernel, PlainKernelsAreForOpencl12) {
  if (!has_validator()) GTEST_SKIP() << "spirv-val is not installed";
  const auto code = emit_spirv(R"(
    __global__ void k(int n, float a, const float* x, float* y) {
      __shared__ float tile[64];
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) tile[threadIdx.x] = a * x[i];
      __syncthreads();
      if (i < n) { y[i] = tile[63 - threadIdx.x]; atomicAdd((int*)&y[n], 1); }
    })",
                               kernel_options());
  ASSERT_TRUE(code.ok()) << code.error().message();
  EXPECT_EQ(validate(code->bytes, "opencl1.2"), std::nullopt);
}

TEST(SpirvKernel, PointersIntoSeveralMemoriesNeedTheDevice) {
  constexpr std::string_view kProgram = R"(
    __global__ void k(int* a, int n) {
      __shared__ int s[4];
      int* p = n > 3 ? s : a;
      p[n & 3] = 1;
    })";
  ASSERT_TRUE(emit_spirv(kProgram, kernel_options()).ok());
  target::Options options = kernel_options();
  options.features.remove(driver::Feature::generic_pointers);
  const auto code = emit_spirv(kProgram, options);
  ASSERT_FALSE(code.ok());
  EXPECT_NE(code.error().message().find("kernel 'k' uses a pointer that may point to several address spaces, "
                                        "which the device does not support"),
            std::string::npos)
      << code.error().message();
}

// Some compilers use kernel names as file names.
TEST(SpirvKernel, EntriesHavePlainNames) {
  const auto code = emit_spirv(R"(
    namespace a { __global__ void run(int* x) { *x = 1; } }
    __global__ void a__run(int* x) { *x = 2; })",
                               kernel_options());
  ASSERT_TRUE(code.ok()) << code.error().message();
  EXPECT_EQ(code->kernels[0].entry, "a__run");
  EXPECT_EQ(code->kernels[1].entry, "a__run_2");
}

}  // namespace
}  // namespace quern::test
