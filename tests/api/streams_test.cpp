#include <random>

#include "api/api_case.hpp"

QUERN_KERNEL(mix_into, (int n, const unsigned* from, unsigned* to), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = to[i] * 31u + from[i];
})

namespace quern::test {
namespace {

constexpr const char* kStreamsText = R"(__global__ void mix(int n, const unsigned* from, unsigned* to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = to[i] * 31u + from[i];
})";

class OrderedStreams : public OnDeviceThatIsHere {
 protected:
  void prepare() override { kernel = device.compile(kStreamsText).kernel("mix"); }
  Kernel kernel;
};
INSTANTIATE_TEST_SUITE_P(All, OrderedStreams, testing::ValuesIn(each_implementation()), device_name);

constexpr std::size_t kStreamsCount = 512, kBuffers = 5;

// `streams` must have the same effect on the buffers as one stream.
TEST_P(OrderedStreams, GiveWhatOneStreamGives) {
  std::vector<std::vector<unsigned>> expected(kBuffers, std::vector<unsigned>(kStreamsCount, 1));
  std::vector<Buffer<unsigned>> buffers;
  for (std::size_t b = 0; b < kBuffers; ++b) buffers.push_back(device.upload(expected[b]));
  Streams streams(device, 3);
  EXPECT_EQ(streams.size(), 3u);
  std::mt19937 random(5);
  std::vector<std::vector<unsigned>> sources;
  std::vector<unsigned> seen(kStreamsCount);
  for (int step = 0; step < 300; ++step) {
    const std::size_t to = random() % kBuffers, from = (to + 1 + random() % (kBuffers - 1)) % kBuffers;
    const std::size_t first = random() % 2 * (kStreamsCount / 2), count = kStreamsCount / 2;
    const Slice<unsigned> target = buffers[to].slice(first, count),
                          source = buffers[from].slice(first, count);
    auto* const into = expected[to].data() + first;
    const auto* const out_of = expected[from].data() + first;
    switch (random() % 4) {
      case 0:
        streams.launch(kernel, threads(count), static_cast<int>(count), source, target);
        for (std::size_t i = 0; i < count; ++i) into[i] = into[i] * 31u + out_of[i];
        break;
      case 1:
        streams.copy(target, source);
        std::copy(out_of, out_of + count, into);
        break;
      case 2:
        streams.fill(target, static_cast<unsigned>(step));
        std::fill(into, into + count, static_cast<unsigned>(step));
        break;
      default:
        sources.emplace_back(count, static_cast<unsigned>(random()));
        streams.upload(target, sources.back());
        std::copy(sources.back().begin(), sources.back().end(), into);
    }
  }
  streams.download(seen, Slice<unsigned>(buffers[2]));
  streams.synchronize();
  EXPECT_EQ(seen, expected[2]);
  for (std::size_t b = 0; b < kBuffers; ++b) EXPECT_EQ(buffers[b].download(), expected[b]) << b;
}

TEST_P(OrderedStreams, KnowWhatKernelsWrite) {
  EXPECT_FALSE(kernel.writes(0));
  EXPECT_FALSE(kernel.writes(1));
  EXPECT_TRUE(kernel.writes(2));
  EXPECT_FALSE(kernel.writes(99));
}

TEST(OrderedStreamsOfTheHost, TakeInlineKernels) {
  const Device device = open("native");
  Streams streams(device);
  auto a = device.upload(std::vector<unsigned>(64, 1)), b = device.upload(std::vector<unsigned>(64, 2));
  for (int i = 0; i < 8; ++i)
    streams.launch(mix_into, threads(64), 64, Slice<const unsigned>(i % 2 ? a : b), i % 2 ? b : a);
  streams.run({Use::write(a), Use::read(b)}, [&](const Stream& s) { s.copy(a, Slice<const unsigned>(b)); });
  streams.synchronize();
  unsigned x = 1, y = 2;
  for (int i = 0; i < 8; ++i) (i % 2 ? y : x) = (i % 2 ? y : x) * 31u + (i % 2 ? x : y);
  EXPECT_EQ(a.download(), std::vector<unsigned>(64, y));
}

}  // namespace
}  // namespace quern::test
