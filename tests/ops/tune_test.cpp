// Variants of operations.
#include "quern/ops/tune.hpp"

#include <stdlib.h>

#include "base/temporary_folder.hpp"
#include "ops/choice.hpp"
#include "ops/ops_case.hpp"

namespace quern::ops {
namespace {

class OpsTune : public testing::Test {
 protected:
  OpsTune() {
    if (const char* before = ::getenv("QUERN_CACHE"); before != nullptr) cache_ = before;
    ::setenv("QUERN_CACHE", folder_.path().c_str(), 1);
    options.warm_up_seconds = 0;
    options.rounds = 3;
    options.seconds = 100;
  }
  ~OpsTune() override {
    ::unsetenv("QUERN_TUNE");
    if (cache_.empty()) {
      ::unsetenv("QUERN_CACHE");
    } else {
      ::setenv("QUERN_CACHE", cache_.c_str(), 1);
    }
  }
  // Results of all variants of an operation, as host memory.
  template <typename Work>
  static std::vector<std::vector<float>> results(const Device& gpu, std::string_view operation,
                                                 const Problem& problem, const Work& work) {
    std::vector<std::vector<float>> out;
    for (const Variant& v : find_tunable(operation)->variants(gpu.info(), problem)) {
      const VariantScope scope(operation, v);
      out.push_back(work());
    }
    return out;
  }
  static void expect_equal(const std::vector<std::vector<float>>& all, const std::vector<float>& want) {
    EXPECT_GT(all.size(), 1u);
    for (const auto& got : all) EXPECT_EQ(got, want);
  }

  TuneOptions options;

