// A histogram with a bug: many threads increment the same counter at the same time.
// On a GPU, increments get lost. Select the device "Simulator" and run: it reports the race, the two threads, and a fix.

__device__ unsigned int hash(unsigned int x) {
  x ^= x >> 16; x *= 0x7feb352du;
  x ^= x >> 15; x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

__global__ void fill(unsigned int* data, unsigned int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 16) bins[i] = 0;
  if (i >= n) return;
  // The sum of four random numbers has the shape of a bell.
  unsigned int a = hash(i), sum = (a & 255) + (a >> 8 & 255) + (a >> 16 & 255) + (a >> 24);
  data[i] = sum / 64;
}

__global__ void histogram(const unsigned int* data, unsigned int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bins[data[i]] += 1;  // the bug; write atomicAdd(&bins[data[i]], 1u)
}

__global__ void draw(unsigned int* pixels, const unsigned int* bins, int n, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int bin = x * 16 / width, offset = x % (width / 16);
  float share = 4.6f * bins[bin] / n;
  bool gap = offset < width / 160 || offset >= width / 16 - width / 160;
  bool bar = !gap && height - 1 - y < share * height;
  pixels[y * width + x] = bar ? 0xff5a9df2u : 0xff1c1714u;

  if (x == 0 && y == 0) {
    unsigned int total = 0;
    for (int k = 0; k < 16; ++k) total += bins[k];
    printf("counted %u of %d values\n", total, n);
    if (total != n) printf("%u increments were lost in the race\n", n - total);
  }
}
