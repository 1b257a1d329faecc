// Random kernels as WGSL on a WebGPU device, compared with the CPU.
#include <cstdlib>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "lang/compile.hpp"
#include "quern/quern.hpp"
#include "suite/random_program.hpp"
#include "target/target.hpp"
#include "target_wgsl/webgpu_device.hpp"

namespace quern::test {
namespace {

// QUERN_RANDOM_PROGRAMS=1000 runs more of them.
uint64_t programs() {
  const char* wanted = std::getenv("QUERN_RANDOM_PROGRAMS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 60;
}

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& from) {
  std::vector<std::byte> out(from.size() * sizeof(T));
  std::memcpy(out.data(), from.data(), out.size());
  return out;
}

struct Inputs {
  std::vector<int> integers;
  std::vector<float> reals;
};

Inputs inputs_of(const RandomProgram& program) {
  std::mt19937 random(static_cast<uint32_t>(program.seed));
  Inputs in{std::vector<int>(program.threads()), std::vector<float>(program.threads())};
  for (int& v : in.integers) v = static_cast<int>(random() % 2001) - 1000;
  for (float& v : in.reals) v = static_cast<float>(static_cast<int>(random() % 4001) - 2000) * 0.125f;
  return in;
}

using Answer = std::vector<std::vector<std::byte>>;  // out_i, out_f, acc

Answer on_processor(const RandomProgram& program, const Inputs& in) {
  const Device device = open("cpu");
  const Kernel kernel = device.compile(program.text()).kernel("k");
  auto a = device.upload(in.integers);
  auto b = device.upload(in.reals);
  auto c = device.upload(std::vector<int>(program.threads()));
  auto d = device.upload(std::vector<float>(program.threads()));
  auto e = device.upload(std::vector<unsigned>(16));
  device.launch(kernel, grid(program.grid, program.block), static_cast<int>(program.threads()), a, b, c, d,
                e);
  return {bytes_of(c.download()), bytes_of(d.download()), bytes_of(e.download())};
}

// NaNs are equal, whatever their bits.
bool same_reals(const std::vector<std::byte>& x, const std::vector<std::byte>& y) {
  for (size_t k = 0; k < x.size(); k += 4) {
    float a = 0, b = 0;
    std::memcpy(&a, &x[k], 4);
    std::memcpy(&b, &y[k], 4);
    if (std::memcmp(&x[k], &y[k], 4) != 0 && !(a != a && b != b)) return false;
  }
  return true;
}

// A seed that was reported elsewhere must reproduce here.
TEST(RandomProgram, DoesNotDependOnTheCompilersOrderOfArguments) {
  uint64_t hash = 14695981039346656037ULL;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    for (const char c : make_random_program(seed).text())
      hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  EXPECT_EQ(hash, 2749790790194018020ULL);
}

TEST(WgslRandom, SameAsTheProcessor) {
  std::string why;
  WebgpuDevice* gpu = WebgpuDevice::get(why);
  if (gpu == nullptr) GTEST_SKIP() << "WGSL is not run: " << why;
  RandomFeatures features;
  features.doubles = false;
  features.specials = false;    // WGSL may assume that there are none
  features.calls = false;       // reports of recursion need a buffer
  features.long_loops = false;  // Mesa ends them early, and no driver is here to detect it
  size_t refused = 0;
  for (uint64_t seed = 1; seed <= programs(); ++seed) {
    const RandomProgram program = make_random_program(seed, features);
    lang::Compilation compiled = lang::compile("random.cu", program.text(), {});
    ASSERT_TRUE(compiled.ok) << compiled.rendered;
    target::Options options;
    options.kind = driver::CodeKind::kWgsl;
    const auto code =
        target::emit(std::make_shared<const ir::Module>(std::move(compiled.module)), "random.cu", options);
    if (!code.ok()) {
      ++refused;
      continue;
    }
    const Inputs in = inputs_of(program);
    WebgpuLaunch launch;
    launch.text = code->bytes;
    launch.entry = code->kernels.front().entry;
    launch.grid[0] = program.grid;
    launch.block[0] = program.block;
    launch.arguments.resize(48);  // n, five offsets, zeros
    const uint32_t n = program.threads();
    std::memcpy(launch.arguments.data(), &n, 4);
    const std::vector<std::byte> nothing(n * size_t{4});
    launch.buffers = {{bytes_of(in.integers), true},
                      {bytes_of(in.reals), true},
                      {nothing},
                      {nothing},
                      {std::vector<std::byte>(64)}};
    ASSERT_EQ(gpu->run(launch), "") << program.text();
    const Answer want = on_processor(program, in);
    EXPECT_EQ(launch.buffers[2].bytes, want[0]) << "seed " << seed << "\n" << program.text();
    EXPECT_TRUE(same_reals(launch.buffers[3].bytes, want[1])) << "seed " << seed << "\n" << program.text();
    EXPECT_EQ(launch.buffers[4].bytes, want[2]) << "seed " << seed << "\n" << program.text();
    if (HasFailure()) return;
  }
  EXPECT_LT(refused, programs() / 10);
}

}  // namespace
}  // namespace quern::test
