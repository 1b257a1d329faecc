#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "shapes.hpp"

using namespace std;

// Names that both programs and kernels may use.
int min(int, int) { return -1; }
struct float4 {
  char other;
};

QUERN_KERNEL(lengths, (int n, const Point* in, float* out), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 v = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
    out[i] = length(in[i]) + static_cast<float>(min(0, 7)) + v.x - fabs(-1.0f);
  }
  assert(n > 0);
})

int main(int argc, char** argv) {
  quern::Device device = quern::open(argc > 1 ? argv[1] : "");
  auto in = device.upload(vector<Point>(100, Point{3, 4}));
  auto out = device.allocate<float>(100);
  const quern::Receipt receipt = device.launch(lengths, quern::threads(100).timed(), 100, in, out);
  for (float v : out.download()) {
    if (v != 5) return EXIT_FAILURE;
  }
  if (second_sum(device) != 496) return EXIT_FAILURE;
  try {
    (void)quern::open("no such device");
  } catch (const quern::Error& e) {
    printf("%s: works; %s\n", receipt.driver().c_str(), e.message().c_str());
  }
}
