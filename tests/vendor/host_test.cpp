// OpenBLAS and BLIS on the device cpu: fakes, and OpenBLAS where it is installed.
#include "vendor/vendor_case.hpp"

namespace quern::ops {
namespace {

class VendorOnCpu : public VendorCase {
 protected:
  void SetUp() override {
    VendorCase::SetUp();
    if (const std::string why = test::why_not("cpu", {}); !why.empty()) GTEST_SKIP() << why;
    cpu = open("cpu");
  }

  // A tensor with the values of `from`, whose last axis is not the one with adjacent elements.
  template <typename T>
  static Tensor<T> by_column(const Device& device, const Tensor<T>& from) {
    const Shape& s = from.shape();
    const std::size_t rank = s.rank();
    Tensor<T> out = rank == 3 ? Tensor<T>(device, {s[0], s[2], s[1]}).transpose()
                              : Tensor<T>(device, {s[1], s[0]}).transpose();
    out.upload(from.download());
    return out;
  }

  // All orders of the three matrices. `batches`: 0 without a batch.
  template <typename T>
  void expect_products(const Shape& s, std::int64_t batches) {
    const auto shape = [&](std::int64_t rows, std::int64_t columns) {
      return batches == 0 ? Shape{rows, columns} : Shape{batches, rows, columns};
    };
    for (int order = 0; order < 8; ++order) {
      Tensor<T> a = uploaded<T>(cpu, shape(s[0], s[2]), 3), b = uploaded<T>(cpu, shape(s[2], s[1]), 5),
                c = uploaded<T>(cpu, shape(s[0], s[1]), 2);
      const std::vector<T> want = reference<T>(s, a.download(), b.download(), c.download(), 2, 3);
      if ((order & 1) != 0) a = by_column(cpu, a);
      if ((order & 2) != 0) b = by_column(cpu, b);
      if ((order & 4) != 0) c = by_column(cpu, c);
      const Receipt receipt = matmul(cpu, a, b, c, {.alpha = 2, .beta = 3});
      EXPECT_EQ(c.download(), want) << s.to_string() << " " << order;
      EXPECT_NE(receipt.kernel().find("blas"), std::string::npos) << receipt.kernel();
    }
  }

