#include "ops/nn_case.hpp"

namespace quern::ops {
namespace {

class OpsQuantize : public NnCase {
 protected:
  // A quantized random matrix, and its values.
  struct Weights {
    Tensor<std::uint8_t> packed;
    Tensor<float> scales;
    std::vector<double> values;
  };
  Weights weights(Quantization quantization, std::int64_t rows, std::int64_t columns, std::int64_t groups) {
    const auto a = reals<float>(rows * columns);
    Weights out{Tensor<std::uint8_t>(gpu, {rows, packed_bytes(quantization, columns)}),
                Tensor<float>(gpu, {rows, groups}),
                {}};
    quantize(gpu, tensor(a, {rows, columns}), out.packed, out.scales, quantization);
    const Tensor<float> values(gpu, {rows, columns});
    dequantize(gpu, out.packed, out.scales, values, quantization);
    out.values = wide(values.download());
    return out;
  }
  static std::vector<double> product(const std::vector<double>& a, const std::vector<double>& w,
                                     std::size_t m, std::size_t n, std::size_t k) {
    std::vector<double> c(m * n, 0.0);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t d = 0; d < k; ++d) c[i * n + j] += a[i * k + d] * w[j * k + d];
      }
    }
    return c;
  }
  template <typename T>
  void check(Quantization quantization, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t groups) {
    const Weights w = weights(quantization, n, k, groups);
    const auto a = numbers<T>(m * k);
    const Tensor<float> c(gpu, {m, n}), factors(gpu, {m});
    fill(gpu, factors, 0.5f);
    const bool has_factors = std::is_same_v<T, std::int8_t>;
    QuantizedMatmulOptions options{.quantization = quantization};
    if (has_factors) options.activation_scales = factors;
    quantized_matmul(gpu, tensor(a, {m, k}), w.packed, w.scales, c, options);
    std::vector<double> want = product(wide(a), w.values, static_cast<std::size_t>(m),
                                       static_cast<std::size_t>(n), static_cast<std::size_t>(k));
    for (double& v : want) v *= has_factors ? 0.5 : 1.0;
    expect_near(c.download(), want, 16);
  }
};
INSTANTIATE_TEST_SUITE_P(All, OpsQuantize, testing::ValuesIn(::quern::test::each_driver({"native"})),
                         ::quern::test::device_name);

TEST_P(OpsQuantize, PacksAsDocumented) {
  std::vector<float> a(16);
  for (std::size_t i = 0; i < 16; ++i)
    a[i] = static_cast<float>(static_cast<int>(i % 3) - 1);  // -1, 0, 1, -1, ...
  const Tensor<float> x = tensor(a, {1, 16}), scales(gpu, {1, 1});
  const Tensor<std::uint8_t> packed(gpu, {1, 4});
  quantize(gpu, x, packed, scales, Quantization::ternary);
  std::vector<std::uint8_t> want(4, 0);
  for (std::size_t e = 0; e < 16; ++e)
    want[e % 4] = static_cast<std::uint8_t>(want[e % 4] | (e % 3 + 1) << (2 * (e / 4)));
  EXPECT_EQ(packed.download(), want);
  EXPECT_FLOAT_EQ(scales.download()[0], 11.0f / 16);
  const Tensor<float> y = tensor(std::vector<float>{7, -7, 0, 1, 2, 3, -4, -1}, {1, 8});
  quantize(gpu, y, packed, scales, Quantization::int4);
  EXPECT_EQ(packed.download(),
            (std::vector<std::uint8_t>{15 | 10 << 4, 1 | 11 << 4, 8 | 4 << 4, 9 | 7 << 4}));
  const Tensor<float> z = tensor(std::vector<float>{448, -1, 0, 0.0625f}, {1, 4});
  quantize(gpu, z, packed, scales, Quantization::fp8);
  EXPECT_EQ(packed.download(), (std::vector<std::uint8_t>{0x7e, 0xb8, 0, 0x18}));
  quantize(gpu, tensor(std::vector<float>{127, -127, 1, -3}, {1, 4}), packed, scales, Quantization::int8);
  EXPECT_EQ(packed.download(), (std::vector<std::uint8_t>{127, 129, 1, 253}));
}

TEST_P(OpsQuantize, RoundsToTheNearestValue) {
  const auto a = reals<float>(3 * 64);
  const Tensor<float> x = tensor(a, {3, 64}), y(gpu, {3, 64}), scales(gpu, {3, 2});
  const Tensor<std::uint8_t> packed(gpu, {3, 32});
  quantize(gpu, x, packed, scales, Quantization::int4);
  dequantize(gpu, packed, scales, y, Quantization::int4);
  const std::vector<float> got = y.download(), factors = scales.download();
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_LE(std::abs(got[i] - a[i]), factors[i / 32] * 0.5001f) << i;
}

TEST_P(OpsQuantize, MultipliesFloatActivations) {
  check<float>(Quantization::int4, 1, 19, 96, 3);
  check<float>(Quantization::fp8, 1, 5, 140, 1);
  check<half>(Quantization::int8, 3, 17, 64, 1);
}

