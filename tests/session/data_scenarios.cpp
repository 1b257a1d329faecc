// Scenarios of data: in flight, in pieces, kept.
#include <atomic>
#include <cstdio>
#include <numeric>

#include <unistd.h>

#include "session/scenarios.hpp"

namespace quern::test {

namespace {

constexpr const char* kDataScenariosText = R"(
__global__ void triple(int n, const int* x, long long* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 3ll * x[i] + 1;
}
__global__ void mix(int n, int a, int* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * a + i;
}
template <int N> __global__ void times(int n, int* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= N;
}
)";

std::vector<int> ramp(int count, int first = 0) {
  std::vector<int> x(static_cast<std::size_t>(count));
  std::iota(x.begin(), x.end(), first);
  return x;
}

double checksum(const std::vector<int>& data) {
  uint32_t sum = 0;
  for (const int x : data) sum = sum * 31 + static_cast<uint32_t>(x);
  return sum;
}

}  // namespace

// Copies of all sizes, in place and staged, between parts of buffers, and through pinned memory.
std::vector<double> uploads(const Device& device) {
  std::vector<double> out;
  std::vector<int> other, back;  // they outlive the stream that uses them
  const Stream stream = device.create_stream();
  for (const int count : {1, 1000, 70000}) {
    auto a = device.upload(ramp(count, 7)), b = device.allocate<int>(static_cast<std::size_t>(count));
    other = ramp(count, 100);
    back.assign(static_cast<std::size_t>(count), 0);
    b.fill(-1);
    b.copy_from(a);
    device.synchronize();
    stream.upload(a, std::span<const int>(other));
    stream.download(std::span<int>(back), a);
    stream.synchronize();
    if (count > 1) b.slice(1, 1).copy_from(a.slice(0, 1));
    out.push_back(checksum(back));
    out.push_back(checksum(b.download()));
  }
  return out;
}

// Modules, templates that join them, and rejected texts. All texts differ: nothing is found in the cache.
std::vector<double> compiles(const Device& device) {
  static std::atomic<int> turn{0};
  const std::string text =
      kDataScenariosText + ("// " + std::to_string(::getpid()) + " " + std::to_string(turn++) + "\n");
  std::vector<double> out;
  const Module module = device.compile(text);
  auto x = device.upload(ramp(500));
  device.launch(module.kernel("mix"), threads(500), 500, 3, x);
  device.launch(module.kernel("times<5>"), threads(500), 500, x);
  out.push_back(checksum(x.download()));
  try {
    (void)device.compile("__global__ void wrong(int* x) { x[0] = y; }");
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::compile) throw;
    out.push_back(-1);
  }
  device.launch(module.kernel("times<7>"), threads(500), 500, x);
  out.push_back(checksum(x.download()));
  return out;
}

std::vector<double> pipeline(const Device& device) {
  std::vector<double> out;
  const Kernel triple = device.compile(kDataScenariosText).kernel("triple");
  Pipeline<int, long long> batches(
      device, 300, 300,
      [&](const Stream& s, const Slice<int>& in, const Slice<long long>& result, std::size_t) {
        s.launch(triple, threads(in.size()), static_cast<int>(in.size()), in, result);
      },
      [&](std::span<const long long> result, std::size_t) {
        out.push_back(static_cast<double>(std::accumulate(result.begin(), result.end(), 0LL)));
      });
  for (int batch = 0; batch < 6; ++batch) batches.push(ramp(300, batch));
  batches.finish();
  return out;
}

// More than fits in memory: the work is done in parts, while other buffers are allocated and freed. The
// results do not depend on the number of parts.
std::vector<double> pressure(const Device& device) {
  constexpr int kCount = 600'000;
  const MemoryLimit limit(device, uint64_t{6} << 20);
  const Kernel times = device.compile(kDataScenariosText).kernel("times<5>");
  std::vector<int> data = ramp(kCount);
  std::vector<Buffer<char>> kept;
  run_in_batches(
      kCount,
      [&](std::size_t first, std::size_t count) {
        const auto part = std::span(data).subspan(first, count);
        auto x = device.upload(std::vector<int>(part.begin(), part.end()), "part");
        auto copy = device.allocate<int>(count), again = device.allocate<int>(count);
        copy.copy_from(x);
        again.copy_from(copy);
        device.launch(times, threads(count), static_cast<int>(count), again);
        kept.push_back(device.allocate<char>(1000 + first % 5000));
        if (kept.size() > 3) kept.erase(kept.begin());
        const std::vector<int> result = again.download();
        std::copy(result.begin(), result.end(), part.begin());  // last: a part may be repeated
      },
      1000);
  kept.clear();
  device.trim();
  return {checksum(data), static_cast<double>(device.memory().in_use)};
}

std::vector<double> keeps(Session& session) {
  static std::atomic<int> turn{0};
  const std::string file = "/tmp/quern_keeps." + std::to_string(::getpid()) + "." + std::to_string(turn++);
  struct Gone {
    const std::string& path;
    ~Gone() { (void)std::remove(path.c_str()); }
  } const gone{file};
  const Device& device = session.device();
  const Kernel mix = device.compile(kDataScenariosText).kernel("mix");
  auto a = device.upload(ramp(2000)), b = device.upload(ramp(300, 5));
  session.keep("a", a);
  session.keep("b", b);
  std::vector<double> out;
  for (int round = 0; round < 3; ++round) {
    device.launch(mix, threads(2000), 2000, 3 + round, a);
    session.checkpoint();
    device.launch(mix, threads(300), 300, 7, b);
    if (round == 1) session.save(file);
    out.push_back(checksum(b.download()));
  }
  session.restore(file);
  out.push_back(checksum(a.download()));
  out.push_back(checksum(b.download()));
  return out;
}

}  // namespace quern::test
