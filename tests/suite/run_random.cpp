#include "suite/run_random.hpp"

#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>

#include "base/text.hpp"
#include "driver/sim/driver.hpp"
#include "runtime/module.hpp"
#include "runtime/stream.hpp"

namespace quern::test {

namespace {

using base::ErrorKind;
using base::Result;
using runtime::HostArgument;
using runtime::MemoryPtr;

struct Answer {
  std::vector<int> integers;
  std::vector<float> reals;
  std::vector<uint32_t> sums;
};

RandomFeatures features_of(const driver::DeviceInfo& info) {
  RandomFeatures f;
  f.doubles = info.features.has(driver::Feature::fp64);
  f.int64 = info.features.has(driver::Feature::int64);
  f.narrow = info.features.has(driver::Feature::int8) && info.features.has(driver::Feature::int16);
  f.warps = info.features.has(driver::Feature::warps);
  // GLSL and WGSL let compilers assume that infinities and NaN do not occur.
  f.specials = info.driver != "opengl" && info.driver != "gles" && info.driver != "webgpu";
  return f;
}

template <typename T>
Result<MemoryPtr> put(runtime::Device& device, const std::vector<T>& from) {
  const uint64_t bytes = from.size() * sizeof(T);
  QUERN_TRY_ASSIGN(auto memory, device.allocate(bytes, driver::MemoryKind::device, ""));
  QUERN_TRY(device.default_stream().upload({memory.get(), 0, bytes}, from.data(), bytes));
  return memory;
}

template <typename T>
Result<> get(runtime::Device& device, const MemoryPtr& from, std::vector<T>& to) {
  const uint64_t bytes = to.size() * sizeof(T);
  return device.default_stream().download(to.data(), {from.get(), 0, bytes}, bytes);
}

HostArgument buffer(const MemoryPtr& memory) {
  HostArgument a;
  a.kind = ArgumentKind::memory;
  a.slice = {memory.get(), 0, memory->bytes()};
  return a;
}

Result<Answer> run(const std::shared_ptr<runtime::Device>& device, const RandomProgram& program) {
  runtime::Source source;
  source.name = base::format("random_%llu.cu", static_cast<unsigned long long>(program.seed));
  source.text = program.text();
  QUERN_TRY_ASSIGN(auto loaded, runtime::Module::load(device, std::move(source)));
  QUERN_TRY_ASSIGN(auto kernel, loaded->kernel("k"));
  std::mt19937 random(static_cast<uint32_t>(program.seed));
  std::vector<int> in_i(program.threads());
  std::vector<float> in_f(program.threads());
  for (int& v : in_i) v = static_cast<int>(random() % 2001) - 1000;
  for (float& v : in_f) v = static_cast<float>(static_cast<int>(random() % 4001) - 2000) * 0.125f;
  Answer answer;
  answer.integers.resize(program.threads());
  answer.reals.resize(program.threads());
  answer.sums.resize(16);
  QUERN_TRY_ASSIGN(const auto a, put(*device, in_i));
  QUERN_TRY_ASSIGN(const auto b, put(*device, in_f));
  QUERN_TRY_ASSIGN(const auto c, put(*device, answer.integers));
  QUERN_TRY_ASSIGN(const auto d, put(*device, answer.reals));
  QUERN_TRY_ASSIGN(const auto e, put(*device, answer.sums));
  HostArgument n;
  n.kind = ArgumentKind::integer;
  n.integer = program.threads();
  const HostArgument arguments[] = {n, buffer(a), buffer(b), buffer(c), buffer(d), buffer(e)};
  runtime::LaunchConfig shape;
  shape.grid_size = {program.grid, 1, 1};
  shape.block_size = {program.block, 1, 1};
  QUERN_TRY(device->default_stream().launch(*kernel, shape, arguments));
  QUERN_TRY(get(*device, c, answer.integers));
  QUERN_TRY(get(*device, d, answer.reals));
  QUERN_TRY(get(*device, e, answer.sums));
  QUERN_TRY(device->default_stream().synchronize());
  return answer;
}

// Vulkan and GLSL do not guarantee the sign of zero, and subnormals may be flushed to zero unless the device
// preserves them.
struct Promises {
  bool signed_zeros, subnormals;
};

Promises promises_of(const driver::DeviceInfo& info) {
  const bool is_shader =
      info.driver == "vulkan" || info.driver == "opengl" || info.driver == "gles" || info.driver == "webgpu";
  return {!is_shader, !is_shader || (info.floats.subnormals & 32) != 0};
}

bool same(float a, float b, Promises promises) {
  if ((a != a && b != b) || std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b)) return true;
  const auto is_small = [](float x) { return std::abs(x) < std::numeric_limits<float>::min(); };
  if (!promises.subnormals && (a == 0 || b == 0) && is_small(a) && is_small(b)) return true;
  return !promises.signed_zeros && a == b;
}

// The first difference; empty: none.
std::string difference(const Answer& wanted, const Answer& got, Promises promises) {
  for (size_t i = 0; i < wanted.integers.size(); ++i) {
    if (wanted.integers[i] != got.integers[i])
      return base::format("out_i[%zu] is %d, but %d on the simulator", i, got.integers[i],
                          wanted.integers[i]);
    if (!same(wanted.reals[i], got.reals[i], promises))
      return base::format("out_f[%zu] is %.9g, but %.9g on the simulator", i,
                          static_cast<double>(got.reals[i]), static_cast<double>(wanted.reals[i]));
  }
  for (size_t i = 0; i < wanted.sums.size(); ++i) {
    if (wanted.sums[i] != got.sums[i])
      return base::format("acc[%zu] is %u, but %u on the simulator", i, got.sums[i], wanted.sums[i]);
  }
  return {};
}

class Comparison {
 public:
  Comparison(std::shared_ptr<runtime::Device> device, std::shared_ptr<runtime::Device> sim)
      : device_(std::move(device)), sim_(std::move(sim)) {}

