// A block that waits for another one, through a vote, a barrier or shared memory: every device computes it
// correctly or rejects it with a reason. None hangs: each runs in a separate process, which an alarm ends.
#include <cstdio>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "api/api_case.hpp"

namespace quern::test {
namespace {

constexpr char kWaitingText[] = R"(
  __global__ void by_vote(FLAGS f, int* out) {
    if (blockIdx.x == 1) { if (threadIdx.x == 0) { __threadfence(); f[1] = 7; } return; }
    int w = 0;
    if (threadIdx.x < 32) { do { w = f[blockIdx.x + 1]; } while (__any_sync(~0u, w == 0)); }
    if (threadIdx.x == 0) out[0] = w;
  }
  __global__ void by_barrier(FLAGS f, int* out) {
    if (blockIdx.x == 1) { if (threadIdx.x == 0) { __threadfence(); f[1] = 7; } return; }
    int w;
    do { w = f[blockIdx.x + 1]; } while (__syncthreads_or(w == 0));
    if (threadIdx.x == 0) out[0] = w;
  }
  __global__ void by_shared(FLAGS f, int* out) {
    __shared__ int ready;
    if (blockIdx.x == 1) { if (threadIdx.x == 0) { __threadfence(); f[1] = 7; } return; }
    int w;
    do {
      if (threadIdx.x == 0) ready = f[blockIdx.x + 1];
      __syncthreads();
      w = ready;
      __syncthreads();
    } while (w == 0);
    if (threadIdx.x == 0) out[0] = w;
  }
)";

// Exit codes of the process.
constexpr int kRight = 0, kWrong = 1, kRefused = 10, kReported = 11, kAbsent = 12;

[[noreturn]] void run(const char* name, const char* kernel, const char* flags) {
  ::alarm(20);
  int code = kWrong;
  try {
    const Device device = open(name);
    try {
      std::string text = kWaitingText;
      for (size_t at = text.find("FLAGS"); at != std::string::npos; at = text.find("FLAGS"))
        text.replace(at, 5, flags);
      const Kernel k = device.compile(text).kernel(kernel);
      auto f = device.upload(std::vector<int>(4, 0));
      auto out = device.upload(std::vector<int>(1, 0));
      device.launch(k, grid(2, 64), f, out);
      code = out.download()[0] == 7 ? kRight : kWrong;
    } catch (const Error& e) {
      std::fprintf(stderr, "%s\n", e.what());
      const bool is_clear =
          std::string(e.what()).find("waits in a loop for another thread") != std::string::npos;
      code = e.kind() == ErrorKind::unsupported && is_clear ? kRefused : kReported;
    }
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    code = kAbsent;
  }
  ::_exit(code);
}

class WaitingForABlock : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string why = why_not(GetParam(), {});
    if (!why.empty()) GTEST_SKIP() << why;
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }

  // Races are reported by the simulator only.
  static bool is_expected(int status) {
    if (!WIFEXITED(status)) return false;
    const int code = WEXITSTATUS(status);
    const std::string device = GetParam();
    if (code == kAbsent) return true;
    if (device == "sim") return code == kRight || code == kReported;
    const bool makes_progress = device == "cpu" || device == "cuda" || device == "hip";
    return code == (makes_progress ? kRight : kRefused);
  }
};

TEST_P(WaitingForABlock, ByVote) {
  EXPECT_EXIT(run(GetParam(), "by_vote", "volatile int*"), is_expected, "");
  EXPECT_EXIT(run(GetParam(), "by_vote", "int*"), is_expected, "");
}

TEST_P(WaitingForABlock, ByBarrier) {
  EXPECT_EXIT(run(GetParam(), "by_barrier", "volatile int*"), is_expected, "");
  EXPECT_EXIT(run(GetParam(), "by_barrier", "int*"), is_expected, "");
}

TEST_P(WaitingForABlock, BySharedMemory) {
  EXPECT_EXIT(run(GetParam(), "by_shared", "volatile int*"), is_expected, "");
  EXPECT_EXIT(run(GetParam(), "by_shared", "int*"), is_expected, "");
}

INSTANTIATE_TEST_SUITE_P(All, WaitingForABlock, testing::ValuesIn(each_driver({"std.gpu"})), device_name);

}  // namespace
}  // namespace quern::test
