#include "support/runtime_case.hpp"

#include <atomic>
#include <cstdlib>
#include <thread>

#include "driver/sim/driver.hpp"
#include "target/target.hpp"

namespace quern::runtime {

namespace {

constexpr int kCount = 100;

constexpr const char* kText = R"(
__device__ int total;
__constant__ int step = 3;

__global__ void add_step(const int* from, int* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + step;
}

__global__ void twice(int* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= 2;
}

__global__ void sum(const int* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&total, values[i]);
}

template <int N>
__global__ void plus_total(int* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += N * total;
}
)";

Result<> use_two_streams(const std::shared_ptr<Device>& device, Module& program, Memory& values) {
  QUERN_TRY_ASSIGN(auto twice, program.kernel("twice"));
  QUERN_TRY_ASSIGN(auto sum, program.kernel("sum"));
  QUERN_TRY_ASSIGN(auto other, Stream::create(*device, {}));
  QUERN_TRY(
      device->default_stream().launch(*twice, shape(4, 32), std::vector{arg(all(values)), arg(kCount)}));
  QUERN_TRY_ASSIGN(auto event, device->default_stream().record());
  QUERN_TRY(other->wait(*event));
  QUERN_TRY(other->launch(*sum, shape(4, 32), std::vector{arg(all(values)), arg(kCount)}));
  QUERN_TRY_ASSIGN(auto done, other->record());
  QUERN_TRY(done->wait());
  QUERN_TRY(done->reached());
  QUERN_TRY(done->time());
  return {};
}

}  // namespace

std::unique_ptr<driver::Device> open_sim(const driver::OpenOptions& options) {
  auto driver = sim::make_driver();
  auto device = driver->open(0, options);
  if (!device.ok()) std::abort();
  return std::move(*device);
}

driver::Code code_of(const std::string& text) {
  lang::Compilation compiled = lang::compile("test.cu", text);
  if (!compiled.ok) std::abort();
  auto module = std::make_shared<const ir::Module>(std::move(compiled.module));
  auto code = target::emit(module, "test.cu", {});
  if (!code.ok()) std::abort();
  return std::move(*code);
}

Result<std::vector<int>> run_scenario(const std::shared_ptr<Device>& device) {
  Stream& stream = device->default_stream();
  std::vector<int> host(kCount);
  for (int i = 0; i < kCount; ++i) host[static_cast<size_t>(i)] = i;
  constexpr uint64_t kBytes = kCount * sizeof(int);
  QUERN_TRY_ASSIGN(auto from, device->allocate(kBytes, driver::MemoryKind::device, "from"));
  QUERN_TRY_ASSIGN(auto to, device->allocate(kBytes, driver::MemoryKind::device, "to"));
  QUERN_TRY_ASSIGN(auto copy, device->allocate(kBytes, driver::MemoryKind::device, "copy"));
  QUERN_TRY(stream.fill(all(*copy), 7, 4));
  QUERN_TRY(stream.upload(all(*from), host.data(), kBytes));
  QUERN_TRY_ASSIGN(auto program, Module::load(device, source(kText)));
  const int step = 10;
  QUERN_TRY(program->write("step", &step, sizeof step, 0));
  QUERN_TRY_ASSIGN(auto add_step, program->kernel("add_step"));
  QUERN_TRY(stream.launch(*add_step, shape(4, 32), std::vector{arg(from), arg(to), arg(kCount)}));
  from.reset();  // in flight
  QUERN_TRY(use_two_streams(device, *program, *to));
  QUERN_TRY_ASSIGN(auto late, program->kernel("plus_total<2>"));
  QUERN_TRY(stream.launch(*late, shape(4, 32), std::vector{arg(to), arg(kCount)}));
  QUERN_TRY(stream.launch(*add_step, shape(4, 32), std::vector{arg(to), arg(copy), arg(kCount)}));
  bool was_called = false;
  QUERN_TRY(stream.call([&was_called] { was_called = true; }));
  QUERN_TRY(stream.copy({to.get(), 0, 40}, {copy.get(), 360, 40}));
  QUERN_TRY(stream.download(host.data(), all(*to), kBytes));
  add_step.reset();
  program.reset();  // in flight
  QUERN_TRY(stream.synchronize());
  int total = -1;
  QUERN_TRY_ASSIGN(auto again, Module::load(device, source(kText)));
  QUERN_TRY(again->read("total", &total, sizeof total, 0));
  host.push_back(total);
  host.push_back(was_called ? 1 : 0);
  return host;
}

std::vector<int> scenario_result() {
  std::vector<int> out;
  int total = 0;
  for (int i = 0; i < kCount; ++i) total += (i + 10) * 2;
  for (int i = 0; i < kCount; ++i) out.push_back((i + 10) * 2 + 2 * total);
  for (int i = 0; i < 10; ++i) out[static_cast<size_t>(i)] = out[static_cast<size_t>(i + 90)] + 10;
  out.push_back(0);
  out.push_back(1);
  return out;
}

