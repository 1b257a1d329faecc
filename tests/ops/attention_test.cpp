#include "ops/nn_case.hpp"

namespace quern::ops {
namespace {

struct Heads {
  std::size_t batches, heads, kv_heads, queries, keys, extent;
};
struct Mask {
  bool is_causal = false;
  std::int64_t window = 0;
  std::vector<std::int32_t> lengths = {};
};

class OpsAttention : public NnCase {
 protected:
  static std::vector<double> reference(const std::vector<double>& q, const std::vector<double>& k,
                                       const std::vector<double>& v, const Heads& h, const Mask& mask) {
    std::vector<double> out(q.size(), 0.0);
    for (std::size_t row = 0; row < h.batches * h.heads * h.queries; ++row) {
      const std::size_t query = row % h.queries, head = row / h.queries % h.heads,
                        batch = row / h.queries / h.heads;
      const std::size_t kv = (batch * h.kv_heads + head / (h.heads / h.kv_heads)) * h.keys * h.extent;
      const std::int64_t length =
          mask.lengths.empty() ? static_cast<std::int64_t>(h.keys) : mask.lengths[batch];
      const std::int64_t position =
          static_cast<std::int64_t>(query) + length - static_cast<std::int64_t>(h.queries);
      double total = 0;
      for (std::int64_t key = 0; key < length; ++key) {
        if ((mask.is_causal && key > position) || (mask.window > 0 && key <= position - mask.window))
          continue;
        const std::size_t at = kv + static_cast<std::size_t>(key) * h.extent;
        double score = 0;
        for (std::size_t d = 0; d < h.extent; ++d) score += q[row * h.extent + d] * k[at + d];
        const double weight = std::exp(score / std::sqrt(static_cast<double>(h.extent)));
        total += weight;
        for (std::size_t d = 0; d < h.extent; ++d) out[row * h.extent + d] += weight * v[at + d];
      }
      for (std::size_t d = 0; d < h.extent && total != 0; ++d) out[row * h.extent + d] /= total;
    }
    return out;
  }
  // Compares also with tokens before heads in memory.
  template <typename T>
  void check(const Heads& h, const Mask& mask) {
    const auto size = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    const Shape of_q{size(h.batches), size(h.heads), size(h.queries), size(h.extent)},
        of_k{size(h.batches), size(h.kv_heads), size(h.keys), size(h.extent)};
    const auto a = small<T>(of_q.size()), b = small<T>(of_k.size()), c = small<T>(of_k.size());
    const Tensor<T> q = tensor(a, of_q), out(gpu, of_q);
    const Tensor<T> k(gpu, {of_k[0], of_k[2], of_k[1], of_k[3]}),
        v(gpu, {of_k[0], of_k[2], of_k[1], of_k[3]});
    copy(gpu, tensor(b, of_k), k.transpose(1, 2));
    copy(gpu, tensor(c, of_k), v.transpose(1, 2));
    AttentionOptions options{.causal = mask.is_causal, .window = mask.window};
    if (!mask.lengths.empty()) options.lengths = tensor(mask.lengths, {of_q[0]});
    attention(gpu, q, k.transpose(1, 2), v.transpose(1, 2), out, options);
    expect_near(out.download(), reference(wide(a), wide(b), wide(c), h, mask), 1, 2 * tolerance_of<T>());
  }
  template <typename T>
  std::vector<T> small(std::int64_t count) {
    std::vector<T> out = reals<T>(count);
    for (T& v : out) v = T(static_cast<float>(v) / 2);
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(All, OpsAttention, testing::ValuesIn(::quern::test::each_driver({"native"})),
                         ::quern::test::device_name);

TEST_P(OpsAttention, AttendsWithTilesOfQueries) {
  check<float>({1, 2, 2, 19, 33, 40}, {});
  check<float>({2, 4, 2, 17, 50, 40}, {.is_causal = true});
  check<float>({1, 2, 1, 40, 40, 40}, {.is_causal = true, .window = 7});
  check<half>({1, 1, 1, 20, 37, 64}, {.is_causal = true});
}

TEST_P(OpsAttention, DecodesWithACache) {
  check<float>({2, 2, 2, 1, 100, 40}, {.lengths = {70, 3}});
  check<float>({1, 6, 2, 1, 600, 40}, {.is_causal = true});
  check<half>({1, 4, 1, 2, 90, 72}, {.is_causal = true, .window = 40, .lengths = {81}});
}

TEST_P(OpsAttention, QueriesWithoutKeysAreZeroAndTheRestOfACacheIsIgnored) {
  std::vector<float> cache(5 * 8, 1.0f);
  std::fill(cache.begin() + 16, cache.end(), std::numeric_limits<float>::quiet_NaN());
  const Tensor<float> k = tensor(cache, {1, 1, 5, 8}), q(gpu, {1, 1, 3, 8}), out(gpu, {1, 1, 3, 8});
  fill(gpu, q, 1.0f);
  std::vector<double> want(24, 1.0);
  std::fill(want.begin(), want.begin() + 8, 0.0);  // three queries, two keys: the first one is before them
  const Tensor<std::int32_t> lengths = tensor<std::int32_t>({2}, {1});
  attention(gpu, q, k, k, out, {.causal = true, .lengths = lengths});
  expect_near(out.download(), want);
}

TEST_P(OpsAttention, ReportsWrongOperands) {
  const Tensor<float> q(gpu, {1, 4, 2, 8}), k(gpu, {1, 3, 5, 8}), large(gpu, {1, 1, 1, 300});
  EXPECT_EQ(attention(gpu, q.slice(2, 0, 0), q, q, q.slice(2, 0, 0)).kernel(), "");
  EXPECT_MESSAGE(
      "ops::attention failed: the queries have shape 1×4×2×8, the keys 1×3×5×8, and the values 1×3×5×8",
      attention(gpu, q, k, k, q));
  EXPECT_MESSAGE("ops::attention failed: a head of 300 elements is not supported",
                 attention(gpu, large, large, large, large));
  EXPECT_MESSAGE("the operand 'lengths' has shape 2",
                 attention(gpu, q, q, q, q, {.lengths = Tensor<std::int32_t>(gpu, {2})}));
}

}  // namespace
}  // namespace quern::ops
