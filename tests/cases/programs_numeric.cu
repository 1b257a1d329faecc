// Numeric programs: sparse products, bodies, rows of networks, fractals, elimination, random numbers.
#include <math.h>
#include <float.h>

//! run sparse_product(f32[4]) block 4
//! y = 7 9 26 20
__global__ void sparse_product(float* y) {
  // [1 0 2 0; 0 3 0 1 (of x = 1 2 3 4) ...] in compressed rows
  const int row_start[] = {0, 2, 4, 7, 8};
  const int columns[] = {0, 2, 1, 3, 0, 1, 2, 3};
  const float values[] = {1, 2, 2.5f, 1, 4, 5, 4, 5};
  const float x[] = {1, 2, 3, 4};
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = row_start[row]; i < row_start[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}

//! run sparse_product_by_warps(f32[2]) block 64
//! y = 496 1056
__global__ void sparse_product_by_warps(float* y) {
  int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
  int start = warp == 0 ? 0 : 32, end = warp == 0 ? 32 : 65;
  float sum = 0;
  for (int i = start + lane; i < end; i += 32) sum += (float)(i - start) * (warp == 0 ? 1 : 2);
#pragma unroll
  for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (lane == 0) y[warp] = sum;
}

__device__ float3 pull(float4 a, float4 b, float3 sum) {
  float3 r = make_float3(b.x - a.x, b.y - a.y, b.z - a.z);
  float square = r.x * r.x + r.y * r.y + r.z * r.z + 1.0f;
  float inverse = rsqrtf(square);
  float s = b.w * inverse * inverse * inverse;
  sum.x += r.x * s;
  sum.y += r.y * s;
  sum.z += r.z * s;
  return sum;
}
//! run bodies(f32x4[4], f32[4]) block 4
//! out ~1e-6 = 0.627307158598 0.1788854382 -0.1788854382 -0.627307158598
__global__ void bodies(float4* position, float* out) {
  __shared__ float4 tile[4];
  position[threadIdx.x] = make_float4(threadIdx.x, 0, 0, 1);
  float4 mine = position[threadIdx.x];
  tile[threadIdx.x] = mine;
  __syncthreads();
  float3 sum = {0, 0, 0};
  for (int j = 0; j < blockDim.x; ++j) sum = pull(mine, tile[j], sum);
  out[threadIdx.x] = sum.x + sum.y;
}

//! run softmax_row(f32[4]=iota, f32[4], 4) block 32
//! out ~1e-6 = 0.0320586032801 0.087144318742 0.23688281809 0.643914259888
__global__ void softmax_row(const float* in, float* out, int n) {
  int lane = threadIdx.x;
  float most = -INFINITY;
  for (int i = lane; i < n; i += 32) most = fmaxf(most, in[i]);
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
  float sum = 0;
  for (int i = lane; i < n; i += 32) {
    float e = expf(in[i] - most);
    out[i] = e;
    sum += e;
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  for (int i = lane; i < n; i += 32) out[i] /= sum;
}

struct MaxAndSum {
  float most, sum;
};
__device__ __forceinline__ MaxAndSum merge(MaxAndSum a, MaxAndSum b) {
  bool a_bigger = a.most > b.most;
  MaxAndSum big = a_bigger ? a : b, small = a_bigger ? b : a;
  return {big.most, big.sum + small.sum * expf(small.most - big.most)};
}
//! run online_softmax(f32[64]=iota, f32[2]) block 32
//! out ~1e-6 = 63 1.58197670687
__global__ void online_softmax(const float* in, float* out) {
  MaxAndSum state = {-FLT_MAX, 0};
  for (int i = threadIdx.x; i < 64; i += blockDim.x) state = merge(state, {in[i], 1});
  for (int d = 16; d > 0; d >>= 1) {
    MaxAndSum other = {__shfl_xor_sync(~0u, state.most, d), __shfl_xor_sync(~0u, state.sum, d)};
    state = merge(state, other);
  }
  if (threadIdx.x == 0) {
    out[0] = state.most;
    out[1] = state.sum;
  }
}

template <int kBlock>
__device__ float block_sum(float v) {
  __shared__ float partial[kBlock / 32];
  __shared__ float total;
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (float p : partial) sum += p;
    total = sum;
  }
  __syncthreads();
  return total;
}
//! run layer_norm<64>(f32[64]=iota, f32[64]=2, f32[64]=1, f32[64], 64) block 64
//! out[0:2] ~1e-5 = -2.41039131038 -2.30212491958
//! out[63:64] ~1e-5 = 4.41039131038
template <int kBlock>
__global__ void layer_norm(const float* x, const float* scale, const float* shift, float* out, int n) {
  int t = threadIdx.x;
  float mean = block_sum<kBlock>(x[t]) / n;
  float centred = x[t] - mean;
  float variance = block_sum<kBlock>(centred * centred) / n;
  out[t] = centred * rsqrtf(variance + 1e-5f) * scale[t] + shift[t];
}

//! run mandelbrot(i32[15], 5, 3, 20) block 5,3
//! out = 1 3 4 4 2 20 20 20 20 3 1 3 4 4 2
__global__ void mandelbrot(int* out, int width, int height, int limit) {
  int px = threadIdx.x, py = threadIdx.y;
  if (px >= width || py >= height) return;
  float cx = -2.0f + px * 0.75f, cy = -1.0f + py;
  float x = 0, y = 0;
  int n = 0;
  while (x * x + y * y <= 4.0f && n < limit) {
    float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    ++n;
  }
  out[py * width + px] = n;
}

//! run elimination(f64[12], f64[3]) block 3
//! x = 2 3 -1
__global__ void elimination(double* m, double* x) {
  const double system[3][4] = {{2, 1, -1, 8}, {-3, -1, 2, -11}, {-2, 1, 2, -3}};
  int r = threadIdx.x;
  for (int c = 0; c < 4; ++c) m[r * 4 + c] = system[r][c];
  __syncthreads();
  for (int p = 0; p < 3; ++p) {
    double factor = r == p ? 0 : m[r * 4 + p] / m[p * 4 + p];
    __syncthreads();
    if (r != p)
      for (int c = p; c < 4; ++c) m[r * 4 + c] -= factor * m[p * 4 + c];
    __syncthreads();
  }
  x[r] = rint(m[r * 4 + 3] / m[r * 4 + r] * 4096) / 4096;
}

//! run jacobi_step(f32[25], f32[25]) block 5,5
//! after[5:10] = 4 1 1 1 4
//! after[10:15] = 4 1 0 1 4
__global__ void jacobi_step(float* before, float* after) {
  int x = threadIdx.x, y = threadIdx.y, i = y * 5 + x;
  bool edge = x == 0 || y == 0 || x == 4 || y == 4;
  before[i] = edge ? ((x == 0 || x == 4) && y > 0 && y < 4 ? 4 : 0) : 0;
  if ((y == 0 || y == 4) && x == 2) before[i] = 4;
  __syncthreads();
  after[i] = edge ? before[i] : 0.25f * (before[i - 1] + before[i + 1] + before[i - 5] + before[i + 5]);
}

__device__ unsigned next_random(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}
//! run random_numbers(2463534242, u32[3])
//! out = 723471715 2497366906 2064144800
__global__ void random_numbers(unsigned seed, unsigned* out) {
  for (int i = 0; i < 3; ++i) out[i] = next_random(seed);
}

//! run linear_congruential(u64[2])
//! out = 7806831264735756412 9396908728118811419
__global__ void linear_congruential(unsigned long long* out) {
  unsigned long long state = 1;
  for (int i = 0; i < 2; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    out[i] = state;
  }
}

struct Rng {
  unsigned s[4];
  __device__ explicit Rng(unsigned seed) {
    for (int i = 0; i < 4; ++i) s[i] = seed = seed * 1664525u + 1013904223u;
  }
  __device__ unsigned rotl(unsigned x, int k) const { return (x << k) | (x >> (32 - k)); }
  __device__ unsigned operator()() {
    const unsigned result = s[0] + s[3], t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 11);
    return result;
  }
  __device__ float uniform() { return ((*this)() >> 8) * (1.0f / 16777216.0f); }
};
//! run estimate_pi(i32[1]=0, 100) grid 4 block 32
//! hits[0:1] ~0.05 = 10053.0964915
__global__ void estimate_pi(int* hits, int samples) {
  Rng rng(blockIdx.x * blockDim.x + threadIdx.x);
  int inside = 0;
  for (int i = 0; i < samples; ++i) {
    float x = rng.uniform(), y = rng.uniform();
    if (x * x + y * y < 1.0f) ++inside;
  }
  atomicAdd(hits, inside);
}

