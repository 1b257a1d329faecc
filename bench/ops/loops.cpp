// Always compiled with -O3 -march=native -fopenmp.
#include "ops/loops.hpp"

#include <algorithm>
#include <cstddef>

#include <omp.h>

namespace quern::bench {

void square(const std::vector<float>& in, std::vector<float>& out) {
  const std::size_t n = in.size();
#pragma omp parallel for simd
  for (std::size_t i = 0; i < n; ++i) out[i] = in[i] * in[i];
}

float sum(const std::vector<float>& in) {
  float total = 0;
  const std::size_t n = in.size();
#pragma omp parallel for simd reduction(+ : total)
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  return total;
}

// Each thread adds its part, then scans it with the sum of the parts before.
void scan(const std::vector<std::int32_t>& in, std::vector<std::int32_t>& out) {
  const std::size_t n = in.size();
  std::vector<std::int32_t> sums(static_cast<std::size_t>(omp_get_max_threads()) + 1, 0);
#pragma omp parallel
  {
    const auto threads = static_cast<std::size_t>(omp_get_num_threads()),
               thread = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t begin = n * thread / threads, end = n * (thread + 1) / threads;
    std::int32_t total = 0;
    for (std::size_t i = begin; i < end; ++i) total += in[i];
    sums[thread + 1] = total;
#pragma omp barrier
    total = 0;
    for (std::size_t i = 0; i <= thread; ++i) total += sums[i];
    for (std::size_t i = begin; i < end; ++i) out[i] = total += in[i];
  }
}

void histogram(const std::vector<float>& in, std::vector<std::uint32_t>& counts) {
  std::fill(counts.begin(), counts.end(), 0u);
  const std::size_t n = in.size();
  const auto bins = static_cast<float>(counts.size());
#pragma omp parallel
  {
    std::vector<std::uint32_t> own(counts.size());
#pragma omp for
    for (std::size_t i = 0; i < n; ++i) {
      if (in[i] >= 0 && in[i] < 1) ++own[static_cast<std::size_t>(in[i] * bins)];
    }
#pragma omp critical
    for (std::size_t b = 0; b < own.size(); ++b) counts[b] += own[b];
  }
}

void multiply(const std::vector<float>& a, const std::vector<float>& b, std::vector<float>& c, int n) {
  const auto size = static_cast<std::size_t>(n);
#pragma omp parallel for
  for (std::size_t i = 0; i < size; ++i) {
    float* const row = c.data() + i * size;
    std::fill(row, row + size, 0.0f);
    for (std::size_t k = 0; k < size; ++k) {
      const float factor = a[i * size + k];
      for (std::size_t j = 0; j < size; ++j) row[j] += factor * b[k * size + j];
    }
  }
}

}  // namespace quern::bench
