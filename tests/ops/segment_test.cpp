#include <algorithm>
#include <limits>
#include <numeric>

#include "ops/ops_case.hpp"

namespace quern::ops {
namespace {

class OpsSegment : public OpsCase {
 protected:
  // Keys with runs of 1 to `longest` elements.
  std::vector<std::int16_t> keys_with_runs(std::int64_t n, int longest) {
    std::vector<std::int16_t> keys(static_cast<std::size_t>(n));
    const std::vector<int> lengths = numbers<int>(n, 1, longest);
    std::size_t at = 0, run = 0;
    for (; at < keys.size(); ++run) {
      const std::size_t end = std::min(keys.size(), at + static_cast<std::size_t>(lengths[run]));
      while (at < end) keys[at++] = static_cast<std::int16_t>(run % 3);
    }
    return keys;
  }
};
INSTANTIATE_TEST_SUITE_P(All, OpsSegment, testing::ValuesIn(::quern::test::each_driver({"native"})),
                         ::quern::test::device_name);

// Runs of keys on the host: the first element of each, and the end.
template <typename K>
std::vector<std::size_t> heads_of(const std::vector<K>& keys) {
  std::vector<std::size_t> heads;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || keys[i] != keys[i - 1]) heads.push_back(i);
  }
  heads.push_back(keys.size());
  return heads;
}

TEST_P(OpsSegment, EncodesRuns) {
  for (const std::int64_t n : {1, 2048, 9001}) {
    for (const int longest : {1, 4000}) {
      const std::vector<std::int16_t> a = keys_with_runs(n, longest);
      const std::vector<std::size_t> heads = heads_of(a);
      const Tensor<std::int16_t> x = tensor(a, {n}), values(gpu, {n});
      const Tensor<std::int32_t> lengths(gpu, {n});
      const std::int64_t runs = run_length_encode(gpu, x, values, lengths);
      ASSERT_EQ(runs, static_cast<std::int64_t>(heads.size()) - 1) << n << " elements";
      const auto got = values.slice(0, 0, runs).download();
      const auto numbers_of = lengths.slice(0, 0, runs).download();
      for (std::size_t r = 0; r < got.size(); ++r) {
        ASSERT_EQ(got[r], a[heads[r]]) << "run " << r << " of " << n << " elements";
        ASSERT_EQ(static_cast<std::size_t>(numbers_of[r]), heads[r + 1] - heads[r]) << "run " << r;
      }
    }
  }
  const Tensor<std::int16_t> x = tensor(keys_with_runs(9001, 10), {9001}), values(gpu, {9001});
  const Tensor<std::int32_t> lengths(gpu, {9001});
  const Tensor<std::int64_t> count(gpu, {1});
  run_length_encode(gpu, x, values, lengths, count);
  gpu.synchronize();
  const std::uint64_t reserved = gpu.memory().reserved;
  for (int i = 0; i < 3; ++i) {
    run_length_encode(gpu, x, values, lengths, count);
    gpu.synchronize();
  }
  EXPECT_EQ(gpu.memory().reserved, reserved);
  EXPECT_EQ(run_length_encode(gpu, Tensor<int>(gpu, {0}), Tensor<int>(gpu, {0}), Tensor<int>(gpu, {0})), 0);
}

