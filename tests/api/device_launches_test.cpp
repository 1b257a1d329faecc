// Kernels that launch kernels, on every device: with receipts, on streams and in sessions. tests/launches
// contains their results.
#include <string>

#include "api/api_case.hpp"
#include "quern/session.hpp"

namespace quern::test {
namespace {

constexpr char kLaunchesText[] = R"(
  __global__ void add(int* out, int value) { atomicAdd(out, value); }
  __global__ void spread(int* out, int n) {
    for (int i = 0; i < n; ++i) add<<<1, 2>>>(out + i, i + 1);
    if (n > 1) spread<<<1, 1, 0, cudaStreamTailLaunch>>>(out + 1, n - 1);
  }
)";

class DeviceLaunches : public OnDeviceThatIsHere {
 public:
  void prepare() override {
    spread = device.compile(kLaunchesText).kernel("spread");
    out = device.upload(std::vector<int>(3));
  }

  Kernel spread;
  Buffer<int> out;
};

TEST_P(DeviceLaunches, AreCompleteBeforeLaterWork) {
  const Stream stream = device.create_stream();
  stream.launch(spread, grid({1}, {1}), out, 3);
  stream.launch(spread, grid({1}, {1}), out, 1);
  stream.synchronize();
  EXPECT_EQ(out.download(), (std::vector<int>{2 + 2, 4 + 2, 6 + 4 + 2}));
}

TEST_P(DeviceLaunches, TheReceiptCountsThem) {
  const Receipt first = device.launch(spread, grid({1}, {1}), out, 3);
  const Receipt second = device.launch(spread, grid({1}, {1}), out, 1);
  EXPECT_NE(first.to_string().find("   8 child launches"), std::string::npos) << first.to_string();
  EXPECT_NE(second.to_string().find("   1 child launch"), std::string::npos) << second.to_string();
  EXPECT_EQ(first.kernel(), "spread");
}

TEST_P(DeviceLaunches, WorkInSessions) {
  SessionOptions options;
  options.device = GetParam();
  const Session session(options);
  const Device& own = session.device();
  Buffer<int> sums = own.upload(std::vector<int>(2));
  own.launch(own.compile(kLaunchesText).kernel("spread"), grid({1}, {1}), sums, 2);
  EXPECT_EQ(sums.download(), (std::vector<int>{2, 4 + 2}));
}

INSTANTIATE_TEST_SUITE_P(All, DeviceLaunches, testing::ValuesIn(each_implementation({"native"})),
                         device_name);

}  // namespace
}  // namespace quern::test
