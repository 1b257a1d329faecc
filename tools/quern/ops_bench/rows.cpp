#include "ops_bench/rows.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>

#include "base/text.hpp"
#include "ops_arguments.hpp"
#include "quern/ops.hpp"

namespace quern::tool {

namespace {

using ops::Shape;
using ops::Tensor;

constexpr int kRounds = 9;
constexpr double kMeasured = 1e-3;    // least seconds of a measurement
constexpr double kSecondsOfRow = 2;   // no further rounds after this
constexpr std::size_t kSamples = 64;  // elements of a product that are checked

// Numbers from `low` to `high`.
template <typename T>
std::vector<T> random_numbers(std::size_t count, std::uint32_t seed, double low, double high) {
  std::vector<T> out(count);
  for (T& v : out) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<T>(low + (high - low) * (static_cast<double>(seed >> 8) * 0x1p-24));
  }
  return out;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

// How to run a row once on the device, and with the vendor's library.
struct BenchJob {
  std::function<Receipt()> run;
  std::function<void()> prepare;       // before each run, not measured; may be empty
  std::function<std::string()> check;  // of the last run's result: empty, or what is wrong
  std::function<void()> vendor;        // may be empty
};

class Bench {
 public:
  Bench(const Device& device, const BenchPeaks& peaks, const VendorBlas* blas,
        const std::function<void(const std::string&)>& on_row)
      : device_(device), peaks_(peaks), blas_(blas), on_row_(on_row) {}

  template <typename T>
  void multiply(const char* type, int n);
  void primitives(std::int64_t n, std::int64_t keys);
  void rows_of(std::int64_t rows, std::int64_t columns);
  std::vector<BenchRow> take() { return std::move(rows_); }

 private:
  void add(BenchRow row, const BenchJob& job);
  void measure(BenchRow& row, const BenchJob& job) const;

  const Device& device_;
  const BenchPeaks& peaks_;
  const VendorBlas* blas_;
  const std::function<void(const std::string&)>& on_row_;
  std::vector<BenchRow> rows_;
};

void Bench::add(BenchRow row, const BenchJob& job) {
  on_row_(row.operation + " " + row.type + " " + row.shape);
  if (blas_ != nullptr && row.vendor.empty()) row.vendor = "no vendor library has this operation";
  measure(row, job);
  const double peak = !row.is_flops ? peaks_.gigabytes : row.type == "f32" ? peaks_.gigaflops : 0;
  row.share = peak > 0 && row.wrong.empty() ? row.rate() / peak : 0;
  rows_.push_back(std::move(row));
}

// Device and library alternate.
void Bench::measure(BenchRow& row, const BenchJob& job) const {
  const auto prepare = [&] {
    if (job.prepare) job.prepare();
    device_.synchronize();
  };
  const auto once = [&](int repeats) {
    prepare();
    return seconds_of([&] {
             for (int i = 0; i < repeats; ++i) job.run();
             device_.synchronize();
           }) /
           repeats;
  };
  prepare();
  row.kernel = job.run().kernel();
  device_.synchronize();
  row.wrong = job.check();
  if (!row.wrong.empty()) return;
  const double first = std::min(once(1), once(1));
  const int repeats =
      job.prepare ? 1 : static_cast<int>(std::clamp(kMeasured / std::max(first, 1e-7), 1.0, 1000.0));
  std::vector<double> ours, theirs;
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < kRounds; ++round) {
    ours.push_back(once(repeats));
    if (job.vendor) theirs.push_back(seconds_of(job.vendor));
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (round >= 2 && spent.count() > kSecondsOfRow) break;
  }
  row.seconds = middle_of(ours);
  row.vendor_seconds = middle_of(theirs);
}

std::string differs(std::size_t at, double got, double want) {
  return base::format("element %zu is %g, the host has %g", at, got, want);
}

template <typename T>
void Bench::multiply(const char* type, int n) {
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const auto a = random_numbers<T>(size, 1, -1, 1), b = random_numbers<T>(size, 2, -1, 1);
  std::vector<T> c;
  const Tensor<T> x(device_, {n, n}), y(device_, {n, n}), z(device_, {n, n});
  x.upload(a);
  y.upload(b);
  BenchRow row;
  row.operation = "matmul";
  row.type = type;
  row.shape = shape_text(Shape{n, n, n});
  row.work = 2.0 * n * n * n;
  row.is_flops = true;
  BenchJob job;
  job.run = [&] { return ops::matmul(device_, x, y, z); };
  job.check = [&]() -> std::string {
    const std::vector<T> got = z.download();
    const auto side = static_cast<std::size_t>(n);
    for (std::size_t s = 0; s < std::min(size, kSamples); ++s) {
      const std::size_t at = size <= kSamples ? s : s * 2654435761u % size, i = at / side, j = at % side;
      double want = 0;
      for (std::size_t d = 0; d < side; ++d)
        want += static_cast<double>(a[i * side + d]) * static_cast<double>(b[d * side + j]);
      const double allowed = (sizeof(T) == 8 ? 1e-12 : sizeof(T) == 4 ? 1e-5 : 0.05) * std::sqrt(n);
      if (!(std::abs(static_cast<double>(got[at]) - want) <= allowed * std::max(1.0, std::abs(want))))
        return differs(at, static_cast<double>(got[at]), want);
    }
    return {};
  };
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    if (blas_ != nullptr && device_.driver() != "cpu") {
      row.vendor = "OpenBLAS is compared on the device cpu only";
    } else if (blas_ != nullptr && !blas_->why_not().empty()) {
      row.vendor = blas_->why_not();
    } else if (blas_ != nullptr) {
      row.vendor = "OpenBLAS";
      c.resize(size);
      job.vendor = [&] { blas_->multiply(n, n, n, a.data(), false, b.data(), false, c.data()); };
    }
  }
  add(std::move(row), job);
}

