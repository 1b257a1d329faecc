// Kernels that bench_cuda measures: as a CUDA programmer writes them.
#pragma once

namespace quern::bench {

inline constexpr const char* kKernels = R"(
__global__ void empty(int n, float a, const float* x, float* y) {}

__global__ void copy(int n, const float* a, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
}
__global__ void scale(int n, float s, const float* a, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = s * a[i];
}
__global__ void add(int n, const float* a, const float* b, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void triad(int n, float s, const float* a, const float* b, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + s * b[i];
}
__global__ void saxpy_stride(int n, float s, const float* a, float* c) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = s * a[i] + c[i];
}
__global__ void reduce(int n, const float* a, float* c) {
  __shared__ float part[256];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) c[blockIdx.x] = part[0];
}
__global__ void warp_sums(int n, const float* a, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? a[i] : 0.0f;
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if ((threadIdx.x & 31) == 0) c[i >> 5] = v;
}
__global__ void transpose(int n, const float* a, float* c) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) c[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
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
__global__ void stencil(int n, const float* a, float* c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  int i = y * n + x;
  c[i] = 0.5f * a[i] + 0.125f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n]);
}
__global__ void nbody(int n, const float4* a, float4* c) {
  __shared__ float4 tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 p = a[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 256) {
    tile[threadIdx.x] = a[t + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 256; ++j) {
      float4 q = tile[j];
      float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float f = q.w * r * r * r;
      ax += f * dx;
      ay += f * dy;
      az += f * dz;
    }
    __syncthreads();
  }
  c[i] = make_float4(ax, ay, az, 0);
}
__global__ void mandelbrot(int n, int* c) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y;
  float cx = px * 3.0f / n - 2.0f, cy = py * 2.0f / n - 1.0f, x = 0, y = 0;
  int i = 0;
  while (i < 256 && x * x + y * y <= 4.0f) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    ++i;
  }
  c[py * n + px] = i;
}
__global__ void histogram(int n, const float* a, int* c) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[(int)(a[i] * 256.0f) & 255], 1);
  __syncthreads();
  atomicAdd(&c[threadIdx.x], bins[threadIdx.x]);
}
__global__ void black_scholes(int n, const float* a, const float* b, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 5.0f + 25.0f * a[i], k = 1.0f + 99.0f * b[i], t = 0.25f + 9.0f * a[i], r = 0.02f, v = 0.3f;
  float root = sqrtf(t);
  float d1 = (logf(s / k) + (r + 0.5f * v * v) * t) / (v * root), d2 = d1 - v * root;
  c[i] = s * normcdff(d1) - k * expf(-r * t) * normcdff(d2);
}
__global__ void integers(int n, const int* a, int* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = (unsigned)a[i];
  for (int k = 0; k < 64; ++k) {
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h = (h << 7) | (h >> 25);
    h += h % (unsigned)(k + 3);
  }
  c[i] = (int)h;
}
)";

}  // namespace quern::bench
