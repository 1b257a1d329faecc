// An operation, in a program that links an installation.
#include <cstdio>

#include <quern/ops.hpp>
#include <quern/quern.hpp>

int main() {
  const quern::Device device = quern::open("sim");
  const quern::ops::Tensor<int> x(device, {7});
  quern::ops::fill(device, x, 1);
  std::printf("sum: %d\n", static_cast<int>(quern::ops::sum(device, x)));
}