  Device cpu;
};

const Variant kOpenblas{{"openblas", 1}}, kBlis{{"blis", 1}};

TEST_F(VendorOnCpu, ProductsOfAllOrdersAreRight) {
  const VariantScope scope("matmul", kOpenblas);
  for (const Shape& s : {Shape{5, 7, 3}, Shape{1, 4, 6}, Shape{4, 1, 6}, Shape{4, 5, 1}, Shape{1, 1, 1}}) {
    expect_products<float>(s, 0);
    expect_products<double>(s, 0);
    expect_products<float>(s, 3);
  }
  EXPECT_GT(fake->count("cblas_sgemm"), 0u);
  EXPECT_GT(fake->count("cblas_dgemm"), 0u);
}

TEST_F(VendorOnCpu, ReceiptsNameTheLibrary) {
  const Tensor<float> a = uploaded<float>(cpu, {4, 4}, 3), c(cpu, {4, 4});
  {
    const VariantScope scope("matmul", kOpenblas);
    const Receipt receipt = matmul(cpu, a, a, c);
    EXPECT_EQ(receipt.kernel(), "openblas 0.3.99");
    EXPECT_EQ(receipt.driver(), "cpu");
    EXPECT_EQ(receipt.device(), cpu.name());
    EXPECT_NE(receipt.to_string().find("openblas 0.3.99"), std::string::npos);
    EXPECT_FALSE(receipt.seconds());
  }
  const VariantScope scope("matmul", kBlis);
  EXPECT_EQ(matmul(cpu, a, a, c).kernel(), "blis 1.0");
}

TEST_F(VendorOnCpu, WorkIsInOrderOfTheStream) {
  const VariantScope scope("matmul", kOpenblas);
  const Stream stream = cpu.create_stream();
  Tensor<float> a = uploaded<float>(cpu, {8, 8}, 3), b(cpu, {8, 8}), c(cpu, {8, 8});
  const std::vector<float> values = a.download();
  fill(stream, b, 0.0f);
  matmul(stream, a, a, b);
  matmul(stream, b, a, c);
  a = {};  // the memory lives until the work is done
  const Shape s{8, 8, 8};
  const auto square = reference<float>(s, values, values, values, 1, 0);
  stream.synchronize();
  EXPECT_EQ(c.download(), reference<float>(s, square, values, values, 1, 0));
}

TEST_F(VendorOnCpu, OursIsTheDefault) {
  const Tensor<float> a = uploaded<float>(cpu, {4, 4}, 3), c(cpu, {4, 4});
  EXPECT_EQ(matmul(cpu, a, a, c).kernel().find("quern_ops::"), 0u);
  EXPECT_TRUE(fake->calls().empty());
}

TEST_F(VendorOnCpu, OtherCallsUseOurKernels) {
  choose(cpu, "matmul", {4, 4, 4}, Element::f32, vendor::Name::kOpenblas);
  const Tensor<float> a = uploaded<float>(cpu, {4, 4}, 3), c(cpu, {4, 4}),
                      wide = uploaded<float>(cpu, {4, 8}, 3);
  const Tensor<float> bias = uploaded<float>(cpu, {4}, 1);
  EXPECT_EQ(matmul(cpu, a, a, c).kernel(), "openblas 0.3.99");
  const auto kernel = [&](const MatmulOptions<float>& options) {
    return matmul(cpu, a, a, c, options).kernel();
  };
  EXPECT_EQ(kernel({.bias = bias}).find("quern_ops::"), 0u);
  EXPECT_EQ(kernel({.activation = relu}).find("quern_ops::"), 0u);
  EXPECT_EQ(matmul(cpu, wide.slice(1, 0, 4, 2), a, c).kernel().find("quern_ops::"), 0u);
  EXPECT_EQ(fake->calls().size(), 1u);
  const VariantScope scope("matmul", kOpenblas);
  EXPECT_NE(message_of([&] { kernel({.activation = relu}); }).find("the library has no call"),
            std::string::npos);
}

TEST_F(VendorOnCpu, GraphsUseOurKernels) {
  choose(cpu, "matmul", {4, 4, 4}, Element::f32, vendor::Name::kOpenblas);
  const Tensor<float> a = uploaded<float>(cpu, {4, 4}, 3), c(cpu, {4, 4});
  const Graph graph = cpu.record([&](const Stream& s) { matmul(s, a, a, c); });
  EXPECT_EQ(graph.size() > 0, true);
  cpu.stream().run(graph);
  EXPECT_TRUE(fake->calls().empty());
  EXPECT_EQ(c.download(), reference<float>({4, 4, 4}, a.download(), a.download(), a.download(), 1, 0));
}

TEST_F(VendorOnCpu, LibrariesThatDoNotLoadAreNotUsed) {
  const Tensor<float> a = uploaded<float>(cpu, {4, 4}, 3), c(cpu, {4, 4});
  choose(cpu, "matmul", {4, 4, 4}, Element::f32, vendor::Name::kOpenblas);
  use("");
  EXPECT_EQ(matmul(cpu, a, a, c).kernel().find("quern_ops::"), 0u);
  const auto forced = [&] {
    const VariantScope scope("matmul", kOpenblas);
    return message_of([&] { matmul(cpu, a, a, c); });
  };
  EXPECT_NE(forced().find("libopenblas.so.0"), std::string::npos) << forced();
  EXPECT_NE(forced().find("install"), std::string::npos) << forced();
  use(QUERN_OLD_VENDOR);
  EXPECT_NE(forced().find("cblas_dgemm"), std::string::npos) << forced();
  ::setenv("QUERN_VENDOR_LIBRARIES", "off", 1);
  EXPECT_NE(forced().find("QUERN_VENDOR_LIBRARIES is off"), std::string::npos) << forced();
}

TEST_F(VendorOnCpu, CandidatesDependOnTypeAndVariable) {
  const auto names = [&](const char* operation, Element element) {
    std::string out;
    for (const Variant& v : describe_tuning(cpu, *find_tunable(operation), {{4, 4, 4}, element}).variants) {
      if (vendor::library_of(v) != vendor::Name::kNone) out += v.to_string() + " ";
    }
    return out;
  };
  EXPECT_EQ(names("matmul", Element::f32), "openblas=1 blis=1 ");
  EXPECT_EQ(names("matmul", Element::f16), "");
  EXPECT_EQ(names("scan", Element::f32), "");
  ::setenv("QUERN_VENDOR_LIBRARIES", "OFF", 1);
  EXPECT_EQ(names("matmul", Element::f32), "");
}

// The tuner with the default variant and the libraries: compiling all our variants takes long.
TuneResult tune_two(const Device& cpu) {
  const Tensor<float> a = uploaded<float>(cpu, {16, 16}, 3), c(cpu, {16, 16});
  TuneRequest request = describe_tuning(cpu, *find_tunable("matmul"), {{16, 16, 16}, Element::f32});
  request.variants = {request.variants.front(), kOpenblas, kBlis};
  request.outputs = {c.memory()};
  request.run = [&](const TuneCall& call) {
    const VariantScope scope("matmul", call.variant);
    matmul(call.stream, a, a, c);
  };
  TuneOptions options;
  options.warm_up_seconds = 0;
  options.rounds = 3;
  options.stores = false;
  return Tuner(cpu, options).tune(request);
}

TEST_F(VendorOnCpu, TheTunerMeasuresLibraries) {
  const TuneResult result = tune_two(cpu);
  ASSERT_EQ(result.candidates.size(), 3u);
  for (const TuneCandidate& c : result.candidates)
    EXPECT_GT(c.seconds, 0) << c.variant.to_string() << c.reason;
}

TEST_F(VendorOnCpu, TheTunerRejectsWrongResultsAndMissingLibraries) {
  fake->set_wrong(true);
  EXPECT_EQ(tune_two(cpu).find(kOpenblas)->state, TuneState::excluded);
  use("");
  const Device again = open("cpu");
  const TuneResult result = tune_two(again);
  EXPECT_EQ(result.find(kOpenblas)->state, TuneState::excluded);
  EXPECT_NE(result.find(kOpenblas)->reason.find("libopenblas.so.0"), std::string::npos);
  EXPECT_EQ(result.candidates[0].state, TuneState::measured);
}

TEST_F(VendorOnCpu, TheInstalledOpenblasIsRight) {
  ::setenv("QUERN_VENDOR_LIBRARIES", "on", 1);
  const VariantScope scope("matmul", kOpenblas);
  try {
    (void)vendor::load(vendor::Name::kOpenblas);
  } catch (const Error& e) {
    GTEST_SKIP() << e.what();
  }
  expect_products<float>({70, 33, 20}, 0);
  expect_products<double>({9, 65, 130}, 2);
  EXPECT_TRUE(fake->calls().empty());
}

}  // namespace
}  // namespace quern::ops
