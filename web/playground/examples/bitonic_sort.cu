// Bitonic sort: every frame performs one pass of compare-and-exchange over all pairs.
// The pass follows from `frame`, a live input that counts frames.

// slider: pace = 3 from 1 to 20 step 1

__device__ unsigned int hash(unsigned int x) {
  x ^= x >> 16; x *= 0x7feb352du;
  x ^= x >> 15; x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

struct Pass {
  int size;      // length of the runs that this pass merges
  int distance;  // between the two elements of a pair
  bool shuffle, idle;
};

// Passes 1, 2, 3, … have (size, distance) = (2, 1), (4, 2), (4, 1), (8, 4), …; then the result stays for a while.
__device__ Pass pass_of(int n, int number) {
  int stages = 31 - __clz(n);
  int index = number % (stages * (stages + 1) / 2 + 24);
  if (index == 0) return {0, 0, true, false};
  --index;
  for (int stage = 1; stage <= stages; ++stage) {
    if (index < stage) return {1 << stage, 1 << (stage - 1 - index), false, false};
    index -= stage;
  }
  return {0, 0, false, true};
}

__global__ void sort(unsigned int* values, int n, int frame, int pace) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || frame % pace != 0) return;
  Pass pass = pass_of(n, frame / pace);
  if (pass.shuffle) values[i] = hash(i + 977 * (frame / pace + 1)) >> 8;
  if (pass.shuffle || pass.idle) return;
  int partner = i ^ pass.distance;
  if (partner < i) return;  // the other thread of the pair does the exchange
  bool ascending = (i & pass.size) == 0;
  unsigned int a = values[i], b = values[partner];
  if ((a > b) == ascending) {
    values[i] = b;
    values[partner] = a;
  }
}

__global__ void draw(unsigned int* pixels, const unsigned int* values, int n, int width, int height, int frame, int pace) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int i = x * n / width;
  float value = values[i] / 16777216.0f;
  Pass pass = pass_of(n, frame / pace);
  bool lower = pass.distance != 0 && (i & pass.distance) == 0;
  float hue = 6.2831853f * (0.55f + 0.45f * value);
  unsigned int r = 130 + 100 * cosf(hue), g = 140 + 90 * cosf(hue - 2.1f), b = 150 + 100 * cosf(hue - 4.2f);
  if (lower) {
    r = r * 3 / 4;
    g = g * 3 / 4;
    b = b * 3 / 4;
  }
  bool bar = height - 1 - y < value * 0.96f * height;
  pixels[y * width + x] = bar ? r | g << 8 | b << 16 | 255u << 24 : 0xff1c1714u;
}