//! run option_price(f32[2])
//! out ~1e-5 = 10.4505835722 5.57352602226
__global__ void option_price(float* out) {
  float price = 100, strike = 100, rate = 0.05f, volatility = 0.2f, years = 1;
  float root = sqrtf(years);
  float d1 = (logf(price / strike) + (rate + 0.5f * volatility * volatility) * years) / (volatility * root);
  float d2 = d1 - volatility * root;
  auto cdf = [](float x) { return 0.5f * erfcf(-x * 0.70710678f); };
  float discounted = strike * expf(-rate * years);
  out[0] = price * cdf(d1) - discounted * cdf(d2);
  out[1] = discounted * cdf(-d2) - price * cdf(-d1);
}

//! run kahan_sum(f32[1], 1000)
//! out = 100
__global__ void kahan_sum(float* out, int n) {
  float sum = 0, lost = 0;
  for (int i = 0; i < n; ++i) {
    float y = 0.1f - lost;
    float t = sum + y;
    lost = (t - sum) - y;
    sum = t;
  }
  out[0] = sum;
}

//! run gelu(f32[3]) block 3
//! out ~1e-5 = -0.158808009392 0 1.95459769409
__global__ void gelu(float* out) {
  constexpr float kScale = 0.7978845608028654f;
  const float inputs[] = {-1, 0, 2};
  float x = inputs[threadIdx.x];
  float cube = 0.044715f * x * x * x;
  out[threadIdx.x] = 0.5f * x * (1.0f + tanhf(kScale * (x + cube)));
}