TEST_P(OpsQuantize, MultipliesActivationsOf8Bits) {
  check<std::int8_t>(Quantization::ternary, 1, 21, 320, 1);
  check<std::int8_t>(Quantization::int4, 5, 9, 64, 2);
  check<std::int8_t>(Quantization::int8, 1, 3, 36, 1);
}

// Rows of weights that are aligned to 16 bytes, and activations of at most 16 bits.
TEST_P(OpsQuantize, MultipliesAlignedRows) {
  check<std::int8_t>(Quantization::ternary, 1, 21, 320, 1);
  check<std::int8_t>(Quantization::int4, 9, 19, 256, 2);
  check<std::int8_t>(Quantization::int8, 3, 16, 144, 1);
  check<half>(Quantization::int4, 1, 33, 1536, 12);
  check<bfloat16>(Quantization::int4, 2, 5, 128, 2);
}

TEST_P(OpsQuantize, ChoosesKernelsByOperands) {
  const auto kernel_of = [&](std::int64_t columns) {
    const Weights w = weights(Quantization::ternary, 3, columns, 1);
    const Tensor<std::int8_t> a(gpu, {1, columns});
    const Tensor<float> c(gpu, {1, 3});
    fill(gpu, a, std::int8_t{1});
    return std::string(
        quantized_matmul(gpu, a, w.packed, w.scales, c, {.quantization = Quantization::ternary}).kernel());
  };
  const std::string device = GetParam();
  if (device == "sim") {
    EXPECT_NE(kernel_of(128).find("quantized_mma"), std::string::npos);
    EXPECT_NE(kernel_of(112).find("quantized_matvec"), std::string::npos);  // rows of 28 bytes
  } else if (device == "cpu") {
    EXPECT_NE(kernel_of(112).find("quantized_lanes"), std::string::npos);
  }
}

TEST_P(OpsQuantize, MultipliesEveryTypeOfWeights) {
  if (!is_simulator() && std::string(GetParam()) != "cuda")
    GTEST_SKIP() << "runs on cuda and the simulators: other devices take long to compile the kernels";
  for (const Quantization quantization :
       {Quantization::int8, Quantization::fp8, Quantization::int4, Quantization::ternary}) {
    SCOPED_TRACE(static_cast<int>(quantization));
    check<half>(quantization, 3, 20, 640, 1);
    check<bfloat16>(quantization, 1, 17, 512, 2);
    if (quantization != Quantization::fp8) check<std::int8_t>(quantization, 8, 40, 1024, 2);
  }
}

TEST_P(OpsQuantize, PropagatesNaNOfWeights) {
  const Tensor<std::uint8_t> packed(gpu, {2, 64});
  const Tensor<float> scales(gpu, {2, 1}), c(gpu, {1, 2});
  std::vector<std::uint8_t> bytes(128, 0x38);  // 1
  fill(gpu, scales, 1.0f);
  for (const std::size_t at : {0, 1, 30, 63}) {
    bytes.assign(128, 0x38);
    bytes[at] = at % 2 == 0 ? 0x7f : 0xff;
    packed.upload(bytes);
    const Tensor<half> a(gpu, {1, 64});
    const Tensor<bfloat16> b(gpu, {1, 64});
    fill(gpu, a, half(1.0f));
    fill(gpu, b, bfloat16(1.0f));
    quantized_matmul(gpu, a, packed, scales, c, {.quantization = Quantization::fp8});
    expect_near(c.download(), {kNaN, 64.0});
    quantized_matmul(gpu, b, packed, scales, c, {.quantization = Quantization::fp8});
    expect_near(c.download(), {kNaN, 64.0});
  }
}

TEST_P(OpsQuantize, AcceptsEmptyMatricesAndReportsWrongOperands) {
  const Tensor<std::uint8_t> packed(gpu, {3, 32}), none(gpu, {0, 32});
  const Tensor<float> scales(gpu, {3, 1}), x(gpu, {2, 64}), c(gpu, {2, 3}), no_scales(gpu, {0, 1}),
      no_c(gpu, {2, 0});
  const QuantizedMatmulOptions int4{.quantization = Quantization::int4};
  EXPECT_EQ(quantized_matmul(gpu, x, none, no_scales, no_c, int4).kernel(), "");
  EXPECT_MESSAGE(
      "ops::quantized_matmul failed: 64 columns do not fit the packed matrix of shape 3×32 and the scales "
      "of shape 3×1",
      quantized_matmul(gpu, x, packed, scales, c));
  EXPECT_MESSAGE("the operand 'c' has shape 2×64", quantized_matmul(gpu, x, packed, scales, x, int4));
  EXPECT_MESSAGE("ops::quantize failed: the operand 'in' has shape 2×64",
                 quantize(gpu, x, packed, scales, Quantization::int4));
  EXPECT_MESSAGE("ops::quantized_matmul failed: the operand 'a' has elements of type signed char",
                 quantized_matmul(gpu, Tensor<std::int8_t>(gpu, {2, 32}), packed, scales, c,
                                  {.quantization = Quantization::fp8}));
}

}  // namespace
}  // namespace quern::ops
