// A program to record. Its kernels access the same elements whatever the buffers contain, so a replay of its
// calls in another order stays within its buffers: with buffers, variables, addresses inside structs, two
// streams, events, and objects that are destroyed while long work uses them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "driver/decorators/forward/device.hpp"
#include "driver/decorators/recording/device.hpp"
#include "driver/interface/driver.hpp"
#include "lang/compile.hpp"
#include "target/target.hpp"

namespace quern::test {

inline constexpr const char* kReplayText = R"(
__device__ int runs;
struct Pair { const int* from; int* to; };
__global__ void slow(int* values, int rounds) {
  int x = values[threadIdx.x];
  for (int r = 0; r < rounds; ++r) x = x * 1664525 + 1013904223;
  values[threadIdx.x] = x;
  if (threadIdx.x == 0) atomicAdd(&runs, 1);
}
__global__ void copy_pair(Pair pair, int rounds) {
  int x = 0;
  for (int r = 0; r < rounds; ++r) x += pair.from[(threadIdx.x + r) % 64];
  pair.to[threadIdx.x] = x;
})";

class ReplayProgram {
 public:
  ReplayProgram(driver::Device& device, int rounds) : device_(device), rounds_(rounds) {}

  driver::Result<> run() {
    lang::Compilation compiled = lang::compile("replay.cu", kReplayText);
    if (!compiled.ok) return base::Error(base::ErrorKind::compile, "kReplayText does not compile");
    auto module = std::make_shared<const ir::Module>(std::move(compiled.module));
    QUERN_TRY_ASSIGN(const driver::Code code, target::emit(module, "replay.cu", {}));
    QUERN_TRY_ASSIGN(auto program, device_.load(code));
    QUERN_TRY_ASSIGN(auto slow, device_.kernel(*program, "slow"));
    QUERN_TRY_ASSIGN(auto copy, device_.kernel(*program, "copy_pair"));
    for (int i = 0; i < 2; ++i) QUERN_TRY(run_round(*slow, *copy));
    QUERN_TRY_ASSIGN(auto stream, device_.create_stream({}));
    QUERN_TRY_ASSIGN(const driver::Place runs, device_.variable(*program, "runs"));
    int count = 0;
    QUERN_TRY(device_.download(*stream, &count, runs, sizeof count));
    QUERN_TRY(device_.synchronize(*stream));
    device_.destroy(std::move(stream));
    device_.destroy(std::move(copy));
    device_.destroy(std::move(slow));
    device_.destroy(std::move(program));
    return {};
  }

 private:
  static constexpr uint64_t kBytes = 64 * sizeof(int);

  driver::Result<> run_round(driver::Kernel& slow, driver::Kernel& copy) {
    QUERN_TRY_ASSIGN(auto first, device_.create_stream({}));
    QUERN_TRY_ASSIGN(auto second, device_.create_stream({}));
    QUERN_TRY_ASSIGN(auto event, device_.create_event());
    QUERN_TRY_ASSIGN(auto from, device_.allocate(kBytes, driver::MemoryKind::device));
    QUERN_TRY_ASSIGN(auto to, device_.allocate(kBytes, driver::MemoryKind::device));
    const std::vector<int> data(64, 3);
    QUERN_TRY(device_.fill(*second, {to.get(), 0}, 7, 4, kBytes));
    QUERN_TRY(device_.upload(*first, {from.get(), 0}, data.data(), kBytes));
    QUERN_TRY(launch(*first, slow, {{from.get(), 0}, nullptr, 0}));
    QUERN_TRY(device_.record(*first, *event));
    QUERN_TRY(device_.wait(*second, *event));
    const uint64_t pair[2] = {from->address, to->address};
    QUERN_TRY(launch(*second, copy, {{}, pair, sizeof pair}));
    QUERN_TRY(device_.copy(*second, {from.get(), 0}, {to.get(), 128}, 128));
    std::vector<int> out(64);
    QUERN_TRY(device_.download(*second, out.data(), {to.get(), 0}, kBytes));
    QUERN_TRY(device_.record(*second, *event));
    QUERN_TRY(device_.wait(*event));
    QUERN_TRY(device_.reached(*event));
    QUERN_TRY(device_.synchronize(*second));
    QUERN_TRY(device_.synchronize(*first));
    device_.destroy(std::move(to));
    device_.destroy(std::move(from));
    device_.destroy(std::move(event));
    device_.destroy(std::move(second));
    device_.destroy(std::move(first));
    return {};
  }

  driver::Result<> launch(driver::Stream& stream, driver::Kernel& kernel, const driver::Argument& first) {
    const driver::Argument arguments[] = {first, {{}, &rounds_, sizeof rounds_}};
    return device_.launch(stream, kernel, {{1, 1, 1}, {64, 1, 1}, 0, arguments, false});
  }

  driver::Device& device_;
  int rounds_;
};

// Counts buffers that are destroyed while a launch may use them through an address in a struct. The checked
// device does not know of such uses.
class AddressUses final : public forward::Device {
 public:
  using forward::Device::Device;

  uint32_t violations() const { return violations_; }

  driver::Result<> launch(driver::Stream& stream, driver::Kernel& kernel,
                          const driver::Launch& launch) override {
    for (const driver::Argument& a : launch.arguments) {
      for (uint32_t at = 0; at + sizeof(uint64_t) <= a.bytes; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, static_cast<const char*>(a.value) + at, sizeof word);
        words_[&stream].push_back(word);
      }
    }
    return forward::Device::launch(stream, kernel, launch);
  }
  driver::Result<> synchronize(driver::Stream& stream) override {
    auto result = forward::Device::synchronize(stream);
    words_.erase(&stream);
    return result;
  }
  void destroy(std::unique_ptr<driver::Object> object) override {
    const driver::Object* o = object.get();
    if (const auto* buffer = dynamic_cast<const driver::Buffer*>(o)) {
      for (const auto& [stream, words] : words_) {
        violations_ += std::any_of(words.begin(), words.end(), [&](uint64_t w) {
          return w >= buffer->address && w - buffer->address < buffer->bytes;
        });
      }
    }
    words_.erase(dynamic_cast<const driver::Stream*>(o));
    forward::Device::destroy(std::move(object));
  }

 private:
  // Struct arguments of launches since the last synchronization of their stream.
  std::map<const driver::Stream*, std::vector<uint64_t>> words_;
  uint32_t violations_ = 0;
};

// Runs the program on the device and returns its recording.
inline driver::Result<std::string> record_replay_program(std::unique_ptr<driver::Device> device,
                                                         const std::string& path, int rounds) {
  {
    QUERN_TRY_ASSIGN(const auto recorded, recording::wrap(std::move(device), path));
    QUERN_TRY(ReplayProgram(*recorded, rounds).run());
  }
  return base::read_file(path);
}

}  // namespace quern::test
