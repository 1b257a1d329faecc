// An incompressible fluid (Stam's stable fluids): advect, make divergence-free, carry colored dye.
// Stir it with the mouse or a finger; two jets keep it moving.

// slider: force = 1 from 0 to 3 step 0.1
// slider: fade = 0.997 from 0.95 to 1 step 0.001

__device__ int clamped(int value, int size) { return min(max(value, 0), size - 1); }

// Linear interpolation between the four cells around (x, y).
template <typename T, typename Mix>
__device__ T sample(const T* cells, int width, int height, float x, float y, Mix mix) {
  x = fminf(fmaxf(x, 0.0f), width - 1.001f);
  y = fminf(fmaxf(y, 0.0f), height - 1.001f);
  int column = x, row = y;
  const T* p = cells + row * width + column;
  return mix(mix(p[0], p[1], x - column), mix(p[width], p[width + 1], x - column), y - row);
}

__device__ float2 mix2(float2 a, float2 b, float t) { return make_float2(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t); }
__device__ float4 mix4(float4 a, float4 b, float t) {
  return make_float4(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t, 0);
}

// How strongly a round jet of the given radius acts on a cell.
__device__ float inside(float x, float y, float jet_x, float jet_y, float radius) {
  float dx = x - jet_x, dy = y - jet_y;
  return fmaxf(0.0f, 1 - (dx * dx + dy * dy) / (radius * radius));
}

__global__ void advect(const float2* velocity, const float4* dye, float2* next_velocity, float4* next_dye, int width,
                       int height, float time, float force, float fade, float mouse_x, float mouse_y, float mouse_dx,
                       float mouse_dy, int mouse_down) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int i = y * width + x;

  float2 v = velocity[i];
  float back_x = x - v.x, back_y = y - v.y;
  v = sample(velocity, width, height, back_x, back_y, mix2);
  float4 d = sample(dye, width, height, back_x, back_y, mix4);

  float radius = 0.07f * height, sway = 0.9f * sinf(1.3f * time);
  float warm = inside(x, y, 0.12f * width, 0.5f * height, radius);
  float cold = inside(x, y, 0.88f * width, 0.5f * height, radius);
  v.x += 0.25f * force * (warm - cold);
  v.y += 0.25f * force * sway * (warm - cold);
  d.x = fmaxf(fade * d.x, warm);
  d.y = fmaxf(fade * d.y, 0.45f * warm + 0.55f * cold);
  d.z = fmaxf(fade * d.z, cold);

  float stir = mouse_down ? inside(x, y, mouse_x, mouse_y, 1.5f * radius) : 0.0f;
  v.x += 0.6f * stir * mouse_dx;
  v.y += 0.6f * stir * mouse_dy;
  d.x += 0.30f * stir;
  d.y += 0.34f * stir;
  d.z += 0.30f * stir;

  bool edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
  next_velocity[i] = edge ? make_float2(0, 0) : v;
  next_dye[i] = d;
}

__global__ void divergence(const float2* velocity, float* sources, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float left = velocity[y * width + clamped(x - 1, width)].x, right = velocity[y * width + clamped(x + 1, width)].x;
  float up = velocity[clamped(y - 1, height) * width + x].y, down = velocity[clamped(y + 1, height) * width + x].y;
  sources[y * width + x] = 0.5f * (right - left + down - up);
}

// One Jacobi iteration for the pressure.
__global__ void relax(const float* pressure, float* next_pressure, const float* sources, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float left = pressure[y * width + clamped(x - 1, width)], right = pressure[y * width + clamped(x + 1, width)];
  float up = pressure[clamped(y - 1, height) * width + x], down = pressure[clamped(y + 1, height) * width + x];
  next_pressure[y * width + x] = 0.25f * (left + right + up + down - sources[y * width + x]);
}

// Subtracts the pressure's gradient, then converts the dye to a color.
__global__ void project(float2* velocity, const float* pressure, const float4* dye, unsigned int* pixels, int width,
                        int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int i = y * width + x;
  float left = pressure[y * width + clamped(x - 1, width)], right = pressure[y * width + clamped(x + 1, width)];
  float up = pressure[clamped(y - 1, height) * width + x], down = pressure[clamped(y + 1, height) * width + x];
  velocity[i].x -= 0.5f * (right - left);
  velocity[i].y -= 0.5f * (down - up);

  float4 d = dye[i];
  unsigned int r = 255 * fminf(1.0f, 0.04f + d.x);
  unsigned int g = 255 * fminf(1.0f, 0.05f + d.y);
  unsigned int b = 255 * fminf(1.0f, 0.10f + d.z);
  pixels[i] = r | g << 8 | b << 16 | 255u << 24;
}
