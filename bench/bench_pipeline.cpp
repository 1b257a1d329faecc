// Overlap achieved by a pipeline, on every named device (default: the best): batches are uploaded, computed
// and downloaded, first each stage alone, then all by quern::Pipeline. The ideal is the time of the slowest
// stage alone. The kernel's work is chosen so that it takes about as long as the upload. Results are
// verified.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "base/text.hpp"
#include "quern/quern.hpp"
#include "throttle_note.hpp"

namespace {

using namespace quern;  // NOLINT(google-build-using-namespace)
using base::Align;
using base::format;
using Clock = std::chrono::steady_clock;

constexpr const char* kText = R"(__global__ void work(int n, int rounds, const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  for (int k = 0; k < rounds; ++k) x = fmaf(x, 0.5f, 1.0f);
  out[i] = x;
})";

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

struct Times {
  double upload = 0, compute = 0, download = 0, pipeline = 0;
  int rounds = 0;
  bool is_right = true;
  double ideal() const { return std::max({upload, compute, download}); }
};

template <typename Work>
double best(const Device& device, const Work& work) {
  double least = 1e9;
  for (int i = 0; i < 5; ++i) {
    device.synchronize();
    const auto begin = Clock::now();
    work();
    device.synchronize();
    least = std::min(least, since(begin));
  }
  return least;
}

Times measure(const Device& device, std::size_t n, int batches) {
  const Kernel kernel = device.compile(kText).kernel("work");
  auto in = device.allocate<float>(n), out = device.allocate<float>(n);
  Buffer<float> pinned;
  try {
    pinned = device.allocate<float>(n, MemoryKind::pinned);
  } catch (const Error&) {
  }
  std::vector<float> plain(n);
  std::span<float> host = pinned.host().empty() ? std::span<float>(plain) : pinned.host();
  std::fill(host.begin(), host.end(), 3.0f);
  const Stream& s = device.stream();
  const auto times = [&](const auto& once) {
    return best(device, [&] {
      for (int b = 0; b < batches; ++b) once();
    });
  };
  Times t;
  t.upload = times([&] { s.upload(in, host); });
  t.download = times([&] { s.download(host, Slice<float>(out)); });
  const auto run = [&](int rounds) {
    return [&, rounds] { s.launch(kernel, threads(n), static_cast<int>(n), rounds, in, out); };
  };
  constexpr int kShort = 16, kLong = 256;
  const double short_run = times(run(kShort)), long_run = times(run(kLong));
  const double round = std::max((long_run - short_run) / (kLong - kShort), 1e-9);
  t.rounds = static_cast<int>(std::clamp(kShort + (t.upload - short_run) / round, 1.0, 100000.0));
  t.compute = times(run(t.rounds));
  float expected = 3.0f;
  for (int k = 0; k < t.rounds; ++k) expected = std::fmaf(expected, 0.5f, 1.0f);
  Pipeline<float, float> pipeline(
      device, n, n,
      [&](const Stream& on, const Slice<float>& from, const Slice<float>& to, std::size_t) {
        on.launch(kernel, threads(n), static_cast<int>(n), t.rounds, from, to);
      },
      [&](std::span<const float> result, std::size_t) {
        t.is_right &= result.front() == expected && result.back() == expected;
      });
  // The batch is written once to each slot, as by a reader that works in place.
  int filled = 0;
  const auto fill = [&](std::span<float> to) {
    if (filled++ < 3) std::fill(to.begin(), to.end(), 3.0f);
    return n;
  };
  for (int i = 0; i < 3; ++i) pipeline.push_with(fill);
  pipeline.finish();
  t.pipeline = best(device, [&] {
    for (int b = 0; b < batches; ++b) pipeline.push_with(fill);
    pipeline.finish();
  });
  return t;
}

}  // namespace

int main(int count, char** names) {
  const std::vector<std::string> wanted =
      count > 1 ? std::vector<std::string>(names + 1, names + count) : std::vector<std::string>{""};
  base::Table table({{"device"},
                     {"batch", Align::kRight},
                     {"upload", Align::kRight},
                     {"compute", Align::kRight},
                     {"download", Align::kRight},
                     {"in sequence", Align::kRight},
                     {"pipeline", Align::kRight},
                     {"of the ideal", Align::kRight},
                     {"results"}});
  bool all_right = true;
  try {
    for (const std::string& name : wanted) {
      const Device device = open(name);
      bench::ThrottleNote throttling(device.info());
      const bool is_gpu =
          device.info().kind != DeviceKind::cpu && device.info().kind != DeviceKind::simulated;
      for (const std::size_t n :
           is_gpu ? std::vector<std::size_t>{1 << 20, 1 << 22, 1 << 24} : std::vector<std::size_t>{1 << 16}) {
        const Times t = measure(device, n, 32);
        all_right &= t.is_right;
        table.add_row({device.name() + " (" + device.driver() + ")", base::format_bytes(n * 4),
                       base::format_duration(t.upload), base::format_duration(t.compute),
                       base::format_duration(t.download),
                       base::format_duration(t.upload + t.compute + t.download),
                       base::format_duration(t.pipeline), format("%.1f %%", t.ideal() / t.pipeline * 100),
                       (t.is_right ? "right" : "WRONG") + throttling.mark()});
      }
    }
  } catch (const Error& error) {
    std::printf("pipelines are not measured: %s\n", error.what());
    all_right = false;
  }
  std::printf("%s", table.to_string().c_str());
  return all_right ? 0 : 1;
}