TEST_P(OpsSegment, ReducesAndScansByKey) {
  const std::int64_t n = 1300;
  const std::vector<std::int16_t> k = keys_with_runs(n, 90);
  const std::vector<int> a = numbers<int>(n);
  const std::vector<std::size_t> heads = heads_of(k);
  const Tensor<std::int16_t> keys = tensor(k, {n}), out_keys(gpu, {n});
  const Tensor<int> x = tensor(a, {n}), inclusive(gpu, {n});
  const Tensor<std::int64_t> sums(gpu, {n});
  const std::int64_t runs = reduce_by_key(gpu, Combine::sum, keys, x, out_keys, sums);
  ASSERT_EQ(runs, static_cast<std::int64_t>(heads.size()) - 1);
  inclusive_scan_by_key(gpu, Combine::max, keys, x, inclusive);
  const Receipt receipt = exclusive_scan_by_key(gpu, Combine::sum, keys, x, x);
  EXPECT_NE(receipt.kernel().find("runs_scan"), std::string::npos) << receipt.kernel();
  const auto found = out_keys.slice(0, 0, runs).download();
  const auto totals = sums.slice(0, 0, runs).download();
  const std::vector<int> largest = inclusive.download(), before = x.download();
  for (std::size_t r = 0; r + 1 < heads.size(); ++r) {
    int total = 0, most = std::numeric_limits<int>::lowest();
    for (std::size_t i = heads[r]; i < heads[r + 1]; ++i) {
      ASSERT_EQ(before[i], total) << i;
      ASSERT_EQ(largest[i], most = std::max(most, a[i])) << i;
      total += a[i];
    }
    ASSERT_EQ(found[r], k[heads[r]]) << "run " << r;
    ASSERT_EQ(totals[r], total) << "run " << r;
  }
}

// 2×2 matrices over the integers modulo 256 in a word: their product is associative, not commutative.
const Function kProductOfMatrices(
    "[](unsigned a, unsigned b) { return product(a, b); }",
    "__device__ unsigned byte(unsigned w, int i) { return w >> 8 * i & 255u; }\n"
    "__device__ unsigned product(unsigned a, unsigned b) {\n"
    "  unsigned out = 0;\n"
    "  for (int i = 0; i < 4; ++i)\n"
    "    out |= (byte(a, i / 2 * 2) * byte(b, i % 2) + byte(a, i / 2 * 2 + 1) * byte(b, i % 2 + 2) & 255u) "
    "<< 8 * i;\n"
    "  return out;\n"
    "}\n");
std::uint32_t byte(std::uint32_t w, std::uint32_t i) { return w >> 8 * i & 255u; }
std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t out = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t row = i / 2 * 2, column = i % 2;
    out |= ((byte(a, row) * byte(b, column) + byte(a, row + 1) * byte(b, column + 2)) & 255u) << 8 * i;
  }
  return out;
}

TEST_P(OpsSegment, KeepsTheOrderOfAFunction) {
  constexpr std::uint32_t kIdentity = 0x01000001;
  const std::int64_t n = 5003;
  const std::vector<std::int16_t> k = keys_with_runs(n, 3000);
  std::vector<std::uint32_t> a(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::uint32_t>(i * 2654435761u) | 0x01000001;
  const std::vector<std::size_t> heads = heads_of(k);
  const Tensor<std::int16_t> keys = tensor(k, {n}), out_keys(gpu, {n});
  const Tensor<std::uint32_t> x = tensor(a, {n}), products(gpu, {n}), scanned(gpu, {n});
  const Tensor<std::int64_t> count(gpu, {1});
  const Graph graph = gpu.record([&](const Stream& stream) {
    reduce_by_key(stream, kProductOfMatrices, keys, x, out_keys, products, count);
    exclusive_scan_by_key(stream, kProductOfMatrices, keys, x, scanned, kIdentity);
  });
  gpu.stream().run(graph);
  ASSERT_EQ(count.download()[0], static_cast<std::int64_t>(heads.size()) - 1);
  const std::vector<std::uint32_t> totals = products.download(), got = scanned.download();
  for (std::size_t r = 0; r + 1 < heads.size(); ++r) {
    std::uint32_t total = kIdentity;
    for (std::size_t i = heads[r]; i < heads[r + 1]; ++i) {
      ASSERT_EQ(got[i], total) << i;
      total = product(total, a[i]);
    }
    ASSERT_EQ(totals[r], total) << "run " << r;
  }
}

TEST_P(OpsSegment, TakesViewsAndNaN) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(),
                  kInfinity = std::numeric_limits<float>::infinity();
  const Tensor<float> keys = tensor<float>({kNaN, kNaN, 0, -0.0f, kInfinity, kInfinity}, {6}),
                      out_keys(gpu, {6, 2});
  const Tensor<half> values = tensor(numbers<half>(12, 1, 1), {6, 2});
  const Tensor<float> sums(gpu, {6});
  fill(gpu, out_keys, 9.0f);
  EXPECT_EQ(reduce_by_key(gpu, Combine::sum, keys.slice(0, 5, 6, -1), values.select(1, 1),
                          out_keys.select(1, 0), sums),
            4);
  EXPECT_EQ(sums.slice(0, 0, 4).download(), (std::vector<float>{2, 2, 1, 1}));
  const std::vector<float> got = out_keys.download();
  EXPECT_EQ(got[0], kInfinity);
  EXPECT_EQ(got[1], 9.0f);
  EXPECT_EQ(got[2], 0.0f);
  EXPECT_NE(got[4], got[4]);
}