//! run polynomial(f32[4]=iota, f32[4]) block 4
//! out = 1 10 49 142
__global__ void polynomial(const float* in, float* out) {
  const float c[] = {4, 3, 2, 1};
  float x = in[threadIdx.x], y = c[0];
#pragma unroll
  for (int i = 1; i < 4; ++i) y = fmaf(y, x, c[i]);
  out[threadIdx.x] = y;
}

//! run fast_fourier(f32x2[8], f32[8]) block 4
//! power ~1e-5 = 1296 109.254833996 32 18.7451660041 16 18.7451660041 32 109.254833996
__global__ void fast_fourier(float2* data, float* power) {
  for (int i = threadIdx.x; i < 8; i += 4) {
    int reversed = __brev(i) >> 29;
    data[reversed] = make_float2(i + 1, 0);
  }
  __syncthreads();
  for (int length = 2; length <= 8; length *= 2) {
    int half_length = length / 2, k = threadIdx.x % half_length;
    int base = threadIdx.x / half_length * length + k;
    float s, c;
    sincospif(-2.0f * k / length, &s, &c);
    float2 a = data[base], b = data[base + half_length];
    float2 t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    data[base] = make_float2(a.x + t.x, a.y + t.y);
    data[base + half_length] = make_float2(a.x - t.x, a.y - t.y);
    __syncthreads();
  }
  for (int i = threadIdx.x; i < 8; i += 4) power[i] = data[i].x * data[i].x + data[i].y * data[i].y;
}