BenchRow row_of(const char* operation, const char* type, const Shape& shape, double bytes) {
  BenchRow row;
  row.operation = operation;
  row.type = type;
  row.shape = shape_text(shape);
  row.work = bytes;
  return row;
}

// The first element that differs from the host's; empty: none.
template <typename T, typename Want>
std::string compare_all(const std::vector<T>& got, const Want& want) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] != want(i)) return differs(i, static_cast<double>(got[i]), static_cast<double>(want(i)));
  }
  return {};
}

void Bench::primitives(std::int64_t n, std::int64_t key_count) {
  const auto count = static_cast<std::size_t>(n);
  const auto bytes = static_cast<double>(n) * 4;
  const auto reals = random_numbers<float>(count, 3, 0, 1);
  const auto numbers = random_numbers<std::int32_t>(count, 4, 0, 16);
  const auto keys = random_numbers<std::uint32_t>(static_cast<std::size_t>(key_count), 5, 0, 4e9);
  const Tensor<float> x(device_, {n}), y(device_, {n}), total(device_, Shape{1});
  const Tensor<std::int32_t> i(device_, {n}), j(device_, {n});
  const Tensor<std::uint32_t> k(device_, {key_count});
  x.upload(reals);
  i.upload(numbers);
  add(row_of("transform", "f32", {n}, 2 * bytes),
      {[&] { return ops::transform(device_, "[](float v) { return v * v; }", x, y); },
       {},
       [&] { return compare_all(y.download(), [&](std::size_t at) { return reals[at] * reals[at]; }); },
       {}});
  add(row_of("reduce", "f32", {n}, bytes),
      {[&] { return ops::reduce(device_, ops::Combine::sum, x, total); },
       {},
       [&]() -> std::string {
         double want = 0;
         for (const float v : reals) want += static_cast<double>(v);
         const double got = static_cast<double>(total.download()[0]);
         return std::abs(got - want) <= 1e-4 * want ? std::string() : differs(0, got, want);
       },
       {}});
  add(row_of("scan", "i32", {n}, 2 * bytes),
      {[&] { return ops::inclusive_scan(device_, ops::Combine::sum, i, j); },
       {},
       [&] {
         std::vector<std::int32_t> want(count);
         std::partial_sum(numbers.begin(), numbers.end(), want.begin());
         return compare_all(j.download(), [&](std::size_t at) { return want[at]; });
       },
       {}});
  add(row_of("sort", "u32", {key_count}, 2 * 4 * static_cast<double>(key_count)),
      {[&] { return ops::sort(device_, k); },
       [&] { k.upload(keys); },
       [&] {
         std::vector<std::uint32_t> want = keys;
         std::sort(want.begin(), want.end());
         return compare_all(k.download(), [&](std::size_t at) { return want[at]; });
       },
       {}});
}

