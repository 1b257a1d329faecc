// The first launch of a kernel on the cpu, from its text to its result, by phases: a kernel of 134 lines with
// 16 divergent branches, first uncached, then from the cache of objects. LLVM is loaded before. Each phase:
// the shortest of many rounds; CPU time of the whole process, and wall time.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/text.hpp"
#include "driver/cpu/compiler.hpp"
#include "driver/cpu/driver.hpp"
#include "driver/cpu/module.hpp"
#include "lang/compile.hpp"

namespace quern::bench {
namespace {

constexpr int kRounds = 25;
constexpr uint32_t kThreads = 64;

// Each round has a different text.
std::string source(int round) {
  std::string s = "__global__ void k(int n, const float* in, float* out) {\n";
  s += "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n";
  s += base::format("  float x = in[i] + %d.0f;\n", round);
  for (int branch = 0; branch < 16; ++branch) {
    s += base::format("  if (x > %d.25f) {\n    float t = x * 1.5f + %d.0f;\n", branch, branch);
    s += "    int q = (int)t;\n    for (int j = 0; j < (q & 3); ++j) t += in[(i + j) % n];\n";
    s += base::format("    x = t - floorf(t);\n  } else {\n    x = x * 0.5f + %d.0f;\n  }\n", branch);
  }
  return s + "  out[i] = x;\n}\n";
}

double now(clockid_t clock) {
  timespec t{};
  ::clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

// The shortest milliseconds of each phase.
class Phases {
 public:
  template <typename Work>
  auto measure(const std::string& name, const Work& work) {
    const double wall = now(CLOCK_MONOTONIC), own = now(CLOCK_PROCESS_CPUTIME_ID);
    auto result = work();
    keep(name, now(CLOCK_PROCESS_CPUTIME_ID) - own, now(CLOCK_MONOTONIC) - wall);
    return result;
  }
  void print(const char* title) const {
    std::printf("%s\n", title);
    for (const std::string& name : order_)
      std::printf("  %-34s %7.2f ms CPU time, %7.2f ms wall time\n", name.c_str(), least_.at(name).own,
                  least_.at(name).wall);
  }

 private:
  struct Times {
    double own, wall;
  };
  void keep(const std::string& name, double own, double wall) {
    const auto [at, is_new] = least_.try_emplace(name, Times{own, wall});
    if (is_new) order_.push_back(name);
    at->second = {std::min(at->second.own, own), std::min(at->second.wall, wall)};
  }
  std::map<std::string, Times> least_;
  std::vector<std::string> order_;
};

template <typename T>
T checked(base::Result<T> result) {
  if (result.ok()) return std::move(*result);
  std::printf("%s\n", result.error().to_string().c_str());
  std::exit(1);
}

// From text to result, on a newly opened device.
bool launch(const std::string& text) {
  const auto device = checked(cpu::make_driver()->open(0, {{"threads", "1"}}));
  const auto stream = checked(device->create_stream({}));
  const auto memory = checked(device->allocate(kThreads * 4, driver::MemoryKind::device));
  driver::Code code;
  code.module = std::make_shared<ir::Module>(lang::compile("first.cu", text).module);
  const auto program = checked(device->load(code));
  const auto kernel = checked(device->kernel(*program, "k"));
  const uint32_t n = kThreads;
  const std::vector<driver::Argument> arguments{
      {{}, &n, 4}, {{memory.get(), 0}, nullptr, 0}, {{memory.get(), 0}, nullptr, 0}};
  return device->launch(*stream, *kernel, {{1, 1, 1}, {kThreads, 1, 1}, 0, arguments, false}).ok() &&
         device->synchronize(*stream).ok();
}

void measure_parts(Phases& phases, const std::string& text) {
  const auto compiled = phases.measure("front end", [&] { return lang::compile("first.cu", text); });
  const ir::Function& kernel = *compiled.module.find_function("k");
  const cpu::Processor host = cpu::host_processor();
  llvm::Options options = cpu::usual_options(host, 1, llvm::demand(kernel), {kThreads, 1, 1});
  options.is_quick = true;
  const llvm::Code code = checked(
      phases.measure("generating quick code", [&] { return llvm::emit(compiled.module, kernel, options); }));
  (void)phases.measure("LLVM", [&] { return cpu::compile_object(code.text, host, cpu::Effort::kQuick); });
}

int run() {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("quern-first-" + std::to_string(::getpid()))).string();
  ::setenv("QUERN_CACHE", folder.c_str(), 1);
  (void)launch(source(-1));  // loads LLVM
  Phases fresh, kept;
  bool is_right = true;
  for (int round = 0; round < kRounds; ++round) {
    measure_parts(fresh, source(round));
    is_right &= fresh.measure("total, to the result of the launch", [&] { return launch(source(round)); });
    (void)kept.measure("front end", [&] { return lang::compile("first.cu", source(round)); });
    is_right &= kept.measure("total, to the result of the launch", [&] { return launch(source(round)); });
  }
  const std::string lines = std::to_string(std::ranges::count(source(0), '\n'));
  fresh.print(("a new kernel of " + lines + " lines").c_str());
  kept.print("the same from the cache");
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace quern::bench

int main() { return quern::bench::run(); }
