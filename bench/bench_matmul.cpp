// Matrix products of ops on the device cpu compared with OpenBLAS on the same threads: bench_matmul
// [SIZE...]. Both results are compared. Ratio: OpenBLAS's time divided by the device's, so more than 1 is
// faster.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.hpp"
#include "base/text.hpp"
#include "ops/choice.hpp"
#include "quern/ops.hpp"
#include "quern/quern.hpp"

namespace {

using namespace quern;  // NOLINT(google-build-using-namespace)
using base::Align;
using base::format;

constexpr int kRounds = 9;
const Variant kOpenblas{{"openblas", 1}};

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <typename T>
void measure(base::Table& table, const Device& gpu, bool has_blas, const char* type, int n,
             bool a_is_transposed, bool b_is_transposed) {
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  std::mt19937 random(1);
  std::uniform_real_distribution<T> unit(-1, 1);
  std::vector<T> a(size), b(size);
  for (T& v : a) v = unit(random);
  for (T& v : b) v = unit(random);
  const ops::Tensor<T> x(gpu, {n, n}), y(gpu, {n, n}), z(gpu, {n, n}), other(gpu, {n, n});
  x.upload(a);
  y.upload(b);
  const ops::Tensor<T> left = a_is_transposed ? x.transpose() : x,
                       right = b_is_transposed ? y.transpose() : y;
  double ours = 1e30, theirs = 1e30;
  for (int round = 0; round <= kRounds; ++round) {  // the first one compiles
    gpu.synchronize();
    const auto run = [&](const ops::Tensor<T>& to) {
      return seconds([&] {
        ops::matmul(gpu, left, right, to);
        gpu.synchronize();
      });
    };
    const double took = run(z);
    double competitor = 0;
    if (has_blas) {
      const ops::VariantScope scope("matmul", kOpenblas);
      competitor = run(other);
    }
    if (round == 0) continue;
    ours = std::min(ours, took);
    theirs = std::min(theirs, competitor);
  }
  const std::string name = format("%s %d%s%s", type, n, a_is_transposed ? ", a transposed" : "",
                                  b_is_transposed ? ", b transposed" : "");
  const double flops = 2.0 * n * n * n * 1e-9;
  if (!has_blas) {
    table.add_row({name, format("%.1f", flops / ours), "-", "-"});
    return;
  }
  const std::vector<T> result = z.download(), c = other.download();
  for (std::size_t i = 0; i < size; ++i) {
    if (std::abs(result[i] - c[i]) <= static_cast<T>(sizeof(T) == 4 ? 1e-5 : 1e-13) * static_cast<T>(n))
      continue;
    std::printf("%s: element %zu is %g, OpenBLAS has %g\n", name.c_str(), i, static_cast<double>(result[i]),
                static_cast<double>(c[i]));
    std::exit(1);
  }
  table.add_row(
      {name, format("%.1f", flops / ours), format("%.1f", flops / theirs), format("%.2f", theirs / ours)});
}

int run(const std::vector<int>& sizes) {
  const Device gpu = open("cpu");
  bool has_blas = true;
  try {
    (void)ops::vendor::load(ops::vendor::Name::kOpenblas);
  } catch (const Error& e) {
    std::printf("no comparison with OpenBLAS: %s\n", e.what());
    has_blas = false;
  }
  std::printf("%s, GFLOP/s\n", gpu.info().name.c_str());
  base::Table table(
      {{"product"}, {"ops", Align::kRight}, {"OpenBLAS", Align::kRight}, {"ratio", Align::kRight}});
  for (const int n : sizes) {
    measure<float>(table, gpu, has_blas, "float", n, false, false);
    measure<float>(table, gpu, has_blas, "float", n, true, false);
    measure<float>(table, gpu, has_blas, "float", n, false, true);
    measure<double>(table, gpu, has_blas, "double", n, false, false);
  }
  std::printf("%s", table.to_string().c_str());
  return 0;
}

}  // namespace

int main(int count, char** words) {
  std::vector<int> sizes;
  for (int i = 1; i < count; ++i) sizes.push_back(std::max(1, std::atoi(words[i])));
  if (sizes.empty()) sizes = {256, 1000, 1024};
  try {
    return run(sizes);
  } catch (const Error& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
}
