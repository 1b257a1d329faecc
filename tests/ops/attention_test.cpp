#include "ops/attend.hpp"
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

// Boxes as tensor maps copy them, with copies that the simulator executes.
constexpr const char* kBoxes = R"(
namespace quern_ops {
__device__ unsigned short* tensors[4];
__device__ __align__(16) unsigned zeros[4];
__global__ void set_tensors(unsigned short* q, unsigned short* k, unsigned short* v, unsigned short* out) {
  tensors[0] = q;
  tensors[1] = k;
  tensors[2] = v;
  tensors[3] = out;
}
struct Box {
  int size[5], stride[5], box[5], tensor;
  __device__ unsigned short* at(int line, int piece, int element, int token, int head, int batch) const {
    const int e = element + piece * 8, p = line % box[1], t = token + line / box[1];
    if (e >= size[0] || p >= size[1] || t >= size[2] || head >= size[3] || batch >= size[4]) return nullptr;
    return tensors[tensor] + (e + p * stride[1] + t * stride[2] + head * stride[3] + batch * stride[4]);
  }
};
__device__ void load_box(unsigned to, const Box& from, unsigned barrier, int element, int token, int head, int batch) {
  for (int i = 0; i < from.box[1] * from.box[2] * 8; ++i) {
    const unsigned short* at = from.at(i / 8, i % 8, element, token, head, batch);
    const void* source = at == nullptr ? (const void*)zeros : (const void*)at;
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(
                     to + i / 8 * 128 + (i % 8 ^ i / 8 % 8) * 16), "l"(source), "r"(barrier) : "memory");
  }
}
__device__ void store_box(const Box& to, unsigned from, int element, int token, int head, int batch) {
  for (int i = 0; i < to.box[1] * to.box[2] * 8; ++i) {
    unsigned short* at = to.at(i / 8, i % 8, element, token, head, batch);
    if (at != nullptr)
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" ::"l"(at),
                   "r"(from + i / 8 * 128 + (i % 8 ^ i / 8 % 8) * 16) : "memory");
  }
}
}
)";

