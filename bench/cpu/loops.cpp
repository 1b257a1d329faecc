// Always compiled with -O3 -march=native -fopenmp.
#include "cpu/loops.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include <omp.h>

namespace quern::bench {

int loop_threads() { return omp_get_max_threads(); }
void end_loop_threads() { (void)omp_pause_resource_all(omp_pause_soft); }

void copy_loop(int n, const float* __restrict a, float* __restrict c) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < n; ++i) c[i] = a[i];
}

void copy_by_library(int n, const float* __restrict a, float* __restrict c) {
#pragma omp parallel
  {
    constexpr int64_t kLine = 16;  // floats
    const int64_t lines = (n + kLine - 1) / kLine, threads = omp_get_num_threads();
    const int64_t first = lines * omp_get_thread_num() / threads * kLine;
    const int64_t end = std::min<int64_t>(n, lines * (omp_get_thread_num() + 1) / threads * kLine);
    std::memcpy(c + first, a + first, static_cast<size_t>(end - first) * sizeof(float));
  }
}

void saxpy_loop(int n, float a, const float* __restrict x, float* __restrict y) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

void triad_loop(int n, float s, const float* __restrict b, const float* __restrict c, float* __restrict a) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}

void stencil2d_loop(int nx, int ny, const float* __restrict in, float* __restrict out) {
#pragma omp parallel for schedule(static)
  for (int y = 1; y < ny - 1; ++y) {
#pragma omp simd
    for (int x = 1; x < nx - 1; ++x) {
      const int i = y * nx + x;
      out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
    }
  }
}

void stencil3d_loop(int nx, int ny, int nz, const float* __restrict in, float* __restrict out) {
  const int layer = nx * ny;
#pragma omp parallel for schedule(static)
  for (int z = 1; z < nz - 1; ++z) {
    for (int y = 1; y < ny - 1; ++y) {
#pragma omp simd
      for (int x = 1; x < nx - 1; ++x) {
        const int i = z * layer + y * nx + x;
        out[i] = 0.4f * in[i] +
                 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - layer] + in[i + layer]);
      }
    }
  }
}

void nbody_loop(int n, const Body* __restrict bodies, Body* __restrict forces) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) {
    const Body own = bodies[i];
    float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
    for (int j = 0; j < n; ++j) {
      const float dx = bodies[j].x - own.x, dy = bodies[j].y - own.y, dz = bodies[j].z - own.z;
      const float d = dx * dx + dy * dy + dz * dz + 0.01f;
      const float inverse = 1.0f / std::sqrt(d);
      const float s = bodies[j].w * inverse * inverse * inverse;
      ax += s * dx;
      ay += s * dy;
      az += s * dz;
    }
    forces[i] = {ax, ay, az, 0};
  }
}

void mandelbrot_loop(int n, int most, int* __restrict out) {
#pragma omp parallel for schedule(dynamic, 8)
  for (int py = 0; py < n; ++py) {
#pragma omp simd
    for (int px = 0; px < n; ++px) {
      const float cx = static_cast<float>(px) * 3.0f / static_cast<float>(n) - 2.0f,
                  cy = static_cast<float>(py) * 2.0f / static_cast<float>(n) - 1.0f;
      float x = 0, y = 0;
      int i = 0;
      for (; i < most && x * x + y * y <= 4.0f; ++i) {
        const float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
      }
      out[py * n + px] = i;
    }
  }
}

namespace {

inline float normal(float x) {
  const float k = 1.0f / (1.0f + 0.2316419f * std::fabs(x));
  const float tail =
      0.3989422804f * std::exp(-0.5f * x * x) * k *
      (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  return x > 0 ? 1.0f - tail : tail;
}

}  // namespace

void black_scholes_loop(int n, float rate, float volatility, const float* __restrict price,
                        const float* __restrict strike, const float* __restrict years, float* __restrict call,
                        float* __restrict put) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < n; ++i) {
    const float s = price[i], x = strike[i], t = years[i];
    const float root = std::sqrt(t);
    const float d1 = (std::log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    const float d2 = d1 - volatility * root;
    const float n1 = normal(d1), n2 = normal(d2), discounted = x * std::exp(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
  }
}

// Row by row, without tiles: the loop order that vectorizes.
void matmul_loop(int n, const float* __restrict a, const float* __restrict b, float* __restrict c) {
#pragma omp parallel for schedule(static)
  for (int row = 0; row < n; ++row) {
    float* to = c + row * n;
    std::fill_n(to, n, 0.0f);
    for (int k = 0; k < n; ++k) {
      const float factor = a[row * n + k];
#pragma omp simd
      for (int col = 0; col < n; ++col) to[col] += factor * b[k * n + col];
    }
  }
}

void reduce_loop(int n, int pieces, const float* __restrict in, float* __restrict out) {
#pragma omp parallel for schedule(static)
  for (int p = 0; p < pieces; ++p) {
    const int first = static_cast<int>(int64_t{n} * p / pieces);
    const int end = static_cast<int>(int64_t{n} * (p + 1) / pieces);
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = first; i < end; ++i) sum += in[i];
    out[p] = sum;
  }
}