// One of the first rows, computed by the host.
using RowReference = std::function<void(std::span<const float> in, std::span<double> out)>;

std::string compare_rows(const std::vector<float>& in, const std::vector<float>& got, std::size_t columns,
                         const RowReference& reference) {
  std::vector<double> want(columns);
  const std::size_t rows = std::min<std::size_t>(in.size() / columns, 16);
  for (std::size_t r = 0; r < rows; ++r) {
    reference(std::span(in).subspan(r * columns, columns), want);
    for (std::size_t c = 0; c < columns; ++c) {
      const auto value = static_cast<double>(got[r * columns + c]);
      if (!(std::abs(value - want[c]) <= 1e-4 * std::max(1e-3, std::abs(want[c]))))
        return differs(r * columns + c, value, want[c]);
    }
  }
  return {};
}

void softmax_row(std::span<const float> in, std::span<double> out) {
  double sum = 0;
  for (std::size_t c = 0; c < in.size(); ++c) sum += out[c] = std::exp(static_cast<double>(in[c]));
  for (double& v : out) v /= sum;
}

void rms_norm_row(std::span<const float> in, std::span<double> out) {
  double squares = 0;
  for (const float v : in) squares += static_cast<double>(v) * static_cast<double>(v);
  const double scale = 1 / std::sqrt(squares / static_cast<double>(in.size()) + 1e-5);
  for (std::size_t c = 0; c < in.size(); ++c) out[c] = static_cast<double>(in[c]) * scale;
}

void Bench::rows_of(std::int64_t rows, std::int64_t columns) {
  const auto count = static_cast<std::size_t>(rows * columns);
  const std::vector<float> in = random_numbers<float>(count, 6, -1, 1);
  const Tensor<float> x(device_, {rows, columns}), y(device_, {rows, columns});
  x.upload(in);
  const double bytes = 8 * static_cast<double>(count);
  const auto check = [&](const RowReference& reference) {
    return compare_rows(in, y.download(), static_cast<std::size_t>(columns), reference);
  };
  add(row_of("softmax", "f32", {rows, columns}, bytes),
      {[&] { return ops::softmax(device_, x, y); }, {}, [&] { return check(softmax_row); }, {}});
  add(row_of("rms_norm", "f32", {rows, columns}, bytes),
      {[&] { return ops::rms_norm(device_, x, y); }, {}, [&] { return check(rms_norm_row); }, {}});
}

}  // namespace

std::vector<BenchRow> measure_operations(const Device& device, BenchSize size, const BenchPeaks& peaks,
                                         const VendorBlas* blas,
                                         const std::function<void(const std::string&)>& on_row) {
  Bench bench(device, peaks, blas, on_row);
  const bool is_tiny = size == BenchSize::kTiny, is_gpu = size == BenchSize::kGpu;
  const std::vector<int> sides = is_tiny  ? std::vector<int>{32}
                                 : is_gpu ? std::vector<int>{1024, 2048, 4096}
                                          : std::vector<int>{256, 512, 1024};
  for (const int n : sides) bench.multiply<float>("f32", n);
  if (device.info().has(Feature::fp64)) bench.multiply<double>("f64", sides[is_tiny ? 0 : 1]);
  bench.primitives(is_tiny  ? 1 << 10
                   : is_gpu ? 1 << 26
                            : 1 << 22,
                   is_tiny  ? 1 << 8
                   : is_gpu ? 1 << 24
                            : 1 << 20);
  bench.rows_of(is_tiny ? 4 : is_gpu ? 8192 : 1024, is_tiny ? 96 : is_gpu ? 4096 : 1024);
  return bench.take();
}

}  // namespace quern::tool