// The kernel with tensor cores, which the simulator executes without tensor maps.
class OpsAttentionWgmma : public OpsAttention {
 protected:
  struct Box {
    std::int32_t size[5], stride[5], box[5], tensor;
  };
  struct Order {
    std::int32_t packed, tokens, tiles, section, splits;
  };
  struct Kernel {
    int extent, keys, stages, groups;  // extent: padded
    bool takes_turns, replaces_queries;
    int packed, blocks, splits = 1;
  };
  static Box box_of(const Shape& s, int packed, int tokens, int tensor) {
    const auto n = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
    return {{n(s[3]), packed, n(s[2]), n(s[1]) / packed, n(s[0])},
            {1, n(s[2] * s[3]), n(s[3]), n(s[2] * s[3]) * packed, n(s[1] * s[2] * s[3])},
            {64, packed, tokens, 1, 1},
            tensor};
  }
  Module module() {
    std::string text;
    for (const char* name : {"index", "attention_keys", "hopper", "", "attention_wgmma"}) {
      if (*name == 0) text += kBoxes;
      for (const LibraryFile& file : library_files()) {
        if (file.name == std::string(name) + ".cuh") text += file.text;
      }
    }
    return gpu.compile(text);
  }
  template <typename T>
  void check_kernel(const Heads& h, const Mask& mask, const Kernel& kernel) {
    const auto n = [](std::size_t v) { return static_cast<std::int64_t>(v); };
    const auto flag = [](bool value) { return value ? ", true" : ", false"; };
    const Shape of_q{n(h.batches), n(h.heads), n(h.queries), n(h.extent)},
        of_k{n(h.batches), n(h.kv_heads), n(h.keys), n(h.extent)};
    std::vector<T> a = small<T>(of_q.size()), b = small<T>(of_k.size()), c = small<T>(of_k.size());
    for (std::size_t i = 0; i < c.size(); ++i) {  // the rest of the cache
      const std::size_t key = i / h.extent % h.keys, batch = i / h.extent / h.keys / h.kv_heads;
      if (!mask.lengths.empty() && n(key) >= mask.lengths[batch]) c[i] = b[i] = T(std::nanf(""));
    }
    const Tensor<T> q = tensor(a, of_q), k = tensor(b, of_k), v = tensor(c, of_k), out(gpu, of_q);
    fill(gpu, out, T(7.0f));
    const Module text = module();
    const auto bits = [](const Tensor<T>& t) { return Slice<unsigned short>(t.memory().bytes()); };
    gpu.launch(text.kernel("quern_ops::set_tensors"), grid({1, 1, 1}, {1, 1, 1}), bits(q), bits(k), bits(v),
               bits(out));
    const int group = static_cast<int>(h.heads / h.kv_heads), tokens = 64 / kernel.packed;
    const int queries = tokens * kernel.groups;
    const int tiles = (static_cast<int>(h.queries) + queries - 1) / queries;
    const AttentionShape shape{n(h.batches), n(h.kv_heads),          group,       n(h.queries),  n(h.keys),
                               n(h.extent),  mask.is_causal ? 1 : 0, mask.window, kernel.splits, Line{0, 1}};
    const std::string name = "quern_ops::attention_wgmma<" + std::string(name_of(element_of<T>)) +
                             ", quern_ops::Box, " + std::to_string(kernel.extent) + ", " +
                             std::to_string(kernel.keys) + ", " + std::to_string(kernel.stages) + ", " +
                             std::to_string(kernel.groups) + flag(kernel.takes_turns) +
                             flag(kernel.replaces_queries) + flag(kernel.splits > 1) + ">";
    SCOPED_TRACE(name);
    const Buffer<std::int32_t> lengths =
        mask.lengths.empty() ? Buffer<std::int32_t>() : gpu.upload(mask.lengths);
    const double scale = std::log2(std::exp(1.0)) / std::sqrt(static_cast<double>(h.extent));
    const int fixed = kernel.groups * 64 * kernel.extent * 2;
    const int shared = (kernel.replaces_queries ? 1 : 2) * fixed + 16 * kernel.groups +
                       kernel.stages * (kernel.keys * kernel.extent * 4 + 32);
    Buffer<float> unfinished = gpu.allocate<float>(
        static_cast<std::size_t>(of_q.size() / of_q[3] * (kernel.extent + 2) * kernel.splits));
    gpu.launch(text.kernel(name),
               grid({static_cast<unsigned>(kernel.blocks), 1, 1},
                    {static_cast<unsigned>(128 * (kernel.groups + 1)), 1, 1})
                   .shared(static_cast<std::uint64_t>(shared)),
               shape, Order{kernel.packed, tokens, tiles, 3 * group / kernel.packed, kernel.splits},
               static_cast<float>(scale), box_of(of_q, kernel.packed, tokens, 0),
               box_of(of_k, 1, kernel.keys, 1), box_of(of_k, 1, kernel.keys, 2),
               box_of(of_q, kernel.packed, tokens, 3),
               mask.lengths.empty() ? Argument(nullptr) : Argument(lengths), unfinished);
    if (kernel.splits > 1) {
      const detail::View of = detail::view_of(out);
      combine_splits(gpu, {of, of, of, of, shape, nullptr, 1}, unfinished);
    }
    expect_near(out.download(), reference(wide(a), wide(b), wide(c), h, mask), 1, 2 * tolerance_of<T>());
  }
};
INSTANTIATE_TEST_SUITE_P(All, OpsAttentionWgmma, testing::Values("sim"), ::quern::test::device_name);