 private:
  base::TemporaryFolder folder_;
  std::string cache_;
};

// Small whole numbers: sums are exact in any order.
std::vector<float> small_numbers(std::int64_t count) {
  std::vector<float> out(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(i * 7 % 5) - 2;
  return out;
}

Tensor<float> uploaded(const Device& gpu, const Shape& shape) {
  Tensor<float> out(gpu, shape);
  out.upload(small_numbers(shape.size()));
  return out;
}

TEST_F(OpsTune, DefaultsAreUnchanged) {
  const Device gpu = open("sim");
  const auto standard = [&](const char* name, const Shape& shape, Element element, std::uint32_t alignment) {
    return find_tunable(name)->variants(gpu.info(), {shape, element, alignment}).front().to_string();
  };
  EXPECT_EQ(standard("matmul", {512, 512, 512}, Element::f32, 0), "rows=64 columns=64 depth=16 resident=1");
  EXPECT_EQ(standard("matmul", {512, 512, 512}, Element::f64, 0), "rows=64 columns=64 depth=16 resident=1");
  EXPECT_EQ(standard("reduce", {1000}, Element::f32, 0), "threads=256 items=8");
  EXPECT_EQ(standard("scan", {1000}, Element::f32, 0), "threads=256 items=8 chained=0");
  EXPECT_EQ(standard("rms_norm", {10, 512}, Element::f32, 16), "width=32 items=4");
  EXPECT_EQ(standard("rms_norm", {10, 1024}, Element::f32, 16), "width=64 items=4");
}

TEST_F(OpsTune, ShapesOfAClassHaveTheSameVariants) {
  DeviceInfo info;
  info.driver = "cuda";
  info.compute_capability = 90;
  info.compute_units = 132;
  info.limits.shared_bytes = 232448;
  const auto variants_of = [&](const Problem& problem) {
    std::vector<std::string> out;
    for (const Variant& v : find_tunable("matmul")->variants(info, problem)) out.push_back(v.to_string());
    std::sort(out.begin(), out.end());
    EXPECT_EQ(std::adjacent_find(out.begin(), out.end()), out.end());
    return out;
  };
  for (const Element element : {Element::f16, Element::i8, Element::e4m3}) {
    EXPECT_EQ(variants_of({{1000, 600, 1000}, element}), variants_of({{1024, 1024, 1024}, element}));
    EXPECT_EQ(variants_of({{70, 5000, 8000}, element}), variants_of({{128, 8192, 8192}, element}));
  }
  EXPECT_EQ(variants_of({{4095, 2049, 3000}, Element::f32, 0, Precision::tf32}),
            variants_of({{4096, 4096, 4096}, Element::f32, 0, Precision::tf32}));
}

TEST_F(OpsTune, EveryVariantOfMatmulIsRight) {
  const Device gpu = open("sim");
  const Tensor<float> a = uploaded(gpu, {35, 20}), b = uploaded(gpu, {20, 19});
  const std::vector<float> x = a.download(), y = b.download();
  std::vector<float> want(35 * 19);
  for (std::size_t i = 0; i < 35; ++i) {
    for (std::size_t j = 0; j < 19; ++j) {
      for (std::size_t d = 0; d < 20; ++d) want[i * 19 + j] += x[i * 20 + d] * y[d * 19 + j];
    }
  }
  expect_equal(
      results(gpu, "matmul", {{35, 19, 20}, Element::f32}, [&] { return matmul(gpu, a, b).download(); }),
      want);
  if (const std::string why = test::why_not("cpu", {}); !why.empty()) return;
  const Device cpu = open("cpu");
  const Tensor<float> c = uploaded(cpu, {35, 20}), d = uploaded(cpu, {20, 19});
  // A few of the variants: compiling takes long.
  for (const Variant& v : {Variant{{"bytes", 256}, {"rows", 4}, {"depth", 128}},
                           Variant{{"bytes", 128}, {"rows", 8}, {"depth", 64}}}) {
    const VariantScope scope("matmul", v);
    EXPECT_EQ(matmul(cpu, c, d).download(), want) << v.to_string();
  }
}

TEST_F(OpsTune, EveryVariantOfReduceAndScanIsRight) {
  const Device gpu = open("sim");
  const std::int64_t n = 3001;
  const Tensor<float> in = uploaded(gpu, {n}), out(gpu, {n}), one(gpu, Shape{1});
  const std::vector<float> x = in.download();
  std::vector<float> sums;
  float sum = 0;
  for (const float v : x) sums.push_back(sum += v);
  expect_equal(results(gpu, "scan", {{n}, Element::f32},
                       [&] {
                         inclusive_scan(gpu, Combine::sum, in, out);
                         return out.download();
                       }),
               sums);
  expect_equal(results(gpu, "reduce", {{n}, Element::f32},
                       [&] {
                         reduce(gpu, Combine::sum, in, one);
                         return one.download();
                       }),
               {sum});
}

TEST_F(OpsTune, EveryVariantOfNormsIsRight) {
  const Device gpu = open("sim");
  for (const std::int64_t columns : {96, 1100}) {
    const Tensor<float> in = uploaded(gpu, {5, columns}), out(gpu, {5, columns});
    const auto all = results(gpu, "layer_norm", {{5, columns}, Element::f32, 16}, [&] {
      layer_norm(gpu, in, out);
      return out.download();
    });
    ASSERT_GT(all.size(), 1u);
    for (const auto& got : all) {
      for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], all[0][i], 1e-5) << i;
    }
  }
}

TEST_F(OpsTune, CallsUseTheStoredVariant) {
  const Shape shape{40, 24, 16};
  const auto kernel_of = [&](const Device& gpu) {
    const Tensor<float> a = uploaded(gpu, {40, 16}), b = uploaded(gpu, {16, 24}), c(gpu, {40, 24});
    return matmul(gpu, a, b, c).kernel();
  };
  const std::string standard =
      "quern_ops::matmul_tiles<float, float, float, 0, false, false, 64, 64, 16, 1, false, false, 4, 4>";
  Device gpu = open("sim");
  EXPECT_EQ(kernel_of(gpu), standard);
  options.margin = -1000;  // the fastest one, even if it is not faster
  const TuneResult result = tune(gpu, "matmul", shape, Element::f32, options);
  EXPECT_TRUE(result.is_complete) << result.reason;
  std::string tuned = "quern_ops::matmul_tiles<float, float, float, 0, false, false";
  for (const char* size : {"rows", "columns", "depth", "resident"})
    tuned += ", " + std::to_string(result.variant.at(size));
  tuned += ", false, false, 4, 4>";
  EXPECT_EQ(kernel_of(gpu), tuned);
  gpu = open("sim");  // from the disk
  EXPECT_EQ(kernel_of(gpu), tuned);
  ::setenv("QUERN_TUNE", "off", 1);
  gpu = open("sim");
  EXPECT_EQ(kernel_of(gpu), standard);
  ASSERT_EQ(stored_tunings().size(), 1u);
  EXPECT_EQ(stored_tunings()[0].name, "ops::matmul");
  EXPECT_EQ(stored_tunings()[0].shape_class, "64x32x16");
}

TEST_F(OpsTune, MeasuresOnTheFirstCallIfAsked) {
  ::setenv("QUERN_TUNE", "on", 1);
  const Device gpu = open("sim");
  const Tensor<float> in = uploaded(gpu, {600}), out(gpu, Shape{1});
  const Tensor<int> numbers(gpu, {600}), total(gpu, Shape{1});
  reduce(gpu, Combine::sum, in, out);
  ASSERT_EQ(stored_tunings().size(), 1u);
  EXPECT_EQ(stored_tunings()[0].name, "ops::reduce");
  fill(gpu, numbers, 2);
  reduce(gpu, Combine::sum, numbers, total);  // whole numbers are not measured
  EXPECT_EQ(total.download()[0], 1200);
  EXPECT_EQ(stored_tunings().size(), 1u);
}

TEST_F(OpsTune, RejectsWrongProblems) {
  const Device gpu = open("sim");
  const auto message = [](const auto& work) {
    try {
      work();
    } catch (const Error& e) {
      return e.message();
    }
    return std::string("nothing was thrown");
  };
  EXPECT_EQ(message([&] { (void)tune(gpu, "unique", {4}); }),
            "tuning of ops::unique failed: the operation has no variants");
  EXPECT_EQ(message([&] {
              (void)tune(gpu, "matmul", {4, 4});
            }),
            "tuning of ops::matmul failed: the shape 4×4 does not describe a problem");
  EXPECT_EQ(message([&] { (void)tune(gpu, "scan", {0}); }),
            "tuning of ops::scan failed: the shape 0 does not describe a problem");
  EXPECT_EQ(message([&] { (void)tune(gpu, "scan", {4}, Element::i32); }),
            "tuning of ops::scan failed: the type i32 is not supported");
  EXPECT_EQ(message([&] { (void)tune(gpu, "scan", {4}, Element::e4m3); }),
            "tuning of ops::scan failed: the type e4m3 is not supported");
  options.seconds = 0.01;
  EXPECT_FALSE(tune(gpu, "matmul", {16, 16, 16}, Element::i8, options).candidates.empty());
  EXPECT_FALSE(tunable_operations().empty());
}

}  // namespace
}  // namespace quern::ops
