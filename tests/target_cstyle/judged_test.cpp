// Every kernel of tests/cases as text, before compilers of that language.
#include <gtest/gtest.h>

#include "target_cstyle/emitted.hpp"
#include "target_cstyle/judge.hpp"

namespace quern::test {
namespace {

using driver::CodeKind;

// At least so many kernels have a text; what is refused says why.
void judge_all(CodeKind kind, std::unique_ptr<Judge> judge, size_t at_least) {
  const std::vector<EmittedKernel> kernels = emit_cases(kind);
  size_t emitted = 0, wrong = 0;
  for (const EmittedKernel& k : kernels) {
    if (k.text.empty()) {
      EXPECT_NE(k.refused.find("kernel '"), std::string::npos) << k.name << ": " << k.refused;
      continue;
    }
    ++emitted;
    EXPECT_EQ(k.text.find("quern_missing"), std::string::npos) << k.name;
    if (judge == nullptr || wrong > 5) continue;
    if (const auto said = judge->judge(k.text)) {
      ++wrong;
      ADD_FAILURE() << k.name << "\n" << *said;
    }
  }
  EXPECT_GE(emitted, at_least);
  std::printf("%zu kernels, %zu as %s\n", kernels.size(), emitted, std::string(driver::name(kind)).c_str());
  if (judge == nullptr)
    GTEST_SKIP() << "no compiler of " << driver::name(kind) << " is installed: text is not judged";
}

TEST(Judged, CudaByNvrtc) { judge_all(CodeKind::kCudaCpp, nvrtc_judge(), 650); }
TEST(Judged, HipByHiprtc) { judge_all(CodeKind::kHipCpp, hiprtc_judge(), 640); }
TEST(Judged, OpenclByClang) { judge_all(CodeKind::kOpenclC, clang_judge(), 600); }

}  // namespace
}  // namespace quern::test
