// Tensor maps in CUDA C++: __grid_constant__ keeps them in parameter memory.
#include <gtest/gtest.h>

#include "target_cstyle/emitted.hpp"
#include "target_cstyle/validator.hpp"

namespace quern::test {
namespace {

using driver::CodeKind;

constexpr const char* kProgram = R"(
__device__ void prefetch(const CUtensorMap* map) { asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory"); }
extern "C" __global__ void k(const __grid_constant__ CUtensorMap a, CUtensorMap b, int x, int y) {
  __shared__ __align__(1024) float tile[64 * 32];
  __shared__ unsigned long bar;
  if (threadIdx.x != 0) return;
  prefetch(&a);
  prefetch(x > y ? &a : &b);
  unsigned to = (unsigned)__cvta_generic_to_shared(tile), at = (unsigned)__cvta_generic_to_shared(&bar);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
               " [%0], [%1, {%3, %4}], [%2];" ::"r"(to), "l"(&b), "r"(at), "r"(x), "r"(y) : "memory");
}
)";

target::Options architecture_options(const std::string& architecture) {
  target::Options options = options_for(CodeKind::kCudaCpp);
  options.version = architecture;
  return options;
}

TEST(TensorMapText, IsAConstantOfTheGrid) {
  const auto code = emit(kProgram, architecture_options("sm_90"));
  ASSERT_TRUE(code.ok()) << code.error().message();
  const std::string& text = code->bytes;
  EXPECT_NE(text.find("const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("__align__(64) CUtensorMap"), std::string::npos) << text;
  EXPECT_NE(text.find("\"l\"(&b)"), std::string::npos) << text;
  EXPECT_EQ(text.find("CUtensorMap map"), std::string::npos) << text;  // no copy
}

TEST(TensorMapText, IsAcceptedByNvrtc) {
  const auto validator = validator_of(CodeKind::kCudaCpp, "--gpu-architecture=sm_90a");
  if (validator == nullptr) GTEST_SKIP() << "NVRTC is not installed";
  const auto code = emit(kProgram, architecture_options("sm_90"));
  ASSERT_TRUE(code.ok()) << code.error().message();
  EXPECT_EQ(validator->validate(code->bytes), std::nullopt) << code->bytes;
}

TEST(TensorMapText, IsRefusedElsewhere) {
  for (const CodeKind kind : {CodeKind::kHipCpp, CodeKind::kOpenclC, CodeKind::kMsl, CodeKind::kGlsl}) {
    const auto code = emit(kProgram, options_for(kind));
    ASSERT_FALSE(code.ok()) << driver::name(kind);
    EXPECT_NE(code.error().message().find(
                  "takes a tensor map ('a'), which only NVIDIA devices from sm_90 on can read"),
              std::string::npos)
        << code.error().message();
  }
  EXPECT_FALSE(emit(kProgram, architecture_options("sm_86")).ok());
}

}  // namespace
}  // namespace quern::test