namespace {

struct Part {
  const float* in;
  int n;
  float* out;
};
struct Parts {
  Part part[2];
  float scale;
};

constexpr const char* kStructOfPointers = R"(
struct Part {
  const float* in;
  int n;
  float* out;
};
struct Parts {
  Part part[2];
  float scale;
};
__global__ void copy_parts(Parts p, float add) {
  const int i = threadIdx.x;
  const float* from = p.part[0].in + 1;
  if (i < p.part[0].n) p.part[0].out[i] = from[i] * p.scale + add;
  if (p.part[1].out == nullptr && i == 0) p.part[0].out[3] = p.part[1].in[1];
})";

}  // namespace

Result<std::vector<float>> run_struct_of_pointers(driver::Device& device) {
  lang::Compilation compiled = lang::compile("test.cu", kStructOfPointers);
  if (!compiled.ok) std::abort();
  auto module = std::make_shared<const ir::Module>(std::move(compiled.module));
  const driver::DeviceInfo& info = device.info();
  target::Options options;
  options.kind = info.code.front();
  options.features = info.features;
  options.native = info.native;
  options.limits = info.limits;
  QUERN_TRY_ASSIGN(const driver::Code code, target::emit(module, "test.cu", options));
  QUERN_TRY_ASSIGN(const auto program, device.load(code));
  QUERN_TRY_ASSIGN(const auto kernel, device.kernel(*program, "copy_parts"));
  QUERN_TRY_ASSIGN(const auto queue, device.create_stream({}));
  QUERN_TRY_ASSIGN(const auto buffer, device.allocate(64, driver::MemoryKind::device));
  QUERN_TRY_ASSIGN(const auto other, device.allocate(64, driver::MemoryKind::device));
  std::vector<float> values(16);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  QUERN_TRY(device.upload(*queue, {buffer.get(), 0}, values.data(), 64));
  QUERN_TRY(device.upload(*queue, {other.get(), 0}, values.data(), 64));
  const Parts parts{{{nullptr, 3, nullptr}, {nullptr, 0, nullptr}}, 10};
  const float add = 0.5f;
  std::vector<driver::Argument> arguments = {{{}, &parts, sizeof parts}, {{}, &add, sizeof add}};
  // Within one buffer: from its fifth value on, to its thirteenth.
  for (const driver::ParamInfo& p : std::span(kernel->info.params).subspan(2)) {
    driver::Place place;
    if (p.at == offsetof(Parts, part[0].in)) place = {buffer.get(), 16};
    if (p.at == offsetof(Parts, part[0].out)) place = {buffer.get(), 48};
    if (p.at == offsetof(Parts, part[1].in)) place = {other.get(), 20};
    arguments.push_back({place, nullptr, 0});
  }
  QUERN_TRY(device.launch(*queue, *kernel, {{1, 1, 1}, {4, 1, 1}, 0, arguments, false}));
  QUERN_TRY(device.download(*queue, values.data(), {buffer.get(), 0}, 64));
  QUERN_TRY(device.synchronize(*queue));
  return values;
}

std::vector<float> struct_of_pointers_result() {
  return {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 50.5f, 60.5f, 70.5f, 6};
}

Result<> record_anew(driver::Device& device) {
  QUERN_TRY_ASSIGN(const auto queue, device.create_stream({}));
  QUERN_TRY_ASSIGN(const auto other, device.create_stream({}));
  QUERN_TRY_ASSIGN(const auto event, device.create_event());
  QUERN_TRY(device.record(*queue, *event));
  std::atomic<bool> ends{false};
  const auto again = [&](auto call) {
    return [&ends, call]() -> Result<> {
      while (!ends) QUERN_TRY(call());
      return {};
    };
  };
  const std::function<Result<>()> calls[] = {
      again([&] { return device.wait(*event); }),
      again([&]() -> Result<> {
        QUERN_TRY(device.reached(*event));
        return {};
      }),
      again([&]() -> Result<> {
        QUERN_TRY(device.wait(*other, *event));
        return device.synchronize(*other);
      }),
  };
  std::vector<Result<>> results(std::size(calls));
  std::vector<std::thread> threads;
  for (size_t i = 0; i < std::size(calls); ++i) threads.emplace_back([&, i] { results[i] = calls[i](); });
  Result<> recorded;
  for (int i = 0; i < 2000 && recorded.ok(); ++i) recorded = device.record(*queue, *event);
  ends = true;
  for (std::thread& t : threads) t.join();
  for (const Result<>& r : results) QUERN_TRY(Result<>(r));
  QUERN_TRY(Result<>(recorded));
  return device.synchronize(*queue);
}

}  // namespace quern::runtime
