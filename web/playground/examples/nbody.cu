// Gravity between all pairs of bodies: two disks of stars on an encounter.
// Each block loads a tile of bodies into shared memory, and all of its threads use it.

// slider: step = 0.012 from 0 to 0.04 step 0.001
// slider: softening = 0.12 from 0.02 to 0.5 step 0.01

constexpr int kTile = 128;

__device__ float random(unsigned int x) {
  x ^= x >> 16; x *= 0x7feb352du;
  x ^= x >> 15; x *= 0x846ca68bu;
  return (x ^ (x >> 16)) * (1.0f / 4294967296.0f);
}

__global__ void seed(float4* bodies, float4* velocities, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bool second = i >= n / 2;
  float r = 0.04f + 0.9f * random(3 * i + 1), angle = 6.2831853f * random(3 * i + 2);
  float speed = 0.72f * sqrtf(r / (r + 0.2f)), thickness = 0.06f * (random(3 * i + 3) - 0.5f);
  float x = r * cosf(angle), y = r * sinf(angle);
  float side = second ? 1.0f : -1.0f;
  bodies[i] = make_float4(x + 1.15f * side, y + 0.45f * side, thickness, 1.0f / n);
  velocities[i] = make_float4(-speed * y / r - 0.28f * side, speed * x / r, 0, 0);
}

__global__ void __launch_bounds__(kTile) move(const float4* bodies, float4* next, float4* velocities, int n, float step,
                                              float softening) {
  __shared__ float4 tile[kTile];
  int i = blockIdx.x * kTile + threadIdx.x;
  float4 own = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float ax = 0, ay = 0, az = 0;
  for (int first = 0; first < n; first += kTile) {
    int other = first + threadIdx.x;
    tile[threadIdx.x] = other < n ? bodies[other] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int k = 0; k < kTile; ++k) {
      float4 body = tile[k];
      float dx = body.x - own.x, dy = body.y - own.y, dz = body.z - own.z;
      float r2 = dx * dx + dy * dy + dz * dz + softening * softening;
      float inverse = 1.0f / sqrtf(r2);
      float pull = body.w * inverse * inverse * inverse;
      ax += pull * dx;
      ay += pull * dy;
      az += pull * dz;
    }
    __syncthreads();
  }
  if (i >= n) return;
  float4 v = velocities[i];
  v = make_float4(v.x + step * ax, v.y + step * ay, v.z + step * az, 0);
  velocities[i] = v;
  next[i] = make_float4(own.x + step * v.x, own.y + step * v.y, own.z + step * v.z, own.w);
}

__global__ void dim(unsigned int* light, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 2 * width * height) light[i] = light[i] * 3 / 4;
}

// Every body adds light to its pixel; the two disks have separate counters.
__global__ void splat(unsigned int* light, const float4* bodies, int n, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 body = bodies[i];
  int x = width * 0.5f + body.x * height * 0.24f, y = height * 0.5f - body.y * height * 0.24f;
  int layer = i >= n / 2 ? width * height : 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      int column = x + dx, row = y + dy;
      if (column < 0 || row < 0 || column >= width || row >= height) continue;
      unsigned int amount = dx == 0 && dy == 0 ? 80 : dx == 0 || dy == 0 ? 22 : 7;
      atomicAdd(&light[layer + row * width + column], amount);
    }
}

__device__ unsigned int tone(float value) { return 255 * (1 - 1 / (1 + value)); }

__global__ void draw(unsigned int* pixels, const unsigned int* light, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  float warm = light[i] / 110.0f, cold = light[width * height + i] / 110.0f;
  unsigned int r = tone(0.02f + 1.2f * warm + 0.35f * cold);
  unsigned int g = tone(0.02f + 0.65f * warm + 0.7f * cold);
  unsigned int b = tone(0.06f + 0.30f * warm + 1.5f * cold);
  pixels[i] = r | g << 8 | b << 16 | 255u << 24;
}
