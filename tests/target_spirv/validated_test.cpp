// Every kernel of tests/cases as a module, validated by spirv-val. The suite tests the results (quern_suite
// --on std.gpu).
#include <algorithm>
#include <iterator>

#include <gtest/gtest.h>

#include "target_spirv/emitted.hpp"

namespace quern::test {
namespace {

// The reasons for which kernels of tests/cases have no module, and the maximum number of kernels for each.
struct Refusal {
  std::string_view reason;
  size_t most;
};
constexpr Refusal kValidatedRefusals[] = {
    {"does a warp operation that not all threads of the block are guaranteed to reach", 16},
    {"has a barrier that not all threads of a block are guaranteed to reach", 6},
    {"uses thread block clusters, which Vulkan does not support", 7},
    {"waits in a loop for another thread", 32},
    {"reads the time in nanoseconds", 2},
    {"prints a string that is not known at compile time", 2},
    {"whose initial value contains addresses of literals", 2},
    {"for which the target has no function", 4},  // Bessel functions
};

void validate_all(const target::Options& options, size_t least) {
  size_t counts[std::size(kValidatedRefusals)] = {};
  size_t emitted = 0, wrong = 0;
  for (const EmittedModule& m : emit_cases_as_spirv(options)) {
    if (m.bytes.empty()) {
      const auto* known =
          std::find_if(std::begin(kValidatedRefusals), std::end(kValidatedRefusals),
                       [&](const Refusal& e) { return m.refused.find(e.reason) != std::string::npos; });
      EXPECT_NE(known, std::end(kValidatedRefusals)) << m.name << ": " << m.refused;
      EXPECT_NE(m.refused.find("kernel '"), std::string::npos) << m.refused;
      if (known != std::end(kValidatedRefusals)) ++counts[known - std::begin(kValidatedRefusals)];
      continue;
    }
    ++emitted;
    if (!has_validator() || wrong > 5) continue;
    if (const auto said = validate(m.bytes)) {
      ++wrong;
      ADD_FAILURE() << m.name << "\n" << *said;
    }
  }
  EXPECT_GE(emitted, least);
  for (size_t i = 0; i < std::size(kValidatedRefusals); ++i)
    EXPECT_LE(counts[i], kValidatedRefusals[i].most) << kValidatedRefusals[i].reason;
  if (!has_validator()) GTEST_SKIP() << "spirv-val is not installed: modules are not validated";
}

TEST(SpirvValidated, AllCases) { validate_all(spirv_options(), 620); }

// As for NVIDIA devices: subgroups are warps, and float modes are requested.
TEST(SpirvValidated, WithSubgroups) {
  target::Options options = spirv_options();
  options.native.add(driver::Feature::warps);
  options.floats = {16 | 32 | 64, 16 | 32 | 64, 16 | 32 | 64};
  validate_all(options, 620);
}

// Bound buffers instead of addresses. Kernels that store pointers in memory are not for such devices.
TEST(SpirvValidated, WithBindings) {
  target::Options options = spirv_options();
  options.features.remove(driver::Feature::addresses);
  validate_all(options, 600);
}

// A device without 8- and 16-bit storage: words and parts of them.
TEST(SpirvValidated, WithoutNarrowStorage) {
  if (!has_validator()) GTEST_SKIP() << "spirv-val is not installed";
  target::Options options = spirv_options();
  options.native.remove(driver::Feature::int8);
  options.native.remove(driver::Feature::int16);
  const auto code = emit_spirv(R"(
    __global__ void k(unsigned char* a, short* b, int n) {
      __shared__ unsigned char s[64];
      s[n & 63] = a[n];
      __syncthreads();
      b[n] = s[n & 31];
    })",
                               options);
  ASSERT_TRUE(code.ok()) << code.error().message();
  EXPECT_EQ(validate(code->bytes), std::nullopt);
  const std::string text = disassembled(code->bytes);
  EXPECT_EQ(text.find("StorageBuffer8BitAccess"), std::string::npos) << text;
  EXPECT_NE(text.find("OpAtomicAnd"), std::string::npos) << text;
}

}  // namespace
}  // namespace quern::test
