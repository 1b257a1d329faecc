#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "ops/ops_case.hpp"

namespace quern::ops {
namespace {

QUERN_OPS_CASE(OpsRandom);

// Philox4x32-10 as the reference.
using Words = std::array<std::uint32_t, 4>;
Words philox(Words c, std::uint32_t k0, std::uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xd2511f53} * c[0], b = std::uint64_t{0xcd9e8d57} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(a)};
    k0 += 0x9e3779b9;
    k1 += 0xbb67ae85;
  }
  return c;
}
// Word i of a sequence.
std::uint32_t word(std::uint64_t i, std::uint64_t seed, std::uint64_t sequence) {
  const std::uint64_t counter = i / 4;
  return philox({static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
                 static_cast<std::uint32_t>(sequence), static_cast<std::uint32_t>(sequence >> 32)},
                static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32))[i % 4];
}

// The vectors that the authors of the generator publish.
TEST(OpsRandomReference, IsPhilox) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, ~0u, ~0u), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST_P(OpsRandom, BitsAreThoseOfPhilox) {
  const Tensor<std::uint32_t> first(gpu, {4});
  random_integers(gpu, first);
  EXPECT_EQ(first.download(), (std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint64_t kSeed = 0x299f31d0a4093822, kSequence = 0x0370734413198a2e;
  for (const std::uint64_t offset : {std::uint64_t{1}, std::uint64_t{0x123456789abcdef3}}) {
    const Tensor<std::uint32_t> x(gpu, {3, 701});
    const Tensor<std::int64_t> y(gpu, {1003});
    const Tensor<std::int8_t> z(gpu, {5});
    random_integers(gpu, x.transpose(), {.seed = kSeed, .offset = offset, .sequence = kSequence});
    random_integers(gpu, y, {.seed = kSeed, .offset = offset, .sequence = kSequence});
    const Receipt receipt = random_integers(gpu, z, {.seed = kSeed, .offset = offset, .sequence = kSequence});
    EXPECT_NE(receipt.kernel().find("random"), std::string::npos) << receipt.kernel();
    const auto words = x.transpose().download();
    for (std::size_t i = 0; i < words.size(); ++i)
      ASSERT_EQ(words[i], word(offset + i, kSeed, kSequence)) << i << " from " << offset;
    const auto pairs = y.download();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const std::uint64_t block = (offset + i) / 2, at = (offset + i) % 2 * 2;  // 2 (offset + i) is too large
      const Words w =
          philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                  static_cast<std::uint32_t>(kSequence), static_cast<std::uint32_t>(kSequence >> 32)},
                 static_cast<std::uint32_t>(kSeed), static_cast<std::uint32_t>(kSeed >> 32));
      ASSERT_EQ(static_cast<std::uint64_t>(pairs[i]), std::uint64_t{w[at + 1]} << 32 | w[at]) << i;
    }
    const auto bytes = z.download();
    for (std::size_t i = 0; i < bytes.size(); ++i)
      ASSERT_EQ(bytes[i], static_cast<std::int8_t>(word(offset + i, kSeed, kSequence)));
  }
}

TEST_P(OpsRandom, IntegersAreInTheirRange) {
  const Tensor<std::int16_t> x(gpu, {5000});
  random_integers(gpu, x, {.seed = 1, .low = -2, .high = 5});
  std::array<int, 8> counts{};
  const auto got = x.download();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::uint64_t high = word(2 * i + 1, 1, 0), low = word(2 * i, 1, 0);
    ASSERT_EQ(got[i], static_cast<int>((high * 8 + (low * 8 >> 32)) >> 32) - 2) << i;
    ++counts[static_cast<std::size_t>(got[i] + 2)];
  }
  for (const int count : counts) EXPECT_NEAR(count, 625, 120);
}

