#include "ops_bench/rows.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>

#include "base/text.hpp"
#include "ops/choice.hpp"
#include "ops_arguments.hpp"
#include "quern/ops.hpp"

namespace quern::tool {

namespace {

using ops::Shape;
using ops::Tensor;

constexpr int kRounds = 9;
constexpr double kMeasured = 1e-3;           // least seconds of a measurement
constexpr double kSecondsOfRow = 2;          // no further rounds after this
constexpr std::size_t kSamples = 64;         // elements of a product that are checked
constexpr std::size_t kMostTerms = 1 << 20;  // of the sums that check a transform

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

// How to run a row once.
struct BenchJob {
  std::function<Receipt()> run;
  std::function<void()> prepare;       // before each run, not measured; may be empty
  std::function<std::string()> check;  // of the last run's result: empty, or what is wrong
};

class Bench {
 public:
  Bench(const Device& device, const BenchPeaks& peaks, bool compares,
        const std::function<void(const std::string&)>& on_row)
      : device_(device), peaks_(peaks), compares_(compares), on_row_(on_row) {}

  template <typename T>
  void multiply(int n);
  template <typename T>
  void transform(std::int64_t batches, std::int64_t n);
  void primitives(std::int64_t n, std::int64_t keys);
  void rows_of(std::int64_t rows, std::int64_t columns);
  std::vector<BenchRow> take() { return std::move(rows_); }

 private:
  void add(BenchRow row, const BenchJob& job);
  std::optional<Variant> find_library(BenchRow& row, const BenchJob& job) const;
  double once(const BenchJob& job, int repeats) const;
  void measure(BenchRow& row, const BenchJob& job) const;

