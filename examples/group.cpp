// Several devices share one computation: group [DEVICE...]   (default: all GPUs and the CPU)
#include <cstdio>
#include <string>
#include <vector>

#include <quern/group.hpp>
#include <quern/inline.hpp>

QUERN_KERNEL(saxpy, (int n, float a, const float* x, float* y), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
})

int main(int argc, char** argv) {
  constexpr std::size_t kCount = 100'003;
  try {
    const std::vector<std::string> names(argv + 1, argv + argc);
    const quern::DeviceGroup group = names.empty() ? quern::DeviceGroup::all() : quern::DeviceGroup::open(names);

    quern::Distributed<float> x(group, kCount), y(group, kCount);
    x.scatter(std::vector<float>(kCount, 1.0f));
    y.fill(2.0f);
    group.launch(saxpy, quern::over(kCount), quern::part::count, 3.0f, x, y);
    const float sum = quern::distributed::sum(y);

    for (std::size_t i = 0; i < group.size(); ++i)
      std::printf("member %zu (%s): %zu elements\n", i, group.name(i).c_str(), y.local(i).size());
    std::printf("sum: %.0f\n", static_cast<double>(sum));
    return sum == 5.0f * kCount && y.gather().back() == 5.0f ? 0 : 1;
  } catch (const quern::Error& error) {
    std::fprintf(stderr, "group: %s\n", error.what());
    return 3;
  }
}
