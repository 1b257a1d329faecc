#include "demo_jobs.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/text.hpp"

namespace quern::tool {

namespace {

using runtime::HostArgument;

constexpr const char* kText = R"(
__global__ void vector_add(int n, const float* a, const float* b, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void matmul(int n, const float* a, const float* b, float* c) {
  __shared__ float ta[16][16], tb[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    ta[y][x] = a[row * n + k + x];
    tb[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int j = 0; j < 16; ++j) sum += ta[y][j] * tb[j][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void reduce(int n, const float* in, float* total) {
  __shared__ float part[256];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) total[blockIdx.x] = part[0];
}

__global__ void stencil(int w, int h, const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  int i = y * w + x;
  out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
}

__global__ void mandelbrot(int w, int h, float* image) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= w || py >= h) return;
  float cx = -2.2f + 3.2f * px / w, cy = -1.2f + 2.4f * py / h, x = 0, y = 0;
  int n = 0;
  while (n < 255 && x * x + y * y < 4.0f) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    ++n;
  }
  image[py * w + px] = (float)n;
}
)";

std::vector<float> ramp(size_t n, int period) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i % static_cast<size_t>(period));
  return v;
}

std::string differs(const char* what, size_t index, float got, float wanted) {
  return base::format("%s[%zu] is %g, not %g", what, index, static_cast<double>(got),
                      static_cast<double>(wanted));
}

runtime::LaunchConfig grid(uint32_t gx, uint32_t gy, uint32_t bx, uint32_t by) {
  runtime::LaunchConfig s;
  s.grid_size = {gx, gy, 1};
  s.block_size = {bx, by, 1};
  return s;
}

// Extents in x and y; for a length only x.
struct Size {
  uint32_t x, y;
  const char* text;
};
using Sizes = Size[kDemoSizes];
constexpr Sizes kVectorSizes = {
    {1u << 14, 1, "2^14"}, {1u << 17, 1, "2^17"}, {1u << 20, 1, "2^20"}, {1u << 23, 1, "2^23"}};
constexpr Sizes kMatmulSizes = {
    {32, 32, "32 × 32"}, {128, 128, "128 × 128"}, {256, 256, "256 × 256"}, {512, 512, "512 × 512"}};
constexpr Sizes kReduceSizes = {
    {1u << 14, 1, "2^14"}, {1u << 18, 1, "2^18"}, {1u << 21, 1, "2^21"}, {1u << 24, 1, "2^24"}};
constexpr Sizes kStencilSizes = {
    {128, 64, "128 × 64"}, {512, 512, "512 × 512"}, {1024, 1024, "1024 × 1024"}, {2048, 2048, "2048 × 2048"}};
constexpr Sizes kMandelbrotSizes = {
    {96, 64, "96 × 64"}, {256, 192, "256 × 192"}, {512, 384, "512 × 384"}, {1024, 768, "1024 × 768"}};

double area(const Size& s) { return static_cast<double>(s.x) * s.y; }

DemoJob vector_add(const Size& size) {
  const uint32_t n = size.x;
  DemoJob job{"vector add",
              "vector_add",
              size.text,
              "GB/s",
              n * 12e-9,
              grid((n + 255) / 256, 1, 256, 1),
              {ramp(n, 1000), ramp(n, 777), std::vector<float>(n)},
              {static_cast<int>(n)},
              {}};
  job.wrong = [](const DemoJob& j) -> std::string {
    for (size_t i = 0; i < j.buffers[2].size(); ++i) {
      const float wanted = j.buffers[0][i] + j.buffers[1][i];
      if (j.buffers[2][i] != wanted) return differs("c", i, j.buffers[2][i], wanted);
    }
    return {};
  };
  return job;
}

