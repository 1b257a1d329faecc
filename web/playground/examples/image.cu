// A filter for pictures: load an image or start the webcam in the panel "Inputs".
// Edges by the Sobel operator, in shared memory with a border of one pixel.

// slider: strength = 1 from 0 to 4 step 0.1
// slider: original = 0.35 from 0 to 1 step 0.05

constexpr int kBlock = 16;
constexpr int kTile = kBlock + 2;

__device__ float3 unpack(unsigned int pixel) {
  return make_float3((pixel & 255) / 255.0f, (pixel >> 8 & 255) / 255.0f, (pixel >> 16 & 255) / 255.0f);
}

__device__ unsigned int pack(float3 c) {
  unsigned int r = 255 * __saturatef(c.x), g = 255 * __saturatef(c.y), b = 255 * __saturatef(c.z);
  return r | g << 8 | b << 16 | 255u << 24;
}

__global__ void edges(const unsigned int* image, unsigned int* pixels, int width, int height, float time, float strength,
                      float original) {
  __shared__ float gray[kTile][kTile];
  int left = blockIdx.x * kBlock - 1, top = blockIdx.y * kBlock - 1;
  for (int i = threadIdx.y * kBlock + threadIdx.x; i < kTile * kTile; i += kBlock * kBlock) {
    int x = min(max(left + i % kTile, 0), width - 1), y = min(max(top + i / kTile, 0), height - 1);
    float3 c = unpack(image[y * width + x]);
    gray[i / kTile][i % kTile] = 0.299f * c.x + 0.587f * c.y + 0.114f * c.z;
  }
  __syncthreads();

  int x = blockIdx.x * kBlock + threadIdx.x, y = blockIdx.y * kBlock + threadIdx.y;
  if (x >= width || y >= height) return;
  int i = threadIdx.x + 1, j = threadIdx.y + 1;
  float gx = gray[j - 1][i + 1] + 2 * gray[j][i + 1] + gray[j + 1][i + 1] - gray[j - 1][i - 1] - 2 * gray[j][i - 1] - gray[j + 1][i - 1];
  float gy = gray[j + 1][i - 1] + 2 * gray[j + 1][i] + gray[j + 1][i + 1] - gray[j - 1][i - 1] - 2 * gray[j - 1][i] - gray[j - 1][i + 1];
  float edge = strength * sqrtf(gx * gx + gy * gy), angle = atan2f(gy, gx) + time;

  float3 c = unpack(image[y * width + x]);
  c.x = original * c.x + edge * (0.6f + 0.4f * cosf(angle));
  c.y = original * c.y + edge * (0.6f + 0.4f * cosf(angle - 2.094f));
  c.z = original * c.z + edge * (0.6f + 0.4f * cosf(angle + 2.094f));
  pixels[y * width + x] = pack(c);
}
