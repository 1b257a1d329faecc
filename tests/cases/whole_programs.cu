// Complete files as in practice: kernels between host code, checks, timers and main.
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#define TILE 4
#define CUDA_CHECK(expression)                                                                    \
  do {                                                                                            \
    cudaError_t error_ = (expression);                                                            \
    if (error_ != cudaSuccess) {                                                                  \
      std::cerr << __FILE__ << ':' << __LINE__ << ": " << cudaGetErrorString(error_) << std::endl; \
      std::exit(EXIT_FAILURE);                                                                    \
    }                                                                                             \
  } while (0)

using std::cout;
using namespace std;

class Timer {
 public:
  Timer() : start_(chrono::high_resolution_clock::now()) {}
  virtual ~Timer() = default;
  double seconds() const {
    return chrono::duration<double>(chrono::high_resolution_clock::now() - start_).count();
  }

 private:
  chrono::time_point<chrono::high_resolution_clock> start_;
};

template <typename T>
struct DeviceBuffer {
  T* data = nullptr;
  explicit DeviceBuffer(size_t n) { CUDA_CHECK(cudaMalloc(&data, n * sizeof(T))); }
  ~DeviceBuffer() { cudaFree(data); }
  DeviceBuffer(const DeviceBuffer&) = delete;
};

static vector<float> random_numbers(size_t n, unsigned seed = 42) {
  mt19937 engine(seed);
  uniform_real_distribution<float> unit(0.f, 1.f);
  vector<float> out(n);
  generate(out.begin(), out.end(), [&] { return unit(engine); });
  return out;
}

//! run matmul(f32[64]=iota, f32[64]=1, f32[64], 8) grid 2,2 block 4,4
//! c[0:16] = 28*8 92*8
//! c[56:64] = 476*8
__global__ void matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                       int n) {
  __shared__ float left[TILE][TILE];
  __shared__ float right[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < n / TILE; ++t) {
    left[threadIdx.y][threadIdx.x] = a[row * n + t * TILE + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(t * TILE + threadIdx.y) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

void matmul_on_host(const vector<float>& a, const vector<float>& b, vector<float>& c, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

//! run histogram(u8[256]=iota, 256, u32[8]=0) grid 2 block 16
//! bins = 32*8
__global__ void histogram(const unsigned char* data, int n, unsigned int* bins) {
  __shared__ unsigned int local[8];
  if (threadIdx.x < 8) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&local[data[i] >> 5], 1u);
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

template <unsigned int kBlock>
__device__ __forceinline__ void fold_warp(volatile float* s, unsigned int t) {
  if (kBlock >= 64) s[t] += s[t + 32];
}

//! run reduce<64>(f32[200]=1, f32[2], 200) grid 2 block 64
//! out = 128 72
template <unsigned int kBlock>
__global__ void reduce(const float* in, float* out, unsigned int n) {
  __shared__ float s[kBlock];
  unsigned int t = threadIdx.x;
  unsigned int i = blockIdx.x * (kBlock * 2) + t;
  float sum = i < n ? in[i] : 0;
  if (i + kBlock < n) sum += in[i + kBlock];
  s[t] = sum;
  __syncthreads();
  if (kBlock >= 512) { if (t < 256) s[t] += s[t + 256]; __syncthreads(); }
  if (kBlock >= 256) { if (t < 128) s[t] += s[t + 128]; __syncthreads(); }
  if (kBlock >= 128) { if (t < 64) s[t] += s[t + 64]; __syncthreads(); }
  if (t < 32) {
    if (kBlock >= 64) sum = s[t] + s[t + 32];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t == 0) out[blockIdx.x] = sum;
  }
}

//! run vector_add(f32[10]=iota, f32[10]=2, f32[10], 10) grid 3 block 4
//! c = 2 3 4 5 6 7 8 9 10 11
__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    c[i] = a[i] + b[i];
  }
}

__constant__ float kernel_weights[3];
__constant__ float blur[3] = {0.25f, 0.5f, 0.25f};
//! run convolve(f32[8]=iota, f32[8], 8) block 8
//! out = 0.25 1 2 3 4 5 6 5
__global__ void convolve(const float* in, float* out, int n) {
  int i = threadIdx.x;
  float sum = kernel_weights[0];
  for (int k = -1; k <= 1; ++k) {
    int j = i + k;
    if (j >= 0 && j < n) sum += in[j] * blur[k + 1];
  }
  out[i] = sum;
}

//! run stencil(f32[16]=iota, f32[16]) grid 2 block 8
//! out = 3 6 10 15 20 25 30 35 40 45 50 55 60 65 54 42
__global__ void stencil(const float* in, float* out) {
  constexpr int kRadius = 2;
  __shared__ float tile[8 + 2 * kRadius];
  int global = blockIdx.x * blockDim.x + threadIdx.x, local = threadIdx.x + kRadius;
  tile[local] = in[global];
  if (threadIdx.x < kRadius) {
    tile[local - kRadius] = global >= kRadius ? in[global - kRadius] : 0;
    tile[local + 8] = global + 8 < 16 ? in[global + 8] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int k = -kRadius; k <= kRadius; ++k) sum += tile[local + k];
  out[global] = sum;
}

//! run transpose(f32[24]=iota, f32[24], 6, 4) grid 2,1 block 4,4
//! out[0:8] = 0 6 12 18 1 7 13 19
//! out[20:24] = 5 11 17 23
__global__ void transpose(const float* in, float* out, int width, int height) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  int tx = blockIdx.y * TILE + threadIdx.x, ty = blockIdx.x * TILE + threadIdx.y;
  if (tx < height && ty < width) out[ty * height + tx] = tile[threadIdx.x][threadIdx.y];
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1024;
  unordered_map<string, double> times;
  vector<float> a = random_numbers(n * n), b = random_numbers(n * n, 7), c(n * n);
  DeviceBuffer<float> d_a(n * n), d_b(n * n), d_c(n * n);
  CUDA_CHECK(cudaMemcpy(d_a.data, a.data(), n * n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_b.data, b.data(), n * n * sizeof(float), cudaMemcpyHostToDevice));
  dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
  {
    Timer timer;
    matmul<<<grid, block>>>(d_a.data, d_b.data, d_c.data, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    times["matmul"] = timer.seconds();
  }
  auto blocks = [&](int threads) { return (n + threads - 1) / threads; };
  vector_add<<<blocks(256), 256>>>(d_a.data, d_b.data, d_c.data, n);
  reduce<256><<<blocks(512), 256, 0, 0>>>(d_a.data, d_c.data, n);
  switch (n) {
    case 1024: reduce<512><<<1, 512>>>(d_a.data, d_c.data, n); break;
    default: reduce<64><<<1, 64>>>(d_a.data, d_c.data, n);
  }
  cudaMemcpyToSymbol(kernel_weights, a.data(), 3 * sizeof(float));
  CUDA_CHECK(cudaMemcpy(c.data(), d_c.data, n * n * sizeof(float), cudaMemcpyDeviceToHost));
  for (auto& [name, seconds] : times) cout << name << ": " << seconds * 1e3 << " ms\n";
  thread worker([] { throw runtime_error(R"(never " thrown)"); });
  worker.join();
  try {
    ofstream("out.txt") << c[0] << endl;
  } catch (const exception& e) {
    cerr << e.what() << '\n';
    return EXIT_FAILURE;
  }
  return 0;
}
