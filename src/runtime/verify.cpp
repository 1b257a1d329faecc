#include "runtime/verify.hpp"

#include <chrono>
#include <cmath>
#include <cstring>

#include "base/text.hpp"
#include "quern/kernel/using.hpp"
#include "runtime/messages.hpp"
#include "runtime/module.hpp"
#include "runtime/stream.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;

constexpr uint32_t kCount = 1000;
constexpr uint32_t kBlock = 64;
constexpr uint32_t kLongThread = 7;
constexpr uint32_t kRounds = 70'000;  // iterations of one thread's loop; some drivers end loops after 65,535

// The kernel, as text for every device and as a function for devices that run inline kernels only.
#define QUERN_SELF_TEST(...)                                \
  constexpr const char* kText = "__global__ " #__VA_ARGS__; \
  namespace body {                                          \
  QUERN_KERNEL_NAMES_                                       \
  __VA_ARGS__                                               \
  }

// NOLINTNEXTLINE(google-build-using-namespace): what kernels see
QUERN_SELF_TEST(void self_test(int n, int rounds, const int* in, float* out, int* odd) {
  __shared__ int tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 0;
  for (int k = 0; k < value % 7; ++k) value = (int)((unsigned)value * 31u + (unsigned)k);
  tile[threadIdx.x] = value;
  __syncthreads();
  int other = tile[blockDim.x - 1 - threadIdx.x];
  if (i >= n) return;
  if (i == 7) {
    unsigned mixed = (unsigned)value;
    for (int k = 0; k < rounds; ++k) mixed = mixed * 1664525u + (mixed >> 9);
    odd[1] = (int)mixed;
  }
  out[i] = 0.5f * (float)(other & 1023) + (float)(i & 15);
  if (other & 1) atomicAdd(odd, 1);
})

void run_self_test(void* const* a, unsigned count) {
  for (unsigned i = 0; i < count; ++i, ++kernel::threadIdx.x) {
    body::self_test(*static_cast<int*>(a[0]), *static_cast<int*>(a[1]), *static_cast<const int**>(a[2]),
                    *static_cast<float**>(a[3]), *static_cast<int**>(a[4]));
  }
}

int mix(int value) {
  for (int k = 0, turns = value % 7; k < turns; ++k) {
    value = static_cast<int>(static_cast<uint32_t>(value) * 31u + static_cast<uint32_t>(k));
    turns = value % 7;
  }
  return value;
}

struct Answer {
  std::vector<float> out;
  int odd = 0;
  int mixed = 0;
};

Answer host_answer(const std::vector<int>& in) {
  Answer answer;
  answer.out.resize(kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    const uint32_t mirror = i / kBlock * kBlock + (kBlock - 1 - i % kBlock);
    const int other = mirror < kCount ? mix(in[mirror]) : 0;
    answer.out[i] = 0.5f * static_cast<float>(other & 1023) + static_cast<float>(i & 15);
    answer.odd += other & 1;
  }
  auto mixed = static_cast<uint32_t>(mix(in[kLongThread]));
  for (uint32_t k = 0; k < kRounds; ++k) mixed = mixed * 1664525u + (mixed >> 9);
  answer.mixed = static_cast<int>(mixed);
  return answer;
}

Result<MemoryPtr> upload(Device& device, const void* from, uint64_t bytes) {
  QUERN_TRY_ASSIGN(auto memory, device.allocate(bytes, driver::MemoryKind::device, "self test"));
  QUERN_TRY(device.default_stream().upload({memory.get(), 0, bytes}, from, bytes));
  return memory;
}

HostArgument buffer(const MemoryPtr& memory) {
  HostArgument a;
  a.kind = ArgumentKind::memory;
  a.slice = {memory.get(), 0, memory->bytes()};
  return a;
}

}  // namespace

Result<Verified> verify(const std::shared_ptr<Device>& device) {
  const auto start = std::chrono::steady_clock::now();
  Source source;
  source.name = "self_test.cu";
  source.text = kText;
  source.host = driver::HostFunction{run_self_test};
  QUERN_TRY_ASSIGN(auto program, Module::load(device, std::move(source)));
  QUERN_TRY_ASSIGN(auto kernel, program->kernel("self_test"));

  std::vector<int> in(kCount);
  for (uint32_t i = 0; i < kCount; ++i) in[i] = static_cast<int>(i * 2654435761u >> 8);
  const Answer wanted = host_answer(in);
  std::vector<float> out(kCount, -1.0f);
  int odd[2] = {0, 0};
  QUERN_TRY_ASSIGN(const auto in_memory, upload(*device, in.data(), in.size() * 4));
  QUERN_TRY_ASSIGN(const auto out_memory, upload(*device, out.data(), out.size() * 4));
  QUERN_TRY_ASSIGN(const auto odd_memory, upload(*device, odd, sizeof odd));

  HostArgument arguments[5];
  arguments[0].kind = ArgumentKind::integer;
  arguments[0].integer = kCount;
  arguments[1].kind = ArgumentKind::integer;
  arguments[1].integer = kRounds;
  arguments[2] = buffer(in_memory);
  arguments[3] = buffer(out_memory);
  arguments[4] = buffer(odd_memory);
  LaunchConfig config;
  config.grid_size = {(kCount + kBlock - 1) / kBlock, 1, 1};
  config.block_size = {kBlock, 1, 1};
  Stream& stream = device->default_stream();
  QUERN_TRY(stream.prepare(*kernel, config));
  QUERN_TRY(stream.launch(*kernel, config, arguments));
  QUERN_TRY(stream.download(out.data(), {out_memory.get(), 0, kCount * 4}, kCount * 4));
  QUERN_TRY(stream.download(odd, {odd_memory.get(), 0, sizeof odd}, sizeof odd));
  QUERN_TRY(stream.synchronize());

  for (uint32_t i = 0; i < kCount; ++i) {
    if (out[i] == wanted.out[i]) continue;
    return Error(ErrorKind::internal,
                 message::kSelfTestElement(std::to_string(i), base::format("%g", static_cast<double>(out[i])),
                                           base::format("%g", static_cast<double>(wanted.out[i]))));
  }
  if (odd[0] != wanted.odd)
    return Error(ErrorKind::internal,
                 message::kSelfTestAtomics(std::to_string(odd[0]), std::to_string(wanted.odd)));
  if (odd[1] != wanted.mixed)
    return Error(ErrorKind::internal, message::kSelfTestLoop(std::to_string(kRounds), std::to_string(odd[1]),
                                                             std::to_string(wanted.mixed)));
  Verified verified;
  verified.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  verified.compile_seconds = kernel->take_compile_seconds();
  return verified;
}

}  // namespace quern::runtime