TEST_P(OpsSegment, ReducesSegments) {
  for (const std::int64_t average : {3, 100, 3000}) {  // a thread, a warp, a block
    const std::int64_t segments = 6000 / average + 1, n = segments * average;
    const std::vector<int> a = numbers<int>(n);
    std::vector<std::int64_t> offsets{0};
    const std::vector<int> lengths = numbers<int>(segments, 0, static_cast<int>(2 * average));
    for (const int length : lengths) offsets.push_back(std::min(n, offsets.back() + length));
    const Tensor<int> x = tensor(a, {n});
    const Tensor<std::int64_t> bounds = tensor(offsets, {segments + 1}), sums(gpu, {segments});
    segmented_reduce(gpu, Combine::sum, x, bounds, sums);
    const std::vector<std::int64_t> totals = sums.download();
    for (std::size_t s = 0; s < totals.size(); ++s) {
      const auto begin = a.begin() + offsets[s], end = a.begin() + offsets[s + 1];
      ASSERT_EQ(totals[s], std::accumulate(begin, end, 0)) << "segment " << s << " of " << segments;
    }
  }
  const Tensor<std::int64_t> sums(gpu, {3});
  segmented_reduce(gpu, Combine::sum, tensor<int>({3, 4}, {2}), tensor<std::int64_t>({-1, 1, 1, 7}, {4}),
                   sums);
  EXPECT_EQ(sums.download(), (std::vector<std::int64_t>{3, 0, 4}));
  const Tensor<unsigned> all(gpu, {2});
  segmented_reduce(gpu, "[](unsigned u, unsigned v) { return u | v; }", tensor<unsigned>({1, 2, 4}, {3}),
                   tensor<int>({0, 2, 2}, {3}), all, 8u);
  EXPECT_EQ(all.download(), (std::vector<unsigned>{11, 8}));
}

TEST_P(OpsSegment, WrongOperandsAreReported) {
  const Tensor<int> x(gpu, {3, 4}), y(gpu, {5}), z(gpu, {4});
  const Tensor<std::int64_t> count(gpu, {1});
  EXPECT_MESSAGE("ops::run_length_encode failed: a tensor of shape 3×4 does not have one axis",
                 run_length_encode(gpu, x, x, x, count));
  EXPECT_MESSAGE("ops::run_length_encode failed: the operand 'lengths' has shape 4",
                 run_length_encode(gpu, y, y, z, count));
  EXPECT_MESSAGE("the operand 'lengths' has elements of type float",
                 run_length_encode(gpu, y, y, Tensor<float>(gpu, {5}), count));
  EXPECT_MESSAGE("ops::reduce_by_key failed: the operand 'values' has shape 4",
                 reduce_by_key(gpu, Combine::sum, y, z, y, y, count));
  EXPECT_MESSAGE("the count has type int and shape 4", reduce_by_key(gpu, Combine::sum, y, y, y, y, z));
  EXPECT_MESSAGE("ops::inclusive_scan_by_key failed: the operand 'out' has shape 4",
                 inclusive_scan_by_key(gpu, Combine::sum, y, y, z));
  EXPECT_MESSAGE(
      "ops::segmented_reduce failed: 4 segments of shape 4 cannot have offsets of shape 4 and type int",
      segmented_reduce(gpu, Combine::sum, y, z, z));
}

}  // namespace
}  // namespace quern::ops