TEST_P(OpsAttentionWgmma, ComputesTilesOfEveryKind) {
  check_kernel<half>({1, 2, 2, 70, 150, 64}, {}, {64, 64, 2, 2, true, false, 1, 3});
  check_kernel<half>({1, 1, 1, 200, 200, 128}, {.is_causal = true}, {128, 64, 2, 2, true, false, 1, 1});
  check_kernel<bfloat16>({1, 1, 1, 140, 300, 96}, {.is_causal = true}, {128, 128, 2, 2, true, false, 1, 1});
  check_kernel<bfloat16>({1, 1, 1, 70, 380, 120}, {.window = 40}, {128, 176, 2, 2, false, true, 1, 1});
  check_kernel<half>({1, 1, 1, 200, 290, 40}, {.is_causal = true, .window = 90},
                     {64, 64, 3, 3, true, false, 1, 2});
  check_kernel<half>({1, 1, 1, 30, 100, 256}, {.is_causal = true}, {256, 64, 2, 2, true, true, 1, 1});
}

TEST_P(OpsAttentionWgmma, PacksHeadsAndReadsLengths) {
  check_kernel<half>({2, 8, 2, 11, 150, 64}, {.is_causal = true, .lengths = {101, 5}},
                     {64, 64, 2, 2, true, false, 4, 2});
  check_kernel<half>({3, 2, 1, 75, 160, 64}, {.is_causal = true, .lengths = {100, 0, 160}},
                     {64, 64, 2, 2, true, true, 1, 2});
}

TEST_P(OpsAttentionWgmma, SplitsKeys) {
  check_kernel<half>({2, 8, 2, 1, 500, 128}, {.lengths = {433, 60}}, {128, 64, 2, 1, false, true, 4, 5, 3});
  check_kernel<bfloat16>({1, 6, 3, 5, 300, 64}, {.is_causal = true}, {64, 64, 3, 1, false, true, 2, 4, 2});
}

// Every variant of the kernels with tensor cores, with tensor maps.
class OpsAttentionVariants : public OpsAttention {
 protected:
  template <typename T>
  void check_variants(const Heads& h, const Mask& mask) {
    const auto n = [](std::size_t v) { return static_cast<std::int64_t>(v); };
    const std::int64_t rows = n(h.queries * h.heads / h.kv_heads);
    const Problem problem{{n(h.heads), rows, n(h.keys), n(h.extent)}, element_of<T>};
    for (const Variant& variant : find_tunable("attention")->variants(gpu.info(), problem)) {
      SCOPED_TRACE(variant.to_string());
      const VariantScope scope("attention", variant);
      check<T>(h, mask);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(All, OpsAttentionVariants, testing::Values("cuda"), ::quern::test::device_name);

TEST_P(OpsAttentionVariants, AttendWithEveryMask) {
  check_variants<half>({1, 2, 2, 300, 300, 128}, {});
  check_variants<bfloat16>({2, 4, 2, 257, 500, 128}, {.is_causal = true});
  check_variants<half>({2, 2, 1, 200, 700, 96}, {.is_causal = true, .window = 150, .lengths = {600, 321}});
  check_variants<bfloat16>({1, 3, 3, 130, 390, 64}, {.window = 100});
  check_variants<half>({2, 6, 2, 70, 260, 36}, {.is_causal = true, .lengths = {0, 260}});  // copies
  check_variants<half>({1, 8, 2, 20, 400, 64}, {.is_causal = true});                       // packed heads
  check_variants<bfloat16>({1, 2, 2, 140, 300, 256}, {.is_causal = true});
  check_variants<half>({1, 5, 1, 520, 1500, 128}, {.is_causal = true});
}

TEST_P(OpsAttentionVariants, DecodeWithEveryMask) {
  check_variants<half>({2, 8, 2, 1, 3000, 128}, {.is_causal = true, .lengths = {2777, 5}});
  check_variants<bfloat16>({3, 6, 2, 5, 900, 64}, {.is_causal = true, .window = 333});
  check_variants<half>({1, 4, 4, 1, 5000, 256}, {});
  check_variants<half>({1, 64, 1, 1, 1000, 40}, {.lengths = {0}});
  check_variants<half>({1, 4, 2, 3, 500, 36}, {.is_causal = true});  // without tensor maps
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