  // Nothing: equal. An error of kind kUnsupported: the device does not support it.
  Result<std::string> compare(const RandomProgram& program) {
    QUERN_TRY_ASSIGN(const Answer wanted, run(sim_, program));
    QUERN_TRY_ASSIGN(const Answer got, run(device_, program));
    return difference(wanted, got, promises_of(device_->info()));
  }

  // Removes statements while the results still differ (or the device still fails).
  RandomProgram shrink(RandomProgram program) {
    constexpr int kTries = 2000;
    int tries = 0;
    for (bool again = true; again && tries < kTries;) {
      again = false;
      for (const RandomProgram& candidate : smaller(program)) {
        if (++tries > kTries) break;
        if (!is_wrong(candidate)) continue;
        program = candidate;
        again = true;
        break;
      }
    }
    return program;
  }

 private:
  bool is_wrong(const RandomProgram& program) {
    auto wanted = run(sim_, program);
    if (!wanted.ok()) return false;
    auto got = run(device_, program);
    if (!got.ok()) return got.error().kind() != ErrorKind::unsupported;
    return !difference(*wanted, *got, promises_of(device_->info())).empty();
  }

  std::shared_ptr<runtime::Device> device_, sim_;
};

}  // namespace

RandomReport run_random(const std::shared_ptr<runtime::Device>& device, uint64_t seed, uint64_t count,
                        double seconds, const std::function<void()>& progress) {
  RandomReport report;
  auto driver = sim::make_driver();
  // Overflows and divisions by zero are intended: the language defines their results.
  auto sim = runtime::Device::open(*driver, 0, {{"check", "none"}});
  if (!sim.ok()) {
    report.differ = 1;
    report.first = sim.error().to_string();
    return report;
  }
  const RandomFeatures features = features_of(device->info());
  Comparison comparison(device, *sim);
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t i = 0; report.ran < count; ++i) {
    if (seconds > 0 &&
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds)
      break;
    const RandomProgram program = make_random_program(seed + i, features);
    auto result = comparison.compare(program);
    progress();
    if (!result.ok() && result.error().kind() == ErrorKind::unsupported) {
      if (++report.refused > 1000 + count) break;
      continue;
    }
    ++report.ran;
    if (result.ok() && result->empty()) continue;
    const std::string what = base::format(
        "seed %llu, grid %u, block %u: %s", static_cast<unsigned long long>(program.seed), program.grid,
        program.block, result.ok() ? result->c_str() : result.error().to_string().c_str());
    if (++report.differ > 1) {
      report.others.push_back(what);
      continue;
    }
    const RandomProgram small = comparison.shrink(program);
    auto again = comparison.compare(small);
    report.first =
        base::format("%s\nshrunk: %s\n%s", what.c_str(),
                     again.ok() ? again->c_str() : again.error().to_string().c_str(), small.text().c_str());
  }
  return report;
}

}  // namespace quern::test
