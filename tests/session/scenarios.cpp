#include "session/scenarios.hpp"

#include <atomic>
#include <numeric>

namespace quern::test {

namespace {

constexpr const char* kScenariosText = R"(
__device__ int total;
__device__ float table[4] = {1, 2, 3, 4};
__global__ void step(int n, float a, float* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * a + (float)i;
}
__global__ void add(int n, const float* x, const float* y, float* z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}
__global__ void count(int by) { atomicAdd(&total, by); }
__global__ void look_up(float* out) { out[threadIdx.x] = table[threadIdx.x] + (float)total; }
template <int N> __global__ void bump(float* x) { x[threadIdx.x] += (float)N + (float)total; }
)";

constexpr int kCount = 1000;

std::vector<float> ramp() {
  std::vector<float> x(kCount);
  std::iota(x.begin(), x.end(), 0.0f);
  return x;
}

void append(std::vector<double>& out, const std::vector<float>& more) {
  out.insert(out.end(), more.begin(), more.end());
}

// Uploads, launches and downloads in sequence.
std::vector<double> chain(const Device& device) {
  std::vector<double> out;
  const Module module = device.compile(kScenariosText);
  const Kernel step = module.kernel("step");
  auto x = device.upload(ramp());
  for (int i = 0; i < 6; ++i) {
    device.launch(step, threads(kCount), kCount, 0.5f, x);
    if (i % 3 == 2) append(out, x.download());
  }
  return out;
}

// Two streams and an event between them; a download that is still in flight at the next launch.
std::vector<double> streams(const Device& device) {
  std::vector<float> middle(kCount), last(kCount);  // they outlive the streams that write them
  const Module module = device.compile(kScenariosText);
  const Kernel step = module.kernel("step"), add = module.kernel("add");
  const Stream first = device.create_stream(), second = device.create_stream();
  auto x = device.upload(ramp()), y = device.upload(ramp()), w = device.upload(ramp());
  auto z = device.allocate<float>(kCount);
  first.launch(step, threads(kCount), kCount, 2.0f, x);
  first.download(std::span<float>(middle), x);
  const Event half = first.record();
  second.launch(step, threads(kCount), kCount, 3.0f, y);
  second.wait(half);
  second.launch(add, threads(kCount), kCount, x, y, z);
  first.launch(step, threads(kCount), kCount, 0.25f, w);
  second.download(std::span<float>(last), z);
  second.synchronize();
  first.synchronize();
  std::vector<double> out;
  append(out, middle);
  append(out, last);
  append(out, w.download());
  return out;
}

// Work that was recorded once and runs again, with other arguments in between.
std::vector<double> graph(const Device& device) {
  const Module module = device.compile(kScenariosText);
  const Kernel step = module.kernel("step");
  auto x = device.upload(ramp());
  const Stream stream = device.create_stream();
  const auto work = [&](float a) {
    return [&, a](const Stream& s) {
      s.launch(step, threads(kCount), kCount, a, x);
      s.launch(step, threads(kCount), kCount, 0.5f, x);
    };
  };
  Graph graph = device.record(work(2.0f));
  stream.run(graph);
  stream.run(graph);
  graph.update(work(0.125f));
  stream.run(graph);
  stream.synchronize();
  std::vector<double> out;
  append(out, x.download());
  return out;
}

// Variables of a module are state too, and templates that join it later share them.
std::vector<double> variables(const Device& device) {
  std::vector<double> out;
  const Module module = device.compile(kScenariosText);
  const Kernel count = module.kernel("count"), look_up = module.kernel("look_up");
  auto x = device.allocate<float>(4);
  for (int i = 1; i <= 4; ++i) device.launch(count, grid(1, 32), i);
  device.launch(look_up, grid(1, 4), x);
  append(out, x.download());
  const std::vector<float> other = {10, 20, 30, 40};
  module.write("table", std::span<const float>(other));
  device.launch(look_up, grid(1, 4), x);
  append(out, x.download());
  device.launch(module.kernel("bump<3>"), grid(1, 4), x);
  device.launch(count, grid(1, 32), 5);
  append(out, x.download());
  out.push_back(module.read<int>("total"));
  return out;
}

// Buffers that are allocated and freed while work that used them may still be repeated.
std::vector<double> passing(const Device& device) {
  const Module module = device.compile(kScenariosText);
  const Kernel step = module.kernel("step"), add = module.kernel("add");
  auto sum = device.upload(ramp());
  for (int i = 0; i < 4; ++i) {
    auto piece = device.upload(ramp());
    device.launch(step, threads(kCount), kCount, 0.5f + static_cast<float>(i), piece);
    auto next = device.allocate<float>(kCount);
    device.launch(add, threads(kCount), kCount, sum, piece, next);
    sum = std::move(next);
  }
  std::vector<double> out;
  append(out, sum.download());
  sum.fill(3.5f);
  append(out, sum.download());
  return out;
}

// Host functions run once.
std::vector<double> functions(const Device& device) {
  const Module module = device.compile(kScenariosText);
  const Kernel step = module.kernel("step");
  auto x = device.upload(ramp());
  std::atomic<int> calls{0};
  const Stream stream = device.create_stream();
  for (int i = 0; i < 3; ++i) {
    stream.launch(step, threads(kCount), kCount, 0.5f, x);
    stream.call([&calls] { ++calls; });
  }
  stream.synchronize();
  std::vector<double> out{static_cast<double>(calls.load())};
  append(out, x.download());
  return out;
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all = {
      {"chain", chain},       {"streams", streams},     {"graph", graph},     {"variables", variables},
      {"passing", passing},   {"functions", functions}, {"uploads", uploads}, {"compiles", compiles},
      {"pipeline", pipeline}, {"pressure", pressure}};
  return all;
}

}  // namespace quern::test
