// Loops of more than 65,535 iterations on every device: a correct result or an error. Mesa's llvmpipe ends
// all loops of a thread after that many iterations in total.
#include <numeric>
#include <string>
#include <vector>

#include "api/api_case.hpp"

namespace quern::test {
namespace {

constexpr char kLongLoopText[] = R"(
  __global__ void sum(int n, const int* v, int* o) { int s = 0; for (int i = 0; i < n; ++i) s += v[i]; o[0] = s; }
  __global__ void apart(int n, const int* v, int* o) {
    int s = 0, i = threadIdx.x == 5 ? 0 : n;  // one thread of a vector works
    while (true) {
      if (i >= n) break;
      if (v[i] != 1) { ++i; continue; }
      s += v[i++];
    }
    o[threadIdx.x] = s;
  }
  __global__ void nested(int n, const int* v, int* o) {
    int s = 0;
    for (int a = 0; a < n / 200; ++a) for (int b = 0; b < 200; ++b) s += v[a * 200 + b];
    o[0] = s;
  }
  __global__ void backward(int n, const int* v, int* o) { int s = 0; do { s += v[--n]; } while (n > 0); o[0] = s; }
  __device__ int find(const int* v, int wanted) { for (int i = 0;; ++i) { if (v[i] == wanted) return i; } }
  __global__ void search(int n, const int* v, int* o) { o[0] = find(v, 2); }
  __global__ void meeting(int n, const int* v, int* o) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      for (int k = 0; k < 8; ++k) atomicAdd(&total, v[i]);
      __syncthreads();
    }
    if (threadIdx.x == 0) o[0] = total;
  }
)";

class LongLoop : public OnDeviceThatIsHere {
 public:
  void prepare() override {
    module = device.compile(kLongLoopText);
    std::vector<int> values(kCount + 1, 1);
    values[kCount] = 2;
    in = device.upload(values);
    out = device.upload(std::vector<int>(8, -1));
  }
  int run(const char* kernel, int n, uint32_t threads = 1) {
    device.launch(module.kernel(kernel), grid(1, threads), n, in, out);
    return out.download()[threads == 8 ? 5 : 0];
  }

  static constexpr int kCount = 100'000;
  Module module;
  Buffer<int> in, out;
};

TEST_P(LongLoop, AllForms) {
  EXPECT_EQ(run("sum", kCount), kCount);
  EXPECT_EQ(run("apart", kCount, 8), kCount);
  EXPECT_EQ(out.download()[4], 0);
  EXPECT_EQ(run("nested", kCount), kCount);
  EXPECT_EQ(run("backward", kCount), kCount);
  EXPECT_EQ(run("search", kCount, 5), kCount) << "a vector that the block does not fill";
}

TEST_P(LongLoop, ShortOnesAreAsBefore) {
  for (const int n : {1, 2, 7, 8, 9, 1000, 65'535}) {
    EXPECT_EQ(run("sum", n), n);
    EXPECT_EQ(run("backward", n), n);
  }
  EXPECT_EQ(run("meeting", 4096, 32), 4096 * 8);
}

// Beyond the reach of a workaround, the launch fails; the result is never wrong.
TEST_P(LongLoop, TooManyRoundsAreReported) {
  auto many = device.upload(std::vector<int>(1'500'000, 1));
  try {
    device.launch(module.kernel("sum"), grid(1, 1), 1'500'000, many, out);
    EXPECT_EQ(out.download()[0], 1'500'000);
  } catch (const Error& e) {
    EXPECT_NE(device.name().find("llvmpipe"), std::string::npos) << e.what();
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
    EXPECT_NE(e.message().find("the loops of one thread run more than 65,535 iterations"), std::string::npos)
        << e.what();
  }
  EXPECT_EQ(run("sum", 1000), 1000) << "the device works afterwards";
}

INSTANTIATE_TEST_SUITE_P(All, LongLoop, testing::ValuesIn(each_driver({"std.gpu"})), device_name);

}  // namespace
}  // namespace quern::test
