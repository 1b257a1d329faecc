// Launches and allocations above a device's limits: rejected with the values before anything runs, and the
// device works afterwards.
#include <string>
#include <vector>

#include "api/api_case.hpp"

namespace quern::test {
namespace {

constexpr char kLimitsText[] = R"(
  __global__ void fill(int* to, int value) { to[blockIdx.x * blockDim.x + threadIdx.x] = value; }
  __global__ void shared(int* to) {
    extern __shared__ int all[];
    all[threadIdx.x] = threadIdx.x;
    __syncthreads();
    to[threadIdx.x] = all[threadIdx.x ^ 1];
  }
)";

class OverLimits : public OnDeviceThatIsHere {
 public:
  void prepare() override {
    module = device.compile(kLimitsText);
    a = device.allocate<int>(64);
  }
  // It still works.
  void TearDown() override {
    if (!a) return;
    device.launch(module.kernel("fill"), grid({2, 1, 1}, {32, 1, 1}), a, 7);
    EXPECT_EQ(a.download(), std::vector<int>(64, 7));
  }
  void expect(const std::string& message, const std::string& part) const {
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_NE(message.find(device.name()), std::string::npos) << message;
  }

  Module module;
  Buffer<int> a;
};

TEST_P(OverLimits, Blocks) {
  expect(message_of([&] {
           device.launch(module.kernel("fill"), grid({1, 1, 1}, {2048, 1, 1}), a, 1);
         }),
         "launch of kernel 'fill' failed: block (2048,1,1) is too large; the limit of ");
}

TEST_P(OverLimits, SharedMemory) {
  const LaunchConfig shape = grid({1, 1, 1}, {32, 1, 1}).shared(uint64_t{1} << 30);
  expect(message_of([&] { device.launch(module.kernel("shared"), shape, a); }), "1.0 GiB");
}

TEST_P(OverLimits, Buffers) {
  expect(message_of([&] { (void)device.allocate<char>(uint64_t{1} << 50); }), "1.0 PiB");
}

TEST_P(OverLimits, BuffersThatAreBound) {
  std::string parameters, sum;
  for (int i = 0; i < 100; ++i) {
    parameters += (i == 0 ? "" : ", ") + std::string("int* a") + std::to_string(i);
    sum += " + a" + std::to_string(i) + "[1]";
  }
  const auto load = [&] {
    (void)device.compile("__global__ void many(" + parameters + ") { a0[0] = 0" + sum + "; }").kernel("many");
  };
  if (device.info().has(Feature::addresses)) {
    load();
  } else {
    expect(message_of(load), "100 buffers, and ");
  }
}

INSTANTIATE_TEST_SUITE_P(All, OverLimits, testing::ValuesIn(each_driver({"cpu", "sim", "std.gpu"})),
                         device_name);

}  // namespace
}  // namespace quern::test