TEST_P(OpsRandom, UniformNumbersAreEqualOnAllDevices) {
  constexpr std::int64_t kCount = 3001;
  const Tensor<float> x(gpu, {kCount}), y(gpu, {kCount});
  const Tensor<double> z(gpu, {kCount});
  const Tensor<half> h(gpu, {kCount});
  const Tensor<bfloat16> b(gpu, {kCount});
  random_uniform(gpu, x, {.seed = 7});
  random_uniform(gpu, y, {.seed = 7, .offset = 3, .low = -3, .high = 0.7});
  random_uniform(gpu, z, {.seed = 7});
  random_uniform(gpu, h, {.seed = 7, .low = 1, .high = 2});
  random_uniform(gpu, b, {.seed = 7});
  const auto units = x.download(), scaled = y.download();
  const auto doubles = z.download();
  const auto halves = h.download();
  const auto brains = b.download();
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::uint32_t w = word(i, 7, 0), next = word(i + 3, 7, 0);
    ASSERT_EQ(units[i], std::ldexp(static_cast<float>(w >> 8), -24)) << i;
    ASSERT_EQ(scaled[i], std::fma(std::ldexp(static_cast<float>(next >> 8), -24), 3.7f, -3.0f)) << i;
    ASSERT_LT(static_cast<double>(scaled[i]), 0.7);
    const std::uint64_t pair = std::uint64_t{word(2 * i + 1, 7, 0)} << 32 | word(2 * i, 7, 0);
    ASSERT_EQ(doubles[i], std::ldexp(static_cast<double>(pair >> 11), -53)) << i;
    ASSERT_GE(static_cast<float>(halves[i]), 1.0f);
    ASSERT_LT(static_cast<float>(halves[i]), 2.0f);
    ASSERT_EQ(static_cast<float>(brains[i]), std::ldexp(static_cast<float>(w >> 24), -8)) << i;
  }
}

TEST_P(OpsRandom, NormalNumbersAreCloseOnAllDevices) {
  constexpr std::int64_t kCount = 4001;
  const Tensor<float> x(gpu, {kCount}), part(gpu, {100});
  const Tensor<double> y(gpu, {kCount});
  random_normal(gpu, x, {.seed = 9});
  random_normal(gpu, part, {.seed = 9, .offset = 1234});
  random_normal(gpu, y, {.seed = 9, .mean = 10, .deviation = 0.5});
  const auto got = x.download();
  const auto doubles = y.download();
  EXPECT_TRUE(std::equal(got.begin() + 1234, got.begin() + 1334, part.download().begin()));
  double sum = 0, squares = 0, worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double unit = (word(i / 2 * 2, 9, 0) + 0.5) * std::ldexp(1, -32),
                 angle = (word(i / 2 * 2 + 1, 9, 0) >> 8) * std::ldexp(2 * std::numbers::pi, -24);
    const double want = std::sqrt(-2 * std::log(unit)) * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
    worst = std::max(worst, std::abs(static_cast<double>(got[i]) - want));
    sum += static_cast<double>(got[i]);
    squares += static_cast<double>(got[i]) * static_cast<double>(got[i]);
  }
  EXPECT_LT(worst, 4e-6);
  EXPECT_NEAR(sum / kCount, 0, 0.06);
  EXPECT_NEAR(squares / kCount, 1, 0.1);
  const double mean = std::accumulate(doubles.begin(), doubles.end(), 0.0) / kCount;
  EXPECT_NEAR(mean, 10, 0.04);
  for (std::size_t i = 0; i < doubles.size(); i += 2) {
    const auto unit = [](std::uint64_t at) {
      return std::ldexp(static_cast<double>((std::uint64_t{word(at + 1, 9, 0)} << 32 | word(at, 9, 0)) >> 11),
                        -53);
    };
    const double radius = std::sqrt(-2 * std::log(unit(2 * i) + std::ldexp(0.5, -53)));
    ASSERT_NEAR(doubles[i], 10 + 0.5 * radius * std::cos(2 * std::numbers::pi * unit(2 * i + 2)), 1e-13) << i;
  }
}

TEST_P(OpsRandom, RunsInAGraphAndReportsWrongOperands) {
  const Tensor<half> x(gpu, {4, 5});
  const Graph graph = gpu.record([&](const Stream& stream) { random_normal(stream, x, {.seed = 3}); });
  gpu.stream().run(graph);
  const auto got = x.download();
  random_normal(gpu, x, {.seed = 3});
  EXPECT_TRUE(std::equal(got.begin(), got.end(), x.download().begin(),
                         [](half a, half b) { return static_cast<float>(a) == static_cast<float>(b); }));
  EXPECT_EQ(random_uniform(gpu, Tensor<float>(gpu, {0})).kernel(), "");
  const Tensor<int> y(gpu, {4});
  EXPECT_MESSAGE("ops::random_uniform failed: elements of type int are not supported",
                 random_uniform(gpu, y));
  EXPECT_MESSAGE("ops::random_uniform failed: there are no numbers from 1.000000 to 1.000000",
                 random_uniform(gpu, x, {.low = 1, .high = 1}));
  EXPECT_MESSAGE("ops::random_integers failed: there are no numbers from 3 to 2",
                 random_integers(gpu, y, {.low = 3, .high = 2}));
  EXPECT_MESSAGE("a standard deviation of -1.000000", random_normal(gpu, x, {.deviation = -1}));
  EXPECT_MESSAGE("read-only", random_normal(gpu, Tensor<const half>(x)));
}

}  // namespace
}  // namespace quern::ops
