// Memory bandwidth of simple kernels: copy, scale, add and triad compared with the driver's own buffer copy,
// on every device of the machine or on the named ones. Uses the public API; all results are verified.
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
QUERN_KERNEL(copy, (int n, const float4* a, float4* c), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
})
QUERN_KERNEL(scale, (int n, const float4* a, float4* c), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = a[i];
  c[i] = make_float4(3.0f * v.x, 3.0f * v.y, 3.0f * v.z, 3.0f * v.w);
})
QUERN_KERNEL(add, (int n, const float4* a, const float4* b, float4* c), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = a[i], w = b[i];
  c[i] = make_float4(v.x + w.x, v.y + w.y, v.z + w.z, v.w + w.w);
})
QUERN_KERNEL(triad, (int n, const float4* a, const float4* b, float4* c), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = a[i], w = b[i];
  c[i] = make_float4(v.x + 3.0f * w.x, v.y + 3.0f * w.y, v.z + 3.0f * w.z, v.w + 3.0f * w.w);
})

// NOLINTEND(google-build-using-namespace)

using Four = quern::kernel::float4;

constexpr int kRounds = 7, kRepeats = 10;

class Streaming {
 public:
  Streaming(quern::Device device, int n) : device_(std::move(device)), n_(n) {
    a_ = device_.upload(std::vector<Four>(static_cast<size_t>(n), Four{2, 2, 2, 2}));
    b_ = device_.upload(std::vector<Four>(static_cast<size_t>(n), Four{5, 5, 5, 5}));
    c_ = device_.allocate<Four>(static_cast<size_t>(n));
  }

  // GB/s of the driver's own copy: each byte is read and written.
  double own_copy() {
    return measure(2, 2.0f, [&] { device_.stream().copy<Four>(c_, a_); });
  }

  template <typename K>
  double from_one(const K& k, float expected) {
    return measure(2, expected, [&] { device_.launch(k, quern::threads(n_), n_, a_, c_); });
  }
  template <typename K>
  double from_two(const K& k, float expected) {
    return measure(3, expected, [&] { device_.launch(k, quern::threads(n_), n_, a_, b_, c_); });
  }

  bool is_right() const { return is_right_; }

 private:
  template <typename Work>
  double measure(int arrays, float expected, const Work& work) {
    const double seconds = best(work);
    is_right_ = is_right_ && all(expected);
    return arrays * bytes() / seconds / 1e9;
  }

  double bytes() const { return 16.0 * n_; }

  bool all(float value) const {
    const std::vector<Four> got = c_.download();
    return std::all_of(got.begin(), got.end(), [&](const Four& v) {
      return v.x == value && v.y == value && v.z == value && v.w == value;
    });
  }

  template <typename Work>
  double best(const Work& work) {
    using Clock = std::chrono::steady_clock;
    work();
    device_.synchronize();
    double best = 1e30;
    for (int round = 0; round < kRounds; ++round) {
      const auto start = Clock::now();
      for (int i = 0; i < kRepeats; ++i) work();
      device_.synchronize();
      best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count() / kRepeats);
    }
    return best;
  }

  quern::Device device_;
  int n_;
  quern::Buffer<Four> a_, b_, c_;
  bool is_right_ = true;
};

std::string rate(double value, double own) {
  return quern::base::format("%.1f (%.0f %%)", value, 100 * value / own);
}

// Larger than the caches; smaller if memory is small.
int size_for(const quern::DeviceInfo& info) {
  return info.kind == quern::DeviceKind::cpu || info.memory_bytes < (uint64_t{8} << 30) ? 1 << 22 : 1 << 25;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> wanted(argv + 1, argv + argc);
  if (wanted.empty()) {
    for (const quern::DeviceInfo& info : quern::devices()) {
      if (info.kind != quern::DeviceKind::simulated) wanted.push_back(info.id());
    }
  }
  using quern::base::Align;
  quern::base::Table table({{"id"},
                            {"device", Align::kLeft, 30},
                            {"driver's copy", Align::kRight},
                            {"copy", Align::kRight},
                            {"scale", Align::kRight},
                            {"add", Align::kRight},
                            {"triad", Align::kRight},
                            {"results"}});
  bool right = true;
  for (const std::string& id : wanted) {
    try {
      const quern::Device device = quern::open(id);
      quern::bench::ThrottleNote throttling(device.info());
      Streaming s(device, size_for(device.info()));
      const double own = s.own_copy();
      const double rates[] = {s.from_one(copy, 2.0f), s.from_one(scale, 6.0f), s.from_two(add, 7.0f),
                              s.from_two(triad, 17.0f)};
      right = right && s.is_right();
      table.add_row({id, device.name(), quern::base::format("%.1f GB/s", own), rate(rates[0], own),
                     rate(rates[1], own), rate(rates[2], own), rate(rates[3], own),
                     (s.is_right() ? "right" : "WRONG") + throttling.mark()});
    } catch (const quern::Error& error) {
      table.add_row({id, error.what()});
      right = false;
    }
  }
  std::printf("%s", table.to_string().c_str());
  return right ? 0 : 1;
}
