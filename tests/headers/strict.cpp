// Uses the public headers as a program with strict warnings does.
#include <quern/inline.hpp>
#include <quern/ring.hpp>
#include <quern/wmma.hpp>

QUERN_CODE(
    struct Body { float x; }; __device__ inline float square(float v) { return v * v; })

QUERN_KERNEL(saxpy, (int n, float a, const float* x, float* y), {
  int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  QUERN_DYNAMIC_SHARED(float, box);
  box[0] = sqrtf(x[0]) + square(1.0f);
  QUERN_UNROLL(4)
  for (int k = 0; k < 4; ++k) {
    QUERN_UNROLL() for (int m = 0; m < 4; ++m) y[i] += a * x[i];
  }
  if (i < n) y[i] = a * x[i] + y[i] + INFINITY;
})
QUERN_TEMPLATE_KERNEL(scale, (typename T, int N), (T a, T* x), { x[threadIdx.x] *= a * N; })
QUERN_ACTOR(Counter, (long total), (int add), long, {
  total += add;
  return total;
})

void use(const quern::Device& device, quern::Buffer<float>& x, const quern::Buffer<Body>& bodies) {
  device.launch(saxpy, quern::threads(1000).shared(4), 1000, 3, x, x.slice(1, 2));
  device.launch(scale<float, 2>, quern::threads(1000), 2.0, x);
  const auto actor = device.spawn(Counter{0});
  auto copy = device.upload(bodies.download());
  device.stream().fill(x, 1.0f);
  const quern::Module module = device.compile("__device__ int v;");
  module.write("v", 3 + module.read<int>("v"));
  (void)actor, (void)copy;
}
