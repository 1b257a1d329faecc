#include <numeric>

#include "api/api_case.hpp"

QUERN_KERNEL(triple_to, (int n, const int* in, long long* out), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3LL * in[i] + 1;
})

namespace quern::test {
namespace {

constexpr const char* kPipelineText = R"(__global__ void triple(int n, const int* in, long long* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3LL * in[i] + 1;
})";

// On every available device.
class Pipelines : public OnDeviceThatIsHere {
 protected:
  void prepare() override { kernel = device.compile(kPipelineText).kernel("triple"); }
  Pipeline<int, long long>::Compute compute() const {
    return [this](const Stream& s, const Slice<int>& in, const Slice<long long>& out, std::size_t) {
      s.launch(kernel, threads(in.size()), static_cast<int>(in.size()), in, out);
    };
  }
  Kernel kernel;
};
INSTANTIATE_TEST_SUITE_P(All, Pipelines, testing::ValuesIn(each_implementation()), device_name);

TEST_P(Pipelines, GiveEveryResultInOrder) {
  constexpr std::size_t kBatch = 1000, kBatches = 23;
  for (const std::size_t depth : {1, 2, 3, 5}) {
    std::size_t next = 0, told = 0;
    bool is_right = true;
    PipelineOptions options;
    options.depth = depth;
    options.on_progress = [&](const PipelineProgress& p) {
      EXPECT_EQ(p.done, ++told);
      EXPECT_LE(p.pushed - p.done, depth);
    };
    Pipeline<int, long long> pipeline(
        device, kBatch, kBatch, compute(),
        [&](std::span<const long long> result, std::size_t batch) {
          EXPECT_EQ(batch, next++);
          for (std::size_t i = 0; i < kBatch; ++i)
            is_right &= result[i] == 3 * static_cast<long long>(batch * kBatch + i) + 1;
        },
        options);
    std::vector<int> data(kBatch);
    for (std::size_t b = 0; b < kBatches; ++b) {
      std::iota(data.begin(), data.end(), static_cast<int>(b * kBatch));
      if (b % 2 == 0) {
        pipeline.push(data);
      } else {
        pipeline.push_with([&](std::span<int> to) {
          std::copy(data.begin(), data.end(), to.begin());
          return kBatch;
        });
      }
      std::fill(data.begin(), data.end(), -1);  // the data may be changed again
    }
    EXPECT_GE(next + depth, kBatches);
    pipeline.finish();
    EXPECT_EQ(next, kBatches);
    EXPECT_EQ(told, kBatches);
    EXPECT_TRUE(is_right);
    EXPECT_EQ(pipeline.progress().bytes, kBatches * kBatch * 12);
  }
}

TEST_P(Pipelines, SmallerBatchesAreFineAndLargerOnesRefused) {
  std::vector<long long> last;
  Pipeline<int, long long> pipeline(
      device, 10, 10, compute(),
      [&](std::span<const long long> result, std::size_t) { last.assign(result.begin(), result.end()); });
  EXPECT_EQ(message_of([&] { pipeline.push(std::vector<int>(11)); }),
            "slice failed: elements 0 to 11 are outside the buffer of 10 elements");
  pipeline.push(std::vector<int>{1, 2, 3});
  pipeline.finish();
  EXPECT_EQ(std::vector<long long>(last.begin(), last.begin() + 3), (std::vector<long long>{4, 7, 10}));
}

TEST_P(Pipelines, ContinueAfterExceptions) {
  int results = 0;
  bool throws = true;
  Pipeline<int, long long> pipeline(
      device, 4, 4,
      [&](const Stream& s, const Slice<int>& in, const Slice<long long>& out, std::size_t batch) {
        if (throws && batch == 1) throw std::runtime_error("not this one");
        compute()(s, in, out, batch);
      },
      [&](std::span<const long long> result, std::size_t batch) {
        EXPECT_EQ(result[0], 3 * static_cast<int>(batch) + 1);
        if (++results == 2) throw std::runtime_error("enough");
      });
  pipeline.push(std::vector<int>(4, 0));
  EXPECT_THROW(pipeline.push(std::vector<int>(4, 1)), std::runtime_error);
  throws = false;
  for (int i = 1; i < 4; ++i) pipeline.push(std::vector<int>(4, i));
  EXPECT_THROW(pipeline.finish(), std::runtime_error);
  pipeline.finish();
  EXPECT_EQ(results, 4);
}

TEST(PipelinesOfTheHost, TakeInlineKernels) {
  const Device device = open("native");
  long long sum = 0;
  Pipeline<int, long long> pipeline(
      device, 100, 100,
      [](const Stream& s, const Slice<int>& in, const Slice<long long>& out, std::size_t) {
        s.launch(triple_to, threads(in.size()), static_cast<int>(in.size()), in, out);
      },
      [&](std::span<const long long> result, std::size_t) {
        sum += std::accumulate(result.begin(), result.end(), 0LL);
      });
  for (int b = 0; b < 5; ++b) pipeline.push(std::vector<int>(100, b));
  pipeline.finish();
  EXPECT_EQ(sum, 100 * (3 * (0 + 1 + 2 + 3 + 4) + 5));
}

}  // namespace
}  // namespace quern::test