DemoJob matmul(const Size& size) {
  const uint32_t n = size.x;
  DemoJob job{"tiled matmul",
              "matmul",
              size.text,
              "GFLOP/s",
              2e-9 * n * n * n,
              grid(n / 16, n / 16, 16, 16),
              {ramp(size_t{n} * n, 7), ramp(size_t{n} * n, 5), std::vector<float>(size_t{n} * n)},
              {static_cast<int>(n)},
              {}};
  job.wrong = [n](const DemoJob& j) -> std::string {
    for (size_t row = 0; row < n; row += 3) {
      for (size_t column = 0; column < n; column += 5) {
        float sum = 0;
        for (size_t k = 0; k < n; ++k) sum += j.buffers[0][row * n + k] * j.buffers[1][k * n + column];
        const float got = j.buffers[2][row * n + column];
        if (std::fabs(got - sum) > 1e-4f * std::fabs(sum)) return differs("c", row * n + column, got, sum);
      }
    }
    return {};
  };
  return job;
}

DemoJob reduce(const Size& size) {
  const uint32_t n = size.x, blocks = std::clamp(n >> 12, 4u, 1024u);
  DemoJob job{"reduction",
              "reduce",
              size.text,
              "GB/s",
              n * 4e-9,
              grid(blocks, 1, 256, 1),
              {ramp(n, 4), std::vector<float>(blocks)},
              {static_cast<int>(n)},
              {}};
  job.wrong = [](const DemoJob& j) -> std::string {
    double wanted = 0, got = 0;
    for (float v : j.buffers[0]) wanted += static_cast<double>(v);
    for (float v : j.buffers[1]) got += static_cast<double>(v);
    return got == wanted ? std::string() : base::format("the sum is %.9g, not %.9g", got, wanted);
  };
  return job;
}

DemoJob stencil(const Size& size) {
  const uint32_t w = size.x, h = size.y;
  DemoJob job{"stencil",
              "stencil",
              size.text,
              "GB/s",
              w * h * 8e-9,
              grid(w / 16, h / 16, 16, 16),
              {ramp(size_t{w} * h, 251), std::vector<float>(size_t{w} * h)},
              {static_cast<int>(w), static_cast<int>(h)},
              {}};
  job.wrong = [w, h](const DemoJob& j) -> std::string {
    const std::vector<float>&in = j.buffers[0], &out = j.buffers[1];
    for (size_t y = 1; y + 1 < h; ++y) {
      for (size_t x = 1; x + 1 < w; ++x) {
        const size_t i = y * w + x;
        const float wanted = 0.25f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
        if (out[i] != wanted) return differs("out", i, out[i], wanted);
      }
    }
    return {};
  };
  return job;
}

float escape_time(float cx, float cy) {
  float x = 0, y = 0;
  int n = 0;
  while (n < 255 && x * x + y * y < 4.0f) {
    const float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    ++n;
  }
  return static_cast<float>(n);
}

DemoJob mandelbrot(const Size& size) {
  const uint32_t w = size.x, h = size.y;
  DemoJob job{"mandelbrot",
              "mandelbrot",
              size.text,
              "Mpixel/s",
              w * h * 1e-6,
              grid((w + 15) / 16, (h + 15) / 16, 16, 16),
              {std::vector<float>(size_t{w} * h)},
              {static_cast<int>(w), static_cast<int>(h)},
              {}};
  // Points on the boundary may differ on devices that fuse a product and a sum: very few.
  job.wrong = [w, h](const DemoJob& j) -> std::string {
    size_t differ = 0;
    for (uint32_t y = 0; y < h; y += 3) {
      for (uint32_t x = 0; x < w; x += 3) {
        const float cx = -2.2f + 3.2f * static_cast<float>(x) / static_cast<float>(w);
        const float cy = -1.2f + 2.4f * static_cast<float>(y) / static_cast<float>(h);
        differ += j.buffers[0][size_t{y} * w + x] != escape_time(cx, cy) ? 1 : 0;
      }
    }
    return differ * 200 <= size_t{w} * h / 9 ? std::string() : base::format("%zu pixels differ", differ);
  };
  return job;
}

struct JobKind {
  DemoJob (*make)(const Size& size);
  const Sizes& sizes;
  double (*work)(const Size& size);  // proportional
};
constexpr JobKind kJobs[kDemoJobs] = {
    {vector_add, kVectorSizes, area},     {matmul, kMatmulSizes, [](const Size& s) { return area(s) * s.x; }},
    {reduce, kReduceSizes, area},         {stencil, kStencilSizes, area},
    {mandelbrot, kMandelbrotSizes, area},
};

}  // namespace

