// Launches that must not compile, one for each value of CASE.
#include <quern/inline.hpp>

QUERN_KERNEL(saxpy, (int n, float a, const float* x, float* y), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
})
QUERN_TEMPLATE_KERNEL(scale, (typename T), (T a, T* x), { x[threadIdx.x] *= a; })

void launch(const quern::Device& gpu, const quern::Buffer<float>& x, quern::Buffer<float>& y) {
  const quern::Slice<const float> fixed(y);
  quern::Buffer<double> wide;
  quern::Buffer<int> whole;
  float* const pointer = nullptr;
  (void)fixed, (void)pointer;
#if CASE == 0  // valid
  gpu.launch(saxpy, quern::threads(1000), 1000, 3, x, y);
  gpu.launch(saxpy, quern::threads(1000), 1000, 3.0f, fixed, nullptr);
  const quern::Receipt receipt = gpu.launch(saxpy, quern::threads(1000).timed(), 1000, 3, x, y);
  const quern::Slice<float> writable = y;
  const quern::Slice<const float> read_only = x, also_read_only = y;
  gpu.stream().copy(y, x);
  y.fill(x.size() + receipt.seconds().value() + writable.size() + read_only.size() + also_read_only.size());
  gpu.launch(scale<float>, quern::threads(1000), 3, y);
  gpu.launch(scale<double>, quern::threads(1000), 3, wide);
#elif CASE == 1
  gpu.launch(saxpy, quern::threads(1000), 1000, x, x, y);
#elif CASE == 2
  gpu.launch(saxpy, quern::threads(1000), 1000, 3.0f, x);
#elif CASE == 3
  gpu.launch(saxpy, quern::threads(1000), 1000, 3.0f, x, y, 7);
#elif CASE == 4
  gpu.launch(saxpy, quern::threads(1000), 1000, 3.0f, x, fixed);
#elif CASE == 5
  gpu.launch(saxpy, quern::threads(1000), 1000, 3.0f, pointer, y);
#elif CASE == 6
  gpu.launch(saxpy, quern::threads(1000), 1000, 3.0f, wide, y);
#elif CASE == 8
  gpu.launch(saxpy, quern::threads(1000), 1000, 3.0f, whole, y);
#elif CASE == 9
  gpu.launch(scale<float>, quern::threads(1000), 3.0f, wide);
#elif CASE == 10  // a const buffer is read-only
  gpu.launch(saxpy, quern::threads(1000), 1000, 3.0f, x, x);
#elif CASE == 11
  x.upload(std::vector<float>(10));
#elif CASE == 12
  gpu.stream().fill(x, 1.0f);
#elif CASE == 13
  const quern::Slice<float> writable(x);
#elif CASE == 7
  gpu.launch(saxpy, quern::threads(1000), "1000", 3.0f, x, y);
#endif
}
