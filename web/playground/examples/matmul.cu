// Matrix product C = A B, twice: without and with tiles in shared memory.
// The page divides 2 n³ operations by the measured GPU time of each kernel.

constexpr int kTile = 16;

// Smooth matrices, so that the product makes a picture.
__global__ void fill(float* a, float* b, int n, float time) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= n || row >= n) return;
  float x = 6.2831853f * column / n, y = 6.2831853f * row / n;
  a[row * n + column] = cosf(3 * x) * cosf(2 * y + 0.5f * time) + sinf(2 * x) * sinf(5 * y);
  b[row * n + column] = cosf(3 * y) * sinf(3 * x + 2 * cosf(x)) + sinf(2 * y) * cosf(4 * x - 0.4f * time);
}

__global__ void multiply_simple(const float* a, const float* b, float* c, int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= n || row >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void multiply_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int column = blockIdx.x * kTile + tx, row = blockIdx.y * kTile + ty;
  float sum = 0;
  for (int first = 0; first < n; first += kTile) {
    tile_a[ty][tx] = row < n && first + tx < n ? a[row * n + first + tx] : 0;
    tile_b[ty][tx] = column < n && first + ty < n ? b[(first + ty) * n + column] : 0;
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

// Red where C is positive, blue where it is negative; white pixels would show that the two products differ.
__global__ void draw(unsigned int* pixels, const float* c, const float* d, int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= n || row >= n) return;
  int i = row * n + column;
  float value = fminf(1.0f, fmaxf(-1.0f, 1.4f * c[i] / n));
  unsigned int r = 24 + 210 * fmaxf(0.0f, value) + 30 * fmaxf(0.0f, -value);
  unsigned int g = 26 + 90 * fabsf(value);
  unsigned int b = 36 + 60 * fmaxf(0.0f, value) + 215 * fmaxf(0.0f, -value);
  bool differs = fabsf(c[i] - d[i]) > 0.001f * n;
  pixels[i] = differs ? 0xffffffffu : r | g << 8 | b << 16 | 255u << 24;
}
