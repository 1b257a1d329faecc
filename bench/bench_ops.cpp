// Operations on a device (default: cpu) compared with OpenMP loops and std::sort on the host:
// bench_ops [DEVICE] [ELEMENTS]. Ratio: the host's time divided by the device's, so more than 1 is faster.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>

#include "base/table.hpp"
#include "base/text.hpp"
#include "ops/loops.hpp"
#include "quern/ops.hpp"
#include "quern/quern.hpp"

namespace {

using namespace quern;  // NOLINT(google-build-using-namespace)
using base::Align;
using base::format;

constexpr int kRounds = 7;

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Measures device and host alternately and keeps the best of each. `prepare` is not measured.
class Rows {
 public:
  explicit Rows(const Device& device) : device_(device) {}
  // `work`: bytes or operations, `unit` names 1e9 of them per second.
  void measure(const char* name, double work, const char* unit, const std::function<void()>& prepare,
               const std::function<void()>& on_device, const std::function<void()>& on_host) {
    double device = 1e30, host = 1e30;
    for (int round = 0; round <= kRounds; ++round) {  // the first one compiles
      prepare();
      device_.synchronize();
      const double took = seconds([&] {
        on_device();
        device_.synchronize();
      });
      const double competitor = seconds(on_host);
      if (round == 0) continue;
      device = std::min(device, took);
      host = std::min(host, competitor);
    }
    table_.add_row({name, format("%.3f ms", device * 1e3), format("%.2f %s", work / device * 1e-9, unit),
                    format("%.3f ms", host * 1e3), format("%.2f", host / device)});
  }
  void print() const { std::printf("%s", table_.to_string().c_str()); }

 private:
  const Device& device_;
  base::Table table_{{{"operation"},
                      {"device", Align::kRight},
                      {"rate", Align::kRight},
                      {"host", Align::kRight},
                      {"ratio", Align::kRight}}};
};

void measure_primitives(Rows& rows, const Device& gpu, std::int64_t n) {
  const auto size = static_cast<std::size_t>(n);
  const auto bytes = static_cast<double>(n);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> unit(0, 1);
  std::vector<float> reals(size), squares(size);
  std::vector<std::int32_t> numbers(size), sums(size);
  std::vector<std::uint32_t> keys(size), sorted, counts(256);
  for (float& v : reals) v = unit(random);
  for (std::int32_t& v : numbers) v = static_cast<std::int32_t>(random() % 16);
  for (std::uint32_t& v : keys) v = static_cast<std::uint32_t>(random());
  const ops::Tensor<float> x(gpu, {n}), y(gpu, {n});
  const ops::Tensor<std::int32_t> i(gpu, {n}), j(gpu, {n});
  const ops::Tensor<std::uint32_t> k(gpu, {n}), bins(gpu, {256});
  x.upload(reals);
  i.upload(numbers);
  const auto nothing = [] {};
  volatile float total = 0;
  rows.measure(
      "transform float", 8 * bytes, "GB/s", nothing,
      [&] { ops::transform(gpu, "[](float v) { return v * v; }", x, y); },
      [&] { bench::square(reals, squares); });
  rows.measure(
      "sum float", 4 * bytes, "GB/s", nothing, [&] { total = ops::sum(gpu, x); },
      [&] { total = bench::sum(reals); });
  rows.measure(
      "scan int", 8 * bytes, "GB/s", nothing, [&] { ops::inclusive_scan(gpu, ops::Combine::sum, i, j); },
      [&] { bench::scan(numbers, sums); });
  rows.measure(
      "histogram float, 256 bins", 4 * bytes, "GB/s", nothing,
      [&] { ops::histogram(gpu, x, bins, 0.0f, 1.0f); }, [&] { bench::histogram(reals, counts); });
  rows.measure(
      "sort unsigned", bytes, "Gkeys/s",
      [&] {
        sorted = keys;
        k.upload(keys);
      },
      [&] { ops::sort(gpu, k); }, [&] { std::sort(sorted.begin(), sorted.end()); });
}

void measure_product(Rows& rows, const Device& gpu, int n) {
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const std::vector<float> a(size, 0.5f), b(size, 0.25f);
  std::vector<float> c(size);
  const ops::Tensor<float> x(gpu, {n, n}), y(gpu, {n, n}), z(gpu, {n, n});
  x.upload(a);
  y.upload(b);
  const std::string name = format("matmul float %d", n);
  rows.measure(
      name.c_str(), 2.0 * n * n * n, "GFLOP/s", [] {}, [&] { ops::matmul(gpu, x, y, z); },
      [&] { bench::multiply(a, b, c, n); });
}

}  // namespace

int main(int count, char** words) {
  try {
    const Device gpu = open(count > 1 ? words[1] : "cpu");
    const std::int64_t n = count > 2 ? std::atoll(words[2]) : std::int64_t{1} << 22;
    std::printf("%s, %lld elements\n", gpu.info().name.c_str(), static_cast<long long>(n));
    Rows rows(gpu);
    measure_primitives(rows, gpu, n);
    measure_product(rows, gpu, 512);
    rows.print();
  } catch (const Error& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  return 0;
}
