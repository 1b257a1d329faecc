// A process may exit while a thread compiles.
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "driver/cpu/compiler.hpp"

namespace quern::cpu {
namespace {

std::string long_function() {
  std::string text = "define float @f(float %x0) {\n";
  constexpr int kLines = 3000;
  for (int i = 0; i < kLines; ++i)
    text += "  %x" + std::to_string(i + 1) + " = fadd float %x" + std::to_string(i) + ", " +
            std::to_string(i % 7) + ".0\n";
  return text + "  ret float %x" + std::to_string(kLines) + "\n}\n";
}

[[noreturn]] void exit_while_compiling() {
  // Runs after LLVM's destructors, because it is registered before LLVM is loaded: the thread below must not
  // reach LLVM then.
  (void)std::atexit([] { ::usleep(200'000); });
  static std::atomic<int> compiled{0};
  std::thread([] {
    while (compile_object(long_function(), host_processor(), Effort::kFull).ok()) ++compiled;
    ::pause();
  }).detach();
  while (compiled < 2) ::usleep(1000);
  std::exit(0);
}

TEST(CpuExitDeathTest, TheProcessMayExitWhileAThreadCompiles) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (int round = 0; round < 3; ++round) EXPECT_EXIT(exit_while_compiling(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace quern::cpu
