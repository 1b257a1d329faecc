// Every kernel of tests/cases as text, compiled by compilers of that language.
#include <algorithm>

#include <gtest/gtest.h>

#include "target_cstyle/emitted.hpp"
#include "target_cstyle/validator.hpp"

namespace quern::test {
namespace {

using driver::CodeKind;

// The kernels of a file that the compiler rejects, with its messages.
void expect_taken(const EmittedFile& file, Validator& validator) {
  const auto has_text = [](const EmittedKernel& k) { return !k.text.empty(); };
  if (std::none_of(file.kernels.begin(), file.kernels.end(), has_text)) return;  // clusters, as HIP
  const auto said = validator.validate(file.text);
  if (!said) return;
  bool is_found = false;
  for (const EmittedKernel& k : file.kernels) {
    if (k.text.empty()) continue;
    const auto alone = validator.validate(k.text);
    if (!alone) continue;
    ADD_FAILURE() << k.name << "\n" << *alone;
    is_found = true;
  }
  if (!is_found) ADD_FAILURE() << file.name << ", its kernels together\n" << *said;
}

// The minimum number of kernels with a text; refused ones have a reason.
void validate_all(const target::Options& options, const std::unique_ptr<Validator>& validator,
                  size_t at_least, Files files = Files::all) {
  const CodeKind kind = options.kind;
  size_t emitted = 0, all = 0;
  for (const EmittedFile& file : emit_cases(options, files)) {
    for (const EmittedKernel& k : file.kernels) {
      ++all;
      if (!k.text.empty()) ++emitted;
      const bool is_told = !k.text.empty() || k.refused.find("kernel '") != std::string::npos;
      EXPECT_TRUE(is_told) << k.name << ": " << k.refused;
      EXPECT_EQ(k.text.find("quern_missing"), std::string::npos) << k.name;
    }
    if (validator != nullptr) expect_taken(file, *validator);
  }
  EXPECT_GE(emitted, at_least);
  std::printf("%zu kernels, %zu as %s\n", all, emitted, std::string(driver::name(kind)).c_str());
  if (validator == nullptr)
    GTEST_SKIP() << "no compiler of " << driver::name(kind) << " is installed: text is not validated";
}

target::Options cuda_options(const std::string& architecture) {
  target::Options options = options_for(CodeKind::kCudaCpp);
  options.version = architecture;
  options.matrices = target::usual_matrices(options.kind, architecture);
  return options;
}

void validate_all(CodeKind kind, const std::unique_ptr<Validator>& validator, size_t at_least) {
  validate_all(options_for(kind), validator, at_least);
}

TEST(Validated, CudaByNvrtc) { validate_all(CodeKind::kCudaCpp, validator_of(CodeKind::kCudaCpp), 765); }
// What depends on the architecture: matrix units, barrier objects, warp reductions.
TEST(Validated, CudaByNvrtcForTuring) {
  validate_all(cuda_options("sm_75"), validator_of(CodeKind::kCudaCpp, "--gpu-architecture=sm_75"), 330,
               Files::first_third);
}
TEST(Validated, CudaByNvrtcForAmpere) {
  validate_all(cuda_options("sm_80"), validator_of(CodeKind::kCudaCpp, "--gpu-architecture=sm_80"), 330,
               Files::second_third);
}

TEST(Validated, HipByHiprtcForGfx90a) {
  validate_all(CodeKind::kHipCpp, validator_of(CodeKind::kHipCpp), 764);
}
TEST(Validated, HipByHiprtcForGfx1030) {
  validate_all(options_for(CodeKind::kHipCpp), validator_of(CodeKind::kHipCpp, "--offload-arch=gfx1030"), 330,
               Files::last_third);
}
TEST(Validated, OpenclByClang) { validate_all(CodeKind::kOpenclC, validator_of(CodeKind::kOpenclC), 705); }
// Devices without addresses: pointers are a buffer and an offset.
TEST(Validated, OpenclWithBufferObjectsByClang) {
  target::Options options = options_for(CodeKind::kOpenclC);
  options.features.remove(driver::Feature::addresses);
  validate_all(options, validator_of(CodeKind::kOpenclC), 330, Files::first_third);
}
TEST(Validated, MetalByClang) { validate_all(CodeKind::kMsl, validator_of(CodeKind::kMsl), 600); }

// Devices whose SIMD-groups are not warps: exchanges go through shared memory.
TEST(Validated, MetalWithoutWarpsByClang) {
  target::Options options = options_for(CodeKind::kMsl);
  options.native = {};
  validate_all(options, validator_of(CodeKind::kMsl), 330, Files::last_third);
}

// A text has one entry, so each kernel is a separate text.
void validate_glsl_kernels(CodeKind kind, size_t at_least) {
  std::vector<NamedText> texts;
  size_t all = 0;
  for (const EmittedFile& file : emit_cases(options_for(kind))) {
    for (const EmittedKernel& k : file.kernels) {
      const bool is_told = !k.text.empty() || k.refused.find("kernel '") != std::string::npos;
      EXPECT_TRUE(is_told) << k.name << ": " << k.refused;
      EXPECT_EQ(k.text.find("quern_missing"), std::string::npos) << k.name;
      if (!k.text.empty()) texts.push_back({std::to_string(all), k.text});
      ++all;
    }
  }
  EXPECT_GE(texts.size(), at_least);
  std::printf("%zu kernels, %zu as %s\n", all, texts.size(), std::string(driver::name(kind)).c_str());
  if (!has_glsl_validator()) GTEST_SKIP() << "glslangValidator is not installed: text is not validated";
  EXPECT_EQ(validate_glsl(texts), "");
}

TEST(Validated, GlslByGlslang) { validate_glsl_kernels(CodeKind::kGlsl, 620); }
TEST(Validated, GlslEsByGlslang) { validate_glsl_kernels(CodeKind::kGlslEs, 540); }

}  // namespace
}  // namespace quern::test