std::string demo_text() { return kText; }

DemoJob demo_job(size_t which, size_t size) { return kJobs[which].make(kJobs[which].sizes[size]); }

size_t demo_size(size_t which, double first_seconds, double limit) {
  const JobKind& job = kJobs[which];
  const double each = first_seconds / job.work(job.sizes[0]);
  size_t size = kDemoSizes - 1;
  while (size > 0 && each * job.work(job.sizes[size]) > limit) --size;
  return size;
}

base::Result<DemoResult> run_job(runtime::Module& program, DemoJob& job, double seconds) {
  runtime::Device& device = program.device();
  runtime::Stream& stream = device.default_stream();
  QUERN_TRY_ASSIGN(const auto kernel, program.kernel(job.kernel));
  std::vector<HostArgument> arguments;
  for (int n : job.numbers) {
    HostArgument& a = arguments.emplace_back();
    a.kind = ArgumentKind::integer;
    a.integer = n;
  }
  std::vector<runtime::MemoryPtr> memories;
  for (const std::vector<float>& data : job.buffers) {
    const uint64_t bytes = data.size() * sizeof(float);
    QUERN_TRY_ASSIGN(auto memory, device.allocate(bytes, driver::MemoryKind::device, job.name));
    QUERN_TRY(stream.upload({memory.get(), 0, bytes}, data.data(), bytes));
    HostArgument& a = arguments.emplace_back();
    a.kind = ArgumentKind::memory;
    a.slice = {memory.get(), 0, bytes};
    memories.push_back(std::move(memory));
  }
  DemoResult result;
  QUERN_TRY(stream.prepare(*kernel, job.shape));
  const auto start = std::chrono::steady_clock::now();
  const auto is_enough = [&](int launches) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return launches >= (seconds > 0 ? 2 : 1) && spent.count() >= seconds;
  };
  for (int i = 0; !is_enough(i); ++i) {
    QUERN_TRY_ASSIGN(const auto begin, stream.record());
    QUERN_TRY(stream.launch(*kernel, job.shape, arguments));
    QUERN_TRY_ASSIGN(const auto end, stream.record());
    QUERN_TRY(stream.synchronize());
    QUERN_TRY_ASSIGN(const uint64_t from, begin->time());
    QUERN_TRY_ASSIGN(const uint64_t to, end->time());
    const double taken = static_cast<double>(to - from) * 1e-9;
    result.seconds = i == 0 ? taken : std::min(result.seconds, taken);
  }
  for (size_t i = 0; i < memories.size(); ++i) {
    const uint64_t bytes = memories[i]->bytes();
    QUERN_TRY(stream.download(job.buffers[i].data(), {memories[i].get(), 0, bytes}, bytes));
  }
  QUERN_TRY(stream.synchronize());
  result.compile_seconds = kernel->take_compile_seconds();
  result.wrong = job.wrong(job);
  return result;
}

std::string draw(std::span<const float> image, uint32_t width, uint32_t height, uint32_t columns,
                 bool colour) {
  constexpr std::string_view kShades = " .:-=+*#%@";
  const uint32_t rows = columns * height / width / 2;  // a character is twice as high as wide
  std::string out;
  for (uint32_t r = 0; r < rows; ++r) {
    out += "  ";
    for (uint32_t c = 0; c < columns; ++c) {
      const float v = image[size_t{r * height / rows} * width + c * width / columns];
      if (colour) {
        const int level = v >= 255 ? 16 : 17 + static_cast<int>(std::sqrt(v / 255.0f) * 200) % 214;
        out += base::format("\x1b[48;5;%dm \x1b[0m", level);
      } else {
        out += v >= 255 ? '@' : kShades[static_cast<size_t>(std::min(9.0f, std::sqrt(v) * 0.9f))];
      }
    }
    out += "\n";
  }
  return out;
}

}  // namespace quern::tool
