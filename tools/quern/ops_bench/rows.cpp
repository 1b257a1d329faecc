#include "ops_bench/rows.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <span>

#include "ops_arguments.hpp"
#include "ops_bench/bench.hpp"
#include "quern/ops.hpp"

namespace quern::tool {

namespace {

using ops::Shape;
using ops::Tensor;

constexpr std::size_t kSamples = 64;  // elements of a transform that are checked

}  // namespace

// Complex, forward, along the last axis. The bytes are those of one pass.
void Bench::transform(std::int64_t batches, std::int64_t n) {
  using Complex = std::complex<float>;
  const auto lines = static_cast<std::size_t>(batches), count = static_cast<std::size_t>(n);
  const auto parts = random_numbers<float>(2 * lines * count, 7, -1, 1);
  std::vector<Complex> in(lines * count);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = {parts[2 * i], parts[2 * i + 1]};
  const Tensor<Complex> x(device_, {batches, n}), y(device_, {batches, n});
  x.upload(in);
  BenchRow row = row_of("fft", ops::element_of<Complex>, {batches, n},
                        2 * sizeof(Complex) * static_cast<double>(in.size()));
  row.problem.shape = {batches, n};
  BenchJob job;
  job.run = [&] { return ops::fft(device_, x, y); };
  job.check = [&]() -> std::string {
    const std::vector<Complex> got = y.download();
    for (std::size_t s = 0; s < std::min(in.size(), kSamples); ++s) {
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

namespace {

// The first element that differs from the host's; empty: none.
template <typename T, typename Want>
std::string compare_all(const std::vector<T>& got, const Want& want) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] != want(i)) return differs(i, static_cast<double>(got[i]), static_cast<double>(want(i)));
  }
  return {};
}

}  // namespace

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

namespace {

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

}  // namespace

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

std::vector<BenchRow> measure_operations(const Device& device, BenchSize size, const BenchPeaks& peaks,
                                         const BenchRequest& request,
                                         const std::function<void(const std::string&)>& on_row) {
  Bench bench(device, peaks, request, on_row);
  const bool is_tiny = size == BenchSize::kTiny, is_gpu = size == BenchSize::kGpu;
  bench.multiply(size);
  if (bench.wants_any({"fft"})) bench.transform(is_tiny ? 4 : is_gpu ? 4096 : 256, is_tiny ? 32 : 4096);
  if (bench.wants_any({"transform", "reduce", "scan", "sort"}))
    bench.primitives(is_tiny  ? 1 << 10
                     : is_gpu ? 1 << 26
                              : 1 << 22,
                     is_tiny  ? 1 << 8
                     : is_gpu ? 1 << 24
                              : 1 << 20);
  if (bench.wants_any({"softmax", "rms_norm"}))
    bench.rows_of(is_tiny ? 4 : is_gpu ? 8192 : 1024, is_tiny ? 96 : is_gpu ? 4096 : 1024);
  return bench.take();
}

}  // namespace quern::tool
