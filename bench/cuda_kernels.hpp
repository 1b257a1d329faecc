// Kernels that bench_cuda measures, as a CUDA programmer would write them.
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
__global__ void copy4(int n, const float4* a, float4* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
}
__global__ void triad_double(int n, float s, const double* a, const double* b, double* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + s * b[i];
}
__global__ void gather(int n, const float* a, const float* b, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[(int)(b[i] * n)];
}
__global__ void reverse(int n, const float* a, float* c) {
  __shared__ float tile[256];
  tile[threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  c[(gridDim.x - 1 - blockIdx.x) * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}
__global__ void dot(int n, const float* a, const float* b, float* c) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[i] * b[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  __shared__ float part[8];
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 8) {
    sum = part[threadIdx.x];
    for (int d = 4; d > 0; d /= 2) sum += __shfl_xor_sync(0xffu, sum, d);
    if (threadIdx.x == 0) c[blockIdx.x] = sum;
  }
}
__global__ void block_scan(int n, const float* a, float* c) {
  __shared__ float sums[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float v = i < n ? a[i] : 0.0f;
  for (int d = 1; d < 32; d *= 2) {
    float u = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += u;
  }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  for (int w = 0; w < warp; ++w) v += sums[w];
  if (i < n) c[i] = v;
}
__global__ void sort_step(int n, const float* a, float* c) {
  __shared__ float keys[512];
  int base = blockIdx.x * 512;
  keys[threadIdx.x] = a[base + threadIdx.x];
  keys[threadIdx.x + 256] = a[base + threadIdx.x + 256];
  __syncthreads();
  for (int size = 2; size <= 512; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      int at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      bool up = (at & size) == 0;
      float x = keys[at], y = keys[at + stride];
      if ((x > y) == up) {
        keys[at] = y;
        keys[at + stride] = x;
      }
      __syncthreads();
    }
  }
  c[base + threadIdx.x] = keys[threadIdx.x];
  c[base + threadIdx.x + 256] = keys[threadIdx.x + 256];
}
__global__ void softmax(int n, const float* a, float* c) {
  __shared__ float part[8];
  const float* row = a + (size_t)blockIdx.x * n;
  float most = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) most = fmaxf(most, row[i]);
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
  __syncthreads();
  for (int w = 0; w < 8; ++w) most = fmaxf(most, part[w]);
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += expf(row[i] - most);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < 8; ++w) sum += part[w];
  for (int i = threadIdx.x; i < n; i += blockDim.x) c[(size_t)blockIdx.x * n + i] = expf(row[i] - most) / sum;
}
__global__ void layer_norm(int n, const float* a, const float* b, float* c) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const float* x = a + (size_t)row * n;
  float sum = 0, square = 0;
  for (int i = lane; i < n; i += 32) {
    sum += x[i];
    square += x[i] * x[i];
  }
  for (int d = 16; d > 0; d /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, d);
    square += __shfl_xor_sync(0xffffffffu, square, d);
  }
  float mean = sum / n, scale = rsqrtf(square / n - mean * mean + 1e-5f);
  for (int i = lane; i < n; i += 32) c[(size_t)row * n + i] = (x[i] - mean) * scale * b[i] + b[n + i];
}
__global__ void gelu(int n, const float* a, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = a[i];
  c[i] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}
__global__ void attention_step(int n, const float* a, const float* b, float* c) {
  __shared__ float q[64], scores[256];
  const float* keys = b;
  const float* values = b + (size_t)n * 64;
  if (threadIdx.x < 64) q[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  float total = 0, mine = 0;
  for (int t = 0; t < n; t += 256) {
    float s = 0;
    for (int k = 0; k < 64; ++k) s += q[k] * keys[(size_t)(t + threadIdx.x) * 64 + k];
    scores[threadIdx.x] = expf(s * 0.125f);
    __syncthreads();
    if (threadIdx.x < 64) {
      for (int j = 0; j < 256; ++j) {
        total += scores[j];
        mine += scores[j] * values[(size_t)(t + j) * 64 + threadIdx.x];
      }
    }
    __syncthreads();
  }
  if (threadIdx.x < 64) c[blockIdx.x * 64 + threadIdx.x] = mine / total;
}
__global__ void matmul_naive(int n, const float* a, const float* b, float* c) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
__global__ void matmul_registers(int n, const float* a, const float* b, float* c) {
  __shared__ float as[16][65], bs[16][64];
  int tx = threadIdx.x, ty = threadIdx.y, id = ty * 16 + tx;
  float sum[4][4] = {};
  for (int t = 0; t < n; t += 16) {
    for (int j = 0; j < 4; ++j) {
      int e = id + j * 256;
      as[e % 16][e / 16] = a[(blockIdx.y * 64 + e / 16) * n + t + e % 16];
      bs[e / 64][e % 64] = b[(t + e / 64) * n + blockIdx.x * 64 + e % 64];
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      float x[4], y[4];
      for (int j = 0; j < 4; ++j) {
        x[j] = as[k][ty * 4 + j];
        y[j] = bs[k][tx * 4 + j];
      }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4 + j] = sum[i][j];
}
__global__ void matvec(int n, const float* a, const float* b, float* c) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int k = lane; k < n; k += 32) sum += a[(size_t)row * n + k] * b[k];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) c[row] = sum;
}
__global__ void stencil3d(int n, const float* a, float* c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  int plane = n * n, i = plane + y * n + x;
  float below = a[i - plane], here = a[i];
  for (int z = 1; z < n - 1; ++z, i += plane) {
    float above = a[i + plane];
    c[i] = 0.4f * here + 0.1f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + below + above);
    below = here;
    here = above;
  }
}
__global__ void sobel(int n, const float* a, float* c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  const float* p = a + y * n + x;
  float gx = p[-n + 1] - p[-n - 1] + 2 * (p[1] - p[-1]) + p[n + 1] - p[n - 1];
  float gy = p[n - 1] - p[-n - 1] + 2 * (p[n] - p[-n]) + p[n + 1] - p[-n + 1];
  c[y * n + x] = sqrtf(gx * gx + gy * gy);
}
__global__ void grey(int n, const uchar4* a, unsigned char* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar4 p = a[i];
  c[i] = (unsigned char)((77 * p.x + 151 * p.y + 28 * p.z) >> 8);
}
__global__ void butterfly(int n, const float2* a, float2* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  float angle = -3.14159265f * (i & 1023) / 1024.0f, s, k;
  sincosf(angle, &s, &k);
  float2 x = a[i], y = a[i + n / 2];
  float2 t = make_float2(k * y.x - s * y.y, k * y.y + s * y.x);
  c[i] = make_float2(x.x + t.x, x.y + t.y);
  c[i + n / 2] = make_float2(x.x - t.x, x.y - t.y);
}
__global__ void nearest(int n, const float* a, const float* b, int* c) {
  __shared__ float centres[64 * 4];
  centres[threadIdx.x] = b[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
  float least = 1e30f;
  for (int k = 0; k < 64; ++k) {
    float d = 0;
    for (int j = 0; j < 4; ++j) {
      float t = a[(size_t)j * n + i] - centres[k * 4 + j];
      d += t * t;
    }
    if (d < least) {
      least = d;
      best = k;
    }
  }
  c[i] = best;
}
__global__ void random_walk(int n, float s, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long state = (unsigned long long)i * 6364136223846793005ull + 1442695040888963407ull;
  float x = 0;
  for (int k = 0; k < 32; ++k) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    x += (float)(unsigned)(state >> 40) * 5.9604645e-8f - 0.5f;
  }
  c[i] = x * s;
}
)";

}  // namespace quern::bench
