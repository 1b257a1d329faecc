// cuBLAS, cuFFT and rocBLAS: fakes that compute on the host, and drivers without a GPU. Kernels do nothing
// here.
#include <complex>

#include "vendor/vendor_case.hpp"

namespace quern::ops {
namespace {

using vendor::Name;

const Variant kCublas{{"cublas", 1}}, kCufft{{"cufft", 1}}, kRocblas{{"rocblas", 1}};

class VendorOnGpu : public VendorCase {
 protected:
  void SetUp() override {
    VendorCase::SetUp();
    ::setenv("QUERN_CUDA_LIBRARY", QUERN_FAKE_CUDA, 1);
    ::setenv("QUERN_NVRTC", "none", 1);
    cuda = control<test::GetFakeCuda>(QUERN_FAKE_CUDA, "fake_cuda");
    cuda->reset();
    cuda->declare_all_kernels();
    gpu = open("cuda");
  }
  void TearDown() override {
    gpu = {};
    ::unsetenv("QUERN_CUDA_LIBRARY");
    ::unsetenv("QUERN_NVRTC");
    VendorCase::TearDown();
  }

  template <typename T>
  std::vector<long long> numbers_of_product() {
    const VariantScope scope("matmul", kCublas);
    const Tensor<T> a(gpu, {4, 6}), b(gpu, {6, 8}), c(gpu, {4, 8});
    matmul(gpu, a, b, c);
    return fake->calls().back().numbers;
  }

