// Host cost of asynchronous calls of operations, compared with that of Stream::launch: bench_calls [DEVICE]
// (default: cpu). The operands are small, so that the host is slower than the device. Ratio: the time of a
// call divided by the time of the launch.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "base/text.hpp"
#include "launch_cost.hpp"
#include "quern/ops.hpp"
#include "quern/quern.hpp"

namespace {

using namespace quern;  // NOLINT(google-build-using-namespace)
using base::Align;
using base::format;

constexpr int kCalls = 100;  // fewer than a queue holds: none waits for a slot
constexpr int kRounds = 50;

struct Cost {
  double elapsed = 1e30, used = 1e30;  // µs per call of the best round; used: CPU time of this thread
};

Cost cost_of(const Device& device, const std::function<void()>& call) {
  Cost out;
  for (int round = 0; round <= kRounds; ++round) {  // the first one compiles
    const auto start = std::chrono::steady_clock::now();
    const double before = bench::thread_us();
    for (int i = 0; i < kCalls; ++i) call();
    const double used = bench::thread_us() - before;
    const double elapsed =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    device.synchronize();
    if (round == 0) continue;
    out.elapsed = std::min(out.elapsed, elapsed / kCalls);
    out.used = std::min(out.used, used / kCalls);
  }
  return out;
}

class Rows {
 public:
  explicit Rows(const Device& device) : device_(device) {}
  void measure(const std::string& name, const std::function<void()>& call) {
    const Cost cost = cost_of(device_, call);
    if (launch_ == 0) launch_ = cost.elapsed;
    table_.add_row({name, format("%.2f us", cost.elapsed), format("%.2f us", cost.used),
                    format("%.2f", cost.elapsed / launch_)});
  }
  void print() const { std::printf("%s", table_.to_string().c_str()); }

 private:
  const Device& device_;
  double launch_ = 0;  // the first row
  base::Table table_{
      {{"call"}, {"elapsed", Align::kRight}, {"CPU time", Align::kRight}, {"ratio", Align::kRight}}};
};

template <typename T>
void measure_matmul(Rows& rows, const Device& gpu, const char* type) {
  for (const std::int64_t n : {64, 128}) {
    const ops::Tensor<T> a(gpu, {n, n}), b(gpu, {n, n}), c(gpu, {n, n});
    rows.measure(format("matmul %s %d", type, static_cast<int>(n)), [=] { ops::matmul(gpu, a, b, c); });
  }
}

void run(const Device& gpu) {
  const std::int64_t n = 64;
  const ops::Tensor<float> x(gpu, {n, n}), y(gpu, {n, n}), total(gpu, ops::Shape{1});
  const ops::Tensor<std::int32_t> i(gpu, {n}), j(gpu, {n});
  const Kernel kernel = gpu.compile(
                               "__global__ void five(int n, float a, const float* x, float* y, int* z) "
                               "{ if (n < 0) { y[0] = a * x[0]; z[0] = 0; } }\n")
                            .kernel("five");
  Rows rows(gpu);
  const LaunchConfig config = grid(1, 32);
  rows.measure("launch with five arguments",
               [&] { gpu.launch(kernel, config, 1, 2.0f, x.memory(), y.memory(), j.memory()); });
  measure_matmul<ops::half>(rows, gpu, "f16");
  measure_matmul<float>(rows, gpu, "f32");
  if (gpu.info().has(Feature::fp64)) measure_matmul<double>(rows, gpu, "f64");
  rows.measure("transform", [&] { ops::transform(gpu, "[](float v) { return v * v; }", x, y); });
  rows.measure("transform, strided",
               [&] { ops::transform(gpu, "[](float v) { return v * v; }", x.transpose(), y); });
  rows.measure("fill", [&] { ops::fill(gpu, y, 1.0f); });
  rows.measure("copy", [&] { ops::copy(gpu, x, y); });
  rows.measure("reduce", [&] { ops::reduce(gpu, ops::Combine::sum, x, total); });
  rows.measure("inclusive_scan", [&] { ops::inclusive_scan(gpu, ops::Combine::sum, i, j); });
  rows.measure("softmax", [&] { ops::softmax(gpu, x, y); });
  rows.measure("layer_norm", [&] { ops::layer_norm(gpu, x, y); });
  rows.measure("gelu", [&] { ops::activate(gpu, ops::gelu, x, y); });
  rows.print();
}

}  // namespace

int main(int count, char** words) {
  try {
    const Device gpu = open(count > 1 ? words[1] : "cpu");
    std::printf("%s\n", gpu.name().c_str());
    run(gpu);
  } catch (const Error& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  return 0;
}
