// Kernels on the cpu device against plain loops by the compiler that built this, on as many threads. Also
// what a launch and a compilation cost.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "driver/cpu/driver.hpp"
#include "lang/compile.hpp"

namespace {

using namespace quern;  // NOLINT(google-build-using-namespace)
using Clock = std::chrono::steady_clock;

const char* const kSource = R"(
__global__ void empty() {}
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void saxpy_stride(int n, float a, const float* x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}
__global__ void matmul(int n, const float* a, const float* b, float* c) {
  __shared__ float as[16][16], bs[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
__global__ void mandelbrot(int n, int* out) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y;
  float cx = px * 3.0f / n - 2.0f, cy = py * 2.0f / n - 1.0f, x = 0, y = 0;
  int i = 0;
  while (i < 256 && x * x + y * y <= 4.0f) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    ++i;
  }
  out[py * n + px] = i;
}
__global__ void reduce(int n, const float* in, float* out) {
  __shared__ float part[256];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
)";

// Time of this process on all processors: other work on the machine does not count.
double best_ms(int rounds, const std::function<void()>& work) {
  double best = 1e30;
  for (int i = 0; i < rounds; ++i) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - start) * 1e3 / CLOCKS_PER_SEC);
  }
  return best;
}

// The loop [0, n) on all threads.
void parallel(size_t n, const std::function<void(size_t, size_t)>& loop) {
  const size_t count = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (size_t t = 0; t < count; ++t) {
    threads.emplace_back([&, t] { loop(n * t / count, n * (t + 1) / count); });
  }
  for (std::thread& t : threads) t.join();
}

struct Bench {
  std::unique_ptr<driver::Device> device;
  std::unique_ptr<driver::Program> program;
  std::unique_ptr<driver::Queue> queue;

  std::unique_ptr<driver::Kernel> kernel(const char* name) {
    return std::move(*device->kernel(*program, name));
  }
  std::unique_ptr<driver::Buffer> floats(size_t n, float value) {
    auto b = std::move(*device->allocate(n * 4, driver::MemoryKind::kDevice));
    std::fill_n(reinterpret_cast<float*>(b->host), n, value);
    return b;
  }
  void run(driver::Kernel& k, driver::Dim3 grid, driver::Dim3 block,
           const std::vector<driver::Argument>& arguments) {
    const auto launched = device->launch(*queue, k, {grid, block, 0, arguments, false});
    if (!launched.ok()) std::printf("%s\n", launched.error().to_string().c_str());
    if (!device->synchronize(*queue).ok()) std::printf("the kernel fails\n");
  }
};

driver::Argument place(const std::unique_ptr<driver::Buffer>& b) { return {{b.get(), 0}, nullptr, 0}; }
template <typename T>
driver::Argument number(const T& value) {
  return {{}, &value, sizeof(T)};
}
float* data(const std::unique_ptr<driver::Buffer>& b) { return reinterpret_cast<float*>(b->host); }

void report(const char* what, double kernel, double loop) {
  std::printf("%-28s kernel %8.2f ms   loop %8.2f ms   %.2fx\n", what, kernel, loop, loop / kernel);
}

void bench_saxpy(Bench& b) {
  const int n = 1 << 24;
  const float a = 2.0f;
  const auto x = b.floats(n, 1), y = b.floats(n, 2);
  const auto plain = b.kernel("saxpy"), strided = b.kernel("saxpy_stride");
  const std::vector<driver::Argument> arguments{number(n), number(a), place(x), place(y)};
  const double loop = best_ms(7, [&] {
    parallel(n, [&](size_t first, size_t end) {
      for (size_t i = first; i < end; ++i) data(y)[i] = a * data(x)[i] + data(y)[i];
    });
  });
  report("saxpy 16M", best_ms(7, [&] { b.run(*plain, {n / 256, 1, 1}, {256, 1, 1}, arguments); }), loop);
  report("saxpy 16M, grid stride",
         best_ms(7,
                 [&] {
                   b.run(*strided, {64, 1, 1}, {256, 1, 1}, arguments);
                 }),
         loop);
}

void bench_matmul(Bench& b) {
  const int n = 512;
  const auto x = b.floats(n * n, 1), y = b.floats(n * n, 2), z = b.floats(n * n, 0);
  const auto k = b.kernel("matmul");
  const double loop = best_ms(5, [&] {
    parallel(n, [&](size_t first, size_t end) {
      for (size_t i = first; i < end; ++i) {
        float* row = data(z) + i * n;
        std::fill_n(row, n, 0.0f);
        for (size_t t = 0; t < n; ++t) {
          const float f = data(x)[i * n + t];
          for (size_t j = 0; j < n; ++j) row[j] += f * data(y)[t * n + j];
        }
      }
    });
  });
  report("matmul 512, tiles of 16",
         best_ms(5,
                 [&] {
                   b.run(*k, {n / 16, n / 16, 1}, {16, 16, 1}, {number(n), place(x), place(y), place(z)});
                 }),
         loop);
}