  const Device& device_;
  const BenchPeaks& peaks_;
  bool compares_;
  const std::function<void(const std::string&)>& on_row_;
  std::vector<BenchRow> rows_;
};

void Bench::add(BenchRow row, const BenchJob& job) {
  on_row_(row.operation + " " + row.type + " " + row.shape);
  measure(row, job);
  const double peak = !row.is_flops ? peaks_.gigabytes : row.type == "f32" ? peaks_.gigaflops : 0;
  if (peak > 0 && row.wrong.empty()) row.share = row.rate() / peak;
  if (peak > 0 && row.is_compared()) row.vendor_share = row.work / row.vendor_seconds * 1e-9 / peak;
  rows_.push_back(std::move(row));
}

// The first of the vendor's libraries that works and has the right result, as a variant. Sets the text about
// it.
std::optional<Variant> Bench::find_library(BenchRow& row, const BenchJob& job) const {
  row.vendor = "no vendor's library is known for this operation and device";
  std::string first_problem;
  for (const auto library : ops::vendor::candidates(device_.driver(), row.operation, row.element)) {
    const Variant variant = ops::vendor::variant_of(library);
    const ops::VariantScope scope(row.operation, variant);
    std::string problem;
    try {
      row.vendor = job.run().kernel();
      device_.synchronize();
      problem = job.check();
      if (problem.empty()) return variant;
      problem = row.vendor + ": " + problem;
    } catch (const Error& e) {
      problem = e.message();
    }
    if (first_problem.empty()) first_problem = problem;
    row.vendor = first_problem;
  }
  return std::nullopt;
}

// Seconds of a run.
double Bench::once(const BenchJob& job, int repeats) const {
  if (job.prepare) job.prepare();
  device_.synchronize();
  return seconds_of([&] {
           for (int i = 0; i < repeats; ++i) job.run();
           device_.synchronize();
         }) /
         repeats;
}

// Our kernels and the library alternate.
void Bench::measure(BenchRow& row, const BenchJob& job) const {
  const std::optional<Variant> library = compares_ ? find_library(row, job) : std::nullopt;
  const Variant own =
      library ? ops::variant_for(device_, row.operation, {row.problem, row.element}) : Variant();
  // Without a comparison, the choice of the tuner, which may be a library.
  std::optional<ops::VariantScope> scope;
  if (library) scope.emplace(row.operation, own);
  if (job.prepare) job.prepare();
  row.kernel = job.run().kernel();
  device_.synchronize();
  row.wrong = job.check();
  if (!row.wrong.empty()) return;
  const auto repeats_of = [&](double seconds) {
    return job.prepare ? 1 : static_cast<int>(std::clamp(kMeasured / std::max(seconds, 1e-7), 1.0, 1000.0));
  };
  const auto run_library = [&](int repeats) {
    const ops::VariantScope inner(row.operation, *library);
    return once(job, repeats);
  };
  const int repeats = repeats_of(std::min(once(job, 1), once(job, 1))),
            library_repeats = library ? repeats_of(std::min(run_library(1), run_library(1))) : 0;
  std::vector<double> ours, theirs;
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < kRounds; ++round) {
    ours.push_back(once(job, repeats));
    if (library) theirs.push_back(run_library(library_repeats));
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (round >= 2 && spent.count() > kSecondsOfRow) break;
  }
  row.seconds = middle_of(ours);
  row.vendor_seconds = middle_of(theirs);
}

std::string differs(std::size_t at, double got, double want) {
  return base::format("element %zu is %g, the host has %g", at, got, want);
}

BenchRow row_of(const char* operation, ops::Element element, const Shape& shape, double work) {
  BenchRow row;
  row.operation = operation;
  row.type = ops::short_name_of(element);
  row.element = element;
  row.shape = shape_text(shape);
  row.work = work;
  return row;
}

template <typename T>
void Bench::multiply(int n) {
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const auto a = random_numbers<T>(size, 1, -1, 1), b = random_numbers<T>(size, 2, -1, 1);
  const Tensor<T> x(device_, {n, n}), y(device_, {n, n}), z(device_, {n, n});
  x.upload(a);
  y.upload(b);
  BenchRow row = row_of("matmul", ops::element_of<T>, {n, n, n}, 2.0 * n * n * n);
  row.problem = {n, n, n};
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
  add(std::move(row), job);
}

// Complex, forward, along the last axis. The bytes are those of one pass.
template <typename T>
void Bench::transform(std::int64_t batches, std::int64_t n) {
  using Complex = std::complex<T>;
  const auto lines = static_cast<std::size_t>(batches), count = static_cast<std::size_t>(n);
  const auto parts = random_numbers<T>(2 * lines * count, 7, -1, 1);
  std::vector<Complex> in(lines * count);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = {parts[2 * i], parts[2 * i + 1]};
  const Tensor<Complex> x(device_, {batches, n}), y(device_, {batches, n});
  x.upload(in);
  BenchRow row = row_of("fft", ops::element_of<Complex>, {batches, n},
                        2 * sizeof(Complex) * static_cast<double>(in.size()));
  row.problem = {batches, n};
  BenchJob job;
  job.run = [&] { return ops::fft(device_, x, y); };
  job.check = [&]() -> std::string {
    const std::vector<Complex> got = y.download();
    const std::size_t samples = std::clamp<std::size_t>(kMostTerms / count, 4, kSamples);
    for (std::size_t s = 0; s < std::min(in.size(), samples); ++s) {
      const std::size_t at = s * 2654435761u % in.size(), line = at / count * count, k = at % count;
      std::complex<double> want = 0;
      for (std::size_t i = 0; i < count; ++i)
        want += std::complex<double>(in[line + i]) *
                std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i * k % count) /
                                    static_cast<double>(count));
      if (!(std::abs(std::complex<double>(got[at]) - want) <= 1e-4 * std::sqrt(static_cast<double>(n))))
        return differs(at, std::abs(std::complex<double>(got[at])), std::abs(want));
    }
    return {};
  };
  add(std::move(row), job);
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
  add(row_of("transform", ops::Element::f32, {n}, 2 * bytes),
      {[&] { return ops::transform(device_, "[](float v) { return v * v; }", x, y); },
       {},
       [&] { return compare_all(y.download(), [&](std::size_t at) { return reals[at] * reals[at]; }); }});
  add(row_of("reduce", ops::Element::f32, {n}, bytes),
      {[&] { return ops::reduce(device_, ops::Combine::sum, x, total); },
       {},
       [&]() -> std::string {
         double want = 0;
         for (const float v : reals) want += static_cast<double>(v);
         const double got = static_cast<double>(total.download()[0]);
         return std::abs(got - want) <= 1e-4 * want ? std::string() : differs(0, got, want);
       }});
  add(row_of("scan", ops::Element::i32, {n}, 2 * bytes),
      {[&] { return ops::inclusive_scan(device_, ops::Combine::sum, i, j); },
       {},
       [&] {
         std::vector<std::int32_t> want(count);
         std::partial_sum(numbers.begin(), numbers.end(), want.begin());
         return compare_all(j.download(), [&](std::size_t at) { return want[at]; });
       }});
  add(row_of("sort", ops::Element::u32, {key_count}, 2 * 4 * static_cast<double>(key_count)),
      {[&] { return ops::sort(device_, k); }, [&] { k.upload(keys); },
       [&] {
         std::vector<std::uint32_t> want = keys;
         std::sort(want.begin(), want.end());
         return compare_all(k.download(), [&](std::size_t at) { return want[at]; });
       }});
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
  add(row_of("softmax", ops::Element::f32, {rows, columns}, bytes),
      {[&] { return ops::softmax(device_, x, y); }, {}, [&] { return check(softmax_row); }});
  add(row_of("rms_norm", ops::Element::f32, {rows, columns}, bytes),
      {[&] { return ops::rms_norm(device_, x, y); }, {}, [&] { return check(rms_norm_row); }});
}

}  // namespace

std::vector<BenchRow> measure_operations(const Device& device, BenchSize size, const BenchPeaks& peaks,
                                         bool compares,
                                         const std::function<void(const std::string&)>& on_row) {
  Bench bench(device, peaks, compares, on_row);
  const bool is_tiny = size == BenchSize::kTiny, is_gpu = size == BenchSize::kGpu;
  const std::vector<int> sides = is_tiny  ? std::vector<int>{32}
                                 : is_gpu ? std::vector<int>{1024, 2048, 4096}
                                          : std::vector<int>{256, 512, 1024};
  const int middle = sides[is_tiny ? 0 : 1];
  for (const int n : sides) bench.multiply<float>(n);
  if (device.info().has(Feature::fp64)) bench.multiply<double>(middle);
  if (is_tiny || is_gpu) {
    bench.multiply<ops::half>(middle);
    bench.multiply<ops::bfloat16>(middle);
  }
  bench.transform<float>(is_tiny ? 4 : is_gpu ? 4096 : 256, is_tiny ? 32 : 4096);
  if (is_gpu) {
    for (const std::int64_t n : {1 << 8, 1 << 10, 1 << 14, 1 << 16, 1 << 20})
      bench.transform<float>((std::int64_t{1} << 26) / n, n);  // more elements than caches keep
    for (const std::int64_t n : {1 << 12, 1 << 20}) {
      if (device.info().has(Feature::fp64)) bench.transform<double>((std::int64_t{1} << 25) / n, n);
    }
  }
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