namespace {

// The blocks of a thread: as many concurrently as there are threads in a block's turn.
template <typename Turn>
void in_turns(int n, int blocks, int size, const Turn& turn) {
#pragma omp parallel
  {
    const int threads = omp_get_num_threads(), own = omp_get_thread_num();
    const int first = blocks * own / threads, end = blocks * (own + 1) / threads;
    for (int from = 0; from < n; from += blocks * size) {
      for (int b = first; b < end; ++b) turn(b, from + b * size);
    }
  }
}

}  // namespace

void saxpy_in_turns(int n, int blocks, int size, float a, const float* __restrict x, float* __restrict y) {
  in_turns(n, blocks, size, [=](int, int from) {
#pragma omp simd
    for (int i = from; i < from + size; ++i) y[i] = a * x[i] + y[i];
  });
}

void reduce_in_turns(int n, int blocks, int size, const float* __restrict in, float* __restrict out) {
  std::vector<float> sums(static_cast<size_t>(blocks) * static_cast<size_t>(size));
  float* const all = sums.data();
  in_turns(n, blocks, size, [=](int block, int from) {
    float* const own = all + block * size;
#pragma omp simd
    for (int i = 0; i < size; ++i) own[i] += in[from + i];
  });
  for (int b = 0; b < blocks; ++b) {
    out[b] = 0;
    for (int i = 0; i < size; ++i) out[b] += all[b * size + i];
  }
}

void scan_loop(int blocks, int size, const int* __restrict in, int* __restrict out) {
#pragma omp parallel for schedule(static)
  for (int b = 0; b < blocks; ++b) {
    int sum = 0;
#pragma omp simd reduction(inscan, + : sum)
    for (int i = b * size; i < (b + 1) * size; ++i) {
      sum += in[i];
#pragma omp scan inclusive(sum)
      out[i] = sum;
    }
  }
}

void histogram_loop(int n, const uint32_t* __restrict data, uint32_t* __restrict bins) {
#pragma omp parallel
  {
    std::array<uint32_t, 256> own{};
#pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) ++own[data[i] & 255];
#pragma omp critical
    for (size_t b = 0; b < own.size(); ++b) bins[b] += own[b];
  }
}

void spmv_loop(int rows, const int* __restrict starts, const int* __restrict columns,
               const float* __restrict values, const float* __restrict x, float* __restrict y) {
#pragma omp parallel for schedule(static)
  for (int row = 0; row < rows; ++row) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
}

void softmax_loop(int rows, int n, const float* __restrict in, float* __restrict out) {
#pragma omp parallel for schedule(static)
  for (int r = 0; r < rows; ++r) {
    const float* row = in + r * n;
    float* to = out + r * n;
    float most = row[0];
#pragma omp simd reduction(max : most)
    for (int i = 0; i < n; ++i) most = std::max(most, row[i]);
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; ++i) {
      to[i] = std::exp(row[i] - most);
      sum += to[i];
    }
    const float scale = 1.0f / sum;
#pragma omp simd
    for (int i = 0; i < n; ++i) to[i] *= scale;
  }
}

void sort_step_loop(int n, int j, int k, int* data) {
#pragma omp parallel for schedule(static)
  for (int pair = 0; pair < n / (2 * j); ++pair) {
    int* const low = data + pair * 2 * j;
    int* const high = low + j;
    const bool up = (pair * 2 * j & k) == 0;  // j < k: the same for all of them
    if (up) {
#pragma omp simd
      for (int i = 0; i < j; ++i) {
        const int a = low[i], b = high[i];
        low[i] = std::min(a, b);
        high[i] = std::max(a, b);
      }
    } else {
#pragma omp simd
      for (int i = 0; i < j; ++i) {
        const int a = low[i], b = high[i];
        low[i] = std::max(a, b);
        high[i] = std::min(a, b);
      }
    }
  }
}

}  // namespace quern::bench
