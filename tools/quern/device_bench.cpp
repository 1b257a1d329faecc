#include "device_bench.hpp"

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "quern/quern.hpp"

namespace quern::tool {

namespace {

constexpr const char* kText = R"(
__global__ void copy(int n, const float4* from, float4* to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
__global__ void multiply(int rounds, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = i * 1e-6f, b = a + 1, c = a + 2, d = a + 3;
  for (int k = 0; k < rounds; ++k) {
    a = fmaf(a, 0.999f, 0.5f);
    b = fmaf(b, 0.999f, 0.5f);
    c = fmaf(c, 0.999f, 0.5f);
    d = fmaf(d, 0.999f, 0.5f);
  }
  out[i] = a + b + c + d;
}
)";

// The best of several launches; the first one compiles the code.
double best_seconds(const std::function<Receipt()>& launch) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) best = std::min(best, launch().seconds().value());
  return best;
}

// The work is doubled until a launch takes long enough to be measured.
template <typename Work>
double best_rate(std::size_t first, std::size_t most, const Work& work) {
  constexpr double kEnough = 5e-3;
  for (std::size_t n = first;; n *= 4) {
    const auto [seconds, amount] = work(n);
    if (seconds >= kEnough || n * 4 > most) return amount / std::max(seconds, 1e-9) * 1e-9;
  }
}

runtime::Measured measure(const Device& device) {
  const Module module = device.compile(kText, {.name = "bench"});
  const Kernel copy = module.kernel("copy"), multiply = module.kernel("multiply");
  struct Four {
    float x, y, z, w;
  };
  const auto copied = [&](std::size_t n) {
    auto from = device.allocate<Four>(n), to = device.allocate<Four>(n);
    from.fill({1, 2, 3, 4});
    const double seconds =
        best_seconds([&] { return device.launch(copy, threads(n).timed(), static_cast<int>(n), from, to); });
    return std::pair{seconds, 2.0 * sizeof(Four) * static_cast<double>(n)};
  };
  const auto multiplied = [&](std::size_t n) {
    constexpr int kRounds = 256;
    auto out = device.allocate<float>(n);
    const double seconds =
        best_seconds([&] { return device.launch(multiply, threads(n).timed(), kRounds, out); });
    return std::pair{seconds, 8.0 * kRounds * static_cast<double>(n)};
  };
  return {best_rate(1 << 10, 1 << 24, copied), best_rate(1 << 8, 1 << 22, multiplied)};
}

}  // namespace

base::Result<runtime::Measured> bench(const std::string& device) {
  try {
    return measure(open(device));
  } catch (const Error& error) {
    return base::Error(base::ErrorKind::internal, error.message()).add_context("measuring " + device);
  }
}

}  // namespace quern::tool
