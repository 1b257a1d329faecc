// Random kernels have the same results on the cpu as on the simulator, bit for bit, at every width.
// QUERN_CPU_SEEDS=n runs n of them, QUERN_CPU_FIRST_SEED sets the first.
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "cpu/cpu_device.hpp"
#include "driver/sim/sim.hpp"
#include "lang/ir/text.hpp"
#include "lang/ir/verify.hpp"
#include "lang/pass/pass.hpp"
#include "pass/random_kernel.hpp"

namespace quern::cpu {
namespace {

constexpr size_t kBufferBytes = 64 * 128;  // per thread 64
constexpr int32_t kNumbers[] = {5, -3};

using Bytes = std::vector<uint8_t>;

Bytes initial(size_t which) {
  Bytes bytes(kBufferBytes);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * (which + 3) + which);
  return bytes;
}

// The final contents of the buffers; empty if the kernel runs too long or has undefined behavior.
std::vector<Bytes> on_sim(const std::shared_ptr<const ir::Module>& module, uint32_t threads) {
  sim::Device device;
  auto program = device.load(module);
  EXPECT_TRUE(program.ok());
  std::vector<sim::Arg> args;
  std::vector<sim::Address> addresses;
  for (size_t i = 0; i < 2; ++i) {
    const Bytes start = initial(i);
    addresses.push_back(*device.upload_new<uint8_t>(start, ""));
    args.emplace_back(addresses.back());
  }
  for (int32_t n : kNumbers) args.emplace_back(n);
  addresses.push_back(*device.upload_new<uint8_t>(initial(2), ""));
  args.emplace_back(addresses.back());
  sim::LaunchConfig config{{1, 1, 1}, {threads, 1, 1}, 0, args, {}};
  config.options.step_limit = 2'000'000;
  config.options.checks = sim::kCheckBarriers | sim::kCheckBounds | sim::kCheckUninitialized;
  auto result = device.launch(**program, "k", config);
  EXPECT_TRUE(result.ok());
  if (!result.ok() || !result->clean()) return {};
  std::vector<Bytes> out;
  for (sim::Address a : addresses) out.push_back(*device.download_as<uint8_t>(a, kBufferBytes));
  return out;
}

std::vector<Bytes> on_cpu(driver::Device& device, const std::shared_ptr<const ir::Module>& module,
                          uint32_t threads) {
  driver::Code code;
  code.module = module;
  auto program = device.load(code);
  auto kernel = device.kernel(**program, "k");
  auto stream = device.create_stream({});
  std::vector<std::unique_ptr<driver::Buffer>> buffers;
  std::vector<driver::Argument> arguments;
  for (size_t i = 0; i < 3; ++i) {
    buffers.push_back(std::move(*device.allocate(kBufferBytes, driver::MemoryKind::device)));
    std::memcpy(buffers.back()->host, initial(i).data(), kBufferBytes);
    arguments.push_back({{buffers.back().get(), 0}, nullptr, 0});
    if (i == 1) {
      for (const int32_t& n : kNumbers) arguments.push_back({{}, &n, sizeof(n)});
    }
  }
  auto launched = device.launch(**stream, **kernel, {{1, 1, 1}, {threads, 1, 1}, 0, arguments, false});
  EXPECT_TRUE(launched.ok()) << launched.error().to_string();
  auto done = device.synchronize(**stream);
  EXPECT_TRUE(done.ok()) << done.error().to_string();
  if (!launched.ok() || !done.ok()) return {};
  std::vector<Bytes> out;
  for (const auto& b : buffers) {
    const auto* from = reinterpret_cast<const uint8_t*>(b->host);
    out.emplace_back(from, from + kBufferBytes);
  }
  return out;
}

uint32_t number_from(const char* name, uint32_t usual) {
  const char* requested = std::getenv(name);
  return requested != nullptr ? static_cast<uint32_t>(std::atoi(requested)) : usual;
}

TEST(CpuRandom, ComputesWhatTheSimulatorComputes) {
  QUERN_NEED_CPU(device_of_width(4));
  const uint32_t first = number_from("QUERN_CPU_FIRST_SEED", 1), count = number_from("QUERN_CPU_SEEDS", 60);
  uint32_t ran = 0;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    ir::Module made;
    pass::RandomKernel(made, seed, true).make();
    ASSERT_EQ(ir::verify(made), "") << "seed " << seed;
    ASSERT_EQ(pass::prepare(made), "");
    const auto module = std::make_shared<const ir::Module>(std::move(made));
    const uint32_t threads = seed % 3 == 0 ? 45 : 64;
    const std::vector<Bytes> expected = on_sim(module, threads);
    if (expected.empty()) continue;
    ++ran;
    for (const uint32_t width : {1u, 4u, 16u, 32u}) {
      const std::vector<Bytes> got = on_cpu(*device_of_width(width), module, threads);
      ASSERT_EQ(got.size(), expected.size()) << "seed " << seed << " width " << width;
      for (size_t i = 0; i < got.size(); ++i) {
        const bool is_same = got[i] == expected[i];
        ASSERT_TRUE(is_same) << "seed " << seed << " width " << width << " differs in buffer " << i << "\n"
                             << ir::print(*module, {.positions = false});
      }
    }
  }
  EXPECT_GT(ran, count / 3);
}

}  // namespace
}  // namespace quern::cpu