  test::FakeCuda* cuda = nullptr;
  Device gpu;
};

TEST_F(VendorOnGpu, CublasComputesProducts) {
  const VariantScope scope("matmul", kCublas);
  for (const bool a_is_by_column : {false, true}) {
    for (const bool b_is_by_column : {false, true}) {
      Tensor<double> a = uploaded<double>(gpu, {3, 5, 7}, 3), b = uploaded<double>(gpu, {7, 4}, 5),
                     c = uploaded<double>(gpu, {3, 5, 4}, 2);
      const auto want = reference<double>({5, 4, 7}, a.download(), b.download(), c.download(), 2, -1);
      if (a_is_by_column) {
        const Tensor<double> other = Tensor<double>(gpu, {3, 7, 5}).transpose();
        std::vector<double> values = a.download(), moved(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
          moved[i / 35 * 35 + i % 7 * 5 + i % 35 / 7] = values[i];
        Slice<double>(other.memory()).upload(moved);
        a = other;
      }
      if (b_is_by_column) {
        const Tensor<double> other = Tensor<double>(gpu, {4, 7}).transpose();
        std::vector<double> values = b.download(), moved(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) moved[i % 4 * 7 + i / 4] = values[i];
        Slice<double>(other.memory()).upload(moved);
        b = other;
      }
      EXPECT_EQ(matmul(gpu, a, b, c, {.alpha = 2, .beta = -1}).kernel(), "cublas 13.0");
      EXPECT_EQ(c.download(), want) << a_is_by_column << b_is_by_column;
    }
  }
}

// op_a, op_b, m, n, k, types, leading dimensions, batches, compute type, algorithm. The product of row-major
// matrices is that of their transposes in the other order.
TEST_F(VendorOnGpu, CublasGetsTheTypes) {
  using Numbers = std::vector<long long>;
  const auto want = [](long long type, long long compute) {
    return Numbers{0, 0, 8, 4, 6, type, type, type, 8, 6, 8, 0, 0, 0, 1, compute, -1};
  };
  EXPECT_EQ(numbers_of_product<float>(), want(0, 68));
  EXPECT_EQ(numbers_of_product<double>(), want(1, 70));
  EXPECT_EQ(numbers_of_product<half>(), want(2, 68));
  EXPECT_EQ(numbers_of_product<bfloat16>(), want(14, 68));
}

TEST_F(VendorOnGpu, CublasTakesTf32AndEightBitElements) {
  const long before = fake->alive();
  {
    const VariantScope scope("matmul", kCublas);
    const Tensor<float> x(gpu, {4, 6}), y(gpu, {6, 8}), z(gpu, {4, 8});
    matmul(gpu, x, y, z, {.precision = Precision::tf32});
    EXPECT_EQ(fake->calls().back().numbers[15], 77);  // CUBLAS_COMPUTE_32F_FAST_TF32

    const Tensor<std::int8_t> a = uploaded<std::int8_t>(gpu, {4, 6}, 3),
                              b = uploaded<std::int8_t>(gpu, {8, 6}, 5);
    const Tensor<std::int32_t> c(gpu, {4, 8});
    Slice<std::int32_t>(c.memory()).fill(1);
    for (int i = 0; i < 2; ++i)  // the second one uses the first one's descriptions
      EXPECT_EQ(matmul(gpu, a, b.transpose(), c, {.beta = 1}).kernel(), "cublas 13.0");
    const std::vector<std::int8_t> left = a.download(), right = b.download();
    std::vector<std::int32_t> want(32, 1);
    for (std::size_t i = 0; i < 32; ++i) {
      for (std::size_t d = 0; d < 6; ++d) want[i] += 2 * left[i / 8 * 6 + d] * right[i % 8 * 6 + d];
    }
    EXPECT_EQ(c.download(), want);
    using Numbers = std::vector<long long>;
    EXPECT_EQ(fake->calls().back().numbers, (Numbers{1, 0, 8, 4, 6, 3, 3, 10, 6, 6, 8, 72, 0}));
    EXPECT_EQ(fake->count("cublasLtMatmulAlgoGetHeuristic"), 1u);

    const Tensor<float8_e4m3> narrow(gpu, {16, 16});
    matmul(gpu, narrow, narrow.transpose(), Tensor<bfloat16>(gpu, {16, 16}));
    EXPECT_EQ(fake->calls().back().numbers, (Numbers{1, 0, 16, 16, 16, 28, 28, 14, 16, 16, 16, 68, 1}));
    gpu = {};
  }
  EXPECT_EQ(fake->alive(), before);
}

TEST_F(VendorOnGpu, CublasUsesTheStreamAndAWorkspace) {
  const VariantScope scope("matmul", kCublas);
  const Tensor<float> a = uploaded<float>(gpu, {8, 8}, 3), c(gpu, {8, 8});
  const Stream one = gpu.create_stream(), two = gpu.create_stream();
  matmul(one, a, a, c);
  matmul(two, a, a, c);
  const std::uint64_t before = cuda->alive();
  matmul(one, a, a, c);
  matmul(two, a, a, c);
  EXPECT_EQ(cuda->alive(), before);  // nothing is allocated after the first call
  const auto& calls = fake->calls();
  ASSERT_EQ(calls.size(), 4u);
  EXPECT_EQ(calls[0].stream, interop::get<interop::cuda::Stream>(one).stream);
  EXPECT_EQ(calls[1].stream, interop::get<interop::cuda::Stream>(two).stream);
  EXPECT_NE(calls[0].stream, calls[1].stream);
  EXPECT_NE(calls[0].workspace, nullptr);
  EXPECT_EQ(calls[0].workspace_bytes, std::size_t{32} << 20);
  EXPECT_NE(calls[0].workspace, calls[1].workspace);
  EXPECT_EQ(calls[0].workspace, calls[2].workspace);
  EXPECT_EQ(calls[1].workspace, calls[3].workspace);
  EXPECT_EQ(fake->count("cublasCreate"), 1u);
}

TEST_F(VendorOnGpu, HandlesAreDestroyedWithTheDevice) {
  const long before = fake->alive();
  {
    const Device other = open("cuda");
    const VariantScope first("matmul", kCublas), second("fft", kCufft);
    const Tensor<float> a = uploaded<float>(other, {8, 8}, 3), c(other, {8, 8});
    const Tensor<std::complex<float>> x(other, {2, 8}), y(other, {2, 8});
    matmul(other, a, a, c);
    fft(other, x, y);
    EXPECT_EQ(fake->alive(), before + 2);
  }
  EXPECT_EQ(fake->alive(), before);
}

TEST_F(VendorOnGpu, FailingCallsAreErrorsOfTheCandidateOnly) {
  const Tensor<float> a = uploaded<float>(gpu, {8, 8}, 3), c(gpu, {8, 8});
  for (const char* const function : {"cublasCreate", "cublasGetVersion", "cublasSetMathMode",
                                     "cublasSetStream", "cublasSetWorkspace", "cublasGemmStridedBatchedEx"}) {
    fake->reset();
    fake->fail(function, 13);
    const Device device = open("cuda");
    const Tensor<float> x = uploaded<float>(device, {8, 8}, 3), y(device, {8, 8});
    {
      const VariantScope scope("matmul", kCublas);
      const std::string message = message_of([&] { matmul(device, x, x, y); });
      EXPECT_NE(message.find(std::string(function) + " returned the error 13"), std::string::npos) << message;
    }
    choose(device, "matmul", {8, 8, 8}, Element::f32, Name::kCublas);
    EXPECT_EQ(matmul(device, x, x, y).kernel().find("quern_ops::"), 0u) << function;
    const std::size_t calls = fake->count(function);
    EXPECT_EQ(matmul(device, x, x, y).kernel().find("quern_ops::"), 0u) << function;
    EXPECT_EQ(fake->count(function), calls);  // it is not tried again
  }
}

TEST_F(VendorOnGpu, MissingLibrariesAndSymbolsAreNamed) {
  const Tensor<float> a = uploaded<float>(gpu, {8, 8}, 3), c(gpu, {8, 8});
  const Tensor<std::complex<float>> x(gpu, {2, 8}), y(gpu, {2, 8});
  const VariantScope first("matmul", kCublas), second("fft", kCufft);
  use("");
  EXPECT_NE(message_of([&] { matmul(gpu, a, a, c); }).find("libcublas.so.13"), std::string::npos);
  EXPECT_NE(message_of([&] { fft(gpu, x, y); }).find("libcufft.so.12"), std::string::npos);
  use(QUERN_OLD_VENDOR);
  EXPECT_NE(message_of([&] { matmul(gpu, a, a, c); }).find("cublasDestroy_v2"), std::string::npos);
  EXPECT_NE(message_of([&] { fft(gpu, x, y); }).find("cufftDestroy"), std::string::npos);
  ::setenv("QUERN_VENDOR_LIBRARIES", "off", 1);
  EXPECT_NE(message_of([&] { matmul(gpu, a, a, c); }).find("is off"), std::string::npos);
}

// Our kernels write nothing on this device, so that the library is the only correct candidate.
TEST_F(VendorOnGpu, ATunedLibraryIsUsedFromThenOn) {
  TuneOptions options;
  options.warm_up_seconds = 0;
  options.rounds = 3;
  const TuneResult result = tune(gpu, "matmul", {40, 24, 16}, Element::f32, options);
  EXPECT_EQ(result.variant, kCublas) << result.reason;
  EXPECT_EQ(result.source, TuneSource::measured);
  const auto kernel_of = [](const Device& device) {
    const Tensor<float> a = uploaded<float>(device, {40, 16}, 3), b = uploaded<float>(device, {16, 24}, 5),
                        c(device, {40, 24});
    return matmul(device, a, b, c).kernel();
  };
  EXPECT_EQ(kernel_of(gpu), "cublas 13.0");
  gpu = {};
  gpu = open("cuda");  // from the disk
  EXPECT_EQ(kernel_of(gpu), "cublas 13.0");
  ::setenv("QUERN_VENDOR_LIBRARIES", "off", 1);
  gpu = {};
  gpu = open("cuda");
  EXPECT_EQ(kernel_of(gpu).find("quern_ops::matmul"), 0u);

  ::setenv("QUERN_VENDOR_LIBRARIES", "", 1);
  use(QUERN_FAKE_VENDOR);
  const TuneResult transform = tune(gpu, "fft", {6, 20}, Element::c64, options);
  EXPECT_EQ(transform.variant, kCufft) << transform.reason;
}

class VendorFft : public VendorOnGpu {
 protected:
  using Complex = std::complex<float>;
  // A transform of each line, with the sign of the exponent.
  static std::vector<Complex> transformed(const std::vector<Complex>& in, std::size_t count, double sign) {
    std::vector<Complex> out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      std::complex<double> sum = 0;
      for (std::size_t from = 0; from < count; ++from)
        sum += std::complex<double>(in[i / count * count + from]) *
               std::polar(
                   1.0, sign * 2 * M_PI * static_cast<double>(i % count * from) / static_cast<double>(count));
      out[i] = Complex(sum);
    }
    return out;
  }
  std::vector<Complex> values() {
    std::vector<Complex> out(60);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = {static_cast<float>(i % 7), static_cast<float>(i * 3 % 5)};
    return out;
  }
  static void expect_near(const std::vector<Complex>& got, const std::vector<Complex>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_LT(std::abs(got[i] - want[i]), 1e-3) << i;
  }
};

TEST_F(VendorFft, CufftTransformsBatches) {
  const VariantScope scope("fft", kCufft);
  const Tensor<Complex> x(gpu, {5, 12}), y(gpu, {5, 12});
  x.upload(values());
  EXPECT_EQ(fft(gpu, x, y).kernel(), "cufft 12.0");
  expect_near(y.download(), transformed(values(), 12, -1));
  // rank, elements, steps and distances, type, batches
  EXPECT_EQ(fake->calls()[0].numbers, (std::vector<long long>{1, 12, 1, 12, 1, 12, 0x29, 5}));
  EXPECT_EQ(fake->calls()[1].stream, interop::get<interop::cuda::Stream>(gpu.stream()).stream);
  EXPECT_NE(fake->calls()[1].workspace, nullptr);

  // In place, inverse, with the same plan.
  EXPECT_EQ(fft(gpu, x, x, {.direction = FftDirection::inverse, .scale = 1}).kernel(), "cufft 12.0");
  expect_near(x.download(), transformed(values(), 12, 1));
  EXPECT_EQ(fake->count("cufftCreate"), 1u);

  // Along the first axis: the elements of a line are not adjacent.
  fft(gpu, x, y, {.axes = {0}});
  EXPECT_EQ(fake->calls()[3].numbers, (std::vector<long long>{1, 5, 12, 1, 12, 1, 0x29, 12}));
  const Tensor<std::complex<double>> u(gpu, {2, 8}), v(gpu, {2, 8});
  fft(gpu, u, v);
  EXPECT_EQ(fake->calls().back().function, "cufftExecZ2Z");
}

TEST_F(VendorFft, OtherTransformsUseOurKernels) {
  choose(gpu, "fft", {5, 12}, Element::c64, Name::kCufft);
  const Tensor<Complex> x(gpu, {5, 12}), y(gpu, {5, 12}), half(gpu, {5, 7});
  const Tensor<float> real(gpu, {5, 12});
  EXPECT_EQ(fft(gpu, x, y).kernel(), "cufft 12.0");
  const std::size_t calls = fake->calls().size();
  EXPECT_EQ(fft(gpu, x, y, {.direction = FftDirection::inverse}).kernel().find("quern_ops::fft"), 0u);
  EXPECT_EQ(rfft(gpu, real, half).kernel().find("quern_ops::fft"), 0u);
  const Graph graph = gpu.record([&](const Stream& s) { fft(s, x, y); });
  EXPECT_GT(graph.size(), 0u);
  EXPECT_EQ(fake->calls().size(), calls);
}

TEST_F(VendorFft, FailingCallsUseOurKernels) {
  for (const char* const function :
       {"cufftGetVersion", "cufftCreate", "cufftSetAutoAllocation", "cufftMakePlanMany64", "cufftSetStream",
        "cufftSetWorkArea", "cufftExecC2C"}) {
    fake->reset();
    fake->fail(function, 5);
    const Device device = open("cuda");
    choose(device, "fft", {5, 12}, Element::c64, Name::kCufft);
    const Tensor<Complex> x(device, {5, 12}), y(device, {5, 12});
    EXPECT_EQ(fft(device, x, y).kernel().find("quern_ops::fft"), 0u) << function;
    const VariantScope scope("fft", kCufft);
    const std::string message = message_of([&] { fft(device, x, y); });
    EXPECT_NE(message.find(std::string(function) + " returned the error 5"), std::string::npos) << message;
  }
}

TEST_F(VendorOnGpu, RocblasComputesProducts) {
  ::setenv("QUERN_HIP_LIBRARY", QUERN_HIP_ON_CUDA, 1);
  const Device hip = open("hip");
  const VariantScope scope("matmul", kRocblas);
  const Tensor<float> a = uploaded<float>(hip, {2, 5, 7}, 3), b = uploaded<float>(hip, {2, 7, 4}, 5),
                      c = uploaded<float>(hip, {2, 5, 4}, 2);
  const auto want = reference<float>({5, 4, 7}, a.download(), b.download(), c.download(), 3, 2);
  EXPECT_EQ(matmul(hip, a, b, c, {.alpha = 3, .beta = 2}).kernel(), "rocblas 5.1");
  EXPECT_EQ(c.download(), want);
  ASSERT_EQ(fake->calls().size(), 1u);
  EXPECT_EQ(fake->calls()[0].stream, interop::get<interop::hip::Stream>(hip.stream()).stream);
  EXPECT_NE(fake->calls()[0].workspace, nullptr);
  fake->fail("rocblas_gemm_strided_batched_ex", 6);
  EXPECT_NE(message_of([&] { matmul(hip, a, b, c); }).find("returned the error 6"), std::string::npos);
  ::unsetenv("QUERN_HIP_LIBRARY");
}

}  // namespace
}  // namespace quern::ops
