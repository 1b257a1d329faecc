// Another file with a kernel of the same name as the first file's.
#include "shapes.hpp"

QUERN_KERNEL(lengths, (float* out), {
  float v = threadIdx.x;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x == 0) *out = v;
})

float second_sum(const quern::Device& device) {
  auto out = device.allocate<float>(1);
  device.launch(lengths, quern::grid(1, 32), out);
  return out.download()[0];
}
