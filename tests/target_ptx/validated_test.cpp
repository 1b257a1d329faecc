// Every kernel of tests/cases as PTX, assembled by NVIDIA's assembler. The suite tests the results
// (QUERN_NVRTC=none quern_suite --on cuda).
#include <algorithm>
#include <iterator>

#include <gtest/gtest.h>

#include "target_ptx/assembler.hpp"
#include "target_ptx/emitted.hpp"

namespace quern::test {
namespace {

constexpr std::string_view kRefused[] = {
    "for which the target has no function",  // Bessel functions
    "which CUDA's printf does not support",  // a width that is an argument
    "rounds half precision arithmetic in a given direction",
    "uses thread block clusters, which need sm_90 or newer",
};

void validate_cases(const std::string& architecture, driver::Math math) {
  target::Options options = ptx_options(architecture);
  options.math = math;
  size_t emitted = 0, refused = 0;
  for (const EmittedFile& f : emit_cases_as_ptx(options)) {
    emitted += f.kernels;
    refused += f.refused.size();
    for (const std::string& why : f.refused) {
      const bool is_known = std::any_of(std::begin(kRefused), std::end(kRefused),
                                        [&](std::string_view r) { return why.find(r) != std::string::npos; });
      EXPECT_TRUE(is_known) << f.name << ": " << why;
    }
    if (f.text.empty() || assembler().empty()) continue;
    const auto said = validate_ptx(f.text, architecture);
    EXPECT_EQ(said, std::nullopt) << f.name;
  }
  EXPECT_GE(emitted, 680u);
  EXPECT_LE(refused, architecture == "sm_90" ? 6u : 13u);
  if (assembler().empty()) GTEST_SKIP() << "ptxas is not installed: PTX is not validated";
}

TEST(PtxValidated, AllCasesForTuring) { validate_cases("sm_75", driver::Math::exact); }
TEST(PtxValidated, AllCasesForHopper) { validate_cases("sm_90", driver::Math::exact); }
TEST(PtxValidated, AllCasesFast) { validate_cases("sm_80", driver::Math::fast); }

TEST(PtxValidated, NamesThatAreInstructions) {
  if (assembler().empty()) GTEST_SKIP() << "ptxas is not installed";
  const std::string text = ptx_of(R"(
    __device__ int add[4];
    __constant__ float mov = 1.0f;
    __global__ void bra(int* ret, int reg) { ret[reg] = add[reg & 3] + (int)mov; }
    __global__ void local(int* param_0) { int a[8]; for (int i = 0; i < *param_0; ++i) a[i & 7] = i; param_0[1] = a[*param_0 & 7]; }
  )");
  EXPECT_EQ(validate_ptx(text, "sm_75"), std::nullopt) << text;
}

TEST(PtxValidated, VariablesThatPointAtEachOther) {
  if (assembler().empty()) GTEST_SKIP() << "ptxas is not installed";
  const std::string text = ptx_of(R"(
    struct Node { int value; const Node* next; };
    extern __device__ Node last;
    __device__ Node first = {1, &last};
    __device__ Node last = {2, &first};
    __global__ void k(int* out) { *out = first.next->value; }
  )");
  EXPECT_EQ(validate_ptx(text, "sm_75"), std::nullopt) << text;
}

}  // namespace
}  // namespace quern::test
