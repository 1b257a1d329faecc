// Functions on floats, which are computed in vectors of doubles, against the host's in double, rounded.
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/cpu_device.hpp"
#include "lang/compile.hpp"

namespace quern::cpu {
namespace {

constexpr size_t kCount = 1 << 16;

struct Function {
  const char* name;
  double (*host)(double);
};
constexpr Function kFunctions[] = {
    {"expf", std::exp},     {"exp2f", std::exp2}, {"logf", std::log}, {"log2f", std::log2},
    {"log10f", std::log10}, {"sinf", std::sin},   {"cosf", std::cos}, {"tanhf", std::tanh},
};

std::vector<float> launch(driver::Device& device, const std::string& source, const std::vector<float>& x,
                          const std::vector<float>& y) {
  lang::Compilation compiled = lang::compile("test.cu", source);
  EXPECT_TRUE(compiled.ok) << compiled.rendered;
  driver::Code code;
  code.module = std::make_shared<ir::Module>(std::move(compiled.module));
  const auto program = std::move(*device.load(code));
  const auto kernel = std::move(*device.kernel(*program, "k"));
  const auto queue = std::move(*device.create_queue({}));
  std::vector<std::unique_ptr<driver::Buffer>> buffers;
  std::vector<driver::Argument> arguments;
  for (const std::vector<float>& from : {x, y, x}) {
    buffers.push_back(std::move(*device.allocate(from.size() * 4, driver::MemoryKind::kDevice)));
    std::memcpy(buffers.back()->host, from.data(), from.size() * 4);
    arguments.push_back({{buffers.back().get(), 0}, nullptr, 0});
  }
  const auto blocks = static_cast<uint32_t>(x.size() / 256);
  EXPECT_TRUE(device.launch(*queue, *kernel, {{blocks, 1, 1}, {256, 1, 1}, 0, arguments, false}).ok());
  EXPECT_TRUE(device.synchronize(*queue).ok());
  std::vector<float> out(x.size());
  std::memcpy(out.data(), buffers[2]->host, out.size() * 4);
  return out;
}

// All exponents and signs, infinities, zeros and NaN among them.
std::vector<float> all_sizes() {
  std::vector<float> x;
  for (uint32_t i = 0; i < kCount; ++i) x.push_back(std::bit_cast<float>(i << 16 | (i * 40503u & 0xffffu)));
  x[0] = 0.0f, x[1] = -0.0f, x[2] = INFINITY, x[3] = -INFINITY, x[4] = NAN, x[5] = 1.0f;
  return x;
}

// How many differ; none by more than the last place.
size_t differing(const std::vector<float>& got, const std::vector<float>& wanted) {
  size_t count = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(wanted[i])) continue;
    if (std::bit_cast<uint32_t>(got[i]) == std::bit_cast<uint32_t>(wanted[i])) continue;
    ++count;
    EXPECT_LE(std::fabs(got[i] - wanted[i]), std::fabs(wanted[i]) * 0x1p-22f) << i;
    EXPECT_EQ(std::isnan(got[i]), std::isnan(wanted[i])) << i;
  }
  return count;
}

class MathTest : public testing::TestWithParam<uint32_t> {};

TEST_P(MathTest, RoundsAsTheHostDoes) {
  driver::Device* device = device_of_width(GetParam());
  QUERN_NEED_CPU(device);
  const std::vector<float> x = all_sizes();
  for (const Function& f : kFunctions) {
    const std::string source =
        std::string("__global__ void k(const float* x, const float* y, float* z) {\n") +
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; z[i] = " + f.name + "(x[i]); }";
    std::vector<float> wanted;
    for (const float v : x) wanted.push_back(static_cast<float>(f.host(v)));
    EXPECT_LE(differing(launch(*device, source, x, x), wanted), 1u) << f.name;
  }
}

TEST_P(MathTest, PowersRoundAsTheHostDoes) {
  driver::Device* device = device_of_width(GetParam());
  QUERN_NEED_CPU(device);
  std::vector<float> x = all_sizes(), y, wanted;
  for (size_t i = 0; i < x.size(); ++i) {
    if (i % 4 != 0) x[i] = 0.25f + static_cast<float>(i % 1000) / 250.0f;
    y.push_back(i % 7 == 0 ? static_cast<float>(i % 5) : (static_cast<float>(i) - 30000.0f) / 997.0f);
    wanted.push_back(static_cast<float>(std::pow(static_cast<double>(x[i]), static_cast<double>(y[i]))));
  }
  const char* source =
      "__global__ void k(const float* x, const float* y, float* z) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; z[i] = powf(x[i], y[i]); }";
  EXPECT_LE(differing(launch(*device, source, x, y), wanted), 1u);
}

// One value for all lanes takes another way, and must give the same.
TEST_P(MathTest, ScalarsAreComputedAlike) {
  driver::Device* device = device_of_width(GetParam());
  QUERN_NEED_CPU(device);
  std::vector<float> x;
  for (int i = 0; i < 4096; ++i) x.push_back(static_cast<float>(i - 2048) * 0.037f);
  const char* source =
      "__global__ void k(const float* x, const float* y, float* z) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; float a = x[blockIdx.x * 7], b = x[blockIdx.x * 7 + "
      "i * 0 + (i & 0)];\n"
      "  z[i] = (sinf(a) - sinf(b)) + (expf(a) - expf(b)) + (logf(a * a + 1) - logf(b * b + 1)); }";
  for (const float v : launch(*device, source, x, x)) ASSERT_EQ(v, 0.0f);
}

INSTANTIATE_TEST_SUITE_P(Widths, MathTest, testing::Values(1u, 4u, 16u, 64u));

}  // namespace
}  // namespace quern::cpu