void bench_mandelbrot(Bench& b) {
  const int n = 1024;
  const auto out = b.floats(n * n, 0);
  const auto k = b.kernel("mandelbrot");
  const double loop = best_ms(3, [&] {
    parallel(n, [&](size_t first, size_t end) {
      for (size_t py = first; py < end; ++py) {
        for (int px = 0; px < n; ++px) {
          const float cx = static_cast<float>(px) * 3.0f / n - 2.0f,
                      cy = static_cast<float>(py) * 2.0f / n - 1.0f;
          float x = 0, y = 0;
          int i = 0;
          for (; i < 256 && x * x + y * y <= 4.0f; ++i) {
            const float t = x * x - y * y + cx;
            y = 2 * x * y + cy;
            x = t;
          }
          reinterpret_cast<int*>(data(out))[py * n + static_cast<size_t>(px)] = i;
        }
      }
    });
  });
  report("mandelbrot 1024, 256 steps",
         best_ms(3,
                 [&] {
                   b.run(*k, {n / 256, n, 1}, {256, 1, 1}, {number(n), place(out)});
                 }),
         loop);
}

void bench_reduce(Bench& b) {
  const int n = 1 << 24;
  const auto in = b.floats(n, 1), out = b.floats(64, 0);
  const auto k = b.kernel("reduce");
  const double loop = best_ms(7, [&] {
    parallel(n, [&](size_t first, size_t end) {
      float sums[16] = {};  // as many sums as a vectoriser would keep, were it allowed to
      for (size_t i = first; i < end; i += 16) {
        for (size_t l = 0; l < 16; ++l) sums[l] += data(in)[i + l];
      }
      float sum = 0;
      for (float s : sums) sum += s;
      data(out)[first != 0 ? 1 : 0] = sum;
    });
  });
  report("reduce 16M",
         best_ms(7,
                 [&] {
                   b.run(*k, {64, 1, 1}, {256, 1, 1}, {number(n), place(in), place(out)});
                 }),
         loop);
}

void bench_launch(Bench& b) {
  const auto k = b.kernel("empty");
  b.run(*k, {}, {}, {});
  constexpr int kLaunches = 200;
  double submit = 1e30, round = 1e30;
  for (int r = 0; r < 200; ++r) {
    const auto start = Clock::now();
    for (int i = 0; i < kLaunches; ++i) (void)b.device->launch(*b.queue, *k, {{}, {}, 0, {}, false});
    const auto mid = Clock::now();
    (void)b.device->synchronize(*b.queue);
    submit = std::min(submit, std::chrono::duration<double, std::micro>(mid - start).count() / kLaunches);
    const auto again = Clock::now();
    b.run(*k, {}, {}, {});
    round = std::min(round, std::chrono::duration<double, std::micro>(Clock::now() - again).count());
  }
  std::printf("empty kernel: %.3f us to submit, %.2f us to submit and wait\n", submit, round);
}

}  // namespace

int main() {
  ::setenv("QUERN_CACHE", "off", 1);  // compilation is measured
  const auto driver = cpu::make_driver();
  if (const auto started = driver->start(); !started.ok()) {
    std::printf("the cpu device is not measured: %s\n", started.error().to_string().c_str());
    return 0;
  }
  Bench b;
  b.device = std::move(*driver->open(0, {}));
  lang::Compilation compiled = lang::compile("bench.cu", kSource);
  if (!compiled.ok) return std::printf("%s\n", compiled.rendered.c_str()), 1;
  driver::Code code;
  code.module = std::make_shared<ir::Module>(std::move(compiled.module));
  b.program = std::move(*b.device->load(code));
  b.queue = std::move(*b.device->create_queue({}));
  for (const auto& [name, value] : b.device->info().details)
    std::printf("%s: %s\n", name.c_str(), value.c_str());
  const float one = 1;
  const int zero = 0;
  for (const char* name : {"empty", "saxpy", "mandelbrot", "reduce", "matmul"}) {
    const auto k = b.kernel(name);
    const auto buffer = b.floats(16, one);
    std::vector<driver::Argument> arguments;
    if (std::string(name) == "saxpy") arguments = {number(zero), number(one), place(buffer), place(buffer)};
    const std::string which = name;
    const driver::Dim3 block = which == "matmul" ? driver::Dim3{16, 16, 1} : driver::Dim3{256, 1, 1};
    if (which == "mandelbrot") arguments = {number(zero), place(buffer)};
    if (which == "reduce") arguments = {number(zero), place(buffer), place(buffer)};
    if (which == "matmul") arguments = {number(zero), place(buffer), place(buffer), place(buffer)};
    const double ms = best_ms(1, [&] {
      (void)b.device->launch(*b.queue, *k, {{0, 1, 1}, block, 0, arguments, false});
    });
    std::printf("compiling %-12s %6.1f ms\n", name, ms);
  }
  (void)b.device->synchronize(*b.queue);
  bench_launch(b);
  bench_saxpy(b);
  bench_matmul(b);
  bench_mandelbrot(b);
  bench_reduce(b);
  return 0;
}
