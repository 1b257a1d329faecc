// Cost and benefit of non-temporal stores on the cpu: kernels that write a buffer, alone and followed by one
// that reads it, with cached and non-temporal stores in turn. The device uses non-temporal stores from the
// sizes on at which they are not slower in any chain (driver/cpu/past_caches.cpp).
//
//   bench_chain [--rounds N] [MIB...]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "base/text.hpp"
#include "quern/inline.hpp"
#include "throttle_note.hpp"

namespace {

// NOLINTBEGIN(google-build-using-namespace): what kernels see
QUERN_KERNEL(fill, (int n, float s, float* c), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = s;
})
QUERN_KERNEL(copy, (int n, const float* a, float* c), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
})
QUERN_KERNEL(triad, (int n, float s, const float* a, const float* b, float* c), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + s * b[i];
})
// Reads all of it and writes almost nothing.
QUERN_KERNEL(look, (int n, const float* a, float* most), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && a[i] > 1e6f) most[0] = a[i];
})
// NOLINTEND(google-build-using-namespace)

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// One device with one kind of stores, and its buffers.
class Side {
 public:
  Side(const char* which, size_t floats)
      : device_(quern::open(which)), most_(device_.upload(std::vector<float>(1))) {
    const std::vector<float> numbers(floats, 2);
    a_ = device_.upload(numbers), b_ = device_.upload(numbers);
    c_ = device_.upload(numbers), d_ = device_.upload(numbers);
  }

  double run(int writer, int reader, int n) {
    const double start = now();
    const auto shape = quern::threads(static_cast<uint64_t>(n));
    if (writer == 0) device_.stream().launch(fill, shape, n, 3.0f, c_);
    if (writer == 1) device_.stream().launch(copy, shape, n, a_, c_);
    if (writer == 2) device_.stream().launch(triad, shape, n, 3.0f, a_, b_, c_);
    if (reader == 1) device_.stream().launch(look, shape, n, c_, most_);
    if (reader == 2) device_.stream().launch(copy, shape, n, c_, d_);
    device_.synchronize();
    return now() - start;
  }
  const quern::DeviceInfo& info() const { return device_.info(); }

 private:
  quern::Device device_;
  quern::Buffer<float> most_, a_, b_, c_, d_;
};

}  // namespace

int main(int argc, char** argv) {
  int rounds = 5;
  std::vector<size_t> sizes;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    if (text == "--rounds" && i + 1 < argc) {
      rounds = std::atoi(argv[++i]);
    } else {
      sizes.push_back(quern::base::parse_uint(text).value_or(32));
    }
  }
  if (sizes.empty()) sizes = {8, 16, 24, 32, 48, 64, 96};
  const size_t most = *std::max_element(sizes.begin(), sizes.end()) << 18;
  Side through("cpu,cache=0", most), past("cpu,cache=1", most);
  quern::bench::ThrottleNote throttling(through.info());
  static const char* const kWriters[] = {"fill", "copy", "triad"};
  static const char* const kReaders[] = {"", ", read", ", copied"};
  quern::base::Table table({{"MiB", quern::base::Align::kRight},
                            {"what"},
                            {"cached, ms", quern::base::Align::kRight},
                            {"non-temporal, ms", quern::base::Align::kRight},
                            {"gain", quern::base::Align::kRight}});
  for (const size_t size : sizes) {
    const int n = static_cast<int>(size << 18);
    for (int w = 0; w < 3; ++w) {
      for (int r = 0; r < 3; ++r) {
        double best[2] = {1e9, 1e9};
        for (int round = 0; round < rounds; ++round) {
          Side* const sides[] = {&through, &past};
          for (int s = 0; s < 2; ++s) {
            for (int k = 0; k < 4; ++k) {
              const double took = sides[s]->run(w, r, n);
              if (k != 0) best[s] = std::min(best[s], took);
            }
          }
        }
        table.add_row({std::to_string(size), std::string(kWriters[w]) + kReaders[r],
                       quern::base::format("%.3f", best[0] * 1e3), quern::base::format("%.3f", best[1] * 1e3),
                       quern::base::format("%.2f", best[0] / best[1])});
      }
    }
  }
  std::printf("%s", table.to_string().c_str());
  throttling.print();
  return 0;
}
