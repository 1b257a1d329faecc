// Zooms into the Mandelbrot set, one thread per pixel.
// `time` is a live input: the page passes the seconds since the start.

// slider: depth = 160 from 16 to 400 step 8
// slider: speed = 0.6 from 0 to 2 step 0.05

__device__ float wave(float phase) { return 0.5f + 0.5f * cosf(6.2831853f * phase); }

__device__ unsigned int color(float t) {
  unsigned int r = 255.0f * wave(t + 0.50f);
  unsigned int g = 255.0f * wave(t + 0.58f);
  unsigned int b = 255.0f * wave(t + 0.70f);
  return r | g << 8 | b << 16 | 255u << 24;
}

__global__ void mandelbrot(unsigned int* pixels, int width, int height, float time, int depth, float speed) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;

  // Zoom in and out between 2^0 and 2^13 around a point on the boundary.
  float zoom = exp2f(6.5f - 6.5f * cosf(0.25f * speed * time));
  float scale = 2.6f / (zoom * height);
  float cr = -0.743643f + scale * (x - 0.5f * width);
  float ci = 0.131825f + scale * (y - 0.5f * height);

  float zr = 0, zi = 0, rr = 0, ii = 0;
  int i = 0;
  while (i < depth && rr + ii < 64.0f) {
    zi = 2 * zr * zi + ci;
    zr = rr - ii + cr;
    rr = zr * zr;
    ii = zi * zi;
    ++i;
  }
  // The logarithm removes the steps between iteration counts.
  float smooth = i + 1 - log2f(0.5f * log2f(rr + ii));
  pixels[y * width + x] = i == depth ? 0xff000000u : color(0.022f * smooth);
}
