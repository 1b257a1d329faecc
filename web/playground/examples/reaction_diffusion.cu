// Gray-Scott reaction-diffusion: two substances u and v spread and react.
// Draw with the mouse or a finger to add more of v.

// slider: feed = 0.037 from 0.01 to 0.08 step 0.001
// slider: kill = 0.06 from 0.045 to 0.07 step 0.0005

// A small hash: the same pattern on every device.
__device__ unsigned int hash(unsigned int x) {
  x ^= x >> 16; x *= 0x7feb352du;
  x ^= x >> 15; x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

__global__ void seed(float2* field, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  unsigned int cell = (y >> 4) * 4096 + (x >> 4);
  bool spot = hash(cell) % 23 == 0;
  field[y * width + x] = spot ? make_float2(0.5f, 0.25f) : make_float2(1.0f, 0.0f);
}

__global__ void react(const float2* field, float2* next, int width, int height, float feed, float kill,
                      float mouse_x, float mouse_y, int mouse_down) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;

  // Neighbors wrap around at the edges.
  int left = x > 0 ? x - 1 : width - 1, right = x + 1 < width ? x + 1 : 0;
  int up = y > 0 ? y - 1 : height - 1, down = y + 1 < height ? y + 1 : 0;
  auto at = [&](int column, int row) { return field[row * width + column]; };
  float2 c = at(x, y);
  float2 n = at(x, up), s = at(x, down), w = at(left, y), e = at(right, y);
  float2 nw = at(left, up), ne = at(right, up), sw = at(left, down), se = at(right, down);
  float spread_u = 0.2f * (n.x + s.x + w.x + e.x) + 0.05f * (nw.x + ne.x + sw.x + se.x) - c.x;
  float spread_v = 0.2f * (n.y + s.y + w.y + e.y) + 0.05f * (nw.y + ne.y + sw.y + se.y) - c.y;

  float reaction = c.x * c.y * c.y;
  float u = c.x + spread_u - reaction + feed * (1 - c.x);
  float v = c.y + 0.5f * spread_v + reaction - (kill + feed) * c.y;
  float dx = x - mouse_x, dy = y - mouse_y;
  if (mouse_down && dx * dx + dy * dy < 60.0f) v = 0.9f;
  next[y * width + x] = make_float2(u, v);
}

__device__ unsigned int mix(float low, float high, float t) { return low + (high - low) * t; }

__global__ void draw(unsigned int* pixels, const float2* field, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float t = fminf(1.0f, fmaxf(0.0f, 3.2f * field[y * width + x].y - 0.05f));
  float u = t * t * (3 - 2 * t);
  pixels[y * width + x] = mix(10, 255, u) | mix(22, 214, t) << 8 | mix(52, 150, u * u) << 16 | 255u << 24;
}
