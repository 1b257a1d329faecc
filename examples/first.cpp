#include <cstdio>
#include <quern/inline.hpp>

QUERN_KERNEL(saxpy, (int n, float a, const float* x, float* y), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
})

int main() {
  quern::Device gpu = quern::open();
  auto x = gpu.upload(std::vector<float>(1000, 1.0f)), y = gpu.upload(std::vector<float>(1000, 2.0f));
  gpu.launch(saxpy, quern::threads(1000), 1000, 3.0f, x, y);
  std::printf("%s says %g\n", gpu.name().c_str(), y.download()[0]);
}
